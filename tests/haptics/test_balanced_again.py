"""The balanced wall pressed once more by another simulation: SciPy's matrix exponential moves the
handle between samples, its own roots stamp the counts, and the hand's power is integrated as it is
(push, spring, damper and mass of the finger), without the laboratory's books."""

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

from touchback.haptics.wall import Device, Encoder, Finger
from touchback.haptics.wall.laws import (
    CountIntervalEstimator,
    EnergyBalanced,
    HalfSample,
    Motion,
    Stamp,
    WallSample,
)
from touchback.haptics.wall.passivity_limits import Press
from touchback.haptics.wall.wall_sweep import PressSetup, PressSimulation, press_walls
from touchback.numbers import Scalar

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)  # over a sample: polynomials of degree 11


class Handle:
    """A device with a finger that keeps its grip, under forces that are held."""

    def __init__(self, device: Device, finger: Finger, period: float) -> None:
        self.finger, self.period = finger, period
        mass = device.mass + finger.mass
        self.plant = mass, device.damping + finger.damping, finger.stiffness
        self.rates = np.zeros((3, 3))  # y, v and the force
        self.rates[0, 1] = 1.0
        self.rates[1] = -finger.stiffness / mass, -self.plant[1] / mass, 1.0 / mass
        self.inner = [expm(self.rates * 0.5 * period * (1.0 + node)) for node in _NODES]
        self.whole = expm(self.rates * period)

    def work(self, state: np.ndarray, pull: float) -> float:
        """Of the hand on the device within the sample [J]; `pull` is its own force at y = 0."""
        total = 0.0
        for step, weight in zip(self.inner, _WEIGHTS, strict=True):
            now = step @ state
            own = self.finger
            hand = pull - own.stiffness * now[0] - own.damping * now[1]
            hand -= own.mass * (self.rates @ now)[1]
            total += 0.5 * self.period * weight * hand * now[1]
        return float(total)

    def stamp(self, state: np.ndarray, size: float) -> Stamp:
        """The last change of the count within the sample."""
        was, now = (np.floor(each / size + 0.5) for each in (state[0], (self.whole @ state)[0]))
        if was == now:
            return Stamp(0.0, 0.0, 0.0)
        edge = size * (now - 0.5 if now > was else now + 0.5)
        late = brentq(
            lambda t: (expm(self.rates * t) @ state)[0] - edge, 0.0, self.period, xtol=1e-16
        )
        return Stamp(1.0, edge, self.period - late)


def pressed(
    setting: PressSetup, law: EnergyBalanced, stiffness: float, rate: float
) -> tuple[float, float, float]:
    """The hand's work since rest [J] at the end of a press, its least and its largest."""
    (press,) = setting.presses
    handle, size = Handle(setting.device, setting.finger, 1.0 / rate), law.resolution
    motion = Motion(*handle.plant)
    bias = setting.finger.stiffness * press.gap
    state, stamp, force = np.array([press.gap, 0.0, 0.0]), Stamp(0.0, 0.0, 0.0), 0.0
    sensed: Sequence[Scalar] = setting.sense.start
    memory: Sequence[Scalar] = law.start
    work = [0.0]
    for push in _pushes(press, rate):
        count = float(size * np.floor(state[0] / size + 0.5))
        told = WallSample(count, 0.0, force, motion, bias, stiffness, 0.0, 1.0 / rate, stamp)
        sensed, known = setting.sense.step(sensed, told)
        memory, asked = law.step(memory, known)
        force = float(asked)
        state[2] = force + bias + push
        work.append(work[-1] + handle.work(state, bias + push))
        stamp = handle.stamp(state, size)
        state = handle.whole @ state
    return work[-1], min(work), float(np.abs(work).max())


def _pushes(press: Press, rate: float) -> list[float]:
    return [float(f) for f in press.force(1.0 / rate, int(np.ceil(1.5 * press.duration * rate)))]


@pytest.mark.parametrize("seed", range(3))
def test_the_hand_s_work_on_a_balanced_wall_is_what_another_simulation_finds(seed: int) -> None:
    """At random mass, damping, grip, stiffness, rate, resolution and press, passive or not: to a
    millionth of what passes."""
    draw = np.random.default_rng(seed)

    def between(low: float, high: float) -> float:
        return float(low * (high / low) ** draw.uniform())

    device = Device(between(0.03, 1.0), between(0.02, 3.0))
    finger = Finger(between(0.01, 0.05), between(1.0, 6.0), between(100.0, 600.0))
    rate, size = between(300.0, 3000.0), between(5e-7, 5e-5)
    stiffness = between(0.02, 1.0) * device.mass * rate**2
    press = Press(between(0.5, 5.0), between(0.03, 0.15), between(1e-6, 1e-4))
    law = EnergyBalanced(HalfSample(), size)
    setting = PressSetup(
        device,
        finger,
        encoder=Encoder(size),
        sense=CountIntervalEstimator(size),
        stamps=True,
        presses=(press,),
    )
    pressing = PressSimulation(law, setting, 1.0 / rate)
    state: list[Scalar] = [press.gap, *pressing.start[1:]]
    for push in _pushes(press, rate):
        state = pressing.step(state, stiffness, press.gap, push, 0.0)
    found = np.array([float(each) for each in state[4:7]])
    due = pressed(setting, law, stiffness, rate)
    np.testing.assert_allclose(found, due, atol=1e-6 * due[2])
    outcome = press_walls(law, [stiffness], rate, setting)
    assert outcome.least_work[0] == pytest.approx(due[1] / due[2], abs=1e-6)
