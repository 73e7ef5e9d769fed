"""Rows of calls and their timing."""

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.native import Interpreter, aligned_zeros, evaluate_rows, time_calls
from touchback.symbolic import Tape, lower


def product() -> Interpreter:
    tape = Tape()
    x, u, p = (tape.symbol(name) for name in "xup")
    outputs = [tape.mul(tape.mul(x, u), p)]
    return Interpreter(lower(tape, outputs, {x: ("x", 0), u: ("u", 0), p: ("p", 0)}))


def test_rows_pair_up_and_single_rows_are_shared() -> None:
    f = product()
    X, U, P = np.arange(4.0)[:, None], np.full((4, 1), 10.0), [2.0]
    out = evaluate_rows(f.address, X, U, P, 1, f.work_size, f.context_address)
    np.testing.assert_array_equal(out[:, 0], [0.0, 20.0, 40.0, 60.0])


def test_rows_that_do_not_pair_up_are_refused() -> None:
    f = product()
    with pytest.raises(InputError, match="U has 3 rows where the others have 4"):
        evaluate_rows(f.address, np.ones((4, 1)), np.ones((3, 1)), [1.0], 1)


def test_timing_gives_positive_seconds_with_the_best_below_the_median() -> None:
    f = product()
    timing = time_calls(
        f.address, np.ones((3, 1)), [1.0], [1.0], 1, f.work_size, f.context_address, 100, 5
    )
    assert 0.0 < timing.min <= timing.median


@pytest.mark.parametrize("count", [1, 7, 1000])
def test_work_memory_starts_at_a_multiple_of_64_bytes(count: int) -> None:
    work = aligned_zeros(count)
    assert work.shape == (count,)
    assert work.ctypes.data % 64 == 0
