"""Mutants of C: simple changes of single lines, found in text from which comments and strings have
been blanked. What doesn't compile is left out when it is tried."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutant import Mutant

HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
OPERATORS = [
    (r" (\+) ", "-"), (r" (-) ", "+"), (r" (/) ", "*"), (r" (<) ", "<="), (r" (<) ", ">"),
    (r" (<=) ", "<"), (r" (>) ", ">="), (r" (>) ", "<"), (r" (>=) ", ">"), (r" (==) ", "!="),
    (r" (!=) ", "=="), (r" (&&) ", "||"), (r" (\|\|) ", "&&"), (r" (\+=) ", "-="),
    (r" (-=) ", "+="), (r"(?<=[\w)\]]) (\*) (?=[\w(])", "/"), (r"[ (](!)(?=[\w(])", ""),
    (r"\b(fmin)\(", "fmax"), (r"\b(fmax)\(", "fmin"), (r"\b(fabs)\(", ""),
    (r"[=(,] ?(-)(?=[\w(])", ""), (r"\b(break|continue);", ""),
]  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+)(?![\w.])")
STATEMENT = re.compile(
    r"^\s+(?:[\w.\->\[\]*]+ [-+*/]?= [^;{}]*|[\w.\->\[\]]+(?:\+\+|--)|(?!return\b)\w+\([^;{}]*\));$"
)
DECLARATION = re.compile(r"^\s*(?:static|extern|typedef|struct|enum|#|const \w+ \*?\w+;)|\(void\)")


def c_mutants(path: str, text: str) -> Iterator[Mutant]:
    """All mutants of a file of C, in the order of its lines."""
    shown = HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    lines, plain = text.splitlines(keepends=True), shown.splitlines(keepends=True)
    for number, (line, seen) in enumerate(zip(lines, plain, strict=True), 1):
        if DECLARATION.search(seen) or not seen.startswith((" ", "\t")):
            continue
        for kind, start, end, instead in _changes(seen):
            changed = line[:start] + instead + line[end:]
            after = "".join([*lines[: number - 1], changed, *lines[number:]])
            yield Mutant(path, number, "", kind, text, after)


def _changes(line: str) -> Iterator[tuple[str, int, int, str]]:
    for pattern, other in OPERATORS:
        for found in re.finditer(pattern, line):
            yield "operator", *found.span(1), other
    for found in NUMBER.finditer(line):
        given = found[1]
        whole = given.isdigit()
        other = str(int(given) + 1) if whole else repr(1.5 * float(given) or 1.0)
        yield "constant", *found.span(1), other
    if STATEMENT.match(line.rstrip()):
        start = len(line) - len(line.lstrip())
        yield "dropped statement", start, len(line.rstrip()), ";"
