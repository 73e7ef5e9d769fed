"""Notes that a key plays: caught at ticks, so that nobody needs to watch every one of them."""

from touchback import Model, Signal, select
from touchback.instruments.keyboard.answer import Answer
from touchback.model.value import Value

REPORTED = ("notes", "loudness", "note time", "ringing", "held", "una corda")


SOFTEST = 0.18  # of loudness that is heard: the softest of 2300 tones, m/s (Goebl et al. 2005)


def add_strikes(m: Model, heard: Answer, una_corda: Value = 0.0) -> None:
    """Count a note at each tick where an answer's `sounding` begins to hold, and keep how loud it
    is (`loudness` one tick earlier, before what sounds it takes it away), when, and where the pedal
    for `una_corda` was. Sensors "notes", "loudness", "note time" [s], "ringing" (1: the damper is
    off, 0: it is on), "held" (the key is) and "una corda"."""
    now = select(heard.sounding, 1.0, 0.0)
    before = m.memory("sounded", update=now)
    last = m.memory("loudness before", update=heard.loudness)
    began = now * (1.0 - before) * select(last > SOFTEST, 1.0, 0.0)
    count = m.memory("note count")
    m.set_update("note count", count + began)
    kept = m.memory("note loudness")
    m.set_update("note loudness", select(began, last, kept))
    when = m.memory("note began")
    m.set_update("note began", select(began, m.time, when))
    free = m.memory("damper off", update=heard.ringing)
    down = m.memory("key held", update=heard.down)
    shifted = m.memory("note una corda")
    m.set_update("note una corda", select(began, una_corda, shifted))
    for name, value in zip(REPORTED, (count, kept, when, free, down, shifted), strict=True):
        m.sensor(name, Signal(value, "s" if name == "note time" else ""))
