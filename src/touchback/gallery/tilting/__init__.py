"""The narrow tilting vehicle, whose motor leans it into turns (Docquier 2021, section 5.3)."""

from math import pi

from touchback import Model
from touchback.gallery.entry import Entry, Experiment
from touchback.gallery.tilting.balance import RATE, Balance, TiltSensors, add_balance
from touchback.gallery.tilting.mechanism import Tilting, add_tilting

SPEED = 3.0  # m/s
# Left, right, and straight on: s, rad
STEERING = (0.0, 0.5, 0.8, 3.0, 3.6, 5.8, 6.1, 8.0), (0.0, 0.0, 0.25, 0.25, -0.25, -0.25, 0.0, 0.0)


def make(plan: Tilting | None = None, balance: Balance | None = None) -> Model:
    """At 3 m/s on a level road; inputs "speed" [m/s] and "steering" [rad]."""
    plan, balance = plan or Tilting(), balance or Balance()
    m = Model("tilting vehicle")
    body = add_tilting(m, plan, SPEED)
    # Its x backwards, y to the right: the gyroscope's rate is that of a tilt to the left.
    x, _, z = plan.com
    add_balance(m, plan, balance, body.at(x, 0.0, z, turn=("z", pi)), SPEED)
    return m


ENTRY = Entry(
    "tilting-vehicle",
    "a narrow vehicle that a motor leans into turns, by what IMU and potentiometer tell together",
    make,
    Experiment(
        8.0, inputs={"steering": STEERING},
        signals=("tilt", "wanted tilt", "felt sideways", "tilt torque", "estimated bias"),
        rate=RATE,
    ),
    sentences=(
        "A narrow vehicle of three wheels would fall over; a motor on its tilting shaft balances "
        "it.",
        "Its tilt is estimated from a coarse potentiometer and a gyroscope with an unknown bias, "
        "and in a turn it leans until nothing pushes its driver sideways.",
        'Turn "steering" and change "speed", then set "tilt control" to zero and see it fall.',
    ),
)  # fmt: skip

__all__ = ["Balance", "TiltSensors", "Tilting", "add_balance", "add_tilting", "make"]
