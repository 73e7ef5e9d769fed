"""Checks and states of rest at the very limits from which they say something."""

from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.analysis.equilibrium import Equilibrium, _lowest_eigenvalue, _stability
from touchback.analysis.model_verification import (
    Check,
    CheckWarning,
    _condition,
    _count,
    _extent,
    _field,
    _joined,
    _listed,
    _relative_velocity,
    _sort_of,
)
from touchback.analysis.vibrations import Vibration
from touchback.system import float_instant

# ---- words of a check ----------------------------------------------------------------------------


def test_a_check_prints_its_rows_in_columns_and_its_warnings_below() -> None:
    rows = {"size": "2 bodies", "masses": "1 kg " * 30, "units": "none"}
    doubt = CheckWarning("code", "item", "Something is doubtful, " * 8)
    shown = str(Check("cart", rows, (doubt,))).splitlines()
    assert shown[0] == "cart: 1 warning. 2 bodies."
    assert shown[1].startswith("masses  1 kg") and len(shown[1]) <= 100
    assert shown[2].startswith("        kg 1") and shown[3] == "units   none"
    assert shown[4].startswith("warning: Something") and all(len(line) <= 100 for line in shown)
    assert Check("cart", rows, ()).verdict == "cart: fine. 2 bodies." and str(doubt) != "code"
    assert Check("cart", rows, (doubt, doubt)).verdict.startswith("cart: 2 warnings.")


def test_names_are_listed_up_to_eight() -> None:
    names = list("abcdefghij")
    assert _listed(names[:8]).endswith("'g', 'h'") and _listed(names[:8]).count(",") == 7
    assert _listed(names[:9]).endswith("'h' and 1 more") and _listed(names, 3) == (
        "'a', 'b', 'c' and 7 more"
    )
    assert _count(1, "body", "bodies") == "1 body" and _count(0, "joint") == "0 joints"
    assert _count(2, "body", "bodies") == "2 bodies"
    assert [_joined(names[:n]) for n in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert _field(("forces", "f", "damping")) == "damping"
    assert _field(("joints", "j", "spring", 2)) == "spring 2"
    assert _sort_of(("forces", "f", "stiffness"), "N/m") == "stiffness"
    assert _sort_of(("joints", "j", "spring", 0), "N m/rad") == "stiffness"
    assert _sort_of(("forces", "f", "damping", 1), "N") == ""
    assert _sort_of(("forces", "f", "friction"), "N") == "friction"
    assert _sort_of(("forces", "f", "length"), "m") == ""


def test_extents_and_conditions_are_those_of_their_numbers() -> None:
    points = [np.array(each) for each in ((0.0, 0.0, 1.0), (3.0, 0.0, 1.0), (0.0, 4.0, 1.0))]
    assert _extent(points) == 5.0 and _extent(points[:1]) == 0.0 == _extent([])
    assert _extent(points[:2]) == 3.0
    M = np.array([[4.0, 1.0], [1.0, 1.0]])  # scaled: off the diagonal 1/2
    assert _condition(M) == pytest.approx(3.0)
    assert _condition(np.diag([1e9, 1e-9])) == pytest.approx(1.0)
    assert _condition(np.diag([1.0, 0.0])) is None is _condition(np.empty((0, 0)))


def test_relative_velocities_are_seen_from_a_turning_frame() -> None:
    m = tb.Model("arms", gravity=(0, 0, 0))
    one = m.body("one", 1.0, inertia=(1, 1, 1))
    other = m.body("other", 1.0, inertia=(1, 1, 1))
    m.joint("turn", tb.Revolute("z"), m.ground, one)
    m.joint("slide", tb.Prismatic("x"), m.ground, other)
    model = m.compile().model
    instant = float_instant(model, np.array([np.pi / 2, 2.0]))
    found = _relative_velocity(instant, tb.Frame("one"), tb.Frame("other"))
    # a turns at 1 rad/s: b, at (2, 0, 0) m, goes by −z × r = −2 y there, which a calls −2 x;
    # b slides at 1 m/s along x, which a calls −y
    np.testing.assert_allclose(found, [[-2.0, 0.0], [0.0, -1.0], [0.0, 0.0]], atol=1e-12)


# ---- what is doubtful, and what just isn't -------------------------------------------------------


def codes(m: tb.Model) -> list[str]:
    return [each.code for each in tb.check(m).warnings]


def two(heavy: float = 1.0, com: float = 0.0, moment: float = 0.1) -> tb.Model:
    m = tb.Model("two", gravity=(0, 0, 0))
    a = m.body("a", 1.0, com=(com, 0, 0), inertia=(moment,) * 3)
    b = m.body("b", heavy, inertia=(0.1,) * 3)
    m.joint("x", tb.Prismatic("x"), m.ground, a)
    m.joint("y", tb.Revolute("y"), a.at(0.5, 0, 0), b)
    return m


@pytest.mark.parametrize(
    "make, code",
    [
        (lambda over: two(heavy=1e7 * (1 + over)), "mass-ratio"),
        # frames of a lie half a metre apart: twenty times that are 10 m
        (lambda over: two(com=-10.0 * (1 + over)), "centre-of-mass"),
        (lambda over: two(moment=100.0 * (1 + over)), "radius-of-gyration"),
    ],
)  # fmt: skip
def test_sizes_are_doubtful_beyond_their_limits_only(make: Any, code: str) -> None:
    assert code not in codes(make(-1e-6))
    assert code in codes(make(1e-6))


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_angles_are_doubtful_beyond_a_turn(sign: float) -> None:
    def begun(angle: float) -> list[str]:
        m = tb.Model("wheel", gravity=(0, 0, 0))
        wheel = m.body("wheel", 1.0, inertia=(1, 1, 1))
        m.joint("turn", tb.Revolute("y"), m.ground, wheel, position=angle)
        return [str(each) for each in tb.check(m).warnings]

    assert begun(sign * 2 * np.pi) == []
    (said,) = begun(sign * 9.42477796)
    assert f"begins at {sign * 9.42478:g} rad, 1.5 turns; where degrees are meant give" in said
    assert f"give {sign * 0.164493:g}, math.radians({sign * 9.42478:g})" in said


def test_limits_belong_to_what_is_allowed() -> None:
    def begun(at: float) -> list[str]:
        m = tb.Model("slide", gravity=(0, 0, 0))
        body = m.body("body", 1.0)
        m.joint("x", tb.Prismatic("x"), m.ground, body, position=at, limits=(-0.5, 1.0))
        return codes(m)

    assert begun(-0.5) == begun(1.0) == [] and begun(-0.51) == begun(1.01) == ["beyond-limits"]


# ---- rest ----------------------------------------------------------------------------------------


def test_stability_is_that_of_the_stiffness() -> None:
    assert _stability(np.diag([1.0, 2e-9])) == "stable"
    assert _stability(np.diag([1.0, 0.9e-9])) == "neutral" == _stability(np.diag([1.0, -0.9e-9]))
    assert _stability(np.diag([1.0, -2e-9])) == "unstable" and _stability(np.diag([-1.0])) == (
        "unstable"
    )
    assert _stability(np.empty((0, 0))) == "stable"
    skew = np.array([[1.0, 0.9e-7], [0.0, 1.0]])
    assert _stability(skew) == "stable" and _stability(skew * [[1, 1.3], [1, 1]]) == "undecided"


def test_the_lowest_eigenvalue_comes_with_its_shape() -> None:
    mass, stiffness = np.diag([1.0, 4.0]), np.array([[3.0, 0.0], [0.0, 4.0]])
    value, shape = _lowest_eigenvalue(mass, stiffness)
    assert value == pytest.approx(1.0, rel=1e-7)
    np.testing.assert_allclose(np.abs(shape), [0.0, 1.0], atol=1e-7)
    assert _lowest_eigenvalue(np.empty((0, 0)), np.empty((0, 0)))[0] == 0.0


def test_an_equilibrium_is_told_in_a_line_for_each_effort() -> None:
    m = tb.Model("lever")
    arm = m.body("arm", 2.0, com=(0.5, 0, 0), inertia=(1, 1, 1))
    m.joint("hinge", tb.Revolute("y"), m.ground, arm)
    system = m.compile()
    held = tb.equilibrium(system, keep=["hinge"])
    assert isinstance(held, Equilibrium)
    lines = str(held).splitlines()
    assert lines[0].startswith(f"stable equilibrium after {held.steps} steps, largest unbalanced")
    # gravity turns the arm by +y: holding it takes −m g l
    assert lines[1] == "  hinge: held by -9.81"
    assert held.efforts["hinge"] == pytest.approx(-9.81) and held.independent == ()
    hanging = tb.equilibrium(system, [1.4, 0.0])
    assert hanging.state.q[0] == pytest.approx(np.pi / 2) and hanging.stability == "stable"
    assert hanging.stiffness[0, 0] == pytest.approx(2.0 * 9.81 * 0.5)
    up = tb.equilibrium(system, [-1.4, 0.0])
    assert up.state.q[0] == pytest.approx(-np.pi / 2) and up.stability == "unstable"
    sunk = tb.equilibrium(system, [-1.4, 0.0], settle=True)
    assert sunk.state.q[0] == pytest.approx(np.pi / 2) and sunk.stability == "stable"


def test_vibrations_have_frequencies_and_damping() -> None:
    found = Vibration(complex(-3.0, 4.0), {})
    assert found.frequency == pytest.approx(4 / (2 * np.pi))
    assert found.natural_frequency == pytest.approx(5 / (2 * np.pi))
    assert found.damping == pytest.approx(0.6) and Vibration(2 + 0j, {}).damping == -1.0
    assert Vibration(0j, {}).damping == 0.0
