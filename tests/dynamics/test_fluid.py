"""Solids in a fluid against closed forms: Archimedes, metacentre, added mass, Kirchhoff, drag."""

from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.model.io import model_from_text, to_text

G, RHO = 9.81, 1000.0


def floating(
    solid: Any, mass: float, inertia: tuple[float, float, float] = (1, 1, 1), com: float = 0.0,
    **options: Any,
) -> tb.Model:  # fmt: skip
    """A free body whose origin is the centre of a solid, in water with its surface at z = 0."""
    m = tb.Model("float", gravity=(0, 0, -G))
    body = m.body("hull", mass, (0, 0, com), inertia)
    given = options.pop("position", (0, 0, 0, 1, 0, 0, 0))
    m.joint("sea", tb.Free(), m.ground, body, position=given)
    surface = options.pop("surface", 0.0)
    water = m.fluid("water", RHO, surface, options.pop("current", (0.0, 0.0, 0.0)))
    m.force("water", tb.Immersed(body, solid, water, **options))
    return m


def test_a_floating_box_has_archimedes_draught_and_density_moves_it_live() -> None:
    box, mass = tb.Box((2.0, 1.0, 0.5)), 400.0
    system = floating(box, mass, drag=(0, 0, 4e3)).compile()
    with tb.live(system, rate=500, speed=None) as live:
        live.run(12.0)
        assert 0.25 - live.read("sea.z") == pytest.approx(mass / (RHO * 2.0), abs=1e-6)
        live["water density"] = 1250.0
        live.run(12.0)
        assert 0.25 - live.read("sea.z") == pytest.approx(mass / (1250.0 * 2.0), abs=1e-6)
        live["water surface"] = 0.3
        live.run(12.0)
        assert 0.25 - live.read("sea.z") + 0.3 == pytest.approx(mass / (1250.0 * 2.0), abs=1e-6)


def frequency(system: tb.System, x0: np.ndarray, index: int) -> float:
    """ω of small motions of one freedom: of the slope of its acceleration [rad/s]."""
    n, h = len(system.layout.v), 1e-6
    slopes = []
    for side in (1, -1):
        moved = x0.copy()
        if index < 3:
            moved[index] += side * h
        else:  # a small turn about x, y or z
            moved[index + 1] += side * h / 2
        tau = system.joint_efforts(moved, np.zeros(n))
        slopes.append(system.forward_dynamics(moved, np.zeros(n), tau)[index])
    return float(np.sqrt(-(slopes[0] - slopes[1]) / (2 * h)))


@pytest.mark.parametrize("added", [0.0, 0.8])
def test_a_floating_cylinder_heaves_with_its_added_mass(added: float) -> None:
    """ω² = ρ g A/(m + m_a)."""
    cylinder, mass = tb.Cylinder(0.4, 1.0), 200.0
    draught = mass / (RHO * np.pi * 0.16)
    system = floating(cylinder, mass, added=(0, 0, added)).compile()
    x0 = np.array([0, 0, 0.5 - draught, 1, 0, 0, 0])
    carried = added * RHO * np.pi * 0.16
    expected = np.sqrt(RHO * G * np.pi * 0.16 / (mass + carried))
    assert frequency(system, x0, 2) == pytest.approx(expected, rel=1e-6)
    run = tb.simulate(system, [*x0 + [0, 0, 0.01, 0, 0, 0, 0], *np.zeros(6)],
                      duration=2 * np.pi / expected, rtol=1e-10)  # fmt: skip
    assert run["sea.z"][-1] == pytest.approx(x0[2] + 0.01, abs=1e-7)


@pytest.mark.parametrize("solid", ["box", "ellipsoid", "cylinder"])
def test_a_hull_rolls_by_its_metacentric_height(solid: str) -> None:
    """GM = KB + BM − KG, BM = I/V of the waterplane; ω² = m g GM/J for small roll."""
    if solid == "box":
        hull, height, immersed, plane, KB = tb.Box((3.0, 1.0, 0.6)), 0.3, 0.9, 3.0 / 12, 0.15
    elif solid == "ellipsoid":  # half immersed: the waterplane is an ellipse, KB is 5/8 of c
        hull, height = tb.Ellipsoid((1.5, 0.6, 0.4)), 0.4
        immersed, plane = 2 * np.pi / 3 * 1.5 * 0.6 * 0.4, np.pi / 4 * 1.5 * 0.6**3
        KB = 5 / 8 * 0.4
    else:  # upright, 0.2 m of 0.5 m below the surface
        hull, height, immersed, plane, KB = (
            tb.Cylinder(0.7, 0.5),
            0.25,
            np.pi * 0.49 * 0.2,
            0.0,
            0.1,
        )
        plane = np.pi / 4 * 0.7**4
    mass, J, com = RHO * immersed, 30.0, -0.05
    system = floating(
        hull, mass, (J, J, J), com, added=(0, 0, 0), added_inertia=(0, 0, 0)
    ).compile()
    draught = {"box": 0.3, "ellipsoid": 0.4, "cylinder": 0.2}[solid]
    x0 = np.array([0, 0, height - draught, 1.0, 0, 0, 0])
    KG = height + com
    GM = KB + plane / immersed - KG
    assert GM > 0
    # the body's origin isn't its centre of mass, about which it turns: the slope of the moment
    # about it is −m g GM whatever moves with it
    n = np.zeros(6)
    tilted = x0.copy()
    tilted[4] = 0.5e-5
    acceleration = system.forward_dynamics(tilted, n, system.joint_efforts(tilted, n))
    assert acceleration[3] / 1e-5 == pytest.approx(-mass * G * GM / J, rel=1e-6)


def test_a_sphere_falls_at_its_terminal_velocity() -> None:
    """Net weight = linear drag + ½ ρ c A v²; and it starts with (m − ρV) g/(m + ½ ρV)."""
    radius, area = 0.1, np.pi * 0.01 * 0.47
    V = 4 / 3 * np.pi * radius**3
    mass = 3 * RHO * V
    system = floating(tb.Sphere(radius), mass, surface=None, drag=(20, 20, 20),
                      drag_area=(area, area, area)).compile()  # fmt: skip
    run = tb.simulate(system, duration=20.0)
    a, b, c = 0.5 * RHO * area, 20.0, -(mass - RHO * V) * G
    v = (-b + np.sqrt(b * b - 4 * a * c)) / (2 * a)
    assert -run["sea.vz"][-1] == pytest.approx(v, rel=1e-6)
    at_rest = np.array([0, 0, 0, 1.0, 0, 0, 0])
    started = system.forward_dynamics(
        at_rest, np.zeros(6), system.joint_efforts(at_rest, np.zeros(6))
    )
    assert started[2] == pytest.approx(c / (mass + 0.5 * RHO * V), rel=1e-12)


def test_a_neutral_body_drifts_with_the_current() -> None:
    V = 4 / 3 * np.pi * 0.3 * 0.2 * 0.1
    system = floating(
        tb.Ellipsoid((0.3, 0.2, 0.1)), RHO * V, (0.6, 0.9, 1.1), surface=None,
        current=(0.4, -0.2, 0.0), drag=(60, 80, 100), angular_drag=(3, 3, 3),
    ).compile()  # fmt: skip
    run = tb.simulate(system, duration=20.0)
    position = np.array([run[f"sea.{x}"] for x in "xyz"])
    seconds = run.time[-1] - run.time[-2]
    assert (position[:, -1] - position[:, -2]) / seconds == pytest.approx(
        [0.4, -0.2, 0.0], abs=1e-4
    )


def thrown(**options: Any) -> tb.System:
    """A spinning ellipsoid of its own density in an ideal fluid without weight."""
    m = tb.Model("thrown", gravity=(0, 0, 0))
    body = m.body("hull", 40.0, (0, 0, 0), (0.6, 0.9, 1.1))
    m.joint("sea", tb.Free(), m.ground, body)
    water = m.fluid("water", RHO, None, options.pop("current", (0.0, 0.0, 0.0)))
    m.force("water", tb.Immersed(body, tb.Ellipsoid((0.3, 0.2, 0.1)), water))
    m.sensor("energy", tb.Energy("total"))
    return m.compile()


def test_kirchhoffs_equations_conserve_energy_and_impulse() -> None:
    system = thrown()
    x0 = [0, 0, 0, 1, 0, 0, 0, 1.0, 0.4, -0.3, 2.0, -3.0, 1.5]
    run = tb.simulate(system, x0, duration=2.0, rtol=1e-11, atol=1e-12)
    masses, moments = tb.Ellipsoid((0.3, 0.2, 0.1)).added() or ((), ())
    carried = RHO * 4 / 3 * np.pi * 0.3 * 0.2 * 0.1
    A = 40.0 + carried * np.array(masses)
    B = np.array([0.6, 0.9, 1.1]) + carried * np.array(moments)
    impulses, spins, energies = [], [], []
    for row in zip(*(run[name] for name in system.state_names), strict=True):
        p, q, v, w = np.array(row[:3]), row[3:7], np.array(row[7:10]), np.array(row[10:])
        s, u = q[0], np.array(q[1:])
        R = (s * s - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * s * np.cross(np.eye(3), u)
        R /= s * s + u @ u
        impulses.append(R @ (A * v))
        spins.append(R @ (B * w) + np.cross(p, R @ (A * v)))
        energies.append(0.5 * (A @ v**2 + B @ w**2))
    for series in (impulses, spins, energies):
        drift = np.abs(np.array(series) - series[0]).max()
        assert drift < 1e-8 * np.abs(series[0]).max()
    assert run["energy"] == pytest.approx(np.array(energies), rel=1e-12)
    assert np.ptp(run["sea.vx"]) > 0.5  # it tumbled: Munk's moment is at work


def test_a_sphere_off_its_bodys_origin_carries_its_fluid_as_a_mass_at_its_centre() -> None:
    """A sphere's fluid is half of what it displaces, without a moment (Lamb §92): the mass matrix
    and what velocities ask are those of a body with that mass more at its centre."""
    fluid = 0.5 * RHO * 4 / 3 * np.pi * 0.1**3
    swims, dry = (tb.Model("body", gravity=(0, 0, 0)) for _ in range(2))
    for m in (swims, dry):
        body = m.body("body", 3.0, com=(0.1, 0, 0.05), inertia=(0.3, 0.4, 0.5))
        m.joint("sea", tb.Free(), m.ground, body)
    water = swims.fluid("water", RHO, None)
    swims.force("water", tb.Immersed(tb.Frame("body", (0.3, -0.2, 0.1)), tb.Sphere(0.1), water))
    dry.joint("glue", tb.Fixed(), tb.Frame("body", (0.3, -0.2, 0.1)), dry.body("more", fluid))
    random = np.random.default_rng(13)
    for _ in range(5):
        q, v = np.r_[random.normal(size=3), random.normal(size=4)], random.normal(size=6)
        q[3:] /= np.linalg.norm(q[3:])
        for ask in ("mass_matrix", "bias"):
            args = (q,) if ask == "mass_matrix" else (q, v)
            want = getattr(dry.compile(), ask)(*args)
            assert getattr(swims.compile(), ask)(*args) == pytest.approx(want, rel=1e-12, abs=1e-12)


def test_a_pendulum_under_water_keeps_its_energy() -> None:
    """Its bob's fluid moves on a circle about the link's origin."""
    m = tb.Model("clock", gravity=(0, 0, -G))
    water = m.fluid("water", RHO, None, (0.0, 0.0, 0.0))
    inner, outer = m.body("inner", 5.0, com=(0, 0, -1)), m.body("outer", 6.0, com=(0, 0, -1))
    m.joint("a", tb.Revolute("y"), m.ground, inner, position=1.0)
    m.joint("b", tb.Universal("x", "y"), inner.at(0, 0, -1), outer, position=(0.5, 0.8))
    for name in ("inner", "outer"):
        bob = tb.Frame(name, (0.05, 0, -0.7))
        m.force(name, tb.Immersed(bob, tb.Ellipsoid((0.1, 0.05, 0.08)), water))
    m.sensor("energy", tb.Energy("total"))
    run = tb.simulate(m.compile(), duration=2.0, rtol=1e-11, atol=1e-12)
    assert np.ptp(run["energy"]) < 1e-6  # J, of some hundred that go to and fro


def test_a_current_is_the_same_as_moving_through_still_water() -> None:
    """Galileo: with the current u and the velocity v + u all goes as without and v, but for u t."""
    still, flowing = thrown(), thrown(current=(0.7, 0.0, -0.2))
    runs = [
        tb.simulate(system, [0, 0, 0, 1, 0, 0, 0, vx, 0.4, vz, 2.0, -3.0, 1.5], duration=1.0,
                    rtol=1e-11, atol=1e-12, output_step=0.1)
        for system, vx, vz in ((still, 1.0, -0.3), (flowing, 1.7, -0.5))
    ]  # fmt: skip
    for name in ("sea.y", "sea.qx", "sea.wx", "sea.wz"):
        assert runs[1][name] == pytest.approx(runs[0][name], abs=1e-8)
    assert runs[1]["sea.x"] == pytest.approx(runs[0]["sea.x"] + 0.7 * runs[0].time, abs=1e-8)
    assert np.ptp(runs[1]["energy"]) < 1e-8 * runs[1]["energy"][0]


def test_energy_books_close_for_a_body_that_bobs_with_drag() -> None:
    V = 4 / 3 * np.pi * 0.3 * 0.2 * 0.1
    m = floating(tb.Ellipsoid((0.3, 0.2, 0.1)), 0.6 * RHO * V, (0.6, 0.9, 1.1), -0.02,
                 drag=(5, 5, 5), angular_drag=(0.5, 0.5, 0.5), current=(0.2, 0, 0),
                 position=(0, 0, 0.15, 0.9, 0.3, 0, 0))  # fmt: skip
    run = tb.simulate(m.compile(), duration=2.0, energy_balance=True, rtol=1e-9, atol=1e-10)
    assert abs(run.energy_balance.residual) < 1e-6 * run.energy_balance.turnover


@pytest.mark.parametrize("links", [1, 3])
def test_all_algorithms_agree_on_links_that_carry_fluid(links: int) -> None:
    """M a + c = τ, whichever way: chains of turned, offset ellipsoids under water."""
    m = tb.Model("eel")
    water = m.fluid("water", RHO, None, (0.3, 0.1, 0.0))
    parent: Any = m.ground
    for i in range(links):
        body = m.body(f"b{i}", 2.0 + i, (0.1, 0, 0.02), (0.02, 0.05, 0.06))
        kind: Any = tb.Free() if i == 0 else tb.Revolute((0.3, 1.0, 0.2))
        m.joint(f"j{i}", kind, parent, body)
        m.force(f"f{i}", tb.Immersed(body.at(0.1, 0.02, 0, turn=("z", 0.4)),
                                     tb.Ellipsoid((0.2, 0.06, 0.04)), water))  # fmt: skip
        parent = body.at(0.25, 0, 0, turn=("x", 0.7))
    system = m.compile()
    nv = len(system.layout.v)
    generator = np.random.default_rng(3)
    q = np.array([0.1, 0.2, 0.3, 0.8, 0.2, -0.4, 0.4, *generator.normal(size=links - 1)])
    v, a = generator.normal(size=nv), generator.normal(size=nv)
    M = system.mass_matrix(q)
    assert pytest.approx(M.T, rel=1e-12) == M
    assert np.linalg.eigvalsh(M).min() > 0
    tau = system.inverse_dynamics(q, v, a)
    assert M @ a + system.bias(q, v) == pytest.approx(tau, rel=1e-11)
    assert system.forward_dynamics(q, v, tau) == pytest.approx(a, rel=1e-10)
    # twice the kinetic energy in still water is v M v
    system["water current x"] = system["water current y"] = 0.0
    assert system.energy(q, v)[0] == pytest.approx(0.5 * v @ M @ v, rel=1e-12)


def test_the_fluid_carried_along_has_no_weight() -> None:
    V = 4 / 3 * np.pi * 0.1**3
    system = floating(tb.Sphere(0.1), RHO * V, surface=None).compile()
    at = np.array([0, 0, -1, 0.9, 0.1, 0.2, 0.3])
    tau = system.joint_efforts(at, np.zeros(6))
    assert system.forward_dynamics(at, np.zeros(6), tau) == pytest.approx(np.zeros(6), abs=1e-12)


def test_files_and_parts_hold_a_fluid() -> None:
    m = floating(tb.Cylinder(0.4, 1.0), 200.0, drag=(1, 2, 3), added=(0, 0, 0.5))
    again = model_from_text(to_text(m))
    assert to_text(again) == to_text(m)
    x = np.array([0, 0, 0.1, 0.9, 0.1, 0.2, 0.3])
    v = np.arange(6.0)
    tau = m.compile().joint_efforts(x, v)
    outer = tb.Model("sea", gravity=(0, 0, -G))
    outer.add(m, name="one", share=["water density"])
    for system in (again.compile(), outer.compile()):
        assert system.bias(x, v) == pytest.approx(m.compile().bias(x, v), rel=1e-14)
        assert system.joint_efforts(x, v) == pytest.approx(tau, rel=1e-14)
    assert "one/water surface" in outer.compile().parameters


def test_a_negative_density_and_a_crooked_surface_are_refused() -> None:
    m = tb.Model("sea")
    with pytest.raises(tb.ModelError, match=r"Fluid 'oil': its density is -3.0; give a number"):
        m.fluid("oil", -3.0)
    with pytest.raises(tb.ModelError, match=r"'water density'.*already"):
        m.fluid("water")
        m.fluid("water")


def test_a_fluid_rests_unless_a_current_is_given() -> None:
    """A ball of neutral buoyancy at rest stays at rest in it."""
    m = tb.Model("ball in water", gravity=(0, 0, 0))
    ball = m.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("ball", tb.Free(), m.ground, ball)
    fluid = m.fluid("water")
    m.force("drag", tb.Immersed(ball, tb.Sphere(0.1), fluid, drag_area=(0.1, 0.1, 0.1)))
    system = m.compile()
    q = system.initial_state().q
    np.testing.assert_array_equal(system.forward_dynamics(q, np.zeros(6)), np.zeros(6))
