"""Notes that a key plays: caught at ticks, so that nobody needs to watch every one of them."""

from touchback.model import Model
from touchback.model.sensors import Signal
from touchback.model.value import Value
from touchback.symbolic.functions import select

REPORTED = ("notes", "loudness", "note time", "ringing")


SOFTEST = 0.18  # of loudness that is heard: the softest of 2300 tones, m/s (Goebl et al. 2005)


def add_strikes(m: Model, sounding: Value, loudness: Value, ringing: Value) -> None:
    """Count a note at each tick where the condition `sounding` begins to hold, and keep how loud it
    is (`loudness` one tick earlier, before what sounds it takes it away) and when. `ringing` says
    whether the damper is off. Sensors "notes", "loudness", "note time" [s] and "ringing"."""
    now = select(sounding, 1.0, 0.0)
    before = m.memory("sounded", update=now)
    last = m.memory("loudness before", update=loudness)
    began = now * (1.0 - before) * select(last > SOFTEST, 1.0, 0.0)
    count = m.memory("note count")
    m.set_update("note count", count + began)
    kept = m.memory("note loudness")
    m.set_update("note loudness", select(began, last, kept))
    when = m.memory("note began")
    m.set_update("note began", select(began, m.time, when))
    free = m.memory("damper off", update=select(ringing, 1.0, 0.0))
    for name, value in zip(REPORTED, (count, kept, when, free), strict=True):
        m.sensor(name, Signal(value, "s" if name == "note time" else ""))
