"""The random gestures of `gestures.py` on the episodes model, two steps to a tick of 4 kHz."""

from collections.abc import Iterator
from typing import Any

from touchback.gallery.piano.episodes import episodic_piano_action
from touchback.gallery.piano.experiments.gestures import Laboratory, Outcome
from touchback.gallery.piano.phases.automaton import NAP, STRIKES
from touchback.gallery.piano.phases.contacts import RIGID
from touchback.recording import Run
from touchback.system import System

STEP = 125e-6
METHOD = "rk4"
OPEN = 2 * NAP  # rigid surfaces that are deeper in each other than this went through [m]


class EpisodesLaboratory(Laboratory):
    """An action with phases at rest that gestures are tried on."""

    method, step = METHOD, STEP

    def _action(self) -> System:
        return episodic_piano_action("finger").compile()

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


def try_episodes(count: int, first: int = 0) -> Iterator[Outcome]:
    """The outcomes of gestures with consecutive seeds."""
    return EpisodesLaboratory().outcomes(count, first)
