"""Cutting a long program into pieces that a compiler takes in its stride.

Compilers need more than linear time in the length of a function. Each piece keeps its values to
itself, except those that a later piece reads: they pass through slots of a work array, and a slot
is used again once its value is dead.
"""

import heapq
from dataclasses import dataclass, field

from touchback.codegen.printers.dialect import statements
from touchback.symbolic import Program, operands


@dataclass
class Chunk:
    """A piece of a program: reads loads (node → slot), computes, writes stores and outputs."""

    statements: list[tuple[int, ...]]
    loads: dict[int, int] = field(default_factory=dict)
    stores: dict[int, int] = field(default_factory=dict)
    outputs: list[int] = field(default_factory=list)


def cut(program: Program, length: int) -> tuple[list[Chunk], int]:
    """(the pieces of at most `length` statements, how many slots they pass values through)."""
    ordered = statements(program)
    starts = range(0, max(len(ordered), 1), length)
    chunks = [Chunk(ordered[start : start + length]) for start in starts]
    made = {
        node: index
        for index, chunk in enumerate(chunks)
        for statement in chunk.statements
        for node in statement
    }
    for index, output in enumerate(program.outputs):
        chunks[made.get(abs(output), len(chunks) - 1)].outputs.append(index)
    return chunks, _assign_slots(program, chunks, made)


def _assign_slots(program: Program, chunks: list[Chunk], made: dict[int, int]) -> int:
    """Fills loads and stores, lowest free slot first; returns the number of slots."""
    needed = [
        sorted(
            {
                operand
                for statement in chunk.statements
                for node in statement
                for operand in operands(program, node)
                if made.get(operand, index) != index
            }
        )
        for index, chunk in enumerate(chunks)
    ]
    last_need = {node: index for index, nodes in enumerate(needed) for node in nodes}
    slots: dict[int, int] = {}
    free: list[int] = []
    count = 0
    for index, chunk in enumerate(chunks):
        chunk.loads = {node: slots[node] for node in needed[index]}
        for node in needed[index]:
            if last_need[node] == index:
                heapq.heappush(free, slots[node])
        for statement in chunk.statements:
            for node in statement:
                if node in last_need:
                    slot = heapq.heappop(free) if free else count
                    count = max(count, slot + 1)
                    chunk.stores[node] = slots[node] = slot
    return count
