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


@fault(
    "a mode that names a constraint twice",
    "Modes",
    "Mode 'ajar': active: it names 'bolt' twice; name each once.",
)
def _() -> None:
    gate().mode("ajar", active=["bolt", "bolt"])


@fault(
    "tracking that is no mapping",
    "Modes",
    "Mode 'ajar': tracking: a mapping such as {\"joint\": expression} is expected, got ['gate'].",
)
def _() -> None:
    gate().mode("ajar", tracking=["gate"])


@fault(
    "tracking by what is no coordinate",
    "Modes",
    "Mode 'ajar': tracking: what tracks is a joint, or a joint and the index of its coordinate, got"
    " ('gate', 'x').",
)
def _() -> None:
    gate().mode("ajar", tracking={("gate", "x"): 0.1})


@fault(
    "a state in no mode",
    "Modes",
    "gate: 'mode' is 7 in this state; its modes are numbered 0 to 1. Name one of them:"
    " system.assemble(mode='shut').",
)
def _() -> None:
    tb.simulate(gate().compile(), [0.0, 0.0, 7.0], 1.0)


@fault(
    "two modes at once",
    "Modes",
    "gate: modes 'open' and 'shut' exclude each other; 'mode' is one of them. Name one.",
)
def _() -> None:
    gate().compile().assemble(mode=["open", "shut"])


@fault(
    "a transition from nowhere",
    "Transitions",
    "Transition 'stop': it leads away from no mode; name one or several as its source.",
)
def _() -> None:
    m = gate()
    m.transition("stop", [], "shut", when=m.coordinate("gate") - 1.0)


@fault(
    "a transition between modes of different parts",
    "Transitions",
    "Transition 'swap': mode 'left/open' is one of part 'left' and 'right/shut' one of part"
    " 'right', whose modes follow each other apart; stay among 'left/shut', 'left/open'.",
)
def _() -> None:
    m = tb.Model("gates")
    m.add(gate(), name="left")
    m.add(gate(), name="right")
    m.transition("swap", "left/open", "right/shut", when=m.coordinate("left/gate") - 1.0)
    m.compile()


@fault(
    "a cause that is always the same",
    "Transitions",
    "Transition 'stop': `when` is 0 whatever happens, and passes zero never; let it depend on"
    " coordinates, sensors, states, inputs or time.",
)
def _() -> None:
    m = gate()
    m.transition("stop", "open", "shut", when=0.0 * m.coordinate("gate"))


@fault(
    "a direction that is none",
    "Transitions",
    "Transition 'stop': direction is -1 (falling), +1 (rising) or 0 (both), got True.",
)
def _() -> None:
    m = gate()
    m.transition("stop", "open", "shut", when=m.coordinate("gate") - 1.0, direction=True)


@fault(
    "a reset of the mode itself",
    "Transitions",
    "Transition 'stop': 'mode' says which mode reigns, and is no state to reset; name the mode that"
    " follows as its target.",
)
def _() -> None:
    m = gate()
    m.transition("stop", "open", None, when=m.coordinate("gate") - 1.0, reset={"mode": 0.0})
    m.compile()


@fault(
    "a reset that is no mapping",
    "Transitions",
    "Transition 'stop': reset: a mapping such as {\"v:joint\": expression} is expected, got"
    " 'v:gate'.",
)
def _() -> None:
    m = gate()
    m.transition("stop", "open", None, when=m.coordinate("gate") - 1.0, reset="v:gate")


@fault(
    "a parameter as a restitution above one",
    "Transitions",
    "Transition 'stop': the restitution of 'bolt' is the parameter bounce, 1.2; it lies between 0"
    " (plastic) and 1 (elastic).",
)
def _() -> None:
    m = gate()
    e = m.parameter("bounce", 1.2)
    m.transition(
        "stop", "open", None, when=1.0 - m.coordinate("gate"), impact=["bolt"], restitution=e
    )
    m.compile()


@fault(
    "a speed of rest below zero",
    "Transitions",
    "Transition 'stop': rest_speed is a speed, zero or positive [m/s]; got -1.",
)
def _() -> None:
    m = gate()
    when = 1.0 - m.coordinate("gate")
    m.transition("stop", "open", None, when=when, impact=["bolt"], rest="shut", rest_speed=-1)


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

file_fault(
    "a restitution above one in a file",
    """
    touchback: 1
    name: gate
    bodies: {gate: {mass: 5}}
    joints: {gate: {kind: prismatic, axis: [1, 0, 0], parent: ground, child: gate}}
    constraints: {bolt: {position: "'q:gate'"}}
    modes: {open: {}}
    transitions:
      stop: {source: [open], target: open, when: "'q:gate'", impact: [bolt], restitution: {bolt: 2}}
    """,
    "arm.yaml, line 8, transitions.stop: the restitution of 'bolt' is 2.0; it lies between 0"
    " (plastic) and 1 (elastic).",
)
