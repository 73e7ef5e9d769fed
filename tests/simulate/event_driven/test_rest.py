"""Impacts that alternate among contacts ever faster: they end, and nothing sinks into a floor."""

import math
from itertools import product

import mujoco
import numpy as np
import pytest

import touchback as tb
from rigid_drops import Drop, G, block, box, check, flat, gaps_of, polygon, rests

SLENDER = (0.1, 0.2)  # half width, half height [m]
ALL_BLOCKS = list(product((0.0, 0.4), (0.0, 0.2, 0.5, 0.9, 1.4, 2.0), (1, 2, 3, 4), (0.05, -0.12)))
SOME_BLOCKS = [
    (0.0, 0.9, 1, -0.12, "newton"), (0.4, 0.2, 3, 0.05, "newton"), (0.0, 0.5, 3, 0.05, "poisson"),
]  # fmt: skip


def stands(drop: Drop, run: tb.Run, corners: int) -> None:
    """What has come to rest lies on corners; what hasn't yet has at least one on the floor."""
    touching = int((np.abs(gaps_of(drop, run)[:, -1]) < 1e-9).sum())
    assert touching == corners if rests(drop, run) else touching >= 1


# ---- the rocking block ---------------------------------------------------------------------------


def test_a_block_that_rocks_to_rest_stands_on_the_floor() -> None:
    """Its corners hit in turn, ever faster: infinitely many impacts in a finite time."""
    b, h = SLENDER
    corners = [(-b, -h), (b, -h)]
    drop = flat(corners, 0.0065, (0.207, 0.05), friction=0.9)
    run = drop.run(3.0)
    check(drop, run)
    assert run["body.z"][-1] == pytest.approx(h, abs=1e-12)
    assert run["body.turn"][-1] == pytest.approx(0.0, abs=1e-12)
    assert sum(run[f"c{i} force"][-1] for i in (0, 1)) == pytest.approx(G, rel=1e-9)
    assert any(event.name.endswith(" rests") for event in run.events)


@pytest.mark.parametrize(("e", "mu", "slenderness", "turn", "law"), SOME_BLOCKS)
def test_blocks_come_to_rest(e: float, mu: float, slenderness: int, turn: float, law: str) -> None:
    drop = block(0.1, 0.1 * slenderness, turn, restitution=e, friction=mu)
    run = drop.run(2.0, impacts=law)
    check(drop, run)
    stands(drop, run, 2)


@pytest.mark.parametrize(
    "half",
    [10.0, pytest.param(1e-3, marks=pytest.mark.soak), pytest.param(100.0, marks=pytest.mark.soak)],
)
def test_blocks_of_any_size_come_to_rest_before_rounding_tells_their_flights(half: float) -> None:
    """Flights of `rest` rise by g rest²/8 = 1e-16 m, far less than positions of 10 m are rounded:
    two corners would hit in turn for ever."""
    drop = block(half, half, 0.2, above=2e-4 * half, restitution=0.5, friction=0.5)
    run = drop.run(0.9 * np.sqrt(half), event_limit=1000)
    assert gaps_of(drop, run).min() > -1e-9
    assert rests(drop, run)
    assert run["body.z"][-1] == pytest.approx(half, rel=1e-12)
    assert abs(run.energy_balance.residual) < G * (1e-9 + 1e-9 * half)  # touching is within 1e-9 m


@pytest.mark.parametrize("mu", [0.3, 0.5, 1.0])
def test_two_corners_that_poissons_law_gives_back_at_once_come_to_rest(mu: float) -> None:
    """What compression leaves of their speeds is rounding: the second part has to end there."""
    drop = block(0.1, 0.1, 0.2, restitution=0.2, friction=mu)
    run = drop.run(1.5, impacts="poisson")
    check(drop, run)
    assert rests(drop, run)
    assert run["body.z"][-1] == pytest.approx(0.1, abs=1e-12)
    assert run.metadata["diagnostics"] == []


@pytest.mark.soak
@pytest.mark.parametrize(("e", "mu", "slenderness", "turn"), ALL_BLOCKS)
def test_all_blocks_come_to_rest(e: float, mu: float, slenderness: int, turn: float) -> None:
    drop = block(0.1, 0.1 * slenderness, turn, restitution=e, friction=mu)
    run = drop.run(3.0 if slenderness < 4 else 6.0)
    check(drop, run)
    assert rests(drop, run)
    stands(drop, run, 2)


def test_a_slender_block_rocks_with_housners_period_and_loss() -> None:
    """Housner (1963), The behavior of inverted pendulum structures during earthquakes, Bull. Seism.
    Soc. Am. 53: a quarter of the period is acosh(1/(1 − θ₀/α))/p with p² = m g R/I₀, and at each
    impact the turning speed keeps the part 1 − (m R²/I₀)(1 − cos 2α)."""
    b, h, angle = 0.05, 1.0, 0.02
    R, alpha = np.hypot(b, h), np.arctan2(b, h)
    I0 = (b * b + h * h) / 3 + R * R
    drop = block(b, h, angle, above=0.0, friction=2.0)
    run = drop.run(3.2, rtol=1e-10, atol=1e-12)
    hits = [event for event in run.events if event.name.endswith(" hits")]
    part = 1 - R * R / I0 * (1 - np.cos(2 * alpha))
    assert len(hits) >= 4
    for hit in hits[:4]:
        assert hit.after is not None
        assert hit.after["body.turn rate"] / hit.state["body.turn rate"] == pytest.approx(
            part, rel=1e-7
        )
    p, after = np.sqrt(G * R / I0), part * abs(hits[0].state["body.turn rate"])
    small = alpha**2 / 2  # what he leaves out of sin and cos
    assert hits[0].time == pytest.approx(np.arccosh(1 / (1 - angle / alpha)) / p, rel=small)
    half = 2 * np.arctanh(after / (p * alpha)) / p  # his equation from the upright position
    assert hits[1].time - hits[0].time == pytest.approx(half, rel=small)


def test_a_block_ends_where_time_stepping_and_mujoco_end() -> None:
    drop = block(*SLENDER, 0.12, friction=0.9)
    run = drop.run(2.5)
    stepped = tb.simulate(
        drop.system, drop.start, 2.5, method="moreau-jean", contacts=drop.corners, step=1e-4
    )
    for name, near in (("body.z", 1e-6), ("body.turn", 1e-6), ("body.x", 1e-2)):
        assert run[name][-1] == pytest.approx(stepped[name][-1], abs=near)
    box_height = fallen_box(
        (0.1, 0.1, 0.2), (0, 0, float(run["body.z"][0])), (np.cos(0.06), 0, np.sin(0.06), 0)
    )
    assert run["body.z"][-1] == pytest.approx(box_height, abs=1e-3)


def fallen_box(half: tuple[float, ...], where: object, turn: object) -> float:
    """The height at which a box comes to rest in MuJoCo, whose floor is soft."""
    words = {k: " ".join(f"{x:.17g}" for x in np.ravel(v)) for k, v in
             {"half": half, "where": where, "turn": turn}.items()}  # fmt: skip
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='5 5 1'/>"
        f"<body pos='{words['where']}' quat='{words['turn']}'><freejoint/>"
        f"<geom type='box' size='{words['half']}' mass='1' friction='0.9'/></body>"
        "</worldbody></mujoco>"
    )
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 6000)
    assert np.abs(data.qvel).max() < 1e-3
    return float(data.qpos[2])


# ---- polygons and boxes --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [12, 17, 39, 51])
def test_thrown_polygons_lie_on_a_side(seed: int) -> None:
    drop = polygon(seed)
    run = drop.run(2.0)
    check(drop, run)
    stands(drop, run, 2)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(80))
def test_all_thrown_polygons_lie_on_a_side(seed: int) -> None:
    drop = polygon(seed)
    run = drop.run(2.0)
    check(drop, run)
    stands(drop, run, 2)


@pytest.mark.parametrize(("seed", "tilted"), [(0, False), (6, True)])
def test_boxes_lie_on_four_of_eight_corners(seed: int, tilted: bool) -> None:
    """Three would be enough: what the fourth bears is open, and it must neither pull nor sink."""
    drop = box(seed, tilted)
    run = drop.run(1.0)
    check(drop, run)
    stands(drop, run, 4)
    turn = [run[f"body.{name}"][0] for name in ("qw", "qx", "qy", "qz")]
    height = fallen_box((0.1, 0.07, 0.05), (0, 0, 0.14), turn)
    assert run["body.z"][-1] == pytest.approx(0.05, abs=1e-12)
    assert run["body.z"][-1] == pytest.approx(height, abs=1e-3)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(32))
def test_all_boxes_lie_on_four_of_eight_corners(seed: int) -> None:
    drop = box(seed, tilted=seed % 4 > 0)
    run = drop.run(2.0)
    check(drop, run)
    stands(drop, run, 4)
    assert min(abs(run["body.z"][-1] - half) for half in (0.1, 0.07, 0.05)) < 1e-9


# ---- nothing is overlooked -----------------------------------------------------------------------


def glider(gap: object, **given: float) -> tuple[tb.System, dict[str, tb.contact.ContactKind]]:
    """A body that goes along x at 1 m/s and meets a wall."""
    m = tb.Model("glider", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("body", 1.0), velocity=1.0)
    wall = tb.contact.DescribedContact(gap(m.coordinate("x")), **given)  # type: ignore[operator]
    return m.compile(), {"wall": wall}


def test_a_gap_that_closes_and_opens_within_a_part_of_a_step_is_not_missed() -> None:
    """Below zero for 2 ms; a step of 0.1 s is looked at every 12.5 ms."""
    system, wall = glider(lambda x: (x - 5.003) ** 2 - 1e-6)
    run = tb.simulate(system, contacts=wall, duration=10.0)
    assert run["x"][-1] == pytest.approx(5.002, abs=1e-10)
    assert run["wall gap"].min() > -1e-12


def test_a_gap_that_closes_at_an_instant_that_is_recorded_is_found() -> None:
    """A wall a micrometre thin: its face is at 0.5 − 1e-6 √ln 2 m, where 2 exp(−s²) = 1."""
    system, wall = glider(lambda x: 1 - 2 * tb.exp(-(((x - 0.5) / 1e-6) ** 2)))
    run = tb.simulate(system, contacts=wall, duration=1.0, output_step=0.1)
    (hit,) = run.events
    assert hit.name == "wall hits"
    assert run["x"][-1] == pytest.approx(0.5 - 1e-6 * math.sqrt(math.log(2.0)), abs=1e-13)
    assert run["wall gap"].min() > -1e-9


def test_flights_too_short_to_be_seen_are_not_made() -> None:
    """A ball that is hardly thrown up stays: `rest` says from when on."""
    m = tb.Model("ball", gravity=(0, 0, -G))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("ball", 0.4), velocity=1e-6)
    floor = {"floor": tb.contact.DescribedContact(m.coordinate("z"), restitution=1.0)}
    run = tb.simulate(m.compile(), contacts=floor, duration=0.1, rest=1e-6)
    assert [event.name for event in run.events] == ["floor rests", "floor closes"]
    assert np.abs(run["z"]).max() == 0.0
    assert run.energy_balance.impacts["floor"] == pytest.approx(0.5 * 0.4 * 1e-12)
