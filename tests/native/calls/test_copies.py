"""Rows of copies in groups of lanes: what goes where, for every width that a register may have."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from touchback.codegen import native_lanes
from touchback.native.calls.replicated_function import ReplicatedFunction, Row
from touchback.native.shared_library import address_of, aligned_zeros

SHARED, INPUTS, PARAMETERS = 1, 1, 3
# Parts of states and outputs: as many numbers as a register holds, fewer, and some more.
OF_FOUR, OF_EIGHT = ((6, 4, 1), (5, 0, 4)), ((11, 8, 1), (9, 0, 8))
WIDTHS = [(1, OF_FOUR), (2, OF_FOUR), (4, OF_FOUR)]
WIDTHS += [(8, OF_EIGHT)] if native_lanes() == 8 else []
SIGNATURE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)


def rule(x, u, p, size):
    """Outputs of a copy (arrays of a row, or of rows of lanes) that tell all arguments apart."""
    return np.array([x[k] + x[-k] * p[k % 3] + u[k % 3] - p[0] * u[1] for k in range(size)])


def split(rows, sizes):
    """The parts of each row."""
    return np.split(rows, np.cumsum(sizes)[:-1], axis=1)


def function(lanes, states, outputs):
    """The rule by the calling convention, for so many interleaved lanes."""

    def call(x, u, p, out, _work, _context):
        def floats(address, size):
            return np.ctypeslib.as_array((ctypes.c_double * (size * lanes)).from_address(address))

        given = [
            floats(address, size).reshape(size, lanes)
            for address, size in ((x, sum(states)), (u, 1 + SHARED + INPUTS), (p, PARAMETERS))
        ]
        floats(out, sum(outputs))[:] = rule(*given, sum(outputs)).ravel()

    callback = SIGNATURE(call)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    return SimpleNamespace(address=address, work_size=5, context_address=0, kept=callback)


@pytest.mark.parametrize(("lanes", "parts"), WIDTHS)
@pytest.mark.parametrize("count", [4, 19])
def test_each_copy_gets_its_own_and_gives_it_back_in_its_place(lanes, parts, count):
    states, outputs = parts
    row = Row(count, lanes, states, SHARED, INPUTS, PARAMETERS)
    copied = ReplicatedFunction(row, function(1, *parts), function(lanes, *parts), outputs)
    random = np.random.default_rng(count)
    x, p = random.random((count, sum(states))), random.random((count, PARAMETERS))
    inputs, for_all = random.random((count, INPUTS)), [0.7, 0.3]  # time and shared inputs
    flat_x = np.concatenate([part.ravel() for part in split(x, states)])
    u, block = np.append(for_all, inputs), row.block(p)
    out, work = np.full(count * sum(outputs), np.nan), aligned_zeros(copied.work_size)
    SIGNATURE(copied.address)(
        address_of(flat_x), address_of(u), address_of(block), address_of(out), address_of(work),
        copied.context_address,
    )  # fmt: skip
    due = [rule(x[i], np.append(for_all, inputs[i]), p[i], sum(outputs)) for i in range(count)]
    wanted = np.concatenate([part.ravel() for part in split(np.array(due), outputs)])
    np.testing.assert_array_equal(out, wanted)
