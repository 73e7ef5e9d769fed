"""What people try first and get wrong is answered by name, with the mend."""

from collections.abc import Callable
from typing import Any

import pytest

import touchback as tb
from touchback import gallery
from touchback.errors import InputError


@pytest.fixture(scope="module")
def arm() -> tb.System:
    return gallery.make("motor-arm").compile()


@pytest.mark.parametrize(
    "call",
    [tb.simulate, tb.equilibrium, tb.vibrations, tb.quality, tb.live, tb.linearise],
)
def test_a_model_in_place_of_a_system_is_to_be_compiled(call: Callable[[Any], Any]) -> None:
    with pytest.raises(InputError, match=r"'motor arm' is a model; compile it first"):
        call(gallery.make("motor-arm"))


def test_a_state_by_names_is_to_be_assembled(arm: tb.System) -> None:
    with pytest.raises(InputError, match=r"`system.assemble\(name=value\)`"):
        tb.simulate(arm, {"shoulder": 1.0}, 1.0)


def test_a_duration_in_words_is_no_number(arm: tb.System) -> None:
    with pytest.raises(InputError, match="duration must be a positive number, got '1'"):
        tb.simulate(arm, duration="1")  # type: ignore[arg-type]


def test_a_vector_is_drawn_by_its_components(arm: tb.System) -> None:
    run = tb.simulate(arm, duration=0.05, progress=False)
    lines = run.plot("hand").axes[0].lines
    assert [line.get_label() for line in lines] == ["hand.x", "hand.y", "hand.z"]
