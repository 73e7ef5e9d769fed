"""LᵀDL factorisation and solution along the tree (Featherstone 2008 §6.5): no fill-in, leaves
eliminated first."""

from collections.abc import Sequence

from touchback.dynamics.crba import Entries
from touchback.spatial.vectors import Scalar
from touchback.symbolic.scalars import Scalars


def solve(
    k: Scalars, M: Entries, parents: Sequence[int], order: Sequence[int], b: Sequence[Scalar]
) -> list[Scalar]:
    """x with M x = b; `order` lists coordinates, parents before children."""
    add, mul = k.add, k.mul
    H: Entries = dict(M)
    inverse: dict[int, Scalar] = {}
    x = list(b)
    for c in reversed(order):
        inverse[c] = k.div(1, H[c, c])
        i = parents[c]
        while i >= 0:
            factor = mul(H[c, i], inverse[c])
            j = i
            while j >= 0:
                H[i, j] = add(H[i, j], -mul(H[c, j], factor))
                j = parents[j]
            H[c, i] = factor
            x[i] = add(x[i], -mul(factor, x[c]))
            i = parents[i]
    for c in order:
        total = mul(x[c], inverse[c])
        j = parents[c]
        while j >= 0:
            total = add(total, -mul(H[c, j], x[j]))
            j = parents[j]
        x[c] = total
    return x
