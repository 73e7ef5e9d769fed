"""One press, one strike: a key that is pressed once must sound once, however it is pressed.

A finger goes down along a minimum-jerk path and stays, pressing with some force. Such a path slows
down before its end, so that the hammer flies ahead of the jack, comes back from the string while
the jack is still below it, and may be thrown again.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studies.piano.gestures import STEP
from studies.piano.gestures_with_modes import METHOD, STEP as STEP_WITH_MODES
from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.finger_motions import MinimumJerkTouch, minimum_jerk
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.piano_action_modes import STRIKES, piano_action_with_modes
from touchback.instruments.piano.stroke_analysis import SETTLE, crossings
from touchback.model import Model
from touchback.recording import Run
from touchback.simulate import simulate
from touchback.system import System
from touchback.system.compile_model import copies

OUTPUT, SAMPLE = 5e-4, 1e-3  # of runs and of finger motions [s]
WATCHED = 0.35  # after a press's end [s]
STAYS, EASES = 0.05, 0.1  # a finger stays at its depth, then eases to the held force [s]
TOGETHER = 112  # presses in one run
SECONDS = tuple(float(x) for x in np.linspace(0.06, 0.2, 10))
DEPTHS = tuple(float(x) for x in np.linspace(10e-3, 13e-3, 7))
HELD = (1.5, 2.6, 3.8, 4.9)
STIFFNESSES = (600.0, 900.0, 1200.0, 1500.0, 2200.0, 3200.0, 4500.0, 6000.0)
DRIVEN = tuple(
    (float(depth), float(seconds))
    for depth in np.linspace(9.2e-3, 9.9e-3, 8)
    for seconds in np.linspace(0.06, 0.2, 15)
)  # depths [m] and times [s] of a key that is moved itself
# Screws of an action that a technician would call bubbling: let-off half a millimetre later, and a
# repetition spring that is too strong.
BUBBLING = {"let-off button height": 0.2e-3, "repetition spring": 0.035}


@dataclass(frozen=True)
class Strike:
    """The hammer met the string at a time [s] with a speed [m/s]."""

    time: float
    speed: float


@dataclass(frozen=True)
class Press:
    """A finger of a stiffness [N/m] that goes from some way `above` the key [m] to a depth [m] in
    some seconds, and then holds the key with a force [N]; or that goes down some `times`, and
    lifts as fast between."""

    seconds: float
    depth: float
    held: float
    stiffness: float
    above: float = 0.0
    times: int = 1

    @property
    def period(self) -> float:
        """From one way down to the next [s]."""
        return 2 * self.seconds + STAYS

    @property
    def ends(self) -> float:
        """When it is down for the last time [s]."""
        return (self.times - 1) * self.period + self.seconds

    def motion(self, times: np.ndarray, dip: float) -> tuple[np.ndarray, np.ndarray]:
        """Depth [m] and speed [m/s] of the finger at some times [s]."""
        way, more = self.depth + self.above, dip + self.held / self.stiffness - self.depth
        downs = [i * self.period for i in range(self.times)]
        moves = [(begin, self.seconds, way) for begin in downs]
        moves += [(begin - self.seconds, self.seconds, -way) for begin in downs[1:]]
        depth, speed = np.full_like(times, -self.above), np.zeros_like(times)
        for begin, lasts, length in (*moves, (self.ends + STAYS, EASES, more)):
            share, rate = minimum_jerk((times - begin) / lasts)
            depth, speed = depth + length * share, speed + length * rate / lasts
        return depth, speed

    def by_way(self, struck: Sequence[Strike]) -> list[list[Strike]]:
        """The strikes of each way down."""
        ways: list[list[Strike]] = [[] for _ in range(self.times)]
        for each in struck:
            ways[min(int(each.time / self.period), self.times - 1)].append(each)
        return ways


GRID = tuple(Press(*each) for each in itertools.product(SECONDS, DEPTHS, HELD, STIFFNESSES))


class PressLaboratory:
    """A full-contact action at rest that presses are tried on, many in one run."""

    def __init__(
        self,
        specification: Specification | None = None,
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        self.specification = specification or Specification()
        self.parameters = dict(parameters or {})
        self.system = self._action("finger")
        self.rest = self._at_rest()

    def _action(self, driven: str, touch: MinimumJerkTouch | None = None) -> System:
        made = self._made(driven, touch)
        made.report("string gap")
        return made.compile()

    def _made(self, driven: str, touch: MinimumJerkTouch | None) -> Model:
        return grand_piano_action(driven, touch, self.specification, reported=("string",))

    def _at_rest(self) -> np.ndarray:
        run = self._run(self.system, None, 0.5, self.parameters, {})
        rest = np.array([run[name][-1] for name in self.system.state_names])
        count = len(self.system.coordinates)
        rest[count : 2 * count] = 0.0  # velocities
        return rest

    def _run(
        self,
        system: System,
        state: np.ndarray | None,
        duration: float,
        parameters: Mapping[str, float],
        inputs: Mapping[str, tuple[np.ndarray, np.ndarray]],
        start: float = 0.0,
    ) -> Run:
        return simulate(
            system, state, duration, start=start, method="euler", step=STEP, output_step=OUTPUT,
            parameters=parameters, inputs=inputs, progress=False,
        )  # fmt: skip

    @property
    def dip(self) -> float:
        """Of the key front [m]."""
        return self.parameters.get("key dip", self.specification.regulation.dip)

    def strikes(self, presses: Sequence[Press]) -> np.ndarray:
        """How often each press struck."""
        return np.array([len(each) for each in self.struck(presses)])

    def struck(self, presses: Sequence[Press]) -> list[list[Strike]]:
        """The strikes of each press."""
        found: list[list[Strike]] = []
        for first in range(0, len(presses), TOGETHER):
            found += self._together(presses[first : first + TOGETHER])
        return found

    def _together(self, presses: Sequence[Press]) -> list[list[Strike]]:
        row = copies(self.system, [str(i) for i in range(len(presses))])
        duration = max(press.ends for press in presses) + WATCHED
        times = np.arange(0.0, duration + SAMPLE, SAMPLE)
        parameters, inputs = {}, {}
        for i, press in enumerate(presses):
            own = {**self.parameters, "finger stiffness": press.stiffness}
            parameters.update({f"{i}/{name}": value for name, value in own.items()})
            depth, speed = press.motion(times, self.dip)
            inputs[f"{i}/finger depth"], inputs[f"{i}/finger speed"] = (
                (times, depth),
                (times, speed),
            )
        one = dict(zip(self.system.state_names, self.rest, strict=True))
        rest = np.array([one[name.split("/", 1)[1]] for name in row.state_names])
        run = self._run(row, rest, duration, parameters, inputs)
        gaps = (run[f"{i}/string gap"] for i in range(len(presses)))
        return [_strikes(run.time, gap, crossings(run.time, gap)) for gap in gaps]

    def driven(self, presses: Sequence[tuple[float, float]] = DRIVEN) -> np.ndarray:
        """How often a key struck that is itself moved to some depth [m] in some time [s]."""
        system = self._action("motion", MinimumJerkTouch())
        return np.array([len(self._times(run)) for run in self._driven(system, presses)])

    def _driven(self, system: System, presses: Sequence[tuple[float, float]]) -> Iterator[Run]:
        for depth, seconds in presses:
            given = {**self.parameters, "press depth": depth, "press time": seconds}
            yield self._run(system, None, SETTLE + seconds + WATCHED, given, {}, start=-SETTLE)

    def _times(self, run: Run) -> list[float]:
        return [time for time in crossings(run.time, run["string gap"]) if time > 0.0]


class PressLaboratoryWithModes(PressLaboratory):
    """An action with modes, whose presses are run one by one."""

    def _made(self, driven: str, touch: MinimumJerkTouch | None) -> Model:
        return piano_action_with_modes(driven, touch, self.specification)

    def _action(self, driven: str, touch: MinimumJerkTouch | None = None) -> System:
        return self._made(driven, touch).compile()

    def _run(
        self,
        system: System,
        state: np.ndarray | None,
        duration: float,
        parameters: Mapping[str, float],
        inputs: Mapping[str, tuple[np.ndarray, np.ndarray]],
        start: float = 0.0,
    ) -> Run:
        return simulate(
            system, state, duration, start=start, method=METHOD, step=STEP_WITH_MODES,
            output_step=OUTPUT, parameters=parameters, inputs=inputs, progress=False,
        )  # fmt: skip

    def _together(self, presses: Sequence[Press]) -> list[list[Strike]]:
        return [self._one(press) for press in presses]

    def _one(self, press: Press) -> list[Strike]:
        duration = press.ends + WATCHED
        times = np.arange(0.0, duration + SAMPLE, SAMPLE)
        depth, speed = press.motion(times, self.dip)
        inputs = {"finger depth": (times, depth), "finger speed": (times, speed)}
        own = {**self.parameters, "finger stiffness": press.stiffness}
        run = self._run(self.system, self.rest, duration, own, inputs)
        return _strikes(run.time, run["string gap"], self._times(run))

    def _times(self, run: Run) -> list[float]:
        """Impacts, and contacts with the felt that stands for the string where the jack pushes."""
        struck = [x.time for x in run.transitions if STRIKES in x.cause and x.time > 0.0]
        force = run["string force"]
        begun = run.time[1:][(force[:-1] <= 0.0) & (force[1:] > 0.0) & (run.time[1:] > 0.0)]
        apart = [t for t in begun if all(abs(t - each) > 2 * OUTPUT for each in struck)]
        return sorted(struck + apart)


def _strikes(time: np.ndarray, gap: np.ndarray, times: Sequence[float]) -> list[Strike]:
    """With the speed of the last whole interval before each: a free hammer loses 5 mm/s in one."""
    before = [max(int(np.searchsorted(time, each)) - 1, 1) for each in times]
    speeds = [(gap[i - 1] - gap[i]) / (time[i] - time[i - 1]) for i in before]
    return [Strike(each, float(speed)) for each, speed in zip(times, speeds, strict=True)]


LABORATORIES: dict[str, Callable[..., PressLaboratory]] = {
    "full contact": PressLaboratory,
    "modes": PressLaboratoryWithModes,
}
