"""Faulty contacts, and what is said about them."""

import touchback as tb
from faults import arm, fault, file_fault
from touchback.system.model_checks import check_model


@fault(
    "two profiles of which none is a circle",
    "Contacts",
    "ProfileContact: it is between tb.contact.Line and tb.contact.Arc; one of the two must be a "
    "tb.contact.Circle. Round a corner that touches by a circle of small radius.",
)
def _() -> None:
    tb.contact.ProfileContact(
        tb.contact.Line("rod"),
        tb.contact.Arc("ground", 0.1, 0.0, 1.0),
        tb.contact.HuntCrossley(1e6),
    )


@fault(
    "a contact law by its stiffness alone",
    "Contacts",
    "ProfileContact: its law is 100000.0; something such as tb.contact.Felt(stiffness) is "
    "expected.",
)
def _() -> None:
    tb.contact.ProfileContact(tb.contact.Circle("rod", 0.01), tb.contact.Line("ground"), law=1e5)


@fault(
    "an outline over several bodies",
    "Contacts",
    "Outline: its parts lie on several bodies (ground, rod); make one contact for each body.",
)
def _() -> None:
    tb.contact.Outline([tb.contact.Line("rod", 0.1), tb.contact.Line("ground", 0.1)])


@fault(
    "an arc that goes backwards",
    "Contacts",
    "Arc: it goes from 1 to 0 rad; its end must be above its start, by less than a turn (a whole "
    "one is tb.contact.Circle).",
)
def _() -> None:
    tb.contact.Arc("rod", 0.1, start=1.0, end=0.0)


@fault(
    "felt that forgets everything",
    "Contacts",
    "Felt: its memory is 1.0; it is the part of the force that relaxes, give one from 0 to below "
    "1.",
)
def _() -> None:
    tb.contact.Felt(1e9, memory=1.0)


@fault(
    "felt that doesn't stiffen",
    "Contacts",
    "Felt: its exponent is 1.0; felt stiffens, give one above 1 (usually 2 to 4), or use "
    "tb.contact.UnilateralSpring.",
)
def _() -> None:
    tb.contact.Felt(1e4, exponent=1.0)


@fault(
    "a sensor of a contact that isn't there",
    "Contacts",
    "Sensor 'gap': there is no contact 'flor'; did you mean 'floor'?",
)
def _() -> None:
    m = arm()
    m.force(
        "floor",
        tb.contact.ProfileContact(
            tb.contact.Circle("rod", 0.1), tb.contact.Line("ground"), tb.contact.Felt(1e9)
        ),
    )
    m.sensor("gap", tb.Gap("flor"))
    check_model(m)


@fault(
    "friction of a contact that isn't planar",
    "Contacts",
    "Sensor 'rub': SphereOnPlane is not planar, so its friction has no one direction; measure that "
    "of a tb.contact.ProfileContact.",
)
def _() -> None:
    m = arm()
    m.force("floor", tb.contact.SphereOnPlane("rod", "ground", radius=0.1))
    m.sensor("rub", tb.FrictionForce("floor"))
    check_model(m)


@fault(
    "a rate for the state of a force",
    "Contacts",
    "State 'floor.memory': it belongs to a force, which gives its rate.",
)
def _() -> None:
    m = arm()
    felt = tb.contact.Felt(1e9, memory=0.3)
    m.force(
        "floor",
        tb.contact.ProfileContact(tb.contact.Circle("rod", 0.1), tb.contact.Line("ground"), felt),
    )
    m.set_rate("floor.memory", 0.0)


file_fault(
    "a profile of an unknown kind",
    """
    touchback: 1
    name: arm
    bodies:
      rod: {mass: 1}
    forces:
      pad:
        kind: profile-contact
        first: {kind: circle, frame: rod, radius: 0.01}
        second: {kind: lin, frame: ground}
        law: {kind: felt, stiffness: 1.0e+9}
    """,
    "arm.yaml, line 9, forces.pad.second.kind: there is no kind 'lin'; did you mean 'line' or "
    "'outline'?",
)
file_fault(
    "a misspelt number of a law",
    """
    touchback: 1
    name: arm
    bodies:
      rod: {mass: 1}
    forces:
      pad:
        kind: profile-contact
        first: {kind: circle, frame: rod, radius: 0.01}
        second: {kind: line, frame: ground}
        law: {kind: felt, stiffnes: 1.0e+9}
    """,
    "arm.yaml, line 10, forces.pad.law.stiffnes: there is no such key here; did you mean "
    "'stiffness'?",
)
