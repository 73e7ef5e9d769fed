"""Pole placement for the zero-order-hold equivalent of the plant (Gillespie 1996, 5.12–5.13)."""

import math

from touchback.errors import InputError
from touchback.haptics.wall.oscillator import Flow, Oscillator


def characteristic(flow: Flow) -> tuple[float, float]:
    """(c₁, c₀) of z² + c₁ z + c₀: the sampled poles of an oscillator.

    For the undamped target z² − 2 cos(ω₀T) z + 1, the denominator of eq. 5.12 (whose numerator must
    have 1/ω₀² in front, not 1/ω₀).
    """
    return -(flow.yy + flow.vv), flow.yy * flow.vv - flow.yv * flow.vy


def controllability(flow: Flow) -> float:
    """The determinant of [Γ, ΦΓ] (eq. 5.22, which prints b for Γ)."""
    py, pv = flow.yy * flow.yf + flow.yv * flow.vf, flow.vy * flow.yf + flow.vv * flow.vf
    return flow.yf * pv - flow.vf * py


def place_poles(plant: Oscillator, target: Oscillator, period: float) -> tuple[float, float]:
    """Gains k of f = −k₁ y − k₂ v that give Φ − Γk the poles of the target, sampled.

    Ackermann's formula k = [0 1] [Γ, ΦΓ]⁻¹ (Φ² + c₁ Φ + c₀ I).
    """
    check_sampling(target, period)
    flow = plant.flow(period)
    c1, c0 = characteristic(target.flow(period))
    determinant = controllability(flow)
    # [0 1] [Γ, ΦΓ]⁻¹ = (−Γ₂, Γ₁)/det.
    left = (-flow.vf / determinant, flow.yf / determinant)
    yy = flow.yy**2 + flow.yv * flow.vy + c1 * flow.yy + c0
    yv = flow.yv * (flow.yy + flow.vv + c1)
    vy = flow.vy * (flow.yy + flow.vv + c1)
    vv = flow.vv**2 + flow.yv * flow.vy + c1 * flow.vv + c0
    return left[0] * yy + left[1] * vy, left[0] * yv + left[1] * vv


def check_sampling(target: Oscillator, period: float) -> None:
    """Refuses a wall that swings more than half a turn a sample: its poles would be aliases."""
    squared = target.square - target.decay**2
    if squared > 0.0 and math.sqrt(squared) * period >= math.pi:
        largest = target.mass * (math.pi / period) ** 2
        raise InputError(
            f"A contact of stiffness {target.stiffness:.6g} N/m swings more than half a turn in a "
            f"sample of {period:.6g} s; ask for less than {largest:.6g} N/m or sample faster."
        )
