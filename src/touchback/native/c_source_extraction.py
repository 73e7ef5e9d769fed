"""The C sources of the library, to be taken along: only what some functions need of them.

Every file is a row of items at the left margin: functions, tables, declarations, directives. A
function brings along what its words name: functions of its own file, of others, macros.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from touchback.native import describe_headers

FOLDER = Path(__file__).parent
_WORD = re.compile(r"[A-Za-z_]\w*")
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


@dataclass(frozen=True)
class Item:
    """Text at the left margin of a file; `names` are what it defines, if it can be left out."""

    file: str
    text: str
    names: tuple[str, ...] = ()

    @property
    def words(self) -> set[str]:
        """What it mentions."""
        return set(_WORD.findall(_COMMENT.sub(" ", self.text)))


class Declared:
    """What the fields of structs are, as the headers declare them."""

    def __init__(self) -> None:
        self._fields = {
            (struct, name): declaration
            for struct, body in describe_headers.structs(texts(".h").values())
            for name, declaration in describe_headers.declared(body)
        }

    def points(self, struct: str, field: str) -> bool:
        """Whether a field is a pointer."""
        declaration = self._fields[struct, field]
        return "*" in declaration or declaration.split()[0] in describe_headers.pointers(
            texts(".h").values()
        )

    def constant(self, struct: str, field: str) -> bool:
        """Whether what it points to may not be written through it."""
        return self._fields[struct, field].startswith("const ")


@cache
def texts(ending: str) -> dict[str, str]:
    """Sources by their paths in the folder; not of what knows Python itself."""
    return {
        str(path.relative_to(FOLDER)): path.read_text()
        for path in sorted(FOLDER.rglob(f"*{ending}"))
        if path.parent.name != "python"
    }


def taken(symbols: Iterable[str], instead: Mapping[str, str]) -> dict[str, str]:
    """The sources that have these symbols and all that they need, by their paths: files of C cut to
    that, and whole headers. Some files are taken `instead` of those with their paths, whole."""
    kept: set[Item] = set()
    seen: set[tuple[str, str]] = set()
    left = [("", symbol) for symbol in symbols]
    while left:
        place = left.pop()
        if place not in seen:
            seen.add(place)
            new = [item for item in _defined(*place) if item not in kept]
            kept.update(new)
            left += [
                (item.file, word) for item in new if item.file not in instead for word in item.words
            ]
    files = sorted({item.file for item in kept if item.file.endswith(".c")})
    cut = {file: instead.get(file) or _cut(file, kept) for file in files}
    headers = {file: texts(".h")[file] for file in sorted(_included(cut.values()))}
    return {**headers, **cut}


def _defined(file: str, word: str) -> list[Item]:
    """Who defines a word for a file: itself, a header that it includes, or, what begins with tb_,
    any file."""
    found = [
        item for item in _definitions().get(word, ())
        if item.file == file or item.file in _seen_by(file)
    ]  # fmt: skip
    if word.startswith("tb_") and not any(item.file == file for item in found):
        found += [item for item in _definitions().get(word, ()) if item not in found]
    return found


def _cut(file: str, kept: set[Item]) -> str:
    parts = [item.text for item in _items(file) if not item.names or item in kept]
    return re.sub(r"\n{3,}", "\n\n", "".join(parts))


def _included(sources: Iterable[str]) -> set[str]:
    """The headers that some texts include, and those in turn."""
    found: set[str] = set()
    left = [name for text in sources for name in _INCLUDE.findall(text)]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _INCLUDE.findall(texts(".h")[name])
    return found


@cache
def _seen_by(file: str) -> set[str]:
    return _included([texts(Path(file).suffix)[file]]) if file else set()


@cache
def _definitions() -> dict[str, list[Item]]:
    """Of each word the items that define it."""
    found: dict[str, list[Item]] = {}
    for file in (*texts(".h"), *texts(".c")):
        for item in _items(file):
            for name in item.names:
                found.setdefault(name, []).append(item)
    return found


@cache
def _items(file: str) -> tuple[Item, ...]:
    text = texts(Path(file).suffix)[file]
    return tuple(_item(file, part) for part in _parts(text))


def _parts(text: str) -> Iterator[str]:
    """The items of a file, comments and empty lines with what they stand before."""
    part: list[str] = []
    depth, commented, directive = 0, False, False
    for line in text.splitlines(keepends=True):
        part.append(line)
        if commented or line.lstrip().startswith("/*"):
            commented = "*/" not in line
            if commented or _COMMENT.sub("", line).strip() == "":
                continue
        code = _COMMENT.sub("", line).rstrip()
        commented = "/*" in code
        directive = directive or (not depth and code.startswith("#"))
        if directive:
            directive = code.endswith("\\")  # it goes on
            ended = not directive
        else:
            depth += code.count("{") - code.count("}")
            ended = not depth and code.endswith((";", "}"))
        if ended:
            yield "".join(part)
            part = []
    if part:
        yield "".join(part)


def _item(file: str, text: str) -> Item:
    code = _COMMENT.sub(" ", text).strip()
    macro = re.match(r"#define (\w+)", code)
    if macro:
        return Item(file, text, (macro[1],))
    if code.startswith(("#", "typedef", "struct", "enum", "extern", "_Static_assert")):
        return Item(file, text)
    function = re.match(r"[^={};]*?\b(?!__attribute__)(\w+)\s*\([^{};]*\)\s*\{", code)
    if function:
        return Item(file, text, (function[1],))
    table = re.match(r"(?:static |const )[^(;]*;", code)
    return Item(
        file, text, tuple(re.findall(r"(\w+)\s*(?:\[[^\]]*\])*\s*=", code)) if table else ()
    )
