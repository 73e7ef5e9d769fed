"""Plans by direct collocation.

Between two knots states are cubic and meet the equations of motion in the middle too
(Hermite–Simpson: Hargraves and Paris 1987), so that defects are of fourth order in the time between
knots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.planning.optimum import Duration, Flow, Piece, optimum
from touchback.planning.plan import Plan
from touchback.system import State, System

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
    return optimum(
        "tb.planning.collocate", system, x0, duration, cost, end, knots, guess, _hermite_simpson
    )


def _hermite_simpson(flow: Flow, at: Piece) -> tuple[Any, Any]:
    h = at.h
    fa, fb = flow.rate(at.a, at.u, at.t), flow.rate(at.b, at.w, at.t + h)
    x, u = 0.5 * (at.a + at.b) + h / 8 * (fa - fb), 0.5 * (at.u + at.w)
    left_open = at.b - at.a - h / 6 * (fa + 4 * flow.rate(x, u, at.t + h / 2) + fb)
    cost = flow.cost(at.a, at.u) + 4 * flow.cost(x, u) + flow.cost(at.b, at.w)
    return left_open, h / 6 * cost
