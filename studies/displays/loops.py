"""Displays on a device that a finger holds, as sampled linear loops: equations of motion by hand,
the hold by SciPy's matrix exponential. Stable while all eigenvalues lie within the unit circle.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from touchback.errors import SolveError
from touchback.haptics.human_operator import Operator
from touchback.haptics.wall.wall_plant import Device

_REST = 1e-9  # of a radius: a virtual mass that nothing holds stays where it is


@dataclass(frozen=True)
class Servo:
    """Gains that move a device along a wish [N/m, N s/m]."""

    proportional: float
    derivative: float

    @classmethod
    def of(cls, device: Device, bandwidth: float) -> "Servo":
        """Critically damped, at a bandwidth [Hz], on the device alone."""
        omega = 2.0 * math.pi * bandwidth
        return cls(device.mass * omega**2, max(2.0 * device.mass * omega - device.damping, 0.0))


@dataclass(frozen=True)
class Held:
    """A device and the finger that holds it, sampled with a period [s]."""

    device: Device
    operator: Operator
    period: float

    @property
    def _motion(self) -> np.ndarray:
        """d/dt of (device x, v; finger y, w), before the motor's force."""
        pad, drag = self.operator.pad_stiffness, self.operator.pad_damping
        own, finger = self.device, self.operator.finger
        rate = np.zeros((4, 4))
        rate[0, 1] = rate[2, 3] = 1.0
        rate[1] = np.array([-pad, -drag - own.damping, pad, drag]) / own.mass
        rate[3] = np.array([pad, drag, -pad - finger.stiffness, -drag - finger.damping])
        rate[3] /= finger.mass
        return rate

    def _radius(self, rate: np.ndarray, held: np.ndarray, gains: np.ndarray) -> float:
        """Of a sample: d/dt of the state is `rate` of it and `held` of forces (or positions) that
        are `gains` of the state at the sample."""
        from scipy.linalg import expm

        n, k = held.shape
        whole = np.zeros((n + k, n + k))
        whole[:n, :n], whole[:n, n:] = rate, held
        step = expm(whole * self.period)
        sampled = step[:n, :n] + step[:n, n:] @ gains
        return float(np.abs(np.linalg.eigvals(sampled)).max())

    def spring(self, stiffness: float) -> float:
        """The radius with impedance control: a sampled spring [N/m]."""
        held, gains = np.zeros((4, 1)), np.zeros((1, 4))
        held[1, 0], gains[0, 0] = 1.0 / self.device.mass, -stiffness
        return self._radius(self._motion, held, gains)

    def _with_virtual(self) -> np.ndarray:
        """The same with a virtual mass's X, V behind."""
        rate = np.zeros((6, 6))
        rate[:4, :4], rate[4, 5] = self._motion, 1.0
        return rate

    def impedance(self, stiffness: float, damping: float, virtual: float) -> float:
        """The radius with a virtual mass [kg] behind a coupling [N/m, N s/m]: the device's motion
        is held for the mass, the coupling's force for the device."""
        rate, held, gains = self._with_virtual(), np.zeros((6, 3)), np.zeros((3, 6))
        rate[5, 4:] = np.array([-stiffness, -damping]) / virtual
        held[1, 0] = 1.0 / self.device.mass
        held[5, 1:] = np.array([stiffness, damping]) / virtual
        gains[0, [0, 1, 4, 5]] = -stiffness, -damping, stiffness, damping
        gains[1, 0] = gains[2, 1] = 1.0
        return self._radius(rate, held, gains)

    def admittance(self, servo: Servo, virtual: float) -> float:
        """The radius with a virtual mass [kg] that the sensed force moves and a servo follows."""
        rate, held, gains = self._with_virtual(), np.zeros((6, 2)), np.zeros((2, 6))
        held[1, 0], held[5, 1] = 1.0 / self.device.mass, 1.0 / virtual
        pull, slow = servo.proportional, servo.derivative
        gains[0, [0, 1, 4, 5]] = -pull, -slow, pull, slow
        pad, drag = self.operator.pad_stiffness, self.operator.pad_damping
        gains[1, :4] = -pad, -drag, pad, drag
        return self._radius(rate, held, gains)


def edge(radius: Callable[[float], float], low: float, high: float, upwards: bool = True) -> float:
    """Where a loop stops being stable, from `low` upwards (or, stable above, from `high` down)."""
    tried = np.geomspace(low, high, 160)
    stable = np.array([radius(float(x)) < 1.0 + _REST for x in tried])
    if not upwards:
        stable, tried = stable[::-1], tried[::-1]
    if stable.all():
        return math.inf if upwards else 0.0
    first = int(np.argmin(stable))
    if first == 0:
        raise SolveError(f"No loop is stable at {tried[0]:g}; begin elsewhere.")
    good, bad = float(tried[first - 1]), float(tried[first])
    for _ in range(40):
        middle = math.sqrt(good * bad)
        good, bad = (middle, bad) if radius(middle) < 1.0 + _REST else (good, middle)
    return good
