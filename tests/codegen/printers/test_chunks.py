"""Long programs are cut into pieces that hand their values on."""

from random_programs import random_program
from touchback.codegen.printers.program_chunks import cut
from touchback.symbolic import Tape, lower
from touchback.symbolic.program_listing import operands


def test_every_value_is_made_once_and_every_output_written_once() -> None:
    program = random_program(5, 300, outputs=50)
    chunks, _ = cut(program, 10)
    made = [node for chunk in chunks for statement in chunk.statements for node in statement]
    assert len(made) == len(set(made)) and max(len(chunk.statements) for chunk in chunks) == 10
    written = sorted(index for chunk in chunks for index in chunk.outputs)
    assert written == list(range(len(program.outputs)))


def test_a_slot_holds_what_a_later_piece_reads_from_it() -> None:
    program = random_program(6, 300)
    chunks, count = cut(program, 10)
    slots: dict[int, int] = {}
    for chunk in chunks:
        assert all(slots[slot] == node for node, slot in chunk.loads.items())
        known = set(chunk.loads)
        for statement in chunk.statements:
            for node in statement:
                needed = {o for o in operands(program, node) if o > 1 and o not in program.inputs}
                assert needed - set(program.values) <= known
            known.update(statement)
        slots.update({slot: node for node, slot in chunk.stores.items()})
    assert count == len(slots)


def test_slots_are_used_again() -> None:
    tape = Tape()
    x = tape.symbol("x")
    value = x
    for _ in range(500):
        value = tape.sin(tape.add(value, x))
    _, count = cut(lower(tape, [value], {x: ("x", 0)}), 10)
    assert count == 1
