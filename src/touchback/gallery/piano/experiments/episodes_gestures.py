"""The random gestures of `gestures.py` on the episodes model, two steps to a tick of 4 kHz."""

from collections.abc import Iterator

import numpy as np

from touchback.errors import TouchbackError
from touchback.gallery.piano.episodes import episodic_piano_action
from touchback.gallery.piano.experiments.gestures import DURATION, Laboratory, Outcome, gesture
from touchback.gallery.piano.phases.automaton import NAP, STRIKES
from touchback.gallery.piano.phases.contacts import RIGID
from touchback.recording import Run
from touchback.simulate import simulate

STEP = 125e-6
METHOD = "rk4"
OPEN = 2 * NAP  # rigid surfaces that are deeper in each other than this went through [m]


class EpisodesLaboratory(Laboratory):
    """An action with phases at rest that gestures are tried on."""

    def __init__(self) -> None:
        self.system = episodic_piano_action("finger").compile()
        rest = simulate(self.system, duration=0.5, method=METHOD, step=STEP, progress=False)
        self.rest = np.array([rest[name][-1] for name in self.system.state_names])
        count = len(self.system.coordinates)
        self.rest[count : 2 * count] = 0.0
        self.overlap = float(rest["jack overlap"][-1])
        self.blow = float(rest["string gap"][-1])

    def run(self, seed: int, step: float = STEP) -> Run:
        """The run of one gesture."""
        inputs, parameters = gesture(seed)
        return simulate(
            self.system, self.rest, DURATION, method=METHOD, step=step, output_step=4 * STEP,
            inputs=inputs, parameters=parameters, progress=False,
        )  # fmt: skip

    def outcome(self, seed: int) -> Outcome:
        """What became of one gesture; phases that crowd and NaN are troubles, too."""
        try:
            run = self.run(seed)
        except TouchbackError as error:
            return Outcome(seed, 0, 0.0, (str(error),))
        struck = sum(STRIKES in each.cause for each in run.transitions)
        fastest = float(run["hammer velocity.z"].max())
        return Outcome(seed, struck, fastest, tuple(self._troubles(run)))

    def _troubles(self, run: Run) -> Iterator[str]:
        yield from super()._troubles(run)
        for name in RIGID:
            deepest = -float(run[f"{name} gap"].min())
            if not deepest < OPEN:
                yield f"{name}, rigid: {1e6 * deepest:.1f} µm deep"


def try_episodes(count: int, first: int = 0) -> Iterator[Outcome]:
    """The outcomes of gestures with consecutive seeds."""
    laboratory = EpisodesLaboratory()
    for seed in range(first, first + count):
        yield laboratory.outcome(seed)
