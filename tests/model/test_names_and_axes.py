"""Names, axes and shorthands that people write at the first try do what they mean."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb


def universal_with_a_wheel() -> tb.Model:
    m = tb.Model("turret", gravity=(0, 0, 0))
    fork = m.body("fork", mass=1.0, inertia=(0.1, 0.1, 0.1))
    wheel = m.body("wheel", mass=1.0, inertia=(0.2, 0.2, 0.2))
    m.joint("u", tb.Universal("x", "y"), m.ground, fork)
    m.joint("w", tb.Revolute("z"), m.ground, wheel)
    return m


def test_a_coordinate_of_a_joint_can_be_geared_driven_and_read_by_its_name() -> None:
    m = universal_with_a_wheel()
    m.couple("gear", tb.Gear("u.second", "w", ratio=3.0))
    m.drive("u.first", 0.2 + 0.0 * m.time)
    assert m.coordinate("u.second") == m.coordinate("u", 1)
    system = m.compile()
    x = system.assemble({"u.second": 0.1}, rates={"u.second": 0.5})
    np.testing.assert_allclose([x.q, x.v], [[0.2, 0.1, 0.3], [0.0, 0.5, 1.5]], atol=1e-12)


def test_a_gear_of_a_named_coordinate_survives_parts_and_files(tmp_path: Path) -> None:
    inner = universal_with_a_wheel()
    inner.couple("gear", tb.Gear("u.second", "w", ratio=3.0))
    whole = tb.Model("whole")
    whole.add(inner, name="left")
    whole.save(tmp_path / "whole.yaml")
    x = tb.read(tmp_path / "whole.yaml").compile().assemble({"left/u.second": 0.1})
    assert x.q[2] == pytest.approx(0.3)


def test_a_coordinate_that_a_joint_has_not_is_told() -> None:
    m = universal_with_a_wheel()
    with pytest.raises(tb.ModelError, match=r"'u\.third'"):
        m.couple("gear", tb.Gear("u.third", "w"))


def test_a_described_body_gives_frames_in_parts_too() -> None:
    m = universal_with_a_wheel()
    assert m.bodies["fork"].at(0.1, 0, 0, turn=("z", 0.3)) == tb.Frame(
        "fork", (0.1, 0.0, 0.0), (("z", 0.3),)
    )
    whole = tb.Model("whole")
    whole.add(m, name="left")
    flat = whole.compile().model
    assert flat.bodies["left/fork"].at(0, 0, 0).body == "left/fork"
    assert flat.bodies["left/fork"].mass == 1.0


@pytest.mark.parametrize("axes", [("x", "x"), ("y", "-y"), ((0, 1, 1), (0, -2, -2))])
def test_a_universal_joint_of_one_axis_is_blamed_on_its_axes(axes: tuple) -> None:
    with pytest.raises(tb.ModelError, match=r"axes .* are parallel"):
        tb.Universal(*axes)


@pytest.mark.parametrize(("normal", "order"), [("x", "y, z, turn"), ("y", "z, x, turn")])
def test_the_order_of_a_planar_joint_is_said_where_it_is_given(normal: str, order: str) -> None:
    m = tb.Model("puck")
    puck = m.body("puck", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(tb.ModelError, match=rf"one a coordinate \({order}\), got 2"):
        m.joint("slide", tb.Planar(normal), m.ground, puck, position=(0.1, 0.2))
    m.joint("slide", tb.Planar(normal), m.ground, puck)
    assert f"slide (planar {normal}: {order})" in repr(m)
    assert order in " ".join((tb.Planar.__doc__ or "").split())


def test_an_inertia_about_one_axis_moves_in_its_plane_and_is_noted() -> None:
    """A compound pendulum: ω² = m g l / (J + m l²)."""
    m = tb.Model("flat", gravity=(0, -9.81, 0))
    bar = m.body("bar", mass=2.0, com=(0, -0.3, 0), inertia=(0, 0, 0.05))
    m.joint("turn", tb.Revolute("z"), m.ground, bar)
    assert "bar, 2 kg, inertia about z only: for motion in a plane" in repr(m)
    expected = np.sqrt(2.0 * 9.81 * 0.3 / (0.05 + 2.0 * 0.09)) / (2 * np.pi)
    assert tb.vibrations(m.compile()).frequencies == pytest.approx([expected])
    with pytest.raises(tb.ModelError, match="triangle inequality"):
        m.body("odd", mass=1.0, inertia=(0.1, 0.1, 1.0))


def rolling(normal: str, gravity: float) -> tb.Run:
    """A disc under way on a plane, pressed against it by gravity."""
    m = tb.Model("disc", gravity=(0, 0, gravity))
    height = 0.2 if normal == "z" else -0.2
    disc = m.body("disc", mass=1.0, inertia=(0.01, 0.02, 0.01))
    m.joint("free", tb.Planar("y"), m.ground, disc, position=(height, 0, 0))
    m.close("floor", tb.Rolling(0.2, "y", normal), m.ground, disc)
    m.sensor("push", tb.Multiplier("floor.1"))
    system = m.compile()
    sense = 1.0 if normal == "z" else -1.0
    start = system.assemble(rates={"free.x": 0.4, "free.turn": sense * 2.0})
    return tb.simulate(system, start, 0.5, progress=False)


def test_a_disc_rolls_under_a_ceiling_as_on_a_floor_upside_down() -> None:
    floor, ceiling = rolling("z", -9.81), rolling("-z", 9.81)
    np.testing.assert_allclose(ceiling["free.x"], floor["free.x"], atol=1e-9)
    np.testing.assert_allclose(ceiling["free.turn"], -floor["free.turn"], atol=1e-9)
    np.testing.assert_allclose(ceiling["push"], floor["push"], atol=1e-9)
    np.testing.assert_allclose(floor["push"], 9.81, atol=1e-9)
    with pytest.raises(tb.ModelError, match="its normal must be"):
        tb.Rolling(0.2, "y", "up")


def test_read_passes_options_on_and_refuses_those_that_its_reader_has_not(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text('<robot name="r"><link name="base"/></robot>')
    assert tb.read(file, floating_base=True).joints["root"].kind == tb.Free()
    with pytest.raises(tb.ModelError, match="there is no option 'floating'"):
        tb.read(file, floating=True)


@pytest.mark.parametrize("text", ["q:crank arm", "2 * v:crank arm", "gear ratio + 1"])
def test_names_that_need_quotes_in_expressions_are_told_so(text: str) -> None:
    m = tb.Model("crank")
    m.parameter("gear ratio", 2.0)
    m.joint("crank arm", tb.Prismatic("x"), m.ground, m.body("bob", mass=1.0))
    with pytest.raises(tb.ModelError, match=r"stand in quotes there: .'(.:crank arm|gear ratio)'"):
        m.expression(text)
    assert m.expression("2 * 'v:crank arm' + 'gear ratio'") is not None


def test_ratings_of_a_part_are_those_of_the_whole_under_its_name() -> None:
    inner = tb.Model("arm")
    inner.joint(
        "elbow", tb.Revolute("y"), inner.ground, inner.body("link", mass=1.0, inertia=(1, 1, 1))
    )
    inner.imported = {"ratings": {"elbow": {"effort": 20.0}}}
    whole = tb.Model("robot")
    whole.add(inner, at=whole.ground, name="left")
    assert whole.compile().model.imported["ratings"] == {"left/elbow": {"effort": 20.0}}


@pytest.mark.parametrize("unit", ["\ud800", "N\nm", "\x00", "m" * 2000, 3])
@pytest.mark.parametrize("kind", ["signal", "readout", "parameter", "input"])
def test_a_unit_is_short_printable_text_wherever_one_is_given(kind: str, unit: object) -> None:
    """Recordings, ports and pages write it as UTF-8."""
    m = tb.Model("x")
    given = {
        "signal": lambda: m.sensor("s", tb.Signal(m.time, unit)),
        "readout": lambda: m.sensor("s", tb.Readout(unit)),
        "parameter": lambda: m.parameter("s", 1.0, unit=unit),
        "input": lambda: m.input("s", unit=unit),
    }
    with pytest.raises(tb.ModelError, match=r"unit|measured_in: a text"):
        given[kind]()
