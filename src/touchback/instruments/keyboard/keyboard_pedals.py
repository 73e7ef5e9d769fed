"""The three pedals of a keyboard: inputs of all its keys, from 0 (up) to 1 (down).

*Sustain* lifts the tray under all dampers; *sostenuto* catches those dampers that are up when it
goes down; *una corda* shifts the hammers. MIDI knows them as controllers 64, 66 and 67, whose
values from 0 to 127 are how far they are down.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

import touchback as tb
from touchback import Model, maximum, minimum, select
from touchback.instruments.midi_file import Timed
from touchback.instruments.piano.action_specification import Specification
from touchback.model import Value

SUSTAIN, SOSTENUTO, UNA_CORDA = "sustain pedal", "sostenuto pedal", "una corda pedal"
PEDALS = (SUSTAIN, SOSTENUTO, UNA_CORDA)
CONTROLS = {64: SUSTAIN, 66: SOSTENUTO, 67: UNA_CORDA}
_NUMBERS = {pedal: number for number, pedal in CONTROLS.items()}
MOST = 127  # of a controller's value

FREE = 0.25  # of the sustain pedal's way until its tray meets the dampers (chosen)
LIFT = 8e-3  # m that the tray would lift their heads, did nothing give: dampers rise 5 to 6 mm
ROD = 6e-3  # m, the same of the sostenuto's rod
CATCH = 1.5e-3  # m over the string, above which a damper is caught
DAMPED = 0.9  # of a damper's weight on the string: friction of its hinge may carry the rest
UNA_CORDA_THRESHOLD = 0.5  # of the una corda pedal's way, from which on a string less is struck


@dataclass(frozen=True)
class Pedals:
    """Where the pedals are, as expressions of a key's model."""

    sustain: Value
    sostenuto: Value
    una_corda: Value


@dataclass(frozen=True)
class Foot:
    """A pedal that comes to a place, 0 to 1, at a time [s]."""

    time: float
    pedal: str
    place: float

    @property
    def inputs(self) -> dict[str, float]:
        """The input of the keyboard that it sets."""
        return {self.pedal: self.place}


def add_pedals(m: Model) -> Pedals:
    """The inputs of the pedals; the first of a model, so that copies of it can share them."""
    return Pedals(*(m.input(name, min=0.0, max=1.0) for name in PEDALS))


class DamperLift:
    """What lifts the damper of one key, beside the key itself."""

    def __init__(self, m: Model, pedals: Pedals) -> None:
        self._m, self._pedals = m, pedals
        self._caught = m.memory("caught")
        undamped = m.parameter("undamped", 0.0, min=0.0, max=1.0)  # 1: the note has no damper
        tray = LIFT * (1.0 / (1.0 - FREE)) * (pedals.sustain - FREE)
        held = maximum(ROD * self._caught, LIFT * undamped)
        self.height = maximum(maximum(tray, 0.0), held)  # of what is under the damper's head [m]
        self.bound = {"pedal lift": self.height, "una corda": pedals.una_corda}

    def catch(self, damper: Value, specification: Specification) -> None:
        """Let the rod of the sostenuto catch the damper, at an angle, if it is up while the pedal
        goes down."""
        m = self._m
        down = select(self._pedals.sostenuto > 0.5, 1.0, 0.0)
        before = m.memory("sostenuto before", update=down)
        up = select(damper * specification.dimensions.damper_head > CATCH, 1.0, 0.0)
        m.set_update("caught", down * select(before > 0.5, self._caught, up))

    def ringing(self, free: Value, pressed: Value) -> Value:
        """How far the string may ring, 1 with a damper that is free of it; one that something
        lifts damps by the share of its weight that presses on the string."""
        shared = 1.0 - minimum(pressed * (1.0 / DAMPED), 1.0)
        return select(free, 1.0, select(self.height > 0.0, shared, 0.0))


def feet_of(messages: Iterable[Timed]) -> list[Foot]:
    """What MIDI messages ask of the pedals; notes and other controllers are left out."""
    return [
        Foot(each.time, CONTROLS[each.message.number], each.message.value / MOST)
        for each in messages
        if isinstance(each.message, tb.devices.midi.Control) and each.message.number in CONTROLS
    ]


def control_of(pedal: str, place: float) -> tb.devices.midi.Control:
    """The MIDI message of a pedal that is at a place."""
    return tb.devices.midi.Control(_NUMBERS[pedal], round(MOST * min(max(place, 0.0), 1.0)))


def pedal_samples(feet: Iterable[Foot]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The inputs of the pedals over time, for `tb.simulate`: each is where it was last put."""
    places: dict[str, dict[float, float]] = {}
    for foot in sorted(feet, key=lambda foot: foot.time):
        places.setdefault(foot.pedal, {0.0: 0.0})[max(foot.time, 0.0)] = foot.place
    samples = {}
    for name, own in places.items():
        times, values = np.array(list(own)), np.array(list(own.values()))
        before = np.nextafter(times[1:], 0.0)  # until then it stays
        samples[name] = (
            np.insert(times, np.arange(1, len(times)), before),
            np.insert(values, np.arange(1, len(values)), values[:-1]),
        )
    return samples
