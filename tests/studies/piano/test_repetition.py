"""Double escapement: a note repeats without the key going all the way up."""

from studies.piano.repetition import repeat
from touchback.system import System


def test_fifteen_notes_a_second_without_full_release(repeating: System) -> None:
    found = repeat(repeating, 15.0, 2e-3)
    assert found.every_time
    assert found.run["key depth"][found.run.time > 0.06].min() > 1.9e-3


def test_slower_repetition_needs_less_of_the_way(repeating: System) -> None:
    assert repeat(repeating, 8.0, 6e-3).every_time


def test_without_its_spring_the_action_needs_the_whole_way(repeating: System) -> None:
    weak = {"repetition spring": 0.0}
    assert not repeat(repeating, 8.0, 6e-3, weak).every_time
    assert not repeat(repeating, 15.0, 2e-3, weak).every_time
