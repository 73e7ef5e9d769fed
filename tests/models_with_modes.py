"""Mechanisms with modes that tests share; all have closed forms."""

import touchback as tb

G = 9.81


def bouncing_ball(restitution: float = 0.9, rest: bool = False) -> tb.Model:
    """A ball that falls from 1 m and, with `rest`, comes to lie on the floor."""
    m = tb.Model("ball", gravity=(0, 0, -G))
    ball = m.body("ball", mass=1.0)
    m.joint("height", tb.Prismatic("z"), m.ground, ball, position=1.0)
    height = m.coordinate("height")
    m.constrain("floor", height, unit="m")
    m.sensor("floor force", tb.Multiplier("floor"))
    m.sensor("energy", tb.Energy())
    m.mode("flight")
    if rest:
        m.mode("rest", active=["floor"])
    m.transition(
        "bounce", "flight", "flight", when=height, impact=["floor"], restitution=restitution,
        rest="rest" if rest else None,
    )  # fmt: skip
    return m


def clutch(engaged_at: float = 0.5) -> tb.Model:
    """Two inertias that are joined at a time; the motor's momentum is shared."""
    m = tb.Model("clutch", gravity=(0, 0, 0))
    for name, inertia, speed in (("motor", 0.2, 100.0), ("load", 0.5, 10.0)):
        body = m.body(name, mass=1.0, inertia=(inertia, inertia, inertia))
        m.joint(name, tb.Revolute("z"), m.ground, body, velocity=speed)
    m.constrain("plates", velocity=m.rate("motor") - m.rate("load"))
    m.mode("open")
    m.mode("engaged", active=["plates"])
    m.transition("engage", "open", "engaged", when=engaged_at - m.time)
    return m


def pegged_pendulum() -> tb.Model:
    """A bob on a string of 1 m that winds on a peg 0.4 m below the pivot on one side."""
    m = tb.Model("pegged pendulum", gravity=(0, 0, -G))
    bob = m.body("bob", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("bob", tb.Planar("y"), m.ground, bob)  # z, x, turn
    x = m.coordinate("bob", 1)
    m.constrain("upright", m.coordinate("bob", 2))
    m.close("string", tb.Rod(1.0), m.ground, bob)
    m.close("string on peg", tb.Rod(0.6), m.ground.at(0, 0, -0.4), bob)
    m.mode("long", active=["string"])
    m.mode("short", active=["string on peg"])
    m.transition("catch", "long", "short", when=x, direction=+1)
    m.transition("release", "short", "long", when=x, direction=-1)
    m.sensor("energy", tb.Energy())
    return m


def block_on_belt(friction: float = 0.5, belt: float = 0.5, stiffness: float = 25.0) -> tb.Model:
    """A block of 1 kg on a belt, held by a spring: it sticks until the spring pulls harder than dry
    friction holds (static 0.5, sliding 0.3 of its weight), then slides back."""
    m = tb.Model("block on a belt", gravity=(0, 0, 0))
    block = m.body("block", mass=1.0)
    m.joint("block", tb.Prismatic("x"), m.ground, block, spring=stiffness)
    speed = m.rate("block") - belt
    m.constrain("grip", velocity=speed)
    grip = m.sensor("grip force", tb.Multiplier("grip"))
    sliding = m.input("sliding friction", unit="N")
    m.force("friction", tb.JointEffort("block", sliding))
    m.mode("stick", active=["grip"])
    m.mode("slip")
    m.transition("break away", "stick", "slip", when=friction * G - grip)
    m.transition("catch", "slip", "stick", when=speed, direction=+1)
    m.control(
        "friction", lambda mode: tb.select(mode, 0.3 * G, 0.0), of=["mode"], to="sliding friction"
    )
    return m


def bead_on_dome(speed: float = 0.2) -> tb.Model:
    """A bead that slides down a dome of 1 m and leaves it where it presses no more."""
    m = tb.Model("bead on a dome", gravity=(0, 0, -G))
    bead = m.body("bead", mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.joint("bead", tb.Planar("y"), m.ground, bead, position=(1.0, 0, 0), velocity=(0, speed, 0))
    m.constrain("upright", m.coordinate("bead", 2))
    m.close("dome", tb.Rod(1.0), m.ground, bead)
    press = m.sensor("press", tb.Multiplier("dome"))
    m.sensor("felt", tb.Readout("N"))
    m.mode("sliding", active=["dome"], readouts={"felt": press})
    m.mode("falling")
    m.transition("take-off", "sliding", "falling", when=press)
    m.sensor("energy", tb.Energy())
    return m


def striking_rods(law: str = "newton", restitution: float = 0.6) -> tb.Model:
    """A double pendulum in the x–z plane whose tip and elbow strike walls at one instant."""
    m = tb.Model("striking rods", gravity=(0, 0, -G))
    upper = m.body("upper", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    lower = m.body("lower", mass=2.0, com=(0, 0, -0.3), inertia=(0.05, 0.05, 0.01))
    m.joint("upper", tb.Revolute("y"), m.ground, upper, position=0.1, velocity=-2.0)
    m.joint("lower", tb.Revolute("y"), upper.at(0, 0, -1.0), lower, velocity=-3.0)
    elbow = m.sensor("elbow", tb.Position(upper.at(0, 0, -1.0)))
    tip = m.sensor("tip", tb.Position(lower.at(0, 0, -0.6)))
    m.constrain("elbow wall", elbow[0])
    m.constrain("tip wall", tip[0])
    m.mode("swing")
    m.transition(
        "strike", "swing", "swing", when=m.coordinate("upper"), direction=0, law=law,
        impact=["elbow wall", "tip wall"],
        restitution={"elbow wall": restitution, "tip wall": 0.5 * restitution},
    )  # fmt: skip
    m.sensor("energy", tb.Energy())
    return m


def follower(on_cart: bool, first: str, goal: float = 1.0) -> tb.Model:
    """A cart that rolls freely and a slider, on the ground or on the cart, that follows it for a
    while; they are apart when it begins."""
    m = tb.Model("follower", gravity=(0, 0, 0))
    offset = m.input("offset", unit="m", default=0.1)
    cart = m.body("cart", mass=1.0)
    m.joint("cart", tb.Prismatic("x"), m.ground, cart, velocity=1.0)
    rail = cart if on_cart else m.ground
    m.joint("slider", tb.Prismatic("x"), rail, m.body("slider", mass=2.0), position=0.5)
    m.mode("free", initial=first == "free")
    place = goal * m.coordinate("cart") + offset
    m.mode("follow", tracking={"slider": place}, initial=first == "follow")
    m.transition("begin", "free", "follow", when=0.5 - m.time)
    m.transition("end", "follow", "free", when=0.9 - m.time)
    return m
