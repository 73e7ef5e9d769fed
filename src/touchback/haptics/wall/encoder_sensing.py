"""What a controller may know of the motion: everything, or what an encoder's counts tell.

A real key has an encoder. Positions come in counts, and velocities are made from them: by their
difference, over a window that adapts (Janabi-Sharifi, Hayward & Chen 2000), or by an observer that
knows the plant, from the counts at the samples or from the instants at which counts change.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import State
from touchback.haptics.wall.wall_plant import Plant

_GAUSS = ((0.5 - 0.15**0.5, 5 / 18), (0.5, 8 / 18), (0.5 + 0.15**0.5, 5 / 18))  # of Legendre


class Observer:
    """Estimates of [y, v, hand's force]; the force wanders by `hand_rate` [N/√s] (Kalman 1960)."""

    def __init__(self, plant: Plant, start: State, variance: float, hand_rate: float) -> None:
        self._motion, self._known = plant.motion, plant.force
        self._wander = hand_rate**2
        self._mean = np.array([start.y, start.v, 0.0])
        self._spread = np.diag([variance, 0.0, 0.0])

    @property
    def state(self) -> State:
        """The present estimate."""
        return State(float(self._mean[0]), float(self._mean[1]))

    def advance(self, duration: float, force: float) -> None:
        """Over a duration [s] under the wall's force [N]."""
        if duration <= 0.0:
            return
        flow = self._motion.flow(duration)
        step = np.array([
            [flow.yy, flow.yv, flow.yf], [flow.vy, flow.vv, flow.vf], [0.0, 0.0, 1.0],
        ])  # fmt: skip
        self._mean = step @ self._mean
        self._mean[0] += flow.yf * (force + self._known)
        self._mean[1] += flow.vf * (force + self._known)
        self._spread = step @ self._spread @ step.T
        for place, weight in _GAUSS:  # the force wanders within the duration: ∫ Γ(s) Γ(s)ᵀ ds
            part = self._motion.flow(place * duration)
            effect = np.array([part.yf, part.vf, 1.0])
            self._spread += (weight * self._wander * duration) * np.outer(effect, effect)

    def correct(self, position: float, variance: float) -> None:
        """By a position [m] that is true within a variance [m²]."""
        gain = self._spread[:, 0] / (self._spread[0, 0] + variance)
        self._mean = self._mean + gain * (position - self._mean[0])
        self._spread = self._spread - np.outer(gain, self._spread[0])


_LOOKS = 64  # a period, between which an edge is sought: no count changes twice within one


class Motion(NamedTuple):
    """The period that ends at a sample, as it really was."""

    state: State
    """At its end."""
    asked: float
    """The force that the controller asked for in it [N]."""
    at: Callable[[float], State]
    """The state so many seconds after its beginning."""


class Sense(Protocol):
    """A sensor at work."""

    def read(self, motion: Motion) -> State:
        """What is known at a sample."""
        ...


class Sensing(Protocol):
    """A sensor to be put to work on a plant that is known, at a start that is known."""

    def begin(self, plant: Plant, period: float, start: State) -> Sense:
        """At work from this state on, sampled with this period [s]."""
        ...


@dataclass(frozen=True)
class Encoder:
    """Positions rounded to whole counts of `resolution` [m] (0: none), after noise of a standard
    deviation [m]."""

    resolution: float = 0.0
    noise: float = 0.0
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("resolution", "noise"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise InputError(
                    f"An encoder's {name} is {getattr(self, name)} m; it must be zero or more."
                )

    def reader(self) -> Callable[[float], float]:
        """From true to read positions [m]."""
        draw = np.random.default_rng(self.seed).normal
        size = self.resolution

        def read(y: float) -> float:
            seen = y + float(draw(0.0, self.noise)) if self.noise else y
            return size * math.floor(seen / size + 0.5) if size else seen

        return read

    @property
    def variance(self) -> float:
        """Of what is read around what is true [m²]: that of a count is its square over twelve."""
        return self.resolution**2 / 12.0 + self.noise**2


@dataclass(frozen=True)
class ExactSensing:
    """Position and velocity as they are."""

    def begin(self, plant: Plant, period: float, start: State) -> "ExactSensing":
        return self

    def read(self, motion: Motion) -> State:
        return motion.state


EXACT = ExactSensing()


@dataclass(frozen=True)
class DifferenceSensing:
    """The velocity is the difference of the last two positions over the period."""

    encoder: Encoder = Encoder()

    def begin(self, plant: Plant, period: float, start: State) -> Sense:
        read = self.encoder.reader()
        return _Differences(read, period, read(start.y) - period * start.v)


@dataclass
class _Differences:
    reader: Callable[[float], float]
    period: float
    before: float

    def read(self, motion: Motion) -> State:
        y = self.reader(motion.state.y)
        v, self.before = (y - self.before) / self.period, y
        return State(y, v)


@dataclass(frozen=True)
class WindowSensing:
    """The velocity is the slope over the longest window that no count contradicts (Janabi-Sharifi,
    Hayward & Chen 2000, the end-fit method)."""

    encoder: Encoder
    longest: int = 16

    def begin(self, plant: Plant, period: float, start: State) -> Sense:
        return _Window(self.encoder.reader(), period, self.encoder.resolution, self.longest)


class _Window:
    def __init__(
        self, reader: Callable[[float], float], period: float, band: float, longest: int
    ) -> None:
        self.reader, self.period, self.band = reader, period, band
        self.kept: deque[float] = deque(maxlen=longest + 1)  # the newest first

    def read(self, motion: Motion) -> State:
        self.kept.appendleft(self.reader(motion.state.y))
        slope = 0.0
        for length in range(1, len(self.kept)):
            tried = (self.kept[0] - self.kept[length]) / length
            if any(abs(self.kept[0] - j * tried - self.kept[j]) > self.band
                   for j in range(1, length)):  # fmt: skip
                break
            slope = tried
        return State(self.kept[0], slope / self.period)


@dataclass(frozen=True)
class ObserverSensing:
    """An observer that knows the plant estimates position, velocity and the hand's force, which
    wanders by `hand_rate` [N/√s], from the counts at the samples; with `stamped`, from the instants
    at which the counts change too, which an encoder's timer tells."""

    encoder: Encoder
    hand_rate: float = 25.0
    stamped: bool = False

    def begin(self, plant: Plant, period: float, start: State) -> Sense:
        observer = Observer(plant, start, self.encoder.variance, self.hand_rate)
        return _Observing(self, observer, self.encoder.reader(), period)


@dataclass
class _Observing:
    sensing: ObserverSensing
    observer: Observer
    reader: Callable[[float], float]
    period: float

    def read(self, motion: Motion) -> State:
        observer, size = self.observer, self.sensing.encoder.resolution
        since = 0.0
        if self.sensing.stamped and size:
            for instant, edge in _first_and_last(_edges(motion, self.period, size)):
                observer.advance(instant - since, motion.asked)
                observer.correct(edge, (1e-2 * size) ** 2)
                since = instant
        observer.advance(self.period - since, motion.asked)
        read = self.reader(motion.state.y)
        if not since:
            observer.correct(read, self.sensing.encoder.variance)
        y, v = observer.state
        if size and not self.sensing.encoder.noise:  # the count is sure
            y = min(max(y, read - 0.5 * size), read + 0.5 * size)
        return State(y, v)


def _edges(motion: Motion, period: float, size: float) -> Iterator[tuple[float, float]]:
    """(instant, position) of the changes of the count within a period."""
    before, passed = motion.at(0.0).y, 0.0
    for number in range(1, _LOOKS + 1):
        now = period * number / _LOOKS
        y = motion.at(now).y
        low, high = sorted((math.floor(before / size + 0.5), math.floor(y / size + 0.5)))
        if low != high:
            edge = (high - 0.5) * size if y > before else (low + 0.5) * size
            yield passed + (now - passed) * (edge - before) / (y - before), edge
        before, passed = y, now


def _first_and_last(edges: Iterator[tuple[float, float]]) -> list[tuple[float, float]]:
    found = list(edges)
    return found if len(found) < 3 else [found[0], found[-1]]
