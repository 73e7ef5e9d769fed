"""A hammer's contact with a string's modes (strike.h)."""

import ctypes

import numpy as np

from touchback.native.shared_library import LIB, Floats, address_of, as_floats


def strike_modes(
    advance: Floats,
    push: Floats,
    shape: Floats,
    hammer: tuple[float, float, float, float],
    speed: float,
    step: float,
    most: int,
) -> tuple[Floats, float, Floats]:
    """Positions and velocities of the modes when the hammer (mass, stiffness, exponent, delay) has
    gone, the speed of its rebound [m/s], and the forces [N] at every step."""
    blow = LIB.struct("tb_blow")(*hammer, speed, step, most)
    count = len(shape)
    advance, push, shape = as_floats(advance), as_floats(push), as_floats(shape)
    modes, forces = np.empty((2, count)), np.empty(most + 1)
    told = LIB.tb_strike(
        ctypes.addressof(blow), count, address_of(advance), address_of(push), address_of(shape),
        address_of(modes), address_of(forces),
    )  # fmt: skip
    return modes, float(blow.speed), forces[:told].copy()
