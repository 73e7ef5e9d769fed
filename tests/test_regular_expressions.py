"""Every regular expression of the package takes time in proportion to its text: twice the length,
at most 2.2 times the processor time, for texts that are made to let it go back and forth."""

import ast
import re
import re._parser as parser  # type: ignore[import-not-found]
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import touchback
from growth import assert_linear

SOURCES = Path(touchback.__file__).parent
OURS = {  # which read texts of the package itself, or of ours alone
    "native/c_source_extraction.py", "native/describe_headers.py",
    "batch/gpu/constrained_kernel.py", "draw/film.py",
    "interop/modelica/modelica_writer.py",
}  # fmt: skip
LONGEST = 1 << 16
METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")


@dataclass(frozen=True)
class Use:
    """A regular expression where it is used."""

    where: str
    pattern: str | bytes
    flags: int
    method: str

    def __str__(self) -> str:
        return f"{self.where}: {self.pattern!r}.{self.method}"


def uses() -> Iterator[Use]:
    for path in sorted(SOURCES.rglob("*.py")):
        where = path.relative_to(SOURCES).as_posix()
        if where in OURS:
            continue
        tree = ast.parse(path.read_bytes())
        compiled: dict[str, tuple[str | bytes, int]] = {}
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if getattr(node.func.value, "id", "") != "re" or not node.args:
                continue
            pattern = constant(node.args[0])
            if pattern is None:
                continue
            flags = flags_of(node)
            if node.func.attr in METHODS:
                yield Use(where, pattern, flags, node.func.attr)
            compiled |= {name: (pattern, flags) for name in targets(tree, node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                name = getattr(node.value, "id", "")
                if name in compiled:
                    yield Use(where, *compiled[name], node.attr)


def constant(node: ast.expr) -> str | bytes | None:
    """A text that is written down, perhaps in pieces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    if isinstance(node, ast.BinOp):
        pieces = [constant(node.left), constant(node.right)]
        return "".join(each if isinstance(each, str) else r"[^\W\d]\w*" for each in pieces)
    if isinstance(node, ast.Attribute) and node.attr == "pattern":
        return r"[^\W\d]\w*"  # PLAIN_NAME, which others are made of
    return None


def flags_of(call: ast.Call) -> int:
    words = {each.attr for each in ast.walk(call) if isinstance(each, ast.Attribute)}
    return sum(
        int(getattr(re, word))
        for word in words & {"VERBOSE", "DOTALL", "S", "I", "M", "IGNORECASE", "MULTILINE", "ASCII"}
    )


def targets(tree: ast.Module, call: ast.Call) -> Iterator[str]:
    """Names that a compiled expression is given."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        if call in ast.walk(node.value):
            given = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (each.id for each in given if isinstance(each, ast.Name))


def witnesses(items: object) -> tuple[str, list[tuple[str, str]]]:
    """A text that a parsed expression takes, and of each repetition in it the text before it and
    what is repeated."""
    text, repeated = "", list[tuple[str, str]]()
    for op, value in items:  # type: ignore[attr-defined]
        name = str(op)
        if name == "LITERAL":
            text += chr(value)
        elif name == "NOT_LITERAL":
            text += "x" if value != ord("x") else "y"
        elif name == "ANY":
            text += "x"
        elif name == "IN":
            text += one_of(value)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = value
            once, within = witnesses(inner)
            repeated += [(text + before, what) for before, what in within]
            if high > 100 and once:
                repeated.append((text, once))
            text += once * max(low, 1)
        elif name == "SUBPATTERN":
            once, within = witnesses(value[-1])
            repeated += [(text + before, what) for before, what in within]
            text += once
        elif name == "BRANCH":
            branches = [witnesses(branch) for branch in value[1]]
            for _, within in branches:
                repeated += [(text + before, what) for before, what in within]
            each = [once for once, _ in branches if once]
            repeated += [(text, once) for once in (*each, "".join(each)) if once]
            text += branches[0][0]
    return text, repeated


def one_of(choices: list) -> str:
    """A character of a set."""
    pattern = re.compile("[" + "".join(map(written, choices)) + "]")
    return next(chr(c) for c in (*range(32, 127), *range(1 << 16)) if pattern.match(chr(c)))


def written(choice: tuple) -> str:
    name, value = str(choice[0]), choice[1]
    if name == "NEGATE":
        return "^"
    if name == "RANGE":
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    if name == "LITERAL":
        return re.escape(chr(value))
    category = str(value).split("_")
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[category[-1]]
    return "\\" + (letter.upper() if "NOT" in category else letter)


def texts(use: Use) -> list[Callable[[int], str]]:
    """Texts of any length: each repetition again and again, from the beginning of what is before
    it, and of every character that any of them takes; with an end that doesn't fit."""
    pattern = use.pattern.decode() if isinstance(use.pattern, bytes) else use.pattern
    _, repeated = witnesses(parser.parse(pattern, use.flags))
    found = {*repeated, *(("", what) for _, what in repeated), ("", " "), ("", "a"), ("", "1")}
    found |= {("", before + what) for before, what in repeated}
    made: list[Callable[[int], str]] = []
    for before, what in sorted(found):
        for end in ("", "\0", "!\n", what[:1] + "\0"):
            made.append(lambda n, b=before, w=what, e=end: b + w * (n // len(w)) + e)
    return made


def asked(use: Use) -> Callable[[str], object]:
    compiled = re.compile(use.pattern, use.flags)

    def ask(text: str) -> object:
        given = text.encode() if isinstance(use.pattern, bytes) else text
        if use.method == "sub":
            return compiled.sub(b"" if isinstance(given, bytes) else "", given)
        found = getattr(compiled, use.method)(given)
        return deque(found, maxlen=0) if use.method == "finditer" else found

    return ask


USES = sorted(set(uses()), key=str)


def test_expressions_are_found() -> None:
    assert len(USES) > 50
    assert any(use.where == "symbolic/expression_parser.py" for use in USES)


@pytest.mark.parametrize(
    "slow",
    [
        Use("", r"\s*(?:'((?:[^'\\]|\\.)*)'|(\$\d+|[^'=<>$]+?))\s*=(?!=)", 0, "match"),
        Use("", r"(.*?)\s*(?:\[([^\]]*)\])$", 0, "match"),
        Use("", r"\s+$", 0, "search"),
        Use("", r"(?:a|b|ab)*c", 0, "match"),
    ],
)
def test_texts_are_found_for_expressions_that_are_slow(slow: Use) -> None:
    """The first is what one message of a page held the process with."""
    with pytest.raises(AssertionError, match="times as long"):
        for make in texts(slow):
            assert_linear(asked(slow), make, 4096, shortest=16)


@pytest.mark.parametrize("where", sorted({use.where for use in USES}))
def test_an_expression_of_twice_the_length_takes_at_most_about_twice_the_time(where: str) -> None:
    for use in USES:
        if use.where == where:
            for make in texts(use):
                try:
                    assert_linear(asked(use), make, LONGEST)
                except AssertionError as error:
                    raise AssertionError(f"{use} on {make(24)!r}…: {error}") from None
