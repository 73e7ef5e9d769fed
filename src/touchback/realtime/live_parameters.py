"""Live parameters: checked beside the run, swapped in at a tick, their energy booked."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from touchback.errors import InputError
from touchback.native import SWAP_HEAD
from touchback.native.live.live_loop import LiveLoop
from touchback.native.live.structure_swap import PARAMETERS
from touchback.numbers import number_within
from touchback.realtime.live_spec import LiveSpec, block_between, block_of
from touchback.realtime.model_swap import Pending
from touchback.system import System

LONGEST = 600.0  # seconds


_STEPS = 1000.0  # a second: at higher rates a step is of several ticks


_WAITING = 255  # steps that may wait for their ticks, at most


Way = dict[str, float]


@dataclass(frozen=True)
class Ramp:
    """From a value to another one in so many steps, of which some are done."""

    begin: float
    end: float
    steps: int
    done: int = 0

    def stepped(self) -> Ramp:
        """A step further."""
        return Ramp(self.begin, self.end, self.steps, self.done + 1)

    @property
    def value(self) -> float:
        """Where it is; in the end exactly there."""
        if self.done >= self.steps:
            return self.end
        return self.begin + self.done / self.steps * (self.end - self.begin)


@dataclass(frozen=True)
class _Moment:
    """Values asked for and ramps on their way."""

    values: Way
    ramps: dict[str, Ramp]


@dataclass
class Ramps:
    """The ramps of a run's parameters, and which of their steps wait for their ticks."""

    active: dict[str, Ramp] = field(default_factory=dict)
    # of each step that was offered: what was before it
    _before: list[_Moment] = field(default_factory=list)

    @staticmethod
    def stride(rate: float) -> int:
        """Ticks between steps."""
        return max(1, math.ceil(rate / _STEPS))

    def begin(self, values: Way, wanted: Way, seconds: float, rate: float) -> None:
        """Ramps from values to those that are wanted."""
        steps = max(1, round(seconds * rate / self.stride(rate)))
        for name, end in wanted.items():
            self.active[name] = Ramp(values[name], end, steps)

    def next(self, values: Way) -> Way:
        """The values a step further; without a ramp as they are."""
        if not self.active:
            return values
        self._before = [*self._before[-_WAITING:], _Moment(values, self.active)]
        moved = {name: ramp.stepped() for name, ramp in self.active.items()}
        self.active = {name: ramp for name, ramp in moved.items() if ramp.done < ramp.steps}
        return {**values, **{name: ramp.value for name, ramp in moved.items()}}

    def pull_back(self, loop: LiveLoop, values: Way) -> Way:
        """Takes back the steps that no tick has taken; the values of the last one that was."""
        if not self._before:
            return values
        count = min(loop.withdraw(), len(self._before))
        if count:
            moment = self._before[-count]
            values, self.active = moment.values, moment.ramps
        self._before = []
        return values

    def end(self) -> None:
        """Ends all of them where they are."""
        self.active, self._before = {}, []

    def recent(self) -> Way:
        """Where those end, or ended, whose steps may still wait for their ticks."""
        begun = {name: ramp.end for each in self._before for name, ramp in each.ramps.items()}
        return {**begun, **self.targets}

    @property
    def targets(self) -> Way:
        """Where they end."""
        return {name: ramp.end for name, ramp in self.active.items()}


def read_seconds(name: str, seconds: float) -> float:
    """The seconds of a ramp; refuses what none can take."""
    sentence = f"Parameter '{name}': a ramp takes 0 to {LONGEST:g} s of the model's time"
    return number_within(sentence, seconds, 0.0, LONGEST)


_REMEMBERED = 1000  # changes, for the report


_RAMPED = 192  # changes of which ramps are ahead of what was kept, at most


_CROWD = 256  # changes that may wait to be written and booked; fewer than the loop notes


BOOKED_AT_ONCE = 16  # changes, between two looks at the ring of ticks


_NEAR, _LEAST_PART = 0.05, 1.0 / 4096  # as in live.h


@dataclass(frozen=True, slots=True)
class Change:
    """Parameters as they are from a tick on, and the energy [J] that the change put into the
    mechanism (None when no tick has taken it over)."""

    version: int
    values: dict[str, float]
    tick: int | None = None
    energy: float | None = None
    refused: bool = False


class LiveParameters:
    """The parameters of one run; the system's own are left alone."""

    def __init__(self, system: System, loop: LiveLoop, spec: LiveSpec) -> None:
        self._lock = threading.Lock()
        self._last = 0  # version
        self.changes = {0: Change(0, {**system.parameters, **spec.parameters}, 0, 0.0)}  # latest
        self._taken = dict(self.changes[0].values)  # what the run has, as far as is booked
        self.booked = 0.0
        self._kept = 0  # version up to which a recording has them
        # What ticks have noted and nobody has booked: with the system that it was noted of, and
        # for another structure what it began with.
        self._noted: deque[tuple[System, np.ndarray | dict[str, float]]] = deque()
        self._ramps, self._complaints = Ramps(), list[str]()
        self._begin(system, loop, spec, self.changes[0].values)

    def _begin(
        self, system: System, loop: LiveLoop, spec: LiveSpec, values: dict[str, float]
    ) -> None:
        self._system, self._loop, self._spec = system, loop, spec
        self._values = dict(values)
        # whatever the formulation of the run, one that keeps positions tells where loops can go
        self._twin = system.problem(parameters=values, clocked=True)

    # ---- another structure ----------------------------------------------------------------------

    def reserve(self) -> int:
        """A version for the parameters that another structure will start with."""
        with self._lock:
            return self._new({})

    def follow(self, taken: Pending) -> Change:
        """Goes on with another structure, whose loop runs already; returns what it started with.
        Its ticks wait to be kept: what is still to be booked is booked after it."""
        system, loop, version = taken.system, taken.loop, int(taken.loop.struct.version)
        with self._lock:
            self._values = self._ramps.pull_back(self._loop, self._values)
            self._collect()
            asked, old, new = self._values, list(self._system.parameters), list(system.parameters)
            values = dict(zip(new, map(float, loop.parameters), strict=True))
            self._begin(system, loop, taken.spec, values)
            self._noted.append((system, values))
            started = self.changes[version] = Change(version, values)
            moves = taken.carried["to_parameters"]  # a name may be that of another coordinate now
            late = {new[to]: asked[old[at]] for kind, at, to in moves if kind == PARAMETERS}
            wanted = {**values, **late}
            if wanted != values:  # asked for when the structure had changed already
                self._offer(wanted, self._block(wanted))
            for name in [each for each in self._ramps.active if each not in wanted]:
                del self._ramps.active[name]
            self._fill()
        return started

    @property
    def values(self) -> dict[str, float]:
        """The latest values asked for; of ramps where they end."""
        return {**self._values, **self._ramps.targets}

    def change(
        self, values: Mapping[str, float], time: float, state: np.ndarray, seconds: float = 0.0
    ) -> None:
        """Asks for values from the next tick on, or along a ramp; `state` is where the mechanism is
        about."""
        with self._lock:
            self._values = self._ramps.pull_back(self._loop, self._values)
            try:
                goal = {**self._values, **self._ramps.targets, **values}
                block = self._block(goal)
                self._check_closing(next(iter(values)), goal, time, state)
                if seconds > 0.0:
                    self._ramps.begin(self._values, dict(values), seconds, self._spec.rate)
                else:
                    for name in values:
                        self._ramps.active.pop(name, None)
                    wanted = self._ramps.next({**self._values, **values})
                    self._offer(wanted, block if wanted == goal else self._block(wanted))
            finally:
                self._fill()

    def fill(self) -> None:
        """Offers what comes next of ramps, as far as there is room."""
        if self._ramps.active:
            with self._lock:
                self._fill()

    def _fill(self) -> None:
        stride = self._ramps.stride(self._spec.rate)
        while self._ramps.active and self._loop.room and self._last - self._kept < _RAMPED:
            wanted = self._ramps.next(self._values)
            block = block_between(self._spec, _in_order(self._system, wanted))
            self._loop.offer_more(block, self._new(wanted), stride)
            self._values = wanted

    @property
    def ticks_prepared(self) -> int | None:
        """Of ramps, how many ticks are prepared; None without any."""
        if not self._ramps.active:
            return None
        return max(1, int(self._loop.struct.queue_count) * self._ramps.stride(self._spec.rate))

    def complaints(self) -> list[str]:
        """Which ramps ended before their ends, in words; once."""
        with self._lock:
            told, self._complaints = self._complaints, []
        return told

    def _block(self, wanted: dict[str, float]) -> np.ndarray:
        return block_of(self._spec, wanted)

    def _offer(self, wanted: dict[str, float], block: np.ndarray) -> None:
        self._values = wanted
        self._loop.offer(block, self._new(wanted))

    def _new(self, values: dict[str, float]) -> int:
        """Another version."""
        self._last += 1
        self.changes[self._last] = Change(self._last, values)
        return self._last

    def _check_closing(
        self, name: str, wanted: dict[str, float], time: float, state: np.ndarray
    ) -> None:
        """Loops must close all the way, each on its branch: followed on a twin of the run's problem
        as the tick will do it (live/parameters.c)."""
        if self._twin.solving is None:
            return
        present = dict(zip(self._system.parameters, map(float, self._loop.parameters)))
        begin, end = map(self._system.parameter_block, (present, wanted))
        nq = len(self._system.layout.q)
        self._twin.problem.p[:] = begin
        state = self._twin.settled(time, state)  # it may be of a tick before the present values
        done, part = 0.0, 1.0
        while done < 1.0:
            ahead = min(done + part, 1.0)
            self._twin.problem.p[:] = end if ahead == 1.0 else begin + ahead * (end - begin)
            failures = self._twin.statistics["not_converged"]
            settled = self._twin.settled(time, state)
            open_still = self._twin.statistics["not_converged"] - failures
            moved = np.abs(settled[:nq] - state[:nq])
            if not open_still and np.all(moved <= _NEAR):
                state, done, part = settled, ahead, 2.0 * part
                continue
            part = 0.5 * min(part, 1.0 - done)
            if part < _LEAST_PART:
                raise self._cannot_follow(
                    name, (present[name], wanted[name]), done, None if open_still else moved
                )

    def _cannot_follow(
        self, name: str, way: tuple[float, float], done: float, moved: np.ndarray | None
    ) -> InputError:
        """What stops a change at a part of its way."""
        was, value = way
        why = "open"
        if moved is not None and np.isfinite(moved).all():
            place = int(np.argmax(moved))
            why = f"jump to another branch ('{self._system.layout.q[place]}' by {moved[place]:.3g})"
        return InputError(
            f"Parameter '{name}': from {was:g} to {value:g} the loops don't close all the way from "
            f"where the mechanism is: beyond about {was + done * (value - was):.6g} they {why}. "
            "Change it less, or bring the mechanism elsewhere first."
        )

    @property
    def last(self) -> int:
        """The latest version."""
        return self._last

    @property
    def is_full(self) -> bool:
        """Whether so many changes, or ticks, wait to be kept that no other change may come."""
        swaps = self._loop.struct.swaps
        noted = int(swaps.written - swaps.read) + len(self._noted)
        return max(noted, self._last - self._kept) >= _CROWD or self._loop.filled > 0.5

    def values_at(self, version: int) -> dict[str, float]:
        """The parameters of a version that ticks have; of a forgotten one the latest."""
        change = self.changes.get(version)
        return change.values if change is not None and change.values else self.values

    def check_room(self, name: str) -> None:
        """Refuses a change that could cost rows of the recording."""
        if self.is_full:
            raise InputError(
                f"Parameter '{name}': {self._last - self._kept} changes and "
                f"{100 * self._loop.filled:.0f} % of all ticks that can wait to be recorded do; "
                "change it less often."
            )

    def _collect(self) -> None:
        """Takes over what ticks have noted: quickly, for ticks may not wait."""
        self._noted.extend((self._system, row) for row in self._loop.drain_swaps())

    def book(self, most: int | None = None) -> bool:
        """Notes the changes that ticks have taken over, with their energy: all, or at most so many.
        Returns whether there are more."""
        with self._lock:
            self._collect()
            count = len(self._noted) if most is None else min(most, len(self._noted))
            for _ in range(count):
                self._book(*self._noted.popleft())
            return bool(self._noted)

    def _book(self, system: System, noted: np.ndarray | dict[str, float]) -> None:
        if isinstance(noted, dict):
            self._taken = noted
            return
        n = (len(noted) - SWAP_HEAD) // 2
        version, tick, refused = (int(number) for number in noted[:3])
        time = float(noted[3])
        before, after = noted[SWAP_HEAD : SWAP_HEAD + n], noted[SWAP_HEAD + n :]
        values = self.changes[version].values
        energy = 0.0
        if refused:
            for name, end in self._ramps.recent().items():
                if name in values and values[name] != self._taken.get(name, values[name]):
                    self._complaints.append(
                        f"parameter '{name}' stays at {self._taken[name]:.6g} on its way to "
                        f"{end:.6g}: the loops can't follow it from where the mechanism is"
                    )
            self._ramps.end()
            self._values = dict(self._taken)
        else:
            stored = system.stored_energy
            then, was = (_in_order(system, each) for each in (values, self._taken))
            energy = stored(after, then, time) - stored(before, was, time)
            self._taken = values
            self.booked += energy
        self.changes[version] = Change(version, values, tick, energy, bool(refused))

    def report(self) -> list[dict[str, object]]:
        """The latest changes that ticks have taken, for the report."""
        return [
            {"tick": change.tick, "energy": change.energy, "values": change.values}
            for change in list(self.changes.values())
            if change.version and change.tick is not None and not change.refused
        ]

    def forget(self, kept: int) -> None:
        """Lets go of old changes; to be called when a recording has those up to a version."""
        with self._lock:
            self._kept = kept
            self._collect()
            old = self._last - _REMEMBERED
            for _, noted in self._noted:  # the oldest that is still to be booked
                if not isinstance(noted, dict):
                    old = min(old, int(noted[0]))
                    break
            for version in [each for each in self.changes if each < old]:
                del self.changes[version]


def _in_order(system: System, values: Mapping[str, float]) -> np.ndarray:
    """All parameters of a system, as its functions take them."""
    return np.array([values[name] for name in system.layout.parameters], dtype=float)
