"""A function of the one calling convention applied to many rows, and how long its calls take."""

from typing import NamedTuple

import numpy as np

from touchback.errors import InputError
from touchback.native.interruptible_chunks import slices
from touchback.native.shared_library import LIB, Floats, address_of, aligned_zeros, as_floats


class Timing(NamedTuple):
    """Seconds per call: the best and the median of the repeats."""

    min: float
    median: float


def _row_count(**arrays: Floats) -> int:
    """The common number of rows; an array with one row, or one dimension, serves every call."""
    counts = {name: len(array) for name, array in arrays.items() if array.ndim == 2}
    longest = max(counts.values(), default=1)
    for name, count in counts.items():
        if count not in (1, longest):
            raise InputError(f"{name} has {count} rows where the others have {longest}.")
    return longest


def _stride(array: Floats) -> int:
    return array.shape[1] if array.ndim == 2 and len(array) > 1 else 0


def evaluate_rows(
    address: int,
    X: object,
    U: object,
    P: object,
    out_size: int,
    work_size: int = 0,
    context_address: int = 0,
) -> Floats:
    """Results of a call for each row of X, U, P (rows × size; a single row serves every call), in
    memory that was all zeros."""
    x, u, p = as_floats(X), as_floats(U), as_floats(P)
    rows = _row_count(X=x, U=u, P=p)
    out, work = np.zeros((rows, out_size)), aligned_zeros(work_size)
    given = [(address_of(array), _stride(array)) for array in (x, u, p, out)]
    given[-1] = given[-1][0], out_size
    for part in slices(rows):
        at = [
            number
            for start, stride in given
            for number in (start + 8 * part.start * stride, stride)
        ]
        LIB.tb_rows(address, part.stop - part.start, *at, address_of(work), context_address)
    return out


def time_calls(
    address: int,
    X: object,
    U: object,
    p: object,
    out_size: int,
    work_size: int = 0,
    context_address: int = 0,
    calls: int = 1000,
    repeats: int = 20,
) -> Timing:
    """Seconds per call, cycling over the rows of X and U, in `repeats` loops of `calls` calls."""
    x, u, parameters = as_floats(X), as_floats(U), as_floats(p)
    rows = _row_count(X=x, U=u)
    out, work, seconds = aligned_zeros(out_size), aligned_zeros(work_size), np.empty(repeats)
    LIB.tb_time_calls(
        address, rows, address_of(x), _stride(x), address_of(u), _stride(u),
        address_of(parameters), address_of(out), address_of(work), context_address, calls,
        repeats, address_of(seconds),
    )  # fmt: skip
    return Timing(float(seconds.min()), float(np.median(seconds)))
