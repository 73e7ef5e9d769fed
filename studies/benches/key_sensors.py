"""Docquier's Hall pair and coil against a vibrometer (2021, Figs 18 to 22).

The paper states: a straight line but for [0; 1] and [9; 10] mm; at most 10 % off around 5 Hz; a
vibrometer of 175 µm and 4.4 mm/s. It doesn't say how far the magnets are from the sensors nor how
long the signals take. Two numbers are therefore found here: the magnets' distance is chosen, and
the lag is the one with which a hand's 5 Hz is 10 % off.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from touchback.devices.sensors import (
    Coil,
    HallPair,
    HallSensor,
    calibrate_coil,
    calibrate_hall_pair,
)
from touchback.model.value_or_expression import Value

TRAVEL = 10e-3  # m of the plots
DISTANCE = 0.040  # m of each magnet from its sensor in the middle of the travel (chosen)
KAPPA = 2.0  # V s/m of the coil (chosen: the paper gives none)
NOISE = 0.2e-3  # V of both kinds of signal, standard deviation (chosen)
SAMPLED = 1e-3  # s: the model is computed in less than a millisecond
VIBROMETER = 175e-6, 4.4e-3  # its resolutions [m], [m/s]
SLOW, FAST = 0.8, 5.0  # Hz: "less than 1 Hz", "around 5 Hz"
OFF = 0.10  # of the travel, at most, at 5 Hz
ENDS = 1e-3  # from either end of the travel, where the field bends the line [m]


@dataclass(frozen=True)
class Motion:
    """A hand that moves the key: times [s], heights [m], velocities [m/s]."""

    time: np.ndarray
    height: np.ndarray
    velocity: np.ndarray


def to_and_fro(frequency: float, periods: int = 8, deep: float = TRAVEL) -> Motion:
    """The key moved up and down by a hand over its travel, or only the upper part of it."""
    t = np.arange(0.0, periods / frequency, SAMPLED)
    phase = 2 * np.pi * frequency * t
    return Motion(t, deep * (1 - np.cos(phase)) / 2, np.pi * frequency * deep * np.sin(phase))


@dataclass(frozen=True)
class Checked:
    """Positions [m] and velocities [m/s] as the key's sensors tell them and as the vibrometer
    does."""

    motion: Motion
    position: np.ndarray
    velocity: np.ndarray
    reference: tuple[np.ndarray, np.ndarray]

    @property
    def off(self) -> float:
        """The largest error of the position, as a share of the travel."""
        return float(np.abs(self.position - self.motion.height).max() / TRAVEL)

    @property
    def velocity_off(self) -> float:
        """The root mean square error of the velocity, as a share of its greatest value."""
        error = self.velocity - self.motion.velocity
        return float(np.sqrt(np.mean(error**2)) / np.abs(self.motion.velocity).max())


@dataclass(frozen=True)
class KeySensors:
    """Two Hall sensors in opposition and a coil, behind amplifiers with one lag [s]."""

    lag: float = 0.0
    distance: float = DISTANCE
    kappa: float = KAPPA

    def voltages(self, height: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the front and the rear sensor [V] at heights of the key front [m], at rest."""
        up = height - TRAVEL / 2
        front, rear = HallSensor(self.distance, 1.0), HallSensor(self.distance, 1.0, -1.0)
        return _over(front.reading, up), _over(rear.reading, up)

    def calibrated(self) -> HallPair:
        """k and O of (17), from a slow calibration over the travel."""
        height = np.linspace(0.0, TRAVEL, 201)
        return calibrate_hall_pair(*self.voltages(height), height)[0]

    def deviation(self) -> tuple[np.ndarray, np.ndarray]:
        """Heights [m] and by how much (17) is off there without any lag or noise [m]."""
        height = np.linspace(0.0, TRAVEL, 201)
        return height, _over(self.calibrated().quantity, *self.voltages(height)) - height

    def checked(self, motion: Motion, seed: int = 1) -> Checked:
        """A motion as sensed, beside the vibrometer."""
        random = np.random.default_rng(seed)

        def sensed(voltage: np.ndarray) -> np.ndarray:
            return lagged(voltage, self.lag) + random.normal(0.0, NOISE, len(voltage))

        front, rear = map(sensed, self.voltages(motion.height))
        coil = Coil(self.kappa)
        emf = sensed(_over(coil.reading, motion.velocity))
        found = calibrate_coil(emf, motion.time, motion.height)
        reference = tuple(
            step * np.round(true / step)
            for step, true in zip(VIBROMETER, (motion.height, motion.velocity), strict=True)
        )
        position = _over(self.calibrated().quantity, front, rear)
        velocity = _over(found.quantity, emf)
        return Checked(motion, position, velocity, (reference[0], reference[1]))


def _over(sensor: Callable[..., Value], *signals: np.ndarray) -> np.ndarray:
    """A sensor's law, which is written for one number, over whole signals."""
    return np.asarray(np.vectorize(sensor, otypes=[float])(*signals))


def lagged(signal: np.ndarray, lag: float, step: float = SAMPLED) -> np.ndarray:
    """A signal behind one lag [s], exact for a signal that is held over each step."""
    if lag <= 0.0:
        return signal.copy()
    share = 1.0 - np.exp(-step / lag)
    out = np.empty_like(signal)
    now = float(signal[0])
    for i, value in enumerate(signal):
        now += share * (value - now)
        out[i] = now
    return out


def lag_that_explains(off: float = OFF, frequency: float = FAST) -> float:
    """The lag [s] of the sensors with which a motion at a frequency [Hz] is off by a share."""
    low, high, motion = 0.0, 0.05, to_and_fro(frequency)
    while high - low > 1e-6:
        middle = (low + high) / 2
        wide = KeySensors(middle).checked(motion).off > off
        low, high = (low, middle) if wide else (middle, high)
    return (low + high) / 2
