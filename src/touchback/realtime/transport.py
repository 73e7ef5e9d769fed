"""Transport of a live run: pause, single steps, speed, and another state to go on from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.native.live.layout import AT_REST, OF_THE_STATE
from touchback.numbers import whole_within
from touchback.realtime.build import settled_near
from touchback.realtime.ending import to_its_end
from touchback.realtime.plan import read_speed
from touchback.realtime.taking import Taking
from touchback.simulate.initial_state import read_state
from touchback.system import State

_MOST_STEPS = 1_000_000  # that may be asked for at once


class Transport(Taking):
    """A run that can be paused, stepped, slowed down and put elsewhere."""

    _paused, _rests = False, 0  # as somebody asked, and how many need a rest for a while

    def pause(self) -> None:
        """The model rests from the next tick on and guarded outputs go to their safe values, until
        `go`. Its time stands still, which makes no tick late. Parameters, structures and states
        that are asked for meanwhile are taken, and single ticks made by `step`."""
        self._check_clocked("pause")
        self._rest(0, paused=True)
        self._wait(lambda: bool(int(self.read("flags")) & AT_REST))

    def go(self) -> None:
        """Goes on after `pause`; guarded outputs come back along their soft starts."""
        self._check_clocked("go")
        self._rest(0, paused=False)

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Lets the model rest within a `with` block, so that what is measured there still holds at
        the tick that changes it; then it goes on, or stays paused where somebody paused it before
        or meanwhile. A `go` meanwhile acts at the end of the block."""
        self._check_clocked("resting")
        self._rest(1)
        try:
            self._wait(lambda: bool(int(self.read("flags")) & AT_REST))
            yield
        finally:
            self._rest(-1)

    def _rest(self, more: int, paused: bool | None = None) -> None:
        """One who needs a rest more or less, or what somebody asked for."""
        with self._rest_lock:
            self._rests += more
            self._paused = self._paused if paused is None else paused
            if self._state == "running":  # it may have ended within a rest
                self._loop.pause(self._paused or self._rests > 0)

    def step(self, ticks: int = 1, wait: bool = True) -> None:
        """So many ticks of a paused run, as fast as it goes, with outputs that stay safe; returns
        when they have happened, unless it is not to `wait`."""
        self._check_clocked("step")
        ticks = whole_within(f"A paused run makes 1 to {_MOST_STEPS} ticks", ticks, 1, _MOST_STEPS)
        if self.state != "paused":
            raise InputError("Single ticks are made while the live run is paused: `pause` it.")
        self._keeper.refuse_excess(ticks)
        statistics = self._loop.statistics
        goal = statistics.singles + ticks
        self._loop.single(ticks)
        if wait:
            self._wait(lambda: statistics.singles >= goal or self.state != "paused")

    def set_speed(self, speed: float) -> None:
        """How fast the model's time goes from the next tick on: 1.0 is real time, 0.1 a tenth."""
        self._check_clocked("set_speed")
        speed = read_speed(speed)
        with self.keeping:
            self.plan.speed, self._pace = speed, replace(self._pace, speed=speed)
            self._loop.set_speed(speed)
            self._keeper.keep_speed(self.ticks, speed)

    def place(self, state: State | ArrayLike) -> None:
        """Goes on from another state at the next tick: a jump, which the recording tells, so that a
        replay makes it too. The model's time, inputs and parameters stay as they are. Constraints
        are met first, as near as can be; a state from which they can't is refused.

        A clocked run returns when it has happened.
        """
        self._check_here()
        with self._place_lock:
            self._check_running()
            loop, refused = self._loop, self._loop.statistics.places_refused
            loop.place(self._consistent(read_state(self.system, state)))
            if self.plan.speed is None:
                return
            self._wait(lambda: not loop.placing or self._loop is not loop)
            if loop.placing or loop.statistics.places_refused != refused:
                why = "has another structure now" if loop.placing else "could not close its loops"
                raise SolveError(f"{self.system.name}: the state wasn't taken; the run {why}.")

    def reset(self) -> None:
        """Back to the state that the run started from, as `place` does it; what another structure
        has beside begins as its model says. Time goes on, parameters and inputs stay.

        A model that is held because its state became no number, ran away or left its constraints
        goes on from there. What else holds it, or its outputs, lasts until `resume`: an emergency
        stop, an output beyond its limits, a device that failed.
        """
        self._check_here()
        first = zip(self.system.state_names, self.system.initial_state().x)
        self.place(np.array([self._start.get(name, float(value)) for name, value in first]))
        if int(self.read("flags")) & OF_THE_STATE:
            self._loop.resume(OF_THE_STATE)  # an emergency stop that comes meanwhile lasts

    def _consistent(self, x: np.ndarray) -> np.ndarray:
        """A state that the constraints allow near one that may not be; refused without one."""
        for name, value in zip(self.system.state_names, x):
            if not np.isfinite(value):
                raise InputError(f"{self.system.name}: the state has {name!r} = {value}.")
        self.system.mode_of(x)  # refused when its modes have no such number
        plan = replace(self.plan, parameters=self._parameters.values)
        return settled_near(self.system, plan, self.read("time"), x)

    def _check_clocked(self, what: str) -> None:
        self._check_running()
        if self.plan.speed is None:
            raise InputError(
                f"{what}: a run as fast as possible (speed=None) has ticks only within `run`; give "
                "it a speed to pause, step and slow down."
            )

    def _wait(self, done: Callable[[], bool]) -> None:
        """Until the ticks have done something, or none will follow."""
        while not done() and self._first.struct.thread:
            to_its_end(self._drain)
            time.sleep(min(1e-3, 0.5 / self.plan.rate))
