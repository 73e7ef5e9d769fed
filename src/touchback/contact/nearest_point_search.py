"""A start for tracking: values that fulfil the algebraic system (5), from a guess."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

import numpy as np

from touchback.contact.surface_tracking import Nearest, Side, Tracking
from touchback.contact.surfaces import Surface, ValueOf, has_hidden
from touchback.errors import InputError, ModelError, SolveError
from touchback.model import Operators
from touchback.numbers import Scalar

_STEPS = 60  # of Newton's method
_DROPS = 30  # steps down the gradient onto a surface
_HALVINGS = 12
_EXACT = 1e-12  # residual over the size of what it is made of
_ROUNDED = 1e-9  # the same, where numbers far apart in size let it fall no further
_FLAT = 1e-10  # of a relative curvature, over the largest


def _float(x: Scalar) -> float:
    return float(x)


def find_nearest(
    a: Side,
    b: Side,
    guess: Sequence[float],
    hidden: tuple[float, float] = (0.0, 0.0),
    value: ValueOf = _float,
) -> Nearest:
    """The points of two surfaces that are nearest to each other, near `guess`, a point [m] along
    world axes (and guesses of hidden coordinates). Floats in, floats out; `value` gives what
    expressions in the surfaces are worth.

    Newton's method begins at the guess moved onto both surfaces; where it ends nowhere, or at
    points that aren't nearest, it begins again from points that have slid towards each other."""
    point = _point(a, b, guess)
    tracking = Tracking(Operators(), value, a, b)
    dropped = _dropped(tracking, point, hidden)
    try:
        return _solved(tracking, dropped, point)
    except SolveError as first:
        for start in better_starts(tracking, dropped, partial(_onto, tracking)):
            with suppress(SolveError):
                return _solved(tracking, start, point)
        raise first from None


def _point(a: Side, b: Side, guess: Sequence[float]) -> list[float]:
    for side in (a, b):
        if not isinstance(side.surface, Surface):
            raise ModelError(
                f"Nearest points: {side.surface!r} is no surface; give one such as Ball(0.1)."
            )
    try:
        point = [float(x) for x in guess]
    except (TypeError, ValueError):
        point = []
    if len(point) != 3 or not all(map(math.isfinite, point)):
        raise InputError(
            f"{_label(a, b)}the guess is {guess!r}; give three numbers, a point [m] near to where "
            "they touch."
        )
    return point


def _solved(tracking: Tracking, at: Nearest, point: list[float]) -> Nearest:
    """Newton's method from a start; a residual that rounding doesn't let fall further is one of a
    solution too."""
    best, least = at, math.inf
    for _ in range(_STEPS):
        left = _norm(tracking, at)
        if left < least:
            best, least = at, left
        if left <= _EXACT:
            break
        at = _better(tracking, at, left)
    if least > _ROUNDED:
        raise SolveError(_label(tracking.a, tracking.b) + _failure(tracking, best, point))
    _check_nearest(tracking, best)
    last = tracking.newton(best)  # one more step: to rounding
    return last if _norm(tracking, last) <= least else best


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


def _check_nearest(tracking: Tracking, at: Nearest) -> None:
    """Refuse a solution where the surfaces don't face each other or aren't nearest."""
    label = _label(tracking.a, tracking.b)
    if not _float(at.ratio) < 0.0:
        raise SolveError(
            f"{label}their normals point the same way at the points found (λ = "
            f"{_float(at.ratio):.3g}): these are not the facing ones. Give a guess between the two."
        )
    A, B = (np.array([[_float(x) for x in row] for row in C]) for C in tracking.curvatures(at))
    relative = np.linalg.eigvalsh(A + B)
    largest = float(np.abs(relative).max())
    if largest == 0.0 or float(np.abs(relative).min()) <= _FLAT * largest:
        raise SolveError(
            f"{label}they share a flat direction, so that many points are nearest; tracking needs "
            "surfaces that touch in one point."
        )
    if relative[0] < 0.0 or _focus_between(A, B, _float(tracking.normal(at)[1])):
        raise SolveError(
            f"{label}the points found are farthest, or on a saddle (relative curvatures "
            f"{relative[0]:.3g} and {relative[1]:.3g} 1/m); give a guess nearer to the contact."
        )


def _focus_between(A: np.ndarray, B: np.ndarray, gap: float) -> bool:
    """Whether det(A + B + s A B), whose zeros are distances at which nearest points cease to be so,
    has one between s = 0, where the surfaces touch, and the gap."""
    linear = float(np.linalg.det(A + B + A @ B) - np.linalg.det(A + B) - np.linalg.det(A @ B))
    roots = np.roots([float(np.linalg.det(A @ B)), linear, float(np.linalg.det(A + B))])
    shares = roots[np.isreal(roots)].real / gap if gap else np.zeros(0)
    return bool(np.any((shares > 0.0) & (shares <= 1.0)))


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


Onto = Callable[[Side, list[float], float], tuple[list[float], float]]
Place = tuple[np.ndarray, float]  # a point and its hidden coordinate
Gain = tuple[np.ndarray, Callable[[np.ndarray], float]]  # where to go, and what falls on the way
_ROUNDS = 25
_LEAST = 0.01  # part of a step below which it is given up
_SLOW = 1e-6  # part by which a round must gain


# Better starts where Newton's method fails from a guess: points that slide along their surfaces.
# Two ways, each with steps that shrink until something is gained: *towards each other*, by which
# the distance falls, for bodies that are apart; and *down the other's level*, by which each point
# goes deepest into the other body, for bodies that overlap.
def better_starts(tracking: Tracking, at: Nearest, onto: Onto) -> Iterator[Nearest]:
    """Starts to try after the points of `at`; `onto` moves a point onto a surface."""
    for way in (_towards, _down):
        on_a: Place = (np.array(at.on_a, dtype=float), float(at.hidden_a))
        on_b: Place = (np.array(at.on_b, dtype=float), float(at.hidden_b))
        for _ in range(_ROUNDS):
            before = np.concatenate([on_a[0], on_b[0]])
            on_a = _slid(tracking, tracking.a, tracking.b, on_a, on_b, onto, way)
            on_b = _slid(tracking, tracking.b, tracking.a, on_b, on_a, onto, way)
            moved = float(np.abs(np.concatenate([on_a[0], on_b[0]]) - before).max())
            if moved <= _SLOW * float(np.linalg.norm(on_a[0] - on_b[0])):
                break
        yield tracking.guess(on_a[0].tolist(), on_b[0].tolist(), on_a[1], on_b[1])


def _slid(
    tracking: Tracking,
    own: Side,
    other: Side,
    here: Place,
    there: Place,
    onto: Onto,
    way: Callable[[Tracking, Side, np.ndarray, Place], Gain],
) -> Place:
    """A point moved along its own surface as far as that gains something."""
    step, value = way(tracking, other, here[0], there)
    normal = _normal(tracking, own, here)
    step = step - (step @ normal) * normal
    now, share = value(here[0]), 1.0
    while share >= _LEAST and np.isfinite(step).all():
        try:
            point, hidden = onto(own, (here[0] + share * step).tolist(), here[1])
        except SolveError:  # no normal on the way
            share /= 2
            continue
        if value(np.array(point)) < now:
            return np.array(point), hidden
        share /= 2
    return here


def _towards(tracking: Tracking, other: Side, here: np.ndarray, there: Place) -> Gain:
    """All the way to the other point; the distance falls."""
    return there[0] - here, lambda point: float(np.linalg.norm(point - there[0]))


def _down(tracking: Tracking, other: Side, here: np.ndarray, there: Place) -> Gain:
    """Against the gradient of the other's level, as far as to its point; the level falls."""

    def level(point: np.ndarray) -> float:
        found = float(tracking.surface_at(other, point.tolist(), there[1]).g)
        return found if math.isfinite(found) else math.inf

    far = float(np.linalg.norm(there[0] - here))
    return -far * _normal(tracking, other, (here, there[1])), level


def _normal(tracking: Tracking, side: Side, at: Place) -> np.ndarray:
    N = np.array([float(x) for x in tracking.surface_at(side, at[0].tolist(), at[1]).N])
    with np.errstate(all="ignore"):
        return N / np.linalg.norm(N)
