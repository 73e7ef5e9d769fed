"""Two stages: what depends on parameters only is computed when one changes, the rest at each evaluation.

The frontier between them is the derived parameter block: every node that depends on constants and
frozen symbols only and is used by a node that depends on more, or is an output itself. Live
parameters then cost no more than numbers. Products that would be fused across the frontier are
rounded there, so values agree with the unsplit program to rounding, not to the bit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.symbolic.ops import CONST
from touchback.symbolic.program import Place, Program, lower
from touchback.symbolic.tape import Tape

_CONSTANT, _PARAMETER, _VARYING = 0, 1, 2


@dataclass(frozen=True)
class Stages:
    """`first` gives the parameter block from the raw parameters, `second` the outputs."""

    first: Program
    second: Program


def split(
    tape: Tape, outputs: Sequence[int], frozen: Sequence[int], places: Mapping[int, Place]
) -> Stages:
    """The two stages of one function; arguments as in `split_many`."""
    first, seconds = split_many(tape, {"": outputs}, frozen, places)
    return Stages(first, seconds[""])


def split_many(
    tape: Tape,
    functions: Mapping[str, Sequence[int]],
    frozen: Sequence[int],
    places: Mapping[int, Place],
) -> tuple[Program, dict[str, Program]]:
    """(first stage, second stage of each function): the functions share one parameter block.

    The first stage reads the symbol frozen[i] from x[i] and writes the block; the second stages read
    the block from array p and every other symbol from its place in `places` (which may also hold
    the frozen ones: not used).
    """
    raw = {symbol: ("x", index) for index, symbol in enumerate(frozen)}
    for node, (array, index) in places.items():
        if array == "p" and node not in raw:
            raise InputError(
                f"Stages: {tape.names.get(node, node)!r} is placed in p[{index}], but p holds the "
                "parameter block; place it in x or u, or freeze it."
            )
    varying = {node: place for node, place in places.items() if node not in raw}
    kinds = _kinds(tape, raw, varying)
    outputs = [output for wanted in functions.values() for output in wanted]
    block = _frontier(tape, outputs, kinds, varying)
    block_places: dict[int, Place] = {node: ("p", index) for index, node in enumerate(block)}
    first = lower(tape, block, raw)
    all_places = varying | block_places
    return first, {name: lower(tape, wanted, all_places) for name, wanted in functions.items()}


def _kinds(tape: Tape, raw: Mapping[int, Place], varying: Mapping[int, Place]) -> bytearray:
    """What each node depends on; an operation left on constants (1/0) counts as a parameter."""
    kinds = bytearray(len(tape.op))
    for node, op in enumerate(tape.op):
        if node in raw:
            kinds[node] = _PARAMETER
        elif node in varying:
            kinds[node] = _VARYING
        elif op != CONST:
            operands = tape.operands(node)
            # A symbol without a place counts as varying: `lower` then names it in its error.
            kinds[node] = max(_PARAMETER, *(kinds[o] for o in operands)) if operands else _VARYING
    return kinds


def _frontier(
    tape: Tape, outputs: Iterable[int], kinds: bytearray, varying: Mapping[int, Place]
) -> list[int]:
    """Parameter-only nodes that something varying uses or that are outputs, in the tape's order."""
    live = bytearray(len(tape.op))
    for output in outputs:
        live[abs(output)] = 1
    frontier = []
    for node in range(len(tape.op) - 1, 1, -1):
        if not live[node]:
            continue
        if kinds[node] == _PARAMETER:
            frontier.append(node)
        elif node not in varying:
            for operand in tape.operands(node):
                live[operand] = 1
    return frontier[::-1]
