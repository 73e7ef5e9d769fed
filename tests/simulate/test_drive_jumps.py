"""A drive whose rate jumps gives the mechanism an impulse, as by the balance of momentum."""

import warnings
from typing import Any

import numpy as np
import pytest

import touchback as tb
from driven_slides import (
    AT,
    INERTIA,
    KICK,
    LENGTH,
    MASS,
    UNTIL,
    WAYS,
    add_modes,
    kick,
    kinked,
    pendulum_on_slide,
    ramp,
)

ANGLES = {"hangs": 0.0, "leans": 0.7, "stands": 2.6}


@pytest.mark.parametrize("options", [
    {}, {"method": "radau5"}, {"method": "LSODA"}, {"method": "rk4", "step": 1e-4},
    {"constraints": "multipliers"}, {"constraints": "projection"}, {"constraints": "baumgarte"},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("speed", [1.0, -2.5])
def test_a_slide_that_starts_suddenly_kicks_its_pendulum(speed: float, options: Any) -> None:
    system = pendulum_on_slide(ramp(speed)).compile()
    run = tb.simulate(system, duration=UNTIL, progress=False, **options)
    jump, cosine = kick(run)
    assert jump == pytest.approx(KICK * cosine * speed, rel=1e-6)  # rk4 and LSODA: of their steps
    assert run["x"][-1] == pytest.approx(speed * (UNTIL - AT), rel=1e-6)
    assert np.all(np.diff(run.time) > 0.0)
    assert any("jumps by" in said for said in run.metadata["diagnostics"])


@pytest.mark.parametrize("angle", ANGLES.values(), ids=ANGLES)
def test_the_energy_balance_closes_over_a_jump(angle: float) -> None:
    """The drive works by its impulse along the mean of its rates, which are 0 and u."""
    system = pendulum_on_slide(ramp(1.5), angle, 3.0).compile()
    run = tb.simulate(system, duration=UNTIL, energy_balance=True, progress=False)
    jump, cosine = kick(run)
    impulse = 1.8 * 1.5 - MASS * LENGTH * cosine * jump  # of slide and bob along x
    assert run.energy_balance.work["jumps of drives"] == pytest.approx(impulse * 0.75, rel=1e-9)
    assert abs(run.energy_balance.residual) < 1e-8


@pytest.mark.parametrize("options", [
    {}, {"method": "radau5"}, {"method": "rk4", "step": 1e-3}, {"method": "euler", "step": 1e-4},
], ids=str)  # fmt: skip
def test_a_jump_kicks_what_has_modes(options: Any) -> None:
    system = add_modes(pendulum_on_slide(ramp(1.5, 0.02003))).compile()
    run = tb.simulate(system, duration=UNTIL, energy_balance=True, progress=False, **options)
    jump, cosine = kick(run, 0.02003)
    assert jump == pytest.approx(KICK * cosine * 1.5, rel=1e-6)
    assert abs(run.energy_balance.residual) < (1e-8 if options.get("method") != "euler" else 1e-4)


@pytest.mark.parametrize("modes", [False, True], ids=["constraints", "modes"])
@pytest.mark.parametrize("options", [
    {"method": "rk4", "step": 1e-3}, {"method": "rk4", "step": 1e-4, "output_step": 1e-3},
    {"method": "dopri5", "output_step": 1e-3},
], ids=str)  # fmt: skip
def test_rows_lie_on_the_grid_after_a_jump_that_does_not(options: Any, modes: bool) -> None:
    model = pendulum_on_slide(ramp(1.0, 0.02003))
    system = (add_modes(model) if modes else model).compile()
    run = tb.simulate(system, duration=UNTIL, progress=False, **options)
    wanted = np.arange(31) * 1e-3
    assert np.abs(run.time[:, None] - wanted).min(axis=0).max() < 1e-12
    assert np.all(np.diff(run.time) > 0.0)


def moved_at_once(m: tb.Model) -> tb.Expr:
    return tb.select(m.time < AT, 0.0, 0.05)


REFUSED = r"'x' prescribes jumps by 0\.05 m at t = 0\.02 s.*infinite impulse"


@pytest.mark.parametrize("method", [None, "rk4", "radau5", "linear-implicit", "moreau-jean"])
def test_a_drive_whose_position_jumps_is_refused(method: str | None) -> None:
    model = pendulum_on_slide(moved_at_once)
    if method == "moreau-jean":
        model.contact("wall", tb.contact.DescribedContact(LENGTH * model.coordinate("swing") + 3.0))
    step = {} if method is None else {"method": method, "step": 1e-3}
    with pytest.raises(tb.InputError, match=REFUSED):
        tb.simulate(model.compile(), duration=UNTIL, progress=False, **step)


def test_an_input_that_moves_a_drive_at_once_is_refused() -> None:
    """A function whose knots say where it jumps; of one without knots nothing is known."""
    model = pendulum_on_slide(lambda m: m.input("place", "m"))
    step = tb.TimeFunction(lambda t: 0.0 if t < AT else 0.05, knots=[AT])
    with pytest.raises(tb.InputError, match=REFUSED):
        tb.simulate(model.compile(), duration=UNTIL, inputs={"place": step}, progress=False)


def test_a_motion_in_pieces_moves_what_it_carries_as_a_smooth_one() -> None:
    """A table of a hundred straight pieces of a sine: impulses at its kinks add up to what the
    sine's acceleration does, to second order in the pieces."""
    times = np.linspace(0.0, 1.0, 101)
    places = 0.1 * np.sin(4.0 * times)
    pieces = pendulum_on_slide(lambda m: tb.lookup(m.table("way", times, places), m.time))
    smooth = pendulum_on_slide(lambda m: 0.1 * tb.sin(4.0 * m.time))
    state = np.array([0.0, 0.4, 0.4, 0.0])  # x, swing and their rates
    ends = [
        tb.simulate(each.compile(), state, 0.995, progress=False)["swing"][-1]
        for each in (pieces, smooth)
    ]
    still = pendulum_on_slide(lambda m: 0.4 * m.time).compile()
    unmoved = tb.simulate(still, state, 0.995, progress=False)["swing"][-1]
    assert abs(ends[0] - ends[1]) < 1e-3 < 0.05 < abs(ends[1] - unmoved)


def test_more_kinks_than_runs_are_parted_at_are_warned_of() -> None:
    times = np.linspace(0.0, 1.0, 1001)
    model = pendulum_on_slide(lambda m: tb.lookup(m.table("way", times, times**2), m.time))
    with pytest.warns(RuntimeWarning, match=r"rates jump at \d+ instants.*'x' by 0\.002 m/s"):
        tb.simulate(model.compile(), duration=0.5, progress=False)


def test_runs_that_cannot_be_parted_warn_with_the_jump() -> None:
    model = pendulum_on_slide(ramp(1.0))
    model.contact("wall", tb.contact.DescribedContact(LENGTH * model.coordinate("swing") + 3.0))
    with pytest.warns(RuntimeWarning, match=r"'x' by 1 m/s \(or rad/s\) at t = 0\.02 s"):
        tb.simulate(model.compile(), duration=UNTIL, progress=False)


def test_smooth_motions_part_no_run() -> None:
    model = pendulum_on_slide(lambda m: tb.maximum(0.0, m.time - AT) ** 2)
    run = tb.simulate(model.compile(), duration=UNTIL, progress=False)
    assert not any("jumps" in said for said in run.metadata["diagnostics"])


def test_time_stepping_applies_the_impulse_within_a_step() -> None:
    model = pendulum_on_slide(ramp(1.0), gravity=0.0)
    model.contact("wall", tb.contact.DescribedContact(LENGTH * model.coordinate("swing") + 3.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = tb.simulate(
            model.compile(), duration=UNTIL, method="moreau-jean", step=1e-5, progress=False
        )
    jump = MASS * LENGTH * np.cos(0.4) / (INERTIA + MASS * LENGTH**2)
    after = int(np.searchsorted(run.time, AT + 3e-5))
    assert run["swing rate"][after] == pytest.approx(jump, rel=1e-3)  # of some steps' length


def test_a_drive_that_a_switch_turns_on_kicks_when_its_rate_jumps_later() -> None:
    model = pendulum_on_slide(ramp(1.0), angle=0.0, gravity=0.0)
    system = model.compile()
    system.deactivate("x")
    run = tb.simulate(
        system, system.assemble(), UNTIL, events=[tb.Switch(0.01, activate=["x"])],
        energy_balance=True, progress=False,
    )  # fmt: skip
    assert kick(run)[0] == pytest.approx(KICK, rel=1e-9)
    assert abs(run.energy_balance.residual) < 1e-8
    assert any("jumps by 1 m/s" in said for said in run.metadata["diagnostics"])


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 1e-3}], ids=str)
def test_a_run_that_ends_where_a_rate_jumps_ends_before_it(kind: str, options: Any) -> None:
    """What comes after belongs to a run that goes on: the last row has the rates of the way to it,
    and the energies of one instant."""
    system = pendulum_on_slide(kinked(kind, UNTIL), angle=0.0, gravity=0.0).compile()
    run = tb.simulate(system, duration=UNTIL, energy_balance=True, progress=False, **options)
    assert run.time[-1] == UNTIL and len(np.unique(run.time)) == len(run.time)
    assert run["x rate"][-1] == run["x rate"][0] and run["swing rate"][-1] == run["swing rate"][0]
    assert abs(run.energy_balance.residual) < 1e-12 and not run.metadata["diagnostics"]
    batch = system.batch(2).run(duration=UNTIL, method="rk4", step=1e-3, progress=False)
    assert batch["x rate"][1, -1] == pytest.approx(run["x rate"][0], abs=1e-12)
    assert batch["swing rate"][1, -1] == pytest.approx(run["swing rate"][0], abs=1e-12)


def test_a_moving_ground_whose_velocity_jumps_is_warned_of() -> None:
    m = tb.Model("lift", gravity=(0, 0, 0))
    bob = m.body("bob", mass=MASS, com=(0, 0, -LENGTH), inertia=(INERTIA,) * 3)
    m.joint("swing", tb.Revolute("y"), m.ground, bob)
    m.move_base(position=(tb.maximum(0.0, m.time - AT), 0, 0))
    system = m.compile()
    said = rf"moving ground jumps at 1 instants, first at t = {AT} s, .* {MASS} kg m/s"
    with pytest.warns(RuntimeWarning, match=said) as caught:
        tb.simulate(system, duration=UNTIL, progress=False)
    assert caught[0].filename == __file__
    with pytest.warns(RuntimeWarning, match=said):
        system.batch(2).run(duration=UNTIL, progress=False)
    with pytest.warns(RuntimeWarning, match=said), tb.live(system, rate=1000.0, speed=None):
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tb.simulate(system, duration=0.5 * AT, progress=False)
