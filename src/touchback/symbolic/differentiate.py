"""Differentiation on the tape, forward and reverse: the derivatives are nodes of the same tape.

A side that is not taken (of a select, a minimum, a maximum) never leaks a NaN or an infinity into a
derivative. Forward, a select of the tangents does it. In reverse the adjoint of the side not taken
would be 0, and 0·∞ is NaN: so adjoints stay unselected below a switch, each with the guard under
which it counts, and are selected where guards join.
"""

from collections.abc import Mapping, Sequence

from touchback.symbolic import ops
from touchback.symbolic.guards import ALWAYS, Guards
from touchback.symbolic.partials import choice, partial
from touchback.symbolic.tape import Tape

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
