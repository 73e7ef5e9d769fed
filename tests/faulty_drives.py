"""Faulty couplings and drives, and what is said about them."""

import touchback as tb
from constraint_faults import fault, two_arms


@fault(
    "coupling of an unknown joint",
    "Couplings and drives",
    "Coupling 'gears': there is no joint 'rigth'; did you mean 'right'?",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "rigth"))


@fault(
    "coupling of a quaternion",
    "Couplings and drives",
    "Coupling 'gears': joint 'socket' has a quaternion; couplings, drives and "
    "servo-constraints need plain coordinates.",
)
def _() -> None:
    m = two_arms()
    m.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("socket", tb.Spherical(), m.ground, "ball")
    m.couple("gears", tb.Gear("left", "socket"))


@fault(
    "coupling of a joint with itself",
    "Couplings and drives",
    "Coupling 'gears': it names joint 'left' twice; name each once.",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "left", ratio=2.0))


@fault(
    "gear of ratio zero",
    "Couplings and drives",
    "Gear: its ratio is 0, which would only lock a coordinate; a drive with a constant "
    "motion does that.",
)
def _() -> None:
    tb.Gear("left", "right", ratio=0.0)


@fault(
    "screw in a joint without a slide and a turn",
    "Couplings and drives",
    "Coupling 'thread': joint 'left' has 1 coordinate(s), numbered from 0; there is none "
    "numbered 1.",
)
def _() -> None:
    m = two_arms()
    m.couple("thread", tb.ScrewCoupling("left", pitch=0.01))


@fault(
    "joint as a coupling",
    "Couplings and drives",
    "Coupling 'gears': a coupling such as tb.Gear(…) is expected, got Revolute(axis='y').",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Revolute("y"))


@fault(
    "drive of an unknown joint",
    "Couplings and drives",
    "Drive 'elbow': there is no joint 'elbow'; known: 'left', 'right'.",
)
def _() -> None:
    m = two_arms()
    m.drive("elbow", tb.Sine(0.1))


@fault(
    "motion of more than time",
    "Couplings and drives",
    "Drive 'left': its motion takes at least 2 arguments (t, q), and is given 1 argument: time; "
    "write it as a function of just these.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", lambda t, q, *others: t * q)


@fault(
    "coordinate driven twice",
    "Couplings and drives",
    "Drive 'lock': coordinate 0 of joint 'left' is driven by drive 'left' already; a "
    "coordinate has one drive.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", tb.Sine(0.1))
    m.drive("left", 0.3, name="lock")


@fault(
    "drive of a coordinate that isn't there",
    "Couplings and drives",
    "Drive 'left': joint 'left' has 1 coordinate(s), numbered from 0; there is none numbered 1.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", 0.3, index=1)


@fault(
    "drive that is no motion",
    "Couplings and drives",
    "Drive 'left': motion: a number or an expression is expected, got 'sin(t)'.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", "sin(t)")


@fault(
    "drive that follows a coordinate",
    "Couplings and drives",
    "Drive 'left': its motion uses coordinates; a drive is a function of time and inputs. "
    "Use a coupling or model.constrain(…) instead.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", 2 * m.coordinate("right"))
    m.compile()


@fault(
    "drive that follows a state",
    "Couplings and drives",
    "Drive 'left': it uses the state 'wound up', whose second rate isn't known. Use "
    "positions, time, inputs and parameters (a drive: also give its velocity and "
    "acceleration).",
)
def _() -> None:
    m = two_arms()
    m.drive("left", m.state("wound up", 0.0, rate=1.0))
    m.compile()


@fault(
    "drive that is not a number at the start",
    "Couplings and drives",
    "Drive 'left': its error is inf at the guess; check its expression at that time and "
    "those positions.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", tb.log(m.time))
    m.compile()


@fault(
    "drive whose speed is infinite at the start",
    "Couplings and drives",
    "Drive 'left': the velocity that it demands is inf; check its expression at that time.",
)
def _() -> None:
    m = two_arms()
    m.drive("left", tb.sqrt(m.time))
    m.compile()


@fault(
    "drives that contradict a gear",
    "Couplings and drives",
    "Constraints contradict each other. At best, Coupling 'gears': its error is 0.05 rad; "
    "Drive 'left': its error is 0.1 rad; Drive 'right': its error is 0.05 rad. Remove or correct "
    "one of them, or give a guess from which all can be met.",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "right", ratio=-2.0))
    m.drive("left", 0.1)
    m.drive("right", 0.1)
    m.compile()


@fault(
    "drives whose speeds contradict a gear",
    "Couplings and drives",
    "Coupling 'gears', Drive 'left', Drive 'right': no velocities satisfy them, by 1; their "
    "rates contradict each other. Remove or correct one of them.",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "right", ratio=-1.0))
    m.drive("left", 2 * m.time)
    m.drive("right", m.time)
    m.compile()


@fault(
    "gears that contradict each other",
    "Couplings and drives",
    "Constraints contradict each other. At best, Coupling 'gears': its error is 0.1 rad; "
    "Coupling 'belt': its error is 0.1 rad. Remove or correct one of them, or give a guess from "
    "which all can be met.",
)
def _() -> None:
    m = two_arms()
    m.couple("gears", tb.Gear("left", "right", ratio=-1.0))
    m.couple("belt", tb.Gear("left", "right", ratio=-1.0, offset=0.2))
    m.compile()
