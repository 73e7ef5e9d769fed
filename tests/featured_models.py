"""One small mechanism, a pendulum on a cart, with one feature of models at a time."""

from collections.abc import Callable
from functools import cache

import touchback as tb
from touchback.contact.compliant_contacts import SurfaceContact
from touchback.contact.surfaces import Ball, Plane

FEATURES: dict[str, Callable[[tb.Model], None]] = {}
COPIES = "copies"  # of a compiled system
LENGTH = 0.5


def feature(add: Callable[[tb.Model], None]) -> None:
    FEATURES[add.__name__.replace("_", " ")] = add


def cart_and_pendulum(name: str = "cart and pendulum") -> tb.Model:
    """Both held by springs, pushed by inputs, and under way."""
    m = tb.Model(name)
    stiffness = m.parameter("stiffness", 40.0, unit="N/m")
    cart = m.body("cart", mass=2.0)
    bob = m.body("bob", mass=1.0, com=(0, 0, -LENGTH), inertia=(0.01, 0.01, 0.01))
    m.joint("x", tb.Prismatic("x"), m.ground, cart, velocity=0.3, spring=stiffness)
    m.joint("swing", tb.Revolute("y"), cart, bob, position=0.2, velocity=0.5)
    for joint, word in (("x", "push"), ("swing", "torque")):
        m.force(word, tb.JointEffort(joint, m.input(word)))
    m.sensor("tip", tb.Position(bob.at(0, 0, -LENGTH)))
    return m


@cache
def compiled(name: str, switchable: bool = False) -> tb.System:
    """The mechanism with a feature, or "" for none; `switchable`: with a constraint at rest."""
    m = cart_and_pendulum(name or "plain")
    if name in FEATURES:
        FEATURES[name](m)
    if switchable:
        m.constrain("stay", m.coordinate("swing") - 0.2, active=False)
    system = m.compile()
    return tb.copies(system, ["a", "b"]) if name == COPIES else system


TIP = tb.Frame("bob", at=(0.0, 0.0, -LENGTH))


@feature
def closures(m: tb.Model) -> None:
    m.close("rod", tb.Rod(0.7), m.ground.at(0.6, 0, -0.4), TIP)


@feature
def couplings(m: tb.Model) -> None:
    m.couple("rack", tb.Rack("swing", "x", radius=0.3))


@feature
def written_constraints(m: tb.Model) -> None:
    m.constrain("tie", m.coordinate("x") - 0.3 * tb.sin(m.coordinate("swing")), unit="m")


@feature
def velocity_constraints(m: tb.Model) -> None:
    m.constrain("tie", velocity=m.rate("x") - 0.3 * m.rate("swing") * tb.cos(m.coordinate("swing")))


@feature
def servo_constraints(m: tb.Model) -> None:
    m.constrain("servo", m.coordinate("swing") - 0.1 - 0.5 * m.coordinate("x"), through="x")


@feature
def friction_of_constraints(m: tb.Model) -> None:
    m.constrain(
        "guide", m.coordinate("x") - 0.3 * m.coordinate("swing") - 0.05, unit="m",
        friction=0.3, slides=m.rate("x") - 0.2, slip_speed=0.05,
    )  # fmt: skip


@feature
def drives(m: tb.Model) -> None:
    m.drive("x", lambda t: 0.1 + 2.0 * t**3)


@feature
def joint_laws(m: tb.Model) -> None:
    """A stop, friction, damping and armature."""
    m.body("puck", mass=0.5)
    options = {"damping": 2.0, "friction": 0.5, "friction_speed": 0.05, "armature": 0.1}
    stops = {"limits": (-0.05, 0.01), "stop": (500.0, 5.0)}
    m.joint("slide", tb.Prismatic("z"), "cart", "puck", spring=100.0, **options, **stops)


@feature
def soft_contacts(m: tb.Model) -> None:
    plane = m.ground.at(0, 0, -LENGTH + 0.01)
    m.force("floor", tb.contact.SphereOnPlane(TIP, plane, stiffness=2e4, exponent=1.5, damping=0.3))


@feature
def felts(m: tb.Model) -> None:
    """Felt with a memory of its own: an internal state."""
    felt = tb.contact.Felt(2e4, exponent=2.0, memory=0.3, memory_time=0.05)
    floor = tb.contact.Line(m.ground.at(0, 0, -LENGTH + 0.01))
    m.force("felt", tb.contact.ProfileContact(floor, tb.contact.Circle(TIP, 0.02), law=felt))


@feature
def surface_contacts(m: tb.Model) -> None:
    law = tb.contact.HuntCrossley(2000.0)
    floor = m.ground.at(0, 0, -LENGTH - 0.02)
    m.force("floor", SurfaceContact(floor, Plane(), TIP, Ball(0.05), law=law))


@feature
def rigid_contacts(m: tb.Model) -> None:
    m.contact("floor", tb.contact.SpherePlaneContact(TIP, m.ground.at(0, 0, -LENGTH + 0.009)))


@feature
def modes(m: tb.Model) -> None:
    m.constrain("held", m.coordinate("x") - 0.02, unit="m")
    m.mode("free")
    m.mode("caught", active=["held"])
    m.transition("catch", "free", "caught", when=0.02 - m.coordinate("x"), impact=["held"])


@feature
def memories(m: tb.Model) -> None:
    count = m.memory("count", update=lambda before: before + 1.0)
    m.force("growing", tb.JointEffort("x", 0.01 * count))


@feature
def moving_base(m: tb.Model) -> None:
    m.move_base(position=(0.5 * m.time**2, 0.0, 0.25 * m.time**2))


@feature
def states(m: tb.Model) -> None:
    lag = m.state("lag", 0.1, lambda z: 10.0 * (m.coordinate("swing") - z))
    m.force("lagging", tb.JointEffort("x", -20.0 * lag))


@feature
def controls(m: tb.Model) -> None:
    pull = m.input("pull")
    m.force("pull", tb.JointEffort("swing", pull))
    m.control("pd", lambda q, v: -2.0 * q - 0.3 * v, ["q:swing", "v:swing"], "pull")


@feature
def parts(m: tb.Model) -> None:
    inner = tb.Model("bell", gravity=(0, 0, 0))
    clapper = inner.body("clapper", mass=0.3, com=(0, 0, -0.1))
    inner.joint("turn", tb.Revolute("y"), inner.ground, clapper, spring=0.5)
    m.add(inner, at=tb.Frame("cart"))


@feature
def balls(m: tb.Model) -> None:
    """A joint with a quaternion."""
    m.body("ball", mass=0.4, com=(0, 0, -0.1), inertia=(1e-3, 2e-3, 3e-3))
    m.joint("ball", tb.Spherical(), "cart", "ball", damping=0.05)
