"""Rigid contacts from event to event, against closed forms."""

import numpy as np
import pytest
from scipy.optimize import brentq

import touchback as tb
from touchback.simulate import RunFailed

G = 9.81


def when(run: tb.Run, name: str) -> list[float]:
    return [event.time for event in run.events if event.name == name]


def sled(
    friction: float, slip: object = None, **given: object
) -> tuple[tb.Model, tb.contact.ContactKind]:
    """A point mass on a floor that lets it slide along x."""
    m = tb.Model("sled", gravity=(0, 0, -G))
    cart, load = m.body("cart"), m.body("load", 2.0)
    m.joint("x", tb.Prismatic("x"), m.ground, cart, **given)  # type: ignore[arg-type]
    m.joint("z", tb.Prismatic("z"), cart, load)
    speed = m.rate("x") if slip is None else slip
    return m, tb.contact.DescribedContact(m.coordinate("z"), speed, friction=friction)


# ---- stick and slip ------------------------------------------------------------------------------


def test_a_sliding_block_stops_exactly_when_its_speed_is_used_up() -> None:
    m, floor = sled(0.35, velocity=2.0)
    run = tb.simulate(m.compile(), contacts={"floor": floor}, duration=1.0)
    (stop,) = when(run, "floor sticks")
    assert stop == pytest.approx(2.0 / (0.35 * G), abs=1e-12)
    assert run["x"][-1] == pytest.approx(4.0 / (2 * 0.35 * G), abs=1e-12)
    np.testing.assert_allclose(run["floor force"], 2.0 * G, rtol=1e-12)
    going = run.time < stop
    np.testing.assert_allclose(run["floor friction force"][going], -0.35 * 2.0 * G, rtol=1e-12)
    np.testing.assert_allclose(run["floor friction force"][~going], 0.0, atol=1e-12)
    assert run.energy_balance.dissipated["floor friction"] == pytest.approx(4.0, rel=1e-12)
    assert abs(run.energy_balance.residual) < 1e-12


@pytest.mark.parametrize("law", [9.0, lambda t: 9.0 + 12.0 * t])
def test_what_an_input_and_a_parameter_do_is_in_the_energy_balance(law: object) -> None:
    """A block of 2 kg pushed by F = gain × push over a floor that rubs: with F = a + b t the speed
    is (a t + b t²/2)/m − μ g t, and the push's work what motion and friction have."""
    m = tb.Model("pushed", gravity=(0, 0, -G))
    cart, load = m.body("cart"), m.body("load", 2.0)
    m.joint("x", tb.Prismatic("x"), m.ground, cart)
    m.joint("z", tb.Prismatic("z"), cart, load)
    gain, rubs = m.parameter("gain", 1.0), m.parameter("rubs", 0.1)
    push = tb.JointEffort("x", gain * m.input("push"))
    m.force("push", push)
    floor = tb.contact.DescribedContact(m.coordinate("z"), m.rate("x"), friction=rubs)
    run = tb.simulate(
        m.compile(), contacts={"floor": floor}, duration=1.0, inputs={"push": law},
        parameters={"gain": 1.5, "rubs": 0.3}, rtol=1e-11, atol=1e-13, progress=False,
    )  # fmt: skip
    a, b = 1.5 * 9.0, 1.5 * 12.0 if callable(law) else 0.0
    speed = (a + b / 2.0) / 2.0 - 0.3 * G
    way = (a / 2.0 + b / 6.0) / 2.0 - 0.3 * G / 2.0
    assert run["x"][-1] == pytest.approx(way, rel=1e-9)
    balance, lost = run.energy_balance, 0.3 * 2.0 * G * way
    assert balance.dissipated["floor friction"] == pytest.approx(lost, rel=1e-9)
    assert balance.work["push"] == pytest.approx(speed**2 + lost, rel=1e-9)
    assert abs(balance.residual) < 1e-9


def test_a_block_on_a_belt_sticks_and_slips_with_the_period_of_the_closed_form() -> None:
    """A spring holds it back: it sticks for 2 A/V, A = (μs − μk) m g/k, then slips for
    (2π − 2 atan(A ω/V))/ω (Den Hartog, Mechanical Vibrations, §7.3)."""
    m = tb.Model("belt", gravity=(0, 0, -G))
    mass, stiffness, speed, static, kinetic = 2.0, 80.0, 0.4, 0.5, 0.3
    cart, load = m.body("cart"), m.body("load", mass)
    m.joint("x", tb.Prismatic("x"), m.ground, cart, velocity=speed, spring=stiffness)
    m.joint("z", tb.Prismatic("z"), cart, load)
    belt = tb.contact.DescribedContact(
        m.coordinate("z"), m.rate("x") - speed, friction=kinetic, static_friction=static
    )
    run = tb.simulate(m.compile(), contacts={"belt": belt}, duration=6.0, rtol=1e-11, atol=1e-13)
    omega, A = np.sqrt(stiffness / mass), (static - kinetic) * mass * G / stiffness
    slipping = (2 * np.pi - 2 * np.arctan(A * omega / speed)) / omega
    slips, sticks = np.array(when(run, "belt slips")), np.array(when(run, "belt sticks"))[1:]
    assert len(slips) >= 3
    assert slips[0] == pytest.approx(static * mass * G / (stiffness * speed), abs=1e-9)
    np.testing.assert_allclose(sticks - slips[: len(sticks)], slipping, atol=1e-9)
    np.testing.assert_allclose(np.diff(slips), slipping + 2 * A / speed, atol=1e-9)
    assert run["x"].max() == pytest.approx(
        kinetic * mass * G / stiffness + np.hypot(A, speed / omega), rel=1e-4
    )
    assert run.energy_balance.dissipated["belt friction"] > 0.0
    assert abs(run.energy_balance.residual) < 1e-8


def test_a_block_on_a_shaken_slope_slips_and_sticks_when_the_closed_form_says() -> None:
    """The slope falls by β and shakes along itself with ẋ_p = a Ω cos Ω t. Sticking needs the force
    m (ẍ_p − g sin β); slipping goes on with ±μ m g cos β. Roots of these, one after the other."""
    beta, mu, a, omega = 0.2, 0.35, 0.012, 20.0
    m = tb.Model("slope", gravity=(G * np.sin(beta), 0, -G * np.cos(beta)))
    cart, load = m.body("cart"), m.body("load", 1.3)
    m.joint("x", tb.Prismatic("x"), m.ground, cart, velocity=a * omega)
    m.joint("z", tb.Prismatic("z"), cart, load)
    slope = tb.contact.DescribedContact(
        m.coordinate("z"), m.rate("x") - a * omega * tb.cos(omega * m.time), friction=mu
    )
    run = tb.simulate(m.compile(), contacts={"slope": slope}, duration=0.3, rtol=1e-11, atol=1e-13)
    # ẍ_p = −a Ω² sin Ω t: the block wants down the slope, and slips when the slope leaves it behind
    limit = mu * G * np.cos(beta)
    start = brentq(lambda t: G * np.sin(beta) + a * omega**2 * np.sin(omega * t) - limit,
                   0, np.pi / 2 / omega)  # fmt: skip

    def relative(t: float) -> float:
        own = a * omega * np.cos(omega * start) + (G * np.sin(beta) - limit) * (t - start)
        return float(own - a * omega * np.cos(omega * t))

    stop = brentq(relative, start + 0.02, start + 0.3)
    assert when(run, "slope slips")[0] == pytest.approx(start, abs=1e-9)
    assert next(t for t in when(run, "slope sticks") if t > 0.0) == pytest.approx(stop, abs=1e-9)
    assert abs(run.energy_balance.residual) < 1e-9


def test_a_thrown_ball_curves_until_it_rolls() -> None:
    """Two tangents: the slip keeps its direction, so that the path is a parabola; rolling begins
    after 2 |u₀|/(7 μ g) (Coriolis 1835)."""
    m = tb.Model("billiards", gravity=(0, 0, -G))
    mass, radius, mu = 0.17, 0.03, 0.2
    ball = m.body("ball", mass, inertia=(0.4 * mass * radius**2,) * 3)
    m.joint("ball", tb.Free(), m.ground, ball, position=(0, 0, radius, 1, 0, 0, 0))
    system = m.compile()
    start = system.initial_state()
    names = list(system.velocities)
    start.v[:] = 0.0
    start.v[[names.index("ball.vx"), names.index("ball.wx")]] = 1.5, 30.0
    u0 = np.array([1.5, 30.0 * radius])  # slip: v + ω × (−r n) = (v_x − ω_y r, v_y + ω_x r)
    table = {"table": tb.contact.SpherePlaneContact(ball, m.ground, radius, friction=mu)}
    run = tb.simulate(system, start, contacts=table, duration=0.5, rtol=1e-10, atol=1e-12)
    onset = 2 * np.linalg.norm(u0) / (7 * mu * G)
    (sticks,) = when(run, "table sticks")
    assert sticks == pytest.approx(onset, abs=1e-8)
    before = run.time < onset
    t, pull = run.time[before], -mu * G * u0 / np.linalg.norm(u0)
    np.testing.assert_allclose(run["ball.x"][before], 1.5 * t + 0.5 * pull[0] * t**2, atol=1e-8)
    np.testing.assert_allclose(run["ball.y"][before], 0.5 * pull[1] * t**2, atol=1e-8)
    assert abs(run.energy_balance.residual) < 1e-8


def test_a_ball_rolls_out_against_rolling_friction_and_stays() -> None:
    """Stops at v₀ r (1 + 2/5)/(ρ g)."""
    m = tb.Model("ball", gravity=(0, 0, -G))
    mass, radius, arm = 0.8, 0.05, 0.004
    ball = m.body("ball", mass, inertia=(0.4 * mass * radius**2,) * 3)
    m.joint("ball", tb.Planar("y"), m.ground, ball)
    system = m.compile()
    x, z, turn = (
        next(n for n in system.coordinates if n.endswith(end)) for end in ("x", "z", "turn")
    )
    floor = {"floor": tb.contact.SpherePlaneContact(
        ball, m.ground, radius, friction=0.5, tangents="x", rolling=arm,
    )}  # fmt: skip
    start = system.assemble(**{z: radius}, rates={x: 0.5, turn: 0.5 / radius})
    run = tb.simulate(system, start, 1.5, contacts=floor)
    (stop,) = when(run, "floor stops rolling")
    assert stop == pytest.approx(0.5 * radius * 1.4 / (arm * G), abs=1e-9)
    assert abs(run[f"{turn} rate"][-1]) < 1e-12
    assert run.energy_balance.dissipated["floor friction"] == pytest.approx(
        0.7 * mass * 0.25, rel=1e-9
    )


# ---- impacts, lift-off, rest ---------------------------------------------------------------------


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_a_ball_comes_to_rest_after_infinitely_many_bounces(law: str) -> None:
    m = tb.Model("ball", gravity=(0, 0, -G))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", 0.4), position=0.5)
    e = 0.6
    floor = {"floor": tb.contact.DescribedContact(m.coordinate("z"), restitution=e)}
    run = tb.simulate(m.compile(), contacts=floor, duration=2.0, impacts=law)
    first = np.sqrt(2 * 0.5 / G)
    bounces = first + 2 * first * np.concatenate([[0.0], np.cumsum(e ** np.arange(1, 12))])
    np.testing.assert_allclose(when(run, "floor hits")[:12], bounces, atol=1e-10)
    (rest,) = when(run, "floor rests")
    assert rest == pytest.approx(first * (1 + 2 * e / (1 - e)), abs=2e-8)
    late = run.time > rest
    assert np.abs(run["z"][late]).max() < 1e-12
    np.testing.assert_allclose(run["floor force"][late], 0.4 * G, rtol=1e-9)
    assert run.energy_balance.impacts["floor"] == pytest.approx(0.4 * G * 0.5, rel=1e-9)
    assert abs(run.energy_balance.residual) < 1e-11


def test_what_lies_on_a_shaking_table_lifts_off_and_lands() -> None:
    """z_t = a sin Ω t: it leaves when a Ω² sin Ω t = g, and flies from there."""
    a, omega = 0.02, 30.0
    m = tb.Model("table", gravity=(0, 0, -G))
    rest = a * omega
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("load", 1.0), velocity=rest)
    table = {"table": tb.contact.DescribedContact(m.coordinate("z") - a * tb.sin(omega * m.time))}
    run = tb.simulate(m.compile(), contacts=table, duration=0.2, rtol=1e-11, atol=1e-13)
    leaves = np.arcsin(G / (a * omega**2)) / omega
    height, speed = a * np.sin(omega * leaves), a * omega * np.cos(omega * leaves)

    def gap(t: float) -> float:
        s = t - leaves
        return float(height + speed * s - 0.5 * G * s**2 - a * np.sin(omega * t))

    lands = brentq(gap, leaves + 0.02, leaves + 0.3)
    assert when(run, "table opens")[0] == pytest.approx(leaves, abs=1e-9)
    assert when(run, "table hits")[0] == pytest.approx(lands, abs=1e-9)
    assert run.energy_balance.work["table moving"] > 0.0
    assert abs(run.energy_balance.residual) < 1e-9


def box_on_feet(**given: float) -> tuple[tb.System, dict[str, tb.contact.ContactKind], list[str]]:
    m = tb.Model("box", gravity=(0, 0, -G))
    box = m.body("box", 2.0, inertia=(0.02, 0.02, 0.02))
    m.joint("box", tb.Planar("y"), m.ground, box)
    feet = {
        side: tb.contact.SpherePlaneContact(box.at(x, 0, -0.1), m.ground, tangents="x", **given)
        for side, x in (("left", -0.2), ("right", 0.2))
    }
    system = m.compile()
    names = [next(n for n in system.coordinates if n.endswith(e)) for e in ("x", "z", "turn")]
    return system, feet, names


def test_two_feet_hit_together_and_stand() -> None:
    """A box that falls flat bounces flat; at rest both feet carry half of it."""
    system, feet, (_, z, turn) = box_on_feet(restitution=0.5, friction=0.3)
    run = tb.simulate(system, system.assemble(**{z: 0.3}), contacts=feet, duration=1.5)
    assert when(run, "left hits") == when(run, "right hits")
    assert np.abs(run[turn]).max() < 1e-12
    np.testing.assert_allclose(run["left force"][-1], G, rtol=1e-9)
    assert abs(run.energy_balance.residual) < 1e-10


def test_a_box_slides_to_a_stop_on_two_feet() -> None:
    system, feet, (x, z, _) = box_on_feet(friction=0.3)
    start = system.assemble(**{z: 0.1}, rates={x: 1.0})
    run = tb.simulate(system, start, contacts=feet, duration=0.6)
    assert when(run, "left sticks")[0] == pytest.approx(1.0 / (0.3 * G), abs=1e-9)
    sliding = run.time < 0.9 / (0.3 * G)
    # the friction at the feet tips it: N = m g/2 ± μ m g h/(2 b)
    tip = 0.3 * 2.0 * G * 0.1 / 0.4
    np.testing.assert_allclose(run["right force"][sliding], G + tip, rtol=1e-9)
    assert run[x][-1] == pytest.approx(1.0 / (2 * 0.3 * G), abs=1e-9)


def test_feet_that_bear_differently_let_go_together() -> None:
    """Pulled ever harder at its middle height, a box on two feet slips when μ m g is reached: the
    foot that bears less is at its limit before, but the other one holds it."""
    m = tb.Model("box", gravity=(0, 0, -G))
    box = m.body("box", 2.0, inertia=(0.02, 0.02, 0.02))
    m.joint("box", tb.Planar("y"), m.ground, box)
    m.force("pull", tb.Wrench(box.at(0, 0, 0), force=(2.0 * m.time, 0, 0)))
    feet = {
        side: tb.contact.SpherePlaneContact(
            box.at(x, 0, -0.1), m.ground, friction=0.3, tangents="x"
        )
        for side, x in (("left", -0.2), ("right", 0.2))
    }
    system = m.compile()
    z = next(n for n in system.coordinates if n.endswith("z"))
    run = tb.simulate(system, system.assemble(**{z: 0.1}), contacts=feet, duration=4.0)
    slip = 0.3 * 2.0 * G / 2.0
    moving = run.time[np.abs(run[f"{z[:-1]}x rate"]) > 1e-9]
    assert moving[0] == pytest.approx(slip, abs=0.006)
    assert when(run, "right slips")[-1] == pytest.approx(slip, abs=1e-8)
    assert abs(run.energy_balance.residual) < 1e-8


# ---- Painlevé ------------------------------------------------------------------------------------


def dragged_rod(friction: float) -> tuple[tb.System, dict[str, tb.contact.ContactKind], np.ndarray]:
    """A slender rod of 2 m whose tip slides over the floor at tan θ = 2, where 4/3 is critical."""
    m = tb.Model("rod", gravity=(0, 0, -G))
    rod = m.body("rod", 1.0, inertia=(0, 1 / 3, 1 / 3))
    m.joint("rod", tb.Planar("y"), m.ground, rod)
    system = m.compile()
    x, z, turn = (next(n for n in system.coordinates if n.endswith(e)) for e in ("x", "z", "turn"))
    tip = tb.contact.SpherePlaneContact(rod.at(1, 0, 0), m.ground, friction=friction, tangents="x")
    angle = np.arctan(2.0)
    start = system.assemble(**{z: float(np.sin(angle)), turn: float(angle)}, rates={x: 1.0})
    return system, {"tip": tip}, start.x


def test_sliding_below_the_critical_friction_is_ordinary() -> None:
    system, tip, start = dragged_rod(1.3)
    run = tb.simulate(system, start, contacts=tip, duration=0.01)
    assert not run.metadata["diagnostics"]
    assert "tip slips" in [event.name for event in run.events]


def test_sliding_above_the_critical_friction_jams_and_says_so() -> None:
    """Friction 1.4 > 4/3: no finite force, and an impulse ends the sliding (Génot and Brogliato
    1999: dynamic jamming, impact without collision)."""
    system, tip, start = dragged_rod(1.4)
    assert tb.painleve(system, tip["tip"], {
        name: float(value) for name, value in zip(system.coordinates, start)
    }).inconsistent  # fmt: skip
    run = tb.simulate(system, start, contacts=tip, duration=0.01)
    assert run.events[0].name == "tip jams"
    assert "Painlevé" in run.metadata["diagnostics"][0]
    after = run.events[0].after
    assert after is not None
    books = run.energy_balance
    assert sum(books.impacts.values()) + books.dissipated["tip friction"] > 0.0
    assert abs(books.residual) < 1e-9


# ---- closures, errors ----------------------------------------------------------------------------


def test_closed_loops_bounce_as_jointed_ones_do() -> None:
    """A pendulum whose rod is a closure, against a wall: as with a joint, to the tolerances."""
    angle, times = -0.8, []
    for with_rod in (False, True):
        m = tb.Model("swinging", gravity=(0, 0, -G))
        bob = m.body("bob", 1.5, inertia=(1e-6, 1e-6, 1e-6))
        if with_rod:
            m.joint("bob", tb.Planar("y"), m.ground, bob)
            m.close("rod", tb.Rod(1.0), m.ground, bob)
        else:
            m.joint("q", tb.Revolute("y"), m.ground, bob.at(0, 0, 1.0))
        plane = m.ground.at(-0.3, 0, 0, turn=("y", np.pi / 2))
        wall = {
            "wall": tb.contact.SpherePlaneContact(
                bob.at(0, 0, 0), plane, restitution=0.5, tangents=""
            )
        }
        system = m.compile()
        where = {"bob.x": -np.sin(angle), "bob.z": -np.cos(angle)} if with_rod else {"q": angle}
        run = tb.simulate(
            system, system.assemble(**where), 2.6, contacts=wall, rtol=1e-11, atol=1e-13
        )
        times.append(when(run, "wall hits")[:5])
        assert abs(run.energy_balance.residual) < 1e-8
        if with_rod:
            np.testing.assert_allclose(np.hypot(run["bob.x"], run["bob.z"]), 1.0, atol=1e-12)
    assert len(times[0]) >= 2
    np.testing.assert_allclose(
        times[0], times[1], atol=1e-5
    )  # the bob's inertia turns with a joint


def test_settings_that_make_no_sense_are_refused() -> None:
    m, floor = sled(0.3)
    system = m.compile()
    with pytest.raises(tb.InputError, match="law of impacts"):
        tb.simulate(system, contacts={"floor": floor}, impacts="hertz")
    with pytest.raises(tb.InputError, match=r"rest must be a positive number, got 0\.0"):
        tb.simulate(system, contacts={"floor": floor}, rest=0.0)
    with pytest.raises(tb.ModelError, match=r"static_friction 0\.1 is below its friction 0\.3"):
        tb.contact.DescribedContact(
            m.coordinate("z"), m.rate("x"), friction=0.3, static_friction=0.1
        )
    with pytest.raises(tb.ModelError, match="its rolling is -1"):
        tb.contact.SpherePlaneContact(tb.Frame("load"), rolling=-1)


def test_chattering_is_named() -> None:
    m = tb.Model("ball", gravity=(0, 0, -G))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", 0.4), position=0.5)
    floor = {"floor": tb.contact.DescribedContact(m.coordinate("z"), restitution=0.9)}
    with pytest.raises(RunFailed, match="more than 20 events, lately 'floor hits'"):
        tb.simulate(m.compile(), contacts=floor, duration=9.0, event_limit=20)


# ---- overlaps at the start -----------------------------------------------------------------------


@pytest.mark.parametrize(("z", "speed"), [(-0.05, 0.0), (-0.05, 0.1), (-1e-3, 0.5), (-5e-10, 1e-5)])
def test_what_overlaps_at_the_start_is_moved_apart_and_said(z: float, speed: float) -> None:
    """A body inside the floor must not fall through it, though no event tells where it is."""
    m = tb.Model("ball")
    ball = m.body("ball", mass=0.2)
    m.joint("z", tb.Prismatic("z"), m.ground, ball, position=z, velocity=speed)
    floor = {"floor": tb.contact.SpherePlaneContact(ball, m.ground, restitution=0.5)}
    run = tb.simulate(m.compile(), contacts=floor, duration=0.5)
    assert run["floor gap"].min() > -1e-12
    deep = z < -1e-9
    assert any("'floor' overlaps by" in remark for remark in run.metadata["diagnostics"]) == deep
    assert abs(run.energy_balance.residual) < 1e-9
    if deep:
        assert run.energy_balance.impacts["moved apart"] == pytest.approx(0.2 * 9.81 * z)


def test_what_can_not_be_moved_apart_is_refused() -> None:
    m = tb.Model("block")
    block = m.body("block", mass=1)
    m.joint("x", tb.Prismatic("x"), m.ground, block)
    walls = {
        "left": tb.contact.DescribedContact(m.coordinate("x") - 0.1),
        "right": tb.contact.DescribedContact(-m.coordinate("x")),
    }
    with pytest.raises(tb.SolveError, match=r"contact '\w+' overlaps by 0\.\d+ m at the start and"):
        tb.simulate(m.compile(), contacts=walls, duration=0.1)
