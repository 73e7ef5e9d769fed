"""The brush tyre on a level road, written anew over plain numbers from its equations (Pacejka 2012,
3.2 and 7.2), so that a peer shares nothing with the code that it is compared with."""

from dataclasses import dataclass

import numpy as np

Rows = np.ndarray
_UP = np.array((0.0, 0.0, 1.0))
_FORGETTING = 20.0  # 1/s, of a tyre off the road
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


@dataclass(frozen=True)
class BrushNumbers:
    """Radius [m], stiffness [N/m] and damping [N s/m] of the carcass; slip and cornering stiffness
    [N] at a load [N]; friction; half the patch and relaxation lengths along and across [m]."""

    radius: float
    stiffness: float
    damping: float
    slip: float
    cornering: float
    load: float
    friction: float
    patch: float
    along: float
    across: float


class RollingTyres:
    """The tyres of some wheels, a row each, with their deflections."""

    def __init__(self, numbers: BrushNumbers, count: int) -> None:
        self.numbers, self.u, self.w = numbers, np.zeros(count), np.zeros(count)

    def push(
        self, centre: Rows, velocity: Rows, turning: Rows, axle: Rows, step: float
    ) -> tuple[Rows, Rows]:
        """Forces and torques about the wheels' centres, in world axes; the deflections go on by a
        step."""
        t, lean = self.numbers, axle[:, 2:]
        upright = np.sqrt(1.0 - lean * lean)
        distance = centre[:, 2:] / upright
        arm = distance / upright * (lean * axle - _UP)
        ahead = _cross(axle, _UP) / upright
        left = _cross(_UP, ahead)
        spin = (turning * axle).sum(1)
        v = velocity + _cross(turning - spin[:, None] * axle, arm)
        depth = t.radius - distance[:, 0]
        load = t.stiffness * depth - t.damping * v[:, 2] / upright[:, 0]
        load = np.where(depth > 0.0, np.maximum(load, 0.0), 0.0)
        vx, sy = (v * ahead).sum(1), (v * left).sum(1)
        sx = vx - (t.radius - load / (3.0 * t.stiffness)) * spin
        fx, fy, mz = self._slide(np.maximum(load, 1e-9), vx, sx, sy)
        rolls = load > 0.0
        for name, slip, length in (("u", -sx, t.along), ("w", sy, t.across)):
            pace = np.where(rolls, np.maximum(np.abs(vx), np.abs(slip)) / length, _FORGETTING)
            setattr(self, name, _follow(getattr(self, name), slip * rolls, pace, step))
        force = fx[:, None] * ahead + fy[:, None] * left + load[:, None] * _UP
        return force, _cross(arm, force) + mz[:, None] * _UP

    def _slide(self, load: Rows, vx: Rows, sx: Rows, sy: Rows) -> tuple[Rows, Rows, Rows]:
        """Forces along and across, and the aligning moment."""
        t, share = self.numbers, load / self.numbers.load
        standing = 0.5 + 0.5 * np.cos(np.pi * np.minimum(np.abs(vx), 1.0))
        along, across = (
            0.4 * standing * np.sqrt(t.load / (9.81 * length * stiffness))
            for length, stiffness in ((t.along, t.slip), (t.across, t.cornering))
        )
        kappa, sideways = self.u / t.along - along * sx, self.w / t.across + across * sy
        sense = np.sin(np.pi / 2 * np.clip(vx, -1.0, 1.0))  # forward, standing, backward
        rolled = np.maximum(np.abs(1.0 + sense * kappa), 1e-3)
        gx, gy = t.slip * share * kappa / rolled, -t.cornering * share * sideways / rolled
        rho = np.hypot(gx, gy) / (3.0 * t.friction * load)
        sticks = np.minimum(rho, 1.0)
        kept = 1.0 - sticks + sticks**2 / 3.0
        force = np.where(rho < 1.0, kept, 1.0 / (3.0 * np.maximum(rho, 1.0)))
        return force * gx, force * gy, -sense * t.patch / 3.0 * (1.0 - sticks) ** 3 * gy


def _follow(x: Rows, drive: Rows, rate: Rows, step: float) -> Rows:
    """ẋ = drive − rate x over a step, exactly where both stay."""
    rate = np.maximum(rate, 1e-9)
    return x + (drive / rate - x) * -np.expm1(-rate * step)


def _cross(a: Rows, b: Rows) -> Rows:
    """Row by row; np.cross takes five times as long."""
    return a[..., _NEXT] * b[..., _LAST] - a[..., _LAST] * b[..., _NEXT]
