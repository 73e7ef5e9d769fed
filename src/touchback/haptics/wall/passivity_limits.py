"""Is energy ever taken out of the display? The largest stiffness for which it is not.

Seen by the hand, device and wall are passive if the work that the hand has done on them, since a
rest, is never negative (Gillespie 1996, section 5.1.2, footnote 1). That work is booked exactly.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import State
from touchback.haptics.wall.encoder_sensing import Sensing
from touchback.haptics.wall.laws import HalfSample
from touchback.haptics.wall.sampled_simulation import Trace, simulate
from touchback.haptics.wall.wall_controllers import Kind, WallController
from touchback.haptics.wall.wall_plant import IDEAL_MOTOR, Device, Finger, Motor, Plant, Target

RATES = (250.0, 500.0, 1000.0, 2000.0, 4000.0)
"""Sampling rates of the table [Hz]."""
BENCH_DEVICE = Device(0.30, 1.0)
"""Gillespie's mass; the damping is ours, so that Colgate's bound at 1 kHz is 2000 N/m."""
BENCH_FINGER = Finger()
BENCH_DAMPING = 0.5
"""Of the damped walls [N s/m], half the device's, so that Colgate's bound leaves room."""

_FINE = 64  # samples of a period that stand for a continuous wall


def hand_work(trace: Trace) -> np.ndarray:
    """The work done by the hand on device and wall up to each sample [J].

    With total damping c and energy E of device and finger, ∫ c v² = ∫ (f_wall + f_other) dy − ΔE
    exactly, since forces are constant between changes; the device's share of it is b/c. Then
    work = Δ(½ m v²) + ∫ b v² − ∫ f_wall dy.
    """
    motion, device = trace.plant.motion, trace.plant.device
    early = motion.flow(trace.delay)
    before = np.concatenate([[0.0], trace.wall_force[:-1]])
    y, v = trace.y, trace.v
    changed = early.yy * y[:-1] + early.yv * v[:-1] + early.yf * (before + trace.other_force)
    wall = before * (changed - y[:-1]) + trace.wall_force * (y[1:] - changed)
    other = trace.other_force * (y[1:] - y[:-1])
    energy = 0.5 * motion.mass * v**2 + 0.5 * motion.stiffness * y**2
    lost = wall + other - np.diff(energy)
    share = device.damping / motion.damping if motion.damping else 0.0
    step = np.diff(0.5 * device.mass * v**2) + share * lost - wall
    return np.concatenate([[0.0], np.cumsum(step)])


@dataclass(frozen=True)
class Press:
    """A smooth push and release: peak [N], duration [s], gap to the wall [m]."""

    peak: float
    duration: float
    gap: float

    def force(self, period: float, samples: int) -> np.ndarray:
        """The hand's force, sin² over the duration, then none; at the middle of each sample."""
        phase = np.clip((np.arange(samples) + 0.5) * period / self.duration, 0.0, 1.0)
        return -self.peak * np.sin(np.pi * phase) ** 2


def presses(gaps: int = 4) -> Iterator[Press]:
    """Taps and presses from slightly different places, so that crossings fall anywhere."""
    for peak, duration in ((1.0, 0.03), (2.0, 0.08), (4.0, 0.2)):
        for number in range(gaps):
            yield Press(peak, duration, 2e-5 * (1 + number))


def drawn_presses(seed: int, count: int = 12) -> Iterator[Press]:
    """Presses drawn at random, so many of each duration: what was tuned on some is judged on
    others."""
    draw = np.random.default_rng(seed).uniform
    for duration in (0.025, 0.06, 0.12, 0.18):
        for _ in range(count):
            yield Press(float(draw(0.5, 5.0)), duration, float(draw(1e-6, 1.2e-4)))


@dataclass(frozen=True)
class Bench:
    """Who presses what: device and finger, the finger that controllers are designed for, what they
    are told of the motion (their kind's own sensing unless given), motor, and delay in samples."""

    device: Device = BENCH_DEVICE
    finger: Finger = BENCH_FINGER
    assumed_finger: Finger | None = None
    sensing: Sensing | None = None
    motor: Motor = IDEAL_MOTOR
    delay: float = 0.0

    def press(self, press: Press, kind: Kind, wall: Target, rate: float) -> Trace:
        """A press on a wall, sampled at a rate [Hz], until half its duration after its end."""
        period = 1.0 / rate
        plant = Plant(self.device, self.finger, anchor=press.gap)
        assumed = Plant(self.device, self.assumed_finger or self.finger, anchor=press.gap)
        samples = math.ceil(1.5 * press.duration * rate)
        return simulate(
            plant, kind.build(assumed, wall, period), State(press.gap, 0.0), period, samples,
            sensing=self.sensing or kind.sensing, motor=self.motor, delay=self.delay * period,
            volition=press.force(period, samples), assumed_plant=assumed,
        )  # fmt: skip


BENCH = Bench()


def is_passive(kind: Kind, stiffness: float, rate: float, bench: Bench = BENCH) -> bool:
    """Whether no press of the battery gets energy out."""
    wall = Target(stiffness, BENCH_DAMPING if kind.damped else 0.0)
    for press in presses():
        work = hand_work(bench.press(press, kind, wall, rate))
        if not np.isfinite(work).all() or work.min() < -1e-9 * np.abs(work).max():
            return False
    return True


def deviation(kind: Kind, stiffness: float, rate: float, bench: Bench = BENCH) -> float:
    """How far the presses of the battery lead from where a continuous wall would have the handle:
    the largest distance over the deepest penetration. Walls that let go too early are passive too.
    """
    wall = Target(stiffness, BENCH_DAMPING if kind.damped else 0.0)
    worst = 0.0
    for press in presses():
        found = bench.press(press, kind, wall, rate)
        plant, samples = found.plant, len(found.wall_force)
        fine = 1.0 / (rate * _FINE)
        due = simulate(
            plant, WallController(HalfSample(), plant, wall, fine), State(press.gap, 0.0), fine,
            samples * _FINE, volition=np.repeat(press.force(1.0 / rate, samples), _FINE),
        )  # fmt: skip
        far = np.abs(found.y - due.y[::_FINE]).max()
        worst = max(worst, float(far / -due.y.min()))
    return worst


def expressible_stiffness(mass: float, rate: float) -> float:
    """The stiffness whose contact with this mass lasts two samples, m (π rate/2)² [N/m]."""
    return mass * (0.5 * math.pi * rate) ** 2


def largest_passive_stiffness(
    kind: Kind, rate: float, bench: Bench = BENCH, *, precision: float = 0.01
) -> float:
    """The stiffest wall up to which every press stays passive [N/m], infinite if none fails.

    Walls are tried upwards by a fifth, from half of Colgate's bound, to the first that fails, then
    halved in between. The search ends where a contact would last fewer than two samples: no
    controller can express more.
    """
    if rate <= 0.0 or precision <= 0.0:
        raise InputError(f"Rate ({rate} Hz) and precision ({precision}) must be positive.")
    top = expressible_stiffness(bench.device.mass + bench.finger.mass, rate)
    good, tried = 0.0, bench.device.damping * rate
    while is_passive(kind, tried, rate, bench):
        good, tried = tried, 1.2 * tried
        if tried > top:
            return math.inf
    while tried - good > precision * tried:
        middle = 0.5 * (good + tried)
        if is_passive(kind, middle, rate, bench):
            good = middle
        else:
            tried = middle
    return good
