"""Hammer, key and key bed as a machine of four states (Gillespie 1996, Fig. 3.2).

Two masses in a line stand for hammer and key, as in his first piano (`bouncing_hammer`), with rigid
contacts: the hammer is on the key or isn't, the key is on its bed or isn't. Each of the four
constraint conditions has its own equations. A contact is made where its gap closes, without
restitution, and ends where its force would pull.
"""

from touchback.gallery.bouncing_hammer import DIP, GRAVITY, HAMMER, KEY
from touchback.model import Model
from touchback.model.forces import JointEffort
from touchback.model.joints import Prismatic
from touchback.model.sensors import Energy, Multiplier, Signal
from touchback.symbolic.functions import maximum, select

NAP = 1e-7  # surfaces that have parted meet again so much deeper [m]
BACK_RAIL = 2e4, 20.0  # N/m, N s/m: where the key rests, which is no state of his
CARRIED, BEDDED = "hammer on key", "key on bed"
STATES = {
    (True, False): CARRIED,
    (False, False): "apart",
    (False, True): BEDDED,
    (True, True): "hammer on key on bed",
}


def hammer_key_bed() -> Model:
    """The machine; its input "key force" [N] presses the key, whose motion counts from rest to the
    bed. Sensors "carry gap" and "bed gap" [m], "carry force" and "bed force" [N]."""
    m = Model("hammer, key and bed", gravity=(0, 0, 0))
    press = m.input("key force", unit="N")
    hammer, key = m.body("hammer", mass=HAMMER), m.body("key", mass=KEY)
    m.joint("key", Prismatic("z"), m.ground, key)
    m.joint("hammer", Prismatic("z"), m.ground, hammer)
    q = m.coordinate("key")
    pushed = -BACK_RAIL[0] * q - BACK_RAIL[1] * m.rate("key")
    rail = select(q < 0.0, maximum(pushed, 0.0), 0.0)
    m.force("finger", JointEffort("key", press))
    m.force("back rail", JointEffort("key", rail))
    m.force("weight", JointEffort("hammer", -HAMMER * GRAVITY))
    gaps = {"carry": m.coordinate("hammer") - q, "bed": DIP - q}
    for name, gap in gaps.items():
        m.constrain(name, gap, unit="m")
        m.sensor(f"{name} gap", Signal(gap, "m"))
        m.sensor(f"{name} force", Multiplier(name))
    m.sensor("energy", Energy())
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
