"""Where the meshes of a robot are: in the folder of its file, or in packages; nowhere else."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

_SCHEME = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]+)://")  # a letter alone is a drive
_ROOM = 120  # characters of a name in a message
_UPWARD = 8  # folders above the file in which a package is looked for


def _short(called: str) -> str:
    """What a file is called, as far as a line has room for it."""
    return called if len(called) <= _ROOM else f"{called[:_ROOM]}…"


class NoMesh(Exception):
    """There is no such file, or none that may be read; a body can do without."""


class MeshPaths:
    """Finds mesh files by what a URDF file calls them. Paths must stay in the folder of that file
    or in a package: one that was given, the one that the file lies in, or one beside it."""

    def __init__(
        self, folder: Path | None, packages: Mapping[str, str | os.PathLike[str]] | None
    ) -> None:
        self._folder = None if folder is None else folder.resolve()
        self._packages = {name: Path(place).resolve() for name, place in (packages or {}).items()}

    def find(self, called: str) -> Path:
        """The file, which is there and in a place where it may be."""
        scheme = _SCHEME.match(called)
        if scheme is None:
            return self._inside(self._near(called), called, called)
        rest = unquote(called[scheme.end() :])
        if scheme[1].lower() == "package":
            name, _, below = rest.partition("/")
            return self._inside(self._package(name, called), below, called)
        if scheme[1].lower() == "file":
            return self._anywhere(Path(rest), called)
        raise NoMesh(
            f"mesh '{called}': only package://, file:// and plain paths are read; nothing is "
            "fetched. Save the file beside the robot's"
        )

    def _near(self, called: str) -> Path:
        if self._folder is None:
            raise NoMesh(f"mesh '{called}': the robot came as a text, which has no folder")
        return self._folder

    def _inside(self, root: Path, below: str, called: str) -> Path:
        if "\0" in below:
            raise NoMesh(f"mesh {called!r}: a path has no zero bytes")
        if Path(below).is_absolute():
            return self._anywhere(Path(below), called)
        return self._checked(root / below, [root, *self._roots()], called)

    def _anywhere(self, path: Path, called: str) -> Path:
        if "\0" in str(path):
            raise NoMesh(f"mesh {called!r}: a path has no zero bytes")
        return self._checked(path, self._roots(), called)

    def _roots(self) -> list[Path]:
        """Folders that files may be in: given packages, and the package of the robot's file."""
        own = [] if self._folder is None else [self._own_package(self._folder)]
        return [*own, *self._packages.values()]

    @staticmethod
    def _own_package(folder: Path) -> Path:
        """The nearest folder above that says it is a package, else the folder itself."""
        above = [folder, *folder.parents][:_UPWARD]
        return next((each for each in above if (each / "package.xml").is_file()), folder)

    @staticmethod
    def _checked(path: Path, roots: list[Path], called: str) -> Path:
        try:
            real = path.resolve()  # with links followed
        except (OSError, RuntimeError):  # RuntimeError: links that lead to each other
            raise NoMesh(
                f"mesh '{_short(called)}': its path leads nowhere, as links in a circle do"
            ) from None
        if not any(real.is_relative_to(root) for root in roots):
            raise NoMesh(
                f"mesh '{called}' leads to '{real}', out of the folders that meshes are read from "
                f"({', '.join(map(str, roots)) or 'none'}); if it belongs to the robot, give its "
                "folder by packages={…}"
            )
        try:
            there = real.exists()
        except OSError as fault:  # as of a name that is too long
            raise NoMesh(f"mesh '{_short(called)}': can't be read: {fault.strerror}") from None
        if not there:
            raise NoMesh(f"mesh '{called}': there is no file '{real}'")
        return real

    def _package(self, name: str, called: str) -> Path:
        """The folder of a package: as given, or found above the robot's file by its name."""
        if name in self._packages:
            return self._packages[name]
        above = [] if self._folder is None else [self._folder, *self._folder.parents][:_UPWARD]
        for each in above:
            if each.name == name:
                return each
            if name not in ("", ".", "..") and (each / name / "package.xml").is_file():
                return each / name
        raise NoMesh(
            f"mesh '{called}': package '{name}' is neither above the robot's file nor beside it; "
            f"say where it is by packages={{'{name}': folder}}"
        )
