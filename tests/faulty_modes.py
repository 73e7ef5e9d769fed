"""Faulty modes and transitions, and what is said about them."""

import touchback as tb
from faults import fault, file_fault


def gate() -> tb.Model:
    """A gate that slides along x, and a bolt that holds it; nothing is wrong with its modes."""
    m = tb.Model("gate")
    m.joint("gate", tb.Prismatic("x"), m.ground, m.body("gate", mass=5.0))
    m.constrain("bolt", m.coordinate("gate"))
    m.mode("shut", active=["bolt"])
    m.mode("open")
    m.transition("unbolt", "shut", "open", when=1.0 - m.time)
    m.transition("slam", "open", "shut", when=m.coordinate("gate"))
    return m


@fault(
    "a mode with an unknown constraint",
    "Modes",
    "Mode 'ajar': there is no constraint 'bolts'; did you mean 'bolt'?",
)
def _() -> None:
    m = gate()
    m.mode("ajar", active=["bolts"])
    m.transition("stop", "open", "ajar", when=m.coordinate("gate") - 0.1, direction=1)
    m.compile()


@fault(
    "a mode twice",
    "Modes",
    "Mode 'open': there is a mode of this name already.",
)
def _() -> None:
    m = gate()
    m.mode("open")


@fault(
    "a mode that nothing leads to",
    "Modes",
    "Mode 'ajar': nothing leads to it from the first mode, 'shut'; add a transition, or leave the"
    " mode away.",
)
def _() -> None:
    m = gate()
    m.mode("ajar")
    m.compile()


@fault(
    "two modes to start in",
    "Modes",
    "Mode 'right': mode 'left' is initial already; a mechanism starts in one mode.",
)
def _() -> None:
    m = tb.Model("gate")
    m.joint("gate", tb.Prismatic("x"), m.ground, m.body("gate", mass=5.0))
    m.mode("left", initial=True)
    m.mode("right", initial=True)
    m.transition("over", "left", "right", when=m.coordinate("gate"), direction=1)
    m.compile()


@fault(
    "a readout that isn't a sensor",
    "Modes",
    "Mode 'ajar': there is no readout 'pull'; none is defined yet.",
)
def _() -> None:
    m = gate()
    m.mode("ajar", readouts={"pull": 1.0})
    m.transition("stop", "open", "ajar", when=m.coordinate("gate") - 0.1, direction=1)
    m.compile()


@fault(
    "the signal of the modes taken",
    "Modes",
    "Mode 'shut': the name 'mode' says which mode reigns, and is taken by one of the inputs; rename"
    " that.",
)
def _() -> None:
    m = gate()
    m.input("mode")
    m.compile()


@fault(
    "a transition to an unknown mode",
    "Transitions",
    "Transition 'stop': there is no mode 'opened'; did you mean 'open'?",
)
def _() -> None:
    m = gate()
    m.transition("stop", "opened", "shut", when=m.coordinate("gate") - 0.1)
    m.compile()


@fault(
    "two transitions by one cause",
    "Transitions",
    "Transition 'bounce': mode 'open' is left by 'slam' on the same cause already; one of them"
    " would never happen. Give them different causes, or use `rest`.",
)
def _() -> None:
    m = gate()
    m.transition("bounce", "open", "open", when=m.coordinate("gate"), impact=["bolt"])
    m.compile()


@fault(
    "a transition that changes nothing",
    "Transitions",
    "Transition 'stay': it leads from mode 'open' back to itself and changes nothing; give it a"
    " reset or an impact, or another target.",
)
def _() -> None:
    m = gate()
    m.transition("stay", "open", "open", when=m.coordinate("gate") - 2.0)
    m.compile()


@fault(
    "a cause that is no expression",
    "Transitions",
    "Transition 'stop': `when` is an expression that passes zero, such as m.coordinate('joint') -"
    " 0.1; got 0.5.",
)
def _() -> None:
    m = gate()
    m.transition("stop", "open", "shut", when=0.5)


@fault(
    "a reset of what is no state",
    "Transitions",
    "Transition 'stop': there is no state 'gate'; did you mean 'v:gate' or 'q:gate'?",
)
def _() -> None:
    m = gate()
    m.transition("stop", "open", "shut", when=m.coordinate("gate") - 1.0, reset={"gate": 0.0})
    m.compile()


@fault(
    "an impact on what isn't there",
    "Transitions",
    "Transition 'stop': there is no constraint 'post'; known: 'bolt'.",
)
def _() -> None:
    m = gate()
    m.transition("stop", "open", "open", when=m.coordinate("gate") - 1.0, impact=["post"])
    m.compile()


@fault(
    "a restitution above one",
    "Transitions",
    "Transition 'stop': the restitution of 'bolt' is 1.2; it lies between 0 (plastic) and 1"
    " (elastic).",
)
def _() -> None:
    m = gate()
    when = m.coordinate("gate") - 1.0
    m.transition("stop", "open", "open", when=when, impact=["bolt"], restitution=1.2)


@fault(
    "a rebound from what stays",
    "Transitions",
    "Transition 'stop': 'bolt' acts in mode 'shut', so that it can't rebound; leave its restitution"
    " away, or lead to a mode without it.",
)
def _() -> None:
    m = gate()
    when = m.coordinate("gate") - 1.0
    m.transition("stop", "open", "shut", when=when, impact=["bolt"], restitution=0.5)
    m.compile()


@fault(
    "a restitution without contacts",
    "Transitions",
    "Transition 'stop': a restitution needs contacts to rebound: name them in impact.",
)
def _() -> None:
    m = gate()
    m.transition("stop", "open", "open", when=m.coordinate("gate") - 1.0, restitution=0.5)


@fault(
    "constraints switched by hand where modes do it",
    "Transitions",
    "gate: modes say which constraints act; use `enter`.",
)
def _() -> None:
    system = gate().compile()
    system.deactivate("bolt")


file_fault(
    "unknown mode in a file",
    """
    touchback: 1
    name: gate
    bodies: {gate: {mass: 5}}
    joints: {gate: {kind: prismatic, axis: [1, 0, 0], parent: ground, child: gate}}
    modes: {open: {}}
    transitions:
      stop: {source: [open], target: shut, when: "'q:gate' - 1"}
    """,
    "arm.yaml, line 7, transitions.stop: there is no mode 'shut'; known: 'open'.",
)
