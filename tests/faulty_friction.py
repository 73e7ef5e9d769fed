"""Faulty friction of constraints, and what is said about it."""

import touchback as tb
from constraint_faults import fault, two_arms

SECTION = "Friction of constraints"


@fault(
    "friction that slides nowhere",
    SECTION,
    "Constraint 'level': friction needs a sliding velocity; give `slides`, such as "
    "slides=m.rate('joint').",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=m.coordinate("left"), friction=0.3)


@fault(
    "friction below zero",
    SECTION,
    "Constraint 'level': its friction is -0.3; a coefficient is zero or positive.",
)
def _() -> None:
    m = two_arms()
    slides = m.rate("right")
    m.constrain("level", position=m.coordinate("left"), friction=-0.3, slides=slides)


@fault(
    "no slip speed",
    SECTION,
    "Constraint 'level': its slip_speed is 0.0 m/s; give a small positive one: friction is full "
    "well above it.",
)
def _() -> None:
    m = two_arms()
    slides = m.rate("right")
    m.constrain("level", m.coordinate("left"), friction=0.3, slides=slides, slip_speed=0.0)


@fault(
    "a sliding velocity that is a number",
    SECTION,
    "Constraint 'level': `slides` is an expression of rates, such as m.rate('joint'); got 0.1.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", position=m.coordinate("left"), friction=0.3, slides=0.1)


@fault(
    "a sliding velocity that is a position",
    SECTION,
    "Constraint 'level': `slides` must be a sliding velocity, linear in the rates of coordinates.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", m.coordinate("left"), friction=0.3, slides=m.coordinate("right"))
    m.compile()


@fault(
    "a servo with friction",
    SECTION,
    "Constraint 'level': the effort of joint 'left' keeps it, which has no friction; leave either "
    "`through` or `friction` away.",
)
def _() -> None:
    m = two_arms()
    level, slides = m.coordinate("left"), m.rate("right")
    m.constrain("level", level, through="left", friction=0.3, slides=slides)


@fault(
    "friction of a constraint among rigid contacts",
    SECTION,
    "arms: method 'event-driven' knows nothing of its constraints with friction 'level'; "
    "describe them as rigid contacts, or set their friction to 0.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", m.coordinate("left"), friction=0.3, slides=m.rate("right"))
    floor = tb.contact.SpherePlaneContact(
        tb.Frame("right"), m.ground.at(0.0, 0.0, -5.0), radius=0.1
    )
    tb.simulate(m.compile(), contacts={"floor": floor}, duration=0.1)


@fault(
    "friction of a force that another constraint carries as well",
    SECTION,
    "Constraint 'level': its force has friction, but 'again' holds the same, so that their shares "
    "of the force, and the friction, are undetermined. Leave one of them away, or its friction.",
)
def _() -> None:
    m = two_arms()
    m.constrain("level", m.coordinate("left"), friction=0.3, slides=m.rate("right"))
    m.constrain("again", 2.0 * m.coordinate("left"))
    m.compile()


@fault(
    "a slip speed that is zero by a parameter",
    SECTION,
    "Constraint 'level': its friction is no number at the start; check its coefficient, and "
    "that its slip_speed is positive.",
)
def _() -> None:
    m = two_arms()
    slow, slides = m.parameter("slow", 0.0), m.rate("right")
    m.constrain("level", m.coordinate("left"), friction=0.3, slides=slides, slip_speed=slow)
    m.compile()
