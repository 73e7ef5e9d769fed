"""What filters, sensors and fits demand of numbers and records."""

import math

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.numbers import as_float, shown


def check_finite(what: str, **values: object) -> None:
    """Refuse what is no finite number."""
    for name, value in values.items():
        if not math.isfinite(as_float(value)):
            raise InputError(f"{what}: its {name} is {shown(value)}; give a finite number.")


def check_period(what: str, period: object) -> None:
    """Refuse a sampling period that is no time."""
    if not 0.0 < as_float(period) < math.inf:
        raise InputError(
            f"{what}: its period is {shown(period)} s; give the time between two samples."
        )


def series(what: str, least: int, **given: ArrayLike) -> list[np.ndarray]:
    """Records as arrays: of one length, at least so many samples, all of them finite."""
    try:
        found = {name: np.asarray(values, dtype=float) for name, values in given.items()}
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: {' and '.join(given)} must be series of numbers.") from None
    shapes = {array.shape for array in found.values()}
    (length, *more) = shapes.pop() or (0,)
    if shapes or more or length < least:
        told = ", ".join(f"{name} {array.shape}" for name, array in found.items())
        raise InputError(f"{what}: {told} must be series of one length, at least {least} samples.")
    for name, array in found.items():
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            raise InputError(
                f"{what}: {name} has {len(bad)} samples that are no finite numbers, the first at "
                f"{bad[0]}; leave these instants out."
            )
    return list(found.values())
