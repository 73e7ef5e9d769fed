"""Arrays of loops share places in a card's memory without getting into each other's way."""

import pytest

from tests.symbolic import run_rolled as running
from tests.symbolic.test_rolled import arguments, chain_program
from touchback.codegen.printers.cuda_loops import Layout, lay_out
from touchback.symbolic.loop_rolling import roll_loops
from touchback.symbolic.program import evaluate


class Placed:
    """An array of a run, in the memory that all share."""

    def __init__(self, memory: dict, layout: Layout, number: int) -> None:
        self._memory, self._layout = memory, layout
        self._near, self._first, self._step = layout.places[number]

    def _at(self, index: int) -> tuple[bool, int]:
        place = self._first + self._step * index
        assert 0 <= place < (self._layout.near if self._near else self._layout.far)
        return self._near, place

    def __getitem__(self, index: int) -> float:
        return self._memory[self._at(index)]

    def __setitem__(self, index: int, value: float) -> None:
        self._memory[self._at(index)] = value


@pytest.mark.parametrize("joints", [12, 30, 60])
@pytest.mark.parametrize("room", [0, 90, 1000])
def test_what_is_read_is_what_was_written(joints, room, monkeypatch) -> None:
    program = chain_program(joints)
    rolled = roll_loops(program)
    assert rolled is not None
    layout, memory = lay_out(rolled, room), {}
    assert layout.near <= max(room, 2)

    class Run(running.Run):
        def __init__(self, rolled) -> None:
            super().__init__(rolled)
            self.arrays = [Placed(memory, layout, k) for k in range(len(rolled.arrays))]

    monkeypatch.setattr(running, "Run", Run)
    for seed in range(2):
        given = arguments(program, seed)
        assert running.run_rolled(rolled, given) == evaluate(program, given)


def test_places_are_shared_where_lives_allow() -> None:
    """Of 30 joints sine and cosine and seven numbers more: 270 places and a few at the ends,
    where arrays have 544 entries."""
    rolled = roll_loops(chain_program(30))
    assert rolled is not None
    layout = lay_out(rolled, 10_000)
    assert sum(map(len, rolled.arrays)) > 500
    assert layout.near < 280
