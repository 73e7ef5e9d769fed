"""Where the sampled spring becomes unstable: closed forms, damping by every condition, and bounds
that others published."""

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from touchback.errors import InputError, SolveError
from touchback.haptics.wall.closed_form_oscillator import Oscillator, State, root
from touchback.haptics.wall.loop_stability import Velocity, loop_margin
from touchback.haptics.wall.sampled_simulation import simulate
from touchback.haptics.wall.wall_plant import Device, Finger, Plant
from touchback.numbers import shown

PASSIVE_ALPHA = 2.0


"""Colgate's bound b > KT/2 for a wall without damping, as α = KT/b (Colgate & Schenkel 1994)."""


_SMALL = 1e-4  # τ: the next term of the series is below 1e-13


_SCAN = np.geomspace(1e-4, 1e6, 120)  # total damping [N s/m]


def colgate_damping(stiffness: float, damping: float, period: float) -> float:
    """The inherent damping that makes a wall with differentiated velocity passive [N s/m].

    b > KT/2 + |B|: Colgate & Schenkel, ACC 1994.
    """
    _refuse_no_numbers("colgate_damping", stiffness=stiffness, damping=damping, period=period)
    return 0.5 * stiffness * period + abs(damping)


def alpha_edges(tau: float) -> tuple[float, float]:
    """α = KT/b at which a pole leaves through the circle, and through z = −1; τ = bT/m.

    The first is Gillespie's eq. 6.5 (6.7 doesn't follow from it: e^τ = 1 − α/(1 − α/τ) does),
    solved for α; the second is p(−1) = 0 of eq. 6.4, which he doesn't test.
    """
    _refuse_no_numbers("alpha_edges", tau=tau)
    fading = math.exp(-tau)
    lost = -math.expm1(-tau)
    if tau < _SMALL:  # where the quotient below is 0/0
        circle = 2.0 + tau / 3.0 + tau * tau / 18.0
    else:
        circle = tau * lost / (lost - tau * fading)
    both = tau * (1.0 + fading) - 2.0 * lost
    return circle, 2.0 * tau * (1.0 + fading) / both if both > 0.0 else math.inf


def critical_stiffness(device: Device, period: float) -> float:
    """The stiffest stable sampled spring on a device without a finger [N/m]: exact.

    K = (b²/m)(1 − e^−τ)/(1 − (1+τ)e^−τ), unless z = −1 comes first.
    """
    _refuse_no_numbers("critical_stiffness", period=period)
    if not isinstance(device, Device):
        raise InputError(
            "critical_stiffness: a device, as Device(mass, damping), is expected, got "
            f"{shown(device)}."
        )
    tau = device.damping * period / device.mass
    return min(alpha_edges(tau)) * device.damping / period


def printed_damping(stiffness: float, mass: float, period: float) -> float:
    """What "last coefficient = 1" alone would ask for (eq. 6.5 as used in the text) [N s/m]."""
    _refuse_no_numbers("printed_damping", stiffness=stiffness, mass=mass, period=period)

    def excess(damping: float) -> float:
        circle, _ = alpha_edges(damping * period / mass)
        return circle * damping / period - stiffness

    return root(excess, 1e-3, 1e6, xtol=1e-14, rtol=1e-14)


def stabilising_damping(
    stiffness: float,
    mass: float,
    period: float,
    finger: Finger | None = None,
    *,
    delay: float = 0.0,
    wall_damping: float = 0.0,
    velocity: Velocity = "sensed",
) -> float:
    """The least inherent damping of the device above which the loop is stable [N s/m].

    With a finger it may be negative: the finger's own damping serves as well (Fig. 6.7).
    """
    _refuse_no_numbers(
        "stabilising_damping", stiffness=stiffness, mass=mass, period=period, delay=delay,
        wall_damping=wall_damping,
    )  # fmt: skip
    held = _finger("stabilising_damping", finger) or Finger(0.0, 0.0, 0.0)

    def margin(total: float) -> float:
        plant = Oscillator(mass + held.mass, total, held.stiffness)
        gains = (stiffness, wall_damping)
        return loop_margin(plant, gains, period, velocity=velocity, delay=delay)

    stable = [margin(total) > 0.0 for total in _SCAN]
    if not stable[-1] or all(stable):
        raise SolveError(
            f"No edge of stability lies between {_SCAN[0]:g} and {_SCAN[-1]:g} N s/m for a wall of "
            f"{stiffness:g} N/m at a period of {period:g} s."
        )
    last = int(np.flatnonzero(~np.array(stable))[-1])
    edge = root(margin, _SCAN[last], _SCAN[last + 1], xtol=1e-14, rtol=1e-14)
    return edge - held.damping


@dataclass(frozen=True)
class SampledSpring:
    """A spring that pulls too [N/m]: the linear loop of Fig. 6.1."""

    stiffness: float

    def force(self, sample: int, state: State) -> float:
        return -self.stiffness * state.y


def simulated_damping(
    stiffness: float,
    mass: float,
    period: float,
    finger: Finger | None = None,
    *,
    near: float,
    samples: int = 16000,
) -> float:
    """The same edge found by running the loop: where swings neither grow nor fade [N s/m]."""
    _refuse_no_numbers(
        "simulated_damping", stiffness=stiffness, mass=mass, period=period, near=near,
        samples=samples,
    )  # fmt: skip
    _finger("simulated_damping", finger)

    def growth(damping: float) -> float:
        plant = Plant(Device(mass, damping), finger)
        trace = simulate(plant, SampledSpring(stiffness), State(1e-3, 0.0), period, samples)
        size = trace.y**2 + (trace.v * period) ** 2
        window = samples // 3
        return float(np.log(size[-window:].max() / size[window : 2 * window].max()))

    # A bracket so narrow that swings neither vanish nor overflow over the run.
    reach = 0.01 * (near + (finger.damping if finger else 0.0))
    return root(growth, near - reach, near + reach, xtol=1e-12, rtol=1e-10)


def colgate(damping: float, period: float, wall_damping: float = 0.0) -> float:
    """K ≤ 2 (b − |B|)/T [N/m]: Colgate & Schenkel 1994, exact sensors."""
    _refuse_no_numbers("colgate", damping=damping, period=period, wall_damping=wall_damping)
    _check(damping=damping, wall_damping=abs(wall_damping))
    return max(2.0 * (damping - abs(wall_damping)) / _period(period), 0.0)


def abbott_okamura(damping: float, period: float, friction: float, resolution: float) -> float:
    """K ≤ min(2b/T, 2 f_c/Δ) [N/m]: Abbott & Okamura 2005, for counts of Δ [m] and Coulomb friction
    f_c [N]. What the hold gives is taken by viscous, what counts give by dry friction; a device
    without dry friction has no such stiffness at all."""
    _refuse_no_numbers(
        "abbott_okamura", damping=damping, period=period, friction=friction, resolution=resolution
    )
    _check(friction=friction, resolution=resolution)
    bound = colgate(damping, period)
    return min(bound, 2.0 * friction / resolution) if resolution else bound


def diolaiti(
    damping: float, period: float, friction: float, resolution: float, delay: float = 0.0
) -> float:
    """K ≤ min(2b/(T + 2τ), 2 f_c/Δ) [N/m]: the energies that Diolaiti, Niemeyer, Barbagli &
    Salisbury 2006 weigh, with a delay τ [s]. A spring whose force is late by T/2 + τ gives
    K (T/2 + τ) v² a second, which b v² must take. The form with τ is derived here from that
    argument, not quoted: we know the paper by its abstract (doi 10.1109/TRO.2005.862487)."""
    _refuse_no_numbers(
        "diolaiti", damping=damping, period=period, friction=friction, resolution=resolution,
        delay=delay,
    )  # fmt: skip
    _check(delay=delay)
    late = colgate(damping, _period(period) + 2.0 * delay)
    return min(late, abbott_okamura(damping, period, friction, resolution))


def _finger(label: str, finger: Finger | None) -> Finger | None:
    if finger is not None and not isinstance(finger, Finger):
        raise InputError(
            f"{label}: a finger, as Finger(mass, damping, stiffness), or None is expected, got "
            f"{shown(finger)}."
        )
    return finger


def _refuse_no_numbers(label: str, **numbers: object) -> None:
    for name, given in numbers.items():
        if not isinstance(given, Real | np.ndarray):
            raise InputError(f"{label}: {name}: a number is expected, got {shown(given)}.")


def _period(period: float) -> float:
    if not period > 0.0:
        raise InputError(f"A period of {period} s; give a positive number.")
    return period


def _check(**numbers: float) -> None:
    for name, number in numbers.items():
        if not number >= 0.0:
            raise InputError(f"A published bound: {name} is {number}; it must be zero or more.")
