"""Python source laid out: calls and collections broken into lines as formatters do, literals, and
identifiers made of names."""

from __future__ import annotations

import builtins
import json
import keyword
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite


class Names:
    """Identifiers of one scope, each once; `everywhere` has those of the whole file."""

    def __init__(self, everywhere: set[str], classes: Iterable[str] = ()) -> None:
        self.everywhere = everywhere
        self.taken = {"m", "tb", "Want", *keyword.kwlist, *keyword.softkwlist, *dir(builtins)}
        self.taken |= set(classes)

    def new(self, name: str, kind: str) -> str:
        """An identifier for a name; `kind`, as "body", distinguishes it from one that is taken."""
        plain = unicodedata.normalize("NFKC", name)
        word = re.sub(r"\W+", "_", plain).strip("_")
        if not word or not word.isidentifier():
            word = f"{kind}_{word}".rstrip("_")
        if not word.isidentifier():  # of letters that are none in Python
            word = kind
        found, count = word, 2
        if found in self.taken:
            found = f"{word}_{kind}"
        while found in self.taken:
            found, count = f"{word}_{kind}_{count}", count + 1
        self.taken.add(found)
        self.everywhere.add(found)
        return found


@dataclass(frozen=True)
class SourceList:
    """Texts or lists between brackets: arguments, or items of a tuple, list or mapping. `filled`
    puts as many on a line as fit."""

    opening: str
    items: tuple[str | SourceList, ...]
    closing: str
    filled: bool = False
    is_tuple: bool = False

    def on_one_line(self) -> str:
        inside = ", ".join(flat(item) for item in self.items)
        lone = "," if self.is_tuple and len(self.items) == 1 else ""
        return f"{self.opening}{inside}{lone}{self.closing}"

    def after(self, text: str) -> SourceList:
        """The same with a text before it, such as a name and an equals sign."""
        return replace(self, opening=text + self.opening)


Source = str | SourceList


def flat(item: Source) -> str:
    return item if isinstance(item, str) else item.on_one_line()


def layout_lines(width: int, start: str, item: Source, indent: int = 0, end: str = "") -> list[str]:
    """Lines of an item after `start`, which holds its indentation already."""
    line = f"{start}{flat(item)}{end}"
    if len(line) <= width or (isinstance(item, SourceList) and not item.items):
        return [line]
    margin = " " * (indent + 4)
    if isinstance(item, str):
        found = _as_call(item)
        if isinstance(found, str):
            return _broken(start, item, indent, end)
        item = found
    inside = ", ".join(map(flat, item.items))
    if len(margin + inside) <= width and not item.is_tuple:
        return [start + item.opening, margin + inside, " " * indent + item.closing + end]
    lines = [start + item.opening]
    for each in item.items:
        text = f"{flat(each)},"
        if item.filled and len(lines) > 1 and len(lines[-1]) + 1 + len(text) <= width:
            lines[-1] += f" {text}"
        else:
            lines += layout_lines(width, margin, each, indent + 4, ",")
    return [*lines, " " * indent + item.closing + end]


def _broken(start: str, text: str, indent: int, end: str) -> list[str]:
    """A long expression in parentheses, with a line for each of its terms or factors."""
    for signs in ((" + ", " - "), (" * ", " / ")):
        parts = _parts(text, signs)
        if len(parts) > 1:
            margin = " " * (indent + 4)
            return [start + "(", *(margin + part for part in parts), " " * indent + ")" + end]
    return [start + text + end]


def _as_call(text: str) -> Source:
    """The call that a text is, as a list of its arguments; any other text as it is."""
    match = re.match(r"[\w.]+\(", text)
    if match is None or _end_of_call(text, match.end()) != len(text):
        return text
    inside = [part.strip().removesuffix(",") for part in _parts(text[match.end() : -1], (", ",))]
    return SourceList(match[0], tuple(each.removeprefix(", ") for each in inside), ")")


def _end_of_call(text: str, begin: int) -> int:
    """Where the parenthesis that is open at a place is closed again, in an expression."""
    depth, place, quoted = 1, begin, False
    while depth and place < len(text):
        quoted ^= text[place] == '"'
        depth += 0 if quoted else (text[place] in "([{") - (text[place] in ")]}")
        place += 1
    return place


def _parts(text: str, signs: tuple[str, ...]) -> list[str]:
    """A text cut before each of the signs that stands in no parentheses and no quotes."""
    found, depth, begin, quoted = [], 0, 0, False
    for place, letter in enumerate(text):
        if letter == '"' and text[place - 1 : place] != "\\":
            quoted = not quoted
        depth += 0 if quoted else (letter in "([{") - (letter in ")]}")
        if not depth and not quoted and text.startswith(signs, place):
            found.append(text[begin:place])
            begin = place + 1
    return [*found, text[begin:]]


def text_literal(given: str) -> str:
    """A text in double quotes; JSON's escapes are Python's too."""
    return json.dumps(given, ensure_ascii=False)


def number_literal(given: float) -> str:
    if isfinite(given):
        return repr(float(given))
    return f'float("{given}")'


def component_literal(given: float) -> str:
    """A number among several: without the decimals of a whole one."""
    text = number_literal(given)
    return text.removesuffix(".0") if text != "-0.0" else text


def call(function: str, *given: Source, **named: Source | None) -> SourceList:
    """A call; arguments by name that are None are left out."""
    by_name = [named_argument(word, item) for word, item in named.items() if item is not None]
    return SourceList(f"{function}(", (*given, *by_name), ")")


def named_argument(word: str, item: Source) -> Source:
    if isinstance(item, str):
        return f"{word}={item}"
    return item.after(f"{word}=")


def tuple_of(items: Iterable[Source], filled: bool = False) -> SourceList:
    return SourceList("(", tuple(items), ")", filled, is_tuple=True)


def texts_list(names: Iterable[str]) -> SourceList:
    return SourceList("[", tuple(map(text_literal, names)), "]")
