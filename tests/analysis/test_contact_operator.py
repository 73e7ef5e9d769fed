"""What contacts feel of a mechanism, and where Painlevé's paradox may strike."""

import numpy as np
import pytest

import touchback as tb


def test_painleves_rod_jams_from_four_thirds_on_at_63_4_degrees() -> None:
    """A slender rod of length 2 l, J = m l²/3, dragged at the angle θ: critical friction
    (1 + 3 cos²θ)/(3 sin θ cos θ), whose least value is 4/3 at tan θ = 2 (Painlevé 1895; Génot and
    Brogliato 1999)."""
    m = tb.Model("rod")
    half = 0.7
    rod = m.body("rod", 2.0, inertia=(0, 2.0 * half**2 / 3, 2.0 * half**2 / 3))
    m.joint("rod", tb.Planar("y"), m.ground, rod)
    system = m.compile()
    turn = system.coordinates[2]
    tip, kind = rod.at(half, 0, 0), tb.contact.SpherePlaneContact
    friction = {mu: kind(tip, m.ground, friction=mu, tangents="x") for mu in (1.3, 1.4)}

    def critical(angle: float) -> float:
        found = tb.painleve(system, friction[1.3], {turn: angle})
        assert max(found.forward, found.backward) == np.inf
        return min(found.forward, found.backward)

    for angle in (0.3, 0.8, 1.2):
        c, s = np.cos(angle), np.sin(angle)
        assert critical(angle) == pytest.approx((1 + 3 * c**2) / (3 * s * c), rel=1e-12)
    worst = np.arctan(2.0)
    assert np.degrees(worst) == pytest.approx(63.4, abs=0.05)
    assert critical(worst) == pytest.approx(4 / 3, rel=1e-12)
    assert not tb.painleve(system, friction[1.3], {turn: worst}).inconsistent
    jammed = tb.painleve(system, friction[1.4], {turn: worst})
    assert jammed.inconsistent
    assert "friction 1.4 is inconsistent" in str(jammed)
    G_nn = tb.contact_operator(system, {"tip": friction[1.3]}, {turn: worst})[0, 0]
    assert G_nn == pytest.approx((1 + 3 * np.cos(worst) ** 2) / 2.0, rel=1e-12)


def test_an_operator_of_the_wrong_size_and_two_tangents_are_refused() -> None:
    m = tb.Model("load")
    load = m.body("load", 2.0)
    m.joint("z", tb.Prismatic("z"), m.ground, load)
    floor, system = tb.contact.SpherePlaneContact(load), m.compile()
    with pytest.raises(tb.InputError, match=r"it has 1 positions, got an array of shape \(3,\)"):
        tb.contact_operator(system, {"floor": floor}, [0, 0, 0])
    with pytest.raises(tb.InputError, match="one tangent"):
        tb.painleve(system, floor)


def test_a_contact_is_felt_where_the_ground_is_at_the_start_unless_a_time_is_given() -> None:
    """A floor that turns: along a slide at an angle θ to its normal the operator is cos²θ/m."""
    m = tb.Model("turning floor")
    ball = m.body("ball", mass=2.0)
    m.joint("slide", tb.Prismatic("z"), m.ground, ball)
    way = tb.contact.SpherePlaneContact(ball, m.ground.at(0, 0, 0, turn=("y", m.time)), radius=0)
    system = m.compile()
    for given, angle in (({}, 0.0), ({"t": 0.0}, 0.0), ({"t": 0.7}, 0.7)):
        G = tb.contact_operator(system, {"floor": way}, **given)
        assert G[0, 0] == pytest.approx(np.cos(angle) ** 2 / 2.0, rel=1e-12)
