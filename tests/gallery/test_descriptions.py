"""Mechanisms of the gallery are described as they were: each length, mass, limit, shape, signal and
experiment. `--update-golden` takes over what was changed on purpose."""

import pytest

from descriptions import check, described
from touchback import gallery
from touchback.gallery.bouncing_hammer import hammer_key_bed
from touchback.model.value_or_expression import Data

PLANNED = ("swing-up",)  # whose tables are computed: test_swing_up.py has them
VEHICLES = ("buggy", "driving-simulator")  # tests/vehicle has the cars themselves


@pytest.mark.parametrize("name", [name for name in gallery.names() if name not in PLANNED])
def test_a_mechanism_is_described_as_it_was(name: str, pytestconfig: pytest.Config) -> None:
    entry = gallery.entry(name)
    model, shown = entry.make(), entry.on_page
    sections = ("parameters ", "inputs ", "sensors ", "shapes ")
    lines = [line for line in described(model) if name not in VEHICLES or line.startswith(sections)]
    lines += [f"experiment {line}" for line in described(entry.experiment)]
    lines += [f"on its page {line}" for line in described(shown.experiment)]
    check(lines, name, pytestconfig)


def test_a_hammer_key_and_bed_are_described_as_they_were(pytestconfig: pytest.Config) -> None:
    check(described(hammer_key_bed()), "hammer-key-bed", pytestconfig)


def test_what_is_described_never_changes() -> None:
    for name in gallery.names():
        gallery.make(name)
    kinds, waiting = [], [Data]
    while waiting:
        own = waiting.pop().__subclasses__()
        kinds += [each for each in own if each.__module__.startswith("touchback.")]
        waiting += own
    assert any(each.__module__.startswith("touchback.gallery.") for each in kinds)
    assert [each for each in kinds if not each.__struct_config__.frozen] == []
