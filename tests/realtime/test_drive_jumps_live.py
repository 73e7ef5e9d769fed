"""Live runs apply the impulses of drives whose rates jump with time, as `tb.simulate` does."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from driven_slides import (
    AT,
    KICK,
    UNTIL,
    WAYS,
    add_modes,
    kinked,
    pendulum_on_slide,
    ramp_by_parameters,
    zigzag,
)

RATE = 1000.0


@pytest.fixture(scope="module", params=[False, True], ids=["constraints", "modes"])
def system(request: pytest.FixtureRequest) -> tb.System:
    model = pendulum_on_slide(ramp_by_parameters, gravity=0.0)
    return (add_modes(model) if request.param else model).compile()


@pytest.mark.parametrize("constraints", [None, "projection", "multipliers", "baumgarte"])
@pytest.mark.parametrize("at", [AT, 0.02003])
def test_a_tick_kicks_as_a_step_does(system: tb.System, at: float, constraints: str | None) -> None:
    """The same bits: of the state before the jump, the impulse, and the rest of the step."""
    given = {"constraints": constraints, "parameters": {"at": at}}
    with tb.live(system, rate=RATE, speed=None, **given) as live:
        live.run(UNTIL)
        reached = [live.read(name) for name in system.state_names]
    alone = tb.simulate(
        system, duration=UNTIL, method="rk4", step=1.0 / RATE, progress=False, **given
    )
    assert reached == [alone[name][-1] for name in system.state_names]
    kicked = reached[system.state_names.index("swing rate")]
    assert kicked == pytest.approx(KICK * np.cos(0.4), rel=1e-6)


def test_several_steps_of_a_tick_pass_the_jump(system: tb.System) -> None:
    given = {"parameters": {"at": 0.02003}}
    with tb.live(system, rate=RATE, speed=None, substeps=4, **given) as live:
        live.run(UNTIL)
        assert live.read("swing rate") == pytest.approx(KICK * np.cos(0.4), rel=1e-9)


def test_a_replay_passes_the_jump_alike(system: tb.System, tmp_path: Path) -> None:
    with tb.live(system, rate=RATE, speed=None, record=tmp_path / "run.mcap") as live:
        live.run(UNTIL)
    assert tb.replay(tmp_path / "run.mcap").same


def test_a_drive_whose_position_jumps_with_time_starts_no_run() -> None:
    model = pendulum_on_slide(lambda m: tb.select(m.time < AT, 0.0, 0.05))
    with pytest.raises(tb.InputError, match=r"'x' prescribes jumps by 0\.05 m"):
        tb.live(model.compile(), rate=RATE, speed=None)


@pytest.mark.parametrize("at", [0.01, 0.007, 0.0105])
@pytest.mark.parametrize("kind", WAYS)
def test_a_kink_at_a_tick_kicks_whole_however_it_is_written(kind: str, at: float) -> None:
    """|t − T| has the mean of its slopes at T itself: a tick that ends there took half of it."""
    system = pendulum_on_slide(kinked(kind, at), angle=0.0, gravity=0.0).compile()
    with tb.live(system, rate=RATE, speed=None) as live:
        live.run(0.02)
        kicked = live.read("swing rate")
    alone = tb.simulate(system, duration=0.02, rtol=1e-12, atol=1e-12, progress=False)
    assert kicked == pytest.approx(alone["swing rate"][-1], rel=1e-8)
    assert kicked == pytest.approx(KICK, rel=1e-2)  # cos θ until then


def test_each_of_many_kinks_kicks() -> None:
    """5000 within ten minutes, as they are looked for: only some had impulses."""
    system = pendulum_on_slide(zigzag(5000, 600.0), angle=0.0, gravity=0.0).compile()
    with tb.live(system, rate=RATE, speed=None) as live:
        live.run(1.0)
        kicked = live.read("swing rate")
    alone = tb.simulate(system, duration=1.0, rtol=1e-12, atol=1e-12, progress=False)
    assert len(alone.metadata["diagnostics"]) == 8
    assert kicked == pytest.approx(alone["swing rate"][-1], rel=1e-8)


def test_a_drive_that_jumps_thousands_of_times_a_second_runs_with_a_warning() -> None:
    """Ten minutes of it have more jumps than are kept: the run starts, and kicks at first."""
    model = pendulum_on_slide(
        lambda m: 1e-6 * abs(4.9e3 * m.time - tb.floor(4.9e3 * m.time) - 0.5),
        angle=0.0,
        gravity=0.0,
    )
    system = model.compile()
    with (
        pytest.warns(RuntimeWarning, match="jump so often that their impulses act up to t = 6 s"),
        tb.live(system, rate=RATE, speed=None) as live,
    ):
        live.run(0.003)
        kicked = live.read("swing rate")
    alone = tb.simulate(system, duration=live.ticks / RATE, rtol=1e-12, atol=1e-14, progress=False)
    assert kicked == pytest.approx(alone["swing rate"][-1], rel=1e-4)
