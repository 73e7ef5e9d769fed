"""Energy is a measure only where it is conserved, and the laboratory says where it isn't."""

from collections.abc import Callable

import pytest

import touchback as tb
from quality_models import engine
from touchback.model import Model
from touchback.model.frame import BodyHandle


def arm(**options: float) -> tuple[Model, str]:
    m = tb.Model("arm")
    m.joint(
        "hinge", tb.Revolute("y"), m.ground, m.body("arm", mass=1.0, com=(0.5, 0, 0)), **options
    )
    return m, ""


def damped() -> tuple[Model, str]:
    return arm(damping=0.01)[0], "damping in joint 'hinge'"


def rubbing() -> tuple[Model, str]:
    return arm(friction=0.05)[0], "friction in joint 'hinge'"


def pushed() -> tuple[Model, str]:
    m, _ = arm()
    m.force("motor", tb.JointEffort("hinge", m.input("torque", unit="N m", default=0.5)))
    # A constant torque has a potential, but the energy of the model doesn't count it.
    return m, "force 'motor'"


def driven() -> tuple[Model, str]:
    m, _ = arm()
    m.drive("hinge", tb.Sine(0.5, 1.0))
    return m, "drive 'hinge'"


def dashpot() -> tuple[Model, str]:
    m, _ = arm()
    m.force(
        "dashpot",
        tb.SpringDamper(
            m.ground.at(0, 0, 1), BodyHandle("arm").at(0.5, 0, 0), stiffness=5.0, damping=0.1
        ),
    )
    return m, "force 'dashpot'"


def felted() -> tuple[Model, str]:
    m, _ = arm()
    pad = tb.contact.Circle(BodyHandle("arm").at(0.5, 0, 0), 0.1)
    floor = tb.contact.Line(m.ground.at(0, 0, -0.45))
    m.force("pad", tb.contact.ProfileContact(pad, floor, tb.contact.Felt(1e4, 2.0, memory=0.3)))
    return m, "force 'pad'"


@pytest.mark.parametrize("make", [damped, rubbing, pushed, driven, dashpot, felted])
def test_what_takes_or_gives_energy_is_named(make: Callable[[], tuple[Model, str]]) -> None:
    model, culprit = make()
    found = tb.quality(model.compile(), duration=0.5, steps=(0.01,), progress=False)
    assert not found.conserved
    assert culprit in found.losses
    assert all(row.energy is None for row in found.rows)
    assert "Energy is no measure here" in found.recommendation
    assert culprit in found.recommendation


def test_a_damping_of_zero_and_a_motor_that_rests_lose_nothing() -> None:
    m, _ = arm()
    c = m.parameter("damping", 0.0)
    m.force("motor", tb.JointEffort("hinge", m.input("torque", unit="N m")))
    m.force("damper", tb.TorsionSpring("hinge", stiffness=1.0, damping=c))
    found = tb.quality(m.compile(), duration=0.5, steps=(0.01,), progress=False)
    assert found.conserved
    assert all(row.energy is not None for row in found.rows)


def test_a_loop_conserves_energy(engine_quality: tb.Quality) -> None:
    assert engine_quality.conserved
    assert engine().constraint_names == ("cylinder",)
