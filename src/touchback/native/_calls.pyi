from collections.abc import Callable
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Setting = TypeVar("Setting")
Argument = tuple[str, int, int, int, bool, bool]
# name, kind, place in [x, u], size, required (not None), needed (not left out)
Part = tuple[Floats, int, int, int]  # numbers, stride, size, place in [x, u]

class Call:
    method: Final[Callable[..., Floats]]
    def __new__(
        cls,
        name: str,
        doc: str,
        function: tuple[int, int, int],
        x: int,
        defaults: Floats,
        block: Floats,
        out: tuple[int, int, int, tuple[int, ...]],
        arguments: tuple[Argument, ...],
        friendly: Callable[..., object],
        owner: object,
        otherwise: Call | None,
        /,
    ) -> Call: ...
    def take(self, block: Floats, /) -> None: ...
    def follow(self, present: list[Setting], setting: Setting, first: Call, /) -> None: ...

def rows(
    functions: tuple[int, int, int],
    contexts: tuple[tuple[int, int], ...],
    sizes: tuple[int, int, int, int, int],
    parts: tuple[Part, ...],
    block: Floats,
    result: Floats,
    first: int,
    count: int,
    threads: int,
    /,
) -> None: ...
