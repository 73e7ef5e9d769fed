"""The canonical form of expressions: their structure, without the history of their tape.

On a tape the age of the nodes decides which operand of a sum comes first and where a sign is pulled
out. Here the structure decides: operands are sorted by what they are, and each node has a sign such
that its leading operand counts positive. Equal expressions on different tapes get the same form.
"""

import hashlib
from collections.abc import Callable, Container, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from touchback.symbolic import ops
from touchback.symbolic.lookup_table import Table, Want
from touchback.symbolic.ops import ADD, DIV, MUL, SUB
from touchback.symbolic.tape import Tape

_LABEL = 48  # characters of a label before a digest stands for the rest


class Ref(NamedTuple):
    """A use of a canonical node: its negative where `sign` is −1."""

    sign: int
    node: int

    def times(self, sign: int) -> "Ref":
        return self if sign > 0 else Ref(-self.sign, self.node)


class Node(NamedTuple):
    """An operation on signed operands; `leaf` is a constant's value, a symbol's or table's name."""

    op: int
    operands: tuple[Ref, ...]
    leaf: float | str | tuple[str, Want] | None = None


@dataclass
class Canonical:
    """Canonical nodes, operands first, with labels that sort them."""

    nodes: list[Node] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    _known: dict[Node, int] = field(default_factory=dict)

    def add(self, node: Node) -> int:
        """The index of a node, new or known."""
        index = self._known.get(node)
        if index is None:
            index = self._known[node] = len(self.nodes)
            self.nodes.append(node)
            self.labels.append(self._label(node))
        return index

    def _label(self, node: Node) -> str:
        """What a node is, operands first; a long label ends in a digest."""
        labels = self.labels
        words = [labels[n] if sign > 0 else "-" + labels[n] for sign, n in node.operands]
        if node.leaf is not None:
            words.append(str(node.leaf))
        if node.operands:
            words.append(ops.NAME[node.op])
        label = " ".join(words)
        if len(label) <= _LABEL:
            return label
        return label[:_LABEL] + hashlib.blake2b(label.encode(), digest_size=16).hexdigest()

    def is_zero(self, ref: Ref) -> bool:
        return self.nodes[ref.node].leaf == 0.0

    def is_unsigned(self, ref: Ref) -> bool:
        """Whether a node is its own negative: zero or NaN."""
        leaf = self.nodes[ref.node].leaf
        return leaf == 0.0 or leaf != leaf

    def is_constant(self, ref: Ref) -> bool:
        return self.nodes[ref.node].op == ops.CONST

    def sorted(self, refs: Sequence[Ref], rank: Callable[[Ref], tuple[bool, ...]]) -> list[Ref]:
        return sorted(refs, key=lambda ref: (*rank(ref), self.labels[ref.node]))


def canonical(
    tape: Tape,
    outputs: Sequence[int],
    symbol: Callable[[Hashable], str],
    table: Callable[[Table], str],
) -> tuple[Canonical, dict[int, Ref]]:
    """The canonical form of the live nodes; `symbol` and `table` name the leaves."""
    graph = Canonical()
    refs: dict[int, Ref] = {}
    live = tape.live(outputs)
    for node in range(len(live)):
        if live[node]:
            refs[node] = canonical_ref(graph, tape, node, refs, symbol, table)
    return graph, refs


def reading_order(
    graph: Canonical, outputs: Sequence[int], known: Container[int] = ()
) -> list[int]:
    """Canonical nodes in the order in which a reader of the outputs' text makes them; those that
    are `known` are left out."""
    order: dict[int, None] = {}
    stack = [output for output in reversed(outputs) if output not in known]
    while stack:
        operands = [ref.node for ref in graph.nodes[stack[-1]].operands]
        waiting = [node for node in operands if node not in order and node not in known]
        if waiting:
            stack.extend(reversed(waiting))
        else:
            order[stack.pop()] = None
    return list(order)


def canonical_ref(
    graph: Canonical,
    tape: Tape,
    node: int,
    refs: dict[int, Ref],
    symbol: Callable[[Hashable], str],
    table: Callable[[Table], str],
) -> Ref:
    """The canonical form of a node whose operands' forms are in `refs`."""
    op = tape.op[node]
    if op == ops.CONST:
        value = tape.values[node]
        leaf = abs(value) if value == value else value  # abs would make another NaN
        return Ref(-1 if value < 0.0 else 1, graph.add(Node(op, (), leaf)))
    if op == ops.INPUT:
        return Ref(1, graph.add(Node(op, (), symbol(tape.names[node]))))
    operands = [refs[operand] for operand in tape.operands(node)]
    if op == ops.NEG:
        return operands[0].times(-1)
    if op in (ops.LOOKUP1, ops.LOOKUP2):
        use = tape.lookups[tape.c[node]]
        return Ref(1, graph.add(Node(op, tuple(operands), (table(use.table), use.want))))
    form = _FORMS.get(op)
    if form is None or (op == ops.ATAN2 and tape.is_settled(tape.a[node])):
        return Ref(1, graph.add(Node(op, tuple(operands))))
    return form(graph, op, operands)


def _sum(graph: Canonical, op: int, refs: list[Ref]) -> Ref:
    """Sums lead, so that chains need no parentheses; numbers come last; the first is positive."""
    if op == SUB:
        refs = [refs[0], refs[1].times(-1)]
    if graph.is_zero(refs[0]):  # settled: the tape makes it of s by itself, under atan2
        return refs[1]
    kinds = graph.nodes
    refs = graph.sorted(refs, lambda r: (kinds[r.node].op not in (ADD, SUB), graph.is_constant(r)))
    sign = refs[0].sign
    first, second = refs[0].times(sign), refs[1].times(sign)
    kind = ADD if second.sign > 0 else SUB
    return Ref(sign, graph.add(Node(kind, (first, Ref(1, second.node)))))


def _product(graph: Canonical, op: int, refs: list[Ref]) -> Ref:
    """Products lead, then numbers; signs are pulled out."""
    sign = refs[0].sign * refs[1].sign
    factors = [Ref(1, ref.node) for ref in refs]
    if op == MUL:
        kinds = graph.nodes
        factors = graph.sorted(
            factors, lambda r: (kinds[r.node].op not in (MUL, DIV), not graph.is_constant(r))
        )
    return Ref(sign, graph.add(Node(op, tuple(factors))))


def _odd(graph: Canonical, op: int, refs: list[Ref]) -> Ref:
    """sin, asin, sinh, tanh and atan2 change sign with their first operand."""
    return Ref(refs[0].sign, graph.add(Node(op, (Ref(1, refs[0].node), *refs[1:]))))


def _even(graph: Canonical, op: int, refs: list[Ref]) -> Ref:
    return Ref(1, graph.add(Node(op, (Ref(1, refs[0].node),))))


def _leading_sign(graph: Canonical, refs: Sequence[Ref]) -> int:
    return next((ref.sign for ref in refs if not graph.is_unsigned(ref)), 1)


def _signed(graph: Canonical, refs: Sequence[Ref], sign: int) -> list[Ref]:
    return [ref if graph.is_unsigned(ref) else ref.times(sign) for ref in refs]


def _extreme(graph: Canonical, op: int, refs: list[Ref]) -> Ref:
    """min(−a, b) = −max(a, −b)."""
    sign = _leading_sign(graph, refs)
    kind = op if sign > 0 else ops.MAX if op == ops.MIN else ops.MIN
    return Ref(sign, graph.add(Node(kind, tuple(_signed(graph, refs, sign)))))


def _select(graph: Canonical, op: int, refs: list[Ref]) -> Ref:
    sign = _leading_sign(graph, refs[1:])
    sides = _signed(graph, refs[1:], sign)
    return Ref(sign, graph.add(Node(op, (Ref(1, refs[0].node), *sides))))


def _less(graph: Canonical, op: int, refs: list[Ref]) -> Ref:
    """−a < −b says b < a; of a < −b and b < −a, which say the same, the first in order is taken."""
    turned = _signed(graph, refs[::-1], -1)
    mixed = {ref.sign for ref in refs} == {ref.sign for ref in turned}
    backwards = graph.labels[turned[0].node] < graph.labels[refs[0].node]
    if backwards if mixed else all(ref.sign < 0 or graph.is_unsigned(ref) for ref in refs):
        refs = turned
    return Ref(1, graph.add(Node(op, tuple(refs))))


def _equal(graph: Canonical, op: int, refs: list[Ref]) -> Ref:
    refs = graph.sorted(refs, lambda ref: ())
    return Ref(1, graph.add(Node(op, tuple(_signed(graph, refs, _leading_sign(graph, refs))))))


_FORMS: dict[int, Callable[[Canonical, int, list[Ref]], Ref]] = {
    ops.ADD: _sum,
    ops.SUB: _sum,
    ops.MUL: _product,
    ops.DIV: _product,
    ops.SIN: _odd,
    ops.ASIN: _odd,
    ops.SINH: _odd,
    ops.TANH: _odd,
    ops.ATAN2: _odd,
    ops.COS: _even,
    ops.COSH: _even,
    ops.ABS: _even,
    ops.MIN: _extreme,
    ops.MAX: _extreme,
    ops.SELECT: _select,
    ops.LT: _less,
    ops.LE: _less,
    ops.EQ: _equal,
}
