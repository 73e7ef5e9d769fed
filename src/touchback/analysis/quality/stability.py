"""The largest step that stays bounded, by bisection.

Bounded: over at least a thousand steps no velocity exceeds twenty times what the true motion has
reached by then, and no constraint is violated by more than the coordinates themselves move. A
semi-implicit Euler step of a linear oscillator passes up to h ω = 2 √(1 − 1/20²) = 1.9975.
"""

from dataclasses import dataclass, field

import numpy as np

from touchback.analysis.quality.bench import Bench
from touchback.analysis.quality.measures import Measures
from touchback.analysis.quality.reference import TIGHT, Reference, reference_candidate
from touchback.analysis.quality.row import Candidate, Limit
from touchback.simulate.protocol import Floats
from touchback.simulate.span import Trajectory

FACTOR = 20.0
STEPS = 1000  # at least, of a run that has to stay bounded
LONGEST = 0.1  # of the duration: the longest step that is tried
_LOOSE = 1e-6  # relative tolerance of the run that says how fast the true motion is
_FOR_HORIZON = 0.1  # of the time limit
_STILL = 1e-9  # [m/s, rad/s]: nothing counts as slower
_RATIO = 2.0**0.5  # between the steps of the search for a bracket
_RESOLUTION = 2e-3  # of the limit, relative


@dataclass
class Bounds:
    """How fast the true motion is, and how far it goes."""

    bench: Bench
    measures: Measures
    reference: Reference
    _times: Floats = field(init=False)
    _fastest: Floats = field(init=False)

    def __post_init__(self) -> None:
        """A loose run over the longest time that a test may take, as far as there is time for."""
        duration = self.bench.duration
        expected = self.reference.seconds * (TIGHT / _LOOSE) ** 0.2  # an order-5 method
        affordable = _FOR_HORIZON * self.bench.clock.limit / max(expected, 1e-9)
        horizon = duration * min(STEPS * LONGEST, max(affordable, 1.0))
        candidate = reference_candidate(self.bench)
        run = self.bench.run(candidate, horizon, rtol=_LOOSE, output_step=horizon / 20_000)
        self._times = run.times
        self._fastest = np.maximum.accumulate(self._speeds(candidate, run))
        self._excursion = float(np.ptp(self.reference.positions, axis=0).max(initial=0.0))

    def _speeds(self, candidate: Candidate, run: Trajectory) -> Floats:
        _, velocities = self.bench.compared(candidate, run.states)
        speeds: Floats = np.abs(velocities).max(axis=1, initial=_STILL)
        return speeds

    @property
    def horizon(self) -> float:
        """How long the true motion is known."""
        return float(self._times[-1])

    def unbounded(self, candidate: Candidate, run: Trajectory) -> str:
        """Why a run isn't bounded; nothing when it is."""
        if run.failure is not None:
            return f"not finite after {run.failure.time:.3g} s"
        # A run may be a sample ahead of the true motion, so that of the next sample counts.
        after = np.searchsorted(self._times, run.times, side="right").clip(max=len(self._times) - 1)
        fast = self._speeds(candidate, run) > FACTOR * self._fastest[after]
        if fast.any():
            return f"{FACTOR:g} times too fast after {run.times[fast.argmax()]:.3g} s"
        off = self.measures.violation(run.times, run.states, candidate.natural)
        apart = off.position > self._excursion
        if apart.any():
            return f"comes apart after {run.times[apart.argmax()]:.3g} s"
        return ""

    def stays(self, candidate: Candidate, step: float) -> bool:
        """Whether a candidate stays bounded with a step."""
        wanted = max(self.bench.duration, STEPS * step)
        count = max(int(min(wanted, self.horizon) / step), 1)
        every = max(count // STEPS, 1)
        run = self.bench.run(candidate, count * step, step=step, output_step=every * step)
        return not self.unbounded(candidate, run)


def stability_limit(bounds: Bounds, candidate: Candidate, start: float, shortest: float) -> Limit:
    """From `start` upwards to a bracket (first downwards, to no less than the `shortest`, where the
    longer test finds it too long already); then bisection in the logarithm of the step."""
    longest = LONGEST * bounds.bench.duration
    low = min(start, longest)
    while not bounds.stays(candidate, low):
        low /= _RATIO
        if low < shortest:
            return Limit(None)
    high = min(low * _RATIO, longest)
    while bounds.stays(candidate, high):
        low = high
        if low >= longest:
            return Limit(longest, open=True)
        high = min(low * _RATIO, longest)
    while high > low * (1.0 + _RESOLUTION):
        middle = (low * high) ** 0.5
        if bounds.stays(candidate, middle):
            low = middle
        else:
            high = middle
    return Limit(low)
