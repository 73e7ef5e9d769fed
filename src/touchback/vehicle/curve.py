"""Curves through points whose ordinates may be live: straight between, and on beyond the ends."""

from collections.abc import Sequence
from itertools import pairwise

from touchback.errors import FieldError
from touchback.model.value import number
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum


def check_curve(label: str, **axes: Sequence[object]) -> None:
    """Refuse abscissae, the first of both by name, that don't rise, and another number of
    ordinates."""
    (first, x), (second, y) = axes.items()
    if len(x) < 2 or len(x) != len(y):
        raise FieldError(
            f"{label}: its {first} has {len(x)} numbers, its {second} {len(y)}; give as many of "
            "both, at least two.",
            (second,),
        )
    for i, (low, high) in enumerate(pairwise(number(f"{label}: {first}", each) for each in x)):
        if not low < high:
            raise FieldError(
                f"{label}: in its {first} {high:g} follows {low:g}; it must rise.", (first, i + 1)
            )


def _within(x: Sequence[float], at: Scalar) -> list[Scalar]:
    """How far `at` has come in each piece; the outer ones have no outer end."""
    found, last = [], len(x) - 2
    for i, (low, high) in enumerate(pairwise(x)):
        inside = at - low
        inside = inside if i == last else minimum(inside, high - low)
        found.append(inside if i == 0 else maximum(inside, 0.0))
    return found


def _slopes(x: Sequence[float], y: Sequence[Scalar]) -> list[Scalar]:
    return [(y[i + 1] - y[i]) * (1.0 / (x[i + 1] - x[i])) for i in range(len(x) - 1)]


def curve(x: Sequence[float], y: Sequence[Scalar], at: Scalar) -> Scalar:
    """The ordinate at `at`: y₀ + Σ m_i c_i, with slopes m_i and ways c_i in the pieces."""
    found: Scalar = y[0]
    for slope, way in zip(_slopes(x, y), _within(x, at), strict=True):
        found = found + slope * way
    return found


def area(x: Sequence[float], y: Sequence[Scalar], at: Scalar) -> Scalar:
    """The integral from x₀ to `at`: Σ y_i c_i + m_i c_i²/2."""
    found: Scalar = 0.0
    for start, slope, way in zip(y, _slopes(x, y), _within(x, at), strict=False):
        found = found + way * (start + 0.5 * slope * way)
    return found
