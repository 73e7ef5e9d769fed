"""What a live run can't take for its ports or its clock is refused by name, with the mend."""

from typing import Any

import pytest

import touchback as tb
from touchback import gallery
from touchback.devices import GuardedOutput, WatchedInput
from touchback.errors import InputError


@pytest.fixture(scope="module")
def arm() -> tb.System:
    return gallery.make("motor-arm").compile()


@pytest.mark.parametrize("given", [3.0, [0.0, 1.0], "fast", None, GuardedOutput()])
def test_inputs_say_how_they_are_watched(arm: tb.System, given: Any) -> None:
    name = arm.input_names[0]
    with pytest.raises(InputError, match=rf"Input '{name}'.*WatchedInput.*live\['{name}'\] = 1.0"):
        tb.live(arm, inputs={name: given})


@pytest.mark.parametrize("given", [3.0, "safe", None, WatchedInput()])
def test_outputs_say_how_they_are_guarded(arm: tb.System, given: Any) -> None:
    name = arm.output_names[0]
    with pytest.raises(InputError, match=rf"Output '{name}'.*GuardedOutput"):
        tb.live(arm, outputs={name: given})


def test_energies_are_observers(arm: tb.System) -> None:
    with pytest.raises(InputError, match=r"Energy 'hand'.*EnergyObserver"):
        tb.live(arm, energy={"hand": 1.0})  # type: ignore[dict-item]


@pytest.mark.parametrize("word", ["inputs", "outputs", "parameters", "energy"])
def test_all_of_them_come_by_name(arm: tb.System, word: str) -> None:
    with pytest.raises(InputError, match=rf"{word}: \w+ by name are expected"):
        tb.live(arm, **{word: [1.0]})  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["safe", "low", "high", "slew", "ramp", "soft_start"])
def test_what_guards_an_output_is_a_number(field: str) -> None:
    with pytest.raises(InputError, match=f"An output's {field} must be a number.*, got 'off'"):
        GuardedOutput(**{field: "off"})  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["max_age", "low", "high"])
def test_what_watches_an_input_is_a_number(field: str) -> None:
    with pytest.raises(InputError, match=f"An input's {field} must be a number, got 'off'"):
        WatchedInput(**{field: "off"})  # type: ignore[arg-type]


@pytest.mark.parametrize("step", [1e-3, 2e-3, 5e-4])
def test_a_step_is_the_clock_s_even_where_it_is_the_usual_one(arm: tb.System, step: float) -> None:
    with pytest.raises(InputError, match="leave step of"):
        tb.live(arm, rate=500, method=tb.RK4(step=step))
    tb.live(arm, rate=500, method=tb.RK4())
