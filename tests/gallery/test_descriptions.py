"""Mechanisms of the gallery are described as they were: each length, mass, limit, shape, signal and
experiment. `--update-golden` takes over what was changed on purpose."""

import pytest

from descriptions import check, described
from touchback import gallery
from touchback.gallery.bouncing_hammer import hammer_key_bed

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
