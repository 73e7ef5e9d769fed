"""A felt hammer meets a string: F = K (ξ^p + delay d(ξ^p)/dt) between a free mass and the modes of
the string (Chaigne & Askenfelt 1994; felt that loses energy: Stulov 2003)."""

from dataclasses import dataclass

import numpy as np

from touchback.devices.sound.string_motion import StringMotion
from touchback.devices.sound.strings import Hammer, String
from touchback.errors import InputError
from touchback.native.sound.strike import strike_modes

STEPS_PER_SECOND = 8 * 44100
LONGEST_CONTACT = 0.03  # [s]; a hammer that stays longer has been checked and does not matter


@dataclass(frozen=True)
class Strike:
    """What a strike leaves: the string's vibration when the hammer has gone, the contact's
    `duration` [s], the hammer's `rebound` speed [m/s], and the `force` [N] at every step `step`
    [s]."""

    vibration: StringMotion
    duration: float
    rebound: float
    force: np.ndarray
    step: float = 1.0 / STEPS_PER_SECOND


def strike(string: String, hammer: Hammer, speed: float) -> Strike:
    """Let the hammer meet the resting string at `speed` [m/s].

    Modes are stepped exactly under a force that is constant over a step; the hammer by Störmer's
    rule, so that the contact keeps its energy, but what felt takes, to the second order of the
    step. The strike ends when they part; a string that catches up with its hammer again is not
    followed."""
    if not speed > 0.0:
        raise InputError(f"The hammer's speed is {speed} m/s; it must move towards the string.")
    h = 1.0 / STEPS_PER_SECOND
    shape = string.shape(string.strike_point * string.length)
    advance, push = _exact_step(string, shape, h)
    felt = hammer.mass, hammer.stiffness, hammer.exponent, hammer.delay
    most = int(LONGEST_CONTACT / h)
    modes, rebound, forces = strike_modes(advance, push, shape, felt, speed, h, most)
    duration = h * np.count_nonzero(forces)
    return Strike(StringMotion(string, *modes), duration, rebound, forces)


def _exact_step(string: String, shape: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Each mode's transition over a step, and what a force of 1 N held over it adds."""
    zeros, ones = np.zeros_like(shape), np.ones_like(shape)
    by_position = StringMotion(string, ones, zeros).after(h)
    by_velocity = StringMotion(string, zeros, ones).after(h)
    advance = np.array(
        [
            [by_position.position, by_velocity.position],
            [by_position.velocity, by_velocity.velocity],
        ]
    )
    mass = string.density * string.length / 2.0
    rest = shape / (mass * string.pulsation**2)  # where the force would hold the mode
    push = np.array([rest * (1.0 - by_position.position), -rest * by_position.velocity])
    return advance, push
