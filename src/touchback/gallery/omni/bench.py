"""The omni wheel's test bench: one wheel on the floor, kept upright by a servo-constraint.

After Kosenko 2015, § 4: k·n = 0 for the axle k and the floor's normal n, kept by the torque
λ k × n; the rest of the vehicle is a wrench on the wheel's centre."""

from touchback import Direction, Energy, Free, Model, Multiplier, Position, Wrench
from touchback.gallery.entry import Entry, Experiment
from touchback.gallery.omni.floor import (
    ContactPoint,
    ContactSlip,
    RollerFriction,
    RollerInContact,
)
from touchback.gallery.omni.shape import WheelShape
from touchback.gallery.omni.wheel import add_rollers, total_mass

MASS, MOMENTS = 0.5, (3.5e-4, 6.0e-4, 3.5e-4)  # of the disc [kg, kg m²]
G = 9.81
SHAPE = WheelShape(radius=0.05, rollers=6, off=0.04, inclination=0.3)


def make(
    shape: WheelShape = SHAPE,
    tracker: str = "explicit",
    friction: float = 0.3,
    slip_speed: float = 0.02,
) -> Model:
    """The disc is free, its rollers turn on it. Two constraints: "upright", whose multiplier is the
    servo's torque, and "floor", by which the roller in contact doesn't sink into the floor; its
    multiplier is the load. The floor only pushes: where the vehicle lifts more than the weight
    ("pressing" < 0) it lets go, mode "off the floor", until the wheel lands, without a bounce.
    On the floor the centre keeps its height, so that the load is the weight and what the vehicle
    presses, which is what friction uses."""
    m = Model("omni wheel", gravity=(0, 0, -G))
    disc = m.body("disc", MASS, inertia=MOMENTS)
    m.joint("wheel", Free(), m.ground, disc, position=(0, 0, shape.radius, 1, 0, 0, 0))
    wheel = add_rollers(m, disc, shape, tracker)
    pressing = m.parameter("pressing", 0.0, unit="N")
    torque = m.input("axle torque", unit="N m")
    pushed = m.input("force x", unit="N"), m.input("force y", unit="N")
    m.force("vehicle", Wrench(disc.at(0, 0, 0), force=(*pushed, 0)))
    m.force("weight of the vehicle", Wrench(disc.at(0, 0, 0), force=(0, 0, -pressing)))
    m.force("motor", Wrench(disc.at(0, 0, 0), torque=(0, torque, 0), axes="body"))
    m.sensor("roller", RollerInContact(wheel))
    contact = m.sensor("contact", ContactPoint(wheel))
    slip = m.sensor("slip", ContactSlip(wheel))
    axle = m.sensor("axle", Direction(disc.at(0, 0, 0), "y"))
    m.constrain("upright", position=axle[2])
    m.constrain("floor", velocity=slip[2], unit="m/s")
    mu = m.parameter("friction", friction, min=0.0)
    load = total_mass(MASS, shape) * G + pressing
    m.force("friction", RollerFriction(wheel, load, mu, slip_speed))
    m.sensor("centre", Position(disc.at(0, 0, 0)))
    m.sensor("energy", Energy())
    m.sensor("servo torque", Multiplier("upright"))
    held = m.sensor("load", Multiplier("floor"))
    m.mode("on the floor", active=["upright", "floor"])
    m.mode("off the floor", active=["upright"])
    m.transition("lets go", "on the floor", "off the floor", when=held)
    m.transition("lands", "off the floor", "on the floor", when=contact[3])
    return m


ENTRY = Entry(
    "omni-wheel",
    "an omni wheel kept upright on the floor: rollers take over from each other",
    make,
    Experiment(
        1.0,
        rates={"wheel.vx": 0.3, "wheel.vy": 0.2, "wheel.wy": 12.0},
        signals=("centre.x", "centre.y", "contact.y", "servo torque"),
    ),
    sentences=(
        "An omni wheel, with rollers along its rim, is kept upright on the floor and pushed.",
        "It rolls ahead as a wheel and aside on its rollers, which take over from each other "
        "at every step of its turn.",
        'Set "force y" and see it drift sideways almost without friction.',
    ),
)
