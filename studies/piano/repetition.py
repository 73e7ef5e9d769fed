"""Repetition without letting the key up: strikes a second over how far it rises between."""

from collections.abc import Mapping
from dataclasses import dataclass

from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.finger_motions import RepeatedTouch
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import play, strike_times
from touchback.recording import Run
from touchback.system import System


@dataclass(frozen=True)
class Repetition:
    """Strikes of a second of repetition at a rate [Hz] with the key rising to a depth [m] only."""

    run: Run
    rate: float
    release: float
    strikes: list[float]

    @property
    def every_time(self) -> bool:
        """Whether each stroke of the key gave one strike, the first one included."""
        return len(self.strikes) == round(self.rate) + 1


def repeating_action(specification: Specification | None = None) -> System:
    """An action whose key is driven up and down."""
    return grand_piano_action("motion", RepeatedTouch(), specification).compile()


def repeat(
    system: System, rate: float, release: float, parameters: Mapping[str, float] | None = None
) -> Repetition:
    """One second of repetition."""
    given = {**(parameters or {}), "rate": rate, "release depth": release}
    run = play(system, RepeatedTouch().first + 1.0, given, output_step=2e-4)
    return Repetition(run, rate, release, strike_times(run))
