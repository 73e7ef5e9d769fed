"""Rigid spheres on spheres: collisions, piles, and rolling off, against closed forms."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb

G = 9.81
PLACES = [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.6, -0.8, 0.0), (0.48, 0.6, -0.64), (0.0, 0.0, -1.0)]
BALL = {"mass": 1.0, "inertia": (0.004, 0.004, 0.004)}  # solid, 0.1 m


def two_balls(n: tuple[float, ...], **options: float) -> tb.System:
    """Ball b lies along n from ball a, 0.3 m between their centres; nothing pulls."""
    m = tb.Model("balls", gravity=(0, 0, 0))
    a, b = m.body("a", **BALL), m.body("b", **BALL)
    m.joint("a", tb.Free(), m.ground, a)
    m.joint("b", tb.Free(), m.ground, b, position=(*(0.3 * np.array(n)), 1, 0, 0, 0))
    m.contact("touch", tb.contact.SphereSphereContact(a, b, 0.1, 0.1, **options))
    return m.compile()


def motion(run: tb.Run, at: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Momentum, angular momentum about the origin, and velocities and spins along world axes."""
    P, L, found = np.zeros(3), np.zeros(3), {}
    for name in "ab":
        R = Rotation.from_quat([run[f"{name}.q{c}"][at] for c in "xyzw"]).as_matrix()
        p, v, w = (np.array([run[f"{name}.{x}{c}"][at] for c in "xyz"]) for x in ("", "v", "w"))
        P += R @ v
        L += np.cross(p, R @ v) + R @ (0.004 * w)
        found |= {f"v{name}": R @ v, f"w{name}": R @ w, f"p{name}": p}
    return P, L, found


@pytest.mark.parametrize("n", PLACES)
@pytest.mark.parametrize("how", ["located", "stepped"])
def test_a_rough_collision_in_any_direction_keeps_momenta_and_obeys_the_laws(
    n: tuple[float, ...], how: str
) -> None:
    """Head on with e = 0.5, and friction that slips, |p_t| = μ p_n against the slip."""
    system = two_balls(n, restitution=0.5, friction=0.1)
    side = np.cross(n, (0.36, 0.48, 0.8))
    v = 2.0 * np.array(n)
    spin = 30.0 * side / np.linalg.norm(side)
    rates = {f"a.v{c}": x for c, x in zip("xyz", v, strict=True)}
    rates |= {f"b.w{c}": x for c, x in zip("xyz", spin, strict=True)}
    start = system.assemble(rates=rates)
    if how == "located":
        run, near = tb.simulate(system, x0=start, duration=0.1), 1e-9
    else:  # a ball turns by 0.003 in a step, within which its axes are those of the middle
        run, near = (
            tb.simulate(system, method="moreau-jean", x0=start, duration=0.1, step=1e-4),
            1e-4,
        )
    before, after = motion(run, 0), motion(run, -1)
    np.testing.assert_allclose(after[0], before[0], atol=near)
    np.testing.assert_allclose(after[1], before[1], atol=near)
    impulse = after[2]["vb"]  # mass 1, at rest before
    p_n = float(impulse @ n)
    assert p_n == pytest.approx(0.5 * (1 + 0.5) * 2.0, rel=near)
    tangential = impulse - p_n * np.array(n)
    assert np.linalg.norm(tangential) == pytest.approx(
        0.1 * p_n, rel=1e-6 if how == "located" else 1e-2
    )
    slip = np.cross(spin, -0.1 * np.array(n))  # of b's surface over a's
    assert tangential @ slip == pytest.approx(
        -0.1 * p_n * np.linalg.norm(slip), rel=1e-6 if how == "located" else 1e-2
    )


def test_twelve_balls_on_each_other_bear_their_weight() -> None:
    m = tb.Model("tower", gravity=(0, 0, -G))
    below = m.body("ball 0", **BALL)
    m.joint("ball 0", tb.Free(), m.ground, below, position=(0, 0, 0.1, 1, 0, 0, 0))
    m.contact("0", tb.contact.SpherePlaneContact(below, radius=0.1, friction=0.5))
    count = 12
    for i in range(1, count):
        ball = m.body(f"ball {i}", **BALL)
        place = (0, 0, 0.1 + 0.2 * i, 1, 0, 0, 0)
        m.joint(f"ball {i}", tb.Free(), m.ground, ball, position=place)
        m.contact(f"{i}", tb.contact.SphereSphereContact(below, ball, 0.1, 0.1, friction=0.5))
        below = ball
    run = tb.simulate(m.compile(), method="moreau-jean", duration=0.02, step=1e-3)
    for i in range(count):
        np.testing.assert_allclose(run[f"{i} impulse"][1:] / 1e-3, (count - i) * G, rtol=1e-9)


def test_a_ball_that_slides_off_a_ball_leaves_it_where_two_thirds_say() -> None:
    """Without friction: cos θ = (2 + v²/(g R))/3 at R = r_a + r_b."""
    m = tb.Model("dome", gravity=(0, 0, -G))
    ball = m.body("ball", **BALL)
    m.joint(
        "free",
        tb.Free(),
        m.ground,
        ball,
        position=(0, 0, 0.6, 1, 0, 0, 0),
        velocity=(0.5,) + (0,) * 5,
    )
    m.contact("dome", tb.contact.SphereSphereContact(m.ground, ball, 0.5, 0.1))
    run = tb.simulate(m.compile(), duration=0.6)
    left = next(event for event in run.events if event.name == "dome opens")
    cosine = left.state["free.z"] / 0.6
    assert cosine == pytest.approx((2 + 0.25 / (G * 0.6)) / 3, abs=1e-8)
    assert abs(run.energy_balance.residual) < 1e-8


def test_a_ball_that_rolls_off_a_ball_leaves_it_where_ten_seventeenths_say() -> None:
    """cos θ = 10/17 for a solid ball that rolls from rest, with friction that never slips."""
    m = tb.Model("dome", gravity=(0, 0, -G))
    ball = m.body("ball", **BALL)
    tilt = 1e-3
    place = (0.6 * math.sin(tilt), 0, 0.6 * math.cos(tilt), 1, 0, 0, 0)
    m.joint("free", tb.Free(), m.ground, ball, position=place)
    m.contact("dome", tb.contact.SphereSphereContact(m.ground, ball, 0.5, 0.1, friction=1e4))
    run = tb.simulate(m.compile(), duration=3.0)
    left = next(event for event in run.events if event.name == "dome opens")
    assert left.state["free.z"] / 0.6 == pytest.approx(10 / 17, abs=1e-5)


def test_what_is_no_ball_is_refused() -> None:
    frame = tb.Frame("ground")
    with pytest.raises(tb.ModelError, match="SphereSphereContact: its radius_a is 0"):
        tb.contact.SphereSphereContact(frame, frame, 0, 1)
    with pytest.raises(tb.ModelError, match="friction: a number or an expression is expected"):
        tb.contact.SphereSphereContact(frame, frame, 1, 1, friction="rough")  # type: ignore[arg-type]
