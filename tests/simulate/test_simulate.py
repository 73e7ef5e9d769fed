"""What a run takes and gives: grids, inputs, parameters, names, and how to repeat it."""

import math
from pathlib import Path

import numpy as np
import pytest

from hand_made_systems import HandMadeSystem, make_pendulum
from touchback import gallery
from touchback.errors import InputError
from touchback.recording import Run, open_run
from touchback.simulate import simulate


def test_a_run_has_states_inputs_and_outputs_by_name_with_units(pendulum: HandMadeSystem) -> None:
    run = simulate(pendulum, duration=1.0)
    assert run.names == ["angle", "speed", "torque", "energy"]
    assert run.units["energy"] == "J"
    assert len(run) == 1001
    assert run.time[0] == 0.0 and run.time[-1] == 1.0
    assert run.metadata["model"] == "pendulum"
    assert run.metadata["statistics"]["accepted"] > 10


@pytest.mark.parametrize("method", ["dopri5", "rk4", "DOP853"])
def test_outputs_fall_on_the_grid_and_on_the_end(pendulum: HandMadeSystem, method: str) -> None:
    run = simulate(pendulum, duration=0.35, method=method, step=0.005, output_step=0.1)
    np.testing.assert_allclose(run.time, [0.0, 0.1, 0.2, 0.3, 0.35], rtol=1e-15)


def test_a_fixed_step_that_does_not_divide_the_duration_ends_with_a_shorter_one(
    pendulum: HandMadeSystem,
) -> None:
    run = simulate(pendulum, duration=0.25, method="rk4", step=0.1)
    np.testing.assert_allclose(run.time, [0.0, 0.1, 0.2, 0.25])
    fine = simulate(pendulum, duration=0.25, method="rk4", step=0.001)
    assert run["angle"][-1] == pytest.approx(fine["angle"][-1], abs=1e-4)


def test_a_fixed_step_that_divides_the_duration_only_up_to_rounding_takes_no_sliver(
    pendulum: HandMadeSystem,
) -> None:
    run = simulate(pendulum, duration=0.3, method="rk4", step=0.1)
    assert run.metadata["statistics"]["steps"] == 3


def test_an_output_step_off_the_fixed_grid_is_refused(pendulum: HandMadeSystem) -> None:
    with pytest.raises(InputError, match=r"output_step 0\.015 s is not a multiple"):
        simulate(pendulum, duration=1.0, method="rk4", step=0.01, output_step=0.015)


def test_the_same_call_gives_the_same_bits(pendulum: HandMadeSystem) -> None:
    a, b = (simulate(pendulum, duration=3.0) for _ in range(2))
    assert a["angle"].tobytes() == b["angle"].tobytes()


def repeated(run: Run, system: HandMadeSystem) -> Run:
    line = run.metadata["repro_call"].removeprefix("tb.")
    again = eval(line, {"simulate": simulate, "system": system, "run": run})
    assert isinstance(again, Run)
    return again


def test_the_repeat_line_repeats_the_run(pendulum: HandMadeSystem) -> None:
    run = simulate(
        pendulum, [0.3, 0.1], 1.0, method="rk4", step=0.01, inputs={"torque": 2.0},
        parameters={"length": 0.5},
    )  # fmt: skip
    again = repeated(run, pendulum)
    assert again["angle"].tobytes() == run["angle"].tobytes()


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".mcap"])
def test_a_run_with_samples_is_repeated_from_its_file_by_a_short_line(
    pendulum: HandMadeSystem, suffix: str, tmp_path: Path
) -> None:
    samples = np.random.default_rng(3).normal(size=10_000)
    run = simulate(pendulum, [0.3, 0.1], 1.0, method="rk4", step=0.01, inputs={"torque": samples})
    run.save(tmp_path / f"run{suffix}")
    opened = open_run(tmp_path / f"run{suffix}")
    assert len(opened.metadata["repro_call"]) < 200
    again = repeated(opened, pendulum)
    assert again["angle"].tobytes() == run["angle"].tobytes()
    assert again.metadata["repro_call"] == run.metadata["repro_call"]


def test_parameters_replace_the_compiled_ones(pendulum: HandMadeSystem) -> None:
    """A small swing has the period 2π √(l/g); a quarter of it leads to zero."""
    length = 0.2
    quarter = 0.5 * math.pi * math.sqrt(length / 9.81)
    run = simulate(pendulum, [1e-4, 0.0], quarter, parameters={"length": length})
    assert run["angle"][-1] == pytest.approx(0.0, abs=1e-11)
    assert run.metadata["parameters"] == {"length": length}


RAMP = np.linspace(0.0, 3.0, 4)


@pytest.mark.parametrize(
    "torque", [lambda t: 1.5 * t, RAMP, (2.0 / 3.0 * RAMP, RAMP)], ids=["function", "even", "grid"]
)
def test_functions_and_samples_of_the_same_input_give_the_same_run(
    pendulum: HandMadeSystem, torque: object
) -> None:
    run = simulate(pendulum, duration=2.0, inputs={"torque": torque}, method="rk4")
    np.testing.assert_allclose(run["torque"], 1.5 * run.time, atol=1e-14)
    reference = simulate(pendulum, duration=2.0, inputs={"torque": lambda t: 1.5 * t})
    # The polygon is rounded differently from the product, no more.
    np.testing.assert_allclose(
        run["angle"], np.interp(run.time, reference.time, reference["angle"]), atol=2e-5
    )


def test_a_constant_torque_holds_the_pendulum_still(pendulum: HandMadeSystem) -> None:
    hold = 9.81 * 0.7 * math.sin(1.0)
    run = simulate(pendulum, duration=1.0, inputs={"torque": hold})
    np.testing.assert_allclose(run["angle"], 1.0, atol=1e-12)
    np.testing.assert_array_equal(run["torque"], hold)


def test_functions_and_samples_can_be_mixed_with_scipys_solvers(pendulum: HandMadeSystem) -> None:
    settings = {"duration": 1.0, "inputs": {"torque": math.sin}}
    a = simulate(pendulum, method="dopri5", **settings)
    b = simulate(pendulum, method="Radau", **settings)
    np.testing.assert_allclose(a["angle"], b["angle"], atol=1e-6)


def test_an_output_called_like_a_state_keeps_both() -> None:
    pendulum = make_pendulum(output="angle")
    run = simulate(pendulum, duration=0.1)
    assert run.names == ["angle", "speed", "torque", "angle (output)"]


def test_progress_can_be_followed(pendulum: HandMadeSystem) -> None:
    seen: list[float] = []
    simulate(pendulum, duration=5.0, method="rk4", progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"method": "dopri"}, "no method 'dopri': did you mean 'dopri5'"),
        ({"duration": -1.0}, "duration must be a positive number, got -1.0"),
        ({"step": 0.0}, "step must be a positive number"),
        ({"rtol": math.nan}, "rtol must be a positive number"),
        ({"step_limit": 0}, "step_limit must be at least 1"),
        ({"x0": [1.0]}, r"the state has 2 elements \(angle, speed\), got an array of shape \(1,\)"),
        ({"x0": [1.0, math.nan]}, "initial value of 'speed' is nan"),
        ({"inputs": {"torqe": 1.0}}, "no input 'torqe': did you mean 'torque'"),
        ({"inputs": {"torque": "strong"}}, "must be a number, samples or a function"),
        ({"inputs": {"torque": [[0, 1], [2]]}}, "equally many numbers"),
        ({"inputs": {"torque": ([1, 0], [0, 0])}}, "their times must rise"),
        ({"inputs": {"torque": [1.0]}}, "at least two numbers"),
    ],
)
def test_arguments_that_do_not_fit_are_named(
    pendulum: HandMadeSystem, arguments: dict[str, object], complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        simulate(pendulum, **{"duration": 1.0, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["pendulum", "slider-crank", "bouncing-hammer"])
def test_every_run_has_a_list_of_remarks(name: str) -> None:
    run = simulate(gallery.make(name).compile(), duration=1e-3, progress=False)
    assert isinstance(run.metadata["diagnostics"], list)
