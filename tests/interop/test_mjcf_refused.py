"""MJCF that no mechanism is, or that would take too long, is refused with its place."""

from pathlib import Path

import pytest

from mjcf_texts import robot
from touchback.errors import ModelError
from touchback.interop import read_mjcf


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (robot('<joint class="none"/><geom size="1"/>'), "no default class 'none'"),
        (robot('<joint axis="0 0 0"/><geom size="1"/>'), "0 0 0 is no direction"),
        (robot('<joint type="screw"/><geom size="1"/>'), "known are hinge, slide, ball, free"),
        (robot('<geom type="box" size="1 1"/>'), "3 positive sizes"),
        (robot('<geom size="1e308"/>'), "1 positive sizes"),
        (robot('<geom size="1" quat="1 0 0 0" zaxis="0 0 1"/>'), "by quat and by zaxis"),
        (robot(tail='<actuator><motor joint="jj"/></actuator>'), "no joint 'jj'; did you mean"),
        (robot(tail='<actuator><motor joint=""/></actuator>'), "no joint ''"),
        (robot(head='<compiler angle="grad"/>'), "known are degree, radian"),
        (robot(tail='<equality><weld body1="arms"/></equality>'), "no body 'arms'"),
        (robot('<joint range="2 1"/><geom size="1"/>'), "swap them"),
        (robot('<geom size="1" mass="-1"/>'), r"mass='-1'>: 0, or 1e-50 to 1e\+50, is"),
        (robot('<geom size="1" density="-1"/>'), r"density='-1'>: 0, or 1e-50"),
        (robot('<inertial mass="1" diaginertia="-1 1 1"/>'), "principal moment is -1 kg m²"),
        (robot('<inertial mass="1" fullinertia="1 1 1 5 5 5"/>'), "principal moment is -4"),
        (robot('<geom size=".1" mass="1e-308"/>'), "mass='1e-308'>: 0, or"),
        (robot('<geom size=".1" mass="1e308"/>'), "mass='1e308'>: 0, or"),
        (robot('<geom size="1" quat="0 0 0 0"/>'), "a direction of length 0"),
        (robot(tail="<tendon><fixed/></tendon>"), "a tendon of no joint"),
        (
            robot(tail='<tendon><spatial><pulley divisor="0"/></spatial></tendon>'),
            "0.0 is not positive",
        ),
        (
            robot(tail='<actuator><cylinder joint="j" timeconst="0"/></actuator>'),
            "its filter has a time constant of 0.0",
        ),
        ("<robot/>", "begins with <mujoco>"),
    ],
)
def test_a_faulty_file_is_told_where_and_what(text: str, said: str) -> None:
    with pytest.raises(ModelError, match=said):
        read_mjcf(text)


def test_files_that_include_each_other_deeply_are_refused(tmp_path: Path) -> None:
    inner = "<body>" * 60 + '<include file="{}.xml"/>' + "</body>" * 60
    nested = {f"f{k}": f"<mujoco>{inner.format(f'f{k + 1}')}</mujoco>" for k in range(8)}
    whole = f"<mujoco><worldbody>{inner.format('f0')}</worldbody></mujoco>"
    for name, text in {"main": whole, **nested}.items():
        (tmp_path / f"{name}.xml").write_text(text)
    with pytest.raises(ModelError, match="100 deep, are read"):
        read_mjcf(tmp_path / "main.xml")


def test_a_heap_of_spheres_is_refused_unless_they_pass_through_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("touchback.interop.collision_geometry.MAX_CONTACTS", 5)
    balls = '<body><freejoint/><geom size=".1"/></body>' * 4  # six pairs
    heap = f"<mujoco><worldbody>{balls}</worldbody></mujoco>"
    with pytest.raises(ModelError, match=r"more than 5 pairs .* contacts=False"):
        read_mjcf(heap)
    assert len(read_mjcf(heap, contacts=False).bodies) == 4
