"""The exits of a mode: as events of a run whose steps adapt, beside the user's own events, or from
the log of fixed steps, which take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from touchback.native import Chunks, EventRule, Events, Problem, Status
from touchback.native.modes.data import Crossed
from touchback.native.modes.memory import MOST
from touchback.native.modes.modes import Modes
from touchback.simulate.event import Event
from touchback.simulate.modes.chattering import MEND, described
from touchback.simulate.modes.tale import Tale
from touchback.simulate.protocol import Floats, Settle
from touchback.simulate.span import Failure
from touchback.simulate.watch import Running, Sides, Unwatched, Watch, check_events
from touchback.symbolic.expression import Expr
from touchback.system import System

AHEAD = 1e-8  # seconds by which is seen whether an indicator comes back
_LOCKING = 1e-9  # seconds: an exit is taken once, so that this hardly matters
CHUNK = 64  # fixed steps between looks at the log


class ExitWatch(Watch):
    """Looks for the exits of a mode after `Modes.fires` has judged them; `exit` is the one that
    ended the run (−1: none), and `error` how well it was located."""

    def __init__(
        self,
        system: System,
        problem: Problem,
        modes: Modes,
        mode: int,
        events: Sequence[Event],
        parameters: Mapping[str, Any] | None,
        tolerances: tuple[float, float],
        samples: int,
        sides: Sides,
        consistent: Settle | None,
    ) -> None:
        check_events(events)
        self._exits = [each.direction for each in modes.data.modes[mode].exits]
        self._modes, self._mode, self._events = modes, mode, list(events)
        self._names, self._problem = list(system.state_names), problem
        rules = [EventRule(direction, True, _LOCKING) for direction in self._exits]
        rules += [EventRule(e.direction, e.terminal or bool(e.restart), e.locking) for e in events]
        functions = [_callable(system, problem, event, parameters) for event in events]
        indicators = modes.indicators(mode) if self._exits else None
        self.native = Events(
            problem,
            rules,
            indicators,
            problem.p,
            functions,
            *tolerances,
            samples,
            watched=len(self._exits),
        )
        self.records, self._sides, self._consistent = [], sides, consistent
        self._first = len(self._exits)
        self.exit, self.error = -1, 0.0

    def start(self, t: float, x: Floats) -> None:
        """Reads on which side the initial state is. An indicator that has only just left zero is
        first read a little later, lest the same crossing be found again."""
        super().start(t, x)
        self.native.lock(self._modes.waiting(self._mode), t + AHEAD)

    def follow(self, run: Running, status: Status) -> bool:
        """As of any run; an exit ends it."""
        found = self.native.take()
        for i, crossing in enumerate(found):
            if crossing.index < 0:
                self._give_up(self._events[-1 - crossing.index - len(self._exits)], crossing.time)
                break
            if crossing.index < len(self._exits):
                self.exit, self.error = crossing.index, crossing.error
                continue
            event = self._events[crossing.index - len(self._exits)]
            last = status == Status.EVENT and i == len(found) - 1
            self._note(run, event, crossing, last)
        return self.ended is None and self.failure is None and self.exit < 0


class LogWatch(Unwatched):
    """Reads the log of fixed steps that take transitions themselves; `cross` gets each of them."""

    def __init__(
        self, modes: Modes, tale: Tale, cross: Callable[[Crossed], None], step: float
    ) -> None:
        self._modes, self._tale, self._cross, self._step = modes, tale, cross, step

    @property
    def chunks(self) -> Chunks:
        """The log holds as many steps."""
        return Chunks(CHUNK)

    def follow(self, run: Running, status: Status) -> bool:
        """Notes what was logged; False where the run can't go on."""
        for crossed in self._modes.take_log():
            self._cross(crossed)
            self._tale.note(crossed, None)
        if self._modes.chattering or self._modes.crowded(self._step):
            self.failure = Failure(run.t, described(self._tale.transitions[-MOST:]), MEND)
        elif self._modes.failed is not None:
            self.failure = self._tale.cannot_begin()
        return self.failure is None


def _callable(
    system: System, problem: Problem, event: Event, parameters: Mapping[str, Any] | None
) -> Callable[[float, Floats], float]:
    """An event's function of (t, x)."""
    if not isinstance(event.function, Expr | str):
        return event.function
    function, p = system.event_functions([event.function], parameters)
    x, out = np.zeros(problem.state_size), np.zeros(1)
    u = np.zeros(len(problem.u))
    call = function.bind(x, u, p, out)

    def value(t: float, state: Floats) -> float:
        x[:] = state
        u[:] = problem.input_rows(np.array([t]), state[None, :])[0]
        call()
        return float(out[0])

    return value
