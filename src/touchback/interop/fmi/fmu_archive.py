"""FMUs as files from anywhere: archives whose names and sizes are checked before anything is
written, and a description read without entities."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from touchback.errors import ModelError
from touchback.interop.xml_file import MAX_BYTES, Node, parse_xml
from touchback.regular_file import open_regular, opened_zip

MAX_FILE = 256 * 2**20  # bytes of the archive
MAX_WHOLE = 1024 * 2**20  # of what is in it
MAX_FILES = 20_000
_CHUNK = 2**20
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DESCRIPTION = "modelDescription.xml"


def read_description(path: str | os.PathLike[str]) -> Node:
    """modelDescription.xml of an FMU; nothing is written, and none of its code runs."""
    with _opened(path) as archive:
        try:
            member = archive.getinfo(_DESCRIPTION)
        except KeyError:
            raise ModelError(f"{Path(path).name}: there is no {_DESCRIPTION}: no FMU.") from None
        content = b"".join(_chunks(archive, member, MAX_BYTES, Path(path).name))
    return parse_xml(content, f"{Path(path).name}: {_DESCRIPTION}", "fmiModelDescription", "FMU")


def extract(path: str | os.PathLike[str], folder: Path) -> None:
    """Writes everything that is in an FMU into a folder."""
    with _opened(path) as archive:
        left = MAX_WHOLE
        for member in archive.infolist():
            target = folder / PurePosixPath(member.filename)
            if member.is_dir():
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as stream:
                for chunk in _chunks(archive, member, left, Path(path).name):
                    left -= stream.write(chunk)


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[zipfile.ZipFile]:
    name = Path(path).name
    with open_regular(path, MAX_FILE, ModelError) as stream:
        try:
            with opened_zip(stream, name, ModelError) as archive:
                _check(archive, name)
                yield archive
        except (
            zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError, ValueError,
        ) as error:  # fmt: skip
            raise ModelError(f"{name}: can't be read as an FMU, a zip archive: {error}.") from error


def _check(archive: zipfile.ZipFile, name: str) -> None:
    members = archive.infolist()
    whole = sum(member.file_size for member in members)
    if len(members) > MAX_FILES or whole > MAX_WHOLE:
        raise ModelError(
            f"{name}: {len(members)} files of {whole} bytes are too much; at most {MAX_FILES} of "
            f"{MAX_WHOLE} together are read."
        )
    seen: set[str] = set()
    for member in members:
        inside = member.filename
        parts = PurePosixPath(inside).parts
        odd = "\\" in inside or ":" in inside or not inside.isprintable() or not parts
        if odd or inside.startswith("/") or ".." in parts:
            raise ModelError(
                f"{name}: the path {inside!r} in it leads elsewhere; such files aren't opened."
            )
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise ModelError(f"{name}: {inside!r} in it is a link or a device, not a file.")
        if member.flag_bits & 1 or member.compress_type not in _PACKED:
            raise ModelError(f"{name}: {inside!r} in it is encrypted, or packed as FMUs aren't.")
        if inside in seen:
            raise ModelError(f"{name}: {inside!r} is in it twice.")
        seen.add(inside)


def _chunks(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int, name: str
) -> Iterator[bytes]:
    """The bytes of a file, whatever the archive says of their number."""
    with archive.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            most -= len(chunk)
            if most < 0:
                raise ModelError(f"{name}: {member.filename!r} in it is too large.")
            yield chunk
