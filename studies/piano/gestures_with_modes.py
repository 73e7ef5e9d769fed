"""The random gestures of `gestures.py` on the model with modes, two steps to a tick of 4 kHz."""

from collections.abc import Iterator
from typing import Any

from studies.piano.gestures import Laboratory, Outcome
from touchback.instruments.piano.piano_action_modes import (
    NAP,
    RIGID,
    STRIKES,
    piano_action_with_modes,
)
from touchback.recording import Run
from touchback.system import System

STEP = 125e-6
METHOD = "rk4"
OPEN = 2 * NAP  # rigid surfaces that are deeper in each other than this went through [m]


class LaboratoryWithModes(Laboratory):
    """An action with modes at rest that gestures are tried on."""

    method, step = METHOD, STEP

    def _action(self) -> System:
        return piano_action_with_modes("finger").compile()

    def _settling(self) -> dict[str, Any]:
        return {"method": METHOD, "step": STEP}

    def _strikes(self, run: Run) -> int:
        return sum(STRIKES in each.cause for each in run.transitions)

    def _troubles(self, run: Run) -> Iterator[str]:
        yield from super()._troubles(run)
        for name in RIGID:
            deepest = -float(run[f"{name} gap"].min())
            if not deepest < OPEN:
                yield f"{name}, rigid: {1e6 * deepest:.1f} µm deep"


def try_with_modes(count: int, first: int = 0) -> Iterator[Outcome]:
    """The outcomes of gestures with consecutive seeds."""
    return LaboratoryWithModes().outcomes(count, first)
