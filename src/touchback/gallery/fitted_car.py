"""A car of two wheels in line, fitted to a logged manoeuvre of the whole car.

The log is simulated, not driven: the whole car of 18 bodies (`tb.vehicle.WholeCar`) swerves at
22 m/s with a growing frequency, and a gyroscope and an accelerometer read it with noise. What is
fitted is far simpler: a rigid body on the plane, each axle one tyre whose side force is in
proportion to its slip angle (Riekert and Schunck 1940). Lengths and mass are measured on the car
at rest; cornering stiffnesses, yaw inertia and how late forces follow slip are found."""

import math

import numpy as np

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment
from touchback.model import Value

SPEED = 22.0  # m/s
DURATION, SAMPLE = 10.0, 0.02  # s
GYROSCOPE, ACCELEROMETER = 0.003, 0.05  # rad/s, m/s²: standard deviations of their noise
MEASURED = ("yaw rate", "lateral acceleration")
UNKNOWN = ("front stiffness", "rear stiffness", "yaw inertia", "relaxation length")
# What `fit()` finds of its log.
FOUND = {"front stiffness": 51716.0, "rear stiffness": 57822.0, "yaw inertia": 1220.0,
         "relaxation length": 0.481}  # fmt: skip
_SLOWEST = 1.0  # m/s: below it tyres slip as if they went so fast
_KEEPING = 2000.0  # N s/m: how hard the speed is kept


def make() -> tb.Model:
    """A chassis on the plane; inputs: "steering wheel" [rad] and "speed" [m/s], which is kept."""
    whole = tb.vehicle.WholeCar()
    mass, front, _ = whole.car.balance()
    rear = whole.wheelbase - front
    m = tb.Model("fitted-car")
    stiffness = [m.parameter(name, FOUND[name], unit="N/rad", min=1e3) for name in UNKNOWN[:2]]
    inertia = m.parameter("yaw inertia", FOUND["yaw inertia"], unit="kg m²", min=10.0)
    late = m.parameter("relaxation length", FOUND["relaxation length"], unit="m", min=0.01)
    wheel = m.input("steering wheel", unit="rad", min=-6.0, max=6.0)
    wanted = m.input("speed", default=SPEED, unit="m/s", min=1.0, max=60.0)
    chassis = m.body("chassis", mass, inertia=(0.0, 0.0, inertia))
    m.joint("chassis", tb.Planar("z"), m.ground, chassis, velocity=[SPEED, 0.0, 0.0])
    x_rate, y_rate, turning = (m.rate("chassis", i) for i in range(3))
    yaw = m.coordinate("chassis", 2)
    ahead = tb.cos(yaw) * x_rate + tb.sin(yaw) * y_rate
    aside = tb.cos(yaw) * y_rate - tb.sin(yaw) * x_rate
    across: Value = 0.0
    for axle, at, steer, stiff in (
        ("front", front, wheel / whole.steering_ratio, stiffness[0]),
        ("rear", -rear, 0.0, stiffness[1]),
    ):
        slip = m.state(f"{axle} slip angle", unit="rad")
        now = steer - tb.atan2(aside + at * turning, tb.maximum(ahead, _SLOWEST))
        m.set_rate(f"{axle} slip angle", (now - slip) * tb.maximum(ahead, _SLOWEST) / late)
        side = stiff * slip
        pushed = (-tb.sin(steer) * side, tb.cos(steer) * side, 0.0)
        m.force(f"{axle} tyre", tb.Wrench(chassis.at(at, 0.0, 0.0), force=pushed, axes="body"))
        across = across + pushed[1]
    kept = _KEEPING * (wanted - ahead)
    m.force("engine", tb.Wrench(chassis.at(0, 0, 0), force=(kept, 0.0, 0.0), axes="body"))
    m.sensor("yaw rate", tb.Signal(turning, "rad/s"))
    m.sensor("lateral acceleration", tb.Signal(across / mass, "m/s²"))
    m.sensor("car position", tb.Position(chassis.at(0, 0, 0)))
    middle = 0.5 * (front - rear)
    m.shape(
        "body",
        chassis.at(middle, 0.0, 0.5),
        tb.Box((whole.wheelbase + 1.2, whole.outline.width, 0.5)),
    )
    return m


def log(seed: int = 0) -> tb.Run:
    """The whole car's manoeuvre as its sensors wrote it."""
    whole = tb.vehicle.WholeCar()
    system = tb.vehicle.manoeuvres.model_of(
        whole, tb.vehicle.drivers.OpenLoop(sweep, SPEED), SPEED
    ).compile()
    run = tb.simulate(
        system, duration=DURATION, output_step=SAMPLE, progress=False, **whole.stepping
    )
    yaw, chance = run["yaw"], np.random.default_rng(seed)
    across = np.cos(yaw) * run["car acceleration.y"] - np.sin(yaw) * run["car acceleration.x"]
    size = len(run)
    signals = {
        "steering wheel": run["steering wheel"],
        "speed": run["speed"],
        "yaw rate": run["yaw rate"] + chance.normal(0.0, GYROSCOPE, size),
        "lateral acceleration": across + chance.normal(0.0, ACCELEROMETER, size),
    }
    units = {"steering wheel": "rad", "speed": "m/s", "yaw rate": "rad/s"}
    about = {"model": "whole car, simulated", "seed": seed}
    return tb.Run(run.time, signals, {**units, "lateral acceleration": "m/s²"}, about)


def fit(system: tb.System, logged: tb.Run) -> tb.estimate.Identification:
    """What is unknown of the simple car, from rounded guesses."""
    guess = {"front stiffness": 5e4, "rear stiffness": 5e4, "yaw inertia": 1e3,
             "relaxation length": 0.2}  # fmt: skip
    return tb.identify(system, logged, parameters=guess, signals=MEASURED, step=5e-3)


def sweep(time: Value) -> Value:
    """The wheel's angle [rad]: a sine from 0.15 Hz to 1.35 Hz in 10 s, after a second whole."""
    turns = 0.15 * time + 0.06 * time * time
    return 0.35 * tb.sin(2.0 * math.pi * turns) * tb.minimum(time, 1.0)


def _wheel(time: float) -> float:
    angle = sweep(time)
    if isinstance(angle, tb.Expr):
        raise AssertionError("a number's sine is a number")
    return float(angle)


ENTRY = Entry(
    "fitted-car",
    "a car of two wheels in line, whose tyres and inertia were found from a log of the whole car",
    make,
    Experiment(
        DURATION, inputs={"steering wheel": _wheel},
        signals=("yaw rate", "lateral acceleration", "steering wheel"),
    ),
    sentences=(
        "A car with one wheel for each axle swerves faster and faster, as a car of 18 bodies did.",
        "Two stiffnesses, an inertia and a lag were fitted to what that car's sensors read, and "
        "are enough to follow it.",
        'Turn "rear stiffness" below "front stiffness" and see how much later the car calms down.',
    ),
)  # fmt: skip
