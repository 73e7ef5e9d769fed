"""Plans by optimisation: direct collocation on the tape's own equations, solved by IPOPT.

States at knots and inputs there are unknown at once; between two knots states are cubic and meet
the equations of motion in the middle too (Hermite–Simpson: Hargraves and Paris 1987), so that
defects are of fourth order in the time between knots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.fleet.planning.plan import Plan
from touchback.interop import to_casadi
from touchback.interop.operations.operation import needed
from touchback.numbers import positive_number, shown, whole_within
from touchback.recording import unknown_name
from touchback.simulate.features import refuse
from touchback.simulate.start import read_state
from touchback.system import State, System
from touchback.system.reading import by_name, read_array, read_number

Number = TypeVar("Number")  # casadi's


def collocate(
    system: System,
    x0: State | ArrayLike,
    duration: float,
    cost: Callable[[Mapping[str, Number]], Number],
    *,
    end: Mapping[str, float] | None = None,
    knots: int = 41,
    guess: ArrayLike | None = None,
) -> Plan:
    """The inputs from a state on that cost least over a duration [s], with states that are wanted
    at the `end` by name; needs casadi (extra `casadi`).

    `cost(at)` is that of a knot, over casadi's expressions: states and inputs by name. Inputs stay
    within the ranges of the model and are linear between knots. `guess` has states at the knots,
    (knots, states); without it they go straight from x0 to the end."""
    refuse("tb.rollout", system)
    if system.constrained or system.modes:
        raise InputError(
            f"{system.name}: tb.fleet.collocate knows neither constraints nor modes; shoot with "
            "tb.rollout and its gradients, or sample with tb.fleet.MPPI."
        )
    casadi = needed("tb.fleet.collocate", "casadi")
    duration = positive_number("duration", duration)
    count = whole_within("knots must be a whole number of at least 3", knots, 3, 100_000)
    start, wanted = read_state(system, x0), _wanted(system, end)
    if not system.input_names:
        raise InputError(f"{system.name}: it has no inputs that could be planned.")
    h, problem = duration / (count - 1), casadi.Opti()
    X = problem.variable(len(start), count)
    U = problem.variable(len(system.input_names), count)
    _move(problem, _rate(system), X, U, h)
    weights = np.full(count, h)
    weights[[0, -1]] *= 0.5
    at = (_named(system, X[:, k], U[:, k]) for k in range(count))
    total: Any = sum(weight * cost(each) for weight, each in zip(weights, at, strict=True))
    problem.minimize(total)
    problem.subject_to(X[:, 0] == start)
    last = start.copy()
    for name, value in wanted.items():
        place = system.state_names.index(name)
        problem.subject_to(X[place, count - 1] == value)
        last[place] = value
    for i, known in enumerate(system.layout.input_ranges):
        low = -np.inf if known.min is None else known.min
        high = np.inf if known.max is None else known.max
        problem.subject_to(problem.bounded(low, U[i, :], high))
    first = np.linspace(start, last, count) if guess is None else read_array("guess", guess)
    if first.shape != (count, len(start)) or not np.isfinite(first).all():
        raise InputError(
            f"guess: finite numbers of shape {(count, len(start))} are expected, a row of states "
            f"for each knot, got {shown(guess)}."
        )
    problem.set_initial(X, first.T)
    problem.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    try:
        found = problem.solve()
    except RuntimeError as error:
        raise SolveError(
            f"{system.name}: IPOPT found no plan ({problem.stats()['return_status']}); give it "
            "longer, more knots, or a guess."
        ) from error
    values = np.asarray(found.value(U)).reshape(len(system.input_names), count).T
    times = np.linspace(0.0, duration, count)
    return Plan(tuple(system.input_names), times, values, float(found.value(total)))


def _wanted(system: System, end: Mapping[str, float] | None) -> dict[str, float]:
    found = {}
    for name, value in by_name("end", end).items():
        if name not in system.state_names:
            raise unknown_name("state", name, system.state_names)
        number = read_number(f"end: '{name}'", value)
        if not np.isfinite(number):
            raise InputError(f"end: '{name}' must be a finite number, got {shown(value)}.")
        found[name] = number
    return found


def _move(problem: Any, rate: Callable[[Any, Any, Any], Any], X: Any, U: Any, h: float) -> None:
    """Lets states at knots `h` seconds apart follow each other."""
    for k in range(X.shape[1] - 1):
        a, b, u, w = X[:, k], X[:, k + 1], U[:, k], U[:, k + 1]
        fa, fb = rate(a, u, k * h), rate(b, w, (k + 1) * h)
        middle = rate(0.5 * (a + b) + h / 8 * (fa - fb), 0.5 * (u + w), (k + 0.5) * h)
        problem.subject_to(b - a == h / 6 * (fa + 4 * middle + fb))


def _rate(system: System) -> Callable[[Any, Any, Any], Any]:
    function = to_casadi(system, "rate")
    nq, nv, _ = system.sizes

    def rate(x: Any, u: Any, t: Any) -> Any:
        return function(q=x[:nq], v=x[nq : nq + nv], z=x[nq + nv :], u=u, t=t)["result"]

    return rate


class _Knot(dict[str, Any]):
    """States and inputs by name."""

    def __missing__(self, name: str) -> Any:
        raise unknown_name("state or input", name, list(self))


def _named(system: System, x: Any, u: Any) -> _Knot:
    states = {name: x[i] for i, name in enumerate(system.state_names)}
    return _Knot(states | {name: u[i] for i, name in enumerate(system.input_names)})
