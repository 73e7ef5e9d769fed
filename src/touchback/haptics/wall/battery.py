"""The battery of presses on many walls at once: which of them give energy, and where they lead.

`passivity.py` presses one wall after the other. Here a sample of a press (`pressing.py`) becomes
machine code that runs over all places and stiffnesses that are tried, so that tables over rates,
controllers and sensors take minutes.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchback.errors import InputError
from touchback.haptics.wall.laws import Law
from touchback.haptics.wall.passivity import Press, expressible_stiffness
from touchback.haptics.wall.pressing import DEEP, FAR, LARGEST, LEAST, Pressing, Setting
from touchback.symbolic.expression import Expr
from touchback.symbolic.stages import split
from touchback.symbolic.tape import Tape
from touchback.system.compiled_function import Function

__all__ = ["Battery", "Outcome", "Setting", "press_walls", "stiffest"]

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
    setting: Setting | None = None,
    *,
    damping: float = 0.0,
    follow: bool = False,
) -> Outcome:
    """Presses walls of all these stiffnesses [N/m] at a rate [Hz]. The deviation is found with
    `follow` alone: it asks for the continuous wall beside each."""
    return Battery(law, rate, setting, damping=damping, follow=follow).press(stiffnesses)


def stiffest(
    law: Law,
    rate: float,
    setting: Setting | None = None,
    *,
    damping: float = 0.0,
    astray: float = math.inf,
) -> tuple[float, float]:
    """The stiffness [N/m] up to which no wall of the ladder gave energy or led the handle farther
    `astray` than so many penetrations (steps of five per cent, the last one of one; infinite if
    none did up to a contact of two samples; zero if the first did), and the deviation there."""
    if not rate > 0.0:
        raise InputError(f"A battery at {rate} Hz; give a positive rate.")
    followed = Battery(law, rate, setting, damping=damping, follow=True)
    plain = Battery(law, rate, setting, damping=damping)
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


class Battery:
    """A law in a setting at a rate [Hz], ready to be pressed."""

    def __init__(
        self,
        law: Law,
        rate: float,
        setting: Setting | None = None,
        *,
        damping: float = 0.0,
        follow: bool = False,
    ) -> None:
        self.setting, self.rate = setting or Setting(), rate
        self.pressing = Pressing(law, self.setting, 1.0 / rate, damping, follow)
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


def _compiled(pressing: Pressing) -> Function:
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


def _noise(setting: Setting, count: int) -> Callable[[], np.ndarray]:
    """What the encoder's noise is at a sample, of its standard deviation."""
    if not setting.encoder.noise:
        return lambda: np.zeros(count)
    draw = np.random.default_rng(setting.encoder.seed).normal
    return lambda: np.asarray(draw(0.0, 1.0, count))
