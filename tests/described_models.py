"""Models that between them use everything that can be described; files must keep all of it."""

import math

import touchback as tb
from touchback.contact import SurfaceContact
from touchback.contact.surfaces import Ellipsoid, Plane
from touchback.model.constraint_kinds import Differential, Gear, Rack, ScrewCoupling
from touchback.model.sensors import Multiplier


def leg() -> tb.Model:
    """A part with parameters, an input, a table and a control of its own."""
    m = tb.Model("leg")
    length = m.parameter("thigh length", 0.4, unit="m", min=0.1, max=1.0)
    stiffness = m.parameter("knee stiffness", 20.0, unit="N m/rad")
    moment = 0.9 * length**2  # of 0.9 kg
    thigh = m.body(
        "thigh", mass=5 * length, com=(0, 0, -length / 2), inertia=(moment, moment, 1e-3)
    )
    shin = m.body("shin", mass=3, com=(0, 0, -0.2), inertia=(0.03, 0.03, 1e-3))
    m.joint("hip", tb.Universal("x", "-y"), m.ground, thigh, damping=0.1)
    m.joint(
        "knee",
        tb.Revolute("y"),
        thigh.at(0, 0, -length),
        shin,
        spring=stiffness,
        rest=0.3,
        friction=0.1,
        friction_speed=0.01,
        armature=1e-3,
        limits=(0, 2.5),
        stop=(100, 1),
        position=0.4,
        velocity=-0.5,
    )
    m.shape("shin", shin.at(0, 0, -0.2), tb.Cylinder(0.03, length))
    torque = m.input("knee torque", unit="N m", default=0.5)
    drive = m.input("drive")
    m.force("knee motor", tb.JointEffort("knee", torque))
    curve = m.table("strength", (0.0, 1.0, 2.0), (0.0, 10.0, 5.0))
    m.force("muscle", tb.JointEffort("knee", drive * tb.lookup(curve, abs(m.coordinate("knee")))))
    m.control("reflex", lambda v: -0.1 * v, of=["v:knee"], to="drive")
    m.sensor("foot", tb.Position(shin.at(0, 0, -0.4)))
    return m


def walker() -> tb.Model:
    """Two copies of a leg on a moving ground, with states, controls, tables and every option."""
    m = tb.Model("walker", gravity=(0, 0, -9.80665))
    trunk = m.body(
        "trunk", mass=40, com=(0, 0, 0.3), inertia=[[2, 0.1, 0], [0.1, 1.5, 0], [0, 0, 1]]
    )
    width = m.parameter("hip width", 0.3, unit="m")
    ratio = m.parameter("ratio", 0.5)
    m.joint("root", tb.Free(), m.ground, trunk, position=(0, 0, 1, 1, 0, 0, 0), velocity=[0.1] * 6)
    part = leg()
    m.add(part, at=trunk.at(0, width / 2, 0), name="left", share=["thigh length"])
    m.add(
        part,
        at=trunk.at(0, -width / 2, 0, turn=[("z", 0.1), ("x", ratio)]),
        name="right",
        share=["thigh length"],
        bind={"knee stiffness": 30 * ratio},
    )
    z = m.state("filtered", 0.1, lambda z: (m.signal("left/foot.z") - z) / 0.05, unit="m")
    surface = m.table("map", (0.0, 1.0), [[1, 2, 3], [4, 5, 6]], y=(0.0, 1.0, 2.0))
    unnamed = tb.Table((-1.0, 1.0), (-2.0, 2.0))
    m.control(
        "gait",
        lambda q, v, t: -10 * tb.sin(t) * q + tb.select(q < 0.1, tb.lookup(surface, q, v), 0.0),
        of=["q:left/knee", "v:left/knee", "time"],
        to="left/knee torque",
    )
    m.force("rope", tb.LinkForce(trunk, m.ground.at(0, 0, 2), lambda d, r: tb.maximum(d - 1, r)))
    m.force("wind", tb.Drag(trunk, area=0.5, flow=(tb.lookup(unnamed, tb.sin(m.time)), 0, 0)))
    shared = tb.sqrt(1 + ratio**2 + width * tb.exp(ratio))  # long, and used twice
    m.sensor("one", tb.Signal(z * shared, "m^1.5"))
    m.sensor("other", tb.Signal(shared / (1 + z**2)))
    turning = [("y", 0.1), ("z", 0.2 * ratio * m.time)]
    m.move_base(position=(-tb.cos(m.time), 0, width), turn=turning)
    return m


def every_joint() -> tb.Model:
    """A chain of all kinds of joints, with axes and frames in general position."""
    m = tb.Model("chain")
    pitch = m.parameter("pitch", 0.01)
    kinds = {
        "fixed": tb.Fixed(),
        "revolute": tb.Revolute((1, 2, 3)),
        "prismatic": tb.Prismatic("-y"),
        "screw": tb.Screw("x", pitch),
        "cylindrical": tb.Cylindrical((0, 1, 1)),
        "universal": tb.Universal("z", "x"),
        "planar": tb.Planar("y"),
        "spherical": tb.Spherical(),
        "free": tb.Free(),
    }
    carrier = m.ground
    for name, kind in kinds.items():
        body = m.body(f"{name} body", mass=1, com=(0.1, 0.02, -0.03), inertia=(0.1, 0.12, 0.13))
        parent = carrier.at(0.1, 0.2, 0.3, turn=[("x", 0.1), ("z", math.pi / 3)])
        m.joint(name, kind, parent, body.at(0, 0.1, 0, turn=("y", -0.2)), damping=0.1 + pitch)
        carrier = body
    return m


def every_force_and_sensor() -> tb.Model:
    """One body with all kinds of forces and sensors."""
    m = tb.Model("cart")
    k = m.parameter("k", 3.0)
    cart = m.body("cart", mass=2.0)
    m.joint("track", tb.Prismatic("x"), m.ground, cart)
    tip = cart.at(0, 0, 0.5, turn=("y", k))
    m.force("push", tb.Wrench(tip, force=(1, k, 0), torque=(0, 0, 2), axes="body"))
    m.force("spring", tb.SpringDamper(m.ground, tip, stiffness=k, damping=0.1, length=0.3))
    m.force("link", tb.LinkForce(m.ground, tip, tension=2 * k))
    m.force("return", tb.TorsionSpring("track", 1, 0.1, rest=k, preload=0.2))
    m.force("rubber", tb.Bushing(m.ground, tip, (k, 2, 3), (0.1, 0.2, 0.3), (1, 1, k)))
    m.force("motor", tb.JointEffort("track", tb.sin(m.time)))
    m.force("axis", tb.AxisEffort(tip, m.ground, k, (1, 0, 2)))
    m.force("twist", tb.AxisEffort(tip, m.ground.at(0, k, 0), 2.0, "-y", turning=True))
    m.force("float", tb.Buoyancy(cart, volume=k / 1000))
    oil = m.fluid("oil", density=k, surface=0.1, current=(0.2, 0, 0))
    m.force("hull", tb.Immersed(cart, tb.Box((0.2, 0.1, k / 1000)), oil, added=(0.1, 0.2, 0)))
    m.force("air", tb.Drag(cart, area=0.1, coefficient=k))
    m.force("syrup", tb.BoxDrag(cart, (0.1, 0.2, 0.3), 1.4, k / 1000, flow=(0.1, 0, 0)))
    held = m.input("grip"), (m.input("pull"), 0.0, k)
    m.force("hand", tb.Hand((tip, cart), *held, (0.1, k, 0.0), 50 * k, 2.0, bound=30))
    m.force("floor", tb.contact.SphereOnPlane(tip, m.ground, 0.6, 100 * k, law="spring-damper"))
    rail = tb.contact.Outline(
        [tb.contact.Line(m.ground, 2 * k), tb.contact.Arc(m.ground, k, 0.1, 3.0, hollow=True)]
    )
    felt = tb.contact.Felt(1000 * k, hysteresis=1e-4, memory=0.3)
    m.force(
        "rail", tb.contact.ProfileContact(tb.contact.Circle(tip, 0.6), rail, felt, friction=0.2)
    )
    kinds = {
        "position": tb.Position(tip),
        "velocity": tb.Velocity(tip),
        "acceleration": tb.Acceleration(tip),
        "felt": tb.Accelerometer(tip),
        "spin": tb.AngularVelocity(cart),
        "spin-up": tb.AngularAcceleration(cart),
        "push": tb.TotalForce(cart),
        "turn": tb.TotalTorque(cart),
        "direction": tb.Direction(tip, "x"),
        "distance": tb.Distance(m.ground.at(0, 0, 1), tip),
        "travel": tb.AxisMotion(tip, m.ground, (1, 2, 3)),
        "twist": tb.AxisMotion(tip, m.ground, turning=True),
        "effort": tb.Effort("track"),
        "reaction": tb.Reaction("track"),
        "gap": tb.Gap("floor"),
        "touch": tb.ContactForce("rail"),
        "rub": tb.FrictionForce("rail"),
        "signal": tb.Signal(k * m.time, "s"),
        "energy": tb.Energy("kinetic"),
        "M": tb.MassMatrix(joints=("track",)),
        "c": tb.BiasEffort(),
        "g": tb.GravityEffort(),
        "still": tb.HoldingEffort(),
        "J": tb.Jacobian(tip),
        "drift": tb.BiasAcceleration(tip),
    }
    for name, kind in kinds.items():
        m.sensor(name, kind)
    return m


def loops() -> tb.Model:
    """Every closure, coupling, constraint and drive, described without a care for redundancy."""
    m = tb.Model("loops")
    length = m.parameter("length", 0.4)
    for i in range(6):
        m.body(f"bar {i}", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
        m.joint(f"pin {i}", tb.Revolute("y"), m.ground.at(i, 0, 0), f"bar {i}")
    m.body("slider", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("slide", tb.Cylindrical("x"), m.ground, "slider")
    kinds = {
        "in plane": tb.PointInPlane("xz"),
        "on plane": tb.PointOnPlane("y"),
        "on line": tb.PointOnLine("z"),
        "rod": tb.Rod(2 * length),
        "ball": tb.Spherical(),
        "pin": tb.Revolute((0, 1, 0)),
        "weld": tb.Fixed(),
        "blade": tb.Skate((0, 1, 1)),
        "wheel": tb.Rolling(length / 2, axis="y"),
    }
    for name, kind in kinds.items():
        m.close(name, kind, tb.Frame("bar 0", (length, 0.0, 0.0)), "bar 1")
    m.couple("gear", Gear("pin 0", "pin 1", ratio=-length))
    m.couple("rack", Rack("pin 2", "slide", radius=length, offset=0.1))
    m.couple("thread", ScrewCoupling("slide", pitch=0.01))
    m.couple("differential", Differential("pin 0", "pin 2", "pin 3", active=False))
    m.constrain("written", position=m.coordinate("pin 0") - m.coordinate("pin 4") * length)
    m.constrain("skate", velocity=m.rate("pin 2") - tb.sin(m.time), through="pin 5", unit="m/s")
    m.drive("pin 3", tb.sin(m.time), velocity=tb.cos(m.time), name="motor")
    m.drive("slide", m.time, index=1)
    m.sensor("motor torque", Multiplier("motor"))
    return m


def latch() -> tb.Model:
    """A door that a spring shuts, and a latch that holds it until it is pulled."""
    m = tb.Model("latch", gravity=(0, 0, 0))
    pull = m.input("pull", unit="N m")
    e = m.parameter("restitution", 0.2, min=0.0, max=1.0)
    door = m.body("door", mass=2.0, com=(0.4, 0, 0), inertia=(0.01, 0.1, 0.1))
    m.joint("door", tb.Revolute("z"), m.ground, door, spring=4.0, position=0.5)
    m.force("pull", tb.JointEffort("door", pull))
    angle = m.coordinate("door")
    m.constrain("latched", angle)
    held = m.sensor("latch torque", tb.Multiplier("latched"))
    m.sensor("felt", tb.Readout("N m"))
    m.mode("ajar", readouts={"felt": -4.0 * angle})
    m.mode("shut", active=["latched"], readouts={"felt": held})
    m.transition(
        "slam", "ajar", "ajar", when=angle, impact=["latched"], restitution={"latched": e},
        rest="shut", rest_speed=0.01,
    )  # fmt: skip
    m.transition("open", ["shut"], "ajar", when=held + 5.0, reset={"v:door": 0.1 + 0.0 * angle})
    return m


def touching() -> tb.Model:
    """A body that touches the ground by a surface and by every kind of rigid contact."""
    m = tb.Model("touching")
    r = m.parameter("r", 0.1)
    body = m.body("body", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("free", tb.Free(), m.ground, body, position=(0, 0, 0.2, 1, 0, 0, 0))
    soft = SurfaceContact(m.ground, Plane(), body, Ellipsoid(r, 2 * r, 0.15), guess=(0, 0, -0.1))
    m.force("soft", soft)
    m.contact(
        "sphere", tb.contact.SpherePlaneContact(body, m.ground, r, friction=0.3, tangents="x")
    )
    m.contact(
        "ball", tb.contact.SphereSphereContact(m.ground.at(0, 0, -1), body, r, r, friction=0.2)
    )
    m.contact("rim", tb.contact.DiscPlaneContact(body.at(0, 0, 0, turn=("x", 1.0)), radius=r))
    m.contact(
        "bump", tb.contact.DescribedContact(m.coordinate("free", 2) - r, m.rate("free"), friction=r)
    )
    return m


ALL = (leg, walker, every_joint, every_force_and_sensor, latch, touching)
