"""The force at the capstan while a key is held after its stroke, and what it is made of.

Docquier et al. (2021, fig. 15) measured close to 3 N there. Whippen, jack and lever are at rest, so
that no virtual turn φ of the whippen, which takes the other two along, does any work:

    F ∂g/∂φ (capstan) = ∂V/∂φ (weights) − Σ Fᵢ ∂gᵢ/∂φ (contacts with anything else) + friction

with normal forces F and gaps g as sensed. Springs between the three do no work in it: they are felt
at the capstan only by what they press on, knuckle, let-off button and drop screw.
"""

from dataclasses import dataclass

import numpy as np

from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.finger_motions import PressedTouch
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import play, stroke_at
from touchback.system import System

GRAVITY = 9.81
CARRIED = {
    "lever": "knuckle on the repetition lever",
    "jack": "knuckle on the jack",
    "button": "jack's toe on the let-off button",
    "drop screw": "repetition lever on the drop screw",
}
WEIGHTS, FRICTION = "weights of whippen, jack and lever", "friction"
HOLD = 0.3  # after the strike [s]: long enough to come to rest
TURN = 1e-5  # of the whippen, for differences [rad]


@dataclass(frozen=True)
class HeldForce:
    """The force [N] at the capstan of a held key, its peak in the stroke before, how far below the
    string the hammer is [m], and what share each load has [N]: their sum is the force."""

    held: float
    peak: float
    below: float
    shares: dict[str, float]


def held_force(hammer_speed: float, specification: Specification | None = None) -> HeldForce:
    """What the capstan carries after a pressed stroke that meets the string at a speed [m/s]."""
    spec = specification or Specification()
    system = grand_piano_action("motion", PressedTouch(), spec).compile()
    stroke = stroke_at(system, hammer_speed)
    run = play(system, stroke.strike + HOLD, stroke.run.metadata["parameters"])
    force = run["capstan force"]
    q = np.array([run[name][-1] for name in system.coordinates])
    loads = {name: float(run[f"{name} force"][-1]) for name in CARRIED}
    shares = _shares(system, spec, q, loads)
    shares[FRICTION] = float(force[-1]) - sum(shares.values())
    peak = float(force[run.time > 0.0].max())
    return HeldForce(float(force[-1]), peak, float(run["string gap"][-1]), shares)


def _shares(
    system: System, spec: Specification, q: np.ndarray, loads: dict[str, float]
) -> dict[str, float]:
    """What weights and normal forces [N] ask of the capstan in a pose, by virtual work."""
    step = TURN * np.array([name == "whippen" for name in system.coordinates])
    at_rest = np.zeros(len(q))
    before, after = (system.sensors(q + sign * step, at_rest) for sign in (-1, 1))

    def opening(name: str) -> float:
        return float(after[f"{name} gap"] - before[f"{name} gap"]) / (2 * TURN)

    m = spec.masses
    mass = m.key + m.leads + m.whippen + m.jack + m.lever + m.head + m.shank + m.damper
    rise = float((system.centre_of_mass(q + step) - system.centre_of_mass(q - step))[2])
    arm = opening("capstan")
    shares = {WEIGHTS: GRAVITY * mass * rise / (2 * TURN) / arm}
    for name, load in loads.items():
        shares[CARRIED[name]] = -load * opening(name) / arm
    return shares
