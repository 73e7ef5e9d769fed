"""Devices as files: the paths that name them, why one can't be opened, and what it says."""

import ctypes
import errno
import os

from touchback.errors import DeviceError
from touchback.numbers import shown


def path_of(kind: str, given: str | os.PathLike[str]) -> str:
    """A path as text. One with a zero byte would be cut there, and name another file."""
    path = os.fspath(given) if isinstance(given, str | os.PathLike) else given
    if not isinstance(path, str) or not path or "\0" in path:
        raise DeviceError(f"{kind}: a path is a text without zero bytes, got {shown(given)}.")
    return path


def refused(code: int, mend: str) -> str:
    """Why the system didn't open a file, and what helps: the `mend`, unless there are too many."""
    if code not in (errno.EMFILE, errno.ENFILE):
        return f"{os.strerror(code)}. {mend}"
    whose = "this program may" if code == errno.EMFILE else "the machine can"
    return (
        f"{os.strerror(code)}, as many as {whose} have. Close devices, runs and files that "
        "aren't needed any more, or allow more (`ulimit -n`)."
    )


def text_of(place: "ctypes.Array[ctypes.c_ubyte]") -> str:
    """Text that ends with a zero; it may be anybody's, so that a terminal isn't to obey it."""
    text = bytes(place).split(b"\0")[0].decode(errors="replace")
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
