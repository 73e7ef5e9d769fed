"""A yard of mechanisms with modes whose motions have closed forms, which tests of batches share: a
ball that bounces, a block that rubs, and a mark on an endless belt that a hook may catch."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import touchback as tb
from models_with_modes import G
from touchback.batch import BatchRun

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


def made() -> tb.Model:
    """A ball, a block and a mark beside each other: eight modes."""
    m = tb.Model("yard", gravity=(0, 0, -G))
    for part in (ball(), block(), mark()):
        m.add(part, name=part.name)
    return m


def arguments(yard: tb.System, given: Mapping[str, object]) -> tuple[np.ndarray, dict[str, Any]]:
    """States, and parameters and the push of each, so that one kernel serves all."""
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
    return x, {"parameters": own, "inputs": {"block/push": push}}


def run(yard: tb.System, on: str = "gpu", duration: float = 1.0, **given: object) -> BatchRun:
    """With what is given by name of a state, a parameter or the push: one for all or of each."""
    x, own = arguments(yard, given)
    return yard.batch(COUNT).run(x, duration, on=on, step=STEP, record=RECORD, **own)


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


def ending() -> dict[str, np.ndarray]:
    """Of four instances (1 to 4) one is set back 3.96 times a step, one ever faster, one is hooked
    1 cm off, and one asks for the root of what falls below zero."""
    given = {name: np.full(COUNT, value) for name, value in SETTINGS.items()}
    given |= {"mark/s rate": np.ones(COUNT), "ball/height": np.full(COUNT, 50.0)}
    given["mark/s rate"][[1, 4]], given["mark/faster"][4] = (126.72, 5.0), 1.2
    given["mark/hook"][2], given["mark/slack"][2] = 0.1, 0.01
    given["mark/patience"][3] = 0.3
    return given


def assert_closed_forms(given: Mapping[str, Any], ran: BatchRun) -> None:
    """Heights of bounces, stops, and ways of marks, of instances as `drawn`."""
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
