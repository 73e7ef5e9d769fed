"""Eighty-eight actions from one: what differs from bass to treble, as values of live parameters.

Everything is derived from the specification of one action, the key of middle C, which it leaves as
it is. Sources as in parameters.py and in `instruments.sound`, whose hammer heads these are, in
proportion.
"""

import numpy as np

from touchback.errors import InputError
from touchback.instruments.piano.geometry import Placements, placements, turned
from touchback.instruments.piano.parameters import Specification
from touchback.instruments.sound.vibrating_strings import (
    HAMMER_HEAD,
    HIGHEST,
    LOWEST,
    SHANK,
    along,
    by_ratios,
)

MIDDLE = 60  # MIDI note whose key the specification describes
LAST_DAMPED = 89  # F6: on grands dampers end between D6 and G6 (PTG, Blees; Shockley, App. C)
# Contact of hammer and string, of that of the middle key: some 4 ms in the lowest bass, 2 ms in the
# middle, under 1 ms at the top (ref: Askenfelt & Jansson 1990).
CONTACT = {LOWEST: 2.0, MIDDLE: 1.0, HIGHEST: 0.45}
DAMPER = {LOWEST: 1.4, MIDDLE: 1.0, LAST_DAMPED: 0.7}  # of the middle one's mass (chosen)
MOST_LEAD = 0.056  # kg: four leads (ref: "A13: 4 key leads"); what lacks is made up by distance


def graded(note: int, specification: Specification | None = None) -> dict[str, float]:
    """The live parameters of the action of a MIDI note that aren't those of the middle key: hammer
    head, leads that balance it, repetition spring that just lifts it, felt and string, damper."""
    if not LOWEST <= note <= HIGHEST:
        raise InputError(f"Note {note} has no key: a piano's are the MIDI notes 21 to 108.")
    if note == MIDDLE:
        return {}
    spec = specification or Specification()
    masses = spec.masses
    head = masses.head * along(note, HAMMER_HEAD) / along(MIDDLE, HAMMER_HEAD)
    lead, distance = _leads(spec, head - masses.head)
    lifted = _hammer_moment(spec, head) / _hammer_moment(spec, masses.head)
    # Where more weight lies on knuckle and capstan they are eased: keys must come up (ref: 20 g).
    eased = min(1.0, 1.0 / lifted)
    longer = by_ratios(note, CONTACT)
    # Felt F = K ξᵖ on a mass m: contact lasts as (m/K)^(1/(p + 1)) at one speed.
    heavier = (head + SHANK) / (masses.head + SHANK)
    return {
        "hammer mass": head,
        "key lead mass": lead,
        "key lead distance": distance,
        "repetition spring": spec.springs.lever * lifted,
        "knuckle friction": spec.felts.jack.friction * eased,
        "capstan friction": spec.felts.capstan.friction * eased,
        "string stiffness": heavier / longer ** (spec.felts.string.exponent + 1.0),
        "string hysteresis": spec.felts.string.hysteresis * longer,
        "damper mass": masses.damper * along(min(note, LAST_DAMPED), DAMPER),
    }


def damped(note: int) -> bool:
    """Whether the strings of a MIDI note have a damper."""
    return note <= LAST_DAMPED


def _hammer_moment(spec: Specification, head: float) -> float:
    """Of the hammer's weight about its pin, over gravity [kg m]."""
    masses = spec.masses
    return head * masses.head_centre[0] + masses.shank * masses.shank_centre[0]


def _leads(spec: Specification, more: float) -> tuple[float, float]:
    """Mass [kg] and distance [m] of leads that balance so much more hammer head [kg], half-way down
    the key's dip: a head rises less and less on its way."""
    masses = spec.masses
    at = placements(spec.dimensions, spec.regulation)
    half = spec.regulation.dip / spec.dimensions.key_front / 2
    moment = masses.leads * masses.lead_distance + more * head_rise(spec, at, half)
    mass = min(moment / masses.lead_distance, MOST_LEAD)
    return mass, moment / mass


def head_rise(spec: Specification, at: Placements, key: float = 0.0) -> float:
    """How much the hammer head rises for a small turn of a key that has turned by `key` [m/rad],
    within the first order of that angle [rad]."""
    whippen, hammer = (key * rate for rate in _rates(at, 0.0, 0.0, 0.0))
    head = turned(at.rest_angle + hammer, spec.masses.head_centre)
    return _rates(at, key, whippen, hammer)[1] * float(head[0])


def _rates(at: Placements, key: float, whippen: float, hammer: float) -> tuple[float, float]:
    """How much whippen and hammer turn with the key in a pose: capstan and heel, then jack and
    knuckle, move alike along their common normals."""
    capstan, knuckle = turned(key, at.capstan), turned(hammer, at.knuckle - at.hammer)
    n = turned(-whippen, at.heel.normal)
    lifted = float(n @ _turning(1.0, capstan) / (n @ _turning(-1.0, capstan - at.whippen)))
    n = turned(-whippen, at.jack_top.normal)
    touch = at.hammer + knuckle
    thrown = float(n @ _turning(-1.0, touch - at.whippen) / (n @ _turning(1.0, knuckle)))
    return lifted, lifted * thrown


def _turning(sense: float, arm: np.ndarray) -> np.ndarray:
    """Velocity of the end of an arm for a unit rate from x to z (sense 1) or back."""
    return sense * np.array([-arm[1], arm[0]])
