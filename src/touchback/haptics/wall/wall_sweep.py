"""Sweeps over wall designs: presses on many walls at once show which of them give energy.

`passivity_limits.py` presses one wall after the other. Here a sample of a press
(`PressSimulation`) becomes machine code that runs over all places and stiffnesses that are tried,
so that tables over rates, controllers and sensors take minutes.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from touchback import Expr, floor, maximum, minimum, select
from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import State
from touchback.haptics.wall.encoder_sensing import Encoder
from touchback.haptics.wall.laws import AsMeasured, Law, Motion, Sense, Stamp, WallSample
from touchback.haptics.wall.laws.branchless_oscillator import advance_period, crossing
from touchback.haptics.wall.passivity_limits import (
    BENCH_DEVICE,
    BENCH_FINGER,
    Press,
    expressible_stiffness,
    presses,
)
from touchback.haptics.wall.wall_plant import IDEAL_MOTOR, Device, Finger, Motor, Plant
from touchback.numbers import Scalar
from touchback.symbolic import Tape, split
from touchback.system import Function

_TINY = 1e-300  # so that nothing is divided by zero


@dataclass(frozen=True)
class PressSetup:
    """Who presses what: as `Bench`, with an encoder and what stands between it and the law."""

    device: Device = BENCH_DEVICE
    finger: Finger = BENCH_FINGER
    assumed_finger: Finger | None = None
    encoder: Encoder = field(default_factory=Encoder)
    sense: Sense = field(default_factory=AsMeasured)
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
class PressSimulation:
    """A law in a setting, a sample at a time. The state: y, v, the force that acts and the one that
    was asked for, the hand's work with its least and its largest; what `follow` adds: the same
    handle on a continuous wall (y, v), the largest distance from it and how deep that is; a stamp;
    what the sense and the law remember."""

    law: Law
    setting: PressSetup
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
        guessed = Plant(setting.device, setting.assumed_finger or setting.finger)
        sample = WallSample(
            self._read(y, noise), v, asked, _motion(guessed), guessed.motion.stiffness * gap,
            stiffness, self.damping, self.period, stamp,
        )  # fmt: skip
        sensed, known = setting.sense.step(rest[:length], sample)
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
    ) -> tuple[State, Scalar]:
        """Over a period with the wall's new force, which acts after the delay; the hand's work."""
        plant = Plant(self.setting.device, self.setting.finger)
        motion, device = plant.motion, plant.device
        late = self.setting.delay * self.period
        y0, v0 = y, v
        if late:
            y0, v0 = motion.flow(late)(State(y, v), acting + other)
        y1, v1 = motion.flow(self.period - late)(State(y0, v0), given + other)
        wall = acting * (y0 - y) + given * (y1 - y0)
        squares = v1 * v1 - v * v
        stored = 0.5 * motion.mass * squares + 0.5 * motion.stiffness * (y1 * y1 - y * y)
        lost = wall + other * (y1 - y) - stored
        share = device.damping / motion.damping if motion.damping else 0.0
        return State(y1, v1), 0.5 * device.mass * squares + share * lost - wall

    def _followed(
        self, followed: Sequence[Scalar], y: Scalar, stiffness: Scalar, other: Scalar
    ) -> list[Scalar]:
        """The continuous wall a sample later: an undamped one, whatever the law's own is."""
        motion = _motion(Plant(self.setting.device, self.setting.finger))
        in_contact = Motion(motion.mass, motion.damping, motion.stiffness + stiffness)
        due = advance_period(motion, in_contact, State(*followed[:2]), other, self.period)
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


__all__ = ["Outcome", "PressSetup", "WallSweep", "find_stiffest_wall", "press_walls"]


_LADDER = 1.05  # from one stiffness that is tried to the next


_FINER = 5  # between the last that was passive and the first that wasn't


_TOGETHER = 64  # stiffnesses of the ladder


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
    setting: PressSetup | None = None,
    *,
    damping: float = 0.0,
    follow: bool = False,
) -> Outcome:
    """Presses walls of all these stiffnesses [N/m] at a rate [Hz]. The deviation is found with
    `follow` alone: it asks for the continuous wall beside each."""
    return WallSweep(law, rate, setting, damping=damping, follow=follow).press(stiffnesses)


def find_stiffest_wall(
    law: Law,
    rate: float,
    setting: PressSetup | None = None,
    *,
    damping: float = 0.0,
    astray: float = math.inf,
) -> tuple[float, float]:
    """The stiffness [N/m] up to which no wall of the ladder gave energy or led the handle farther
    `astray` than so many penetrations (steps of five per cent, the last one of one; infinite if
    none did up to a contact of two samples; zero if the first did), and the deviation there."""
    if not rate > 0.0:
        raise InputError(f"A battery at {rate} Hz; give a positive rate.")
    followed = WallSweep(law, rate, setting, damping=damping, follow=True)
    plain = WallSweep(law, rate, setting, damping=damping)
    searched, device = followed if math.isfinite(astray) else plain, plain.setting.device

    def good(K: np.ndarray) -> np.ndarray:
        outcome = searched.press(K)
        near = outcome.deviation <= astray if math.isfinite(astray) else True
        return np.asarray(outcome.passive & near)

    first = device.damping * rate
    top = expressible_stiffness(device.mass + plain.setting.finger.mass, rate)
    count = 1 + math.floor(math.log(top / first) / math.log(_LADDER))
    K = first * _LADDER ** np.arange(count)
    for start in range(0, count, _TOGETHER):
        fails = np.flatnonzero(~good(K[start : start + _TOGETHER]))
        if not len(fails):
            continue
        after = start + int(fails[0])
        fine = K[after] * _LADDER ** np.linspace(-1.0, 0.0, _FINER + 1)
        reached = int(np.argmin(np.append(good(fine[1:-1]), False)))
        found = float(fine[reached]) if after or reached else 0.0
        return found, float(followed.press([found]).deviation[0]) if found else 0.0
    return math.inf, float(followed.press(K[-1:]).deviation[0])


class WallSweep:
    """A law in a setting at a rate [Hz], ready to be pressed."""

    def __init__(
        self,
        law: Law,
        rate: float,
        setting: PressSetup | None = None,
        *,
        damping: float = 0.0,
        follow: bool = False,
    ) -> None:
        self.setting, self.rate = setting or PressSetup(), rate
        self.pressing = PressSimulation(law, self.setting, 1.0 / rate, damping, follow)
        self._function = _compiled(self.pressing)

    def press(self, stiffnesses: Sequence[float] | np.ndarray) -> Outcome:
        """Every press of the setting on walls of all these stiffnesses [N/m]."""
        K = np.asarray(stiffnesses, float)
        least, worst = np.full(len(K), np.inf), np.zeros(len(K))
        with np.errstate(all="ignore"):
            for group in _groups(self.setting.presses):
                end = self._together(K, group).reshape(len(group), len(K), -1)
                low, high = end[..., LEAST], end[..., LARGEST]
                shares = np.where(np.isfinite(low) & np.isfinite(high), low / high, -np.inf)
                least = np.minimum(least, shares.min(axis=0))
                if self.pressing.follow:
                    far = np.nan_to_num(end[..., FAR] / end[..., DEEP], nan=np.inf)
                    worst = np.maximum(worst, far.max(axis=0))
        return Outcome(least, worst if self.pressing.follow else np.full(len(K), np.nan))

    def _together(self, K: np.ndarray, group: Sequence[Press]) -> np.ndarray:
        """The states after presses of one duration, a row for each place and stiffness."""
        pressing, unit = self.pressing, replace(group[0], peak=1.0)
        peaks = np.repeat([each.peak for each in group], len(K))
        gaps = np.repeat([each.gap for each in group], len(K))
        block = self._function.block_for(np.column_stack([np.tile(K, len(group)), gaps]))
        state = np.tile(np.array(pressing.start), (len(gaps), 1))
        state[:, pressing.gaps] = gaps[:, None]
        after = np.empty_like(state)
        samples = math.ceil(1.5 * unit.duration * self.rate)
        noise = _noise(self.setting, len(gaps))
        for push in unit.force(pressing.period, samples):
            inputs = np.column_stack([push * peaks, noise()])
            sizes = state.shape[1], inputs.shape[1]
            self._function.rows(sizes, [(state, 0), (inputs, sizes[0])], block, after)
            state, after = after, state
        return state


def _compiled(pressing: PressSimulation) -> Function:
    """A sample as machine code: what depends on stiffness and gap alone is computed once."""
    tape = Tape()

    def symbols(kind: str, count: int) -> list[Expr]:
        return [Expr(tape, tape.symbol(f"{kind}:{i}")) for i in range(count)]

    state, given, inputs = symbols("x", len(pressing.start)), symbols("p", 2), symbols("u", 2)
    after = [
        each.id if isinstance(each, Expr) else tape.const(float(each))
        for each in pressing.step(state, *given, *inputs)
    ]
    places = {each.id: ("x", i) for i, each in enumerate(state)}
    places |= {each.id: ("u", i) for i, each in enumerate(inputs)}
    stages = split(tape, after, [each.id for each in given], places)
    return Function("a press", stages.first, stages.second, (len(after),), "machine")


def _groups(presses: Sequence[Press]) -> Iterator[list[Press]]:
    """Presses of one duration."""
    durations: dict[float, list[Press]] = {}
    for press in presses:
        durations.setdefault(press.duration, []).append(press)
    yield from durations.values()


def _noise(setting: PressSetup, count: int) -> Callable[[], np.ndarray]:
    """What the encoder's noise is at a sample, of its standard deviation."""
    if not setting.encoder.noise:
        return lambda: np.zeros(count)
    draw = np.random.default_rng(setting.encoder.seed).normal
    return lambda: np.asarray(draw(0.0, 1.0, count))
