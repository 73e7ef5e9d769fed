"""Rows of copies in groups of lanes: what goes where, for every width that a register may have."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from touchback.native.calls.copies import CopiedFunction, Row
from touchback.native.library import address_of, aligned_zeros

# Parts with fewer numbers than a register holds, as many, and some more.
STATES, SHARED, INPUTS, PARAMETERS, OUTPUTS = (6, 4, 1), 1, 1, 3, (5, 0, 1)
SIGNATURE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)


def rule(x, u, p):
    """Outputs of a copy (arrays of a row, or of rows of lanes) that tell all arguments apart."""
    return np.array(
        [x[0] + 10 * x[7] + u[0], x[1] * p[2] + u[2], x[10] - p[0] * x[2] + p[1] * u[1],
         x[5] + x[6] * u[1], x[4] - x[9], x[3] * x[8]]
    )  # fmt: skip


def function(lanes):
    """The rule by the calling convention, for so many interleaved lanes."""

    def call(x, u, p, out, _work, _context):
        def floats(address, size):
            return np.ctypeslib.as_array((ctypes.c_double * (size * lanes)).from_address(address))

        given = [
            floats(address, size).reshape(size, lanes)
            for address, size in ((x, sum(STATES)), (u, 1 + SHARED + INPUTS), (p, PARAMETERS))
        ]
        floats(out, sum(OUTPUTS))[:] = rule(*given).ravel()

    callback = SIGNATURE(call)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    return SimpleNamespace(address=address, work_size=5, context_address=0, kept=callback)


@pytest.mark.parametrize("lanes", [1, 2, 4])
@pytest.mark.parametrize("count", [4, 11])
def test_each_copy_gets_its_own_and_gives_it_back_in_its_place(lanes, count):
    row = Row(count, lanes, STATES, SHARED, INPUTS, PARAMETERS)
    copied = CopiedFunction(row, function(1), function(lanes), OUTPUTS)
    random = np.random.default_rng(count)
    x, p = random.random((count, sum(STATES))), random.random((count, PARAMETERS))
    inputs, for_all = random.random((count, INPUTS)), [0.7, 0.3]  # time and shared inputs
    parts = np.split(x, np.cumsum(STATES)[:-1], axis=1)
    flat_x = np.concatenate([part.ravel() for part in parts])
    u, block = np.append(for_all, inputs), row.block(p)
    out, work = np.full(count * sum(OUTPUTS), np.nan), aligned_zeros(copied.work_size)
    SIGNATURE(copied.address)(
        address_of(flat_x), address_of(u), address_of(block), address_of(out), address_of(work),
        copied.context_address,
    )  # fmt: skip
    due = np.array([rule(x[i], np.append(for_all, inputs[i]), p[i]) for i in range(count)])
    np.testing.assert_array_equal(out, np.concatenate([due[:, :5].ravel(), due[:, 5]]))
