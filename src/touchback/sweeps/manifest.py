"""What a sweep's folder says of itself: which function at which points; another sweep is refused
there."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import pickle
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FunctionType

from touchback.errors import NO_JSON, InputError
from touchback.regular_file import read_regular, write_whole
from touchback.sweeps.designs import Design
from touchback.sweeps.part import lock

_FILE, _LOCK = "sweep.json", ".lock"
_VERSION = 2  # from which on lines of parts have checksums
_LARGEST = 1 << 24  # bytes
_OTHER = "give another folder, or delete this one to compute it anew"


def opened(folder: Path, function: Callable[..., object], design: Design) -> str:
    """The sweep that a folder holds, begun when it holds none; refused when it is another one."""
    asked = {
        "version": _VERSION,
        "function": _name(function),
        "function's source": _source(function),
        **design.about(),
        "points": _digest(design.points().astype("<f8").tobytes()),
    }
    if not (folder / _FILE).exists():
        _begin(folder, asked)
    (folder / "parts").mkdir(exist_ok=True)
    found = _read(folder)
    for name in [*asked, *(set(found) - set(asked) - {"sweep"})]:
        there, here = found.get(name), asked.get(name)
        if there != here:
            raise InputError(
                f"'{folder}' holds another sweep: {name} is {_short(there)} there and "
                f"{_short(here)} here; {_OTHER}."
            )
    return str(found["sweep"])


def check_shared(folder: Path, sweep: str) -> None:
    """Refuses a folder that isn't the one of the sweep: another machine's of the same name."""
    if not (folder / _FILE).exists() or _read(folder)["sweep"] != sweep:
        raise InputError(
            f"Worker on {socket.gethostname()}: '{folder}' isn't the sweep's folder there. Give a "
            "folder that all workers share, under the same path."
        )


def _begin(folder: Path, asked: dict[str, object]) -> None:
    """Of those who begin it at once the first does."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone(folder):
            if (folder / _FILE).exists():
                return
            if any(not each.name.startswith(".") for each in folder.iterdir()):
                raise InputError(f"'{folder}' holds other things than a sweep; give a new folder.")
            about = {"sweep": secrets.token_hex(8), **asked}
            write_whole(folder / _FILE, json.dumps(about, indent=1))
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{str(folder)!r} can't hold a sweep: {why}.") from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    file = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        lock(file)
        yield
    finally:
        os.close(file)


def _read(folder: Path) -> dict[str, object]:
    path = folder / _FILE
    try:
        found = json.loads(read_regular(path, _LARGEST))
        if "sweep" in found:
            return dict(found)
    except (*NO_JSON, TypeError):
        pass
    raise InputError(f"{path} is damaged or no description of a sweep; {_OTHER}.")


def _name(function: Callable[..., object]) -> str:
    if isinstance(function, partial):
        return _name(function.func)
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _source(function: Callable[..., object]) -> str:
    """A digest of what is written of a function, and of what an object that is called holds."""
    plain = isinstance(function, FunctionType)
    try:
        text = inspect.getsource(function if plain else type(function)).encode()
    except (OSError, TypeError):  # written nowhere, or in C
        text = b""
    return _digest(text + (b"" if plain else pickle.dumps(function)))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _short(value: object) -> str:
    return repr(value) if value is not None else "missing"
