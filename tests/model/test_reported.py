"""Which sensors are outputs."""

import pytest

import touchback as tb


def weighed() -> tb.Model:
    m = tb.Model("weighed")
    body = m.body("mass", mass=1.0)
    m.joint("slide", tb.Prismatic("z"), m.ground, body)
    height = m.sensor("height", tb.Position(body))[2]
    m.sensor("speed", tb.Velocity(body))
    m.force("spring", tb.JointEffort("slide", -50.0 * height))
    return m


def test_a_sensor_that_is_not_reported_is_still_a_signal() -> None:
    m = weighed()
    whole = tb.simulate(m.compile(), duration=0.1)
    m.report("speed")
    system = m.compile()
    assert system.output_names == ["speed.x", "speed.y", "speed.z"]
    assert tb.simulate(system, duration=0.1)["slide"][-1] == whole["slide"][-1]


def test_a_whole_decides_what_its_parts_report() -> None:
    part, whole = weighed(), tb.Model("whole")
    part.report("height")
    whole.add(part, name="a")
    whole.report("a/speed")
    assert whole.compile().output_names == ["a/speed.x", "a/speed.y", "a/speed.z"]


def test_reports_survive_a_file(tmp_path) -> None:
    m = weighed()
    m.report("height")
    m.save(tmp_path / "weighed.yaml")
    assert tb.read(tmp_path / "weighed.yaml").compile().output_names == m.compile().output_names


def test_an_unknown_sensor_is_named() -> None:
    with pytest.raises(tb.ModelError, match=r"'hight'.*'height'"):
        weighed().report("hight")
