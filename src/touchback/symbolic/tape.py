"""The tape: a hash-consed graph of scalar operations in which a value is a signed integer.

0 is zero, 1 is one, and −k is the negative of k, so negation costs nothing and the most common
simplifications are integer comparisons. Nodes are stored once (common subexpressions), with
operands in a canonical order and without signs: a sign is either pulled out of the operation or,
where that is impossible (exp(−x)), materialised as a `neg` node. Simplifications beyond 0 and ±1
are rows of `simplification_rules.py`.

Sums and products of a tape as closures: a node costs about a microsecond, half of what methods
take.

Signs of zeros: which nodes of a tape have them as the expression is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from touchback.symbolic import ops
from touchback.symbolic.lookup_table import Lookup, Table, Want
from touchback.symbolic.ops import ADD, CONST, COS, DIV, INPUT, MUL, NEG, SIN, SUB
from touchback.symbolic.simplification_rules import RULES, SCALED, SQUARE, Rule, dispatch, is_normal

Id = int


class Alike(NamedTuple):
    """Of which branch a symbol is: those of the same group and part correspond."""

    group: int
    part: int
    branch: int


class Tape:
    """A growing graph. Every method takes and returns signed node ids."""

    def __init__(self, rules: Iterable[Rule] = RULES) -> None:
        self.op: list[int] = [CONST, CONST]
        self.a: list[int] = [0, 0]
        self.b: list[int] = [0, 0]
        self.c: list[int] = [0, 0]
        self.values: dict[int, float] = {0: 0.0, 1: 1.0}
        self.symbols: dict[Hashable, int] = {}
        self.names: dict[int, Hashable] = {}
        self.alike: dict[int, Alike] = {}  # symbols of isomorphic branches
        self.lookups: list[Lookup] = []
        self.kind: list[int] = [CONST, CONST]  # the operation, or a finer kind that rules look at
        self._const_ids: dict[float, int] = {1.0: 1}
        self.not_finite: set[int] = set()  # constants that 0 times and less itself don't become 0
        self._nodes: dict[tuple[int, int, int, int], int] = {}
        self.tries = dispatch(tuple(rules))
        self.mul: Callable[[Id, Id], Id] = multiplication(self)
        self.add: Callable[[Id, Id], Id] = addition(self)

    def __len__(self) -> int:
        return len(self.op)

    # ---- leaves

    def const(self, value: float) -> Id:
        """The node of a number; numbers are shared, and negative ones are negated positive ones.

        Where branches are alike, negative ones are nodes of their own, so that branches whose
        numbers differ in sign (left and right) are the same operations."""
        value = float(value)
        if value == 0.0:
            return 0
        if value == -1.0 or (value < 0.0 and not self.alike):
            return -self.const(-value)
        return self._number(value)

    def _number(self, value: float) -> Id:
        """The unsigned node of a number of whatever sign; NaN has none."""
        value = value if value == value else math.nan  # one object, as no NaN equals another
        known = self._const_ids.get(value)
        if known is not None:
            return known
        node = self._append(CONST, 0, 0, 0)
        self.values[node] = value
        self._const_ids[value] = node
        if not math.isfinite(value):
            self.not_finite.add(node)
        return node

    def symbol(self, name: Hashable) -> Id:
        """The node of a named input, made on first use."""
        known = self.symbols.get(name)
        if known is None:
            known = self._append(INPUT, 0, 0, 0)
            self.symbols[name] = known
            self.names[known] = name
        return known

    def value(self, node: Id) -> float | None:
        """The number behind a constant node, None for any other node."""
        known = self.values.get(abs(node))
        return known if known is None or node >= 0 else -known

    def _append(self, op: int, a: int, b: int, c: int) -> Id:
        self.op.append(op)
        self.kind.append(op)
        self.a.append(a)
        self.b.append(b)
        self.c.append(c)
        return len(self.op) - 1

    # ---- arithmetic (add and mul are closures: they are the hot path)

    def sub(self, a: Id, b: Id) -> Id:
        return self.add(a, -b)

    def neg(self, a: Id) -> Id:
        return -a

    def div(self, a: Id, b: Id) -> Id:
        if a == 0 and abs(b) not in self.not_finite:
            return 0 if b != 0 else self.const(math.nan)
        sign = 1 if (a >= 0) == (b >= 0) else -1
        a, b = abs(a), abs(b)
        if b == 1:
            return sign * a
        divisor = self.values.get(b)
        if divisor is not None and divisor != 0.0:
            dividend = self.values.get(a)
            if dividend is not None:
                return sign * self.const(dividend / divisor)
            if is_normal(1.0 / divisor):
                return sign * self.mul(self.const(1.0 / divisor), a)
        return sign * self.node(DIV, a, b)

    # ---- everything else

    def node(self, op: int, a: Id, b: Id = 0, c: Id = 0) -> Id:
        """The node of an operation on unsigned operands: found, folded, simplified, or new."""
        key = (op, a, b, c)
        known = self._nodes.get(key)
        if known is None:
            known = self._simplified(op, a, b, c)
            if known is None:
                known = self._append(op, a, b, c)
            self._nodes[key] = known
        return known

    def _simplified(self, op: int, a: Id, b: Id, c: Id) -> Id | None:
        for rule in self.tries[op][self.kind[a]][self.kind[b]]:
            found = rule(self, a, b, c)
            if found is not None:
                return found
        return None

    def positive(self, a: Id) -> Id:
        """A node with no sign for operations that can't absorb one."""
        if a >= 0:
            return a
        number = self.values.get(-a)
        if number is not None:
            return self._number(-number)
        return self._kept(NEG, -a)

    def _kept(self, op: int, a: Id, b: Id = 0) -> Id:
        """The node of an operation that no rule may touch."""
        key = (op, a, b, 0)
        known = self._nodes.get(key)
        if known is None:
            known = self._nodes[key] = self._append(op, a, b, 0)
        return known

    def _settled(self, a: Id) -> Id:
        """A node with no sign whose zero has the sign that it has in the expression as written.

        x − y and y − x are one node and its negative here, so that the zeros of sums lose their
        signs. Those count as +0, which is what x − y gives at x = y: 0 + s turns −0 into it."""
        if keeps_zeros(self, abs(a)):
            return self.positive(a)
        return self._kept(ADD, 0, a) if a > 0 else self._kept(SUB, 0, -a)

    def is_settled(self, node: Id) -> bool:
        """Whether a node is 0 + s or 0 − s, which atan2 makes of a sum."""
        return self.op[node] in (ADD, SUB) and self.a[node] == 0

    def sincos(self, a: Id) -> tuple[Id, Id]:
        """(sin a, cos a), with sin(−a) = −sin a and cos(−a) = cos a."""
        s = self.node(SIN, abs(a))
        return (s if a >= 0 else -s), self.node(COS, abs(a))

    def sin(self, a: Id) -> Id:
        return self.node(SIN, a) if a >= 0 else -self.node(SIN, -a)

    def cos(self, a: Id) -> Id:
        return self.node(COS, abs(a))

    def tan(self, a: Id) -> Id:
        s, c = self.sincos(a)
        return self.div(s, c)

    def asin(self, a: Id) -> Id:
        return self.node(ops.ASIN, a) if a >= 0 else -self.node(ops.ASIN, -a)

    def acos(self, a: Id) -> Id:
        return self.node(ops.ACOS, self.positive(a))

    def atan2(self, y: Id, x: Id) -> Id:
        x = self._settled(x)
        if y < 0 and keeps_zeros(self, -y):
            return -self.node(ops.ATAN2, -y, x)
        return self.node(ops.ATAN2, self._settled(y), x)

    def atan(self, a: Id) -> Id:
        return self.atan2(a, 1)

    def sqrt(self, a: Id) -> Id:
        return self.node(ops.SQRT, self.positive(a))

    def exp(self, a: Id) -> Id:
        return self.node(ops.EXP, self.positive(a))

    def log(self, a: Id) -> Id:
        return self.node(ops.LOG, self.positive(a))

    def sinh(self, a: Id) -> Id:
        return self.node(ops.SINH, a) if a >= 0 else -self.node(ops.SINH, -a)

    def cosh(self, a: Id) -> Id:
        return self.node(ops.COSH, abs(a))

    def tanh(self, a: Id) -> Id:
        return self.node(ops.TANH, a) if a >= 0 else -self.node(ops.TANH, -a)

    def hypot(self, a: Id, b: Id) -> Id:
        return self.sqrt(self.add(self.mul(a, a), self.mul(b, b)))

    def clip(self, a: Id, low: Id, high: Id) -> Id:
        return self.minimum(self.maximum(a, low), high)

    def pow(self, a: Id, b: Id) -> Id:
        """a ** b; small whole powers and halves become products and roots (see the rules)."""
        return self.node(ops.POW, self.positive(a), self.positive(b))

    def abs(self, a: Id) -> Id:
        return self.node(ops.ABS, abs(a))

    def floor(self, a: Id) -> Id:
        return self.node(ops.FLOOR, self.positive(a))

    def minimum(self, a: Id, b: Id) -> Id:
        if a <= 0 and b <= 0:
            return -self.node(ops.MAX, -a, -b)
        return self.node(ops.MIN, self.positive(a), self.positive(b))

    def maximum(self, a: Id, b: Id) -> Id:
        if a <= 0 and b <= 0:
            return -self.node(ops.MIN, -a, -b)
        return self.node(ops.MAX, self.positive(a), self.positive(b))

    def less(self, a: Id, b: Id) -> Id:
        if a <= 0 and b <= 0:
            a, b = -b, -a
        return self.node(ops.LT, self.positive(a), self.positive(b))

    def less_equal(self, a: Id, b: Id) -> Id:
        if a <= 0 and b <= 0:
            a, b = -b, -a
        return self.node(ops.LE, self.positive(a), self.positive(b))

    def equal(self, a: Id, b: Id) -> Id:
        if a <= 0 and b <= 0:
            a, b = -a, -b
        a, b = self.positive(a), self.positive(b)
        return self.node(ops.EQ, min(a, b), max(a, b))

    def select(self, condition: Id, yes: Id, no: Id) -> Id:
        """`yes` where the condition is not zero, else `no`; the other side may be NaN."""
        condition = abs(condition)
        if yes <= 0 and no <= 0:
            return -self.node(ops.SELECT, condition, -yes, -no)
        return self.node(ops.SELECT, condition, self.positive(yes), self.positive(no))

    def sign(self, a: Id) -> Id:
        """1, 0 or −1."""
        return self.add(self.less(0, a), -self.less(a, 0))

    def lookup(self, table: Table, x: Id, y: Id | None = None, want: Want = Want.VALUE) -> Id:
        """Interpolated value (or derivative) of a table at x, or at (x, y)."""
        use = Lookup(table, want)
        index = self.lookups.index(use) if use in self.lookups else len(self.lookups)
        if index == len(self.lookups):
            self.lookups.append(use)
        if y is None:
            return self.node(ops.LOOKUP1, self.positive(x), 0, index)
        return self.node(ops.LOOKUP2, self.positive(x), self.positive(y), index)

    # ---- reading

    def operands(self, node: Id) -> tuple[Id, ...]:
        """The operand nodes of a node (not the lookup index)."""
        node = abs(node)
        return (self.a[node], self.b[node], self.c[node])[: ops.ARITY[self.op[node]]]

    def live(self, outputs: Iterable[Id]) -> bytearray:
        """A mark for every node that some output depends on (0 and 1 included when used)."""
        mark = bytearray(len(self.op))
        for output in outputs:
            mark[abs(output)] = 1
        arity, op, a, b, c = ops.ARITY, self.op, self.a, self.b, self.c
        for i in range(len(op) - 1, 1, -1):
            if mark[i]:
                n = arity[op[i]]
                if n:
                    mark[a[i]] = 1
                    if n > 1:
                        mark[b[i]] = 1
                        if n > 2:
                            mark[c[i]] = 1
        return mark


def addition(tape: Tape) -> Callable[[Id, Id], Id]:
    """a + b of signed nodes: found, folded, simplified, or new."""
    op, kind, not_finite, mul = tape.op, tape.kind, tape.not_finite, tape.mul
    op_append, kind_append = op.append, kind.append
    a_append, b_append, c_append = tape.a.append, tape.b.append, tape.c.append
    sums: dict[int, int] = {}  # by x · 2^32 + y: one number is a cheaper key than a pair
    known, tries = sums.get, tape.tries[ADD]

    def add(a: Id, b: Id) -> Id:
        if not a:
            return b
        if not b:
            return a
        x = a if a > 0 else -a
        y = b if b > 0 else -b
        if x > y:
            a, b, x, y = b, a, y, x
        elif x == y:
            if a != b:
                return 0 if x not in not_finite else tape.const(math.nan)
            return mul(tape.const(2.0), a)
        if a < 0:
            b = -b
        key = (x << 32) + b
        r = known(key)
        if r is None:
            for rule in tries[kind[x]][kind[y]]:
                r = rule(tape, x, b, 0)
                if r is not None:
                    break
            else:
                r = len(op)
                operation = ADD if b > 0 else SUB
                op_append(operation)
                kind_append(operation)
                a_append(x)
                b_append(y)
                c_append(0)
            sums[key] = r
        return r if a > 0 else -r

    return add


def multiplication(tape: Tape) -> Callable[[Id, Id], Id]:
    """a · b of signed nodes: found, folded, simplified, or new."""
    op, kind, not_finite = tape.op, tape.kind, tape.not_finite
    op_append, kind_append = op.append, kind.append
    a_append, b_append, c_append = tape.a.append, tape.b.append, tape.c.append
    products: dict[int, int] = {}
    known, tries = products.get, tape.tries[MUL]

    def mul(a: Id, b: Id) -> Id:
        if not a or not b:
            return 0 if not not_finite or abs(a + b) not in not_finite else tape.const(math.nan)
        x = a if a > 0 else -a
        y = b if b > 0 else -b
        if x > y:
            x, y = y, x
        if x == 1:
            return y if (a > 0) is (b > 0) else -y
        key = (x << 32) + y
        r = known(key)
        if r is None:
            kind_x, kind_y = kind[x], kind[y]
            for rule in tries[kind_x][kind_y]:
                r = rule(tape, x, y, 0)
                if r is not None:
                    break
            else:
                r = len(op)
                op_append(MUL)
                scaled = kind_x == CONST or kind_y == CONST
                kind_append(SQUARE if x == y else SCALED if scaled else MUL)
                a_append(x)
                b_append(y)
                c_append(0)
            products[key] = r
        return r if (a > 0) is (b > 0) else -r

    return mul


_KEEPING = frozenset(
    (ops.MUL, ops.DIV, ops.NEG, ops.SIN, ops.ASIN, ops.ATAN2, ops.ABS, ops.SQRT, ops.FLOOR, ops.EXP,
     ops.LOG, ops.COS, ops.ACOS, ops.SINH, ops.COSH, ops.TANH, ops.LT, ops.LE, ops.EQ)
)  # fmt: skip


"""Operations whose zeros have the right sign if those of their operands have."""


def keeps_zeros(tape: Tape, node: int) -> bool:
    """Whether there is no sum (or choice) below a node down to which its zeros come from."""
    waiting, seen = [node], {node}
    while waiting:
        node = waiting.pop()
        op = tape.op[node]
        if tape.is_settled(node):
            continue
        if op not in _KEEPING and ops.ARITY[op]:
            return False
        new = [operand for operand in tape.operands(node) if operand not in seen]
        seen.update(new)
        waiting += new
    return True
