"""Rigid contacts as part of a model: in Python, in files, in parts, and in runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.model.io import model_from_text, model_schema, to_text

BELT = """
touchback: 1
name: belt
parameters:
  speed: {default: 0.4, unit: m/s}
  grip: {default: 0.5}
bodies:
  cart: {}
  block: {mass: 2}
joints:
  x: {kind: prismatic, axis: x, parent: ground, child: cart, velocity: 0.4, spring: 80}
  z: {kind: prismatic, axis: z, parent: cart, child: block}
contacts:
  belt:
    kind: described
    gap_between: "'q:z'"
    slip_speed: "'v:x' - speed"
    friction: 0.3
    static_friction: grip
"""

BALL = """
touchback: 1
name: ball
bodies:
  ball: {mass: 0.2}
joints:
  z: {kind: prismatic, axis: z, parent: ground, child: ball, position: 0.5}
contacts:
  floor: {kind: sphere-plane, frame: ball, radius: 0.02, restitution: 0.8}
"""


def described_belt() -> tb.Model:
    m = tb.Model("belt")
    speed, grip = m.parameter("speed", 0.4, unit="m/s"), m.parameter("grip", 0.5)
    cart, block = m.body("cart"), m.body("block", mass=2)
    m.joint("x", tb.Prismatic("x"), m.ground, cart, velocity=0.4, spring=80)
    m.joint("z", tb.Prismatic("z"), cart, block)
    slip = m.rate("x") - speed
    belt = tb.contact.DescribedContact(m.coordinate("z"), slip, friction=0.3, static_friction=grip)
    m.contact("belt", belt)
    return m


def test_a_file_gives_what_python_gives() -> None:
    m, read = described_belt(), model_from_text(BELT)
    assert to_text(m) == to_text(read)
    runs = [tb.simulate(each.compile(), duration=1.5) for each in (m, read)]
    assert [event.name for event in runs[0].events][-1] == "belt slips"
    np.testing.assert_array_equal(runs[0]["x"], runs[1]["x"])
    harder = tb.simulate(read.compile(), duration=1.5, parameters={"grip": 0.6})
    assert harder.events[2].time > runs[0].events[2].time + 0.01  # live: it sticks longer


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_every_kind_is_written_and_read(suffix: str, tmp_path: Path) -> None:
    m = described_belt()
    block, wall = tb.Frame("block"), m.ground.at(1, 0, 0, turn=("y", 1.5))
    options = {"restitution": 0.5, "friction": 0.2}
    m.contact(
        "wall",
        tb.contact.SpherePlaneContact(block, wall, 0.1, tangents="x", rolling=1e-3, **options),
    )
    m.contact("coin", tb.contact.DiscPlaneContact(block, radius=0.3, **options))
    m.save(tmp_path / f"model{suffix}")
    again = tb.read(tmp_path / f"model{suffix}")
    assert list(again.contacts) == ["belt", "wall", "coin"]
    assert again.contacts["wall"] == m.contacts["wall"]
    assert again.contacts["coin"] == m.contacts["coin"]
    assert to_text(again) == to_text(m)
    assert "SpherePlaneContact" in str(model_schema())


def test_both_ways_of_running_take_a_model_s_own_contacts() -> None:
    system = model_from_text(BALL).compile()
    located = tb.simulate(system, duration=1.0)
    stepped = tb.simulate(system, method="moreau-jean", duration=1.0, step=1e-4)
    assert located["floor gap"].min() > -1e-12 and stepped["floor gap"].min() > -1e-3
    fall = np.sqrt(2 * 0.48 / 9.81)
    assert located.events[0].time == pytest.approx(fall, abs=1e-10)
    again = tb.contact.SpherePlaneContact(tb.Frame("ball"), radius=0.02, restitution=0.0)
    dead = tb.simulate(system, contacts={"floor": again}, duration=1.0)
    assert dead["z"][-1] == pytest.approx(0.02)  # one given by name stands in for the model's


def test_a_part_brings_its_contacts() -> None:
    whole = tb.Model("whole")
    for name, x, z in (("low", 0, 0.0), ("high", 1, 3.0)):
        whole.add(model_from_text(BALL), at=whole.ground.at(x, 0, z), name=name)
    system = whole.compile()
    run = tb.simulate(system, duration=0.5)
    assert {event.name for event in run.events} == {"low/floor hits", "high/floor hits"}
    assert to_text(model_from_text(to_text(whole))) == to_text(whole)


def test_runs_that_know_no_contacts_say_so() -> None:
    system = model_from_text(BALL).compile()
    for run in (lambda: tb.simulate(system, method="rk4"), lambda: tb.live(system, rate=1000)):
        with pytest.raises(tb.InputError, match="knows nothing of its rigid contacts 'floor'"):
            run()
    bare = tb.Model("bare")
    bare.body("b", mass=1)
    bare.joint("z", tb.Prismatic("z"), bare.ground, "b")
    plain = bare.compile()
    for method in ("event-driven", "moreau-jean"):
        with pytest.raises(tb.InputError, match="Model 'bare' describes no rigid contacts; add"):
            tb.simulate(plain, method=method)
        with pytest.raises(tb.InputError, match="contacts are given by name"):
            given: Any = [tb.contact.SpherePlaneContact(tb.Frame("b"))]
            tb.simulate(plain, method=method, contacts=given)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("sphere-plane", "sphere-plan", "did you mean 'sphere-plane'"),
        ("restitution: 0.8", "restitution: 1.8", "its restitution is 1.8; it lies between"),
        ("restitution: 0.8", "bounce: 0.8", "there is no such key here"),
        ("radius: 0.02", "radius: big", "there is no name 'big'"),
        ("radius: 0.02", "radius: -1", "its radius is -1"),
        ("frame: ball", "frame: bal", "there is no body 'bal'"),
        ("frame: ball, ", "", "its `frame` is missing"),
    ],
)
def test_mistakes_in_files_are_said_with_their_place(before: str, after: str, message: str) -> None:
    with pytest.raises(tb.ModelError, match=message) as caught:
        model_from_text(BALL.replace(before, after))
    assert "contacts" in str(caught.value) and "floor" in str(caught.value)


def test_what_is_no_rigid_contact_is_refused() -> None:
    m = described_belt()
    with pytest.raises(tb.ModelError, match="Contact 'belt': there is a contact of this name"):
        m.contact("belt", tb.contact.SpherePlaneContact(tb.Frame("block")))
    with pytest.raises(tb.ModelError, match=r"floor': a rigid contact such as tb\.contact\.Sphere"):
        m.contact("floor", tb.contact.SphereOnPlane(tb.Frame("block")))  # type: ignore[arg-type]
    other = tb.Model("other").parameter("mu", 0.3)
    with pytest.raises(tb.ModelError, match="of another model"):
        m.contact("floor", tb.contact.SpherePlaneContact(tb.Frame("block"), friction=other))
    assert "belt" in repr(m)


def test_a_row_of_copies_still_runs_and_one_with_rigid_contacts_is_refused() -> None:
    free = tb.Model("bob")
    free.body("b", mass=1)
    free.joint("z", tb.Prismatic("z"), free.ground, "b")
    run = tb.simulate(
        tb.copies(free.compile(), ["left", "right"]), duration=0.01, step=1e-3, method="rk4"
    )
    assert len(run.time) == 11
    balls = tb.copies(model_from_text(BALL).compile(), ["left", "right"])
    with pytest.raises(tb.InputError, match="knows nothing of its rigid contacts 'floor'"):
        tb.simulate(balls, duration=0.01, step=1e-3, method="rk4")
