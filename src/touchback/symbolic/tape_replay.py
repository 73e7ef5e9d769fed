"""Translation of a growing tape onto other scalars, node by node and on demand.

Nodes are taken in their canonical form: what becomes of an expression, to the last bit, depends on
what it says and not on the order in which its parts were written. So a model that is read from its
file is the model that was written.

Replay: the live part of a tape over any scalars: onto another tape, or on numbers.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar, cast

from touchback.errors import InputError
from touchback.symbolic import ops
from touchback.symbolic.canonical_form import Canonical, Ref, canonical_ref, reading_order
from touchback.symbolic.lookup_table import Table
from touchback.symbolic.numeric_operations import OPERATIONS
from touchback.symbolic.scalars import Scalars, settled
from touchback.symbolic.tape import Tape

T = TypeVar("T")


class Translator(Generic[T]):
    """Scalars of nodes, computed once; `resolve` gives that of a symbol when it is first needed."""

    def __init__(self, tape: Tape, k: Scalars[T], resolve: Callable[[Hashable], T]) -> None:
        self._tape = tape
        self._k = k
        self._resolve = resolve
        self._graph = Canonical()
        self._refs: dict[int, Ref] = {}
        self._symbols: dict[str, Hashable] = {}
        self._tables: dict[str, Table] = {}
        self._known: dict[int, T] = {}  # scalars of canonical nodes
        self._settled: dict[int, list[bool]] = {}  # canonical atan2 → which operands are settled

    def __call__(self, node: int) -> T:
        """The scalar of a signed node."""
        self._canonise(abs(node))
        ref = self._refs[abs(node)].times(1 if node >= 0 else -1)
        for index in reading_order(self._graph, [ref.node], self._known):
            if index not in self._known:  # as a symbol may be resolved by expressions
                self._known[index] = self._compute(index)
        return self._signed(ref)

    def _canonise(self, node: int) -> None:
        """Takes in a node and all that it is made of."""
        tape, refs, stack = self._tape, self._refs, [node]
        while stack:
            top = stack[-1]
            waiting = [operand for operand in tape.operands(top) if operand not in refs]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if top not in refs:
                refs[top] = canonical_ref(
                    self._graph, tape, top, refs, self._symbol_label, self._table_label
                )
                if tape.op[top] == ops.ATAN2:  # the canonical form leaves settling to tapes
                    sides = [tape.is_settled(operand) for operand in tape.operands(top)]
                    self._settled[refs[top].node] = sides

    def _symbol_label(self, symbol: Hashable) -> str:
        label = str(symbol)
        self._symbols[label] = symbol
        return label

    def _table_label(self, table: Table) -> str:
        for label, known in self._tables.items():
            if known == table:
                return label
        label = f"table {len(self._tables)}"
        self._tables[label] = table
        return label

    def _compute(self, index: int) -> T:
        k, node = self._k, self._graph.nodes[index]
        op = node.op
        if op == ops.CONST:
            return k.const(cast(float, node.leaf))
        if op == ops.INPUT:
            return self._resolve(self._symbols[str(node.leaf)])
        operands = [self._signed(ref) for ref in node.operands]
        if isinstance(node.leaf, tuple):
            name, want = node.leaf
            second = operands[1] if op == ops.LOOKUP2 else None
            return k.lookup(self._tables[name], operands[0], second, want)
        if op == ops.ATAN2:
            sides = zip(operands, self._settled[index], strict=True)
            operands = [settled(k, side) if is_sum else side for side, is_sum in sides]
        return getattr(k, METHODS[op])(*operands)

    def _signed(self, ref: Ref) -> T:
        scalar = self._known[ref.node]
        return scalar if ref.sign > 0 else self._k.neg(scalar)


METHODS = {op: name for name, op in OPERATIONS.items()}


def replay(tape: Tape, outputs: Sequence[int], k: Scalars[T], env: Mapping[Hashable, T]) -> list[T]:
    """The outputs computed over the scalars `k`.

    `env` gives the scalar of each symbol by its name; an int key is a node whose scalar is known,
    and nothing below such a node is computed.
    """
    known: dict[int, T] = {}
    for key, scalar in env.items():
        node = key if isinstance(key, int) else tape.symbols.get(key)
        if node is not None:
            known[node] = scalar
    for node in _needed(tape, outputs, known):
        known[node] = compute_node(tape, node, k, known)
    return [known[o] if o >= 0 else k.neg(known[-o]) for o in outputs]


def _needed(tape: Tape, outputs: Sequence[int], known: Mapping[int, T]) -> list[int]:
    """Nodes to compute, operands first."""
    marks = {abs(o) for o in outputs if abs(o) not in known}
    for node in range(max(marks, default=0), -1, -1):
        if node in marks:
            marks.update(o for o in tape.operands(node) if o not in known)
    return sorted(marks)


def compute_node(tape: Tape, node: int, k: Scalars[T], known: Mapping[int, T]) -> T:
    """The scalar of one node whose operands are known."""
    op = tape.op[node]
    if op == ops.CONST:
        return k.const(tape.values[node])
    if op == ops.INPUT:
        raise InputError(f"No value was given for {tape.names[node]!r}, which the expression uses.")
    operands = [known[operand] for operand in tape.operands(node)]
    if op == ops.LOOKUP1 or op == ops.LOOKUP2:
        use = tape.lookups[tape.c[node]]
        return k.lookup(
            use.table, operands[0], operands[1] if op == ops.LOOKUP2 else None, use.want
        )
    if tape.is_settled(node):
        return settled(k, operands[1] if op == ops.ADD else k.neg(operands[1]))
    result: T = getattr(k, METHODS[op])(*operands)
    return result
