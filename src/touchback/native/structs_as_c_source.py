"""The memory of a run as C text: structs of the library with all that they point to.

A run holds alive what its structs point to, so that every address in them is found among what it
holds, or it is a function or a table of the library. What C text makes of them: members of one
struct, constant tables, and statements that let the members point to each other. Numbers are
written by the names of their fields, so that the text serves any processor.
"""

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Union

import numpy as np
from numpy.typing import NDArray

from touchback.errors import CompileError
from touchback.native.c_source_extraction import Declared

Array = NDArray[np.generic]
Block = Union[Array, ctypes.Structure, "ctypes.Array[ctypes.Structure]"]

_C_TYPES = {"float64": "double", "int32": "int", "int64": "long"}
_LARGEST = 2**31 - 1  # of a long on small processors


def held_by(roots: Iterable[object]) -> Iterator[object]:
    """Everything that some objects of ours hold, in them and in what they hold."""
    seen: set[int] = set()
    left = list(roots)
    while left:
        each = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, dict):
            left += each.values()
        elif isinstance(each, list | tuple | set):
            left += each
        elif type(each).__module__.startswith(("touchback.native", "touchback.codegen")):
            left += getattr(each, "__dict__", {}).values()


@dataclass
class _Piece:
    """An array, or a struct or several of them, that others point to."""

    what: Block
    name: str = ""
    constant: bool = True  # as long as all who point to it say so
    walked: bool = False

    def shown(self) -> str:
        """How statements name it."""
        return self.name if self.constant else f"m->{self.name}"


@dataclass
class Image:
    """C text of structs: `members` of a struct `m`, `constants`, and `statements` that fill it
    after it was set to zeros; `symbols` of the library that it needs."""

    functions: Mapping[int, str]  # names of functions that aren't the library's, by address
    declared: Declared
    left_out: Set[tuple[str, str]] = frozenset()  # fields that stay zero, by their struct
    reserved: Set[str] = frozenset()  # names of other members
    members: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    symbols: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)  # of the functions

    def of(self, held: Iterable[object], roots: Mapping[str, ctypes.Structure | Array]) -> None:
        """Writes the `roots`, structs and arrays by the names that they get, and what they point
        to."""
        self._pieces: dict[int, _Piece] = {}
        for each in held:
            if isinstance(each, np.ndarray | ctypes.Structure | ctypes.Array):
                self._note(each)
        self._lines: list[str | tuple[str, _Piece, str]] = []
        self._numbers = dict.fromkeys(self.reserved, 1)
        for what in roots.values():
            self._note(what)
        for name, what in roots.items():
            self._named(_address(what), name)
        for what in roots.values():
            self._place(_address(what), "", False)
        self._write()

    def shown(self, array: Array) -> str:
        """How statements name an array."""
        return self._pieces[array.ctypes.data].shown()

    def _note(self, what: Block) -> None:
        known = self._pieces.get(_address(what))
        if known is None or _size(what) > _size(known.what):
            self._pieces[_address(what)] = _Piece(what)

    # ---- walking --------------------------------------------------------------------------------

    def _named(self, address: int, name: str) -> _Piece:
        piece = self._pieces[address]
        if not piece.name:
            number = self._numbers[name] = self._numbers.get(name, 0) + 1
            piece.name = f"{name}_{number}" if number > 1 else name
        return piece

    def _place(self, address: int, name: str, constant: bool) -> _Piece:
        piece = self._named(address, name)
        # structs point to members
        piece.constant &= constant and isinstance(piece.what, np.ndarray)
        if not piece.walked:
            piece.walked = True
            self._walk_piece(piece)
        return piece

    def _walk_piece(self, piece: _Piece) -> None:
        what = piece.what
        if isinstance(what, ctypes.Structure):
            self._walk(what, f"m->{piece.name}")
        elif isinstance(what, ctypes.Array):
            for i, each in enumerate(what):
                self._walk(each, f"m->{piece.name}[{i}]")
        elif what.dtype == np.uint64:  # pointers to structs
            piece.constant = False
            for i, address in enumerate(what.ravel().tolist()):
                target = self._place(address, _kind(self._pieces[address].what)[3:], False)
                self._lines.append((f"m->{piece.name}[{i}]", target, "&"))

    def _walk(self, struct: ctypes.Structure, path: str) -> None:
        kind = type(struct).__name__
        if kind == "tb_callable":
            self._callable(struct, path)
            return
        for name, *_ in struct._fields_:
            if (kind, name) in self.left_out:
                continue
            value = getattr(struct, name)
            there = f"{path}.{name}"
            if isinstance(value, ctypes.Structure):
                self._walk(value, there)
            elif isinstance(value, ctypes.Array):
                self._lines += [f"{there}[{i}] = {_number(v)}" for i, v in enumerate(value) if v]
            elif self.declared.points(kind, name):
                if value:
                    self._point(there, value, name, self.declared.constant(kind, name))
            elif value:
                self._lines.append(f"{there} = {_number(value)}")

    def _callable(self, struct: ctypes.Structure, path: str) -> None:
        if not struct.call:
            return
        if struct.call in self.functions:  # printed as C: it needs neither work nor context
            self.used.add(self.functions[struct.call])
            self._lines.append(f"{path}.call = {self.functions[struct.call]}")
            return
        self._lines.append(f"{path}.call = {self._symbol(struct.call)}")
        if struct.context:
            self._point(f"{path}.context", struct.context, "context", False)

    def _point(self, there: str, address: int, name: str, constant: bool) -> None:
        if address in self._pieces:
            what = self._pieces[address].what
            alone = isinstance(what, ctypes.Structure)
            if _size(what):  # nothing points to what is empty
                name = _kind(what).removeprefix("tb_") if alone else name
                piece = self._place(address, name, constant)
                self._lines.append((there, piece, "&" if alone else ""))
            return
        for start, piece in self._pieces.items():  # one of several structs
            if isinstance(piece.what, ctypes.Array) and _size(piece.what):
                index, rest = divmod(address - start, ctypes.sizeof(piece.what) // len(piece.what))
                if 0 <= index < len(piece.what) and not rest:
                    self._lines.append((there, self._place(start, name, False), f"&[{index}]"))
                    return
        self._lines.append(f"{there} = &{self._symbol(address)}")

    def _symbol(self, address: int) -> str:
        name = _symbol_at(address)
        if name is None:
            raise CompileError(
                f"Address {address:#x} is no part of a run and of no library: a mistake of ours."
            )
        self.symbols.add(name)
        return name

    # ---- writing --------------------------------------------------------------------------------

    def _write(self) -> None:
        known: dict[tuple[str, bytes], str] = {}
        for piece in self._pieces.values():
            if piece.name:
                self._declare(piece, known)
        for line in self._lines:
            if isinstance(line, str):
                self.statements.append(f"{line};")
            else:
                there, piece, how = line
                shown = piece.shown() + (how[1:] if how.startswith("&[") else "")
                self.statements.append(f"{there} = {how[:1]}{shown};")

    def _declare(self, piece: _Piece, known: dict[tuple[str, bytes], str]) -> None:
        what = piece.what
        if isinstance(what, ctypes.Structure):
            self.members.append(f"{type(what).__name__} {piece.name};")
        elif isinstance(what, ctypes.Array):
            self.members.append(f"{_kind(what)} {piece.name}[{len(what)}];")
        elif what.dtype == np.uint64:
            kind = _kind(self._pieces[int(what.ravel()[0])].what)
            self.members.append(f"{kind} *{piece.name}[{what.size}];")
        elif piece.constant:
            key = (str(what.dtype), what.tobytes())
            name = known.setdefault(key, piece.name)
            if name == piece.name:
                self.constants.append(_table(name, what))
            piece.name = name
        else:
            self.members.append(f"{_C_TYPES[str(what.dtype)]} {piece.name}[{what.size}];")
            if what.any():
                self.constants.append(_table(f"{piece.name}_start", what))
                self.statements.append(
                    f"memcpy(m->{piece.name}, {piece.name}_start, sizeof m->{piece.name});"
                )


def _address(what: Block) -> int:
    return what.ctypes.data if isinstance(what, np.ndarray) else ctypes.addressof(what)


def _size(what: Block) -> int:
    return what.nbytes if isinstance(what, np.ndarray) else ctypes.sizeof(what)


def _kind(what: object) -> str:
    """The name of a struct, or of one of several."""
    return type(what)._type_.__name__ if isinstance(what, ctypes.Array) else type(what).__name__


def _number(value: float) -> str:
    if isinstance(value, int):
        return "__LONG_MAX__" if value > _LARGEST else str(value)
    if value != value:
        return "NAN"
    return repr(value).replace("inf", "INFINITY")


def _table(name: str, what: Array) -> str:
    numbers = ", ".join(map(_number, what.ravel().tolist()))
    return f"static const {_C_TYPES[str(what.dtype)]} {name}[{what.size}] = {{{numbers}}};"


def _symbol_at(address: int) -> str | None:
    """What a library has at an address."""
    found = (ctypes.c_void_p * 4)()  # Dl_info: file, its place, symbol, its place
    known = ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), found)
    if not known or found[3] != address or not found[2]:
        return None
    return ctypes.string_at(found[2]).decode()
