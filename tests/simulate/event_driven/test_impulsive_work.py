"""Impulses of drives, and of a ground that moves, do work in impacts: energy balances of runs from
event to event hold it."""

from typing import Any

import numpy as np
import pytest

import touchback as tb

G = 9.81


def ball_on_paddle(speed: float, restitution: float) -> tuple[tb.Model, float, float]:
    """Without gravity: a ball meets a paddle that is driven at a constant speed."""
    m = tb.Model("paddle", gravity=(0, 0, 0))
    mass, before = 0.3, -1.1
    m.joint("lift", tb.Prismatic("z"), m.ground, m.body("paddle", mass=2.0))
    m.drive("lift", motion=speed * m.time)
    m.joint(
        "height", tb.Prismatic("z"), m.ground, m.body("ball", mass=mass), position=0.5,
        velocity=before,
    )  # fmt: skip
    gap = m.coordinate("height") - m.coordinate("lift")
    m.contact("hit", tb.contact.DescribedContact(gap, restitution=restitution))
    return m, mass, before


@pytest.mark.parametrize("speed", [0.7, -0.4])
@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_a_paddle_does_the_work_of_its_blow(speed: float, restitution: float) -> None:
    """v⁺ = u + e (u − v⁻): the drive's impulse m (1 + e) (u − v⁻) acts along its speed u."""
    m, mass, before = ball_on_paddle(speed, restitution)
    run = tb.simulate(m.compile(), duration=1.2)
    assert run["height rate"][-1] == pytest.approx(
        speed + restitution * (speed - before), rel=1e-12
    )
    work = mass * (1.0 + restitution) * (speed - before) * speed
    lost = 0.5 * mass * (1.0 - restitution**2) * (speed - before) ** 2
    assert run.energy_balance.work["drive lift"] == pytest.approx(work, rel=1e-10)
    assert run.energy_balance.impacts["hit"] == pytest.approx(lost, rel=1e-10, abs=1e-14)
    assert abs(run.energy_balance.residual) < 1e-12


def planar(m: tb.Model, rng: np.random.Generator, base: Any) -> Any:
    """A body that moves in the x-z plane of a base, thrown from above."""
    cart, hanger, body = m.body("cart"), m.body("hanger"), m.body("body", 0.4, inertia=(2e-3,) * 3)
    m.joint("x", tb.Prismatic("x"), base, cart, velocity=rng.uniform(-1, 1))
    m.joint("z", tb.Prismatic("z"), cart, hanger, position=rng.uniform(0.3, 0.5))
    m.joint("turn", tb.Revolute("y"), hanger, body, velocity=rng.uniform(-5, 5))
    return body


def driven_slide(m: tb.Model, rng: np.random.Generator, e: float, mu: float) -> None:
    """A ball on a tray that is shaken along x and z."""
    slide, tray = m.body("slide", 1.0), m.body("tray", 1.0)
    m.joint("side", tb.Prismatic("x"), m.ground, slide)
    m.joint("lift", tb.Prismatic("z"), slide, tray)
    m.drive("side", tb.Sine(0.1, 1.0 / rng.uniform(0.3, 0.6)))
    m.drive("lift", tb.Sine(0.05, 1.0 / rng.uniform(0.3, 0.6)))
    body = planar(m, rng, m.ground)
    m.contact("hit", tb.contact.SpherePlaneContact(
        body.at(0, 0, 0), tray.at(0, 0, 0), 0.05, restitution=e, friction=mu,
        tangents="x"))  # fmt: skip


def cam(m: tb.Model, rng: np.random.Generator, e: float, mu: float) -> None:
    """A follower on springs that a cam at a given speed hits; it rubs on the cam's flank."""
    m.joint("cam", tb.Revolute("y"), m.ground, m.body("cam", 1.0, inertia=(0.01,) * 3))
    m.drive("cam", rng.uniform(6, 9) * m.time)
    m.joint("follower", tb.Prismatic("z"), m.ground, m.body("follower", 0.5), position=0.16,
            spring=200.0, damping=0.3)  # fmt: skip
    angle = m.coordinate("cam")
    lift = 0.1 + 0.03 * tb.sin(angle)
    m.contact("hit", tb.contact.DescribedContact(
        m.coordinate("follower") - lift, 0.1 * m.rate("cam"), restitution=e,
        friction=mu))  # fmt: skip


def crank(m: tb.Model, rng: np.random.Generator, e: float, mu: float) -> None:
    """A ball on the slider of a slider-crank with a driven crank: a loop between drive and blow."""
    arm, rod = (m.body(name, 0.4, inertia=(1e-3,) * 3) for name in ("arm", "rod"))
    table = m.body("table", 1.0)
    m.joint("crank", tb.Revolute("y"), m.ground, arm, position=0.6)
    m.joint("pin", tb.Revolute("y"), arm.at(0, 0, 0.05), rod, position=-0.8)
    m.joint("table", tb.Prismatic("z"), m.ground, table, position=0.25)
    m.close("pin top", tb.Revolute("y"), rod.at(0, 0, 0.2), table)
    m.drive("crank", 0.6 + rng.uniform(5, 9) * m.time)
    body = planar(m, rng, m.ground)
    m.contact("hit", tb.contact.SpherePlaneContact(
        body.at(0, 0, 0), table.at(0, 0, 0), 0.05, restitution=e, friction=mu,
        tangents="x"))  # fmt: skip


def moving_ground(m: tb.Model, rng: np.random.Generator, e: float, mu: float) -> None:
    """A ball on a ground that is shaken."""
    t, rate = m.time, rng.uniform(4, 8)
    m.move_base(position=(0.05 * tb.sin(rate * t), 0.0, 0.1 * tb.sin(0.7 * rate * t) + 0.2 * t))
    body = planar(m, rng, m.ground)
    m.contact("hit", tb.contact.SpherePlaneContact(
        body.at(0, 0, 0), m.ground.at(0, 0, 0), 0.05, restitution=e, friction=mu,
        tangents="x"))  # fmt: skip


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("restitution", [0.0, 0.55, 1.0])
@pytest.mark.parametrize("build", [driven_slide, cam, crank, moving_ground])
def test_energy_balances_of_driven_mechanisms_close_in_impacts(build, restitution, friction):
    """To some hundred times the tolerance of the integration, 1e-11."""
    rng = np.random.default_rng(int(100 * restitution + 10 * friction))
    m = tb.Model("driven", gravity=(0, 0, -G))
    build(m, rng, restitution, friction)
    run = tb.simulate(m.compile(), duration=0.7, rtol=1e-11, atol=1e-13)
    assert any(event.name == "hit hits" for event in run.events)
    assert abs(run.energy_balance.residual) < 1e-8 * run.energy_balance.turnover
