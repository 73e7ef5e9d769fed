"""Planning by sampling: a batch of rollouts along perturbed plans, averaged by what they cost.

Model predictive path integral control (Williams, Wagener, Goldfain, Drews, Rehg, Boots and
Theodorou 2017): of inputs u + ε with normal ε, those that cost S count with the weight exp(−(S −
min S)/λ). Here λ is a share of the spread of the costs, so that their unit doesn't matter, and ε is
drawn at knots and linear in between, so that plans are smooth.

Plans for a live run: a thread beside the tick plans anew from where the model is, and the inputs
follow the newest plan; the tick takes their last values from its mailboxes, as those of any device.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType

import numpy as np
from numpy.typing import ArrayLike

import touchback as tb
from touchback import Live, Run, State, System, simulate
from touchback.callback_signature import check_takes
from touchback.errors import InputError, SolveError, TouchbackError
from touchback.names import unknown_name
from touchback.numbers import (
    MOST_COUNTED,
    by_name,
    number_within,
    positive_number,
    shown,
    whole_within,
)
from touchback.planning.input_plan import Plan, Rollouts
from touchback.simulate import check_stored_size, refuse_model

_FEED = 250.0  # values a second that an input gets, at most


class Driving:
    """Plans until it is closed, as a context manager or by `close()`. An input whose plan has run
    out gets nothing more: watch it (`WatchedInput`), and it becomes safe. What the planner raises
    is a fault of the run. `plans` counts, `seconds` has how long each took."""

    def __init__(self, planner: MPPI, live: Live) -> None:
        self._planner, self._live = planner, live
        self._plan: Plan | None = None
        self.seconds: list[float] = []
        self.oldest = 0.0  # s of the model's time: the age of the oldest plan that was used
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="touchback planner", daemon=True)
        self._thread.start()
        rate = min(_FEED, live.spec.rate)
        self._feeds = [live.connect(name, _Feed(self, name), rate) for name in planner.names]

    @property
    def plans(self) -> int:
        """How many were made."""
        return len(self.seconds)

    def value(self, name: str) -> float | None:
        """An input now; None before the first plan and after the end of the last."""
        plan, now = self._plan, self._live.read("time")
        if plan is None or now > plan.times[-1]:
            return None
        self.oldest = max(self.oldest, now - float(plan.times[0]))
        return plan.at(now)[name]

    def close(self) -> None:
        """Ends the planning; the inputs stay where they are, or become safe."""
        self._closing.set()
        self._thread.join()
        self._plan = None
        for feed in self._feeds:
            feed.close()

    def __enter__(self) -> Driving:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __str__(self) -> str:
        if not self.seconds:
            return "no plan yet"
        middle, worst = np.percentile(self.seconds, [50, 100])
        return (
            f"{self.plans} plans, {1e3 * middle:.1f} ms each (the longest {1e3 * worst:.1f} ms); "
            f"the oldest that was followed was {1e3 * self.oldest:.0f} ms old"
        )

    def _work(self) -> None:
        names = self._planner.system.state_names
        while not self._closing.is_set():
            known, message = self._live.latest()
            at = dict(zip(known, message.values.tolist(), strict=True))
            began = time.perf_counter()
            try:
                self._plan = self._planner.plan(np.array([at[n] for n in names]), at["time"])
            except TouchbackError as error:
                self._live.fail(f"The planner: {error}")
                return
            self.seconds.append(time.perf_counter() - began)


class _Feed:
    """A device that reads an input from the newest plan."""

    def __init__(self, driving: Driving, name: str) -> None:
        self._driving, self._name = driving, name

    def read(self) -> float | None:
        """As devices do."""
        return self._driving.value(self._name)


_MOST_PLANS = 1_000_000  # of a run: hours


Cost = Callable[[Rollouts], np.ndarray]


class MPPI:
    """A planner of inputs.

    `cost(rollouts)` gives what each instance costs at each time, (instances, times), of states,
    sensors and planned inputs by name: its mean over the `horizon` [s] is made small. `spread` has
    the standard deviation of the noise of each planned input; others stay at their defaults, and
    all within the ranges of the model. A plan has so many `knots`; `samples` rollouts by RK4 steps
    of `step` [s] are looked at in each of `passes`. `temperature` is λ over the standard deviation
    of the costs: small ones follow the best rollouts alone."""

    def __init__(
        self,
        system: System,
        cost: Cost,
        spread: Mapping[str, float],
        *,
        horizon: float = 1.0,
        knots: int = 11,
        step: float = 0.01,
        samples: int = 256,
        passes: int = 1,
        temperature: float = 0.2,
        parameters: Mapping[str, float] | None = None,
        seed: int = 0,
    ) -> None:
        refuse_model("tb.planning.MPPI", system)
        if not callable(cost):
            raise InputError(
                "cost: a function of the rollouts is expected, what each costs at each time, got "
                f"{shown(cost)}."
            )
        check_takes("cost: the function", cost, ["the rollouts"])
        self.system, self.cost = system, cost
        self.horizon, self.step = positive_number("horizon", horizon), positive_number("step", step)
        if self.horizon < (1.0 - 1e-9) * self.step:
            raise InputError(
                f"horizon {horizon:g} s holds no step of {step:g} s; give a shorter step."
            )
        self._knots = whole_within("knots must be a whole number of at least 2", knots, 2, 10_000)
        count = whole_within("samples must be a whole number of at least 2", samples, 2, 1 << 24)
        self._passes = whole_within("passes must be a whole number above 0", passes, 1, 1000)
        sentence = "temperature must be above 0 and at most 100"
        self._temperature = number_within(sentence, temperature, 1e-9, 100.0)
        self._names, self._spread = _read_spread(system, spread)
        check_stored_size(
            "tb.planning.MPPI: noise of each sample", count, self._knots * len(self._names),
            "Take fewer samples or knots.",
        )  # fmt: skip
        ranges = [system.layout.input_ranges[system.layout.inputs.index(n)] for n in self._names]
        self._low = np.array([-np.inf if r.min is None else r.min for r in ranges])
        self._high = np.array([np.inf if r.max is None else r.max for r in ranges])
        self._batch, self._parameters = tb.batch.Batch(system, count), dict(parameters or {})
        sentence = "seed must be a whole number from 0 on"
        self._chance = np.random.default_rng(whole_within(sentence, seed, 0, MOST_COUNTED))
        self.newest: Plan | None = None

    def plan(self, x0: State | Mapping[str, ArrayLike] | ArrayLike, time: float = 0.0) -> Plan:
        """The inputs from a state at a time on, found from the plan before, as far as that went."""
        times = time + np.linspace(0.0, self.horizon, self._knots)
        for _ in range(self._passes):
            self.newest = self._better(x0, times)
        if self.newest is None:
            raise AssertionError("there is at least one pass")
        return self.newest

    def control(self, x0: State | ArrayLike, duration: float, every: float) -> Run:
        """A run of the system itself, offline, that plans anew `every` so many seconds and
        follows each plan so long."""
        return controlled(self, x0, duration, every)

    def drive(self, live: Live) -> Driving:
        """Plans for a live run of the system, in a thread beside its ticks, until it is closed."""
        return Driving(self, live)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the planned inputs."""
        return self._names

    def _better(self, x0: State | Mapping[str, ArrayLike] | ArrayLike, times: np.ndarray) -> Plan:
        defaults = [self.system.input_defaults[self.system.layout.inputs.index(n)]
                    for n in self._names]  # fmt: skip
        before = np.tile(np.array(defaults), (len(times), 1))
        if self.newest is not None:
            before = self.newest.over(times)
        noise = self._chance.normal(size=(self._batch.count, len(times), len(self._names)))
        noise[0] = 0.0  # the plan as it was
        tried = np.clip(before + noise * self._spread, self._low, self._high)
        costs = self._costs(x0, times, tried)
        best = float(costs.min())
        if not np.isfinite(best):
            raise SolveError(
                f"{self.system.name}: none of {len(costs)} rollouts stayed finite for "
                f"{self.horizon:g} s with a finite cost; take a shorter step than {self.step:g} s, "
                "less spread, or a cost that is finite."
            )
        worse = costs - best
        finite = np.isfinite(worse)
        worse /= worse[finite].max() or 1.0  # whatever costs are measured in, squares have a size
        width = self._temperature * float(np.std(worse[finite]))
        weights = np.exp(-worse / max(width, 1e-300))
        mean = np.tensordot(weights / weights.sum(), tried, axes=1)
        return Plan(self._names, times, mean, best)

    def _costs(
        self, x0: State | Mapping[str, ArrayLike] | ArrayLike, times: np.ndarray, tried: np.ndarray
    ) -> np.ndarray:
        """Of each instance; infinite where it didn't last."""
        inputs = {name: tried[:, :, i] for i, name in enumerate(self._names)}
        run = self._batch.run(
            x0, self.horizon, step=self.step, inputs=inputs, parameters=self._parameters,
            start=float(times[0]), progress=False,
        )  # fmt: skip
        signals = {name: run[name] for name in run.signals}
        fed = {name: _between(run.time, times, given) for name, given in inputs.items()}
        with np.errstate(all="ignore"):
            each = np.asarray(self.cost(Rollouts(run.time, signals, fed)), dtype=float)
        if each.shape != (len(run), len(run.time)):
            raise InputError(
                f"cost: {len(run)} instances at {len(run.time)} times are expected, got shape "
                f"{each.shape}."
            )
        with np.errstate(over="ignore"):
            total = each.mean(axis=1)
        return np.where(np.isfinite(total) & run.whole, total, np.inf)


def controlled(planner: MPPI, x0: State | ArrayLike, duration: float, every: float) -> Run:
    """A run that follows one plan after the other."""
    every = positive_number("every", every)
    duration = positive_number("duration", duration)
    if duration / every > _MOST_PLANS:
        raise InputError(
            f"every: {duration:g} s with a plan each {every:g} s takes {duration / every:.3g} "
            f"plans, of which there may be {_MOST_PLANS}; plan each {duration / _MOST_PLANS:.2g} s "
            "or more seldom."
        )
    count = max(1, math.ceil(duration / every - 1e-9))
    ends = np.minimum(np.arange(1, count + 1) * every, duration)  # the last plan is cut short
    x: State | ArrayLike = x0
    rows: list[Run] = []
    for k in range(count):
        plan = planner.plan(x, k * every)
        so_long = float(round(ends[k] - k * every, 12))
        times = np.union1d(plan.times, [k * every, ends[k]])
        inputs = {n: (times, column) for n, column in zip(plan.names, plan.over(times).T)}
        run = simulate(
            planner.system, x, so_long, method="rk4", step=min(planner.step, so_long),
            inputs=inputs, start=k * every, parameters=planner._parameters, progress=False,
        )  # fmt: skip
        rows.append(run)
        x = np.array([run[name][-1] for name in planner.system.state_names])
    first = rows[0]
    parts = [slice(0 if k == 0 else 1, None) for k in range(count)]
    time = np.concatenate([run.time[part] for run, part in zip(rows, parts)])
    signals = {
        name: np.concatenate([run[name][part] for run, part in zip(rows, parts)]) for name in first
    }
    return Run(time, signals, first.units, {"model": planner.system.name, "method": "MPPI"})


def _between(times: np.ndarray, knots: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rows of values at knots, linear in between, at other times."""
    place = (times - knots[0]) / (knots[1] - knots[0])
    left = np.clip(np.floor(place).astype(int), 0, len(knots) - 2)
    share = np.clip(place - left, 0.0, 1.0)
    return np.asarray(values[:, left] * (1.0 - share) + values[:, left + 1] * share)


def _read_spread(system: System, given: Mapping[str, float]) -> tuple[tuple[str, ...], np.ndarray]:
    read = by_name("spread", given, "standard deviations")
    if not read:
        raise InputError("spread: name at least one input that is planned, with its noise.")
    for name in read:
        if name not in system.input_names:
            raise unknown_name("input", name, system.input_names)
    sizes = [positive_number(f"spread of '{name}'", x) for name, x in read.items()]
    return tuple(read), np.array(sizes)
