"""Trigonometric condensation: sums of products of sines and cosines with fewer operations.

ROBOTRAN's process (Docquier 2021, "an internal process is activated to drastically simplify them"):
a sum is expanded into terms; two terms that differ by sin² against cos² of an angle merge; two that
differ by cos·cos against sin·sin, or by sin·cos against cos·sin, contract into one of the sum or
difference of the angles. What comes out is kept only if it takes fewer operations. Sums are
multiplied out on the way, so that (x − y)·z may overflow where x and y are huge and nearly equal.
"""

from collections.abc import Iterator
from typing import NamedTuple

from touchback.symbolic import ops
from touchback.symbolic.ops import ADD, COS, MUL, NEG, SIN, SUB
from touchback.symbolic.tape import Tape

Term = tuple[int, ...]  # factors: nodes in ascending order, repeated for powers
Sum = dict[Term, float]  # term → coefficient

_MOST_TERMS = 256  # a longer sum is left as it is


def condense(tape: Tape, node: int) -> int:
    """An equal node that takes fewer operations, or the node itself."""
    terms = _expanded(tape, node)
    if terms is None:
        return node
    while _merge_one_pair(tape, terms):
        pass
    candidate = _rebuilt(tape, terms)
    return candidate if _operations(tape, candidate) < _operations(tape, node) else node


def _operations(tape: Tape, node: int) -> int:
    live = tape.live([node])
    return sum(1 for i, mark in enumerate(live) if mark and ops.ARITY[tape.op[i]])


# ---- sums of products


def _expanded(tape: Tape, node: int) -> Sum | None:
    """A node as a sum of products; None if there are too many terms."""
    sums: dict[int, Sum] = {}
    for i in _polynomial_part(tape, abs(node)):
        op, a, b = tape.op[i], tape.a[i], tape.b[i]
        if i in tape.values:
            sums[i] = _total({}, {(): 1.0}, tape.values[i])
        elif op in (ADD, SUB):
            sums[i] = _total(sums[a], sums[b], 1.0 if op == ADD else -1.0)
        elif op == NEG:
            sums[i] = _total({}, sums[a], -1.0)
        elif op == MUL:
            sums[i] = _product(sums[a], sums[b])
        else:
            sums[i] = {(i,): 1.0}
        if len(sums[i]) > _MOST_TERMS:
            return None
    return _total({}, sums[abs(node)], 1.0 if node >= 0 else -1.0)


def _polynomial_part(tape: Tape, node: int) -> list[int]:
    """Sums and products between a node and its atoms, and the atoms, oldest first."""
    found = {node}
    for i in range(node, 1, -1):
        if i in found and tape.op[i] in (ADD, SUB, MUL, NEG):
            found.update(tape.operands(i))
    return sorted(found)


def _total(a: Sum, b: Sum, factor: float) -> Sum:
    result = dict(a)
    for term, coefficient in b.items():
        _accumulate(result, term, factor * coefficient)
    return result


def _product(a: Sum, b: Sum) -> Sum:
    result: Sum = {}
    for left, x in a.items():
        for right, y in b.items():
            _accumulate(result, tuple(sorted(left + right)), x * y)
    return result


def _accumulate(terms: Sum, term: Term, coefficient: float) -> None:
    total = terms.pop(term, 0.0) + coefficient
    if total:
        terms[term] = total


def _exchanged(term: Term, old: tuple[int, ...], new: tuple[int, ...]) -> Term:
    factors = list(term)
    for factor in old:
        factors.remove(factor)
    return tuple(sorted([*factors, *new]))


# ---- merging


class _Pair(NamedTuple):
    """`sign`·partner and the term that it was found for make `rest`·`function`(a ± b)."""

    partner: Term
    sign: int
    rest: Term
    function: int | None = None  # None: the pair makes `rest` alone
    a: int = 0
    b: int = 0


def _merge_one_pair(tape: Tape, terms: Sum) -> bool:
    """Puts one term in the place of the first two that make one; False when there are none."""
    for term, coefficient in terms.items():
        for pair in _pairs(tape, term):
            if terms.get(pair.partner) == pair.sign * coefficient:
                del terms[term], terms[pair.partner]
                _accumulate(terms, *_made(tape, pair, coefficient))
                return True
    return False


def _pairs(tape: Tape, term: Term) -> Iterator[_Pair]:
    """What a term with cosines could merge with; each pair of terms has such a term."""
    cosines = list(dict.fromkeys(tape.a[factor] for factor in term if tape.op[factor] == COS))
    sines = list(dict.fromkeys(tape.a[factor] for factor in term if tape.op[factor] == SIN))
    for a in cosines:
        (sin_a, cos_a) = tape.sincos(a)
        if term.count(cos_a) > 1:
            rest = _exchanged(term, (cos_a, cos_a), ())
            yield _Pair(_exchanged(rest, (), (sin_a, sin_a)), 1, rest)
    for i, a in enumerate(cosines):
        sin_a, cos_a = tape.sincos(a)
        for b in cosines[i + 1 :]:
            sin_b, cos_b = tape.sincos(b)
            rest = _exchanged(term, (cos_a, cos_b), ())
            partner = _exchanged(rest, (), (sin_a, sin_b))
            yield _Pair(partner, -1, rest, COS, a, b)
            yield _Pair(partner, 1, rest, COS, a, -b)
        for b in sines:
            if a != b:
                sin_b, cos_b = tape.sincos(b)
                rest = _exchanged(term, (cos_a, sin_b), ())
                partner = _exchanged(rest, (), (sin_a, cos_b))
                yield _Pair(partner, 1, rest, SIN, a, b)
                yield _Pair(partner, -1, rest, SIN, b, -a)


def _made(tape: Tape, pair: _Pair, coefficient: float) -> tuple[Term, float]:
    """The term that a pair makes, and its coefficient."""
    if pair.function is None:
        return pair.rest, coefficient
    angle = tape.add(pair.a, pair.b)
    value = tape.sin(angle) if pair.function == SIN else tape.cos(angle)
    number = tape.value(value)
    if number is not None:
        return pair.rest, coefficient * number
    return _exchanged(pair.rest, (), (abs(value),)), coefficient if value > 0 else -coefficient


# ---- back to the tape


def _rebuilt(tape: Tape, terms: Sum) -> int:
    """The node of a sum of terms; factors in an order of their own: angles by first coordinate."""
    result = 0
    for term in sorted(terms, key=lambda term: [_rank(tape, factor) for factor in term]):
        product = 1
        for factor in sorted(term, key=lambda factor: _rank(tape, factor)):
            product = tape.mul(product, factor)
        result = tape.add(result, tape.mul(tape.const(terms[term]), product))
    return result


def _rank(tape: Tape, factor: int) -> tuple[bool, int, int]:
    """Sines and cosines come after other factors, by the oldest symbol of their angle."""
    if tape.op[factor] not in (SIN, COS):
        return False, factor, factor
    live = tape.live([tape.a[factor]])
    symbols = (node for node in tape.names if node < len(live) and live[node])
    return True, min(symbols, default=0), factor
