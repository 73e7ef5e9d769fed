"""A kart on a conveyor belt, held by a load cell, with the side forces of its four tyres live
(Docquier 2021, section 5.3)."""

from dataclasses import dataclass, field
from math import pi

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment
from touchback.model import BodyHandle, Triple, check_positive

SPEED = 3.0  # m/s of the belt at first
_FRONT = (("front left", 1.0), ("front right", -1.0))
_REAR = (("rear left", 1.0), ("rear right", -1.0))
_ROLLER = 0.05  # m, radius of the belt's rollers
_ROLLER_INERTIA = 0.02  # kg m², with the belt's
_MOTOR = 0.5  # N m s/rad, with which its motor keeps the belt's speed
_MEASURED = (("place", tb.Position), ("motion", tb.Velocity))
WHEELS = tuple(name for name, _ in (*_FRONT, *_REAR))
# To the left, to the right, and straight on: s, rad
STEERING = (0.0, 0.5, 0.7, 2.5, 2.9, 4.7, 4.9, 6.0), (0.0, 0.0, 0.1, 0.1, -0.1, -0.1, 0.0, 0.0)


def _tyre() -> tb.vehicle.BrushTyre:
    return tb.vehicle.BrushTyre(
        unloaded_radius=0.0607, vertical_stiffness=3e4, vertical_damping=40.0, relaxation_x=0.015,
        relaxation_y=0.03, slip_stiffness=400.0, cornering_stiffness=240.0, nominal_load=20.0,
        friction=1.0, patch=0.008,
    )  # fmt: skip


@dataclass(frozen=True)
class Kart:
    """Lengths [m], masses [kg], moments about the centre of mass [kg m²]; the numbers are ours, the
    paper gives none. A stiff frame without springs, whose centre of mass is `front` behind the
    front axle and `rear` ahead of the rear one: a shaft with both wheels, without a differential.
    Cables of a stiffness [N m/rad] and a damping [N m s/rad] pull the front wheels about upright
    pins. A cell of a stiffness [N/m] and a damping [N s/m] may hold it, so far `ahead` of its
    centre of mass."""

    front: float = 0.28
    rear: float = 0.22
    half_track: float = 0.17
    radius: float = 0.06
    height: float = 0.08
    mass: float = 7.0
    inertia: tuple[float, float, float] = (0.09, 0.16, 0.22)
    shaft_mass: float = 0.6
    cable: tuple[float, float] = (30.0, 0.3)
    cell: tuple[float, float] = (2e4, 200.0)
    ahead: float = 0.08
    wheel: tb.vehicle.Wheel = field(
        default_factory=lambda: tb.vehicle.Wheel(mass=0.25, spin_inertia=5e-4, cross_inertia=3e-4)
    )
    tyre: tb.vehicle.AnyTyre = field(default_factory=_tyre)

    def __post_init__(self) -> None:
        lengths = ("front", "rear", "half_track", "radius", "height")
        check_positive(
            "Kart", mass=self.mass, shaft_mass=self.shaft_mass,
            **{name: getattr(self, name) for name in lengths},
        )  # fmt: skip


def add_kart(
    model: tb.Model,
    plan: Kart,
    speed: float,
    over: float = 0.0,
    moving: Triple = (0.0, 0.0, 0.0),
) -> BodyHandle:
    """Put a kart on the level road z = 0: it goes ahead with `speed` and its wheels turn for one of
    `over` [m/s] more, that of a belt which is `moving` the other way. Inputs: "steering" of the
    front wheels [rad] and "axle torque" [N m]; live: "toe" [rad]. Sensors: of each tyre, "yaw"
    [rad], and "kart position" and "kart velocity" of the frame's centre of mass."""
    frame = model.body("frame", plan.mass, (0.0, 0.0, plan.height), plan.inertia)
    model.joint("frame", tb.Free(), model.ground, frame, velocity=[speed, 0.0, 0.0, 0.0, 0.0, 0.0])
    spin = (speed + over) / plan.radius
    for (name, _), wheel in zip(_FRONT, _add_front(model, plan, frame, spin), strict=True):
        _add_tyre(model, plan, name, wheel, 0.0, moving)
    shaft = _add_shaft(model, plan, frame, spin)
    for name, sign in _REAR:
        _add_tyre(model, plan, name, shaft, sign * plan.half_track, moving)
    length = plan.front + plan.rear
    middle = frame.at((plan.front - plan.rear) / 2, 0, plan.radius)
    model.shape("frame", middle, tb.Box((length, 1.2 * plan.half_track, 0.02)))
    model.shape("seat", frame.at(-0.1, 0, plan.radius + 0.07), tb.Box((0.03, 0.12, 0.14)))
    model.sensor("kart position", tb.Position(frame.at(0, 0, plan.height)))
    ahead = model.sensor("kart ahead", tb.Direction(frame.at(0, 0, 0), "x"))
    model.sensor("yaw", tb.Signal(tb.atan2(ahead[1], ahead[0]), "rad"))
    model.sensor("kart velocity", tb.Velocity(frame.at(0, 0, plan.height)))
    return frame


def _add_front(model: tb.Model, plan: Kart, frame: BodyHandle, spin: float) -> list[BodyHandle]:
    """Both front wheels, which cables turn after the handle; toe turns them inwards."""
    handle = model.input("steering", unit="rad", min=-0.4, max=0.4)
    toe = model.parameter("toe", 0.0, unit="rad", min=-0.1, max=0.1)
    (stiff, damped), w, wheels = plan.cable, plan.wheel, []
    for name, sign in _FRONT:
        stub, pin = model.body(f"{name} stub", 0.05, inertia=(5e-5, 5e-5, 5e-5)), f"{name} pin"
        place = frame.at(plan.front, sign * plan.half_track, plan.radius)
        model.joint(pin, tb.Revolute("z"), place, stub)
        model.shape(f"{name} stub", stub.at(0, -0.03 * sign, 0), tb.Box((0.02, 0.06, 0.02)))
        pull = stiff * (handle - sign * toe - model.coordinate(pin)) - damped * model.rate(pin)
        model.force(f"{name} cable", tb.JointEffort(pin, pull))
        moments = (w.cross_inertia, w.spin_inertia, w.cross_inertia)
        wheels.append(model.body(f"{name} wheel", w.mass, inertia=moments))
        model.joint(f"{name} spin", tb.Revolute("y"), stub, wheels[-1], velocity=[spin])
    return wheels


def _add_shaft(model: tb.Model, plan: Kart, frame: BodyHandle, spin: float) -> BodyHandle:
    """The rear shaft with its two wheels: one body."""
    w, arm = plan.wheel, plan.half_track**2
    across = 2.0 * (w.cross_inertia + w.mass * arm) + plan.shaft_mass * arm / 3.0
    mass = plan.shaft_mass + 2.0 * w.mass
    shaft = model.body("shaft", mass, inertia=(across, 2.0 * w.spin_inertia, across))
    place = frame.at(-plan.rear, 0, plan.radius)
    model.joint("shaft", tb.Revolute("y"), place, shaft, velocity=[spin])
    model.force("engine", tb.JointEffort("shaft", model.input("axle torque", unit="N m")))
    return shaft


def _add_tyre(
    model: tb.Model, plan: Kart, name: str, body: BodyHandle, y: float, moving: Triple
) -> None:
    model.force(
        f"{name} tyre", tb.vehicle.TyreOnRoad(wheel=body.at(0, y, 0), tyre=plan.tyre, moving=moving)
    )
    model.sensor(name, tb.vehicle.TyreForces(f"{name} tyre"))
    lying = body.at(0, y, 0, turn=("x", pi / 2))
    model.shape(f"{name} wheel", lying, tb.Cylinder(plan.radius, 0.03))


def make(plan: Kart | None = None) -> tb.Model:
    """Held on a belt: inputs "belt speed" [m/s], "steering" [rad] and "axle torque" [N m]. What the
    cell feels, on the kart, is "cell along" and "cell across" [N]."""
    plan = plan or Kart()
    m = tb.Model("kart bench")
    roller = m.body("roller", 2.0, inertia=(0.02, _ROLLER_INERTIA, 0.02))
    end = plan.front + 0.22
    place = m.ground.at(end, 0, -_ROLLER)
    m.joint("roller", tb.Revolute("y"), place, roller, velocity=[-SPEED / _ROLLER])
    wanted = m.input("belt speed", unit="m/s", default=SPEED, min=0.0, max=8.0)
    motor = -_MOTOR * (wanted * (1.0 / _ROLLER) + m.rate("roller"))
    m.force("belt motor", tb.JointEffort("roller", motor))
    m.sensor("belt", tb.Signal(-_ROLLER * m.rate("roller"), "m/s"))
    wide, long = 3.0 * plan.half_track, plan.rear + 0.1 + end
    m.shape("belt", m.ground.at(end - long / 2, 0, -0.006), tb.Box((long, wide, 0.01)))
    m.shape("roller", roller.at(0, 0, 0, turn=("x", pi / 2)), tb.Cylinder(_ROLLER, wide))
    frame = add_kart(m, plan, 0.0, over=SPEED, moving=(_ROLLER * m.rate("roller"), 0.0, 0.0))
    _add_cell(m, plan, frame)
    return m


def _add_cell(model: tb.Model, plan: Kart, frame: BodyHandle) -> None:
    """Holds the frame along and across at one point, about which it may turn, and up and down."""
    stiff, damped = plan.cell
    post, held = model.ground.at(plan.ahead, 0, plan.radius), frame.at(plan.ahead, 0, plan.radius)
    model.force("cell", tb.Bushing(post, held, (stiff, stiff, 0.0), (damped, damped, 0.0)))
    place, motion = (model.sensor(f"cell {w}", k(held)) for w, k in _MEASURED)
    for word, at, middle in (("along", 0, plan.ahead), ("across", 1, 0.0)):
        felt = -stiff * (place[at] - middle) - damped * motion[at]
        model.sensor(f"cell {word}", tb.Signal(felt, "N"))


ENTRY = Entry(
    "kart-bench",
    "a kart held on a conveyor belt, with the side forces of its four tyres live",
    make,
    Experiment(
        6.0, inputs={"steering": STEERING},
        signals=(*(f"{name}.fy" for name in WHEELS), "cell across", "yaw"),
    ),
    sentences=(
        "A kart stands on a conveyor belt that runs below it, held at one point by a load cell.",
        "Steered wheels push it aside until it stands askew and its rear wheels push as well; the "
        "cell feels what all four do together.",
        'Turn "steering", change "belt speed" and "toe", or drive it by "axle torque" and compare '
        "the tyres.",
    ),
)  # fmt: skip
