"""An arm lifted by a geared direct-current motor: the current is a state, the voltage an input."""

from touchback import JointEffort, Model, Position, Revolute, Signal
from touchback.gallery.entry import Entry, Experiment, Shown

RESISTANCE, INDUCTANCE, CONSTANT = 1.2, 2e-3, 0.05  # Ω, H, N m/A = V s/rad
GEAR, ROTOR, DAMPING = 50.0, 1e-5, 0.02  # turns of the motor a turn of the arm, kg m², N m s/rad
MASS, LENGTH = 1.5, 0.4  # kg, m: a uniform rod


def make() -> Model:
    """The arm hangs along −z at zero angle; a positive voltage lifts it towards −x."""
    m = Model("motor arm")
    moment = MASS * LENGTH**2 / 12
    arm = m.body("arm", mass=MASS, com=(0, 0, -LENGTH / 2), inertia=(moment, moment, 0))
    # A rotor turning `GEAR` times as fast weighs GEAR² times as much at the arm.
    m.joint("shoulder", Revolute("y"), m.ground, arm, armature=GEAR**2 * ROTOR, damping=DAMPING)
    voltage = m.input("voltage", unit="V", default=6.0)
    induced = GEAR * CONSTANT * m.rate("shoulder")
    current = m.state(
        "current",
        rate=lambda i: (voltage - RESISTANCE * i - induced) / INDUCTANCE,
        unit="A",
    )
    m.force("motor", JointEffort("shoulder", GEAR * CONSTANT * current))
    m.sensor("hand", Position(arm.at(0, 0, -LENGTH)))
    m.sensor("electric power", Signal(voltage * current, "W"))
    return m


SIGNALS = ("shoulder", "current", "electric power")
SWITCHED = (0.0, 2.5, 2.501, 5.0), (1.5, 1.5, 0.0, 0.0)  # s, V

ENTRY = Entry(
    "motor-arm",
    "an arm lifted by a geared motor: the current is a state, the voltage an input",
    make,
    Experiment(2.0, inputs={"voltage": 1.0}, signals=SIGNALS),
    sentences=(
        "A direct-current motor lifts an arm through a gear.",
        "The current is a state like angle and speed: the voltage raises it, the turning "
        "rotor holds it down.",
        'Set "voltage" to zero and see the arm sink slowly, braked by the motor it drives.',
    ),
    shown=Shown(make, Experiment(5.0, inputs={"voltage": SWITCHED}, signals=SIGNALS)),
)
