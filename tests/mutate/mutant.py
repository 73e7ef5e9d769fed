"""One broken line: what a file said, what it says now, and by which name it is found again."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Mutant:
    """A change of a `kind` in a `line` of the file at `path` (from the project's root), in the
    function or class `scope`; the file's text before and after it."""

    path: str
    line: int
    scope: str
    kind: str
    before: str
    after: str

    @cached_property
    def changed(self) -> tuple[str, str]:
        """The lines that differ, before and after: a change is in one place."""
        old, new = self.before.splitlines(), self.after.splitlines()
        same = 0
        while same < min(len(old), len(new)) and old[same] == new[same]:
            same += 1
        old, new = old[same:], new[same:]
        while old and new and old[-1] == new[-1]:
            old, new = old[:-1], new[:-1]
        return "\n".join(old), "\n".join(new)

    @cached_property
    def key(self) -> tuple[str, str, str, str]:
        """What stays the same while lines move: file, scope, and both texts."""
        old, new = (" ".join(text.split()) for text in self.changed)
        return self.path, self.scope, old, new

    @cached_property
    def name(self) -> str:
        """Room and a few letters, such as `vehicle-3f2a91c4`."""
        return f"{room_of(self.path)}-{hashlib.sha256(repr(self.key).encode()).hexdigest()[:8]}"

    def diff(self) -> str:
        """As a patch."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True), self.after.splitlines(keepends=True),
            f"a/{self.path}", f"b/{self.path}", n=2,
        )  # fmt: skip
        return "".join(lines)


def room_of(path: str) -> str:
    """Of a source file src/PACKAGE/ROOM/… or src/PACKAGE/ROOM.py."""
    return path.split("/")[2].removesuffix(".py")
