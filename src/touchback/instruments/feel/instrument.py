"""What a finger feels of a key and what a listener hears of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from touchback.instruments.sound import Note, render
from touchback.model.signals import Parameter

Side = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class KeyCurve:
    """Depth [m] and force [N] at the key front, pressed and released slowly; where something begins
    on the way down [m]; a line for each (by name), and other figures as texts. `sides` has "down"
    and "up"."""

    title: str
    sides: dict[str, Side]
    marks: dict[str, float]
    legend: dict[str, str]
    figures: dict[str, str] = field(default_factory=dict)

    def rows(self) -> np.ndarray:
        """Depth, force, and 1 on the way down, 0 on the way up: in the order of time."""
        (down, pressed), (up, released) = self.sides["down"], self.sides["up"]
        going = np.repeat([1.0, 0.0], [len(down), len(up)])
        depths, forces = np.concatenate([down, up]), np.concatenate([pressed, released])
        return np.stack([depths, forces, going], axis=1)


@dataclass(frozen=True)
class Played:
    """A passage: the notes that sounded, how long it lasts [s], and a line about it."""

    notes: list[Note]
    duration: float
    about: str

    def samples(self) -> np.ndarray:
        """The sound, 44 100 samples a second."""
        return render(self.notes, self.duration)


Settings = Mapping[str, float]


@dataclass(frozen=True)
class Instrument:
    """How a key is felt, slowly at a speed [m/s], and how a passage is played, both with live
    parameters by name; and which there are."""

    feel: Callable[[Settings, float], KeyCurve]
    play: Callable[[Settings], Played]
    parameters: Callable[[], Mapping[str, Parameter]]
