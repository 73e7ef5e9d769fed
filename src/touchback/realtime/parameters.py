"""Live parameters: checked beside the run, swapped in at a tick, their energy booked."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.native.live import LiveLoop
from touchback.native.live_structs import SWAP_HEAD
from touchback.realtime.build import Plan, block_of, problem_of
from touchback.system import System

_REMEMBERED = 1000  # changes, for the report


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

    def __init__(self, system: System, loop: LiveLoop, plan: Plan) -> None:
        self._lock = threading.Lock()
        self._last = 0  # version
        self.changes = {0: Change(0, {**system.parameters, **plan.parameters}, 0, 0.0)}  # latest
        self.booked = 0.0
        self._begin(system, loop, plan, self.changes[0].values)

    def _begin(self, system: System, loop: LiveLoop, plan: Plan, values: dict[str, float]) -> None:
        self._system, self._loop, self._plan = system, loop, plan
        self._values = dict(values)
        self._taken = dict(values)  # what the run has at present
        self._twin, self._enforced = problem_of(system, plan.method, plan.constraints, values)

    # ---- another structure ----------------------------------------------------------------------

    def reserve(self) -> int:
        """A version for the parameters that another structure will start with."""
        with self._lock:
            return self._new({})

    def follow(self, system: System, loop: LiveLoop, plan: Plan, version: int) -> dict[str, float]:
        """Goes on with another structure, whose loop runs already; returns what it started with."""
        self.book()
        with self._lock:
            asked = self._values
            values = dict(zip(system.parameters, map(float, loop.parameters), strict=True))
            self._begin(system, loop, plan, values)
            self.changes[version] = Change(version, values)
            wanted = {name: asked.get(name, value) for name, value in values.items()}
            if wanted != values:  # asked for when the structure had changed already
                self._offer(wanted, self._block(wanted))
        return values

    @property
    def values(self) -> dict[str, float]:
        """The latest values asked for."""
        return dict(self._values)

    def change(self, name: str, value: float, time: float, state: np.ndarray) -> None:
        """Asks for a value from the next tick on; `state` is where the mechanism is about."""
        with self._lock:
            wanted = {**self._values, name: float(value)}
            block = self._block(wanted)
            self._check_closing(name, value, block, time, state)
            self._offer(wanted, block)

    def _block(self, wanted: dict[str, float]) -> np.ndarray:
        return block_of(self._system, self._plan.method, self._plan.constraints, wanted)

    def _offer(self, wanted: dict[str, float], block: np.ndarray) -> None:
        self._values = wanted
        self._loop.offer(block, self._new(wanted))

    def _new(self, values: dict[str, float]) -> int:
        """Another version."""
        self._last += 1
        self.changes[self._last] = Change(self._last, values)
        return self._last

    def _check_closing(
        self, name: str, value: float, block: np.ndarray, time: float, state: np.ndarray
    ) -> None:
        """Loops must still close: tried on a twin of the run's problem."""
        if self._enforced is None or self._twin.stepper:
            return
        self._twin.p[:] = block[: len(self._twin.p)]
        before = self._enforced.constrained.statistics["not_converged"]
        settled = self._enforced.settled(time, state)
        after = self._enforced.constrained.statistics["not_converged"]
        if after > before or not np.isfinite(settled).all():
            raise InputError(
                f"Parameter '{name}': with {value} the loops don't close from where the mechanism "
                "is; change it in smaller steps."
            )

    def book(self) -> None:
        """Notes the changes that ticks have taken over since the last call, with their energy."""
        n = self._loop.sizes[1]
        with self._lock:
            for row in self._loop.drain_swaps():
                version, tick, refused = (int(number) for number in row[:3])
                time = float(row[3])
                before, after = row[SWAP_HEAD : SWAP_HEAD + n], row[SWAP_HEAD + n :]
                values = self.changes[version].values
                energy = 0.0
                if refused:
                    self._values = dict(self._taken)
                else:
                    stored = self._system.stored_energy
                    energy = stored(after, values, time) - stored(before, self._taken, time)
                    self._taken = values
                    self.booked += energy
                self.changes[version] = Change(version, values, tick, energy, bool(refused))

    def forget(self) -> None:
        """Lets go of old changes; to be called when a recording has them."""
        with self._lock:
            old = self._last - _REMEMBERED
            for version in [each for each in self.changes if each < old]:
                del self.changes[version]
