"""A harpsichord key: a jack that rises past its string, with the pluck as a state machine
(Gillespie 1996, Fig. 3.3–3.4).

The plectrum under the string bends as the jack rises and slips off when the string pulls harder
than it holds: a pluck. On the way down the tongue turns out of the way, so that nothing is felt and
nothing sounds; it is not modelled, the mode "above" knows that the pluck has been."""

import numpy as np

from touchback import Box, Energy, JointEffort, Model, Revolute, Signal, maximum, select

# Usual dimensions and weights of an eight-foot register; ours, for a key of about 50 g of touch.
FRONT, BACK = 0.22, 0.24  # m, from the balance pin to the key front and to the jack
DIP = 6.5e-3  # m at the key front
KEY_MASS, JACK_MASS = 0.06, 0.008  # kg; a balanced lever, and a jack with a lead in it
KEY_MOMENT = KEY_MASS * (FRONT + BACK) ** 2 / 12  # of a rod
GRAVITY = 9.81
# Three strokes, the second begun before the jack has come home and therefore silent: s, N.
STROKE_TIMES = (0.0, 0.1, 0.35, 0.4, 0.42, 0.43, 0.6, 0.65, 0.9, 0.95, 1.1, 1.15, 1.5)
STROKE_FORCES = (0.0, 1.6, 1.6, 0.0, 0.0, 1.6, 1.6, 0.0, 0.0, 1.6, 1.6, 0.0, 0.0)


def harpsichord_key() -> Model:
    """The key turns about its balance pin; its depth at the front is positive when pressed, and the
    jack at its other end rises by BACK/FRONT as much. The force at the front is an input."""
    m = Model("harpsichord", gravity=(0, 0, 0))
    press = m.input("key force", unit="N")
    string = m.parameter("string above plectrum", 3.2e-3, unit="m", min=0.0, max=6e-3)
    stiffness = m.parameter("plectrum stiffness", 700.0, unit="N/m", min=10.0)
    strength = m.parameter("plectrum strength", 1.0, unit="N", min=0.05)
    key = m.body("key", mass=KEY_MASS, inertia=(1e-6, KEY_MOMENT, KEY_MOMENT))
    m.joint(
        "key", Revolute("y"), m.ground, key, armature=JACK_MASS * BACK**2, damping=2e-4,
        limits=(0.0, DIP / FRONT), stop=(1500.0, 1.5),
    )  # fmt: skip
    rise = BACK * m.coordinate("key")
    bend = rise - string
    for mode in ("below", "plucking", "above"):
        m.mode(mode)
    plucking = m.signal("mode") * (2.0 - m.signal("mode"))  # 1 in the second of three, else 0
    pull = select(plucking > 0.5, stiffness * maximum(bend, 0.0), 0.0)
    m.force("finger", JointEffort("key", press * FRONT))
    m.force("jack", JointEffort("key", -JACK_MASS * GRAVITY * BACK))
    m.force("plectrum", JointEffort("key", -pull * BACK))
    m.transition("meets", "below", "plucking", when=bend, direction=+1)
    m.transition("gives up", "plucking", "below", when=bend, direction=-1)
    m.transition("plucks", "plucking", "above", when=strength - stiffness * bend)
    m.transition("passes", "above", "below", when=bend, direction=-1)
    m.shape("key stick", key.at((FRONT - BACK) / 2, 0, 0), Box((FRONT + BACK, 0.02, 0.014)))
    m.shape("jack", key.at(-BACK, 0, 0.06), Box((0.012, 0.008, 0.11)))
    m.shape("plectrum", key.at(-BACK + 0.011, 0, 0.1), Box((0.012, 0.004, 0.002)))
    over = 0.101 + string  # m: the plectrum lies that much below it
    m.shape("string", m.ground.at(-BACK + 0.012, 0, over + 0.002), Box((0.004, 0.05, 0.004)))
    m.sensor("depth", Signal(FRONT * m.coordinate("key"), "m"))
    m.sensor("jack", Signal(rise, "m"))
    m.sensor("string force", Signal(pull, "N"))
    m.sensor("felt force", Signal((pull + JACK_MASS * GRAVITY) * BACK / FRONT, "N"))
    m.sensor("energy", Energy())
    return m


def stroke_forces() -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and forces [N] of the three strokes, for the input "key force"."""
    return np.array(STROKE_TIMES), np.array(STROKE_FORCES)
