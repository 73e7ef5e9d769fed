"""Constraints whose forces rub: many at once, and friction too strong for mechanics."""

import numpy as np
import pytest

import touchback as tb
from python_friction import solve_accelerations
from rubbing_models import leaning_rod, rod

G = 9.81


def start_of_motion(system: tb.System, start: tb.State) -> tuple[np.ndarray, tb.Run]:
    """Accelerations of one short step, and its run."""
    step = 1e-6
    run = tb.simulate(
        system, start, step, method="euler", step=step, constraints="multipliers", progress=False
    )
    after = np.array([run[f"{name} rate"][-1] for name in system.velocities])
    return (after - start.v) / step, run


def test_signs_of_many_forces_are_found_where_turning_them_together_goes_in_circles() -> None:
    """Four masses of 1 kg on belts, three ties A x = 0 that rub along B: A a = 0 and
    a = f + Aᵀλ + μ Bᵀ|λ|. Friction is weak enough for one answer alone, with λ₁ < 0 < λ₂, λ₃."""
    A = np.array([[1, 1, -1, -1], [0, 1, 2, -2], [-1, 0, 0, 0]])
    B = np.array([[0, 0, 2, 0], [0, 2, 0, -2], [1, -2, -1, 1]])
    f = np.array([5.0, 1.0, -5.0, -2.0])
    m = tb.Model("masses", gravity=(0, 0, 0))
    for i in range(4):
        m.body(f"m{i}", mass=1.0)
        m.joint(f"x{i}", tb.Prismatic("x"), m.ground, f"m{i}")
        m.force(f"f{i}", tb.JointEffort(f"x{i}", float(f[i])))
    for k in range(3):
        tie, slides = 0.0, -1.0
        for i in range(4):
            tie = tie + float(A[k, i]) * m.coordinate(f"x{i}")
            slides = slides + float(B[k, i]) * m.rate(f"x{i}")
        m.constrain(f"tie {k}", tie, friction=0.4, slides=slides, slip_speed=1e-9)
    system = m.compile()
    signs = np.array([-1.0, 1.0, 1.0])
    forces = np.linalg.solve(A @ (A + 0.4 * signs[:, None] * B).T, -A @ f)
    assert (signs * forces > 1.0).all()
    a = f + A.T @ forces + 0.4 * B.T @ np.abs(forces)
    start = system.initial_state()
    np.testing.assert_allclose(system.forward_dynamics(start.q, start.v), a, atol=1e-12)
    found, run = start_of_motion(system, start)
    np.testing.assert_allclose(found, a, atol=1e-4)
    np.testing.assert_allclose([run[f"tie {k}"][0] for k in range(3)], forces, atol=1e-12)
    assert not run.metadata["diagnostics"]


def test_a_rod_that_slides_moves_as_a_rigid_contact_lets_it() -> None:
    """Event-driven, with Coulomb's law as it is, rubbing where the force is complementary."""
    system, free = rod(0.3), leaning_rod().compile()
    start = system.assemble(rates={"x": 2.0, "lean": 0.5})
    run = tb.simulate(system, start, 0.15, rtol=1e-10, atol=1e-12, progress=False)
    tip = tb.Frame("rod", (0.5, 0.0, 0.0))
    contact = tb.contact.SpherePlaneContact(tip, tb.Frame("ground"), radius=1e-9, friction=0.3)
    other = tb.simulate(free, start, contacts={"tip": contact}, duration=0.15)
    assert run["tip"].min() > 5.0
    for name in system.state_names:
        assert run[name][-1] == pytest.approx(other[name][-1], abs=1e-7)


@pytest.mark.parametrize("speed", [3.0, -3.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("mu", [0.5, 2.0])
def test_the_motion_does_not_depend_on_the_sign_of_a_constraint(
    mu: float, sign: float, speed: float
) -> None:
    """F (1/m + (l cos α)²/I + μ l² sin α cos α/I) = m g, l = 1/2, where friction turns the tip away
    from the table: the answer that weak friction leads to. From μ = 1.4 on there is another."""
    gravity = np.copysign(G, speed)
    system = rod(mu, sign, gravity)
    start = system.assemble(rates={"x": speed, "lean": 0.0})
    level, upright = 0.5 * np.cos(1.0), 0.5 * np.sin(1.0)
    force = -gravity / (1.0 + 12.0 * level * (level + mu * upright))
    found = system.multipliers(start.q, start.v)["tip"]
    assert sign * found == pytest.approx(force, rel=1e-6)
    a, run = start_of_motion(system, start)
    np.testing.assert_allclose(a, system.forward_dynamics(start.q, start.v), rtol=1e-4)
    assert run["tip"][0] == pytest.approx(found)


@pytest.mark.parametrize("speed", [3.0, -3.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("mu", [0.5, 2.0])
def test_frictions_are_turned_where_other_rows_are_redundant(
    mu: float, sign: float, speed: float
) -> None:
    """The ropes share their load as 1 : 2; the rod doesn't know of them, on either road."""
    gravity = np.copysign(G, speed)
    system, alone = rod(mu, sign, gravity, held=2), rod(mu, sign, gravity)
    start, other = (each.assemble(rates={"x": speed, "lean": 0.0}) for each in (system, alone))
    found = system.multipliers(start.q, start.v)
    assert found["tip"] == pytest.approx(alone.multipliers(other.q, other.v)["tip"], rel=1e-12)
    ropes = found["rope 0"], found["rope 1"]
    assert ropes == pytest.approx((-2.0 * gravity / 5.0, -4.0 * gravity / 5.0), rel=1e-12)
    a = np.append(alone.forward_dynamics(other.q, other.v), 0.0)
    for _ in range(2):
        told = system.forward_dynamics(start.q, start.v)
        np.testing.assert_allclose(told, a, rtol=1e-12, atol=1e-12)
    if mu < 1.4:  # where signs of determinants needn't be known, which redundant rows hide
        wanted, multipliers = solve_accelerations(system.terms(start.q, start.v))
        np.testing.assert_allclose(told, wanted, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose([*found.values()], multipliers, rtol=1e-9)


def test_friction_without_an_answer_is_told_where_other_rows_are_redundant() -> None:
    system = rod(2.0, held=2)
    start = system.assemble(rates={"x": 3.0, "lean": 0.0})
    with pytest.raises(tb.SolveError, match=r"Constraint 'tip': .*Painlevé"):
        system.multipliers(start.q, start.v)
    fast, slow = start.v, 0.0 * start.v
    with pytest.raises(tb.SolveError, match=r"Constraint 'tip': .*Painlevé"):
        system.forward_dynamics(start.q, np.stack([slow, fast]))


@pytest.mark.parametrize("method", ["forward_dynamics", "state_rate", "multipliers", "sensors"])
def test_of_an_array_of_states_it_is_told_which_have_no_answer(method: str) -> None:
    system = rod(2.0)
    start = system.assemble(rates={"x": 3.0, "lean": 0.0})
    v = np.zeros((4, 3, len(start.v)))
    v[2, 1] = v[3, 0] = start.v
    for _ in range(2):
        with pytest.raises(
            tb.SolveError,
            match=r"here \(state \[2, 1\], the first of 2 such among 12\) that no force",
        ):
            getattr(system, method)(start.q, v)
        with pytest.raises(tb.SolveError, match=r"so strong here that no force"):
            getattr(system, method)(start.q, start.v)
        getattr(system, method)(start.q, np.delete(v.reshape(12, -1), [7, 9], axis=0))


def test_friction_without_an_answer_is_told_and_left_out() -> None:
    """The rod with its tip ahead, pushed into the table by its own friction."""
    system = rod(2.0)
    start = system.assemble(rates={"x": 3.0, "lean": 0.0})
    with pytest.raises(tb.SolveError, match=r"Constraint 'tip': .*Painlevé"):
        system.forward_dynamics(start.q, start.v)
    with pytest.warns(RuntimeWarning, match="the friction of 'tip' was so strong"):
        run = tb.simulate(system, start, 0.02, progress=False)
    assert "a rigid contact" in run.metadata["diagnostics"][0]
    assert run.metadata["statistics"]["paradoxes"] > 0
    assert all(np.isfinite(run[name]).all() for name in run.names)


def test_the_report_of_a_live_run_counts_ticks_without_an_answer() -> None:
    for mu, expected in ((0.5, 0), (2.0, 10)):
        system = rod(mu)
        start = system.assemble(rates={"x": 3.0, "lean": 0.0})
        with tb.live(system, rate=1000, x0=start, speed=None) as live:
            live.run(0.01)
        assert live.report().counts["paradoxes"] == expected
        assert f"paradoxes {expected}" in str(live.report())


def test_a_constraint_that_comes_to_carry_the_load_of_one_that_rubs_is_told() -> None:
    m = tb.Model("block on two floors")
    m.body("carriage", mass=0.0)
    m.body("block", mass=2.0)
    m.joint("x", tb.Prismatic("x"), m.ground, "carriage")
    m.joint("z", tb.Prismatic("z"), "carriage", "block")
    m.constrain("floor", m.coordinate("z"), friction=0.3, slides=m.rate("x"))
    m.constrain("again", 2.0 * m.coordinate("z"), active=False)
    system = m.compile()
    start = system.assemble(rates={"x": 1.0})
    for switches, expected in (([], 0), ([tb.Switch(0.1, activate=["again"])], 1)):
        run = tb.simulate(system, start, 0.2, events=switches, progress=False)
        said = [
            x for x in run.metadata["diagnostics"] if "The force of constraint 'floor' rubs" in x
        ]
        assert len(said) == expected
