"""Better starts where Newton's method fails from a guess: points that slide along their surfaces.

Two ways, each with steps that shrink until something is gained: *towards each other*, by which the
distance falls, for bodies that are apart; and *down the other's level*, by which each point goes
deepest into the other body, for bodies that overlap."""

import math
from collections.abc import Callable, Iterator

import numpy as np

from touchback.contact.tracking import Nearest, Side, Tracking
from touchback.errors import SolveError

Onto = Callable[[Side, list[float], float], tuple[list[float], float]]
Place = tuple[np.ndarray, float]  # a point and its hidden coordinate
Gain = tuple[np.ndarray, Callable[[np.ndarray], float]]  # where to go, and what falls on the way
_ROUNDS = 25
_LEAST = 0.01  # part of a step below which it is given up
_SLOW = 1e-6  # part by which a round must gain


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
