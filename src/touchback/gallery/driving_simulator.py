"""A driving simulator: the whole car, a wheel that pushes back, arms that hold it, and an obstacle
(Docquier 2021, section 5.2)."""

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown

SPEED = tb.vehicle.simulator.SPEED
_APPEARS = 0.2  # s


def make(person: bool = False, pedals: bool = False, smoothing: float = 0.0) -> tb.Model:
    """At 75 km/h on a straight road without an end. The driver is simulated, and swerves round what
    the input "obstacle" says [m along x]; with a `person` the wheel is a device on a wire, what
    stands there is to be seen, and `pedals` are inputs, without which the speed is kept.
    `smoothing` is the device's (`WiredWheel`)."""
    if person:
        device = tb.vehicle.simulator.WiredWheel(smoothing)
        car = tb.vehicle.simulator.SimulatorCar(device=device)
        name = "driving simulator for a person"
        model = tb.vehicle.manoeuvres.model_of(
            car, tb.vehicle.simulator.Person(None if pedals else SPEED), SPEED, name=name
        )
        tb.vehicle.simulator.add_obstacle(model)
        return model
    driver = tb.vehicle.drivers.ObstacleAvoider(tb.vehicle.drivers.StraightPath(), SPEED)
    return tb.vehicle.manoeuvres.model_of(
        tb.vehicle.simulator.SimulatorCar(), driver, SPEED, name="driving simulator"
    )


def _obstacle(time: float) -> float:
    return 32.0 if time >= _APPEARS else 1e6


ENTRY = Entry(
    "driving-simulator",
    "a whole car whose steering wheel is a device with arms at it, and a sudden obstacle",
    make,
    Experiment(
        1.5, inputs={"obstacle": _obstacle},
        signals=("y", "device wheel", "steering wheel", "steering torque", "felt torque"),
        rate=tb.vehicle.simulator.RATE,
    ),
    sentences=(
        "A car of 18 bodies drives at 75 km/h, and its steering wheel is a device in the arms of a "
        "driver.",
        "The wheel's angle is prescribed to the car, and the torque that this takes is what the "
        "arms feel.",
        'Set "obstacle" to some 40 m ahead of the car, change "front caster", "front toe" or '
        '"grip" and see what the arms feel.',
    ),
    shown=Shown(
        make,
        Experiment(10.0, signals=("y", "steering torque"), rate=tb.vehicle.simulator.RATE),
    ),
)  # fmt: skip
