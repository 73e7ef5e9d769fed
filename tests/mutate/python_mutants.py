"""Mutants of Python: small changes of a module, as edits of its text at nodes of its syntax."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator

from mutant import Mutant

BINARY = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"), ast.Mod: ("%", "*"), ast.Pow: ("**", "*"), ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"), ast.LShift: ("<<", ">>"), ast.RShift: (">>", "<<"),
}  # fmt: skip
COMPARISONS = {
    ast.Lt: (r"<", ("<=", ">")), ast.LtE: (r"<=", ("<", ">=")), ast.Gt: (r">", (">=", "<")),
    ast.GtE: (r">=", (">", "<=")), ast.Eq: (r"==", ("!=",)), ast.NotEq: (r"!=", ("==",)),
    ast.Is: (r"is\b", ("is not",)), ast.IsNot: (r"is\s+not\b", ("is",)),
    ast.In: (r"in\b", ("not in",)), ast.NotIn: (r"not\s+in\b", ("in",)),
}  # fmt: skip
CALLED = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "sin": "cos",
    "cos": "sin", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor", "add": "sub",
    "sub": "add",
}  # fmt: skip
WORDS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)  # whose sum has no difference
_Piece = tuple[int, int, str]  # from byte, to byte, what stands there instead


def python_mutants(path: str, text: str) -> Iterator[Mutant]:
    """All mutants of a module, in the order of its lines."""
    source = _Source(path, text)
    for node, scope in _acting(source.tree, ""):
        for kind, pieces in _changes(node, source):
            yield source.mutant(node, scope, kind, pieces)


def differs(mutant: Mutant) -> bool:
    """Whether it parses, as something else."""
    try:
        return ast.dump(ast.parse(mutant.after)) != ast.dump(ast.parse(mutant.before))
    except (SyntaxError, ValueError):
        return False


class _Source:
    """A module's bytes, its syntax tree, and where nodes stand."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text, self.raw = path, text, text.encode()
        self.tree = ast.parse(text)
        self.starts = [0]
        for line in self.raw.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def segment(self, node: ast.expr | ast.stmt) -> str:
        start, end = self.span(node)
        return self.raw[start:end].decode()

    def between(self, left: ast.expr, right: ast.expr, symbol: str) -> tuple[int, int] | None:
        """Where an operator stands between its operands, unless a comment hides it."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = re.match(rf"[\s)\\]*({symbol})", self.raw[start:end].decode())
        if found is None:
            return None
        first, last = (len(found.string[:i].encode()) for i in found.span(1))
        return start + first, start + last

    def mutant(self, node: ast.AST, scope: str, kind: str, pieces: list[_Piece]) -> Mutant:
        raw = self.raw
        for start, end, instead in sorted(pieces, reverse=True):
            raw = raw[:start] + instead.encode() + raw[end:]
        first = min(start for start, _, _ in pieces)
        line = bisect_right(self.starts, first)
        return Mutant(self.path, line, scope, kind, self.text, raw.decode())


def _acting(node: ast.AST, scope: str) -> Iterator[tuple[ast.AST, str]]:
    """A node's own, without documentation, annotations, imports, messages of errors and names."""
    inner = scope
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        inner = f"{scope}.{node.name}" if scope else node.name
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "format_spec"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _silent(child):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child, inner
            if not isinstance(child, ast.Raise | ast.JoinedStr):
                yield from _acting(child, inner)


def _silent(node: ast.AST) -> bool:
    """What tests can't notice, or notice always."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # documentation
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets)


def _changes(node: ast.AST, source: _Source) -> Iterator[tuple[str, list[_Piece]]]:
    """The kinds of change that a node allows."""
    if isinstance(node, ast.BinOp):
        yield from _binary(node, source)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        symbol, others = COMPARISONS[type(node.ops[0])]
        place = source.between(node.left, node.comparators[0], symbol)
        for other in others if place else ():
            yield "comparison", [(*place, other)]  # type: ignore[misc]
    elif isinstance(node, ast.BoolOp):
        symbol, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:]):
            if place := source.between(left, right, symbol):
                yield "logic", [(*place, other)]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not):
        start = source.span(node)[0]
        length = 1 if isinstance(node.op, ast.USub) else 3
        yield "sign", [(start, start + length, "")]
    elif isinstance(node, ast.Constant):
        for other in _other_constants(node.value):
            yield "constant", [(*source.span(node), other)]
    elif isinstance(node, ast.Call):
        yield from _call(node, source)
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition", [(*source.span(node.test), f"not ({source.segment(node.test)})")]
    elif isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "returned value", [(*source.span(node.value), "None")]
        if isinstance(node.value, ast.BinOp | ast.Call) and not _of_words(node.value):
            yield "sign flip", [(*source.span(node.value), f"-({source.segment(node.value)})")]
    elif isinstance(node, ast.stmt):
        yield from _statement(node, source)


def _of_words(node: ast.expr) -> bool:
    return any(isinstance(each, (*WORDS, ast.Constant)) and _is_words(each)
               for each in ast.walk(node))  # fmt: skip


def _is_words(node: ast.AST) -> bool:
    return isinstance(node, WORDS) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _binary(node: ast.BinOp, source: _Source) -> Iterator[tuple[str, list[_Piece]]]:
    if type(node.op) not in BINARY or _is_words(node.left) or _is_words(node.right):
        return
    symbol, other = BINARY[type(node.op)]
    if place := source.between(node.left, node.right, re.escape(symbol)):
        yield "operator", [(*place, other)]


def _other_constants(value: object) -> list[str]:
    if isinstance(value, bool):
        return [repr(not value)]
    if isinstance(value, int):
        return [repr(value + 1), repr(value - 1)] if value > 0 else [repr(value + 1)]
    if isinstance(value, float):
        return [repr(1.5 * value) if value else "1.0"]
    return []


def _call(node: ast.Call, source: _Source) -> Iterator[tuple[str, list[_Piece]]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    name = node.func.id if isinstance(node.func, ast.Name) else name
    if name in CALLED:
        end = source.span(node.func)[1]
        yield "function", [(end - len(name), end, CALLED[name])]
    plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
    if len(plain) == len(node.args) and len(plain) > 1 and name not in (*CALLED, "isinstance"):
        one, two = (source.segment(arg) for arg in plain[:2])
        if one != two:
            yield "swapped arguments", [
                (*source.span(plain[0]), two), (*source.span(plain[1]), one)
            ]  # fmt: skip
    if name == "abs" and len(plain) == 1:
        yield "function", [(*source.span(node), f"({source.segment(plain[0])})")]


def _statement(node: ast.stmt, source: _Source) -> Iterator[tuple[str, list[_Piece]]]:
    """Statements that are dropped, and values with another sign. A name that nothing is assigned to
    any more would be noticed always: such assignments stay."""
    held = node.targets if isinstance(node, ast.Assign) else []
    kept = any(isinstance(each, ast.Name | ast.Tuple) for each in held)
    called = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Yield | ast.YieldFrom)
    if called or (isinstance(node, ast.Assign) and not kept) or isinstance(
        node, ast.AugAssign | ast.Raise | ast.Delete | ast.Continue | ast.Break
    ):  # fmt: skip
        yield "dropped statement", [(*source.span(node), "pass")]
    if isinstance(node, ast.AugAssign) and type(node.op) in BINARY:
        symbol, other = BINARY[type(node.op)]
        if place := source.between(node.target, node.value, re.escape(symbol + "=")):
            yield "operator", [(*place, f"{other}=")]
    value = node.value if isinstance(node, ast.Assign) else None
    if isinstance(value, ast.BinOp) and not _of_words(value):
        yield "sign flip", [(*source.span(value), f"-({source.segment(value)})")]
