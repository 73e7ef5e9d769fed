"""Blows that pass on through bodies that touch: impacts one after the other."""

from itertools import pairwise

import numpy as np
import pytest

import touchback as tb
from touchback.contact import SpherePlaneContact, SphereSphereContact

R = 0.05


def row_of_balls(
    speeds: list[float], masses: list[float] | None = None, e: float = 1.0
) -> tuple[tb.System, dict[str, tb.contact.ContactKind]]:
    """Balls that touch on a line, each with its speed."""
    m = tb.Model("row", gravity=(0, 0, 0))
    balls = [m.body(f"b{i}", mass) for i, mass in enumerate(masses or [1.0] * len(speeds))]
    for i, (ball, speed) in enumerate(zip(balls, speeds, strict=True)):
        m.joint(f"x{i}", tb.Prismatic("x"), m.ground, ball, position=2 * R * i, velocity=speed)
    contacts: dict[str, tb.contact.ContactKind] = {
        f"c{i}": SphereSphereContact(a, b, R, R, restitution=e)
        for i, (a, b) in enumerate(pairwise(balls))
    }
    return m.compile(), contacts


def after(run: tb.Run, count: int) -> np.ndarray:
    return np.array([run[f"x{i} rate"][-1] for i in range(count)])


def struck(speeds: list[float], law: str, **given: object) -> np.ndarray:
    system, contacts = row_of_balls(speeds, **given)  # type: ignore[arg-type]
    run = tb.simulate(system, duration=1e-3, contacts=contacts, impacts=law)
    return after(run, len(speeds))


@pytest.mark.parametrize(
    ("speeds", "expected"),
    [
        ([1, 0, 0, 0, 0], [0, 0, 0, 0, 1]),
        ([1, 1, 0, 0, 0], [0, 0, 0, 1, 1]),
        ([1, 1, 1, 1, 0], [0, 1, 1, 1, 1]),
        ([1, 0, 0, 0, -1], [-1, 0, 0, 0, 1]),
        ([1, 0, 0, 0, -2], [-2, 0, 0, 0, 1]),
        ([2, 1, 0], [0, 1, 2]),
    ],
)
def test_as_many_balls_of_a_cradle_leave_as_have_come(
    speeds: list[float], expected: list[float]
) -> None:
    """Equal elastic balls exchange their speeds: those that come out are those that went in, in the
    order of their speeds."""
    np.testing.assert_allclose(struck(speeds, "sequential"), expected, atol=1e-12)


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_the_other_laws_let_all_contacts_that_touch_act_at_once(law: str) -> None:
    """Each contact that wasn't approached stays closed: 4 balls of 1 kg are one of 4 kg."""
    found = struck([1, 0, 0, 0, 0], law)
    np.testing.assert_allclose(found, [-0.6, 0.4, 0.4, 0.4, 0.4], atol=1e-12)


@pytest.mark.parametrize(("ratio", "e"), [(0.5, 1.0), (0.9, 1.0), (0.5, 0.8), (0.3, 0.4)])
def test_a_blow_passes_through_balls_of_falling_mass(ratio: float, e: float) -> None:
    """Mass by mass m_{i+1} = r m_i: each passes on (1 + e)/(1 + r) of the speed that it got and
    keeps (1 − e r)/(1 + r); with e ≥ r none catches up with the next."""
    count = 6
    masses = [2.0 * ratio**i for i in range(count)]
    got = ((1 + e) / (1 + ratio)) ** np.arange(count)
    expected = np.append((1 - e * ratio) / (1 + ratio) * got[:-1], got[-1])
    found = struck([1.0] + [0.0] * (count - 1), "sequential", masses=masses, e=e)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_any_balls_keep_momentum_and_energy_and_part(seed: int) -> None:
    """Of e = 1 all energy, else no more than there was; nothing approaches afterwards."""
    random = np.random.default_rng(seed)
    count = int(random.integers(3, 8))
    masses = list(random.uniform(0.2, 3.0, count))
    speeds = list(random.uniform(-1.0, 1.0, count))
    e = 1.0 if seed % 2 else float(random.uniform(0.3, 0.95))
    system, contacts = row_of_balls(speeds, masses, e)
    run = tb.simulate(system, duration=1e-3, contacts=contacts, impacts="sequential")
    found = after(run, count)
    assert np.dot(masses, found) == pytest.approx(np.dot(masses, speeds), abs=1e-12)
    kept = np.dot(masses, found**2) / np.dot(masses, np.square(speeds))
    assert kept == pytest.approx(1.0, abs=1e-12) if e == 1.0 else 0.0 < kept < 1.0
    assert np.diff(found).min() > -1e-8
    assert abs(run.energy_balance.residual) < 1e-12
    assert min(run.energy_balance.impacts.values()) > -1e-12  # no contact gives any


def test_a_small_ball_on_a_large_one_is_thrown_high() -> None:
    """Both fall, the large one turns on the floor and meets the small one: (3 M − m)/(M + m) v
    (Harter 1971, Velocity amplification in collision experiments, Am. J. Phys. 39)."""
    m = tb.Model("stack", gravity=(0, 0, -9.81))
    large, small = m.body("large", 0.6), m.body("small", 0.06)
    drop = 1.0
    m.joint("z0", tb.Prismatic("z"), m.ground, large, position=R + drop)
    m.joint("z1", tb.Prismatic("z"), m.ground, small, position=3 * R + drop)
    contacts: dict[str, tb.contact.ContactKind] = {
        "floor": SpherePlaneContact(large, m.ground, R, restitution=1.0, tangents=""),
        "balls": SphereSphereContact(large, small, R, R, restitution=1.0),
    }
    run = tb.simulate(m.compile(), duration=0.5, contacts=contacts, impacts="sequential")
    hit = next(event for event in run.events if event.name == "balls hits")
    v = np.sqrt(2 * 9.81 * drop)
    assert hit.after is not None
    assert hit.after["z1 rate"] == pytest.approx((3 * 0.6 - 0.06) / 0.66 * v, rel=1e-9)


def test_a_hanging_cradle_swings_to_its_first_height_on_the_other_side() -> None:
    m = tb.Model("cradle", gravity=(0, 0, -9.81))
    count, balls = 4, []
    for i in range(count):
        balls.append(m.body(f"b{i}", 0.3))
        hook = m.ground.at(2 * R * i, 0, 1.0)
        swing = tb.Revolute("y")
        m.joint(f"q{i}", swing, hook, balls[-1].at(0, 0, 1.0), position=0.4 * (i == 0))
    contacts = {
        f"c{i}": SphereSphereContact(a, b, R, R, restitution=1.0)
        for i, (a, b) in enumerate(pairwise(balls))
    }
    run = tb.simulate(m.compile(), duration=1.1, contacts=contacts, impacts="sequential")
    assert [event.name for event in run.events if event.name.endswith("hits")][:3] == [
        "c0 hits", "c1 hits", "c2 hits",
    ]  # fmt: skip
    far = np.abs(run["q3"]).argmax()
    assert abs(run["q3"][far]) == pytest.approx(0.4, abs=1e-4)
    assert max(abs(run[f"q{i}"][far]) for i in range(3)) < 1e-6
