"""Instances of a batch get the impulses of drives whose rates jump, as runs of their own do."""

from typing import Any

import numpy as np
import pytest

import touchback as tb
from driven_slides import (
    AT,
    KICK,
    LENGTH,
    UNTIL,
    add_modes,
    pendulum_on_slide,
    ramp,
    ramp_by_parameters,
)
from touchback.batch.gpu.gpu_executor import GpuDevice

STEP = 1e-3
# beside the grid, on it, twice on it, just before a step's end, after the end of the run
TIMES = np.array([0.0071, 0.012, AT, 0.02003, 0.0299999, 0.05])
SPEEDS = np.array([1.0, 2.0, -1.5, 0.3, 0.5, 1.0])
GIVEN = {"at": TIMES, "speed": SPEEDS}


@pytest.fixture(scope="module", params=[False, True], ids=["constraints", "modes"])
def system(request: pytest.FixtureRequest) -> tb.System:
    model = pendulum_on_slide(ramp_by_parameters, gravity=0.0)
    return (add_modes(model) if request.param else model).compile()


@pytest.mark.parametrize("options", [
    {"method": "rk4", "step": STEP}, {"method": "euler", "step": STEP},
    {"method": "rk4", "step": STEP, "constraints": "projection"},
    {"method": "rk4", "step": STEP, "constraints": "multipliers"},
    {"method": "dopri5", "output_step": STEP},
], ids=str)  # fmt: skip
def test_each_instance_is_kicked_as_a_run_of_its_own(system: tb.System, options: Any) -> None:
    """Without gravity the pendulum rests until then: its rate after it is that of the impulse, and
    changes by what centrifugal forces do, which are none on the slide at a constant speed."""
    ran = system.batch(len(TIMES)).run(duration=UNTIL, parameters=GIVEN, progress=False, **options)
    kicked = np.where(TIMES < UNTIL, KICK * np.cos(0.4) * SPEEDS, 0.0)
    np.testing.assert_allclose(ran["swing rate"][:, -1], kicked, rtol=1e-9, atol=1e-12)
    assert not np.isnan(ran.record).any()
    for i, at in enumerate(TIMES):
        one = tb.simulate(
            system, duration=UNTIL, progress=False,
            parameters={"at": at, "speed": SPEEDS[i]}, **options,
        )  # fmt: skip
        alone = [one[name][-1] for name in system.state_names]
        np.testing.assert_allclose(ran.x[i], alone, rtol=1e-12, atol=1e-14)


def test_a_jump_within_a_batch_of_steps_of_formulations() -> None:
    system = pendulum_on_slide(ramp(1.0), gravity=0.0).compile()
    for method in ("linear-implicit", "augmented-lagrangian"):
        ran = system.batch(2).run(duration=UNTIL, method=method, step=1e-4, progress=False)
        assert ran["swing rate"][0, -1] == pytest.approx(KICK * np.cos(0.4), rel=1e-3)


def test_a_card_leaves_jumps_to_the_processor_and_says_why(card: GpuDevice) -> None:
    system = pendulum_on_slide(ramp(1.0), gravity=0.0).compile()
    with pytest.warns(RuntimeWarning, match=r"the rate of 'x' jumps at t = 0\.02 s"):
        ran = system.batch(2).run(duration=UNTIL, step=STEP, on="gpu", progress=False)
    assert ran["swing rate"][0, -1] == pytest.approx(KICK * np.cos(0.4), rel=1e-9)


@pytest.mark.parametrize("options", [
    {"step": STEP}, {"method": "dopri5", "output_step": STEP}, {"method": "moreau-jean"},
], ids=str)  # fmt: skip
def test_a_drive_whose_position_jumps_is_refused_in_batches(options: Any) -> None:
    model = pendulum_on_slide(lambda m: tb.select(m.time < AT, 0.0, m.parameter("way", 0.0)))
    if options.get("method") == "moreau-jean":
        model.contact("wall", tb.contact.DescribedContact(LENGTH * model.coordinate("swing") + 3.0))
    batch = model.compile().batch(2)
    with pytest.raises(tb.InputError, match=r"'x' prescribes jumps by 0\.05 m"):
        batch.run(duration=UNTIL, parameters={"way": [0.0, 0.05]}, progress=False, **options)
