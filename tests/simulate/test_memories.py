"""Memories: states that change only at ticks, offline and live, against difference equations."""

import numpy as np
import pytest

import touchback as tb
from touchback.errors import InputError, ModelError

T = 1e-3


def counter():
    m = tb.Model("counter")
    before = m.memory("before", 1.0)
    last = m.memory("last", 0.0, update=before)
    m.set_update("before", before + last)
    m.sensor("sum", tb.Signal(before + last))
    return m


def test_all_updates_of_a_tick_see_the_values_before_it():
    run = tb.simulate(counter().compile(), duration=9 * T, rate=1 / T, step=T)
    assert list(run["before"]) == [1, 1, 2, 3, 5, 8, 13, 21, 34, 55]  # Fibonacci


def test_a_tick_of_which_no_number_comes_is_not_kept():
    """Memories that square themselves: 2, 4, 16, … 2^512 are numbers, the next one isn't. The run
    ends where the last of them is, whether that is recorded or not."""
    m = tb.Model("squares")
    m.memory("square", 2.0, update=lambda before: before * before)
    for output_step in (T, 4 * T):
        with pytest.raises(tb.RunFailed, match="'square' stops being a finite number after") as end:
            tb.simulate(
                m.compile(), duration=20 * T, rate=1 / T, step=T, output_step=output_step,
                method="rk4",
            )  # fmt: skip
        assert end.value.run.time[-1] == pytest.approx(9 * T)
        assert end.value.run["square"][-1] == 2.0**512


def sampled_mass(stiffness=200.0):
    """A mass against a sampled spring with zero-order hold."""
    m = tb.Model("sampled mass", gravity=(0, 0, 0))
    body = m.body("mass", mass=0.3)
    m.joint("slide", tb.Prismatic("x"), m.ground, body, position=0.01, damping=0.1)
    force = m.memory("force", 0.0, update=-stiffness * m.coordinate("slide"))
    m.force("spring", tb.JointEffort("slide", force))
    return m


def exact_steps(count, stiffness, start, m=0.3, b=0.1):
    """x⁺ = Φ x + Γ u with u = −K x, from the closed form of a damped mass under a held force."""
    decay = np.exp(-b * T / m)
    states = [np.array(start)]
    for _ in range(count):
        x, v = states[-1]
        u = -stiffness * x
        rest = u / b
        new = (x + rest * T + (v - rest) * m / b * (1 - decay), rest + (v - rest) * decay)
        states.append(np.array(new))
    return np.array(states)


@pytest.mark.parametrize("substeps", [1, 4])
def test_a_sampled_spring_follows_the_zero_order_hold_s_difference_equation(substeps):
    system = sampled_mass().compile()
    run = tb.simulate(
        system, duration=0.5, rate=1 / T, step=T / substeps, output_step=T, method="rk4"
    )
    expected = exact_steps(500, 200.0, (0.01, 0.0))
    np.testing.assert_allclose(run["slide"], expected[:, 0], atol=1e-13)
    np.testing.assert_allclose(run["slide rate"], expected[:, 1], atol=1e-11)


def test_live_and_offline_runs_agree_to_the_bit():
    system = sampled_mass().compile()
    run = tb.simulate(system, duration=0.1, rate=1 / T, step=T / 2, output_step=T)
    with tb.live(system, rate=1 / T, substeps=2, speed=None, record=True) as live:
        live.run(0.1)
        recorded = live.recorded()
    np.testing.assert_array_equal(recorded["slide"], run["slide"][1:])
    np.testing.assert_array_equal(recorded["force"], run["force"][1:])


def test_substeps_can_change_while_ticks_stay_where_they_are():
    system = sampled_mass().compile()
    with tb.live(system, rate=1 / T, speed=None, record=True) as live:
        live.run(0.05)
        live.set_substeps(5)
        live.run(0.05)
        recorded = live.recorded()
    expected = exact_steps(100, 200.0, (0.01, 0.0))[1:]
    np.testing.assert_allclose(recorded["slide"], expected[:, 0], atol=1e-13)


def test_a_memory_may_hold_what_a_constraint_force_was():
    m = tb.Model("held")
    body = m.body("mass", mass=2.0)
    m.joint("slide", tb.Prismatic("z"), m.ground, body)
    m.drive("slide", tb.Sine(0.0, 1.0, 0.0))
    force = m.sensor("effort", tb.Multiplier("slide"))
    m.memory("felt", 0.0, update=force)
    run = tb.simulate(m.compile(), duration=0.01, rate=1000.0, step=1e-3)
    assert run["felt"][-1] == pytest.approx(2.0 * 9.81, rel=1e-9)


def test_memories_of_a_part_are_the_part_s():
    whole = tb.Model("two")
    for name in ("a", "b"):
        whole.add(counter(), name=name)
    run = tb.simulate(whole.compile(), duration=5 * T, rate=1 / T, step=T)
    assert run["a/before"][-1] == run["b/before"][-1] == 8


def test_memories_survive_a_file(tmp_path):
    m = sampled_mass()
    m.save(tmp_path / "mass.yaml")
    again = tb.read(tmp_path / "mass.yaml")
    assert again.memories == ["force"]
    first, second = (
        tb.simulate(model.compile(), duration=0.01, rate=1 / T, step=T) for model in (m, again)
    )
    np.testing.assert_array_equal(first["slide"], second["slide"])


def test_what_cannot_tick_is_said():
    system = counter().compile()
    with pytest.raises(InputError, match=r"'before'.*rate="):
        tb.simulate(system, duration=0.01)
    with pytest.raises(InputError, match=r"nothing of its memories.*; use method='rk4'"):
        tb.simulate(system, duration=0.01, rate=100.0, method="dopri5")
    with pytest.raises(InputError, match="no multiple of the step"):
        tb.simulate(system, duration=0.01, rate=300.0, step=1e-3)
    still = tb.Model("still")
    still.joint("slide", tb.Prismatic("y"), still.ground, still.body("bar", mass=1.0))
    with pytest.raises(InputError, match="no memories"):
        tb.simulate(still.compile(), duration=0.01, rate=100.0)
    m = counter()
    with pytest.raises(ModelError, match="it has no rate"):
        m.set_rate("last", 1.0)
    with pytest.raises(ModelError, match="lst"):
        m.set_update("lst", 1.0)


def ticks_counted():
    m = tb.Model("ticks")
    m.memory("count", 0.0, update=lambda count: count + 1)
    return m


@pytest.mark.parametrize(
    ("duration", "step", "count"),
    [(0.0155, 1e-3, 2), (0.0159, 1e-2, 2), (0.0205, 1e-3, 3)],  # ticks at 0, 10 and 20 ms
)
def test_a_shorter_last_step_is_no_tick_of_its_own(duration, step, count):
    run = tb.simulate(ticks_counted().compile(), duration=duration, rate=100.0, step=step)
    assert run["count"][-1] == count


def test_a_run_says_at_which_rate_it_ticked():
    run = tb.simulate(ticks_counted().compile(), duration=0.01, rate=500.0)
    assert "rate=500.0" in run.metadata["repro_call"]


@pytest.mark.parametrize("constraints", [None, "partitioning", "projection", "linear-implicit"])
def test_fixed_steps_are_taken_with_any_formulation(constraints):
    m = ticks_counted()
    m.joint("slide", tb.Prismatic("z"), m.ground, m.body("mass", mass=1.0))
    m.drive("slide", tb.Sine(0.1, 1.0))
    run = tb.simulate(m.compile(), duration=0.01, rate=1000.0, step=1e-3, constraints=constraints)
    assert run["count"][-1] == 10


def test_what_knows_of_no_ticks_refuses_memories():
    system = sampled_mass().compile()
    switch = [tb.Switch(0.1, activate=["pin"])]
    for ask in (
        lambda: tb.equilibrium(system),
        lambda: tb.linearise(system),
        lambda: tb.vibrations(system),
        lambda: tb.sensitivity(system, parameters=[]),
        lambda: tb.quality(system),
        lambda: tb.simulate(system, duration=0.2, rate=1 / T, events=switch),
    ):
        with pytest.raises(InputError, match=r"knows nothing of its memories.*'force'"):
            ask()


def test_only_a_memory_has_an_update():
    m = ticks_counted()
    m.state("pressure", 1.0, rate=-2.0)
    with pytest.raises(ModelError, match="'pressure': it is no memory"):
        m.set_update("pressure", 0.0)
    assert m.memories == ["count"]


def test_the_work_of_a_held_force_is_booked_to_rounding():
    m = sampled_mass()
    run = tb.simulate(m.compile(), duration=0.2, rate=1 / T, step=T / 4, energy_balance=True)
    given = np.sum(run["force"][1:] * np.diff(run["slide"]))  # constant over each step
    assert run.energy_balance.work["spring"] == pytest.approx(given, rel=1e-9)
    assert abs(run.energy_balance.residual) < 1e-9 * abs(given)


def test_updates_can_be_printed_for_a_controller_elsewhere():
    system = sampled_mass().compile()
    space = {}
    exec(system.generate("updates", "python"), space)
    assert space["updates"]([0.01, 0.0, 7.0], [0.0]) == pytest.approx([-2.0])
    with_drive = counter()
    with_drive.joint(
        "slide", tb.Prismatic("z"), with_drive.ground, with_drive.body("mass", mass=1.0)
    )
    with_drive.drive("slide", tb.Sine(0.1, 1.0))
    assert "updates" in with_drive.compile().generate("updates", "c")
