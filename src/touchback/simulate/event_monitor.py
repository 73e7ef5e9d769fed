"""The events of one run: handed to the integrator, followed, and kept by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from touchback.callback_signature import check_takes
from touchback.errors import InputError, SolveError
from touchback.native import Chunks, Crossing, EventRule, Events, Problem, Status
from touchback.numbers import LEAST, MOST, Floats, keep, number_within, shown
from touchback.recording import EventRecord
from touchback.simulate.run_protocols import Numbers, Settle
from touchback.simulate.time_span import Failure
from touchback.system import Expr, System

Restart = Callable[[float, Floats], ArrayLike]


@dataclass(frozen=True)
class Event:
    """An instant at which a function changes its sign.

    `function` is an expression of the model, the name of a state, input or sensor, that of a
    compliant contact (its gap), or a Python function f(t, x) of the time and the state
    x = [q, v, z]. `direction` +1 wants it rising, −1 falling, 0 both. A `terminal` event ends the
    run; a `restart` function gets (t, x) and gives the state from which the run goes on: an impact,
    a switch. For `locking` seconds after an event the
    same event can't happen again.
    """

    name: str
    function: Expr | str | Callable[[float, Floats], float]
    direction: int = 0
    terminal: bool = False
    restart: Restart | None = None
    locking: float = 1e-9

    def __post_init__(self) -> None:
        if not isinstance(self.function, Expr | str) and not callable(self.function):
            raise InputError(
                f"Event {self.name!r}: an expression of the model, the name of a signal or a "
                f"function of (t, x) is expected, got {shown(self.function)}."
            )
        for word, function in (("function", self.function), ("restart", self.restart)):
            if callable(function):
                check_takes(f"Event {self.name!r}: its {word}", function, ["t", "x"])
        if self.direction not in (-1, 0, 1):
            raise InputError(
                f"Event {self.name!r}: direction is +1 (rising), -1 (falling) or 0 (both), "
                f"got {shown(self.direction)}."
            )
        sentence = f"Event {self.name!r}: locking must be a positive number of seconds"
        keep(self, locking=number_within(sentence, self.locking, LEAST, MOST))
        if self.terminal and self.restart is not None:
            raise InputError(
                f"Event {self.name!r} is terminal and has a restart: leave one of them away."
            )

    @property
    def compiled(self) -> bool:
        """Whether its function becomes part of the compiled model."""
        return isinstance(self.function, Expr | str)


Sides = dict[str, tuple[int, float]]  # of events by name, as `Events.side` tells


class RestartableRun(Protocol):
    """A run that can go on from another state."""

    @property
    def t(self) -> float: ...
    @property
    def x(self) -> Floats: ...
    def restart(self, x: ArrayLike) -> None: ...


class Monitor(Protocol):
    """Who looks at a run between chunks of its steps. `native` is what looks at each step, `ended`
    the terminal event that ended the run, if one did; `failure` tells why it can't go on. A run
    whose steps adapt takes none that is longer than `longest` [s], and lets `record` see what it
    has recorded."""

    @property
    def native(self) -> Events | None: ...
    @property
    def ended(self) -> Event | None: ...
    @property
    def failure(self) -> Failure | None: ...
    @property
    def chunks(self) -> Chunks: ...
    @property
    def longest(self) -> float: ...
    def start(self, t: float, x: Floats) -> None: ...
    def record(self, times: Floats, states: Floats) -> None: ...
    def follow(self, run: RestartableRun, status: Status) -> bool: ...


class NoMonitor:
    """Nobody looks: a run goes its own way."""

    native: Events | None = None
    ended: Event | None = None
    failure: Failure | None = None
    longest = np.inf

    def __init__(self) -> None:
        self.records: list[EventRecord] = []

    @property
    def chunks(self) -> Chunks:
        """How many steps to take between looks."""
        return Chunks()

    def start(self, t: float, x: Floats) -> None:
        """Nothing is read."""

    def leave(self, sides: Sides) -> None:
        """Nothing is told."""

    def record(self, times: Floats, states: Floats) -> None:
        """Nothing is kept."""

    def follow(self, run: RestartableRun, status: Status) -> bool:
        """It may go on."""
        return True


class EventMonitor(NoMonitor):
    """Looks for events along a run. `ended` is the terminal event that ended it, if one did;
    `failure` tells of a function that was no number, or that raised."""

    native: Events

    def __init__(
        self,
        system: System,
        problem: Problem,
        events: Sequence[Event],
        parameters: Numbers | None,
        tolerances: tuple[float, float],
        samples: int,
        sides: Sides,
        consistent: Settle | None,
    ) -> None:
        check_events(events)
        self._events = sorted(events, key=lambda event: not event.compiled)
        self._names, self._problem = list(system.state_names), problem
        function, p = None, np.zeros(0)
        if compiled := [e.function for e in self._events if isinstance(e.function, Expr | str)]:
            function, p = system.event_functions(compiled, parameters)
        self.native = Events(
            problem,
            [EventRule(e.direction, e.terminal or e.restart is not None, e.locking)
             for e in self._events],
            function, p,
            [e.function for e in self._events if not isinstance(e.function, Expr | str)],
            *tolerances, samples, watched=0,
        )  # fmt: skip
        self.records, self._sides, self._first, self._consistent = [], sides, 0, consistent

    def start(self, t: float, x: Floats) -> None:
        """Reads on which side the initial state is. Where the run has jumped to it, events are
        still on the side from which it came: those that the jump took through zero happen there."""
        self.native.start(t, x)
        for i, event in enumerate(self._events, self._first):
            if event.name in self._sides:
                self.native.go_on(i, self._sides[event.name])
        if isinstance(self.native.raised, Exception):  # before anything was recorded
            raise InputError(f"{self._raised()}; correct the function.") from self.native.raised

    def leave(self, sides: Sides) -> None:
        """Tells on which sides events are where this part of a run ends."""
        for i, event in enumerate(self._events, self._first):
            sides[event.name] = self.native.side(i)

    def follow(self, run: RestartableRun, status: Status) -> bool:
        """Notes what was found and restarts the run where it shall; False when it has to end."""
        crossings = self.native.take()
        for i, crossing in enumerate(crossings):
            if crossing.index < 0:
                self._give_up(self._events[-1 - crossing.index], crossing.time)
                break
            last = status == Status.EVENT and i == len(crossings) - 1
            self._note(run, self._events[crossing.index], crossing, last)
        return self.ended is None and self.failure is None

    def _note(self, run: RestartableRun, event: Event, crossing: Crossing, last: bool) -> None:
        """Keeps an event; the `last` of a step that it ended also acts."""
        after = None
        if last and event.terminal:
            self.ended = event
        elif last and event.restart is not None:
            after = self._restarted(event, crossing.time, crossing.state)
            if after is not None:
                run.restart(after)
                after = run.x
        self.records.append(
            EventRecord(
                event.name, crossing.time, crossing.direction, self._named(crossing.state),
                crossing.error, None if after is None else self._named(after),
            )
        )  # fmt: skip

    def _give_up(self, event: Event, t: float) -> None:
        raised = self.native.raised
        what = f"the function of event {event.name!r} is no number from there on"
        if raised is not None:
            what = self._raised()
        self.failure = Failure(t, what, "correct the function", raised)
        if raised is not None and not isinstance(raised, Exception):
            self._problem.raised = raised  # Ctrl-C, or an exit

    def _raised(self) -> str:
        raised = self.native.raised
        return f"an event function raised {type(raised).__name__} ({raised})"

    def _restarted(self, event: Event, t: float, x: Floats) -> Floats | None:
        """The state to go on from; None, and a failure, where there is none."""
        try:
            given = event.restart(t, x.copy()) if event.restart else x
            after = np.array(given, dtype=np.float64)
        except Exception as error:
            self._unfit(event, t, error)
            return None
        if after.shape != x.shape or not np.isfinite(after).all():
            what = f"the restart of event {event.name!r} returned {given!r}"
            self.failure = Failure(t, what, f"return a state of {len(x)} finite numbers")
            return None
        try:
            return self._consistent(t, after) if self._consistent else after
        except SolveError as error:
            self._unfit(event, t, error)
            return None

    def _unfit(self, event: Event, t: float, error: Exception) -> None:
        what = f"the restart of event {event.name!r} raised {type(error).__name__} ({error})"
        self.failure = Failure(t, what, "correct the restart", error)

    def _named(self, x: Floats) -> dict[str, float]:
        return dict(zip(self._names, map(float, x), strict=True))


def check_events(events: Sequence[Event]) -> None:
    """Refuses events that share a name."""
    names = [event.name for event in events]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"Two events are called {name!r}; give each its own name.")
