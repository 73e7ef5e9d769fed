"""Curves through points whose ordinates may be live: straight between, and on beyond the ends."""

from collections.abc import Sequence
from itertools import pairwise

from touchback import maximum
from touchback.errors import FieldError
from touchback.model import number
from touchback.numbers import Scalar, shown


def check_curve(label: str, **axes: Sequence[object]) -> None:
    """Refuse abscissae, the first of both by name, that don't rise, and another number of
    ordinates."""
    (first, x), (second, y) = axes.items()
    for name, axis in axes.items():
        if not isinstance(axis, tuple | list):
            raise FieldError(f"{label}: its {name} is {shown(axis)}; give a row of them.", (name,))
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


def _bends(x: Sequence[float], y: Sequence[Scalar], at: Scalar) -> list[tuple[Scalar, Scalar]]:
    """By how much the slope changes at each point but the last, and how far `at` is beyond it; the
    first has no slope before it and no end."""
    slopes = [(y[i + 1] - y[i]) * (1.0 / (x[i + 1] - x[i])) for i in range(len(x) - 1)]
    bends = [
        (after - before, maximum(at - knot, 0.0))
        for (before, after), knot in zip(pairwise(slopes), x[1:], strict=False)
    ]
    return [(slopes[0], at - x[0]), *bends]


def curve(x: Sequence[float], y: Sequence[Scalar], at: Scalar) -> Scalar:
    """The ordinate at `at`: y₀ + Σ b_i c_i, with changes of slope b_i and the ways c_i beyond."""
    found: Scalar = y[0]
    for bend, way in _bends(x, y, at):
        found = found + bend * way
    return found


def area(x: Sequence[float], y: Sequence[Scalar], at: Scalar) -> Scalar:
    """The integral from x₀ to `at`: y₀ c₀ + Σ b_i c_i²/2."""
    found: Scalar = y[0] * (at - x[0])
    for bend, way in _bends(x, y, at):
        found = found + 0.5 * bend * way * way
    return found
