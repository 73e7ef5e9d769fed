"""An arm lifted by a geared direct-current motor: the current is a state, the voltage an input. An
arm with seven revolute joints in general directions, with a torque input for each."""

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown

RESISTANCE, INDUCTANCE, CONSTANT = 1.2, 2e-3, 0.05  # Ω, H, N m/A = V s/rad
GEAR, ROTOR, DAMPING = 50.0, 1e-5, 0.02  # turns of the motor a turn of the arm, kg m², N m s/rad
MASS, LENGTH = 1.5, 0.4  # kg, m: a uniform rod


def make_motor_arm() -> tb.Model:
    """The arm hangs along −z at zero angle; a positive voltage lifts it towards −x."""
    m = tb.Model("motor arm")
    moment = MASS * LENGTH**2 / 12
    arm = m.body("arm", mass=MASS, com=(0, 0, -LENGTH / 2), inertia=(moment, moment, 0))
    # A rotor turning `GEAR` times as fast weighs GEAR² times as much at the arm.
    m.joint("shoulder", tb.Revolute("y"), m.ground, arm, armature=GEAR**2 * ROTOR, damping=DAMPING)
    voltage = m.input("voltage", unit="V", default=6.0)
    induced = GEAR * CONSTANT * m.rate("shoulder")
    current = m.state(
        "current",
        rate=lambda i: (voltage - RESISTANCE * i - induced) / INDUCTANCE,
        unit="A",
    )
    m.force("motor", tb.JointEffort("shoulder", GEAR * CONSTANT * current))
    m.sensor("hand", tb.Position(arm.at(0, 0, -LENGTH)))
    m.sensor("electric power", tb.Signal(voltage * current, "W"))
    return m


SIGNALS = ("shoulder", "current", "electric power")
SWITCHED = (0.0, 2.5, 2.501, 5.0), (1.5, 1.5, 0.0, 0.0)  # s, V
MOTOR_ARM = Entry(
    "motor-arm",
    "an arm lifted by a geared motor: the current is a state, the voltage an input",
    make_motor_arm,
    Experiment(2.0, inputs={"voltage": 1.0}, signals=SIGNALS),
    sentences=(
        "A direct-current motor lifts an arm through a gear.",
        "The current is a state like angle and speed: the voltage raises it, the turning "
        "rotor holds it down.",
        'Set "voltage" to zero and see the arm sink slowly, braked by the motor it drives.',
    ),
    shown=Shown(make_motor_arm, Experiment(5.0, inputs={"voltage": SWITCHED}, signals=SIGNALS)),
)
# A link a row: place of its joint on the previous link [m], turns to the joint's frame [rad],
# mass [kg], centre of mass [m], inertia xx, yy, zz, xy, xz, yz about it [kg m²].
LINKS = (
    ((0, 0, 0.32), (),
     3.6, (0.002, -0.031, -0.07), (0.021, 0.018, 0.009, 2e-4, -1e-4, 2.1e-3)),
    ((0, -0.01, 0), (("x", -1.57),),
     3.9, (-0.003, -0.11, 0.04), (0.037, 0.011, 0.034, 1e-4, 3e-4, -4e-3)),
    ((0, -0.30, 0), (("x", 1.57),),
     3.0, (0.03, 0.025, -0.06), (0.016, 0.015, 0.009, -1e-3, 2e-3, 1e-3)),
    ((0.08, 0, 0), (("x", 1.50), ("z", 0.06)),
     2.9, (-0.04, 0.06, 0.03), (0.015, 0.011, 0.018, 3e-3, 1e-3, -2e-3)),
    ((-0.08, 0.36, 0), (("x", -1.54),),
     2.4, (-0.004, 0.04, -0.11), (0.030, 0.026, 0.008, 1e-4, -5e-4, 4e-3)),
    ((0, 0, 0), (("x", 1.57), ("y", 0.02)),
     1.5, (0.05, -0.01, -0.01), (0.003, 0.005, 0.006, 1e-4, -3e-4, 2e-4)),
    ((0.09, 0, 0), (("x", 1.57),),
     0.9, (0.01, 0.008, 0.07), (0.003, 0.003, 0.002, -2e-4, -3e-4, -2e-4)),
)  # fmt: skip


def make_seven_joint_arm() -> tb.Model:
    """Joint i turns about the z axis of its own frame; all zero stretches the arm upwards."""
    m = tb.Model("seven-joint arm")
    previous = m.ground
    for i, (place, turn, mass, com, inertia) in enumerate(LINKS, start=1):
        link = m.body(f"link {i}", mass=mass, com=com, inertia=inertia)
        m.joint(
            f"joint {i}", tb.Revolute("z"), previous.at(*place, turn=turn), link,
            damping=0.5, armature=0.05,
        )  # fmt: skip
        m.force(f"motor {i}", tb.JointEffort(f"joint {i}", m.input(f"torque {i}", unit="N m")))
        previous = link
    m.sensor("hand", tb.Position(previous.at(0, 0, 0.15)))
    m.sensor("energy", tb.Energy())
    return m


SEVEN_JOINT_ARM = Entry(
    "seven-joint-arm",
    "seven revolute joints in general directions, a torque input for each",
    make_seven_joint_arm,
    Experiment(
        4.0,
        positions={"joint 2": 0.7, "joint 4": -1.2, "joint 6": 0.9},
        inputs={"torque 1": 2.0},
        signals=("hand.x", "hand.y", "hand.z"),
    ),
    sentences=(
        "An arm of seven revolute joints in general directions falls from its pose, with a "
        "motor at every joint.",
        "Seven joints for a hand of six freedoms: one is left over, so that the elbow can "
        "move while the hand stays.",
        'Give a "torque" some newton metres, or drag the hand and see all seven follow.',
    ),
)
