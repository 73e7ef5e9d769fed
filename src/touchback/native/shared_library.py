"""The shared library with all that its headers declare, and memory as it wants it."""

import ctypes
import weakref
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from touchback.errors import CompileError

Floats = NDArray[np.float64]
Item = TypeVar("Item", bound=np.generic)

ABI_VERSION = 2
ALIGNMENT = 64  # bytes: what the calling convention promises for work memory
LIBRARY_PATH = Path(__file__).with_name("libtouchback.so")


_KINDS: "dict[str, type[ctypes._SimpleCData[Any]]]" = {
    "i": ctypes.c_int, "l": ctypes.c_long, "L": ctypes.c_ulong, "q": ctypes.c_longlong,
    "Q": ctypes.c_ulonglong, "d": ctypes.c_double, "p": ctypes.c_void_p, "s": ctypes.c_char_p,
    "B": ctypes.c_ubyte, "H": ctypes.c_ushort, "I": ctypes.c_uint, "f": ctypes.c_float,
}  # fmt: skip
_FIRST_STRUCT = 256  # kinds from here on are structs, in the order of their description


class Library(ctypes.CDLL):
    """The C library. It describes itself (describe_headers.py): functions take what its headers
    declare,
    and structs and constants are those of the headers. Nothing of them is spelled here."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), use_errno=True)
        self._functions: dict[str, tuple[str, str]] = {}
        self._fields: dict[str, tuple[list[str], int]] = {}  # names, and where the numbers start
        self._structs: dict[str, type[ctypes.Structure]] = {}
        self._constants: dict[str, int] = {}
        self._arrays: dict[str, list[tuple[str, str]]] = {}

    def read_description(self) -> None:
        """Learns what the headers declare."""
        text = ctypes.string_at(self.address("tb_description")).decode()
        count = ctypes.c_int.in_dll(self, "tb_description_count").value
        self._numbers = (ctypes.c_int * count).in_dll(self, "tb_description_numbers")
        start = 0
        for line in text.splitlines():
            what, name, *rest = line.split(" ")
            if what == "struct":
                self._fields[name] = rest, start
                start += 1 + 4 * len(rest)
            elif what == "arrays":
                self._arrays[name] = [
                    (kind, array) for kind, _, array in (each.partition(":") for each in rest)
                ]
            elif what == "constants":
                for constant in (name, *rest):
                    self._constants[constant] = self._numbers[start]
                    start += 1
            else:
                self._functions[name] = rest[0], rest[1]

    def __getattr__(self, name: str) -> "ctypes._NamedFuncPointer":
        if name not in self._functions:
            return super().__getattr__(name)
        function, (result, arguments) = self[name], self._functions[name]
        function.restype = None if result == "v" else _KINDS[result]
        function.argtypes = [_KINDS[letter] for letter in arguments]
        setattr(self, name, function)  # when it is whole: other threads may call it at once
        return function

    def address(self, name: str) -> int:
        """Where a function or a table is."""
        return ctypes.addressof(ctypes.c_char.in_dll(self, name))

    def constant(self, name: str) -> int:
        """The number of an enumerator."""
        return self._constants[name]

    def arrays(self, table: str) -> list[tuple[str, str]]:
        """Types and names of the arrays of a table (TB_…_ARRAYS)."""
        return self._arrays[table]

    def struct(self, name: str) -> type[ctypes.Structure]:
        """A struct, laid out as the compiler has."""
        if name not in self._structs:
            self._structs[name] = self._made(name)
        return self._structs[name]

    def _made(self, name: str) -> type[ctypes.Structure]:
        names, start = self._fields[name]
        rows = [self._numbers[start + 1 + 4 * i : start + 5 + 4 * i] for i in range(len(names))]
        fields = [(field, self._type(*row[1:])) for field, row in zip(names, rows)]
        made = type(name, (ctypes.Structure,), {"_fields_": fields})
        places = [getattr(made, field).offset for field in names]
        if places != [row[0] for row in rows] or ctypes.sizeof(made) != self._numbers[start]:
            raise CompileError(f"The struct {name} can't be laid out as C does: a mistake of ours.")
        return made

    def _type(self, kind: int, first: int, second: int) -> Any:
        if kind >= _FIRST_STRUCT:
            made: Any = self.struct([*self._fields][kind - _FIRST_STRUCT])
        else:
            made = _KINDS[chr(kind)]
        for length in filter(None, (second, first)):
            made = made * length
        return made


def load(path: Path) -> Library:
    """The library at a path, checked to speak this version of the calling convention."""
    if not path.exists():
        raise CompileError(
            f"The C library {path.name} is missing beside {path.parent.name}/__init__.py; "
            "run `make` or `pip install -e .` in the source tree to build it."
        )
    try:
        library = Library(path)
    except OSError as error:
        raise CompileError(
            f"The C library {path} can't be loaded ({error}); build it on this machine with "
            "`make` or `pip install -e .`."
        ) from error
    version = library.tb_abi_version()
    if version != ABI_VERSION:
        raise CompileError(
            f"The C library {path} speaks version {version} of the calling convention, not "
            f"{ABI_VERSION}; rebuild it with `make` or `pip install -e .`."
        )
    library.read_description()
    return library


LIB = load(LIBRARY_PATH)
RED_ZONE: int = LIB.tb_red_zone()  # bytes between pieces that the address sanitizer watches, or 0


def forbidden(memory: NDArray[Item]) -> NDArray[Item]:
    """The same memory as another array; the address sanitizer reports who touches it, until
    `LIB.tb_allow`. It is given back when that array and its views are gone, and only after it is
    allowed again: NumPy may hand it to another thread at once."""
    owner = (ctypes.c_char * memory.nbytes).from_buffer(memory.data)
    LIB.tb_forbid(address_of(memory), memory.nbytes)
    weakref.finalize(owner, _allow, memory)
    return np.frombuffer(memoryview(owner), dtype=memory.dtype)


def _allow(memory: NDArray[np.generic]) -> None:
    LIB.tb_allow(address_of(memory), memory.nbytes)


def aligned_zeros(count: int) -> Floats:
    """Zeros that start at a multiple of 64 bytes, for the work memory of functions."""
    raw = np.zeros(count + (ALIGNMENT + RED_ZONE) // 8, dtype=np.float64)
    skip = (-raw.ctypes.data % ALIGNMENT) // 8
    if RED_ZONE:
        raw = forbidden(raw)
        LIB.tb_allow(address_of(raw) + 8 * skip, 8 * count)
    return raw[skip : skip + count]


def address_of(array: NDArray[np.generic]) -> int:
    """Address of the first element; the caller keeps the array alive."""
    return array.ctypes.data


def as_floats(values: object) -> Floats:
    """The values as contiguous, aligned doubles, copied only when they aren't already."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    return array if array.flags.aligned else array.copy()
