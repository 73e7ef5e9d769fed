"""Alternatives of a controller: one live parameter says which law acts."""

import pytest

import touchback as tb


def arm() -> tb.Model:
    m = tb.Model("arm", gravity=(0, 0, 0))
    m.joint("arm", tb.Revolute("y"), m.ground, m.body("arm", 1.0, inertia=(1.0, 2.0, 1.0)))
    m.force("motor", tb.JointEffort("arm", m.input("torque", unit="N m")))
    m.control("pd", lambda q, v: -8 * q - v, of=["q:arm", "v:arm"], to="torque")
    m.control(
        "gentle", lambda q, v: -2 * q - v, of=["q:arm", "v:arm"], to="torque", instead_of="pd"
    )
    m.control("none", lambda: 0.0, of=[], to="torque", instead_of="pd")
    return m


LAWS = [(-8 * 0.5 - 0.1) / 2.0, (-2 * 0.5 - 0.1) / 2.0, 0.0]


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_choice_says_which_law_acts(number: int) -> None:
    system = arm().compile()
    system["pd choice"] = number
    assert system.forward_dynamics([0.5], [0.1]) == pytest.approx([LAWS[number]], rel=1e-14)


def test_choices_reach_to_the_last_alternative() -> None:
    system = arm().compile()
    assert system.parameters == {"pd choice": 0.0}
    with pytest.raises(tb.InputError, match="outside its range"):
        system["pd choice"] = 3.0


def test_alternatives_come_along_with_parts() -> None:
    m = tb.Model("two arms")
    for name in ("left", "right"):
        m.add(arm(), name=name)
    system = m.compile()
    system["left/pd choice"] = 1.0
    q, v = [0.5, 0.5], [0.1, 0.1]
    assert system.forward_dynamics(q, v) == pytest.approx([LAWS[1], LAWS[0]], rel=1e-14)


@pytest.mark.parametrize("format", ["yaml", "json"])
def test_alternatives_are_kept_in_files(tmp_path: object, format: str) -> None:
    path = tmp_path / f"arm.{format}"  # type: ignore[operator]
    arm().save(path)
    system = tb.read(path).compile()
    system["pd choice"] = 2.0
    assert system.forward_dynamics([0.5], [0.1]) == pytest.approx([0.0])
    assert system.model.controls["gentle"].instead_of == "pd"


@pytest.mark.parametrize(
    ("instead_of", "to", "complaint"),
    [
        ("pid", "torque", "'pid', which is no control of its own; there are: pd"),
        ("gentle", "torque", "'gentle', which is no control of its own"),
        ("pd", "other", "drive the same inputs"),
    ],
)
def test_what_can_not_stand_in_is_refused(instead_of: str, to: str, complaint: str) -> None:
    m = arm()
    m.input("other")
    with pytest.raises(tb.ModelError, match=complaint):
        m.control("new", lambda: 1.0, of=[], to=to, instead_of=instead_of)
    with pytest.raises(tb.ModelError, match="is already driven"):
        m.control("new", lambda: 1.0, of=[], to="torque")
