"""Expressions as text: infix, few parentheses, numbers that read back exactly. What reads it is in
`expression_parser.py`.

The text is that of the canonical form (`canonical_form.py`), so it depends on expressions alone:
what is written, read and written again gives the same text, and two tapes read from one text are
equal node by node. A value read back has the same bits, but for the sign of a zero, which no tape
keeps.
"""

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from touchback.errors import InputError
from touchback.symbolic import ops
from touchback.symbolic.canonical_form import Canonical, Node, Ref, canonical, reading_order
from touchback.symbolic.lookup_table import Table, Want
from touchback.symbolic.tape import Tape

FUNCTIONS: dict[int, str] = {
    ops.SQRT: "sqrt",
    ops.ABS: "abs",
    ops.FLOOR: "floor",
    ops.MIN: "min",
    ops.MAX: "max",
    ops.SELECT: "select",
    ops.SIN: "sin",
    ops.COS: "cos",
    ops.ASIN: "asin",
    ops.ACOS: "acos",
    ops.EXP: "exp",
    ops.LOG: "log",
    ops.SINH: "sinh",
    ops.COSH: "cosh",
    ops.TANH: "tanh",
    ops.ATAN2: "atan2",
}
LOOKUPS: dict[Want, str] = {
    Want.VALUE: "lookup",
    Want.DX: "lookup_dx",
    Want.DY: "lookup_dy",
    Want.DXY: "lookup_dxy",
}
_LOOKUP_CALLS = {want: name + "({table}, {operands})" for want, name in LOOKUPS.items()}
NUMBERS: dict[str, float] = {"inf": math.inf, "nan": math.nan}
PLAIN_NAME = re.compile(r"[^\W\d]\w*")  # what needs no quotes (a middle dot does, in Python it may)

_COMPARISON, _SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(6)  # how tightly a text holds together
_INFIX: dict[int, tuple[str, int, int, int]] = {  # sign, own level, levels of the operands
    ops.LT: ("<", _COMPARISON, _SUM, _SUM),
    ops.LE: ("<=", _COMPARISON, _SUM, _SUM),
    ops.EQ: ("==", _COMPARISON, _SUM, _SUM),
    ops.ADD: ("+", _SUM, _SUM, _PRODUCT),
    ops.SUB: ("-", _SUM, _SUM, _PRODUCT),
    ops.MUL: ("*", _PRODUCT, _PRODUCT, _UNARY),
    ops.DIV: ("/", _PRODUCT, _PRODUCT, _UNARY),
    ops.POW: ("**", _POWER, _ATOM, _UNARY),
}

_SHARED = 24  # a shared text that is longer gets a definition of its own
_DEEPEST = 30  # and so does a text that is nested more deeply


def quoted(name: str) -> str:
    """A name as it stands in an expression: in single quotes unless it is a plain identifier."""
    if PLAIN_NAME.fullmatch(name) and name not in NUMBERS:
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


@dataclass(frozen=True)
class Notation:
    """How expressions are written, where languages differ: names of functions and lookups, what
    stands for the name of a symbol or table and for a number, equality (of two texts, of which the
    first holds together), and names of definitions. A text that is longer than `longest` gets a
    definition. With `number_alone` an operation on numbers only,
    which a tape keeps where it gives no finite number, has the first of them in that form."""

    functions: Mapping[int, str] = field(default_factory=lambda: FUNCTIONS)
    lookups: Mapping[Want, str] = field(default_factory=lambda: _LOOKUP_CALLS)
    name: Callable[[str], str] = quoted
    number: Callable[[float], str] = lambda value: repr(value).removesuffix(".0")
    equal: str | None = None
    definition: str = "${}"
    longest: int = 1000
    number_alone: str | None = None


IN_FILES = Notation()


def to_text(
    tape: Tape,
    outputs: Sequence[int],
    symbol: Callable[[Hashable], str] = str,
    table: Callable[[Table], str] | None = None,
    notation: Notation = IN_FILES,
) -> tuple[dict[str, str], list[str]]:
    """Definitions ("$1" → text, in reading order) and the texts of the outputs.

    `symbol` and `table` name a symbol and a table; names that are no plain identifiers are quoted
    here. What expressions share is defined once, so that text grows no faster than the graph.
    """
    graph, known = canonical(tape, outputs, symbol, table or _unnamed)
    refs = [known[abs(output)].times(1 if output >= 0 else -1) for output in outputs]
    printer = _Printer(graph, notation)
    uses = _uses(graph, refs)
    for index in reading_order(graph, [ref.node for ref in refs]):
        printer.write(index, uses[index])
    return printer.definitions, [printer.piece(ref).text for ref in refs]


def _unnamed(_: Table) -> str:
    raise InputError("to_text: the expression looks up a table; give names of tables.")


def _uses(graph: Canonical, refs: Sequence[Ref]) -> list[int]:
    uses = [0] * len(graph.nodes)
    for ref in [*refs, *(ref for node in graph.nodes for ref in node.operands)]:
        uses[ref.node] += 1
    return uses


@dataclass(frozen=True)
class _Piece:
    text: str
    level: int
    depth: int = 0

    def at(self, level: int) -> "_Piece":
        """The text as an operand that must hold together at least this tightly."""
        if self.level >= level:
            return self
        return _Piece(f"({self.text})", _ATOM, self.depth + 1)


@dataclass
class _Printer:
    """Texts of canonical nodes and, where that takes no extra minus sign, of their negatives."""

    graph: Canonical
    notation: Notation
    definitions: dict[str, str] = field(default_factory=dict)
    positive: dict[int, _Piece] = field(default_factory=dict)
    negative: dict[int, _Piece] = field(default_factory=dict)

    def write(self, index: int, uses: int) -> None:
        """The text of a node whose operands are written, or a definition where that is better."""
        node = self.graph.nodes[index]
        piece = self._text(node, [self.piece(ref) for ref in node.operands])
        opposite = self._opposite(node)
        long = len(piece.text) > self.notation.longest or piece.depth > _DEEPEST
        if node.operands and (long or (uses > 1 and len(piece.text) > _SHARED)):
            name = self.notation.definition.format(len(self.definitions) + 1)
            self.definitions[name] = piece.text
            piece, opposite = _Piece(name, _ATOM), None
        self.positive[index] = piece
        if opposite is not None:
            self.negative[index] = opposite

    def piece(self, ref: Ref) -> _Piece:
        """The text of a signed node."""
        piece = self.positive[ref.node]
        if ref.sign > 0:
            return piece
        if ref.node in self.negative:
            return self.negative[ref.node]
        if piece.level == _PRODUCT:
            return _Piece(f"-{piece.text}", _PRODUCT, piece.depth)
        inner = piece.at(_POWER)
        return _Piece(f"-{inner.text}", _UNARY, inner.depth)

    def _text(self, node: Node, operands: Sequence[_Piece]) -> _Piece:
        given = self.notation
        if isinstance(node.leaf, float):
            return _Piece(given.number(node.leaf), _ATOM)
        if isinstance(node.leaf, str):
            return _Piece(given.name(node.leaf), _ATOM)
        of_numbers = bool(node.operands) and all(map(self.graph.is_constant, node.operands))
        if given.number_alone and of_numbers:
            first = _Piece(given.number_alone.format(operands[0].text), _ATOM)
            operands = [first, *operands[1:]]
        if node.leaf is not None:
            table, want = node.leaf
            return _lookup(given.lookups[want], given.name(table), operands)
        if node.op in given.functions:
            return _call(given.functions[node.op], operands)
        if node.op == ops.EQ and given.equal:  # the second may be a number, not the first alone
            turned = self.graph.is_constant(node.operands[0]) and not of_numbers
            first, second = operands[::-1] if turned else operands
            depth = 1 + max(first.depth, second.depth)
            return _Piece(given.equal.format(first.at(_ATOM).text, second.text), _ATOM, depth)
        sign, level, left, right = _INFIX[node.op]
        a, b = operands[0].at(left), operands[1].at(right)
        depth = max(a.depth, b.depth) + (node.op == ops.POW)
        return _Piece(f"{a.text} {sign} {b.text}", level, depth)

    def _opposite(self, node: Node) -> _Piece | None:
        """The negative of a node: b − a for a − b, and whatever a difference inside can turn."""
        if not node.operands:
            return None
        first, *rest = node.operands
        turned = first.node in self.negative
        if node.op in (ops.ADD, ops.SUB):
            second = rest[0]
            if turned:
                kind = ops.SUB if node.op == ops.ADD else ops.ADD
                return self._text(Node(kind, ()), [self.negative[first.node], self.piece(second)])
            if node.op == ops.SUB:
                return self._text(node, [self.piece(second), self.piece(first)])
        elif node.op in (ops.MUL, ops.DIV) and rest[0].node in self.negative:
            return self._text(node, [self.piece(first), self.negative[rest[0].node]])
        elif node.op in (ops.MUL, ops.DIV, ops.SIN, ops.ASIN, ops.SINH, ops.TANH) and turned:
            others = [self.piece(ref) for ref in rest]
            return self._text(node, [self.negative[first.node], *others])
        return None


def _lookup(pattern: str, table: str, operands: Sequence[_Piece]) -> _Piece:
    """The call of a lookup in a table, with its operands; `x_and_y` are two, None where there is
    none."""
    texts = [each.text for each in operands]
    both = ", ".join([*texts, "None"][:2])
    text = pattern.format(table=table, operands=", ".join(texts), x_and_y=both)
    return _Piece(text, _ATOM, 1 + max(each.depth for each in operands))


def _call(function: str, arguments: Sequence[_Piece]) -> _Piece:
    inside = ", ".join(argument.text for argument in arguments)
    depth = 1 + max(argument.depth for argument in arguments)
    return _Piece(f"{function}({inside})", _ATOM, depth)
