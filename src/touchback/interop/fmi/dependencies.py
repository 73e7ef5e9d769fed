"""Which variables of an FMU the unknowns hang on."""

from __future__ import annotations

from touchback.interop.fmi.variables import Variables
from touchback.symbolic import ops
from touchback.symbolic.program import Program
from touchback.system import System


def dependencies_of(system: System, variables: Variables) -> dict[int, tuple[int, ...]]:
    """Of each rate and output the references of states and inputs that it may read. Under
    constraints everything hangs together: then nothing is said, which means that it does."""
    if system.constrained:
        return {}
    own = system.acting.functions
    known = [*variables.states, variables.time, *variables.inputs]
    found: dict[int, tuple[int, ...]] = {}
    for function, unknowns in (("rate", variables.rates), ("outputs", variables.outputs)):
        masks = _reads(own[function].second, len(variables.states))
        for unknown, mask in zip(unknowns, masks, strict=True):
            found[unknown.reference] = tuple(
                each.reference
                for i, each in enumerate(known)
                if mask >> i & 1 and each is not variables.time
            )
    return {reference: tuple(sorted(each)) for reference, each in found.items()}


def _reads(program: Program, states: int) -> list[int]:
    """Of each output the places of [x, u] that it may read, as bits."""
    masks = [0] * len(program.op)
    for node, op in enumerate(program.op):
        if node in program.inputs:
            array, index = program.inputs[node]
            offset = {"x": 0, "u": states}.get(array)
            masks[node] = 0 if offset is None else 1 << (offset + index)
        else:
            operands = (program.a[node], program.b[node], program.c[node])[: ops.ARITY[op]]
            for operand in operands:
                masks[node] |= masks[operand]
    return [masks[abs(output)] for output in program.outputs]
