"""Assembly of loops: consistent states, branches, freedoms, and constraints that come and go."""

import numpy as np
import pytest

import touchback as tb
from constraint_faults import four_bar, slider_crank, two_arms
from touchback.system.dynamics_kinds import At

ROD, RADIUS = 0.4, 0.1


@pytest.mark.parametrize("angle", np.linspace(-3.0, 3.0, 7))
def test_kept_coordinates_stay_and_the_others_follow(angle: float) -> None:
    system = slider_crank().compile()
    x = system.assemble(crank=angle, rates={"crank": 10.0}, guess={"slider": 0.4, "rod": -angle})
    slider = RADIUS * np.cos(angle) + np.sqrt(ROD**2 - (RADIUS * np.sin(angle)) ** 2)
    tilt = -RADIUS * np.sin(angle) / ROD
    speed = -10 * RADIUS * np.sin(angle) + 10 * RADIUS * np.cos(angle) * tilt / np.sqrt(1 - tilt**2)
    assert x.q[0] == angle
    np.testing.assert_allclose(x.q[2], slider, atol=1e-12)
    np.testing.assert_allclose(x.v[[0, 2]], [10.0, speed], atol=1e-10)
    assert np.abs(system.constraint_error(x.q)).max() <= 1e-13


def test_the_guess_chooses_the_branch() -> None:
    system = slider_crank().compile()
    ahead = system.assemble(crank=0.3, guess={"slider": 0.5}).q[2]
    behind = system.assemble(crank=0.3, guess={"slider": -0.5, "rod": 3.0}).q[2]
    assert ahead == pytest.approx(0.49444, abs=1e-5)
    assert behind == pytest.approx(2 * RADIUS * np.cos(0.3) - ahead, abs=1e-12)


def test_bars_in_one_line_are_bent_until_they_close() -> None:
    """From there no step brings the ends nearer: h is along the bars, J across them."""
    m = two_arms()
    m.close("tips", tb.Rod(0.6), tb.Frame("left", (0.5, 0, 0)), tb.Frame("right", (0.5, 0, 0)))
    system = m.compile()
    x = system.assemble()
    assert abs(system.constraint_error(x.q)[0]) <= 1e-13


def test_positions_of_a_free_body_can_be_kept_although_its_velocities_have_other_axes() -> None:
    m = tb.Model("plate")
    m.body("plate", mass=1.0, inertia=(1, 1, 1))
    m.joint("free", tb.Free(), m.ground, "plate")
    m.close("rope", tb.Rod(2.0), m.ground, tb.Frame("plate", (0.3, 0.2, 0.1)))
    x = m.compile().assemble(
        guess={"free.qx": 0.5, "free.y": 0.3}, **{"free.x": 0.4, "free.z": 1.2}
    )
    np.testing.assert_allclose(x.q[[0, 2]], [0.4, 1.2], atol=1e-14)
    assert x.q[1] != 0.3


def test_drives_are_met_at_the_time_that_is_asked_for() -> None:
    m = slider_crank()
    m.drive("crank", tb.Ramp(speed=2.0, start=0.1))
    x = m.compile().assemble(t=0.25)
    assert (x.q[0], x.v[0]) == (pytest.approx(0.6), pytest.approx(2.0))


def test_the_effort_of_a_drive_is_that_of_inverse_dynamics() -> None:
    """A driven pendulum at rest in the horizontal: the drive carries the weight."""
    m = tb.Model("arm")
    m.body("arm", mass=2.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.joint("hinge", tb.Revolute("y"), m.ground, "arm")
    m.drive("hinge", tb.Sine(0.2, 1.0))
    m.sensor("effort", tb.Multiplier("hinge"))
    system = m.compile()
    x, t = system.assemble(t=0.2), 0.2
    acceleration = -0.2 * (2 * np.pi) ** 2 * np.sin(2 * np.pi * t)
    weight = -2.0 * 9.81 * 0.3 * np.cos(x.q[0])
    expected = (0.1 + 2.0 * 0.09) * acceleration + weight
    assert system.sensors(x.q, x.v, t=t)["effort"] == pytest.approx(expected, rel=1e-12)
    tau = system.inverse_dynamics(x.q, x.v, system.forward_dynamics(x.q, x.v, t=t))
    assert tau[0] == pytest.approx(expected, rel=1e-12)


def test_a_servo_keeps_its_constraint_with_the_effort_it_has() -> None:
    """A cart holds its pole at an angle: the force is on the cart, the pole gets no torque."""
    m = tb.Model("cart")
    m.body("cart", mass=1.0)
    m.body("pole", mass=0.5, com=(0, 0, 0.4), inertia=(0.02, 0.02, 0.001))
    m.joint("cart", tb.Prismatic("x"), m.ground, "cart")
    m.joint("pole", tb.Revolute("y"), "cart", "pole")
    m.constrain("lean", position=m.coordinate("pole") - 0.2, through="cart")
    system = m.compile()
    x = system.assemble()
    a = system.forward_dynamics(x.q, x.v)
    force = system.multipliers(x.q, x.v)["lean"]
    np.testing.assert_allclose(a, [9.81 * np.tan(0.2), 0.0], atol=1e-11)
    assert force == pytest.approx(1.5 * a[0], rel=1e-11)


# ---- freedoms ------------------------------------------------------------------------------------


def test_redundant_constraints_are_named_and_change_nothing() -> None:
    plain, m = slider_crank().compile(), slider_crank()
    m.close("again", tb.PointInPlane("xz"), tb.Frame("rod", (ROD, 0, 0)), "slider")
    double = m.compile()
    assert double.freedoms().redundant == ("again.1", "again.2")
    x = plain.assemble(crank=0.3, rates={"crank": 4.0})
    np.testing.assert_allclose(
        double.forward_dynamics(x.q, x.v), plain.forward_dynamics(x.q, x.v), rtol=1e-9
    )
    pin, again = (double.multipliers(x.q, x.v)[name] for name in ("pin.1", "again.1"))
    assert pin == pytest.approx(again)  # of least norm: shared
    assert pin + again == pytest.approx(plain.multipliers(x.q, x.v)["pin.1"])


def test_a_dead_centre_is_not_singular_but_a_change_point_is() -> None:
    """A slider-crank passes its dead centre with one freedom; a square four-bar laid flat has two
    at that instant."""
    crank = slider_crank().compile()
    straight = crank.freedoms(crank.assemble(crank=0.0, guess={"slider": 0.5}).q)
    assert (straight.freedoms, straight.singular) == (1, ())
    flat = four_bar().compile().freedoms({"in": 0.0, "coupler": 0.0, "out": np.pi})
    assert (flat.freedoms, flat.singular, flat.redundant) == (2, ("pin.1",), ())


def test_independent_coordinates_determine_the_others() -> None:
    system = four_bar(coupler=1.3).compile()
    found = system.freedoms()
    J = system.dynamics.positions(system.calls, At(system.assemble().q))[1]
    others = [i for i, name in enumerate(system.velocities) if name not in found.independent]
    assert len(others) == found.rank == np.linalg.matrix_rank(J[:, others])


# ---- switching -----------------------------------------------------------------------------------


def test_a_constraint_that_is_let_go_is_as_one_that_never_was() -> None:
    m = two_arms()
    m.close("rod", tb.Rod(1.0), "left", "right")
    m.couple("gears", tb.Gear("left", "right", ratio=-1.0))
    m.sensor("gear", tb.Multiplier("gears"))
    system, q, v = m.compile(), [0.3, -0.3], [1.0, -1.0]
    tied = system.forward_dynamics(q, v), system.sensors(q, v)["gear"]
    system.deactivate("gears")
    assert system.active == ("rod",) and system.constraint_names == ("rod",)
    other = two_arms()
    other.close("rod", tb.Rod(1.0), "left", "right")
    np.testing.assert_array_equal(
        system.forward_dynamics(q, v), other.compile().forward_dynamics(q, v)
    )
    assert system.sensors(q, v)["gear"] == 0.0
    system.activate("gears")
    assert np.array_equal(system.forward_dynamics(q, v), tied[0])
    assert system.sensors(q, v)["gear"] == tied[1]


def test_a_mode_is_derived_once() -> None:
    system = slider_crank().compile()
    known = system.acting
    system.deactivate("pin")
    free = system.acting
    system.activate("pin")
    assert system.acting is known
    system.deactivate("pin")
    assert system.acting is free


def test_without_active_constraints_the_tree_moves_freely() -> None:
    system = slider_crank().compile()
    system.deactivate("pin")
    q, v = [0.3, 0.2, 0.1], [1.0, 2.0, 3.0]
    a = system.forward_dynamics(q, v)
    np.testing.assert_allclose(system.mass_matrix(q) @ a + system.bias(q, v), 0.0, atol=1e-12)
    assert system.freedoms(q).freedoms == 3


# ---- rolling and skates --------------------------------------------------------------------------


def test_a_disc_rolls_down_a_slope_as_in_the_textbook() -> None:
    """a = g sin α / (1 + I/(m r²)); grip and weight are the contact's force."""
    mass, radius, moment, slope = 2.0, 0.3, 0.05, 0.2
    g = 9.81 * np.array([np.sin(slope), 0.0, -np.cos(slope)])
    m = tb.Model("disc", gravity=tuple(g))
    m.body("disc", mass, inertia=(0.03, moment, 0.03))
    m.joint("free", tb.Free(), m.ground, "disc")
    m.close("rolls", tb.Rolling(radius), m.ground, "disc")
    system = m.compile()
    x = system.assemble(rates={"free.wy": 2.0})
    assert x.q[2] == pytest.approx(radius)
    assert x.v[0] == pytest.approx(2.0 * radius)
    a = system.forward_dynamics(x.q, x.v)
    expected = g[0] / (1 + moment / (mass * radius**2))
    np.testing.assert_allclose(a[[0, 4]], [expected, expected / radius], rtol=1e-12)
    normal, along, across = system.multipliers(x.q, x.v).values()
    np.testing.assert_allclose(
        [normal, along, across], [-mass * g[2], mass * (expected - g[0]), 0.0], atol=1e-11
    )


def test_a_wobbling_coin_keeps_its_energy_and_its_grip() -> None:
    m = tb.Model("coin")
    m.body("coin", 0.01, inertia=(6e-7, 1.2e-6, 6e-7))
    m.joint("free", tb.Free(), m.ground, "coin")
    m.close("rolls", tb.Rolling(0.015), m.ground, "coin")
    m.sensor("energy", tb.Energy())
    system = m.compile()
    x = system.assemble(
        guess={"free.qx": 0.2}, rates={"free.wx": 1.0, "free.wy": 9.0, "free.wz": 20.0}
    )
    run = tb.simulate(system, x, 1.0, rtol=1e-10, progress=False)
    assert np.ptp(run["energy"]) < 1e-8 * run["energy"][0]
    path = np.stack([run[f"free.{axis}"] for axis in "xy"])
    assert np.ptp(path, axis=1).max() > 0.01  # it went somewhere
    last = [run[name][-1] for name in (*system.coordinates, *system.velocities)]
    terms = system.terms(last[:7], last[7:])
    assert np.abs(terms.h).max() < 1e-12 and np.abs(terms.J @ last[7:]).max() < 1e-10


def test_a_sleigh_moves_as_chaplygin_says() -> None:
    """u̇ = a ω², ω̇ = −m a u ω/(I + m a²): the blade lies a behind the centre of mass."""
    mass, moment, lever = 3.0, 0.2, 0.4
    m = tb.Model("sleigh")
    m.body("sleigh", mass, com=(lever, 0, 0), inertia=(moment, moment, moment))
    m.joint("plane", tb.Planar("z"), m.ground, "sleigh")
    m.close("blade", tb.Skate("y"), m.ground, "sleigh")
    system = m.compile()
    u, omega, turn = 1.5, 0.8, 0.6
    x = system.assemble(
        **{"plane.turn": turn},
        rates={"plane.x": u * np.cos(turn), "plane.y": u * np.sin(turn), "plane.turn": omega},
    )
    a = system.forward_dynamics(x.q, x.v)
    forward, left = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    assert a[:2] @ forward == pytest.approx(lever * omega**2, rel=1e-12)
    assert a[:2] @ left == pytest.approx(u * omega, rel=1e-12)  # it turns, it doesn't slip
    expected = -mass * lever * u * omega / (moment + mass * lever**2)
    assert a[2] == pytest.approx(expected, rel=1e-12)


# ---- reactions -----------------------------------------------------------------------------------


def test_the_wrench_in_a_cut_is_that_of_the_joint_it_stands_for() -> None:
    """A pendulum by a hinge, and the same as a free body whose hinge is a closure."""
    by_joint, by_closure = tb.Model("joint"), tb.Model("closure")
    for m in (by_joint, by_closure):
        m.body("arm", 2.0, com=(0.3, 0.1, -0.2), inertia=(0.3, 0.4, 0.5))
    by_joint.joint("hinge", tb.Revolute("y"), by_joint.ground, "arm")
    by_closure.joint("free", tb.Free(), by_closure.ground, "arm")
    by_closure.close("hinge", tb.Revolute("y"), by_closure.ground, "arm")
    by_closure.sensor("hinge", tb.Reaction("hinge"))
    one, other = by_joint.compile(), by_closure.compile()
    x = other.assemble(
        guess={"free.qw": np.cos(0.2), "free.qy": np.sin(0.2)}, rates={"free.wy": 1.7}
    )
    angle = 2 * np.arctan2(x.q[5], x.q[3])
    expected = one.reaction("hinge", [angle], [1.7])
    np.testing.assert_allclose(other.reaction("hinge", x.q, x.v), expected, atol=1e-10)
    shown = other.sensors(x.q, x.v)
    assert shown["hinge.fz"] == pytest.approx(expected[2], abs=1e-10)


def test_reactions_in_joints_of_a_loop_balance_the_body_between_them() -> None:
    """Newton and Euler for the rod of a slider-crank, from its two pins alone."""
    system = slider_crank().compile()
    x = system.assemble(crank=0.7, rates={"crank": 8.0})
    a = system.forward_dynamics(x.q, x.v)
    R, _ = system.pose("rod", x.q)
    centre = tb.Frame("rod", (ROD / 2, 0.0, 0.0))
    moved = system.acceleration(centre, x.q, x.v, a)[3:]
    at_crank = R @ system.reaction("rod", x.q, x.v)[:3]
    at_slider = -system.reaction("pin", x.q, x.v)[:3]  # along the slider's frame: the world's
    weight = np.array([0.0, 0.0, -0.5 * 9.81])
    np.testing.assert_allclose(at_crank + at_slider + weight, 0.5 * moved, atol=1e-11)


@pytest.mark.parametrize("make", [slider_crank, two_arms])
def test_positions_come_as_a_mapping_or_by_keyword(make: object) -> None:
    system = make().compile()  # type: ignore[operator]
    first = system.coordinates[0]
    by_mapping, by_keyword = system.assemble({first: 0.1}), system.assemble(**{first: 0.1})
    assert by_mapping.q[0] == 0.1
    np.testing.assert_array_equal(by_mapping.x, by_keyword.x)


def steered() -> tb.Model:
    """A wheel whose drive follows a state, which grows at a rate that is a state as well."""
    m = tb.Model("steered")
    m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("steering", tb.Revolute("z"), m.ground, "wheel")
    rate = m.state("rate", 0.7, rate=0.0)
    m.drive("steering", m.state("angle", 0.2, rate=rate), rate, 0.0)
    return m


def test_drives_that_follow_states_are_met_at_the_states_that_are_asked_for() -> None:
    """h = angle − state: assembly, the nearest consistent state, freedoms and the error see it."""
    system = steered().compile()
    assert system.assemble().q[0] == pytest.approx(0.2, abs=1e-12)
    x = system.assemble(states={"angle": -0.4})
    assert x.q[0] == pytest.approx(-0.4, abs=1e-12)
    np.testing.assert_allclose(system.constraint_error(x.q, z=x.z), 0.0, atol=1e-12)
    np.testing.assert_allclose(system.constraint_error([0.1], z=x.z), 0.5, atol=1e-12)
    np.testing.assert_allclose(system.constraint_error([0.1]), -0.1, atol=1e-12)
    moved, _ = system.consistent([0.0, 0.0, 0.7, 1.1])
    np.testing.assert_allclose(moved, [1.1, 0.7, 0.7, 1.1], atol=1e-12)
    assert system.freedoms(x.q, z=x.z).freedoms == 0
