"""Programs with fewer operations that round otherwise: sums as chains of fused products.

(a·b + c·d) + (e·f + g·h) takes a product, two fused ones, a product and a sum; as the chain
((a·b + c·d) + e·f) + g·h one less. So sums that are part of one other sum only join it, in the
order in which their terms are known; and a product that only sums use is fused with each of them
that begins with another value. A sum whose negative is an output is summed with other signs, and
what it is part of takes in the sign. Where back ends must round alike, a function is chained before
any takes it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from touchback.symbolic.ops import (
    ADD,
    CONST,
    DIV,
    FMA,
    FMS,
    FNMA,
    INPUT,
    LOOKUP1,
    LOOKUP2,
    MUL,
    NEG,
    SUB,
)
from touchback.symbolic.program import Program
from touchback.symbolic.program_listing import count_uses

# Signs of a fused operation's product and c, or of a and b.
SUM_SIGNS = {ADD: (1, 1), SUB: (1, -1), FMA: (1, 1), FNMA: (-1, 1), FMS: (1, -1)}


class _Term(NamedTuple):
    """One value or two factors, known once node `at` is."""

    at: int
    sign: int
    factors: tuple[int, ...]


def fuse_sums(program: Program) -> Program:
    """The same outputs but for rounding."""
    chains = _gathered(program)
    gone = _spread_products(program, chains)
    return _Writer(program, chains, gone).program


def _terms(program: Program, node: int) -> tuple[_Term, _Term]:
    first, second = SUM_SIGNS[program.op[node]]
    a, b, c = program.a[node], program.b[node], program.c[node]
    if program.op[node] in (ADD, SUB):
        return _Term(a, first, (a,)), _Term(b, second, (b,))
    return _Term(node, first, (a, b)), _Term(c, second, (c,))


def _gathered(program: Program) -> dict[int, list[_Term]]:
    """Node → terms of each sum that isn't part of another."""
    uses = count_uses(program)
    outer: dict[int, tuple[int, int]] = {}  # of sums inside another one: that one, and their sign
    chains: dict[int, list[_Term]] = {}
    for node in range(len(program.op) - 1, 1, -1):
        if program.op[node] not in SUM_SIGNS:
            continue
        whole, sign = outer.get(node, (node, 1))
        for term in _terms(program, node):
            signed = term._replace(sign=sign * term.sign)
            inner = signed.factors[0]
            if len(signed.factors) == 1 and uses[inner] == 1 and program.op[inner] in SUM_SIGNS:
                outer[inner] = whole, signed.sign
            else:
                chains.setdefault(whole, []).append(signed)
    return dict(sorted(chains.items()))  # a sum is known before those that use it


def _spread_products(program: Program, chains: dict[int, list[_Term]]) -> set[int]:
    """Nodes of products that become terms of all their users, which begin with something else."""
    uses = count_uses(program)
    begins: dict[int, list[int]] = defaultdict(list)
    for terms in chains.values():
        known = [term.at for term in terms if len(term.factors) == 1]
        for node in known:
            begins[node].append(min(known))
    gone = {
        node
        for node, firsts in begins.items()
        if program.op[node] == MUL and uses[node] == len(firsts) and max(firsts) < node
    }
    for terms in chains.values():
        for k, term in enumerate(terms):
            if len(term.factors) == 1 and term.at in gone:
                terms[k] = term._replace(factors=(program.a[term.at], program.b[term.at]))
    return gone


class _Writer:
    """Writes the new program in the old one's order: each term as soon as it is known."""

    def __init__(self, old: Program, chains: dict[int, list[_Term]], gone: set[int]) -> None:
        self._old, self._new = old, [0, 1] + [0] * (len(old.op) - 2)  # negative: less that node
        self._negatives: dict[int, int] = {}
        self.program = replace(
            old, op=old.op[:2], a=[0, 0], b=[0, 0], c=[0, 0], inputs={}, alike={},
            values={0: 0.0, 1: 1.0},
        )  # fmt: skip
        due: dict[int, list[tuple[int, _Term]]] = defaultdict(list)
        for whole, terms in chains.items():
            for term in terms:
                due[term.at].append((whole, term))
        turned = _mostly_negative(old)
        sums: dict[int, tuple[int, int]] = {}
        for node in range(len(old.op)):
            if node > 1 and old.op[node] not in SUM_SIGNS and node not in gone:  # 0 and 1 are there
                self._copy(node)
            for whole, term in due[node]:
                side = -1 if whole in turned else 1
                sums[whole] = self._added(sums.get(whole), term._replace(sign=side * term.sign))
                self._new[whole] = side * sums[whole][0] * sums[whole][1]
        self.program.outputs = list(self._outputs())

    def _put(self, op: int, a: int = 0, b: int = 0, c: int = 0) -> int:
        program = self.program
        for column, value in zip(
            (program.op, program.a, program.b, program.c), (op, a, b, c), strict=True
        ):
            column.append(value)
        return len(program.op) - 1

    def _copy(self, node: int) -> None:
        old, new = self._old, self._new
        op, a, b, c = old.op[node], new[old.a[node]], new[old.b[node]], old.c[node]
        if op in (MUL, DIV):
            at = self._put(op, abs(a), abs(b))
            new[node] = at if (a < 0) == (b < 0) else -at
            return
        c = c if op in (LOOKUP1, LOOKUP2) else self._positive(new[c])
        new[node] = at = self._put(op, self._positive(a), self._positive(b), c)
        if op == CONST:
            self.program.values[at] = old.values[node]
        elif op == INPUT:
            self.program.inputs[at] = old.inputs[node]
            if node in old.alike:
                self.program.alike[at] = old.alike[node]

    def _positive(self, signed: int) -> int:
        """A node, for an operation that takes no sign."""
        if signed < 0 and -signed not in self._negatives:
            self._negatives[-signed] = self._put(NEG, -signed)
        return signed if signed >= 0 else self._negatives[-signed]

    def _added(self, before: tuple[int, int] | None, term: _Term) -> tuple[int, int]:
        """(sign, node) of a sum with one term more. The sign is positive once a term is."""
        signed = [self._new[each] for each in term.factors]
        factors, own = [abs(each) for each in signed], term.sign
        for each in signed:
            own = -own if each < 0 else own
        if before is None:
            return own, factors[0] if len(factors) == 1 else self._put(MUL, *factors)
        sign, known = before
        alike = sign == own
        if len(factors) == 2:
            unlike = FMS if own > 0 else FNMA
            node = self._put(FMA if alike else unlike, factors[0], factors[1], known)
        elif alike or sign > 0:
            node = self._put(ADD if alike else SUB, known, factors[0])
        else:
            node = self._put(SUB, factors[0], known)
        return (sign if alike else 1), node

    def _outputs(self) -> Iterator[int]:
        for output in self._old.outputs:
            yield self._new[output] if output >= 0 else -self._new[-output]


def _mostly_negative(program: Program) -> set[int]:
    """Nodes whose negative is an output, or a factor of one, more often than they are."""
    if program.alike:  # isomorphic branches stay equal
        return set()
    excess: Counter[int] = Counter()
    for output in program.outputs:
        node = abs(output)
        if program.op[node] == MUL:
            one, other = program.a[node], program.b[node]
            node = one if program.op[one] in SUM_SIGNS else other
        excess[node] += 1 if output < 0 else -1
    return {node for node, count in excess.items() if count > 0}
