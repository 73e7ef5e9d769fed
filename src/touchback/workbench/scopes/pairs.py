"""XY pictures (force over key depth): pairs of the same tick, thinned without losing corners."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

Floats = np.ndarray


def thinned(pairs: Floats, most: int) -> Floats:
    """At most so many of the rows (time, x, y), in order: of each stretch the least and greatest in
    x and in y, so that what sticks out of the curve stays."""
    if len(pairs) <= most:
        return pairs
    stretches = max(most // 4, 1)
    edges = np.linspace(0, len(pairs), stretches + 1).astype(int)
    keep: set[int] = set()
    for first, last in pairwise(edges):
        for column in (1, 2):
            part = pairs[first:last, column]
            if not np.isnan(part).all():
                keep |= {first + int(np.nanargmin(part)), first + int(np.nanargmax(part))}
    return pairs[sorted(keep)]
