"""Touches: how a finger moves the key front, as depths [m] over time with live parameters.

A touch is called with the model that it drives and gives the depth; `grand_piano_action("motion",
touch=…)` prescribes it. All of them end on the front-rail punching, which they press in by
`SQUEEZE`.

`Struck` and `Pressed` take up their speed v with a lag τ = lag + give/v: a time that muscles need,
and the time in which the finger's own give, a length, is used up. So a soft touch gathers its speed
more slowly than a hard one. A finger that rests on the key has little give left; one that arrives
has that of its pulp. Lags and gives were chosen once, for the travel times that Goebl, Bresin and
Galembo (2005) measured of pianists.
"""

import math
from dataclasses import dataclass

import numpy as np

from touchback import Expr, Model, cos, exp, maximum, minimum, select
from touchback.model.value import Value

SQUEEZE = 0.4e-3  # what a holding finger presses the punching in [m]: some 10 N
ROUNDING = 0.2e-3  # depth over which the key comes to its stop [m]
SLOWEST = 1e-3  # below this speed a touch gathers it no more slowly [m/s]


def stopped(m: Model, depth: Value) -> Value:
    """The depth, but coming to a stop just below where the punching begins to carry."""
    bottom = m.signal("key dip") + SQUEEZE
    over = maximum(depth - (bottom - ROUNDING), 0.0)
    return minimum(depth, bottom) - select(
        over < 2 * ROUNDING, over * over / (4 * ROUNDING) - maximum(over - ROUNDING, 0.0), 0.0
    )


def _since_start(m: Model) -> Value:
    """Touches begin at time 0; before, the finger waits on the resting key."""
    return maximum(m.time, 0.0)


def _speed_and_lag(m: Model, speed: float, lag: float, give: float) -> tuple[Expr, Expr]:
    """The speed that a finger takes up, and the lag τ with which it does."""
    v = m.parameter("touch speed", speed, unit="m/s", min=0.0, max=20.0)
    muscles = m.parameter("lag", lag, unit="s", min=1e-4, max=1.0)
    pulp = m.parameter("give", give, unit="m", min=0.0, max=0.02)
    return v, muscles + pulp / maximum(v, SLOWEST)


@dataclass(frozen=True)
class Struck:
    """The finger arrives with a speed [m/s] that the key takes up with one lag τ: v (1 − e^(−x)),
    x = t/τ. Parameters "touch speed", "lag" [s] and "give" [m]."""

    speed: float = 0.2
    lag: float = 0.0141
    give: float = 4.7e-3

    def __call__(self, m: Model) -> Value:
        v, lag = _speed_and_lag(m, self.speed, self.lag, self.give)
        x = _since_start(m) / lag
        return stopped(m, v * lag * (x - 1.0 + exp(-x)))


@dataclass(frozen=True)
class Pressed:
    """The finger rests on the key and gathers a speed [m/s] through three equal lags τ, as of
    will, muscle and fingertip: v (1 − (1 + x + x²/2) e^(−x)), x = t/τ. Parameters "touch speed",
    "lag" [s] and "give" [m]."""

    speed: float = 0.2
    lag: float = 0.0241
    give: float = 0.158e-3

    def __call__(self, m: Model) -> Value:
        v, lag = _speed_and_lag(m, self.speed, self.lag, self.give)
        x = _since_start(m) / lag
        return stopped(m, v * lag * (x - 3.0 + (3.0 + 2.0 * x + x * x / 2) * exp(-x)))


@dataclass(frozen=True)
class Straight:
    """Down at a constant speed [m/s], held for a time [s], and up again. Parameters "touch speed"
    and "hold"."""

    speed: float = 0.01
    hold: float = 0.3

    def __call__(self, m: Model) -> Value:
        v = m.parameter("touch speed", self.speed, unit="m/s", min=1e-4, max=5.0)
        hold = m.parameter("hold", self.hold, unit="s", min=0.0, max=100.0)
        t, bottom = _since_start(m), m.signal("key dip") + SQUEEZE
        back = bottom - v * (t - bottom / v - hold)
        return maximum(minimum(minimum(v * t, bottom), back), 0.0)


@dataclass(frozen=True)
class Repeated:
    """A stroke within 60 ms, then up to a release depth [m] and down again, `rate` times a second.
    Parameters "rate" and "release depth"."""

    rate: float = 15.0
    release: float = 2e-3
    first: float = 0.06

    def __call__(self, m: Model) -> Value:
        rate = m.parameter("rate", self.rate, unit="Hz", min=0.1, max=50.0)
        release = m.parameter("release depth", self.release, unit="m", min=0.0, max=9e-3)
        t, bottom = _since_start(m), m.signal("key dip") + SQUEEZE
        down = bottom * (1.0 - cos(math.pi * minimum(t / self.first, 1.0))) / 2
        swing = (bottom - release) * (1.0 + cos(2 * math.pi * rate * (t - self.first))) / 2
        return select(t < self.first, down, release + swing)


@dataclass(frozen=True)
class Reached:
    """To a depth [m] in some seconds along a minimum-jerk path, and there it stays. Parameters
    "press depth" and "press time"."""

    depth: float = 9.7e-3
    seconds: float = 0.13

    def __call__(self, m: Model) -> Value:
        depth = m.parameter("press depth", self.depth, unit="m", min=0.0, max=0.012)
        seconds = m.parameter("press time", self.seconds, unit="s", min=1e-3, max=10.0)
        x = minimum(_since_start(m) / seconds, 1.0)
        return depth * (x * x * x * (10.0 - 15.0 * x + 6.0 * x * x))


def minimum_jerk(share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far (0 to 1) and how fast (per unit of share) a smooth reach is, at shares of its time:
    10 x³ − 15 x⁴ + 6 x⁵ (Flash and Hogan 1985)."""
    x = np.clip(share, 0.0, 1.0)
    return x**3 * (10.0 - 15.0 * x + 6.0 * x**2), 30.0 * (x * (1.0 - x)) ** 2
