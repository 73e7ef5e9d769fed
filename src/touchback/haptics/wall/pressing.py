"""One sample of a press on a wall, over any scalar: the handle moves exactly under held forces, an
encoder counts, a sense and a law answer, the hand's work is booked (`hand_work` says how).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from touchback.errors import InputError
from touchback.haptics.wall.laws import Given, Law, Motion, Sense, Stamp, Told
from touchback.haptics.wall.laws.motion import Pair, crossing, onward
from touchback.haptics.wall.motor import IDEAL_MOTOR, Motor
from touchback.haptics.wall.passivity import BENCH_DEVICE, BENCH_FINGER, Press, presses
from touchback.haptics.wall.plant import Device, Finger, Plant
from touchback.haptics.wall.sensing import Encoder
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import floor, maximum, minimum, select

_TINY = 1e-300  # so that nothing is divided by zero


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
    stamps: bool = False
    """Whether the encoder's timer tells when the count last changed."""
    presses: tuple[Press, ...] = tuple(presses())

    def __post_init__(self) -> None:
        if not 0.0 <= self.delay <= 1.0:
            raise InputError(f"A setting's delay is {self.delay} samples; give 0 to 1.")
        if self.stamps and (self.delay or not self.encoder.resolution or self.encoder.noise):
            raise InputError(
                f"Time stamps need an encoder with counts and no noise, and forces that aren't "
                f"late; this one has counts of {self.encoder.resolution} m, noise of "
                f"{self.encoder.noise} m and a delay of {self.delay} samples."
            )


@dataclass(frozen=True)
class Pressing:
    """A law in a setting, a sample at a time. The state: y, v, the force that acts and the one that
    was asked for, the hand's work with its least and its largest; what `follow` adds: the same
    handle on a continuous wall (y, v), the largest distance from it and how deep that is; a stamp;
    what the sense and the law remember."""

    law: Law
    setting: Setting
    period: float
    damping: float = 0.0
    """Of the wall [N s/m]."""
    follow: bool = False

    @property
    def start(self) -> tuple[float, ...]:
        """The state at a gap of zero."""
        stamp = (0.0, 0.0, 0.0) if self.setting.stamps else ()
        own = (*self.setting.sense.start, *self.law.start)
        return (*_START, *(_FOLLOWED if self.follow else ()), *stamp, *own)

    @property
    def gaps(self) -> tuple[int, ...]:
        """Which parts of the state begin at the gap."""
        return (0, len(_START)) if self.follow else (0,)

    def step(
        self, state: Sequence[Scalar], stiffness: Scalar, gap: Scalar, push: Scalar, noise: Scalar
    ) -> list[Scalar]:
        """The state a sample later, under a wall of this stiffness [N/m], a finger that rests at
        the gap [m], the hand's push [N] and the encoder's noise (of a standard deviation)."""
        setting = self.setting
        y, v, acting, asked, work, low, high, *rest = state
        followed, rest = (rest[:4], rest[4:]) if self.follow else ([], rest)
        stamp = Stamp(*rest[:3]) if setting.stamps else None
        rest = rest[3:] if setting.stamps else rest
        length = len(setting.sense.start)
        guessed = Plant(setting.device, setting.believed or setting.finger)
        told = Told(
            self._read(y, noise), v, asked, _motion(guessed), guessed.motion.stiffness * gap,
            stiffness, self.damping, self.period, stamp,
        )  # fmt: skip
        sensed, known = setting.sense.step(rest[:length], told)
        memory, asked = self.law.step(rest[length:], known)
        given = _given(setting.motor, asked)
        other = setting.finger.stiffness * gap + push
        (after_y, after_v), done = self._moved(y, v, acting, given, other)
        work = work + done
        core = [after_y, after_v, given, asked, work]
        core += [select(work < low, work, low), maximum(high, abs(work))]
        if self.follow:
            core += self._followed(followed, after_y, stiffness, other)
        if stamp is not None:
            core += self._stamped(y, v, after_y, given + other, stamp)
        return [*core, *sensed, *memory]

    def _read(self, y: Scalar, noise: Scalar) -> Scalar:
        """The position that the encoder shows."""
        encoder = self.setting.encoder
        seen = y + encoder.noise * noise if encoder.noise else y
        size = encoder.resolution
        return size * floor(seen / size + 0.5) if size else seen

    def _moved(
        self, y: Scalar, v: Scalar, acting: Scalar, given: Scalar, other: Scalar
    ) -> tuple[Pair, Scalar]:
        """Over a period with the wall's new force, which acts after the delay; the hand's work."""
        plant = Plant(self.setting.device, self.setting.finger)
        motion, device = plant.motion, plant.device
        late = self.setting.delay * self.period
        y0, v0 = y, v
        if late:
            y0, v0 = motion.flow(late).of(y, v, acting + other)
        y1, v1 = motion.flow(self.period - late).of(y0, v0, given + other)
        wall = acting * (y0 - y) + given * (y1 - y0)
        squares = v1 * v1 - v * v
        stored = 0.5 * motion.mass * squares + 0.5 * motion.stiffness * (y1 * y1 - y * y)
        lost = wall + other * (y1 - y) - stored
        share = device.damping / motion.damping if motion.damping else 0.0
        return Pair(y1, v1), 0.5 * device.mass * squares + share * lost - wall

    def _followed(
        self, followed: Sequence[Scalar], y: Scalar, stiffness: Scalar, other: Scalar
    ) -> list[Scalar]:
        """The continuous wall a sample later: an undamped one, whatever the law's own is."""
        motion = _motion(Plant(self.setting.device, self.setting.finger))
        touching = Motion(motion.mass, motion.damping, motion.stiffness + stiffness)
        due = onward(motion, touching, Pair(*followed[:2]), other, self.period)
        far, deep = followed[2:]
        return [*due, maximum(far, abs(y - due.y)), maximum(deep, -due.y)]

    def _stamped(
        self, y: Scalar, v: Scalar, after: Scalar, force: Scalar, before: Stamp
    ) -> list[Scalar]:
        """The last change of the count within the sample, if the count is another one after it."""
        size = self.setting.encoder.resolution
        was, now = floor(y / size + 0.5), floor(after / size + 0.5)
        edge = size * (now + select(now > was, -0.5, 0.5))
        motion = _motion(Plant(self.setting.device, self.setting.finger))
        changed = select(now > was, 1.0, select(now < was, 1.0, 0.0))
        instant = crossing(motion, y, v, force, self.period, edge)
        return [changed, edge, (1.0 - instant) * self.period]


_START = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, _TINY)
_FOLLOWED = (0.0, 0.0, 0.0, _TINY)
#: Where the outcome is in the state.
LEAST, LARGEST, FAR, DEEP = 5, 6, 9, 10


def _motion(plant: Plant) -> Motion:
    motion = plant.motion
    return Motion(motion.mass, motion.damping, motion.stiffness)


def _given(motor: Motor, asked: Scalar) -> Scalar:
    """`Motor.force` over any scalar."""
    given = asked
    if math.isfinite(motor.limit):
        given = minimum(maximum(asked, -motor.limit), motor.limit)
    if motor.step:
        given = motor.step * floor(given / motor.step + 0.5)
    return motor.gain * given
