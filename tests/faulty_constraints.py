"""Faulty constraints that were written out, and what is said about them."""

from constraint_faults import fault, two_arms


@fault(
    "constraint that is neither of the two",
    "User constraints",
    "Constraint 'level': give either `position` or `velocity`, one of the two.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", unit="m")


@fault(
    "constraint that is a number",
    "User constraints",
    "Constraint 'level': an expression of coordinates is expected, got 0.3.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=0.3)


@fault(
    "constraint that depends on no coordinate",
    "User constraints",
    "Constraint 'clock': its expression doesn't depend on any coordinate.",
)
def _() -> None:
    m = two_arms()
    m.constrain("clock", position=m.time - 1.0)
    m.compile()


@fault(
    "position that uses a velocity",
    "User constraints",
    "Constraint 'level': its position uses velocities; give it as `velocity`.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=m.rate("left"))
    m.compile()


@fault(
    "velocity that is not linear in the velocities",
    "User constraints",
    "Constraint 'speed': it must be linear in the velocities.",
)
def _() -> None:
    m = two_arms()
    m.constrain("speed", velocity=m.rate("left") ** 2 - 1.0)
    m.compile()


@fault(
    "constraint that uses a state",
    "User constraints",
    "Constraint 'follow': it uses the state 'wound up', whose second rate isn't known. Use "
    "positions, time, inputs and parameters (a drive: also give its velocity and "
    "acceleration).",
)
def _() -> None:
    m = two_arms()
    m.constrain("follow", position=m.coordinate("left") - m.state("wound up", 0.0, rate=1.0))
    m.compile()


@fault(
    "servo through a joint that isn't there",
    "User constraints",
    "Constraint 'level': there is no joint 'motor'; known: 'left', 'right'.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=m.coordinate("left"), through="motor")


@fault(
    "servo without authority",
    "User constraints",
    "Constraint 'level': the effort of coordinate 0 of joint 'right' has no influence on it"
    " at the initial configuration (J M⁻¹ Wᵀ is singular). Keep it through another joint, "
    "or begin elsewhere.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=m.coordinate("left") - 0.1, through="right")
    m.compile()


@fault(
    "constraints that nothing meets",
    "User constraints",
    "Constraint 'far': its error is 1 at best, 1 at the guess. Give a guess nearer to "
    "closure, or check the lengths.",
)
def _() -> None:
    m = two_arms()
    m.constrain("far", position=m.coordinate("left") ** 2 + 1.0)
    m.compile()
