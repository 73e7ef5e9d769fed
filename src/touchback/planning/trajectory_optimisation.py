"""Plans by optimisation: direct collocation and multiple shooting. States and inputs at knots are
unknown at once; how those of two neighbours belong together, and what the motion between them
costs, is the method's own. IPOPT solves it, on the tape's equations over casadi's numbers.

Collocation: between two knots states are cubic and meet the equations of motion in the middle too
(Hermite–Simpson: Hargraves and Paris 1987), so that defects are of fourth order in the time between
knots. Shooting: from each knot the mechanism is run to the next one, which it has to meet (Bock and
Plitt 1984); its steps may be finer than knots are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from touchback import State, System, to_casadi
from touchback.callback_signature import check_takes
from touchback.errors import InputError, SolveError
from touchback.interop import needed, rk4_step
from touchback.names import unknown_name
from touchback.numbers import by_name, positive_number, read_array, read_number, shown, whole_within
from touchback.planning.input_plan import Plan
from touchback.simulate import read_state, refuse

Duration = float | tuple[float, float]  # [s]; a pair is the range in which it is looked for


_TOLERANCE = 1e-9  # of IPOPT: neither knots nor steps are that fine


@dataclass(frozen=True)
class Flow:
    """`rate(x, u, t)` is ẋ, and `cost(x, u)` what a second there costs."""

    rate: Callable[[Any, Any, Any], Any]
    cost: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Piece:
    """The way between two knots: the `longest` that it may take, and over casadi's numbers states
    and inputs at both, when it begins, and how long it takes."""

    longest: float
    a: Any
    b: Any
    u: Any
    w: Any
    t: Any
    h: Any


class Method(Protocol):
    """What a piece leaves open of the motion, to be made 0, and what it costs."""

    def __call__(self, flow: Flow, piece: Piece, /) -> tuple[Any, Any]: ...


def optimise_plan(
    call: str,
    system: System,
    x0: State | ArrayLike,
    duration: Duration,
    cost: Callable[[Mapping[str, Any]], Any],
    end: Mapping[str, float] | None,
    knots: int,
    guess: ArrayLike | None,
    method: Method,
) -> Plan:
    """The plan that costs least, as `collocate` and `shoot` tell."""
    refuse(call, system, like="tb.rollout")
    if system.modes:
        raise InputError(
            f"{system.name}: {call} knows no modes; sample with tb.planning.MPPI, or follow the "
            "gradients of tb.rollout."
        )
    casadi = needed(call, "casadi")
    least, most = _duration(duration)
    count = whole_within("knots must be a whole number of at least 3", knots, 3, 100_000)
    start, wanted = read_state(system, x0), _wanted(system, end)
    if not system.input_names:
        raise InputError(f"{system.name}: it has no inputs that could be planned.")
    first = _first(start, wanted, system, count, guess)
    problem = casadi.Opti()
    X = problem.variable(len(start), count)
    U = problem.variable(len(system.input_names), count)
    T = problem.variable() if least < most else casadi.MX(most)
    made = _piece(casadi, system, cost, method, most / (count - 1))
    h = casadi.repmat(T / (count - 1), 1, count - 1)
    gaps, spent = made.map(count - 1)(
        X[:, :-1], X[:, 1:], U[:, :-1], U[:, 1:], casadi.DM(range(count - 1)).T * h, h
    )
    total = casadi.sum2(spent)
    problem.minimize(total)
    problem.subject_to(casadi.vec(gaps) == 0)
    problem.subject_to(X[:, 0] == start)
    for name, value in wanted.items():
        problem.subject_to(X[system.state_names.index(name), count - 1] == value)
    low, high = _limits(system)
    for i in range(len(low)):
        problem.subject_to(problem.bounded(low[i], U[i, :], high[i]))
    if least < most:
        problem.subject_to(problem.bounded(least, T, most))
        problem.set_initial(T, 0.5 * (least + most))
    problem.set_initial(X, first.T)
    found = _solved(system, problem)
    values = np.asarray(found.value(U)).reshape(len(system.input_names), count).T
    values = np.clip(values, low, high)  # which IPOPT keeps to its tolerance
    times = np.linspace(0.0, float(found.value(T)), count)
    return Plan(tuple(system.input_names), times, values, float(found.value(total)))


def _piece(
    casadi: Any,
    system: System,
    cost: Callable[[Mapping[str, Any]], Any],
    method: Method,
    longest: float,
) -> Any:
    """What the method makes of a piece, as one function, which is the same of all."""
    function, (nq, nv, nz) = to_casadi(system, "rate"), system.sizes
    sizes = (nq + nv + nz, len(system.input_names))

    def rate(x: Any, u: Any, t: Any) -> Any:
        return function(q=x[:nq], v=x[nq : nq + nv], z=x[nq + nv :], u=u, t=t)["result"]

    x, u = (casadi.MX.sym(*each) for each in zip("xu", sizes, strict=True))
    second = casadi.Function("cost", [x, u], [_cost_of(casadi, cost, _named(system, x, u))])
    counts = (sizes[0], sizes[0], sizes[1], sizes[1], 1, 1)
    at = [casadi.MX.sym(*each) for each in zip("abuwth", counts, strict=True)]
    found = method(Flow(rate, second), Piece(longest, *at))
    return casadi.Function("piece", at, list(found))


def _cost_of(casadi: Any, cost: object, at: Mapping[str, Any]) -> Any:
    """What a second costs, as casadi's expression."""
    sentence = "cost: a function of states and inputs by name is expected, which gives one number"
    if not callable(cost):
        raise InputError(f"{sentence}, got {shown(cost)}.")
    check_takes("cost: the function", cost, ["states and inputs by name"])
    given = cost(at)
    try:
        found = casadi.MX(given)
    except NotImplementedError:  # of what is no expression
        found = None
    if found is None or not found.is_scalar():
        raise InputError(f"{sentence}, and it gave {shown(given)}.")
    return found


def _solved(system: System, problem: Any) -> Any:
    quiet = {"print_level": 0, "sb": "yes", "tol": _TOLERANCE}
    problem.solver("ipopt", {"print_time": False, "show_eval_warnings": False}, quiet)
    try:
        return problem.solve()
    except RuntimeError as error:
        raise SolveError(
            f"{system.name}: IPOPT found no plan ({problem.stats()['return_status']}); give it "
            "longer, more knots, or a guess."
        ) from error


# ---- what is asked ------------------------------------------------------------------------------


def _duration(given: Duration) -> tuple[float, float]:
    if not isinstance(given, tuple | list):
        number = positive_number("duration", given)
        return number, number
    if len(given) != 2 or not read_number("duration", given[0]) < read_number("duration", given[1]):
        raise InputError(
            f"duration: seconds, or a pair (least, most) to look between, got {shown(given)}."
        )
    return positive_number("duration", given[0]), positive_number("duration", given[1])


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


def _limits(system: System) -> tuple[np.ndarray, np.ndarray]:
    known = system.layout.input_ranges
    low = [-np.inf if each.min is None else each.min for each in known]
    return np.array(low), np.array([np.inf if each.max is None else each.max for each in known])


def _first(
    start: np.ndarray,
    wanted: Mapping[str, float],
    system: System,
    count: int,
    guess: ArrayLike | None,
) -> np.ndarray:
    """States at the knots from which the search begins: straight to the end, if nobody knows
    better."""
    last = start.copy()
    for name, value in wanted.items():
        last[system.state_names.index(name)] = value
    first = np.linspace(start, last, count) if guess is None else read_array("guess", guess)
    if first.shape != (count, len(start)) or not np.isfinite(first).all():
        raise InputError(
            f"guess: finite numbers of shape {(count, len(start))} are expected, a row of states "
            f"for each knot, got {shown(guess)}."
        )
    return first


class _Knot(dict[str, Any]):
    """States and inputs by name."""

    def __missing__(self, name: str) -> Any:
        raise unknown_name("state or input", name, list(self))


def _named(system: System, x: Any, u: Any) -> _Knot:
    states = {name: x[i] for i, name in enumerate(system.state_names)}
    return _Knot(states | {name: u[i] for i, name in enumerate(system.input_names)})


Number = TypeVar("Number")  # casadi's


def collocate(
    system: System,
    x0: State | ArrayLike,
    duration: Duration,
    cost: Callable[[Mapping[str, Number]], Number | float],
    *,
    end: Mapping[str, float] | None = None,
    knots: int = 41,
    guess: ArrayLike | None = None,
) -> Plan:
    """The inputs from a state on that cost least over a duration [s], with states that are wanted
    at the `end` by name; needs casadi (extra `casadi`).

    `cost(at)` is what a second costs, over casadi's expressions: states and inputs by name. Its
    integral is made small; a cost of 1 is time, and a duration (least, most) is looked for between
    these. Inputs stay within the ranges of the model and are linear between knots. `guess` has
    states at the knots, (knots, states); without it they go straight from x0 to the end.
    Mechanisms with constraints are `shoot`'s."""
    if isinstance(system, System) and system.constrained and not system.modes:
        raise InputError(
            f"{system.name}: tb.planning.collocate knows no constraints, which knots alone don't "
            "keep; use tb.planning.shoot with short steps."
        )
    return optimise_plan(
        "tb.planning.collocate", system, x0, duration, cost, end, knots, guess, _hermite_simpson
    )


def _hermite_simpson(flow: Flow, at: Piece) -> tuple[Any, Any]:
    h = at.h
    fa, fb = flow.rate(at.a, at.u, at.t), flow.rate(at.b, at.w, at.t + h)
    x, u = 0.5 * (at.a + at.b) + h / 8 * (fa - fb), 0.5 * (at.u + at.w)
    left_open = at.b - at.a - h / 6 * (fa + 4 * flow.rate(x, u, at.t + h / 2) + fb)
    cost = flow.cost(at.a, at.u) + 4 * flow.cost(x, u) + flow.cost(at.b, at.w)
    return left_open, h / 6 * cost


_SLIVER = 1e-9  # of a step


_MOST = 10_000  # steps, each of which casadi has to write down


def shoot(
    system: System,
    x0: State | ArrayLike,
    duration: Duration,
    cost: Callable[[Mapping[str, Number]], Number | float],
    *,
    end: Mapping[str, float] | None = None,
    knots: int = 41,
    step: float = 0.02,
    guess: ArrayLike | None = None,
) -> Plan:
    """What `collocate` gives, by shooting: equal RK4 steps of at most `step` seconds from each knot
    to the next, along which the cost is integrated too. Constraints are held by Baumgarte's
    stabilisation, as in `tb.rollout`, for which steps have to be short (5e-3)."""
    h = positive_number("step", step)

    def steps(flow: Flow, piece: Piece) -> tuple[Any, Any]:
        if piece.longest / h > _MOST:
            raise InputError(
                f"step: {h:g} s makes {piece.longest / h:.3g} steps from one knot to the next, and "
                f"at most {_MOST} can be; give a longer one, or more knots."
            )
        return _steps(flow, piece, max(1, int(np.ceil(piece.longest / h - _SLIVER))))

    return optimise_plan("tb.planning.shoot", system, x0, duration, cost, end, knots, guess, steps)


def _steps(flow: Flow, at: Piece, count: int) -> tuple[Any, Any]:
    """As many from one knot on; the cost so far is one state more."""
    import casadi

    def rate(t: Any, x: Any) -> Any:
        u = at.u + (at.w - at.u) * ((t - at.t) / at.h)
        return casadi.vertcat(flow.rate(x[:-1], u, t), flow.cost(x[:-1], u))

    x, h = casadi.vertcat(at.a, 0.0), at.h / count
    for k in range(count):
        x = rk4_step(rate, h, at.t + k * h, x)
    return at.b - x[:-1], x[-1]
