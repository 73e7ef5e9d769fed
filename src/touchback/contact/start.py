"""A start for tracking: values that fulfil the algebraic system (5), from a guess."""

import math
from typing import Any

import numpy as np

from touchback.contact.surfaces.base import has_hidden
from touchback.contact.tracking import Nearest, Side, Tracking
from touchback.errors import SolveError
from touchback.symbolic.scalars import Operators

_STEPS = 60  # of Newton's method
_DROPS = 30  # steps down the gradient onto a surface
_HALVINGS = 12
_EXACT = 1e-12  # residual over the size of what it is made of
_FLAT = 1e-10  # of a relative curvature, over the largest


def find_nearest(a: Side, b: Side, guess: Any, hidden: tuple[float, float] = (0.0, 0.0)) -> Nearest:
    """The points of two surfaces that are nearest to each other, near `guess`, a point [m] along
    world axes (and guesses of hidden coordinates). Floats in, floats out."""
    tracking = Tracking(Operators(), float, a, b)
    point = [float(x) for x in guess]
    at = _dropped(tracking, point, hidden)
    for _ in range(_STEPS):
        left = _norm(tracking, at)
        if left <= _EXACT:
            return tracking.newton(_checked(tracking, at))  # one more step: to rounding
        at = _better(tracking, at, left)
    raise SolveError(_label(a, b) + _failure(tracking, at, point))


def numbers(at: Nearest) -> np.ndarray:
    """P_A, P_B, λ, μ and the hidden coordinates, in this order."""
    listed = [*at.on_a, *at.on_b, at.ratio, at.reach, at.hidden_a, at.hidden_b]
    return np.array(listed, dtype=float)


def _dropped(tracking: Tracking, point: list[float], hidden: tuple[float, float]) -> Nearest:
    """The guess moved onto both surfaces, with the λ and μ that fit best."""
    on_a = _onto(tracking, tracking.a, point, hidden[0])
    on_b = _onto(tracking, tracking.b, point, hidden[1])
    return tracking.guess(on_a[0], on_b[0], on_a[1], on_b[1])


def _onto(
    tracking: Tracking, side: Side, point: list[float], hidden: float
) -> tuple[list[float], float]:
    r, w = np.array(point), hidden
    for _ in range(_DROPS):
        for _ in range(3 if has_hidden(side.surface) else 0):
            w = _float(tracking.refined_on(side, r.tolist(), w))
        here = tracking.surface_at(side, r.tolist(), w)
        slope = np.array([_float(x) for x in here.N])
        square = float(slope @ slope)
        if not math.isfinite(square) or square == 0.0:
            raise SolveError(
                f"Nearest points: the surface {_name(side)} has no normal at the guess "
                f"({', '.join(f'{x:g}' for x in point)}); give a point nearer to where they touch."
            )
        step = _float(here.g) / square * slope
        r = r - step
        if float(np.abs(step).max()) <= 1e-14 * (1.0 + float(np.abs(r).max())):
            break
    return r.tolist(), w


def _better(tracking: Tracking, at: Nearest, left: float) -> Nearest:
    """A step of Newton's method, halved until the residual falls."""
    now, then = numbers(at), numbers(tracking.newton(at))
    share = 1.0
    for _ in range(_HALVINGS):
        tried = _nearest(now + share * (then - now))
        found = _norm(tracking, tried)
        if found < left:
            return tried
        share /= 2
    return _nearest(then) if np.isfinite(then).all() else at


def _norm(tracking: Tracking, at: Nearest) -> float:
    """The largest residual of (5), each over the size of its terms; infinite where there is
    none."""
    at = tracking.refined(at)
    found = np.array([_float(x) for x in tracking.residual(at)])
    A, B = tracking.both(at)
    N_a, N_b = (float(np.linalg.norm([_float(x) for x in side.N])) for side in (A, B))
    points = numbers(at)[:6]
    size = 1.0 + float(np.abs(points).max()) if np.isfinite(points).all() else math.inf
    scales = np.array([N_a] * 3 + [size] * 3 + [N_a * size, N_b * size])
    with np.errstate(all="ignore"):
        worst = float(np.max(np.abs(found) / scales))
    return worst if math.isfinite(worst) else math.inf


def _checked(tracking: Tracking, at: Nearest) -> Nearest:
    """The solution, if the surfaces face each other there and are nearest."""
    label = _label(tracking.a, tracking.b)
    if not _float(at.ratio) < 0.0:
        raise SolveError(
            f"{label}their normals point the same way at the points found (λ = "
            f"{_float(at.ratio):.3g}): these are not the facing ones. Give a guess between the two."
        )
    M = np.array([[_float(x) for x in row] for row in tracking.stiffness(at)])
    curvatures = np.linalg.eigvalsh((M + M.T) / 2)
    largest = float(np.abs(curvatures).max())
    if largest == 0.0 or abs(float(curvatures[0])) <= _FLAT * largest:
        raise SolveError(
            f"{label}they share a flat direction, so that many points are nearest; tracking needs "
            "surfaces that touch in one point."
        )
    if float(curvatures[0]) < 0.0:
        raise SolveError(
            f"{label}the points found are farthest, or on a saddle (relative curvatures "
            f"{curvatures[0]:.3g} and {curvatures[1]:.3g}); give a guess nearer to the contact."
        )
    return at


def _failure(tracking: Tracking, at: Nearest, point: list[float]) -> str:
    shown = ", ".join(f"{x:g}" for x in point)
    return (
        f"from the guess ({shown}) Newton's method leaves {_norm(tracking, at):.2g} after {_STEPS} "
        "steps (wanted 1e-12); give a guess nearer to where they touch."
    )


def _label(a: Side, b: Side) -> str:
    return f"Nearest points of {_name(a)} and {_name(b)}: "


def _name(side: Side) -> str:
    return type(side.surface).__name__


def _nearest(x: np.ndarray) -> Nearest:
    ratio, reach, hidden_a, hidden_b = x[6:].tolist()
    return Nearest(x[:3].tolist(), x[3:6].tolist(), ratio, reach, hidden_a, hidden_b)


def _float(x: Any) -> float:
    return float(x)
