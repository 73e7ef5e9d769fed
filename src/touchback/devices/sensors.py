"""Sensors: from what they feel to the number that a computer gets, and back.

Each is written over any scalar: the same lines turn recorded readings into quantities, simulate the
sensor sample by sample, and stand in a model that runs against a clock."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback import (
    Acceleration,
    AngularVelocity,
    Direction,
    Expr,
    Model,
    cos,
    floor,
    log,
    maximum,
    minimum,
    select,
    sin,
    sqrt,
)
from touchback.errors import InputError, SolveError
from touchback.model import Place, Value, as_frame, list_items
from touchback.numbers import Scalar, check_fields, check_finite, positive_number, series

__all__ = [
    "Coil",
    "Converter",
    "Encoder",
    "HallPair",
    "HallSensor",
    "Imu",
    "LoadCell",
    "Noise",
    "Potentiometer",
    "Tachometer",
    "Unwrap",
    "calibrate_coil",
    "calibrate_hall_pair",
    "calibrate_load_cell",
    "noise",
    "uniform",
]


@dataclass(frozen=True)
class Encoder:
    """An incremental encoder of `lines` a turn, counted at all four edges, that turns `gearing`
    times as fast as the axis. Gillespie 1996, section 4.2: 512 lines, 24 · 8 : 1."""

    lines: int
    gearing: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not (isinstance(self.lines, int) and self.lines > 0):
            raise InputError(f"Encoder: {self.lines!r} lines; give a whole number above zero.")
        if not (math.isfinite(self.gearing) and self.gearing != 0.0):
            raise InputError(f"Encoder: its gearing is {self.gearing}; it can't be zero.")

    @property
    def resolution(self) -> float:
        """The axis' angle from one count to the next [rad]."""
        return 2.0 * math.pi / (4.0 * self.lines * abs(self.gearing))

    def reading(self, angle: Scalar) -> Scalar:
        """Counts at an angle [rad] of the axis, a whole number."""
        return floor(angle * (4.0 * self.lines * self.gearing / (2.0 * math.pi)))

    def quantity(self, counts: Value) -> Value:
        """The angle [rad] in the middle of a count: at most half a resolution off."""
        return (counts + 0.5) * (2.0 * math.pi / (4.0 * self.lines * self.gearing))


@dataclass(frozen=True)
class Unwrap:
    """The running count behind a counter of few `bits`, such as the 16 of a DAQ card (Gallo 2012,
    section 4.3): each difference is taken as the shortest way round. A filter: correct while fewer
    than half of all counts pass between two samples."""

    bits: int = 16

    def __post_init__(self) -> None:
        if not (isinstance(self.bits, int) and 2 <= self.bits <= 48):
            raise InputError(f"Unwrap: {self.bits!r} bits; counters have 2 to 48.")

    def at_rest(self, sample: float) -> tuple[float, ...]:
        return (sample, sample)

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        before, total = memory
        size = float(2**self.bits)
        difference = sample - before
        total = total + difference - size * floor(difference * (1.0 / size) + 0.5)
        return (sample, total), total


_STRAIGHT = 1e-3  # of the travel: a motion that stays so near to a straight line tells nothing


@dataclass(frozen=True)
class Coil:
    """U = κ ż; `kappa` in V s/m."""

    kappa: float

    def __post_init__(self) -> None:
        check_finite("Coil", kappa=self.kappa)
        if self.kappa == 0.0:
            raise InputError("Coil: κ is 0; a coil without voltage measures nothing.")

    def reading(self, velocity: Value) -> Value:
        """Voltage [V] of a velocity [m/s]."""
        return velocity * self.kappa

    def quantity(self, voltage: Value) -> Value:
        """Velocity [m/s] of a voltage [V]."""
        return voltage * (1.0 / self.kappa)


def calibrate_coil(voltage: ArrayLike, time: ArrayLike, position: ArrayLike) -> Coil:
    """κ from voltages [V] and positions [m] of a reference at times [s]: the voltage's integral
    against the position, so that nothing is differentiated."""
    U, t, z = series("calibrate_coil", 4, voltage=voltage, time=time, position=position)
    flux = np.concatenate([[0.0], np.cumsum(np.diff(t) * (U[1:] + U[:-1]) / 2.0)])
    # An amplifier's offset makes the integral drift: a constant and a slope are fitted with κ.
    drift = np.stack([np.ones_like(t), t - t[0]], axis=1)
    own, seen = (a - drift @ np.linalg.lstsq(drift, a, rcond=None)[0] for a in (z, flux))
    if np.ptp(z) == 0.0 or np.abs(own).max() <= _STRAIGHT * np.ptp(z):
        raise SolveError(
            "calibrate_coil: the position rests or moves evenly, which looks like an amplifier's "
            "offset; move the magnet to and fro."
        )
    return Coil(float(own @ seen / (own @ own)))


@dataclass(frozen=True)
class HallPair:
    """Height from the voltages of a front and a rear sensor: k (U_front² − U_rear²) + offset.
    `k` in m/V², `offset` in m."""

    k: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_finite("HallPair", k=self.k, offset=self.offset)

    def quantity(self, front: Value, rear: Value) -> Value:
        """The height [m] at which the sensors show these voltages [V]."""
        return self.k * (front * front - rear * rear) + self.offset


@dataclass(frozen=True)
class HallSensor:
    """One sensor, `distance` [m] from a magnet when the lever is at height zero, where it shows
    `voltage` [V]. On its axis a small magnet's field falls with the cube of the distance. `facing`
    is +1 for the sensor that the lever approaches when its height grows, else −1."""

    distance: float
    voltage: float
    facing: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        check_finite("HallSensor", distance=self.distance, voltage=self.voltage)
        if not (self.distance > 0.0 and self.facing in (-1, 1)):
            raise InputError(
                f"HallSensor: {self.distance} m from its magnet, facing {self.facing}; the "
                "distance is above zero, facing is 1 or -1."
            )

    def reading(self, height: Value) -> Value:
        """The voltage [V] at a height [m]."""
        ratio = self.distance / (self.distance - self.facing * height)
        return self.voltage * ratio * ratio * ratio


def calibrate_hall_pair(
    front: ArrayLike, rear: ArrayLike, height: ArrayLike
) -> tuple[HallPair, float]:
    """k and offset from voltages [V] at known heights [m], by least squares, and the largest
    deviation from the straight line that (17) claims [m]."""
    front, rear, height = series("calibrate_hall_pair", 3, front=front, rear=rear, height=height)
    combined = front**2 - rear**2
    if np.ptp(combined) < 1e-9 * max(1.0, np.abs(combined).max()):
        raise SolveError(
            "calibrate_hall_pair: U_front² − U_rear² hardly changes over the samples; move the "
            "lever over its whole travel, and check that the sensors lie in opposition."
        )
    (k, offset), *_ = np.linalg.lstsq(
        np.stack([combined, np.ones_like(combined)], axis=1), height, rcond=None
    )
    worst = float(np.abs(k * combined + offset - height).max())
    return HallPair(float(k), float(offset)), worst


Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Imu:
    """Three accelerometers, which feel acceleration less gravity, and three gyroscopes, along the
    axes of the chip: each with a `bias` and clipped at a `range`. Units m/s² and rad/s."""

    acceleration_bias: Triple = (0.0, 0.0, 0.0)
    rate_bias: Triple = (0.0, 0.0, 0.0)
    acceleration_range: float = 16.0 * 9.81
    rate_range: float = 34.9  # 2000 °/s

    def __post_init__(self) -> None:
        for name in ("acceleration_bias", "rate_bias"):
            given = getattr(self, name)
            bias = list_items(given)
            if bias is None or len(bias) != 3:
                raise InputError(f"Imu: its {name} is {given!r}; give one for each of three axes.")
            check_finite("Imu", **{f"{name}[{axis}]": x for axis, x in enumerate(bias)})
        positive_number("Imu: its acceleration_range [m/s²]", self.acceleration_range)
        positive_number("Imu: its rate_range [rad/s]", self.rate_range)

    def reading(
        self, acceleration: Sequence[Value], gravity: Sequence[Value], rate: Sequence[Value]
    ) -> tuple[list[Value], list[Value]]:
        """What is felt, all along the chip's axes: its acceleration, gravity (the vector pointing
        down) and its angular velocity."""
        felt = [a - g for a, g in zip(acceleration, gravity, strict=True)]
        return (
            self._clipped(felt, self.acceleration_bias, self.acceleration_range),
            self._clipped(list(rate), self.rate_bias, self.rate_range),
        )

    def add(self, model: Model, name: str, frame: Place) -> tuple[list[Value], list[Value]]:
        """Put it on a frame of a model, along the frame's axes: what it feels at each instant, to
        be sampled by memories."""
        frame = as_frame(f"Imu '{name}'", frame)
        axes = [model.sensor(f"{name} {axis}", Direction(frame, axis)) for axis in "xyz"]

        def along(vector: Sequence[Value]) -> list[Value]:
            return [sum(a * b for a, b in zip(axis, vector, strict=True)) for axis in axes]

        acceleration = model.sensor(f"{name} acceleration", Acceleration(frame))
        rate = model.sensor(f"{name} rate", AngularVelocity(frame))
        return self.reading(along(acceleration), along(model.gravity), along(rate))

    @staticmethod
    def _clipped(values: Sequence[Value], bias: Triple, limit: float) -> list[Value]:
        return [
            minimum(maximum(value + offset, -limit), limit)
            for value, offset in zip(values, bias, strict=True)
        ]


@dataclass(frozen=True)
class LoadCell:
    """U = sensitivity F + offset; `sensitivity` in V/N, `offset` in V."""

    sensitivity: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_finite("LoadCell", sensitivity=self.sensitivity, offset=self.offset)
        if self.sensitivity == 0.0:
            raise InputError("LoadCell: its sensitivity is 0; it would feel no force.")

    def reading(self, force: Value) -> Value:
        """Voltage [V] of a force [N]."""
        return force * self.sensitivity + self.offset

    def quantity(self, voltage: Value) -> Value:
        """Force [N] of a voltage [V]."""
        return (voltage - self.offset) * (1.0 / self.sensitivity)


def calibrate_load_cell(voltage: ArrayLike, force: ArrayLike) -> LoadCell:
    """Sensitivity and offset from voltages [V] under known forces [N], by least squares."""
    U, F = series("calibrate_load_cell", 2, voltage=voltage, force=force)
    if np.ptp(F) == 0.0:
        raise SolveError("calibrate_load_cell: all forces are equal; hang on another weight.")
    (sensitivity, offset), *_ = np.linalg.lstsq(
        np.stack([F, np.ones_like(F)], axis=1), U, rcond=None
    )
    return LoadCell(float(sensitivity), float(offset))


@dataclass(frozen=True)
class Potentiometer:
    """U = supply (θ/travel + 1/2), between 0 and the supply [V]: its middle is at zero angle, its
    track is `travel` long [rad]; an end isn't passed."""

    travel: float
    supply: float = 5.0

    def __post_init__(self) -> None:
        check_finite("Potentiometer", travel=self.travel, supply=self.supply)
        if not (self.travel > 0.0 and self.supply > 0.0):
            raise InputError(
                f"Potentiometer: a track of {self.travel} rad at {self.supply} V; both must be "
                "above zero."
            )

    def reading(self, angle: Value) -> Value:
        """Voltage [V] at an angle [rad]."""
        share = angle * (1.0 / self.travel) + 0.5
        return minimum(maximum(share, 0.0), 1.0) * self.supply

    def quantity(self, voltage: Value) -> Value:
        """Angle [rad] of a voltage [V]."""
        return (voltage * (1.0 / self.supply) - 0.5) * self.travel


@dataclass(frozen=True)
class Tachometer:
    """U = constant ω (1 + ripple sin(segments θ)); `constant` in V s/rad."""

    constant: float
    ripple: float = 0.0
    segments: int = 11

    def __post_init__(self) -> None:
        check_finite("Tachometer", constant=self.constant, ripple=self.ripple)
        if self.constant == 0.0:
            raise InputError(f"Tachometer: its constant is {self.constant}; it can't be zero.")

    def reading(self, velocity: Value, angle: Value = 0.0) -> Value:
        """Voltage [V] at an angular velocity [rad/s] and an angle [rad]."""
        if self.ripple == 0.0:
            return velocity * self.constant
        return velocity * self.constant * (1.0 + self.ripple * sin(angle * float(self.segments)))

    def quantity(self, voltage: Value) -> Value:
        """Angular velocity [rad/s] of a voltage [V], the ripple included."""
        return voltage * (1.0 / self.constant)


@dataclass(frozen=True)
class Converter:
    """An ADC or a DAC of so many `bits` from `low` to `high` [V]: values are clipped and rounded to
    the nearest of its steps. What a DAC puts out is held until the next tick."""

    bits: int = 16
    low: float = -10.0
    high: float = 10.0

    def __post_init__(self) -> None:
        check_fields(self)
        if not (isinstance(self.bits, int) and 1 <= self.bits <= 32):
            raise InputError(f"Converter: {self.bits!r} bits; give a whole number from 1 to 32.")
        if not (math.isfinite(self.high - self.low) and self.low < self.high):
            raise InputError(f"Converter: its range is {self.low} to {self.high} V; swap the ends?")

    @property
    def resolution(self) -> float:
        """Volts from one code to the next."""
        return (self.high - self.low) / (2**self.bits - 1)

    def reading(self, voltage: Value) -> Value:
        """The code of a voltage, 0 to 2^bits − 1."""
        code = floor((voltage - self.low) * (1.0 / self.resolution) + 0.5)
        return minimum(maximum(code, 0.0), float(2**self.bits - 1))

    def quantity(self, code: Value) -> Value:
        """The voltage of a code."""
        return self.low + code * self.resolution


# Two recurrences of third order: modulus, and what multiplies the last number but one (or the last)
# and the last but two. Every product and difference stays below 2⁵³, so doubles hold it exactly.
_FIRST = 4294967087.0, 1403580.0, 810728.0


_SECOND = 4294944443.0, 527612.0, 1370589.0


_STEP = 1.0 / (_FIRST[0] + 1.0)  # from one uniform number to the next


@dataclass(frozen=True)
class Noise:
    """Independent normal numbers of mean 0 and a standard `deviation`, the same ones for the same
    `seed`: two draws of L'Ecuyer's generator MRG32k3a (1999), of period 2¹⁹¹, turned by Box and
    Muller's method (1958). Its lines run on numbers, arrays and expressions alike."""

    deviation: float
    seed: int = 1

    def __post_init__(self) -> None:
        check_fields(self)
        if not (math.isfinite(self.deviation) and self.deviation >= 0.0):
            raise InputError(f"Noise: its deviation is {self.deviation}; give zero or more.")
        if not isinstance(self.seed, int):
            raise InputError(f"Noise: its seed is {self.seed!r}; give a whole number.")

    def start(self) -> tuple[float, ...]:
        """The six numbers from which a seed starts."""
        draw = random.Random(self.seed)
        moduli = (_FIRST[0],) * 3 + (_SECOND[0],) * 3
        return tuple(float(draw.randrange(1, int(modulus))) for modulus in moduli)

    def step(self, memory: Sequence[Scalar]) -> tuple[Sequence[Scalar], Scalar]:
        """The six numbers after a sample, and the sample."""
        memory, radius = uniform(memory)
        memory, angle = uniform(memory)
        size = sqrt(-2.0 * log(radius)) * self.deviation
        return memory, size * cos(2.0 * math.pi * angle)


def uniform(memory: Sequence[Scalar]) -> tuple[Sequence[Scalar], Scalar]:
    """MRG32k3a: the six numbers after a draw, and the draw, between 0 and 1, both left out."""
    a, b, c, d, e, f = memory
    modulus, forward, back = _FIRST
    first = _remainder(forward * b - back * a, modulus)
    modulus, forward, back = _SECOND
    second = _remainder(forward * f - back * d, modulus)
    difference = first - second
    drawn = select(difference > 0.0, difference, difference + _FIRST[0])
    return (b, c, first, e, f, second), drawn * _STEP


def noise(model: Model, name: str, deviation: float, seed: int = 1) -> Expr:
    """Put noise into a model: a memory that takes a new sample at each tick. The generator's own
    memory is in the model as "name.0" to "name.5"; give two sensors two seeds. Copies of a model
    start alike: for other noise in each, start those states elsewhere."""
    source = Noise(deviation, seed)
    after, first = source.step(source.start())
    memory = [model.memory(f"{name}.{i}", float(value)) for i, value in enumerate(after)]
    after, sample = source.step(memory)
    for i, value in enumerate(after):
        model.set_update(f"{name}.{i}", value)
    return model.memory(name, float(first), update=sample)


def _remainder(number: Value, modulus: float) -> Value:
    """From 0 to the modulus. A quotient that rounds to the next whole number is one too many, and
    is put right."""
    left = number - modulus * floor(number * (1.0 / modulus))
    left = select(left < 0.0, left + modulus, left)
    return select(left < modulus, left, left - modulus)
