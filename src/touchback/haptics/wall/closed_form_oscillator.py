"""The mass, damper and spring that every model of the wall laboratory is, solved in closed form.

m ÿ + b ẏ + k y = f with constant f. The free ball (Gillespie 1996, eq. 5.5), the ball on the floor
(5.8, where −g must read −m g), the device with a finger on it (6.9) and the damped ball (6.37) are
special cases. Runs of the laboratory make millions of small steps, in Python floats.
`laws/branchless_oscillator.py` solves it over any scalar.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from touchback.errors import InputError
from touchback.numbers import Scalar


def root(function: Callable[[float], float], low: float, high: float, **precision: Any) -> float:
    """By Brent's method; `precision` holds SciPy's `xtol` and `rtol`."""
    from scipy.optimize import brentq  # half a second, not for the command's start

    return float(brentq(function, low, high, **precision))


_SERIES_REACH = 0.5  # rate times duration below which the power series is the accurate form


_SERIES_TERMS = 20  # 0.5^20 / 20! is far below rounding


class State(NamedTuple):
    """Position [m] and velocity [m/s]."""

    y: Scalar
    v: Scalar


class Flow(NamedTuple):
    """What a duration does to a state: y' = yy y + yv v + yf f and v' = vy y + vv v + vf f.

    The first four are Φ of eq. 5.17, the last two Γ of eq. 5.18 for a force held constant.
    """

    yy: Scalar
    yv: Scalar
    vy: Scalar
    vv: Scalar
    yf: Scalar
    vf: Scalar

    def __call__(self, state: State, force: Scalar) -> State:
        """The state after the duration under a constant force [N]."""
        y, v = state
        return State(
            self.yy * y + self.yv * v + self.yf * force,
            self.vy * y + self.vv * v + self.vf * force,
        )


@dataclass(frozen=True)
class Oscillator:
    """Mass [kg], damping [N s/m] and stiffness [N/m], the latter two zero or more."""

    mass: float
    damping: float = 0.0
    stiffness: float = 0.0

    def __post_init__(self) -> None:
        for name in ("mass", "damping", "stiffness"):
            if not math.isfinite(getattr(self, name)):
                raise InputError(f"An oscillator's {name} must be a number.")
        if self.mass <= 0.0:
            raise InputError(f"An oscillator's mass is {self.mass} kg; it must be positive.")
        if self.stiffness < 0.0:
            raise InputError(
                f"An oscillator's stiffness is {self.stiffness} N/m; it must not be negative."
            )

    @property
    def decay(self) -> float:
        """σ = b / 2m [1/s]."""
        return 0.5 * self.damping / self.mass

    @property
    def square(self) -> float:
        """ω₀² = k / m [1/s²]."""
        return self.stiffness / self.mass

    def flow(self, duration: float) -> Flow:
        """The exact solution over a duration [s]."""
        return _flow(self, duration)

    def after(self, state: State, duration: float, force: float) -> State:
        """The state after a duration [s] under a constant force [N]."""
        return _flow.__wrapped__(self, duration)(state, force)

    def energy(self, state: State, force: float) -> float:
        """½ m v² + ½ k y² − f y [J]: constant without damping."""
        y, v = state
        return 0.5 * self.mass * v * v + 0.5 * self.stiffness * y * y - force * y

    def time_to_cross(self, state: State, force: float) -> float:
        """The first time > 0 at which y changes its sign, infinite when it never does [s].

        For damping of zero or more. A start on y = 0 counts as the side to which it moves. In free
        fall this is the root (v + √(v² + 2 g y))/g, which eq. 5.7 and 6.32 of Gillespie misprint;
        an undamped contact has eq. 5.11. With damping and bias no closed form exists (6.36), so the
        root is bracketed between turning points, between which y is monotonic.
        """
        if self.damping == 0.0 and self.stiffness == 0.0:
            return self._fall(state, force)
        side = _side(state, force)
        if side == 0.0:
            return math.inf
        if self.damping == 0.0 and (swing := self._swing(state, force, side)) is not None:
            return swing
        began = 0.0
        for turn in self._turns(state, force):
            reached = self.after(state, turn, force).y
            if reached * side < 0.0:
                return self._crossing(state, force, began, turn, side)
            began = turn
        return math.inf

    def _fall(self, state: State, force: float) -> float:
        """The later root of y + v t + f t²/2m, free of cancellation, or the earlier if f > 0."""
        y, v = state
        a = force / self.mass
        if y == 0.0:
            return -2.0 * v / a if v * a < 0.0 else math.inf
        under = v * v - 2.0 * a * y
        if under < 0.0:
            return math.inf
        q = -(v + math.copysign(math.sqrt(under), v))
        roots = [2.0 * y / q if q else math.inf, q / a if a else math.inf]
        return min((root for root in roots if root > 0.0), default=math.inf)

    def _swing(self, state: State, force: float, side: float) -> float | None:
        """Eq. 5.11 for either side: y = y₀ + R cos(ω₀t − φ), falling where the cosine does.

        None near a graze, where the arc cosine loses digits.
        """
        frequency = math.sqrt(self.square)
        rest = force / self.stiffness
        along, across = state.y - rest, state.v / frequency
        radius = math.hypot(along, across)
        if not abs(rest) < 0.999 * radius:
            return None
        angle = math.atan2(across, along) + side * math.acos(-rest / radius)
        time = angle % (2.0 * math.pi) / frequency
        y, v = self.after(state, time, force)
        return time - y / v if v else time  # one step of Newton's against the rounding of acos

    def _crossing(self, state: State, force: float, low: float, high: float, side: float) -> float:
        if low == 0.0 and state.y * side <= 0.0:
            # Starting on the threshold: step off the root at zero before bracketing.
            low = high
            while self.after(state, low, force).y * side <= 0.0:
                low *= 0.5

        def height(time: float) -> float:
            return self.after(state, time, force).y

        return root(height, low, high, xtol=1e-300, rtol=8.9e-16)

    def _turns(self, state: State, force: float) -> Iterator[float]:
        """Times of v = 0, then one by which all that can happen has happened.

        v(t) is C v₀ + S a₀' with a₀' = (f − k y₀)/m − σ v₀, C and S the damped cosine and sine.
        """
        y, v = state
        slope = (force - self.stiffness * y) / self.mass - self.decay * v
        squared = self.square - self.decay**2
        if squared > 0.0:
            frequency = math.sqrt(squared)
            first = math.atan2(-v * frequency, slope) / frequency
            if first <= 1e-14 / frequency:
                first += math.pi / frequency
            # Swings don't grow: what the first three turning points don't cross is never crossed.
            for number in range(3):
                yield first + number * math.pi / frequency
            return
        fast = math.sqrt(-squared)
        # v = 0 where tanh(fast t) = −v fast / slope, at most once.
        ratio = -v * fast / slope if slope else math.inf
        if squared < 0.0 and 0.0 < ratio < 1.0:
            yield math.atanh(ratio) / fast
        elif squared == 0.0 and slope and -v / slope > 0.0:
            yield -v / slope
        slow = self.square / (self.decay + fast)
        if slow:
            yield 800.0 / slow  # beyond the range of exponentials
        elif force:
            # A constant drift: far enough for the drift to undo any distance passed before.
            scale = abs(y) + abs(v) / (2.0 * self.decay)
            yield 2.0 * (scale * self.damping / abs(force) + 2.0 / self.decay)
        else:
            yield 800.0 / (2.0 * self.decay)


def _side(state: State, force: float) -> float:
    """+1 above, −1 below; on the threshold the side to which it moves, 0 if it stays."""
    for leading in (state.y, state.v, force):
        if leading:
            return math.copysign(1.0, leading)
    return 0.0


@lru_cache(maxsize=4096)
def _flow(oscillator: Oscillator, duration: float) -> Flow:
    sigma, square, t = oscillator.decay, oscillator.square, duration
    squared = square - sigma * sigma
    if squared > 0.0:
        frequency = math.sqrt(squared)
        fading = math.exp(-sigma * t)
        cosine = fading * math.cos(frequency * t)
        sine = fading * math.sin(frequency * t) / frequency
    elif squared < 0.0 and sigma > 0.0:
        fast = math.sqrt(-squared)
        slowest = math.exp(-square / (sigma + fast) * t)
        cosine = 0.5 * (slowest + math.exp(-(sigma + fast) * t))
        sine = slowest * -math.expm1(-2.0 * fast * t) / (2.0 * fast)
    elif squared < 0.0:  # a device with negative damping (Fig. 6.7)
        fast = math.sqrt(-squared)
        fading = math.exp(-sigma * t)
        cosine = fading * math.cosh(fast * t)
        sine = fading * math.sinh(fast * t) / fast
    else:
        cosine = math.exp(-sigma * t)
        sine = t * cosine
    yy = cosine + sigma * sine
    return Flow(
        yy,
        sine,
        -square * sine,
        cosine - sigma * sine,
        _step(oscillator, t, yy) / oscillator.mass,
        sine / oscillator.mass,
    )


def _step(oscillator: Oscillator, t: float, yy: float) -> float:
    """The response of the position to a unit step of acceleration, ∫ S, without cancellation."""
    sigma, square = oscillator.decay, oscillator.square
    if max(2.0 * abs(sigma), math.sqrt(square)) * t < _SERIES_REACH:
        # y'' + 2σ y' + ω₀² y = 1 term by term.
        total, before, term = 0.0, 0.0, 0.5 * t * t
        for power in range(2, _SERIES_TERMS):
            total += term
            following = -(2.0 * sigma * t * term + square * t * t * before / power) / (power + 1)
            before, term = term, following
        return total
    if sigma * sigma > 1.01 * square:
        fast = math.copysign(math.sqrt(sigma * sigma - square), sigma)
        quick = sigma + fast
        slow = square / quick
        slow_part = -math.expm1(-slow * t) / slow if slow else t
        return (slow_part + math.expm1(-quick * t) / quick) / (2.0 * fast)
    return (1.0 - yy) / square
