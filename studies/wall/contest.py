"""The stiffest passive wall with a real encoder: what was published against ours, at one rate.

The others' walls are chosen on presses that they may know; all are judged on presses that
none has seen. A wall must lead the handle within half a penetration of where a continuous one has
it. Ours is one design with the same numbers at every rate: nothing is chosen for it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import geometric_mean

from studies.wall.real import BALANCED, CELLS, COUNTED, WINDOWED
from touchback.haptics.wall.laws import (
    Deadbeat,
    Dithered,
    HalfSample,
    Law,
    PassivityControlled,
    PolePlacement,
    Standard,
    WaveVariables,
)
from touchback.haptics.wall.passivity_limits import Press, drawn_presses, presses
from touchback.haptics.wall.wall_sweep import PressSetup, find_stiffest_wall

ASTRAY = 0.5  # penetrations
KNOWN = (*presses(), *drawn_presses(seed=1))
FRESH = tuple(tuple(drawn_presses(seed)) for seed in range(11, 14))
_JUDGED = 2  # published walls: the best of so many is chosen after the fresh presses
_DAMPINGS = (0.5, 2.0)  # N s/m, half and twice the device's


@dataclass(frozen=True)
class Entry:
    """A wall that takes part."""

    name: str
    law: Law
    setting: PressSetup
    damping: float = 0.0

    def judged(self, rate: float, by: tuple[Press, ...]) -> float:
        """The stiffness [N/m] up to which it passes."""
        setting = replace(self.setting, presses=by)
        return find_stiffest_wall(self.law, rate, setting, damping=self.damping, astray=ASTRAY)[0]


@dataclass(frozen=True)
class Result:
    """A wall at a rate [Hz], on presses that are known and on fresh ones [N/m]: the geometric mean
    over sets of them, and the least."""

    rate: float
    entry: Entry
    known: float
    fresh: float
    least: float


def published() -> Iterator[Entry]:
    """Walls of others, with velocities from counts as others make them."""
    for told, setting in (("differences", COUNTED), ("window", WINDOWED)):
        laws: dict[str, Law] = {
            "standard": Standard(), "half-sample": HalfSample(), "z-plane": PolePlacement()
        }  # fmt: skip
        for name, law in laws.items():
            yield Entry(f"{name}, {told}", law, setting)
            for damping in _DAMPINGS if setting is COUNTED else ():
                yield Entry(f"{name} damped by {damping:g} N s/m, {told}", law, setting, damping)
        yield Entry(f"passivity controller, {told}", PassivityControlled(), setting)
        yield Entry(f"deadbeat, {told}", Deadbeat(), setting)
        yield Entry(f"half-sample dithered, {told}", Dithered(HalfSample(), 0.01), setting)
    for impedance in (1.0, 5.0, 25.0):
        yield Entry(f"waves, {impedance:g} N s/m", WaveVariables(impedance), COUNTED)


OURS = Entry("balanced, counting", BALANCED, CELLS)


def judged(rate: float, entry: Entry, known: float | None = None) -> Result:
    """An entry on all presses; what it reached on known ones may be told."""
    known = entry.judged(rate, KNOWN) if known is None else known
    reached = [entry.judged(rate, presses) for presses in FRESH]
    mean = geometric_mean(reached) if all(reached) else 0.0
    return Result(rate, entry, known, mean, min(reached))


def best(rate: float, entries: Iterable[Entry]) -> Result:
    """Of the entries that go farthest on the presses that are known, the best on fresh ones."""
    known = sorted(
        ((each.judged(rate, KNOWN), each) for each in entries), key=lambda pair: -pair[0]
    )
    return max((judged(rate, entry, far) for far, entry in known[:_JUDGED]), key=_fresh)


def _fresh(result: Result) -> float:
    return result.fresh
