"""Opening files that came from anywhere: only regular ones, and only up to a size; and places to
write to, which are checked before the work whose outcome goes there.

A device (/dev/zero) never ends, a FIFO waits for a writer, a folder can't be read: with one of our
endings each of them would get as far as a reader.
"""

import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile

from touchback.errors import InputError, TouchbackError
from touchback.numbers import shown

LARGEST_LIST = 4 * 2**20  # bytes: of an archive, at most 91 000 files
_PIECE = 1 << 20  # bytes
_LONGEST_NAME = 255  # bytes, of a file or a folder
_KINDS = {
    stat.S_IFDIR: "a folder", stat.S_IFIFO: "a FIFO", stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip


def path_of(given: object, error: type[TouchbackError] = InputError) -> Path:
    """A path as a user gives it; refused when it is none."""
    if isinstance(given, str | os.PathLike):
        return Path(given)
    raise error(f"A path is expected, such as 'name.ending', got {shown(given)}.")


def open_regular(
    path: str | os.PathLike[str], largest: int, error: type[TouchbackError] = InputError
) -> BinaryIO:
    """The file, open for reading bytes; refused when it isn't a regular one of at most so many
    bytes."""
    try:
        # before: opening alone can rewind a tape; a number would be somebody's open file
        _check(path, os.stat(os.fspath(path)), largest, error)
        # No waiting should a FIFO have come in its place since; a regular file doesn't mind.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        stream = os.fdopen(os.open(path, flags), "rb")
    except FileNotFoundError:
        raise error(f"There is no file {str(path)!r}.") from None
    except (OSError, ValueError, TypeError) as fault:  # a zero byte in the path; no path at all
        raise error(
            f"{path}: can't be read: {getattr(fault, 'strerror', None) or fault}."
        ) from None
    try:
        _check(path, os.fstat(stream.fileno()), largest, error)
    except BaseException:
        stream.close()
        raise
    return stream


def read_regular(
    path: str | os.PathLike[str], largest: int, error: type[TouchbackError] = InputError
) -> bytes:
    """All bytes of a regular file of at most so many."""
    with open_regular(path, largest, error) as stream:
        content = stream.read(1 + os.fstat(stream.fileno()).st_size)  # memory for no more is taken
        while len(content) <= largest and (
            more := stream.read(min(_PIECE, largest + 1 - len(content)))
        ):
            content += more  # it grew, or is a file of /proc, which tell no size
    if len(content) > largest:
        raise _too_large(path, len(content), largest, error)
    return content


def check_file(
    path: str | os.PathLike[str], largest: int, error: type[TouchbackError] = InputError
) -> None:
    """Refuses what `open_regular` does, for libraries that open files themselves."""
    open_regular(path, largest, error).close()


@contextmanager
def opened_zip(stream: BinaryIO, name: str, error: type[TouchbackError]) -> Iterator[ZipFile]:
    """The zip archive in a stream, refused when its list of files is too long: Python's zipfile
    makes an object of each, before anybody can count them. What else is wrong zipfile tells."""
    guarded = _Guarded(stream, name, error)
    with ZipFile(guarded) as archive:
        guarded.listed = True
        yield archive


class _Guarded:
    """A stream from which no more is read at once than a list of files may have, until it is."""

    def __init__(self, stream: BinaryIO, name: str, error: type[TouchbackError]) -> None:
        self._stream, self._name, self._error = stream, name, error
        self.listed = False
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, count: int = -1, /) -> bytes:
        """What zipfile asks for: the end of the file, the list, then parts of files."""
        if not self.listed and count > LARGEST_LIST:
            raise self._error(
                f"{self._name}: the list of the files in it has {count} bytes; at most "
                f"{LARGEST_LIST} are read."
            )
        return self._stream.read(count)


def check_output(
    path: str | os.PathLike[str], endings: Sequence[str] = (), label: str = "File"
) -> None:
    """Refuse a path that can't be written: another ending than these, no folder, or no right to."""
    file = path_of(path)
    if "\0" in str(file):
        raise InputError(f"{label}: a path has no zero bytes, got {str(file)!r}.")
    if endings and file.suffix.lower() not in endings:
        raise InputError(f"{label}: give a path that ends in {' or '.join(endings)}, not '{file}'.")
    longest = max((len(os.fsencode(each)) for each in file.parts), default=0)
    if longest > _LONGEST_NAME:
        raise InputError(f"{label}: a name has at most {_LONGEST_NAME} bytes, got {longest}.")
    if file.is_dir():
        raise InputError(f"{label}: '{file}' is a folder; give the name of a file in it.")
    if file.exists() and not (file.is_file() or file.is_char_device()):  # a FIFO waits for a reader
        raise InputError(f"{label}: '{file}' is no regular file; give the name of one.")
    if not file.parent.is_dir():
        raise InputError(f"{label}: there is no folder '{file.parent}' to write into; make it.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise InputError(f"{label}: '{file}' may not be written; choose another place.")


def _check(
    path: str | os.PathLike[str], found: os.stat_result, largest: int, error: type[TouchbackError]
) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "no regular file")
        raise error(f"{path} is {kind}; give a file.")
    if found.st_size > largest:
        raise _too_large(path, found.st_size, largest, error)


def _too_large(
    path: str | os.PathLike[str], size: int, largest: int, error: type[TouchbackError]
) -> TouchbackError:
    return error(f"{Path(path).name} has {size} bytes; at most {largest} are read of such a file.")


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Where to write a file that takes its place only when it is whole: a full disk, or an error,
    leaves what was there before, and two who write it at once don't meet. A link stays one, and
    what it leads to is written; who may read a file stays as it was."""
    file = Path(os.path.realpath(path))
    part = file.with_name(f".{file.stem[:40]}.{secrets.token_hex(4)}.part{file.suffix}")
    # a device is written to, never replaced, and so is a file whose folder takes no other
    stays = file.exists() and not (file.is_file() and os.access(file.parent, os.W_OK))
    beside = file if stays else part
    try:
        if beside is part and file.exists():
            part.touch(mode=0o600)  # nobody else reads it before it has the rights of the old one
            part.chmod(stat.S_IMODE(file.stat().st_mode))
        yield beside
        if beside is part:
            os.replace(part, file)
    except OSError as error:  # told of the file, not of what nobody asked for
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from None
    finally:
        part.unlink(missing_ok=True)


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Writes a file of text or bytes so."""
    with atomic_file(path) as beside:
        beside.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def explain_recording_failure(path: str | os.PathLike[str]) -> Iterator[None]:
    """Says in words why a recording can't begin."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{os.fspath(path)} can't be recorded: {error.strerror or error}. Make room on its "
            "disk, or record elsewhere."
        ) from None
