"""Running printed programs, and comparing what they give."""

import ctypes
import struct
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from touchback.codegen.printers import build_c, print_c, print_python
from touchback.symbolic import Program

_SIGNATURE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)


def call_address(
    address: int, program: Program, point: Mapping[str, Sequence[float]]
) -> list[float]:
    """The outputs of a function of our ABI at one point."""
    arrays = [np.array([*point[name], 0.0]) for name in ("x", "u", "p")]
    out = np.full(len(program.outputs), 1e99)
    work = np.zeros(8)
    pointers = [array.ctypes.data for array in (*arrays, out, work)]
    _SIGNATURE(address)(*pointers, None)
    return list(out)


def compiled_c(program: Program) -> Callable[[Mapping[str, Sequence[float]]], list[float]]:
    """The program through print_c and the system's compiler."""
    address = build_c(print_c(program, "f"), "f")
    return lambda point: call_address(address, program, point)


def python_function(program: Program) -> Callable[..., np.ndarray]:
    """The function that print_python gives, run on its own."""
    space: dict[str, Callable[..., np.ndarray]] = {}
    exec(print_python(program, "f"), space)
    return space["f"]


def bits(values: Sequence[float]) -> list[str]:
    """Each value as its 64 bits; all NaN are alike."""
    return ["nan" if value != value else struct.pack("<d", value).hex() for value in values]
