"""Fingers of a page's visitors on live keys: strokes that stay until they are lifted."""

from dataclasses import replace

from touchback.devices.midi import speed_of
from touchback.gallery.keyboard.keys import note_name
from touchback.gallery.keyboard.midi_fingers import Answers, graded_touches
from touchback.gallery.keyboard.strokes import FOR_EVER, SHORTEST_STAY, Stroke
from touchback.realtime import Live


class Hands:
    """Sets fingers out on the keys of a run with so many ticks a second."""

    def __init__(self, live: Live, rate: float) -> None:
        self._live, self._rate = live, rate
        self._held: dict[int, Stroke] = {}
        self.touches: Answers | None = None  # how the piano answers to efforts, when it is known

    def learn(self) -> None:
        """How hard fingers must play for what MIDI asks: found by pressing keys offline."""
        self.touches = graded_touches("piano", rate=self._rate)

    def stroke(self, note: int, effort: float | None, velocity: int | None) -> float:
        """A finger sets out on a key, as hard as told or as a velocity asks; gives its effort."""
        own = 0.5 if effort is None else effort
        if velocity is not None:
            known = self.touches
            own = known.effort_for(speed_of(velocity), note) if known else velocity / 127.0
        # Two ticks from now: all five inputs are there before it begins.
        start = self._live.read("time") + 2.0 / self._rate
        self._held[note] = Stroke.of(start, note, own, stay=FOR_EVER)
        self.do(self._held[note])
        return own

    def lift(self, note: int) -> None:
        """The finger leaves a key, if it is there."""
        stroke = self._held.pop(note, None)
        if stroke is not None:
            stay = max(self._live.read("time") - stroke.time - stroke.press, SHORTEST_STAY)
            self.do(replace(stroke, stay=stay))

    def do(self, stroke: Stroke) -> None:
        """Gives the run a stroke's inputs."""
        name, inputs = note_name(stroke.note), dict(stroke.inputs)
        start = inputs.pop("finger start")
        for key, value in inputs.items():
            self._live[f"{name}/{key}"] = value
        self._live[f"{name}/finger start"] = start  # last: it sets the finger out
