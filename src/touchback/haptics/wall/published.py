"""Outside opinions: how stiff a sampled wall may be by published bounds, for any passive hand.

They speak of the standard wall f = −K y − B v. Ours are measured for one finger; a bound that holds
for all hands lies below what one finger bears.
"""

from touchback.errors import InputError


def colgate(damping: float, period: float, wall_damping: float = 0.0) -> float:
    """K ≤ 2 (b − |B|)/T [N/m]: Colgate & Schenkel 1994, exact sensors."""
    _check(damping=damping, wall_damping=abs(wall_damping))
    return max(2.0 * (damping - abs(wall_damping)) / _period(period), 0.0)


def abbott_okamura(damping: float, period: float, friction: float, resolution: float) -> float:
    """K ≤ min(2b/T, 2 f_c/Δ) [N/m]: Abbott & Okamura 2005, for counts of Δ [m] and Coulomb friction
    f_c [N]. What the hold gives is taken by viscous, what counts give by dry friction; a device
    without dry friction has no such stiffness at all."""
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
    _check(delay=delay)
    late = colgate(damping, _period(period) + 2.0 * delay)
    return min(late, abbott_okamura(damping, period, friction, resolution))


def _period(period: float) -> float:
    if not period > 0.0:
        raise InputError(f"A period of {period} s; give a positive number.")
    return period


def _check(**numbers: float) -> None:
    for name, number in numbers.items():
        if not number >= 0.0:
            raise InputError(f"A published bound: {name} is {number}; it must be zero or more.")
