"""The constant pool in front of a function: vectors for masks and `sincos`, then its numbers."""

import struct
from collections.abc import Iterable, Mapping
from functools import cache

from touchback.codegen.calling_convention import POOL, SHARED, Place
from touchback.symbolic import (
    COS_COEFFICIENTS,
    LIMIT,
    MAGIC,
    PI_HALF,
    SIN_COEFFICIENTS,
    TWO_OVER_PI,
)

ALIGNMENT = 64
SIGN_MASK, ABS_MASK = "sign mask", "magnitude mask"

_SINCOS_NUMBERS: dict[str, float] = {
    "2/pi": TWO_OVER_PI,
    "magic": MAGIC,
    "limit": LIMIT,
    "-1/2": -0.5,
    "one": 1.0,
    "zero": 0.0,
    **{f"pi{k}": part for k, part in enumerate(PI_HALF)},
    **{f"s{k}": coefficient for k, coefficient in enumerate(SIN_COEFFICIENTS)},
    **{f"c{k}": coefficient for k, coefficient in enumerate(COS_COEFFICIENTS)},
}
_VECTORS: dict[str, bytes] = {
    SIGN_MASK: struct.pack("<Q", 1 << 63),
    ABS_MASK: struct.pack("<Q", (1 << 63) - 1),
    **{name: struct.pack("<d", number) for name, number in _SINCOS_NUMBERS.items()},
}


@cache
def _named_vectors(width: int) -> tuple[bytes, Mapping[str, Place]]:
    """Their bytes, and where each of them sits."""
    places = {name: Place(POOL, 8 * width * index) for index, name in enumerate(_VECTORS)}
    return b"".join(pattern * width for pattern in _VECTORS.values()), places


class Pool:
    """Where each constant sits, as an offset from the start of the code, and the bytes themselves.

    `width` is the number of doubles in a vector register: the named vectors repeat their number
    that often. They come first, where short offsets reach them however many constants there are.
    Constants of the program are repeated for each lane, or `shared` by all; `columns` are those
    that have a number for each lane.
    """

    def __init__(
        self,
        constants: Iterable[tuple[int, float]],
        lanes: int,
        width: int,
        shared: bool = False,
        columns: Iterable[tuple[int, tuple[float, ...]]] = (),
    ) -> None:
        vectors, self.vector = _named_vectors(width)
        chunks = [vectors]
        self.numbers_at = offset = 8 * width * len(_VECTORS)
        self.place: dict[int, Place] = {}  # of a node
        for node, numbers in columns:
            self.place[node] = Place(POOL, offset, wide=True)
            chunks.append(struct.pack(f"<{width}d", *numbers))
            offset += 8 * width
        base, copies = (SHARED, 1) if shared else (POOL, lanes)
        known: dict[bytes, Place] = {}
        for node, number in constants:
            pattern = struct.pack("<d", number)
            if pattern not in known:
                known[pattern] = Place(base, offset)
                chunks.append(pattern * copies)
                offset += 8 * copies
            self.place[node] = known[pattern]
        self.data = b"".join(chunks) + bytes(-offset % ALIGNMENT)
