"""Plans by multiple shooting: from each knot the mechanism is run to the next one, which it has to
meet (Bock and Plitt 1984). Unlike those of collocation, steps may be finer than knots are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.interop.operations.casadi_function import rk4_step
from touchback.numbers import positive_number
from touchback.planning.optimum import Duration, Flow, Piece, optimum
from touchback.planning.plan import Plan
from touchback.system import State, System

Number = TypeVar("Number")  # casadi's
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

    return optimum("tb.planning.shoot", system, x0, duration, cost, end, knots, guess, steps)


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
