"""Gillespie's first piano: a hammer that rides on a key and may leave it (1996, Fig. 2.4–2.5).

Two masses in a line stand for the levers: the hammer's, seen at the key front (its lever is five
times as fast, so that 25 times its mass is felt), and half of that for the key. The felt and wood
between them is a spring that never pulls: when it is relaxed the hammer flies, when it is met again
the hammer has landed. A change of inertia is felt at the key both times.

`hammer_key_bed` is the same two masses as a machine of four states (Fig. 3.2)."""

import numpy as np

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment, Shown

HAMMER = 25 * 0.008  # kg at the key front: a hammer of 8 g and its lever of 5 : 1
KEY = HAMMER / 2  # "about 50 percent of the scaled inertia of the hammer"
STIFFNESS = 8000.0  # N/m of wood, felt and leather, seen at the key front
DIP = 9.5e-3  # m
GRAVITY = 9.81 / 5  # the hammer's weight, which acts once, on a mass that counts 25 times


def make() -> tb.Model:
    """Both masses move up along z; the force on the key front is an input, positive when it
    presses (which raises the hammer). A balanced key: gravity acts on the hammer alone."""
    m = tb.Model("bouncing hammer", gravity=(0, 0, 0))
    press = m.input("key force", unit="N")
    stiffness = m.parameter("stiffness", STIFFNESS, unit="N/m", min=100.0)
    hammer, key = m.body("hammer", mass=HAMMER), m.body("key", mass=KEY)
    m.joint("key", tb.Prismatic("z"), m.ground, key, limits=(0.0, DIP), stop=(2e4, 20.0))
    m.joint("hammer", tb.Prismatic("z"), m.ground, hammer, position=-HAMMER * GRAVITY / STIFFNESS)
    m.mode("coupled")
    m.mode("flight")
    gap = m.coordinate("hammer") - m.coordinate("key")
    flying = m.signal("mode")  # 0 in the first mode, 1 in the second
    push = tb.select(flying, 0.0, -stiffness * gap)
    m.force("finger", tb.JointEffort("key", press))
    m.force("weight", tb.JointEffort("hammer", -HAMMER * GRAVITY))
    m.force("felt on hammer", tb.JointEffort("hammer", push))
    m.force("felt on key", tb.JointEffort("key", -push))
    m.transition("leaves", "coupled", "flight", when=gap, direction=+1)
    m.transition("lands", "flight", "coupled", when=gap, direction=-1)
    m.shape("key stick", key.at(0, 0, -0.004), tb.Box((0.06, 0.02, 0.008)))
    m.shape("hammer felt", hammer.at(0, 0, 0.008), tb.Sphere(0.008))
    m.shape("hammer head", hammer.at(0, 0, 0.022), tb.Box((0.012, 0.012, 0.014)))
    m.shape("slide", m.ground.at(-0.036, 0, 0.02), tb.Box((0.004, 0.02, 0.08)))
    m.sensor("felt force", tb.Signal(push, "N"))
    m.sensor("energy", tb.Energy())
    return m


SIGNALS = ("hammer", "key", "felt force")


def stroke(force: float = 2.0, press: float = 0.05, hold: float = 0.8) -> Experiment:
    """A blow of so many newtons for a while, then a light hand."""
    times = np.array([0.0, 0.002, press, press + 0.004, 4.0])
    forces = np.array([0.0, force, force, hold, hold])
    return Experiment(1.2, inputs={"key force": (times, forces)}, signals=SIGNALS)


def strokes() -> Experiment:
    """The same blow, and the key let go after a second, to be struck again and again."""
    times = np.array([0.0, 0.002, 0.05, 0.054, 1.2, 1.21, 2.0])
    forces = np.array([0.0, 2.0, 2.0, 0.8, 0.8, 0.0, 0.0])
    return Experiment(2.0, inputs={"key force": (times, forces)}, signals=SIGNALS)


ENTRY = Entry(
    "bouncing-hammer",
    "a hammer that rides on its key, leaves it when struck, and comes back: two modes",
    make,
    stroke(),
    sentences=(
        "A hammer rides on a key, leaves it when the key is struck, flies, and comes back.",
        "Two modes with an event between them, together or apart: Gillespie's first piano.",
        'Change "key force" while it lies there and find how hard a push makes it fly.',
    ),
    shown=Shown(make, strokes()),
)
NAP = 1e-7  # surfaces that have parted meet again so much deeper [m]
BACK_RAIL = 2e4, 20.0  # N/m, N s/m: where the key rests, which is no state of his
CARRIED, BEDDED = "hammer on key", "key on bed"
STATES = {
    (True, False): CARRIED,
    (False, False): "apart",
    (False, True): BEDDED,
    (True, True): "hammer on key on bed",
}


def hammer_key_bed() -> tb.Model:
    """Hammer, key and key bed with rigid contacts: the hammer is on the key or isn't, the key is on
    its bed or isn't. Each of the four constraint conditions has its own equations. A contact is
    made where its gap closes, without restitution, and ends where its force would pull.

    The input "key force" [N] presses the key, whose motion counts from rest to the bed. Sensors
    "carry gap" and "bed gap" [m], "carry force" and "bed force" [N]."""
    m = tb.Model("hammer, key and bed", gravity=(0, 0, 0))
    press = m.input("key force", unit="N")
    hammer, key = m.body("hammer", mass=HAMMER), m.body("key", mass=KEY)
    m.joint("key", tb.Prismatic("z"), m.ground, key)
    m.joint("hammer", tb.Prismatic("z"), m.ground, hammer)
    q = m.coordinate("key")
    pushed = -BACK_RAIL[0] * q - BACK_RAIL[1] * m.rate("key")
    rail = tb.select(q < 0.0, tb.maximum(pushed, 0.0), 0.0)
    m.force("finger", tb.JointEffort("key", press))
    m.force("back rail", tb.JointEffort("key", rail))
    m.force("weight", tb.JointEffort("hammer", -HAMMER * GRAVITY))
    gaps = {"carry": m.coordinate("hammer") - q, "bed": DIP - q}
    for name, gap in gaps.items():
        m.constrain(name, gap, unit="m")
        m.sensor(f"{name} gap", tb.Signal(gap, "m"))
        m.sensor(f"{name} force", tb.Multiplier(name))
    m.sensor("energy", tb.Energy())
    for (carried, bedded), name in STATES.items():
        acting = [each for each, acts in (("carry", carried), ("bed", bedded)) if acts]
        m.mode(name, active=acting)
    for (carried, bedded), name in STATES.items():
        for contact, made, after in (
            ("carry", carried, STATES[not carried, bedded]),
            ("bed", bedded, STATES[carried and bedded, not bedded]),  # a key that stops throws it
        ):
            when = m.signal(f"{contact} force") if made else gaps[contact] + NAP
            m.transition(f"{contact} {'parts' if made else 'meets'}; {name}", name, after, when)
    return m
