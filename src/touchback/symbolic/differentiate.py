"""Differentiation on the tape, forward and reverse: the derivatives are nodes of the same tape.

A side that is not taken (of a select, a minimum, a maximum) never leaks a NaN or an infinity into a
derivative. Forward, a select of the tangents does it. In reverse the adjoint of the side not taken
would be 0, and 0·∞ is NaN: so adjoints stay unselected below a switch, each with the guard under
which it counts, and are selected where guards join.

Guards: the conditions under which a node counts, for derivatives that ignore sides not taken.

Partial derivatives: for each operation of the tape, that of its value by each operand.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from touchback.symbolic import ops
from touchback.symbolic.lookup_table import Want
from touchback.symbolic.tape import Tape

ALWAYS = 1


class Guards:
    """Conditions of a tape, nested and joined. A guard is a node, not zero where it holds."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._outer: dict[int, int] = {}  # guard → the guard around it
        self._other_side: dict[int, int] = {}  # guard → that of the other side of its switch
        self._members: dict[int, tuple[int, ...]] = {}  # guard → the guards that it joins
        self._joined: dict[frozenset[int], int] = {}

    def sides(self, outer: int, condition: int) -> tuple[int, int]:
        """The guards: `outer` holds, and the condition does; `outer` holds, and it does not."""
        tape = self._tape
        yes, no = (
            side if outer == ALWAYS else tape.select(outer, side, 0)
            for side in (condition, tape.equal(condition, 0))
        )
        self._outer[yes] = self._outer[no] = outer
        self._other_side[yes], self._other_side[no] = no, yes
        return yes, no

    def merged(self, by_guard: dict[int, int]) -> dict[int, int]:
        """Adjoints by guard, with those that both sides of a switch share put before the switch:
        what they have in common may cancel there, also where a slope is infinite."""
        left = dict(by_guard)
        waiting = list(left)
        while waiting:
            guard = waiting.pop()
            other = self._other_side.get(guard)
            if guard in left and other in left and left[guard] == left[other]:
                shared = left.pop(guard)
                del left[other]
                outer = self._outer[guard]
                left[outer] = self._tape.add(left.get(outer, 0), shared)
                waiting.append(outer)
        return {guard: adjoint for guard, adjoint in left.items() if adjoint} or {ALWAYS: 0}

    def any_of(self, guards: Iterable[int]) -> int:
        """The guard: one of these holds. Both sides of a switch give the guard around it."""
        given = frozenset(guards)
        known = self._joined.get(given)
        if known is None:
            known = self._joined[given] = self._join(given)
        return known

    def _join(self, guards: Iterable[int]) -> int:
        left = {member for guard in guards for member in self._members.get(guard, (guard,))}
        waiting = sorted(left)
        while waiting:
            guard = waiting.pop()
            other = self._other_side.get(guard)
            if guard in left and other in left:
                left -= {guard, other}
                left.add(self._outer[guard])
                waiting.append(self._outer[guard])
        members = sorted(guard for guard in left if not self._lies_inside(guard, left))
        result = members[0]
        for guard in members[1:]:
            result = self._tape.select(result, 1, guard)
        if len(members) > 1:
            self._members[result] = tuple(members)
        return result

    def _lies_inside(self, guard: int, others: set[int]) -> bool:
        while guard in self._outer:
            guard = self._outer[guard]
            if guard in others:
                return True
        return False


_SMALLEST = 1e-154  # the root of the smallest normal double, about


Choice = tuple[int, int, int]  # condition, the operand where it holds, the operand where not


def choice(tape: Tape, node: int) -> Choice | None:
    """How a node picks one of its operands, None for a node that computes."""
    op, a, b, c = tape.op[node], tape.a[node], tape.b[node], tape.c[node]
    if op == ops.SELECT:
        return a, b, c
    if op == ops.MIN:
        return tape.less(a, b), a, b
    if op == ops.MAX:
        return tape.less(b, a), a, b
    return None


def partial(tape: Tape, node: int, index: int) -> int:
    """The derivative of a computing node by its operand number `index`, as a node of the tape."""
    rows = _PARTIALS.get(tape.op[node], ())
    return rows[index](tape, node) if index < len(rows) else 0


def _quotient_by_divisor(t: Tape, r: int) -> int:
    return -t.mul(r, t.div(1, t.b[r]))


def _root(t: Tape, r: int) -> int:
    """1/(2 r). A length has no derivative at 0, but all of its slopes there are bounded, and
    their mean is 0: that is taken, for 1/0 times the derivative 0 of its square would be NaN, and
    with it that of |u| u, which is smooth. So it is where a number is held at 0, as the depth in
    Hertz's law: 1/0 times that number, in the derivative of its power 1.5, would be NaN."""
    divisor = t.maximum(r, t.const(_SMALLEST)) if _reaches_zero(t, t.a[r]) else r
    return t.div(t.const(0.5), divisor)


def _reaches_zero(t: Tape, node: int) -> bool:
    """Whether a node may be held at 0: a bound, an absolute value, a choice, or squares."""
    inner = t.a[node] if t.op[node] == ops.NEG else node
    held = t.op[inner] in (ops.MIN, ops.MAX, ops.ABS, ops.SELECT)
    return held or _sum_of_squares(t, node)


def _sum_of_squares(t: Tape, node: int) -> bool:
    """Whether a node adds up squares, and nothing that keeps it from 0."""
    a, b = t.a[node], t.b[node]
    if t.op[node] == ops.ADD:
        return _sum_of_squares(t, a) and _sum_of_squares(t, b)
    scale = t.values.get(a, 0.0)
    return t.op[node] == ops.MUL and (a == b or (scale > 0.0 and _sum_of_squares(t, b)))


def _one_minus_square(t: Tape, r: int) -> int:
    return t.sub(1, t.mul(t.a[r], t.a[r]))


def _squares(t: Tape, r: int) -> int:
    return t.add(t.mul(t.a[r], t.a[r]), t.mul(t.b[r], t.b[r]))


def _power_by_base(t: Tape, r: int) -> int:
    """b·a^(b−1); with b below 1 finite at 0 as the slope of a root is, for the same reason."""
    base, exponent = t.a[r], t.b[r]
    if t.values.get(exponent, 1.0) < 1.0 and _reaches_zero(t, base):
        base = t.maximum(base, t.const(_SMALLEST))
    return t.mul(exponent, t.pow(base, t.sub(exponent, 1)))


def _power_by_exponent(t: Tape, r: int) -> int:
    """a^b·log a, which tends to 0 with a (for b > 0): 0·log 0 would be NaN."""
    base = t.a[r]
    return t.select(t.equal(base, 0), 0, t.mul(r, t.log(base)))


_SLOPES = {  # what is wanted of the table → what its derivatives by x and by y want
    Want.VALUE: (Want.DX, Want.DY),
    Want.DX: (None, Want.DXY),
    Want.DY: (Want.DXY, None),
    Want.DXY: (None, None),
}


def _slope(index: int) -> Callable[[Tape, int], int]:
    def partial_of_lookup(t: Tape, r: int) -> int:
        use = t.lookups[t.c[r]]
        want = _SLOPES[use.want][index]
        y = t.b[r] if t.op[r] == ops.LOOKUP2 else None
        return 0 if want is None else t.lookup(use.table, t.a[r], y, want)

    return partial_of_lookup


_PARTIALS: dict[int, tuple[Callable[[Tape, int], int], ...]] = {
    ops.ADD: (lambda t, r: 1, lambda t, r: 1),
    ops.SUB: (lambda t, r: 1, lambda t, r: -1),
    ops.MUL: (lambda t, r: t.b[r], lambda t, r: t.a[r]),
    ops.DIV: (lambda t, r: t.div(1, t.b[r]), _quotient_by_divisor),
    ops.NEG: (lambda t, r: -1,),
    ops.SQRT: (_root,),
    ops.ABS: (lambda t, r: t.sign(t.a[r]),),
    ops.SIN: (lambda t, r: t.cos(t.a[r]),),
    ops.COS: (lambda t, r: -t.sin(t.a[r]),),
    ops.ASIN: (lambda t, r: t.div(1, t.sqrt(_one_minus_square(t, r))),),
    ops.ACOS: (lambda t, r: -t.div(1, t.sqrt(_one_minus_square(t, r))),),
    ops.EXP: (lambda t, r: r,),
    ops.LOG: (lambda t, r: t.div(1, t.a[r]),),
    ops.SINH: (lambda t, r: t.cosh(t.a[r]),),
    ops.COSH: (lambda t, r: t.sinh(t.a[r]),),
    ops.TANH: (lambda t, r: t.mul(t.sub(1, r), t.add(1, r)),),
    ops.ATAN2: (
        lambda t, r: t.div(t.b[r], _squares(t, r)),
        lambda t, r: -t.div(t.a[r], _squares(t, r)),
    ),
    ops.POW: (_power_by_base, _power_by_exponent),
    ops.LOOKUP1: (_slope(0),),
    ops.LOOKUP2: (_slope(0), _slope(1)),
}


"""Comparisons and floor have no row: their derivative is zero wherever they have one."""


Tangents = dict[int, int]  # direction → tangent; a direction that is not there has tangent zero


def jvp(tape: Tape, outputs: Sequence[int], tangents: Mapping[int, int]) -> list[int]:
    """Tangents of the outputs (Jacobian times vector), given those of symbols or other nodes."""
    seeds = {node: {0: tangent} for node, tangent in tangents.items()}
    return [row.get(0, 0) for row in _forward(tape, outputs, seeds)]


def vjp(
    tape: Tape, outputs: Sequence[int], cotangents: Sequence[int], symbols: Sequence[int]
) -> list[int]:
    """Derivative of Σ cotangent·output by each symbol (vector times Jacobian)."""
    return _reverse(tape, outputs, cotangents, symbols)


def gradient(tape: Tape, output: int, symbols: Sequence[int]) -> list[int]:
    """Derivative of one output by each symbol."""
    return vjp(tape, [output], [1], symbols)


def jacobian(tape: Tape, outputs: Sequence[int], symbols: Sequence[int]) -> list[list[int]]:
    """Row i, column j: derivative of output i by symbol j; 0 where there is no dependence.

    Forward or reverse, whichever touches fewer pairs of a node and a direction.
    """
    forward, reverse = _costs(tape, outputs, symbols)
    if not forward:
        return [[0] * len(symbols) for _ in outputs]
    if forward <= reverse:
        seeds = {symbol: {j: 1} for j, symbol in enumerate(symbols)}
        rows = _forward(tape, outputs, seeds)
        return [[row.get(j, 0) for j in range(len(symbols))] for row in rows]
    return [gradient(tape, output, symbols) for output in outputs]


def _active(tape: Tape, outputs: Sequence[int], leaves: Mapping[int, int]) -> dict[int, int]:
    """Nodes between outputs and leaves, oldest first, with the union of the leaves' bit masks."""
    arity, op, a, b, c = ops.ARITY, tape.op, tape.a, tape.b, tape.c
    oldest = min(leaves, default=0)  # what is older than all leaves depends on none
    waiting = [abs(o) for o in outputs]
    marks = set(waiting)
    while waiting:  # only what outputs need: on a long tape that may be little
        node = waiting.pop()
        if node > oldest and node not in leaves:
            for operand in (a[node], b[node], c[node])[: arity[op[node]]]:
                if operand >= oldest and operand not in marks:
                    marks.add(operand)
                    waiting.append(operand)
    masks: dict[int, int] = {}
    known = masks.get
    for node in sorted(marks):
        mask = leaves.get(node, 0)
        if not mask:
            n = arity[op[node]]
            if n:
                mask = known(a[node], 0)
                if n > 1:
                    mask |= known(b[node], 0)
                    if n > 2:
                        mask |= known(c[node], 0)
        if mask:
            masks[node] = mask
    return masks


def _costs(tape: Tape, outputs: Sequence[int], symbols: Sequence[int]) -> tuple[int, int]:
    """Pairs of a node and a symbol it depends on; pairs of a node and an output that needs it."""
    leaves = {symbol: 1 << j for j, symbol in enumerate(symbols)}
    from_symbols = _active(tape, outputs, leaves)
    to_outputs = dict.fromkeys(from_symbols, 0)
    for i, output in enumerate(outputs):
        if abs(output) in to_outputs:
            to_outputs[abs(output)] |= 1 << i
    for node in reversed(to_outputs):
        if node not in leaves:
            for operand in tape.operands(node):
                if operand in to_outputs:
                    to_outputs[operand] |= to_outputs[node]
    forward = sum(mask.bit_count() for mask in from_symbols.values())
    return forward, sum(mask.bit_count() for mask in to_outputs.values())


def _forward(tape: Tape, outputs: Sequence[int], seeds: Mapping[int, Tangents]) -> list[Tangents]:
    """Tangents of the outputs along all directions of the seeds at once."""
    tangents: dict[int, Tangents] = dict(seeds)
    for node in _active(tape, outputs, dict.fromkeys(seeds, 1)):
        if node not in seeds:
            picks = choice(tape, node)
            if picks is None:
                tangents[node] = _tangents_of_computed(tape, node, tangents)
            else:
                condition, yes, no = picks
                of_yes, of_no = tangents.get(yes, {}), tangents.get(no, {})
                tangents[node] = {
                    d: tape.select(condition, of_yes.get(d, 0), of_no.get(d, 0))
                    for d in sorted(of_yes.keys() | of_no.keys())
                }
    return [{d: t if o > 0 else -t for d, t in tangents.get(abs(o), {}).items()} for o in outputs]


def _tangents_of_computed(tape: Tape, node: int, tangents: Mapping[int, Tangents]) -> Tangents:
    """Chain rule: Σ partial·tangent over the operands."""
    result: Tangents = {}
    for index, operand in enumerate(tape.operands(node)):
        along = tangents.get(operand)
        if along:
            slope = partial(tape, node, index)
            for direction, tangent in along.items():
                term = tape.mul(slope, tangent)
                if term:
                    result[direction] = tape.add(result.get(direction, 0), term)
    return result


def _reverse(
    tape: Tape, outputs: Sequence[int], cotangents: Sequence[int], symbols: Sequence[int]
) -> list[int]:
    """Adjoints of the symbols. Each node collects adjoints by guard before it passes them on."""
    guards = Guards(tape)
    leaves = dict.fromkeys(symbols, 1)
    active = _active(tape, outputs, leaves)
    collected: dict[int, Tangents] = {node: {} for node in active}

    def give(node: int, guard: int, adjoint: int) -> None:
        by_guard = collected.get(node)
        if by_guard is not None and adjoint:
            by_guard[guard] = tape.add(by_guard.get(guard, 0), adjoint)

    for output, cotangent in zip(outputs, cotangents, strict=True):
        give(abs(output), ALWAYS, cotangent if output > 0 else -cotangent)
    for node in reversed(list(active)):
        if node in leaves or not collected[node]:
            continue
        guard, adjoint = _join(tape, guards, collected[node])
        picks = choice(tape, node)
        if picks is None:
            for index, operand in enumerate(tape.operands(node)):
                if operand in active:
                    give(operand, guard, tape.mul(adjoint, partial(tape, node, index)))
        else:
            condition, yes, no = picks
            if_yes, if_no = guards.sides(guard, condition)
            give(yes, if_yes, adjoint)
            give(no, if_no, adjoint)
    return [_settled(tape, guards, collected.get(symbol, {})) for symbol in symbols]


def _join(tape: Tape, guards: Guards, by_guard: Tangents) -> tuple[int, int]:
    """One adjoint and the guard under which it counts, from adjoints under several guards."""
    by_guard = guards.merged(by_guard)
    whole = guards.any_of(by_guard)
    total = 0
    for guard, adjoint in by_guard.items():
        total = tape.add(total, adjoint if guard == whole else tape.select(guard, adjoint, 0))
    return whole, total


def _settled(tape: Tape, guards: Guards, by_guard: Tangents) -> int:
    if not by_guard:
        return 0
    guard, adjoint = _join(tape, guards, by_guard)
    return adjoint if guard == ALWAYS else tape.select(guard, adjoint, 0)
