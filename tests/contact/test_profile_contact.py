"""Circles against profiles in motion: closed forms, balances, names, files, parts, counts."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import gamma

import touchback as tb
from touchback.symbolic.operation_count import count

G = 9.81


def head_on(law: tb.contact.ContactLaw, mass: float = 0.2, speed: float = 0.5) -> tb.Model:
    """A ball of radius 0.02 that comes down on a resting circle of radius 0.03."""
    m = tb.Model("ball", gravity=(0, 0, 0))
    ball = m.body("ball", mass)
    m.joint("z", tb.Prismatic("z"), m.ground, ball, position=0.06, velocity=-speed)
    circles = tb.contact.Circle(m.ground, 0.03), tb.contact.Circle(ball, 0.02)
    m.force("touch", tb.contact.ProfileContact(*circles, law))
    return m


def bounce(m: tb.Model) -> tuple[float, float, float]:
    """Time of touching, restitution and greatest depth, with events found by the contact's name."""
    events = [
        tb.Event("comes", "touch", direction=-1),
        tb.Event("deepest", "z rate", direction=1),
        tb.Event("goes", "touch", direction=1, terminal=True),
    ]
    run = tb.simulate(
        m.compile(), duration=1.0, rtol=1e-11, atol=1e-14, events=events, progress=False
    )
    comes, deepest, goes = run.events
    assert (comes.name, deepest.name, goes.name) == ("comes", "deepest", "goes")
    speed = abs(run["z rate"][0])
    return goes.time - comes.time, goes.state["z rate"] / speed, 0.05 - deepest.state["z"]


def test_a_mass_stays_half_a_period_on_a_linear_spring() -> None:
    """π √(m/k), whatever the speed."""
    k, mass = 3e4, 0.2
    for speed in (0.1, 2.0):
        lasted, restitution, _ = bounce(head_on(tb.contact.UnilateralSpring(k), mass, speed))
        assert lasted == pytest.approx(np.pi * np.sqrt(mass / k), rel=1e-8)
        assert restitution == pytest.approx(1.0, rel=1e-8)


def test_hertz_impact_lasts_and_sinks_as_love_says() -> None:
    """d = (5 m v²/(4 K))^(2/5), and 2 d/v ∫ dx/√(1 − x^(5/2)) = 2 d/v · √π Γ(7/5)/Γ(9/10)
    (A. E. H. Love, Theory of Elasticity, §139)."""
    K, mass, speed = 5e7, 0.2, 0.5
    lasted, restitution, depth = bounce(head_on(tb.contact.HuntCrossley(K), mass, speed))
    exact = (5 * mass * speed**2 / (4 * K)) ** 0.4
    assert depth == pytest.approx(exact, rel=1e-8)
    assert lasted == pytest.approx(2 * exact / speed * np.sqrt(np.pi) * gamma(1.4) / gamma(0.9))
    assert restitution == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("damping", [0.1, 0.6])
def test_hunt_and_crossleys_restitution_is_the_root_of_its_energy_balance(damping: float) -> None:
    """β v − ln(1 + β v) = −β e v − ln(1 − β e v), β = 3/2 c."""
    speed = 0.7
    b = 1.5 * damping * speed
    exact = brentq(lambda e: b - np.log1p(b) + b * e + np.log1p(-b * e), 1e-6, 0.999 / max(b, 1))
    assert bounce(head_on(tb.contact.HuntCrossley(1e6, damping), speed=speed))[1] == pytest.approx(
        exact, abs=1e-7
    )


@pytest.mark.parametrize("core", [0.0, 9e4], ids=["soft", "with a core"])
@pytest.mark.parametrize("speed", [0.5, 4.0])
def test_what_crumples_takes_all_but_e_squared_of_the_energy_at_any_speed(
    speed: float, core: float
) -> None:
    """Its depth is that at which the spring has the whole energy, m v² = K p² + K₂ (p − L)²; an
    impact lasts 11 ms, which the deepest depth follows within 1 µs."""
    K, L, mass = 1e4, 4e-3, 0.2
    law = tb.contact.Crush(K, 0.3, L, core, lag=1e-6)
    _, restitution, depth = bounce(head_on(law, mass, speed))
    spring = brentq(
        lambda p: K * p**2 + core * max(p - L, 0.0) ** 2 - mass * speed**2, 0.0, 0.1, xtol=1e-12
    )
    assert depth == pytest.approx(spring, rel=1e-6)
    assert restitution == pytest.approx(0.3, rel=1e-4)


def disc_on_slope(slope: float, **contact: object) -> tuple[tb.Model, float]:
    """A disc (I = m r²/2) in the x-z plane on a line that falls along x; its resting depth."""
    m = tb.Model("disc", gravity=(0, 0, -G))
    mass, r, K = 1.5, 0.05, 1e6
    disc = m.body("disc", mass, inertia=(1, 0.5 * mass * r**2, 1))
    m.joint("disc", tb.Planar("y"), m.ground.at(0, 0, 0, turn=("y", slope)), disc)
    line = tb.contact.Line(m.ground.at(0, 0, 0, turn=("y", slope)))
    law = tb.contact.UnilateralSpring(K, 400.0)
    m.force("floor", tb.contact.ProfileContact(tb.contact.Circle(disc, r), line, law, **contact))
    m.sensor("rub", tb.FrictionForce("floor"))
    m.sensor("press", tb.ContactForce("floor"))
    return m, r - mass * G * np.cos(slope) / K


def planar_start(system: tb.System, z: float, x_rate: float = 0.0, spin: float = 0.0) -> tb.State:
    """Positions and velocities of a planar joint whose names the system gives."""
    q, v = np.zeros(3), np.zeros(3)
    q[[name.endswith("z") for name in system.coordinates]] = z
    v[[name.endswith("x") for name in system.velocities]] = x_rate
    v[[not name.endswith(("x", "z")) for name in system.velocities]] = spin
    return tb.State(q, v, np.zeros(0))


def along(system: tb.System) -> int:
    return next(i for i, name in enumerate(system.velocities) if name.endswith("x"))


def test_a_disc_rolls_down_a_slope_at_two_thirds_of_sliding() -> None:
    """a = g sin α/(1 + I/(m r²)), friction a third of the pull."""
    slope = 0.3
    m, z = disc_on_slope(slope, friction=0.5, slip_speed=1e-5)
    system = m.compile()
    run = tb.simulate(
        system, planar_start(system, z), duration=0.4, rtol=1e-8, method="radau5", progress=False
    )
    x_rate = run[system.state_names[3 + along(system)]]
    assert x_rate[-1] == pytest.approx(G * np.sin(slope) / 1.5 * 0.4, rel=1e-4)
    assert abs(run["rub"][-1]) == pytest.approx(1.5 * G * np.sin(slope) / 3, rel=1e-3)


def test_rolling_friction_slows_a_rolling_disc() -> None:
    """a = −c g/(1 + I/(m r²)) while it rolls without slip."""
    c, r, speed = 0.02, 0.05, 1.0
    m, z = disc_on_slope(0.0, friction=0.8, rolling_friction=c, slip_speed=1e-5)
    system = m.compile()
    start = planar_start(system, z, speed, speed / r)
    run = tb.simulate(system, start, duration=0.5, rtol=1e-8, method="radau5", progress=False)
    x_rate = run[system.state_names[3 + along(system)]]
    assert x_rate[-1] == pytest.approx(speed - c * G / 1.5 * 0.5, rel=1e-4)


def test_a_circle_on_an_endless_line_is_a_sphere_on_a_plane() -> None:
    accelerations = []
    for kind in ("sphere", "circle"):
        m = tb.Model("two")
        ball = m.body("ball", 0.4, com=(0.01, 0, 0.02), inertia=(1e-3, 2e-3, 1e-3))
        table = m.body("table", 3.0, com=(0.1, 0, 0), inertia=(0.2, 0.1, 0.25))
        m.joint("ball", tb.Planar("y"), m.ground, ball)
        m.joint("table", tb.Planar("y"), m.ground, table)
        at, plane = ball.at(0.02, 0, 0.01), table.at(0.1, 0, 0.05, turn=("y", 0.4))
        if kind == "sphere":
            force: tb.ForceKind = tb.contact.SphereOnPlane(at, plane, 0.3, 1e4, 1.5, 0.2, 0.6, 0.01)
        else:
            law = tb.contact.HuntCrossley(1e4, 0.2)
            circle, line = tb.contact.Circle(at, 0.3), tb.contact.Line(plane)
            force = tb.contact.ProfileContact(line, circle, law, friction=0.6, slip_speed=0.01)
        m.force("touch", force)
        q = np.array([0.1, 0.2, 0.3, -0.1, 0.05, 0.2])
        accelerations.append(m.compile().forward_dynamics(q, np.arange(6) - 2.5))
    assert np.abs(accelerations[0]).max() > 100  # they touch
    np.testing.assert_allclose(*accelerations, rtol=1e-10)


@pytest.mark.parametrize("other", ["circle", "line", "arc", "trough", "outline"])
def test_bodies_push_each_other_alike(other: str) -> None:
    """Linear and angular momentum of two floating bodies stay, with all frictions."""
    m = tb.Model("two", gravity=(0, 0, 0))
    ball = m.body("ball", 1.0, com=(0.02, 0, 0), inertia=(0.01, 0.02, 0.015))
    table = m.body("table", 3.0, inertia=(0.2, 0.1, 0.25))
    m.joint("ball", tb.Planar("y"), m.ground, ball)
    m.joint("table", tb.Planar("y"), m.ground, table)
    frame = table.at(-0.3, 0, -0.1, turn=("y", 0.1))
    profiles = {
        "circle": tb.contact.Circle(frame, 0.4),
        "line": tb.contact.Line(frame, 0.25),
        "arc": tb.contact.Arc(frame, 0.4, 0.5, 2.0),
        "trough": tb.contact.Arc(frame, 0.05, -2.5, -0.5, hollow=True),
    }
    outline = tb.contact.Outline([profiles["line"], profiles["arc"]])
    profile = outline if other == "outline" else profiles[other]
    law = tb.contact.HuntCrossley(1e4, 0.3)
    contact = tb.contact.ProfileContact(
        tb.contact.Circle(ball.at(0.05, 0, 0.02), 0.6),
        profile,
        law,
        friction=0.6,
        rolling_friction=0.1,
    )
    m.force("touch", contact)
    m.sensor("force", tb.ContactForce("touch"))
    system = m.compile()
    q = np.array([0.1, 0.2, 0.3, -0.1, 0.05, 0.2])
    v = np.random.default_rng(5).normal(size=6)
    assert system.sensors(q, v)["force"] > 100
    rate, h = system.state_rate(q, v), 1e-6
    later = system.momentum(q + h * rate[:6], v + h * rate[6:])
    before = system.momentum(q - h * rate[:6], v - h * rate[6:])
    size = np.abs(system.mass_matrix(q) @ rate[6:]).max()
    np.testing.assert_allclose((later - before) / (2 * h), 0.0, atol=1e-8 * size)


@pytest.mark.parametrize("other", ["circle", "line", "arc"])
def test_damping_sees_the_rate_of_the_gap(other: str) -> None:
    """N = K d + c ḋ with ḋ by differences, both bodies turning; energy goes at the rate c ḋ²."""
    m = tb.Model("lever", gravity=(0, 0, 0))
    arm, cam = m.body("arm", 1.0, inertia=(1, 1, 1)), m.body("cam", 1.0, inertia=(1, 1, 1))
    m.joint("arm", tb.Revolute("y"), m.ground.at(0, 0, 0.5), arm)
    m.joint("cam", tb.Revolute("y"), m.ground, cam)
    frame = cam.at(0.1, 0, 0.3, turn=("y", 0.2))
    profile = {
        "circle": tb.contact.Circle(frame, 0.1),
        "line": tb.contact.Line(frame, 0.05),  # touched at its corner
        "arc": tb.contact.Arc(frame, 0.1, 0.2, 2.0),
    }[other]
    K, c = 1e4, 300.0
    law = tb.contact.UnilateralSpring(K, c)
    m.force(
        "touch", tb.contact.ProfileContact(tb.contact.Circle(arm.at(0.2, 0, 0), 0.25), profile, law)
    )
    m.sensor("gap", tb.Gap("touch"))
    m.sensor("force", tb.ContactForce("touch"))
    m.sensor("energy", tb.Energy())
    system = m.compile()
    q, v, h = np.array([0.1, -0.2]), np.array([0.9, -0.6]), 1e-6
    rate = system.state_rate(q, v)
    now, later, before = (system.sensors(q + s * rate[:2], v + s * rate[2:]) for s in (0.0, h, -h))
    gap_rate, power = ((later[x] - before[x]) / (2 * h) for x in ("gap", "energy"))
    assert now["gap"] < 0 and abs(gap_rate) > 0.01
    assert now["force"] == pytest.approx(-K * now["gap"] - c * gap_rate, rel=1e-7)
    assert power == pytest.approx(-c * gap_rate**2, rel=1e-3)


def knuckle() -> tb.Model:
    """A hammer's knuckle on a jack, with memory."""
    m = tb.Model("key", gravity=(0, 0, -G))
    hammer = m.body("hammer", 0.01, com=(0.1, 0, 0), inertia=(1e-6, 1e-5, 1e-5))
    jack = m.body("jack", 0.005, com=(0, 0, 0.02), inertia=(1e-6, 1e-6, 1e-6))
    m.joint("hammer", tb.Revolute("y"), m.ground.at(0, 0, 0.1), hammer, velocity=0.5)
    m.joint("jack", tb.Revolute("y"), m.ground.at(0.02, 0, 0.03), jack, spring=0.1, damping=1e-4)
    law = tb.contact.Felt(m.parameter("felt", 1e8), 2.5, 1e-5, memory=0.2)
    line = tb.contact.Line(jack.at(-0.004, 0, 0.05), 0.008)
    circle = tb.contact.Circle(hammer.at(0.02, 0, -0.01), 0.01)
    m.force("knuckle", tb.contact.ProfileContact(circle, line, law, friction=0.3))
    m.sensor("press", tb.ContactForce("knuckle"))
    return m


def test_states_of_forces_have_names_in_runs_parts_and_files(tmp_path: Path) -> None:
    m = knuckle()
    system = m.compile()
    assert system.state_names[-1] == "knuckle.memory"
    run = tb.simulate(system, duration=0.03, progress=False)
    assert run["knuckle.memory"].max() > 0.1
    m.save(tmp_path / "key.yaml")
    again = tb.read(tmp_path / "key.yaml")
    assert repr(again.forces) == repr(m.forces)
    assert list(again.states) == ["knuckle.memory"]
    keys = tb.Model("keys", gravity=(0, 0, -G))
    for name in ("C4", "D4"):
        keys.add(again, name=name)
    keys.sensor("gap", tb.Gap("D4/knuckle"))
    both = keys.compile()
    assert both.layout.z == ("C4/knuckle.memory", "D4/knuckle.memory")
    two = tb.simulate(both, duration=0.03, progress=False)
    assert two["D4/knuckle.memory"][-1] == pytest.approx(run["knuckle.memory"][-1], rel=1e-3)


def test_a_live_run_keeps_the_memory_of_its_felt() -> None:
    system = knuckle().compile()
    with tb.live(system, rate=4000, speed=None, method="rk4") as live:
        live.run(0.02)
        found = live.read("knuckle.memory")
    run = tb.simulate(system, duration=0.02, method="rk4", step=1 / 4000, progress=False)
    assert found == pytest.approx(run["knuckle.memory"][-1], rel=1e-12)
    assert found > 0.1


def test_a_model_shows_what_touches_what() -> None:
    assert "profile-contact circle hammer, line jack, felt" in repr(knuckle())


def test_states_of_forces_come_after_described_ones_as_in_a_file() -> None:
    m = knuckle()
    m.state("heat", 1.0, rate=lambda heat: m.signal("knuckle.memory") - heat)
    assert list(m.states) == ["heat", "knuckle.memory"]
    assert m.compile().state_names[-2:] == ["heat", "knuckle.memory"]
    with pytest.raises(tb.ModelError, match="belongs to a force"):
        m.set_rate("knuckle.memory", 0.0)
    with pytest.raises(tb.ModelError, match="there is a state of this name already"):
        m.input("knuckle.memory")


def test_a_contact_apart_has_finite_slopes() -> None:
    """Roots in laws have infinite ones at depth 0, which must not reach the linear model."""
    m = head_on(tb.contact.Felt(1e9, 2.5, hysteresis=1e-5))
    system = m.compile()
    for z in (0.06, 0.05, 0.0499):
        linear = tb.linearise(system, tb.State(np.array([z]), np.zeros(1), np.zeros(0)))
        assert np.isfinite(linear.A).all()


def test_planar_contacts_cost_what_planes_need() -> None:
    """Flops that a contact adds to two levers: nothing along y, no pow for p = 2.5."""

    def cost(line: bool, length: float | None, friction: float) -> tuple[int, int]:
        m = tb.Model("levers", gravity=(0, 0, -G))
        a = m.body("a", 0.1, com=(0.1, 0, 0.01), inertia=(1e-4, 1e-4, 1e-4))
        b = m.body("b", 0.1, com=(0.1, 0, 0.01), inertia=(1e-4, 1e-4, 1e-4))
        m.joint("a", tb.Revolute("y"), m.ground.at(0, 0, 0.1), a)
        m.joint("b", tb.Revolute("y"), m.ground.at(0.03, 0, 0.05), b)
        if line:
            profile = tb.contact.Line(b.at(-0.002, 0, 0.04), length)
            circle = tb.contact.Circle(a.at(0.03, 0, -0.01), 0.005)
            m.force(
                "touch",
                tb.contact.ProfileContact(circle, profile, tb.contact.Felt(1e9), friction=friction),
            )
        counts = count(m.compile().function("rate").second)
        return counts.flops, counts.calls

    bare, _ = cost(False, None, 0.0)
    most = {(None, 0.0): 28, (None, 0.3): 52, (0.01, 0.0): 50, (0.01, 0.3): 74}
    for (length, friction), limit in most.items():
        flops, calls = cost(True, length, friction)
        assert calls == 0
        assert flops - bare <= limit


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda g: tb.contact.ProfileContact(
                tb.contact.Line(g), tb.contact.Line(g), tb.contact.Felt(1.0)
            ),
            "must be a tb.contact.Circle",
        ),
        (
            lambda g: tb.contact.ProfileContact(tb.contact.Circle(g, 1), g, tb.contact.Felt(1.0)),
            "its second is .*tb.contact.Line",
        ),
        (
            lambda g: tb.contact.ProfileContact(tb.contact.Circle(g, 1), tb.contact.Line(g), 1e5),
            "its law is 100000.0",
        ),
        (lambda g: tb.contact.Circle(g, -1.0), "radius is -1.0"),
        (lambda g: tb.contact.Line(g, 0.0), "length is 0.0; give a positive number"),
        (lambda g: tb.contact.Arc(g, 1.0, 2.0, 1.0), "its end must be above its start"),
        (lambda g: tb.contact.Outline([]), "a list of tb.contact.Line"),
        (
            lambda g: tb.contact.Outline([tb.contact.Line(g), tb.contact.Line("arm")]),
            "several bodies .arm, ground.",
        ),
    ],
)
def test_what_can_not_touch_is_refused(make: object, message: str) -> None:
    with pytest.raises(tb.ModelError, match=message):
        make(tb.Frame("ground"))  # type: ignore[operator]


def test_sensors_name_contacts_that_are_there() -> None:
    m = knuckle()
    m.sensor("gap", tb.Gap("knukle"))
    with pytest.raises(tb.ModelError, match="no contact 'knukle'; did you mean 'knuckle'"):
        m.compile()
    m = tb.Model("ball")
    ball = m.body("ball", 1.0)
    m.joint("z", tb.Prismatic("z"), m.ground, ball)
    m.force("floor", tb.contact.SphereOnPlane(ball, m.ground))
    m.sensor("rub", tb.FrictionForce("floor"))
    with pytest.raises(tb.ModelError, match="not planar"):
        m.compile()
