"""Impacts for which Newton's restitution with friction has no solution: errors name the law that
has one."""

import numpy as np
import pytest

import touchback as tb

HEIGHT = 0.8
TOUCHES = np.arccos(HEIGHT)  # of a rod of 1 m


def rod(friction: float, restitution: float) -> tb.System:
    """It swings down about a pivot above the floor. Its tip moves at right angles to the rod: where
    μ > tan θ, no impulse within the cone of friction turns it back, as the cone holds the rod's
    direction."""
    m = tb.Model("rod")
    body = m.body("rod", mass=1.0, com=(0, 0, -1.0))
    m.joint("turn", tb.Revolute("y"), m.ground.at(0, 0, HEIGHT), body, position=1.3)
    tip = tb.contact.SpherePlaneContact(
        body.at(0, 0, -1), m.ground, restitution=restitution, friction=friction, tangents="x"
    )
    m.contact("tip", tip)
    return m.compile()


@pytest.mark.parametrize("impacts", ["newton", "sequential"])
@pytest.mark.parametrize("restitution", [0.2, 0.9])
def test_a_rod_that_wedges_names_poissons_law_which_holds_it(
    impacts: str, restitution: float
) -> None:
    system = rod(1.05 * np.tan(TOUCHES), restitution)
    with pytest.raises(tb.SolveError, match=r"'tip'.*impacts='poisson'") as raised:
        tb.simulate(system, duration=1.0, method="event-driven", impacts=impacts)
    assert "repeat" not in str(raised.value)
    held = tb.simulate(system, duration=1.0, method="event-driven", impacts="poisson")
    assert held["turn"][-1] == pytest.approx(TOUCHES, abs=1e-9)


def test_a_rod_with_less_friction_bounces_by_newtons_law() -> None:
    run = tb.simulate(rod(0.95 * np.tan(TOUCHES), 0.5), duration=0.4, method="event-driven")
    speed = run["turn rate"]
    k = int(np.argmax(speed > 0.0))
    assert speed[k:].max() == pytest.approx(-0.5 * speed[:k].min(), rel=2e-2)
