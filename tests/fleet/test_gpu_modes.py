"""Modes on a graphics card: the processor's own C code, compiled for the card, finds and takes the
transitions of each instance within its steps. Without a card texts are compiled as C++
(`host_card`). One yard serves most tests, so that its kernel is compiled once."""

import re

import numpy as np
import pytest

import touchback as tb
from models_with_modes import G, bead_on_dome, block_on_belt, pegged_pendulum, striking_rods
from touchback.fleet import BatchRun
from touchback.fleet.gpu import modes_on_card, on_card

pytestmark = pytest.mark.usefixtures("card")
COUNT, STEP, WEIGHT = 12, 2.0**-7, 2.0 * G
FAR = 1e3  # where nothing comes within a run
RECORD = ["ball/height", "block/x", "block/grip", "mark/s", "mark/s rate"]
SETTINGS = {
    "ball/restitution": 0.8, "block/friction": 0.5, "mark/length": 0.25, "mark/faster": 1.0,
    "mark/hook": FAR, "mark/slack": 0.0, "mark/patience": FAR,
}  # fmt: skip


def ball() -> tb.Model:
    """It falls, bounces, and comes to lie on the floor."""
    m = tb.Model("ball")
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0), position=1.0)
    height, restitution = m.coordinate("height"), m.parameter("restitution", 0.8)
    m.constrain("floor", height, unit="m")
    m.mode("flight")
    m.mode("rest", active=["floor"])
    m.transition(
        "bounce", "flight", "flight", when=height, impact=["floor"], restitution=restitution,
        rest="rest",
    )  # fmt: skip
    return m


def block() -> tb.Model:
    """It slides until dry friction holds it, as long as that is stronger than the push."""
    m = tb.Model("block")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=2.0), velocity=1.0)
    push, friction = m.input("push", unit="N"), m.parameter("friction", 0.5) * WEIGHT
    m.constrain("grip", velocity=m.rate("x"))
    grip = m.sensor("grip", tb.Multiplier("grip"))
    m.mode("slides")
    m.mode("sticks", active=["grip"])
    m.transition("stop", "slides", "sticks", when=m.rate("x"))
    m.transition("break away", "sticks", "slides", when=friction + grip)
    m.force("forces", tb.JointEffort("x", push - tb.select(m.signal("mode"), 0.0, friction)))
    return m


def mark() -> tb.Model:
    """A mark on an endless belt, set back at the end of its length unless it is hooked before."""
    m = tb.Model("mark")
    m.joint("s", tb.Prismatic("x"), m.ground, m.body("mark", mass=1.0), velocity=1.0)
    s, length, faster = m.coordinate("s"), m.parameter("length", 0.25), m.parameter("faster", 1.0)
    hook, slack = m.parameter("hook", FAR), m.parameter("slack", 0.0)
    m.constrain("hook", s - hook, unit="m")
    m.mode("runs")
    m.mode("hooked", active=["hook"])
    m.transition("catch", "runs", "hooked", when=hook + slack - s)
    back = {"q:s": s - length, "v:s": faster * m.rate("s")}
    m.transition("set back", "runs", None, when=length - s, reset=back)
    left = m.parameter("patience", FAR) - m.time
    m.transition("tire", "runs", None, when=tb.sqrt(left) + 1.0, reset={"q:s": 0.0})
    return m


@pytest.fixture(autouse=True)
def short_launches(monkeypatch) -> None:
    """Of 16 steps: what an instance remembers comes along from one to the next."""
    monkeypatch.setattr(on_card, "_A_PART", 0.0)


@pytest.fixture(scope="module")
def yard() -> tb.System:
    m = tb.Model("yard", gravity=(0, 0, -G))
    for part in (ball(), block(), mark()):
        m.add(part, name=part.name)
    return m.compile()


def run(yard: tb.System, on: str = "gpu", duration: float = 1.0, **given: object) -> BatchRun:
    """All parameters and the push of each, so that one kernel serves all."""
    x = np.tile(yard.initial_state().x, (COUNT, 1))
    own = {name: np.full(COUNT, value) for name, value in SETTINGS.items()}
    push = np.zeros(COUNT)
    for name, values in given.items():
        target = own.get(name)
        if name == "block/push":
            target = push
        elif target is None:
            target = x[:, yard.state_names.index(name)]
        target[:] = values
    settings = {"step": STEP, "record": RECORD, "parameters": own, "inputs": {"block/push": push}}
    return yard.batch(COUNT).run(x, duration, on=on, **settings)


def drawn() -> dict[str, object]:
    """Instances at random, some of which begin resting, sticking or hooked."""
    draw = np.random.default_rng(11)
    given: dict[str, object] = {
        "ball/restitution": draw.uniform(0.3, 0.9, COUNT),
        "ball/height": draw.uniform(0.2, 1.5, COUNT),
        "block/x rate": draw.uniform(0.5, 2.0, COUNT),
        "block/friction": draw.uniform(0.2, 0.6, COUNT),
        "block/push": draw.uniform(-1.0, 1.0, COUNT),
        "mark/s rate": draw.uniform(0.5, 2.0, COUNT),
        "mark/length": draw.uniform(0.2, 0.6, COUNT),
        "mark/hook": np.where(np.arange(COUNT) % 3 == 2, 0.15, FAR),
    }
    for name in ("ball/mode", "block/mode", "mark/mode"):
        given[name] = np.zeros(COUNT)
    given["ball/mode"][0], given["ball/height"][0] = 1.0, 0.0
    given["block/mode"][1:4], given["block/x rate"][1:4] = 1.0, 0.0
    given["block/push"][2] = 20.0  # N: breaks away at once
    given["mark/mode"][5], given["mark/s"] = 1.0, np.where(np.arange(COUNT) == 5, 0.15, 0.0)
    given["mark/s rate"][[4, 5]] = 0.0  # which isn't set back in any run
    return given


def test_each_instance_has_the_bits_of_a_run_of_its_own(yard) -> None:
    ran, usual = (run(yard, on, **drawn()) for on in ("gpu", "cpu"))
    assert ran.card and ran.whole.all() and usual.whole.all()
    assert np.array_equal(ran.record, usual.record) and np.array_equal(ran.x, usual.x)
    assert len(np.unique(ran.x[:, -3:], axis=0)) > 3  # they end in different modes


def test_heights_stops_and_ways_are_those_of_closed_forms(yard) -> None:
    given, ran = drawn(), run(yard, **drawn())
    for i in range(COUNT):
        e, h = given["ball/restitution"][i], given["ball/height"][i]
        # an instant is found to 1e-14 of a step, and each bounce shorter than 1e-3 steps is taken
        # before it is due; what they leave is far below
        assert np.abs(ran["ball/height"][i] - _bounced(ran.time, h, e)).max() < 1e-9
        own = {name.partition("/")[2]: each[i] for name, each in given.items() if "block" in name}
        assert np.abs(ran["block/x"][i] - _slid(ran.time, **_named(own))).max() < 1e-12
        v, length, hook = (given[f"mark/{name}"][i] for name in ("s rate", "length", "hook"))
        way = given["mark/s"][i] + v * ran.time
        off = ran["mark/s"][i] - np.where(way < hook, way, hook)
        turns = off / length if hook == FAR else off
        assert np.abs(turns - np.round(turns)).max() < 1e-12
        assert ran["mark/s"][i].max() <= length + 1e-12


def _named(given: dict[str, float]) -> dict[str, float]:
    return {name.replace("x rate", "speed"): each for name, each in given.items()}


def _bounced(times: np.ndarray, height: float, restitution: float) -> np.ndarray:
    """A ball that falls from a height, and rebounds with e times its speed; it lies in the end."""
    speed = np.sqrt(2.0 * G * height)
    since, up = -speed / G, speed  # as if it had been thrown before
    found = np.zeros(len(times))
    while up > 1e-6:
        t = times - since
        found = np.where((t >= 0.0) & (t <= 2.0 * up / G), up * t - 0.5 * G * t**2, found)
        since, up = since + 2.0 * up / G, restitution * up
    return found


def _slid(times: np.ndarray, speed: float, friction: float, push: float, mode: float) -> np.ndarray:
    """A block of 2 kg: it slows down evenly and stays, or goes ever faster."""
    faster = push / 2.0 - friction * G
    if mode and faster < 0.0:
        return np.zeros(len(times))
    t = np.minimum(times, -speed / faster) if faster < 0.0 else times
    return speed * t + 0.5 * faster * t**2


def test_a_cause_may_be_met_exactly_at_a_step_and_twice_within_one(yard) -> None:
    """Of 1/4 m, at 1 m/s every 32nd step, and at 64 m/s in the middle and at the end of each."""
    speeds = np.where(np.arange(COUNT) % 2, 1.0, 64.0)
    ran = run(yard, duration=0.5, **{"mark/s rate": speeds})
    assert np.array_equal(ran["mark/s"][1], ran.time % 0.25)
    turns = ran["mark/s"][0] / 0.25  # bounces of the ball part its steps, which rounds
    assert np.abs(turns - np.round(turns)).max() < 1e-12 and np.abs(turns).max() < 1.0 + 1e-12
    assert np.array_equal(ran["mark/s rate"], np.broadcast_to(speeds[:, None], ran["mark/s"].shape))


def test_instances_that_modes_end_are_told_of_and_the_others_do_not_notice(yard) -> None:
    """One is set back 3.96 times a step, one ever faster, one is hooked 1 cm off, and one asks for
    the root of what falls below zero."""
    given = {name: np.full(COUNT, value) for name, value in SETTINGS.items()}
    given |= {"mark/s rate": np.ones(COUNT), "ball/height": np.full(COUNT, 50.0)}
    given["mark/s rate"][[1, 4]], given["mark/faster"][4] = (126.72, 5.0), 1.2
    given["mark/hook"][2], given["mark/slack"][2] = 0.1, 0.01
    given["mark/patience"][3] = 0.3
    with pytest.warns(RuntimeWarning, match="yard: 4 of 12 instances ended early by"):
        ran = run(yard, **given)
    usual = run(yard, "cpu", **given)
    assert list(ran.failed) == [1, 2, 3, 4] == list(usual.failed)
    assert np.array_equal(ran.record, usual.record, equal_nan=True)
    assert np.array_equal(ran.x, usual.x) and np.array_equal(ran.ended, usual.ended)
    # crowds, 64 within 16 steps, are looked for every 64 steps; 0.05 s / (1 − 1/1.2) are 38.4 steps
    assert ran.ended[1] == 64 * STEP and ran.ended[4] == 38 * STEP
    told = ("times within", "mode '.*mark/hooked.*' can't begin.* by 0.01 m",
            "`when` of transition 'mark/tire' isn't a number", "times within")  # fmt: skip
    for i, why in enumerate(told, 1):
        assert re.search(why, ran.reasons[i]) and re.search(why, usual.reasons[i])


def test_a_mode_that_is_not_there_is_refused(yard) -> None:
    with pytest.raises(tb.InputError, match="'block/mode' is 2 in this state"):
        run(yard, **{"block/mode": np.where(np.arange(COUNT) == 7, 2.0, 0.0)})


def test_a_pendulum_winds_on_its_peg_by_semi_implicit_steps_with_a_memory() -> None:
    """Which coordinate depends on the other changes on the way and is remembered from launch to
    launch. The string is long on one side and short on the other, whatever the method."""
    m = pegged_pendulum()
    m.memory("ticks", update=lambda before: before + 1.0)
    system, given = m.compile(), {"step": 1e-3, "rate": 500.0, "method": "euler"}
    given["record"] = [z, x, mode] = ["bob.z", "bob.x", "mode"]
    first = [system.assemble({z: -0.28, x: -0.96}).x, system.assemble({z: -0.8, x: -0.6}).x]
    ran, usual = (system.batch(2).run(first, 1.5, on=on, **given) for on in ("gpu", "cpu"))
    assert ran.card and np.array_equal(ran.x, usual.x) and np.array_equal(ran.record, usual.record)
    short = ran[mode] == 1.0
    assert np.array_equal(short, ran[x] > 0.0) and 100 < short[0].sum() < 1400
    ends = np.where(short, np.hypot(ran[x], ran[z] + 0.4) - 0.6, np.hypot(ran[x], ran[z]) - 1.0)
    assert np.abs(ends).max() < 1e-12
    assert np.array_equal(ran.last("ticks"), [750.0, 750.0])


def test_modes_that_no_thread_has_room_for_run_on_the_processor(yard, monkeypatch) -> None:
    monkeypatch.setattr(modes_on_card, "MOST_BYTES", 1000)
    with pytest.warns(RuntimeWarning, match="its modes need .* kB of memory an instance"):
        assert not run(yard, duration=STEP).card


@pytest.mark.soak
@pytest.mark.parametrize(
    ("model", "constraints"),
    [
        (striking_rods("newton"), "partitioning"), (striking_rods("poisson"), "partitioning"),
        (bead_on_dome(), "multipliers"), (bead_on_dome(), "baumgarte"),
        (block_on_belt(), "projection"),
    ],
    ids=lambda each: getattr(each, "name", each),
)  # fmt: skip
def test_laws_of_impact_and_ways_to_keep_constraints_are_those_of_the_processor(
    model, constraints
) -> None:
    system, given = model.compile(), {"step": 1e-3, "constraints": constraints}
    ran, usual = (system.batch(2).run(None, 0.8, on=on, **given) for on in ("gpu", "cpu"))
    assert ran.card and np.array_equal(ran.record, usual.record)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["bouncing-hammer", "harpsichord", "omni-wheel", "piano-modes"])
def test_every_mechanism_with_modes_of_the_gallery_runs_on_the_card(name) -> None:
    """Its sensors are read from where a step left it, on the processor from all steps' end."""
    system, step = tb.gallery.make(name).compile(), 2e-4
    ran, usual = (system.batch(2).run(None, 400 * step, on=on, step=step) for on in ("gpu", "cpu"))
    assert np.array_equal(ran.x, usual.x)
    assert np.allclose(ran.record, usual.record, rtol=1e-9, atol=1e-9)
