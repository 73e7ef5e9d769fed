"""Rigid contacts with friction, step by step, against closed forms."""

import numpy as np
import pytest

import touchback as tb
from python_moreau_jean import moreau_jean
from touchback.native.contact.moreau_jean import MoreauJean
from touchback.simulate import RunFailed
from touchback.system.contact_equations import ContactEquations

G = 9.81


def block(angle: float = 0.0, speed: float = 0.0) -> tuple[tb.System, tb.Frame]:
    """A point mass on a plane that falls by `angle` towards +x."""
    m = tb.Model("block", gravity=(G * np.sin(angle), 0, -G * np.cos(angle)))
    mass, cart = m.body("block", 2.0), m.body("cart")
    m.joint("x", tb.Prismatic("x"), m.ground, cart, velocity=speed)
    m.joint("z", tb.Prismatic("z"), cart, mass)
    return m.compile(), mass.at(0, 0, 0)


def on_floor(frame: tb.Frame, **given: float) -> dict[str, tb.contact.ContactKind]:
    return {
        "floor": tb.contact.SpherePlaneContact(frame, tb.Frame("ground"), tangents="x", **given)
    }


def test_a_sliding_block_sticks_when_its_speed_is_used_up() -> None:
    """Exactly at v₀/(μ g), after v₀²/(2 μ g); the step that holds that instant ends at rest."""
    speed, mu, step = 2.0, 0.35, 1e-3
    system, frame = block(speed=speed)
    run = tb.simulate(
        system, method="moreau-jean", contacts=on_floor(frame, friction=mu), duration=1.0, step=step
    )
    end = speed / (mu * G)
    sliding = run.time <= end
    np.testing.assert_allclose(
        run["x rate"][sliding], speed - mu * G * run.time[sliding], atol=1e-12
    )
    stuck = run.time >= end + step
    assert np.abs(run["x rate"][stuck]).max() < 1e-14
    assert abs(run.time[np.argmax(np.abs(run["x rate"]) < 1e-12)] - end) <= step
    assert run["x"][-1] == pytest.approx(speed**2 / (2 * mu * G), abs=mu * G * step**2)
    np.testing.assert_allclose(run["floor impulse"][1:], 2.0 * G * step, rtol=1e-12)
    books = run.energy_balance
    assert books.total("dissipated") == pytest.approx(0.5 * 2.0 * speed**2, rel=1e-12)
    assert abs(books.residual) < 1e-12


def test_the_stick_time_is_located_by_an_event() -> None:
    """With Coulomb's force while it slides, the end of sliding is an event: v₀/(μ g)."""
    m = tb.Model("block", gravity=(0, 0, -G))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", 2.0), velocity=2.0)
    m.force("friction", tb.JointEffort("x", -0.35 * 2.0 * G))
    sticks = tb.Event("sticks", m.rate("x"), direction=-1, terminal=True)
    run = tb.simulate(m.compile(), duration=1.0, events=[sticks], progress=False)
    assert run.events[0].time == pytest.approx(2.0 / (0.35 * G), abs=1e-11)


@pytest.mark.parametrize("mu", [0.2, 0.7])
def test_on_a_slope_friction_holds_or_gives_way(mu: float) -> None:
    """At 30°: stands for μ > tan 30° = 0.577, else slides down with g (sin 30° − μ cos 30°)."""
    angle = np.pi / 6
    system, frame = block(angle)
    run = tb.simulate(
        system, method="moreau-jean", contacts=on_floor(frame, friction=mu), duration=0.5, step=1e-3
    )
    a = G * max(0.0, np.sin(angle) - mu * np.cos(angle))
    np.testing.assert_allclose(run["x rate"], a * run.time, atol=1e-12)
    np.testing.assert_allclose(run["x"], 0.5 * a * run.time**2, atol=1e-12)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_an_impact_gives_back_the_restitution_of_its_speed(e: float) -> None:
    system, frame = block()
    floor = on_floor(frame, restitution=e)
    x0 = system.assemble(z=0.1)
    run = tb.simulate(system, x0, method="moreau-jean", contacts=floor, duration=0.2, step=1e-4)
    hit = int(np.argmax(run["floor impulse"] > 0.0))
    before, after = run["z rate"][hit - 1], run["z rate"][hit]
    assert before == pytest.approx(-np.sqrt(2 * G * 0.1), abs=2e-3)
    assert after == pytest.approx(-e * before, abs=1e-12)
    assert run["floor impulse"][hit] == pytest.approx(2.0 * (after - before + G * 1e-4), abs=1e-12)
    books = run.energy_balance
    assert books.total("impacts") == pytest.approx(0.5 * 2.0 * (1 - e**2) * 2 * G * 0.1, rel=2e-3)
    assert abs(books.residual) < 1e-12


@pytest.mark.parametrize("stiffness", [2e2, 2e6])
def test_a_sprung_mass_is_stopped_as_the_trapezoidal_rule_has_it(stiffness: float) -> None:
    """v⁺ = 0, Δz = −v h/2, p = m v (1 − k h²/(4 m)); h k/(2 m) > 1 changes the order of pivots."""
    speed, step = 0.5, 1e-3
    m = tb.Model("sprung", gravity=(0, 0, 0))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("mass", 1.0), velocity=-speed)
    m.force("spring", tb.JointEffort("z", -stiffness * m.coordinate("z")))
    floor = {"floor": tb.contact.DescribedContact(m.coordinate("z"))}
    run = tb.simulate(m.compile(), method="moreau-jean", contacts=floor, duration=step, step=step)
    assert run["z"][1] == pytest.approx(-0.5 * speed * step, rel=1e-12)
    assert abs(run["z rate"][1]) < 1e-15
    impulse = speed * (1 - stiffness * step**2 / 4)
    assert run["floor impulse"][1] == pytest.approx(impulse, rel=1e-12)


def test_a_rigid_ball_in_space_ends_up_rolling_at_five_sevenths() -> None:
    """Thrown without spin over a plane with two tangents: v = 5/7 v₀ in its direction, spin v/r
    about the normal to it; rolling, friction takes nothing."""
    m = tb.Model("ball", gravity=(0, 0, -G))
    mass, radius, mu = 1.5, 0.05, 0.3
    ball = m.body("ball", mass, inertia=(0.4 * mass * radius**2,) * 3)
    m.joint("ball", tb.Free(), m.ground, ball, position=(0, 0, radius, 1, 0, 0, 0))
    system = m.compile()
    start = system.initial_state()
    names = list(system.velocities)
    start.v[[names.index("ball.vx"), names.index("ball.vy")]] = 1.2, 1.6
    floor = {"floor": tb.contact.SpherePlaneContact(ball, m.ground, radius, friction=mu)}
    onset = 2 * 2.0 / (7 * mu * G)
    run = tb.simulate(
        system, start, method="moreau-jean", contacts=floor, duration=1.3 * onset, step=1e-3
    )
    ground_speed = np.diff([run["ball.x"], run["ball.y"]], axis=1) / np.diff(run.time)
    np.testing.assert_allclose(ground_speed[:, -1], 5 / 7 * np.array([1.2, 1.6]), rtol=1e-4)
    q, w = start.q.copy(), start.v.copy()
    q[:] = [run[name][-1] for name in system.coordinates]
    w[:] = [run[name][-1] for name in system.state_names[len(q) : len(q) + 6]]
    spin = system.velocity(ball, q, w)[:3]
    np.testing.assert_allclose(spin * radius, 5 / 7 * np.array([-1.6, 1.2, 0.0]), atol=1e-3)
    books = run.energy_balance
    assert books.total("dissipated") == pytest.approx(
        2 / 7 * 0.5 * mass * 4.0, rel=1e-3
    )  # (1 − 5/7) of T₀
    finer = tb.simulate(
        system, start, method="moreau-jean", contacts=floor, duration=1.3 * onset, step=5e-4
    )
    assert abs(books.residual) < 1e-3 * books.total("dissipated")
    assert abs(finer.energy_balance.residual) < 0.3 * abs(books.residual)  # of second order


def box_on_corners(**given: float) -> tuple[tb.System, dict[str, tb.contact.ContactKind]]:
    """A free box, 0.3 × 0.2 × 0.1 m, with a contact at each of its eight corners."""
    m = tb.Model("box", gravity=(0, 0, -G))
    moments = (2 / 12 * (0.2**2 + 0.1**2), 2 / 12 * (0.3**2 + 0.1**2), 2 / 12 * (0.3**2 + 0.2**2))
    box = m.body("box", 2.0, inertia=moments)
    m.joint("box", tb.Free(), m.ground, box, position=(0, 0, 0.05, 1, 0, 0, 0))
    corners = [(x, y, z) for x in (-0.15, 0.15) for y in (-0.1, 0.1) for z in (-0.05, 0.05)]
    return m.compile(), {
        f"corner {i}": tb.contact.SpherePlaneContact(box.at(*corner), m.ground, **given)
        for i, corner in enumerate(corners)
    }


def test_a_box_on_four_corners_slides_as_far_as_a_block() -> None:
    """Twelve rows on six freedoms: impulses are not unique, the motion is: v₀²/(2 μ g)."""
    system, corners = box_on_corners(friction=0.4)
    start = system.initial_state()
    start.v[:2] = 1.0, 0.5
    run = tb.simulate(
        system, start, method="moreau-jean", contacts=corners, duration=0.5, step=1e-3
    )
    way = np.array([run["box.x"][-1], run["box.y"][-1]])
    expected = np.hypot(1.0, 0.5) / (2 * 0.4 * G) * np.array([1.0, 0.5])
    np.testing.assert_allclose(way, expected, atol=1e-5)
    assert run.energy_balance.total("dissipated") == pytest.approx(0.5 * 2.0 * 1.25, rel=1e-4)
    impulses = sum(run[f"corner {i} impulse"] for i in range(8))
    np.testing.assert_allclose(impulses[1:], 2.0 * G * 1e-3, rtol=1e-9)


def test_a_box_thrown_with_spin_comes_to_rest_without_sinking_in() -> None:
    system, corners = box_on_corners(friction=0.4, restitution=0.3)
    start = system.assemble(**{"box.z": 0.4}, rates={"box.wx": 3.0, "box.wy": 2.0})
    run = tb.simulate(
        system, start, method="moreau-jean", contacts=corners, duration=1.5, step=1e-3
    )
    fall = np.sqrt(2 * G * 0.4)
    deepest = min(run[f"corner {i} gap"].min() for i in range(8))
    assert deepest > -fall * 1e-3  # no more than a step's way
    assert np.abs([run[name][-1] for name in system.state_names[7:]]).max() < 1e-2
    assert run["box.z"][-1] == pytest.approx(0.05, abs=1e-3)
    books = run.energy_balance
    assert abs(books.residual) < 0.01 * abs(books.total("stored"))


def test_a_tilted_disc_spins_about_the_vertical_at_moffatts_rate() -> None:
    """Euler's disc: its centre at rest, the point of contact runs round the rim at
    Ω² = 4 g/(r sin α) (H. K. Moffatt, Nature 404, 2000), with the angular velocity Ω sin α along
    the diameter through that point."""
    m = tb.Model("coin", gravity=(0, 0, -G))
    mass, radius, tilt = 0.4, 0.0375, 0.5
    moment = mass * radius**2 / 4
    coin = m.body("coin", mass, inertia=(moment, moment, 2 * moment))
    height = radius * np.sin(tilt)
    turned = (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0)  # about x: the body's y axis points uphill
    m.joint("coin", tb.Free(), m.ground, coin, position=(0, 0, height, *turned))
    system = m.compile()
    omega = np.sqrt(4 * G / (radius * np.sin(tilt)))
    start = system.initial_state()
    start.v[list(system.velocities).index("coin.wy")] = omega * np.sin(tilt)
    floor = {"floor": tb.contact.DiscPlaneContact(coin, m.ground, radius, friction=0.5)}
    step, duration = 2e-4, 0.2
    run = tb.simulate(
        system, start, method="moreau-jean", contacts=floor, duration=duration, step=step
    )
    turns = omega * duration / (2 * np.pi)
    assert turns > 1.0
    for name, still in (("coin.x", 0.0), ("coin.y", 0.0), ("coin.z", height)):
        assert np.abs(run[name] - still).max() < 1e-3 * radius
    R, _ = system.pose(coin, [run[name][-1] for name in system.coordinates])
    heading = np.arctan2(R[0, 2], -R[1, 2])  # of the axis, from its start
    angle = np.remainder(heading - omega * duration + np.pi, 2 * np.pi) - np.pi
    assert abs(angle) < 1e-2
    assert R[2, 2] == pytest.approx(np.cos(tilt), abs=1e-3)


def test_a_run_that_breaks_keeps_what_it_had() -> None:
    m = tb.Model("broken")
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", 1.0))
    m.force("odd", tb.JointEffort("z", tb.sqrt(0.1 - m.time)))
    with pytest.raises(RunFailed, match=r"at t = 0\.1 s .* no longer finite") as failed:
        tb.simulate(
            m.compile(),
            method="moreau-jean",
            contacts={"floor": tb.contact.DescribedContact(m.coordinate("z"))},
            duration=1.0,
            step=1e-2,
        )
    assert failed.value.run.time[-1] == pytest.approx(0.1)


def test_a_lifting_floor_carries_what_lies_on_it() -> None:
    """A gap that moves by itself."""
    m = tb.Model("lift", gravity=(0, 0, -G))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("load", 3.0))
    floor = {"floor": tb.contact.DescribedContact(m.coordinate("z") - 0.2 * m.time)}
    run = tb.simulate(m.compile(), method="moreau-jean", contacts=floor, duration=0.5, step=1e-3)
    np.testing.assert_allclose(run["z rate"][2:], 0.2, atol=1e-12)
    np.testing.assert_allclose(run["z"], 0.2 * run.time, atol=1e-3)


def test_smooth_motion_is_of_second_order_and_its_books_too() -> None:
    """A damped, driven pendulum without any contact near: errors fall by 4 with half the step."""
    m = tb.Model("pendulum")
    m.joint("q", tb.Revolute("y"), m.ground, m.body("bob", 1.0).at(0, 0, 0.5), damping=0.1)
    push = m.input("push")
    m.force("motor", tb.JointEffort("q", push))
    system = m.compile()
    x0 = system.assemble(q=1.0)
    far = {"wall": tb.contact.DescribedContact(10.0 + m.coordinate("q"))}
    inputs = {"push": lambda t: np.sin(3 * t)}
    exact = tb.simulate(system, x0, 2.0, rtol=1e-11, atol=1e-13, inputs=inputs, progress=False)
    errors, unexplained = [], []
    for step in (4e-3, 2e-3):
        run = tb.simulate(
            system, x0, 2.0, method="moreau-jean", contacts=far, step=step, inputs=inputs
        )
        errors.append(abs(run["q"][-1] - exact["q"][-1]))
        unexplained.append(abs(run.energy_balance.residual))
    assert 3.5 < errors[0] / errors[1] < 4.5
    assert unexplained[1] < 1e-4
    assert unexplained[1] < 0.6 * unexplained[0]


def test_parameters_are_live_in_contacts() -> None:
    m = tb.Model("block", gravity=(0, 0, -G))
    mu = m.parameter("mu", 0.1)
    cart, load = m.body("cart"), m.body("load", 1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, cart, velocity=3.0)
    m.joint("z", tb.Prismatic("z"), cart, load)
    floor = {"floor": tb.contact.SpherePlaneContact(load, friction=mu, tangents="x")}
    run = tb.simulate(
        m.compile(),
        method="moreau-jean",
        contacts=floor,
        duration=0.1,
        step=1e-3,
        parameters={"mu": 0.5},
    )
    assert run["x rate"][-1] == pytest.approx(3.0 - 0.5 * G * 0.1, abs=1e-12)


def test_what_can_t_be_stepped_is_refused_by_name() -> None:
    system, frame = block()
    with pytest.raises(tb.InputError, match="theta lies between 0 and 1, got 2"):
        tb.simulate(system, method="moreau-jean", contacts=on_floor(frame), theta=2)
    for bad in (0, -1.0, "short", float("nan"), True):
        with pytest.raises(tb.InputError, match="step must be a positive number"):
            tb.simulate(system, method="moreau-jean", contacts=on_floor(frame), step=bad)  # type: ignore[arg-type]
    with pytest.raises(tb.InputError, match="step 2 s is longer than the duration"):
        tb.simulate(system, method="moreau-jean", contacts=on_floor(frame), step=2)
    with pytest.raises(tb.ModelError, match="Contact 'floor': a contact such as"):
        tb.simulate(system, method="moreau-jean", contacts={"floor": 3})  # type: ignore[dict-item]
    other = tb.Model("other")
    with pytest.raises(tb.ModelError, match="of another model"):
        tb.simulate(
            system,
            method="moreau-jean",
            contacts={"floor": tb.contact.DescribedContact(other.time - 1)},
        )


# ---- C against Python, and closed loops ----------------------------------------------------------


def stepped_in_python(
    system: tb.System,
    contacts: dict[str, tb.contact.ContactKind],
    x: np.ndarray,
    count: int,
    h: float,
) -> np.ndarray:
    """The states of a second implementation."""
    equations = ContactEquations(system, contacts)
    impulses, states = np.zeros(equations.layout.rows), [x]
    for k in range(count):
        u = np.concatenate([[(k + 0.5) * h], system.input_defaults])
        taken = moreau_jean(equations, states[-1], u, h, 0.5, impulses)
        states.append(states[-1] + taken.change)
        impulses = taken.impulses
    return np.array(states)


def test_steps_in_c_are_those_of_the_second_implementation() -> None:
    system, corners = box_on_corners(friction=0.4, restitution=0.3)
    start = system.assemble(**{"box.z": 0.08}, rates={"box.wx": 3.0, "box.wy": 2.0, "box.vx": 1.0})
    run = tb.simulate(
        system, start, method="moreau-jean", contacts=corners, duration=0.1, step=1e-3
    )
    expected = stepped_in_python(system, corners, start.x, 100, 1e-3)
    for name, values in zip(system.state_names, expected.T, strict=True):
        np.testing.assert_allclose(run[name], values, atol=1e-9)
    assert sum(run[f"corner {i} impulse"].max() > 0.0 for i in range(8)) > 1


def swinging(
    with_rod: bool, wall: bool = True
) -> tuple[tb.System, dict[str, tb.contact.ContactKind]]:
    """A bob on a rod of 1 m that swings against a wall at x = −0.3: the rod is a joint, or a
    closure of a body that is free in the plane."""
    m = tb.Model("swinging", gravity=(0, 0, -G))
    bob = m.body("bob", 1.5, inertia=(1e-6, 1e-6, 1e-6))
    if with_rod:
        m.joint("bob", tb.Planar("y"), m.ground, bob)
        m.close("rod", tb.Rod(1.0), m.ground, bob)
        point = bob.at(0, 0, 0)
    else:
        m.joint("q", tb.Revolute("y"), m.ground, bob.at(0, 0, 1.0))
        point = bob.at(0, 0, 0)
    m.sensor("p", tb.Position(point))
    plane = m.ground.at(-0.3, 0, 0, turn=("y", np.pi / 2))
    contact = tb.contact.SpherePlaneContact(point, plane, restitution=0.5, tangents="")
    return m.compile(), {"wall": contact} if wall else {}


def test_contacts_and_closures_live_in_one_mechanism() -> None:
    """A pendulum closed by a rod bounces off a wall as the one with a joint does."""
    jointed, wall = swinging(with_rod=False)
    angle = -0.8
    expected = tb.simulate(
        jointed, jointed.assemble(q=angle), 1.0, method="moreau-jean", contacts=wall, step=5e-4
    )
    closed, same = swinging(with_rod=True)
    start = closed.assemble(**{"bob.x": -np.sin(angle), "bob.z": -np.cos(angle)})
    run = tb.simulate(closed, start, 1.0, method="moreau-jean", contacts=same, step=5e-4)
    length = np.hypot(run["bob.x"], run["bob.z"])
    np.testing.assert_allclose(length, 1.0, atol=1e-9)
    x = -np.sin(expected["q"])
    assert np.abs(run["bob.x"] - x).max() < 5e-3
    hits = [np.count_nonzero(each["wall impulse"]) for each in (run, expected)]
    assert hits[0] == hits[1] > 0
    assert abs(run.energy_balance.residual) < 0.01 * run.energy_balance.total("impacts")


def test_a_ball_rolls_out_against_rolling_friction() -> None:
    """Rolling at v₀ with the arm ρ: the moment ρ N decelerates it by ρ g/(r (1 + 2/5))."""
    m = tb.Model("ball", gravity=(0, 0, -G))
    mass, radius, arm = 0.8, 0.05, 0.002
    ball = m.body("ball", mass, inertia=(0.4 * mass * radius**2,) * 3)
    m.joint("ball", tb.Planar("y"), m.ground, ball)
    system = m.compile()
    names = list(system.coordinates)
    floor = {"floor": tb.contact.SpherePlaneContact(
        ball, m.ground, radius, friction=0.5, tangents="x", rolling=arm,
    )}  # fmt: skip
    x, z, turn = (next(n for n in names if n.endswith(end)) for end in ("x", "z", "turn"))
    start = system.assemble(**{z: radius}, rates={x: 1.0, turn: 1.0 / radius})
    slowing = arm * G / (radius * 1.4)
    run = tb.simulate(system, start, 1.2 / slowing, method="moreau-jean", contacts=floor, step=2e-3)
    going = run.time < 0.99 / slowing
    np.testing.assert_allclose(
        run[f"{x} rate"][going], (1.0 - slowing * run.time)[going], atol=1e-9
    )
    assert abs(run[f"{x} rate"][-1]) < 1e-12
    assert abs(run[f"{turn} rate"][-1]) < 1e-10
    assert run.energy_balance.dissipated["floor friction"] == pytest.approx(0.7 * mass, rel=1e-9)


def test_a_moving_floor_does_the_work_that_friction_takes() -> None:
    """A block laid onto a belt at speed s: until it moves along, the belt does μ m g·s·t = m s²,
    half of which is lost."""
    m = tb.Model("belt", gravity=(0, 0, -G))
    cart, load = m.body("cart"), m.body("load", 2.0)
    m.joint("x", tb.Prismatic("x"), m.ground, cart)
    m.joint("z", tb.Prismatic("z"), cart, load)
    belt = {"belt": tb.contact.DescribedContact(m.coordinate("z"), m.rate("x") - 1.5, friction=0.4)}
    run = tb.simulate(m.compile(), method="moreau-jean", contacts=belt, duration=0.6, step=1e-3)
    assert run["x rate"][-1] == pytest.approx(1.5, abs=1e-12)
    assert run.energy_balance.work["belt moving"] == pytest.approx(2.0 * 1.5**2, rel=2e-3)
    assert run.energy_balance.dissipated["belt friction"] == pytest.approx(
        0.5 * 2.0 * 1.5**2, rel=2e-3
    )
    assert abs(run.energy_balance.residual) < 1e-12


# ---- stacks --------------------------------------------------------------------------------------

CORNERS = ((-0.05, -0.05), (0.05, -0.05), (0.05, 0.05), (-0.05, 0.05))


def stack(count: int, **options: float) -> tuple[tb.System, dict[str, tb.contact.ContactKind]]:
    """Cubes of 0.1 m and 1 kg on each other, each on four corners with two tangents."""
    m = tb.Model("stack", gravity=(0, 0, -G))
    contacts: dict[str, tb.contact.ContactKind] = {}
    below = m.ground.at(0, 0, 0)
    for i in range(count):
        box = m.body(f"box {i}", mass=1, inertia=(1 / 600,) * 3)
        place = (0.005 * (i % 3), 0.004 * (i % 2), 0.05 + 0.1 * i, 1, 0, 0, 0)
        m.joint(f"box {i}", tb.Free(), m.ground, box, position=place)
        for k, (x, y) in enumerate(CORNERS):
            corner = box.at(x, y, -0.05)
            contacts[f"{i} {k}"] = tb.contact.SpherePlaneContact(
                corner, below, friction=0.5, **options
            )
        below = box.at(0, 0, 0.05)
    return m.compile(), contacts


@pytest.mark.parametrize("count", [1, 10])
def test_a_stack_of_boxes_stands_still_and_bears_its_weight(count: int) -> None:
    """Sweeps alone take thousands a step for ten boxes, and gaps that are zero but for rounding
    must not let a box sink."""
    system, contacts = stack(count)
    run = tb.simulate(system, method="moreau-jean", contacts=contacts, duration=0.02, step=1e-3)
    for i in range(count):
        assert np.ptp(run[f"box {i}.z"]) < 1e-12 and np.ptp(run[f"box {i}.x"]) < 1e-12
        borne = sum(run[f"{i} {k} impulse"][1:] for k in range(4)) / 1e-3
        np.testing.assert_allclose(borne, (count - i) * G, rtol=1e-10)
    assert run.metadata["diagnostics"] == []


@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_a_box_that_bounces_on_its_corners_finds_impulses(restitution: float) -> None:
    """Four corners that turn by restitution can't all stick: impulses that hold each other grow
    until some slip, which sweeps alone don't reach."""
    system, contacts = stack(1, restitution=restitution)
    tilted = {"box 0.z": 0.06, "box 0.qx": 0.01, "box 0.qy": -0.02}
    run = tb.simulate(
        system,
        system.assemble(**tilted),
        method="moreau-jean",
        contacts=contacts,
        duration=0.5,
        step=1e-3,
    )
    assert run.metadata["statistics"]["unsettled"] == 0
    assert abs(run["box 0.z"][-1] - 0.05) < 1e-3
    assert run["energy"][-1] < run["energy"][0] + run["work"][-1]


def test_an_overlap_at_the_start_is_said() -> None:
    system, contacts = stack(1)
    run = tb.simulate(
        system,
        system.assemble(**{"box 0.z": 0.04}),
        method="moreau-jean",
        contacts=contacts,
        duration=0.01,
    )
    assert len(run.metadata["diagnostics"]) == 4
    assert "contact '0 0' overlaps by 0.01 m" in run.metadata["diagnostics"][0]


def test_how_many_steps_are_rough_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = MoreauJean.statistics.fget  # type: ignore[attr-defined]
    monkeypatch.setattr(MoreauJean, "statistics", property(lambda s: counted(s) | {"rough": 7}))
    m = tb.Model("block", gravity=(0, 0, -9.81))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("block", 1.0))
    floor = {"floor": tb.contact.DescribedContact(m.coordinate("z"))}
    run = tb.simulate(
        m.compile(), contacts=floor, method="moreau-jean", duration=0.05, step=1e-3, progress=False
    )
    (said,) = run.metadata["diagnostics"]
    assert said.startswith("In 7 of 50 steps speeds at contacts keep their laws only to 1e-5")


def test_a_step_that_does_not_divide_the_duration_is_said() -> None:
    system, contacts = stack(1)
    run = tb.simulate(system, method="moreau-jean", contacts=contacts, duration=0.1, step=0.03)
    assert run.time[-1] == pytest.approx(0.09)
    assert any("The run ends at 0.09 s" in remark for remark in run.metadata["diagnostics"])


@pytest.mark.parametrize(("slope", "above"), [(0.5, 0.0), (0.0, 0.05), (0.3, 0.02)])
def test_how_deep_a_contact_stays_is_said(slope: float, above: float) -> None:
    """Steps hold speeds: a ball that lands stays as deep as it was noticed, and one that rolls
    sinks as its directions turn. The remark tells the deepest gap of what goes on pressing."""
    m = tb.Model("ball", gravity=(9.81 * np.sin(slope), 0, -9.81 * np.cos(slope)))
    ball = m.body("ball", 1.0, inertia=(0.004,) * 3)
    m.joint("ball", tb.Free(), m.ground, ball, position=(0, 0, 0.1 + above, 1, 0, 0, 0))
    floor = {"floor": tb.contact.SpherePlaneContact(ball, m.ground, 0.1, friction=0.5)}
    run = tb.simulate(m.compile(), duration=1.0, method="moreau-jean", contacts=floor, step=5e-3)
    (remark,) = run.metadata["diagnostics"]
    assert run["floor gap"][-1] < -1e-4
    assert remark.startswith(f"Contact 'floor' stays up to {-run['floor gap'].min():.3g} m deep")
    finer = tb.simulate(m.compile(), duration=1.0, method="moreau-jean", contacts=floor, step=1e-3)
    assert finer["floor gap"].min() > 0.5 * run["floor gap"].min()


@pytest.mark.parametrize("slope", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_corrected_positions_leave_no_overlap_and_add_no_energy(slope: float, e: float) -> None:
    """A point that is dropped on a slope ends on it. Energy never exceeds that of the start; books
    close as they do without: what lifting gives is taken off what the contact took. Batches have
    the same bits."""
    m = tb.Model("sled", gravity=(0, 0, -G))
    load = m.body("load", 1.0, inertia=(0.01,) * 3)
    m.joint("load", tb.Planar("y"), m.ground, load)
    plane = m.ground.at(0, 0, 0, turn=("y", slope))
    floor = tb.contact.SpherePlaneContact(load, plane, restitution=e, friction=0.2, tangents="x")
    system = m.compile()
    start = system.assemble(**{"load.x": 0.05 * np.sin(slope), "load.z": 0.05 * np.cos(slope)})
    solver = tb.MoreauJean(step=5e-3, contacts={"floor": floor}, correct_positions=True)
    run = tb.simulate(system, start, 2.0, method=solver)
    assert run["energy"].max() < run["energy"][0] + 1e-12
    assert abs(run.energy_balance.residual) < 1e-10
    assert (run["impact loss"] + run["friction loss"]).min() > -1e-12
    if e < 1.0:
        assert abs(run["floor gap"][-1]) < 1e-12
        assert run.metadata["diagnostics"] == []
    both = system.batch(2).run(start.x, 2.0, method=solver)
    assert np.array_equal(both["load.z"][1], run["load.z"])


def test_a_ball_that_rolls_down_a_slope_does_not_sink_where_positions_are_corrected() -> None:
    """Directions turn within a step: it sinks 6 mm in 2 s without."""
    m = tb.Model("ball", gravity=(9.81 * np.sin(0.5), 0, -9.81 * np.cos(0.5)))
    ball = m.body("ball", 1.0, inertia=(0.004,) * 3)
    m.joint("ball", tb.Free(), m.ground, ball, position=(0, 0, 0.1, 1, 0, 0, 0))
    floor = {"floor": tb.contact.SpherePlaneContact(ball, m.ground, 0.1, friction=0.5)}
    system, found = m.compile(), {}
    for corrected in (False, True):
        found[corrected] = tb.simulate(
            system, duration=2.0, method="moreau-jean", contacts=floor, step=5e-3,
            correct_positions=corrected,
        )  # fmt: skip
    plain, lifted = found[False], found[True]
    assert plain["floor gap"].min() < -5e-3 < -1e-12 < lifted["floor gap"].min()
    assert lifted["ball.x"][-1] == pytest.approx(plain["ball.x"][-1], rel=1e-3)
    rise = lifted["energy"] - plain["energy"]  # what it had lost by sinking, and no more
    assert rise.max() < -9.81 * np.cos(0.5) * plain["floor gap"].min() * 1.01


def test_boxes_that_land_on_each_other_are_lifted_together() -> None:
    """Each ends where it is to be; without, the lower one stays as deep as it was noticed."""
    system, contacts = stack(2)
    start = system.initial_state()
    start.q[[2, 9]] += 0.02
    ends = []
    for corrected in (False, True):
        solver = tb.MoreauJean(step=2e-3, contacts=contacts, correct_positions=corrected)
        run = tb.simulate(system, start, 0.5, method=solver)
        ends.append([run[f"box {i}.z"][-1] for i in range(2)])
        assert run["energy"].max() < run["energy"][0] + 1e-9
    assert ends[0][0] < 0.05 - 1e-5
    np.testing.assert_allclose(ends[1], [0.05, 0.15], atol=1e-9)


@pytest.mark.parametrize("inertia", [0.005, 0.02, 0.1])
@pytest.mark.parametrize("e", [0.0, 0.3])
@pytest.mark.parametrize("slope", [0.0, 0.2, 0.5])
def test_a_box_rests_on_a_slope_that_holds_it_where_positions_are_corrected(
    slope: float, e: float, inertia: float
) -> None:
    """Coulomb: it holds where μ = 1 exceeds tan(slope). Lifting one foot moves the other, to first
    order by 1/m - x²/I and to second by the turn: neither may take it out of contact."""
    m = tb.Model("box", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    box = m.body("box", mass=1.0, inertia=(inertia / 2, inertia, inertia))
    m.joint("box", tb.Planar("y"), m.ground, box)
    for i, x in enumerate((-0.2, 0.2)):
        foot = tb.contact.SpherePlaneContact(
            box.at(x, 0, -0.1), m.ground, restitution=e, friction=1.0, tangents="x"
        )
        m.contact(f"foot {i}", foot)
    system = m.compile()
    start = system.assemble(**{"box.z": 0.2, "box.turn": 0.3})
    run = tb.simulate(system, start, 6.0, step=2e-3, method="moreau-jean", correct_positions=True)
    late = run.time > 4.0
    for name in ("box.x rate", "box.z rate", "box.turn rate"):
        assert np.abs(run[name][late]).max() < 1e-9
    assert np.ptp(run["box.x"][late]) < 1e-12
    assert max(abs(run[f"foot {i} gap"][-1]) for i in range(2)) < 1e-12
    assert run["energy"].max() < run["energy"][0] + 1e-12


@pytest.mark.parametrize("e", [0.0, 0.3, 0.6, 0.9])
def test_bounces_of_a_point_die_out_where_positions_are_corrected(e: float) -> None:
    """Lifted at each bounce, it would go on for k steps at k g h/(1 + e), for all k < 1/(1 - e)."""
    m = tb.Model("point", gravity=(0, 0, -G))
    point = m.body("point", mass=1.0)
    m.joint("z", tb.Prismatic("z"), m.ground, point, position=0.05)
    m.contact("floor", tb.contact.SpherePlaneContact(point, m.ground, restitution=e))
    run = tb.simulate(
        m.compile(), duration=4.0, step=1e-3, method="moreau-jean", correct_positions=True
    )
    assert np.abs(run["z rate"][-100:]).max() < 1e-9
    assert np.abs(run["floor gap"][-100:]).max() < 1e-12
    assert run["energy"].max() < run["energy"][0] + 1e-12
