"""The battery of presses on many walls at once: which of them give energy, and where they lead.

`passivity.py` presses one wall after the other. Here laws run over arrays, four places by all
stiffnesses that are tried, so that tables over rates, controllers and sensors take minutes. The
plant moves exactly between samples, and the hand's work is booked exactly, as there.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from touchback.errors import InputError
from touchback.haptics.wall.laws import Given, Law, Motion, Sense, Told
from touchback.haptics.wall.laws.motion import Pair, onward
from touchback.haptics.wall.motor import IDEAL_MOTOR, Motor
from touchback.haptics.wall.passivity import (
    BENCH_DEVICE,
    BENCH_FINGER,
    Press,
    expressible_stiffness,
    presses,
)
from touchback.haptics.wall.plant import Device, Finger, Plant
from touchback.haptics.wall.sensing import Encoder
from touchback.spatial.vectors import Scalar

_LADDER = 1.05  # from one stiffness that is tried to the next
_FINER = 5  # between the last that was passive and the first that wasn't


@dataclass(frozen=True)
class Setting:
    """Who presses what: as `Bench`, with an encoder and what stands between it and the law."""

    device: Device = BENCH_DEVICE
    finger: Finger = BENCH_FINGER
    believed: Finger | None = None
    encoder: Encoder = field(default_factory=Encoder)
    sense: Sense = field(default_factory=Given)
    motor: Motor = IDEAL_MOTOR
    delay: float = 0.0
    """In samples."""


@dataclass(frozen=True)
class Outcome:
    """For each stiffness: the least work of the hand over the largest, in any press (below zero:
    energy came out), and the deviation from the continuous wall over its penetration."""

    least_work: np.ndarray
    deviation: np.ndarray

    @property
    def passive(self) -> np.ndarray:
        """Which walls gave nothing."""
        return np.asarray(self.least_work >= -1e-9)


def press_walls(
    law: Law,
    stiffnesses: Sequence[float] | np.ndarray,
    rate: float,
    setting: Setting | None = None,
    *,
    damping: float = 0.0,
    follow: bool = False,
) -> Outcome:
    """Presses walls of all these stiffnesses [N/m] at a rate [Hz]. The deviation is found with
    `follow` alone: it asks for the continuous wall beside each."""
    used, K = setting or Setting(), np.asarray(stiffnesses, float)
    least, worst = np.full(len(K), np.inf), np.zeros(len(K))
    with np.errstate(all="ignore"):
        for group in _groups():
            low, high, far, deep = _press(law, K, rate, used, damping, group, follow)
            with_work = np.where(np.isfinite(low) & np.isfinite(high), low / high, -np.inf)
            least = np.minimum(least, with_work.min(axis=0))
            if follow:
                worst = np.maximum(worst, (far / deep).max(axis=0))
    return Outcome(least, worst if follow else np.full(len(K), np.nan))


def stiffest(law: Law, rate: float, setting: Setting | None = None) -> tuple[float, float]:
    """The stiffness [N/m] up to which no wall of the ladder gave energy (steps of five per cent,
    the last one of one; infinite if none did up to a contact of two samples; zero if the first
    did), and the deviation there."""
    used = setting or Setting()
    if not rate > 0.0:
        raise InputError(f"A battery at {rate} Hz; give a positive rate.")
    top = expressible_stiffness(used.device.mass + used.finger.mass, rate)
    first = used.device.damping * rate
    count = 1 + math.floor(math.log(top / first) / math.log(_LADDER))
    K = first * _LADDER ** np.arange(count)
    fails = np.flatnonzero(~press_walls(law, K, rate, used).passive)
    if not len(fails):
        found, told = math.inf, float(K[-1])
    else:
        after = int(fails[0])
        fine = K[after] * _LADDER ** np.linspace(-1.0, 0.0, _FINER + 1)
        good = press_walls(law, fine[1:-1], rate, used).passive
        reached = int(np.argmin(np.append(good, False)))
        told = found = float(fine[reached]) if after or reached else 0.0
    deviation = press_walls(law, [told], rate, used, follow=True).deviation[0] if told else 0.0
    return found, float(deviation)


def _groups() -> Iterator[list[Press]]:
    """Presses of one shape, from different places."""
    shapes: dict[tuple[float, float], list[Press]] = {}
    for press in presses():
        shapes.setdefault((press.peak, press.duration), []).append(press)
    yield from shapes.values()


def _press(
    law: Law,
    K: np.ndarray,
    rate: float,
    setting: Setting,
    damping: float,
    group: list[Press],
    follow: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of each place and stiffness: least and largest work of the hand, largest distance from the
    continuous wall, and that wall's penetration."""
    period, press = 1.0 / rate, group[0]
    gap = np.array([[each.gap] for each in group])
    samples = math.ceil(1.5 * press.duration * rate)
    push = press.force(period, samples)
    real, shape = Plant(setting.device, setting.finger), (len(group), len(K))
    guessed = Plant(setting.device, setting.believed or setting.finger)
    pull = setting.finger.stiffness * gap
    run = _Run(real, setting, period, np.broadcast_to(gap, shape).copy(), np.zeros(shape))
    due = Pair(run.y, run.v)
    motion, plant = _motion(real), _motion(guessed)
    touching = Motion(motion.mass, motion.damping + damping, motion.stiffness + K)
    contact = Motion(plant.mass, plant.damping + damping, plant.stiffness + K)
    memory: Sequence[Scalar] = law.start
    sensed: Sequence[Scalar] = setting.sense.start
    read = _reader(setting.encoder, shape)
    asked, far, deep = np.zeros(shape), np.zeros(shape), np.full(shape, 1e-300)
    for sample in range(samples):
        bias = guessed.motion.stiffness * gap
        told = Told(read(run.y), run.v, asked, plant, bias, K, damping, period, contact)
        sensed, known = setting.sense.step(sensed, told)
        memory, asked = law.step(memory, known)
        asked = np.broadcast_to(asked, shape)
        run.move(_given(setting.motor, asked), pull + push[sample])
        if follow:
            due = onward(motion, touching, due, pull + push[sample], period)
            far, deep = np.maximum(far, abs(run.y - due.y)), np.maximum(deep, -due.y)
    return run.low, run.high, far, deep


class _Run:
    """Handles that move, and the hand's work on each (`hand_work` says how it is booked)."""

    def __init__(
        self, plant: Plant, setting: Setting, period: float, y: np.ndarray, v: np.ndarray
    ) -> None:
        self.plant, self.y, self.v = plant, y, v
        late = setting.delay * period
        self.early, self.rest = plant.motion.flow(late), plant.motion.flow(period - late)
        self.acting, self.work = np.zeros_like(y), np.zeros_like(y)
        self.low, self.high = np.zeros_like(y), np.full_like(y, 1e-300)

    def move(self, given: np.ndarray, other: np.ndarray) -> None:
        """Over a period with the wall's new force, which acts after the delay."""
        motion, device = self.plant.motion, self.plant.device
        early, rest = self.early, self.rest
        first, then = self.acting + other, given + other
        y0 = early.yy * self.y + early.yv * self.v + early.yf * first
        v0 = early.vy * self.y + early.vv * self.v + early.vf * first
        y = rest.yy * y0 + rest.yv * v0 + rest.yf * then
        v = rest.vy * y0 + rest.vv * v0 + rest.vf * then
        wall = self.acting * (y0 - self.y) + given * (y - y0)
        squares = v * v - self.v * self.v
        stored = 0.5 * motion.mass * squares + 0.5 * motion.stiffness * (y * y - self.y * self.y)
        lost = wall + other * (y - self.y) - stored
        share = device.damping / motion.damping if motion.damping else 0.0
        self.work = self.work + 0.5 * device.mass * squares + share * lost - wall
        self.low = np.where(self.work < self.low, self.work, self.low)
        self.high = np.maximum(self.high, abs(self.work))
        self.y, self.v, self.acting = y, v, given


def _motion(plant: Plant) -> Motion:
    motion = plant.motion
    return Motion(motion.mass, motion.damping, motion.stiffness)


def _reader(encoder: Encoder, shape: tuple[int, int]) -> Callable[[np.ndarray], np.ndarray]:
    draw = np.random.default_rng(encoder.seed).normal

    def read(y: np.ndarray) -> np.ndarray:
        seen = y + draw(0.0, encoder.noise, shape) if encoder.noise else y
        size = encoder.resolution
        return size * np.floor(seen / size + 0.5) if size else seen

    return read


def _given(motor: Motor, asked: np.ndarray) -> np.ndarray:
    """`Motor.force` of arrays."""
    given = np.clip(asked, -motor.limit, motor.limit)
    if motor.step:
        given = motor.step * np.round(given / motor.step)
    return motor.gain * given
