"""The one calling convention of generated functions, and what their context holds.

    void f(const double *x, const double *u, const double *p, double *out, double *work, const void
    *ctx)

`work` is 64-byte aligned scratch memory of the function's `work_size` doubles, `ctx` an array of
8-byte slots. `out` and `work` must not overlap the inputs or each other; results may be read again
from `out`. With several lanes, element i of lane l of any array sits at [i * lanes + l].
"""

from __future__ import annotations

from typing import NamedTuple

from touchback.symbolic import ops

ABI_VERSION = 2

X, U, P, OUT, WORK, CTX, POOL, SHARED = range(8)  # what an address is relative to
BASE_OF_ARRAY = {"x": X, "u": U, "p": P}

CONTEXT_SLOT = {  # byte offset of the C function that an operation calls
    ops.ASIN: 0,
    ops.ACOS: 8,
    ops.EXP: 16,
    ops.LOG: 24,
    ops.ATAN2: 32,
    ops.POW: 40,
    ops.SIN: 48,  # sin and cos only beyond the range of our own
    ops.COS: 56,
    ops.LOOKUP1: 64,  # double (const tb_table *, double x, long want)
    ops.LOOKUP2: 72,  # double (const tb_table *, double x, double y, long want)
    ops.SINH: 80,
    ops.COSH: 88,
    ops.TANH: 96,
}
FIRST_TABLE_SLOT = 104  # from here on one table pointer per entry of Program.lookups

CALLED = frozenset(CONTEXT_SLOT) - {ops.SIN, ops.COS}


class Place(NamedTuple):
    """A memory operand: a base (X … SHARED) and a byte offset.

    SHARED is the pool too, where one number stands for those of all lanes. Where vectors are among
    single numbers, `wide` are those of vectors.
    """

    base: int
    offset: int
    wide: bool = False

    def of_lane(self, lane: int) -> Place:
        """Where the number of one lane is."""
        if self.base == SHARED:
            return Place(POOL, self.offset)
        return Place(self.base, self.offset + 8 * lane)
