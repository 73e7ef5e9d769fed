"""Expressions of a tape as text of Modelica, and names of a model as its identifiers."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from touchback import Table
from touchback.errors import InputError
from touchback.symbolic import LOOKUPS, NUMBERS, Tape, Want, to_text

_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly a text holds together


_SIGNS = {ast.Add: ("+", _SUM), ast.Sub: ("-", _SUM), ast.Mult: ("*", _PRODUCT),
          ast.Div: ("/", _PRODUCT)}  # fmt: skip


_RELATIONS = {ast.Lt: "{} < {}", ast.LtE: "{} <= {}", ast.Eq: "abs({} - ({})) <= 0"}


_WANTED = {name: want for want, name in LOOKUPS.items()}


_SHARED = re.compile(r"\$(\d+)")


@dataclass(frozen=True)
class Texts:
    """What expressions share, by names, in order; the expressions; the symbols they use."""

    shared: dict[str, str]
    each: list[str]
    symbols: set[str]


def texts(
    tape: Tape,
    nodes: Sequence[int],
    symbol: Callable[[Hashable], str] = str,
    shared: str = "s",
    inline: bool = False,
) -> Texts:
    """Nodes of a tape as expressions of Modelica, in which a symbol stands as what it is called.
    What they share is called "s1", "s2", …, or stands in each of them, `inline`."""
    tables: dict[str, Table] = {}

    def called(table: Table) -> str:
        name = next((x for x, known in tables.items() if known == table), f"t{len(tables)}")
        tables[name] = table
        return name

    definitions, outputs = to_text(tape, nodes, lambda name: f".{symbol(name)}", called)
    parsed = {f"shared_{name[1:]}": _parsed(text) for name, text in definitions.items()}
    writer = _Writer(parsed if inline else {}, shared, tables)
    named = {} if inline else {writer.local(x): writer.text(y) for x, y in parsed.items()}
    return Texts(named, [writer.text(_parsed(text)) for text in outputs], writer.symbols)


def number(value: float) -> str:
    """A number that reads back exactly."""
    return repr(float(value) + 0.0)  # no -0.0


def numbers(values: Sequence[float] | np.ndarray) -> str:
    """An array of numbers."""
    return f"{{{', '.join(number(x) for x in values)}}}"


def _parsed(text: str) -> ast.expr:
    return ast.parse(_SHARED.sub(r"shared_\1", text), mode="eval").body


class _Writer:
    """Modelica has no minus after another sign, no numbers from relations and no equal reals."""

    def __init__(self, inlined: dict[str, ast.expr], shared: str, tables: dict[str, Table]) -> None:
        self._inlined, self._shared, self._tables = inlined, shared, tables
        self.symbols: set[str] = set()

    def local(self, name: str) -> str:
        return self._shared + name.removeprefix("shared_")

    def text(self, node: ast.expr) -> str:
        return self._at(node, _SUM, first=True)

    def _at(self, node: ast.expr, level: int, first: bool = False) -> str:
        """The text as an operand that holds together so tightly; only a `first` one has a sign."""
        text, own = self._piece(node)
        signed = text.startswith("-") and not first
        return f"({text})" if own < level or signed else text

    def _piece(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.Constant(str(name)):
                self.symbols.add(name[1:])
                return name[1:], _ATOM
            case ast.Constant(int(value) | float(value)):
                return number(value), _ATOM
            case ast.Name(name):
                return self._name(name)
            case ast.UnaryOp(ast.USub(), operand):
                return f"-{self._at(operand, _PRODUCT)}", _SUM
            case ast.BinOp(left, ast.Pow(), right):
                return f"{self._at(left, _ATOM)}^{self._at(right, _ATOM)}", _POWER
            case ast.BinOp(ast.UnaryOp(ast.USub(), left), ast.Mult() | ast.Div() as sign, right):
                return f"-{self._piece(ast.BinOp(left, sign, right))[0]}", _SUM
            case ast.BinOp(left, sign, right):
                shown, level = _SIGNS[type(sign)]
                space = " " if level == _SUM else ""
                first = self._at(left, level, first=level == _SUM)
                return f"{first}{space}{shown}{space}{self._at(right, level + 1)}", level
            case ast.Compare():
                return f"noEvent(if {self._condition(node)} then 1.0 else 0.0)", _ATOM
            case ast.Call(ast.Name(name), arguments):
                return self._call(name, arguments), _ATOM
        raise InputError(f"modelica: {ast.dump(node)} has no text.")

    def _name(self, name: str) -> tuple[str, int]:
        if name in self._inlined:
            return self._piece(self._inlined[name])
        if name in NUMBERS:
            raise InputError(f"modelica: an expression has the number {name}, which isn't finite.")
        return self.local(name), _ATOM

    def _call(self, name: str, arguments: list[ast.expr]) -> str:
        if name == "select":
            condition, yes, no = arguments
            return (
                f"noEvent(if {self._condition(condition)} then {self.text(yes)} "
                f"else {self.text(no)})"
            )
        if name in _WANTED:
            return self._lookup(_WANTED[name], *arguments)
        inner = ", ".join(self.text(argument) for argument in arguments)
        return f"noEvent(floor({inner}))" if name == "floor" else f"{name}({inner})"

    def _lookup(self, want: Want, named: ast.expr, *at: ast.expr) -> str:
        table = self._tables[ast.unparse(named)]
        where = ", ".join(self.text(each) for each in at)
        if not table.y:
            name = "lookup" if want == Want.VALUE else "lookup_dx"
            return f"{name}({numbers(table.x)}, {numbers(table.values)}, {where})"
        rows = np.reshape(table.values, (len(table.x), len(table.y)))
        values = f"{{{', '.join(numbers(row) for row in rows)}}}"
        by_x, by_y = ("true" if way in want.name[1:] else "false" for way in "XY")
        return (
            f"lookup_2({numbers(table.x)}, {numbers(table.y)}, {values}, {where}, {by_x}, {by_y})"
        )

    def _condition(self, node: ast.expr) -> str:
        if isinstance(node, ast.Compare):
            relation = _RELATIONS[type(node.ops[0])]
            return relation.format(self.text(node.left), self.text(node.comparators[0]))
        return f"abs({self.text(node)}) > 0"


_RESERVED = """
algorithm and annotation block break class connect connector constant constrainedby der discrete
each else elseif elsewhen encapsulated end enumeration equation expandable extends external false
final flow for function if import impure in initial inner input loop model not operator or outer
output package parameter partial protected public pure record redeclare replaceable return stream
then true type when while within time

abs sign sqrt div mod rem ceil floor integer sin cos tan asin acos atan atan2 sinh cosh tanh exp log
log10 delay pre edge change sample reinit noEvent smooth homotopy semiLinear terminal assert
terminate size ndims scalar vector matrix transpose outerProduct identity diagonal zeros ones fill
linspace min max sum product symmetric cross skew cat array Real Integer Boolean String StateSelect
"""  # words of the language, and what is known everywhere


class Names:
    """Identifiers, made when first asked for."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._used = {*_RESERVED.split(), *taken}

    def of(self, kind: str, name: str, prefixed: bool = False) -> str:
        """The identifier of a thing of some kind, "kind_name" or as near to its name as can be."""
        known = self._known.get((kind, name))
        if known is None:
            known = self.fresh(f"{kind}_{name}" if prefixed else name)
            self._known[kind, name] = known
        return known

    def fresh(self, name: str) -> str:
        """An identifier that nothing has yet."""
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).rstrip("_") or "_"
        plain = plain if not plain[0].isdigit() else f"_{plain}"
        found, number = plain, 2
        while found in self._used:
            found, number = f"{plain}_{number}", number + 1
        self._used.add(found)
        return found


def quoted(text: str) -> str:
    """A text as that of a comment between quotes."""
    return one_line(text).replace("\\", "/").replace('"', "'")


def one_line(text: str) -> str:
    """Without breaks."""
    return " ".join(text.split())
