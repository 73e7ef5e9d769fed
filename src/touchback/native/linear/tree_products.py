"""Products along a kinematic tree, for mass matrices that are too large to unroll (tree.h)."""

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.c_struct import Indices
from touchback.native.shared_library import LIB, Floats, address_of, as_floats


def _parents(parent: ArrayLike, count: int) -> Indices:
    indices = np.ascontiguousarray(parent, dtype=np.int32)
    if indices.shape != (count,):
        raise InputError(f"{count} parents are needed, got an array of shape {indices.shape}.")
    wrong = np.flatnonzero((indices < -1) | (indices >= np.arange(count)))
    if wrong.size:
        i = int(wrong[0])
        raise InputError(f"The parent of {i} is {indices[i]}; it must be −1 or a number below {i}.")
    return indices


def tree_products(parent: ArrayLike, S: ArrayLike, F: ArrayLike) -> Floats:
    """M with M[i, j] = M[j, i] = S_j · F_i for every ancestor-or-self j of i, else zeros.

    S is 6 × n, one column a coordinate; F is n × 6. Parents are numbered before their children; −1
    stands for the ground."""
    s, f = as_floats(S), as_floats(F)
    if f.ndim != 2 or f.shape[1] != 6 or s.shape != f.shape[::-1]:
        raise InputError(f"S must be 6 × n and F n × 6, got {s.shape} and {f.shape}.")
    count = len(f)
    parents, M = _parents(parent, count), np.zeros((count, count))
    work = np.empty(count, dtype=np.int32)
    LIB.tb_tree_products(
        count, address_of(parents), address_of(s), address_of(f), address_of(M), address_of(work)
    )
    LIB.tb_mirror(count, address_of(parents), address_of(M), address_of(work))
    return M
