"""Two stages: what depends on parameters only, and what is computed at each evaluation.

The frontier between them is the derived parameter block: every node that depends on constants and
frozen symbols only and is used by a node that depends on more, or is an output itself. Live
parameters then cost no more than numbers. Products that would be fused across the frontier are
rounded there, so values agree with the unsplit program to rounding, not to the bit.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import compress

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

    The first stage reads the symbol frozen[i] from x[i] and writes the block; the second stages
    read the block from array p and every other symbol from its place in `places` (which may also
    hold the frozen ones: not used).
    """
    outputs = [output for wanted in functions.values() for output in wanted]
    block = parameter_block(tape, outputs, frozen, places)
    first = lower(tape, block, {symbol: ("x", index) for index, symbol in enumerate(frozen)})
    inputs = {node: place for node, place in places.items() if node not in set(frozen)}
    inputs |= {node: ("p", index) for index, node in enumerate(block)}
    return first, {name: lower(tape, wanted, inputs) for name, wanted in functions.items()}


def parameter_block(
    tape: Tape, outputs: Iterable[int], frozen: Sequence[int], places: Mapping[int, Place]
) -> list[int]:
    """The frontier in the tape's order: node i of it is what the second stage reads from p[i]."""
    parameters = set(frozen)
    given = places.keys() - parameters
    _refuse_inputs_in_the_block(tape, given, places)
    if not frozen:
        return []
    outputs = [abs(output) for output in outputs]
    kinds = _kinds(tape, tape.live(outputs), parameters, given)
    live = bytearray(len(tape.op))
    for output in outputs:
        live[output] = 1
    frontier = []
    for node in range(max(outputs, default=0), 1, -1):
        if not live[node]:
            continue
        if kinds[node] == _PARAMETER:
            frontier.append(node)
        elif node not in given:
            for operand in tape.operands(node):
                live[operand] = 1
    return frontier[::-1]


def _refuse_inputs_in_the_block(tape: Tape, given: Set[int], places: Mapping[int, Place]) -> None:
    for node in given:
        array, index = places[node]
        if array == "p":
            raise InputError(
                f"Stages: {tape.names.get(node, node)!r} is placed in p[{index}], but p holds the "
                "parameter block; place it in x or u, or freeze it."
            )


def _kinds(tape: Tape, live: bytearray, parameters: Set[int], given: Set[int]) -> bytearray:
    """What each live node depends on; an operation left on constants (1/0) counts as a
    parameter."""
    kinds = bytearray(len(tape.op))
    for node in compress(range(len(live)), live):
        if node in parameters:
            kinds[node] = _PARAMETER
        elif node in given:
            kinds[node] = _VARYING
        elif tape.op[node] != CONST:
            operands = tape.operands(node)
            # A symbol without a place counts as varying: `lower` then names it in its error.
            kinds[node] = max(_PARAMETER, *(kinds[o] for o in operands)) if operands else _VARYING
    return kinds
