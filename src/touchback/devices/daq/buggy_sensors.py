"""All sensors of Gallo's buggy (2012, table 3.2) as a block, and what they measure.

He gives the encoders (500 lines, four edges), the pressure sensor (40 bar, 0–5 V) and the counters'
16 bits. Of the others he only says what they measure: their ranges here are usual ones, and ours.
A/D converters of his boards have 12, 14 or 16 bits: bits are a parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from touchback.devices.daq.block_layout import BlockChannel, BlockLayout
from touchback.devices.daq.signal_conditioning import Conditioning
from touchback.devices.sensors import Converter, Unwrap
from touchback.errors import InputError
from touchback.model import Value
from touchback.numbers import as_float, number_within, whole_within


@dataclass(frozen=True)
class Analogue:
    """A sensor behind an A/D converter, which measures from `low` to `high`."""

    name: str
    unit: str
    low: float
    high: float

    def converter(self, bits: int) -> Converter:
        """From the quantity to codes and back, by so many bits."""
        return Converter(bits, self.low, self.high)


@dataclass(frozen=True)
class EdgeCounterSensor:
    """A sensor whose edges are counted, so many a turn [rad]."""

    name: str
    edges: int

    unit = "rad"

    def counts(self, angle: float) -> int:
        """Counts at an angle."""
        return math.floor(angle * self.edges / (2.0 * math.pi))


@dataclass(frozen=True)
class GatedSpeedSensor:
    """A sensor whose edges, so many a turn, are counted over the last `gate` seconds: a speed."""

    name: str
    edges: int
    gate: float

    unit = "rad/s"

    @property
    def resolution(self) -> float:
        """One count [rad/s]."""
        return 2.0 * math.pi / (self.edges * self.gate)

    def counts(self, speed: float) -> int:
        """Edges in a gate at a speed."""
        return round(speed / self.resolution)


_G = 9.81
_COUNTERS = 2, 32  # bits
_MOST = 1e12  # of any quantity, in SI units
WHEELS = ("front left", "front right", "rear left", "rear right")
#: Table 3.2, line by line; units are SI.
SENSORS: tuple[Analogue | EdgeCounterSensor | GatedSpeedSensor, ...] = (
    *(Analogue(f"acceleration {axis}", "m/s^2", -2.0 * _G, 2.0 * _G) for axis in "xyz"),
    *(Analogue(f"angular rate {axis}", "rad/s", -math.pi, math.pi) for axis in "xyz"),
    *(Analogue(angle, "rad", -math.pi / 4, math.pi / 4) for angle in ("roll", "pitch")),
    *(EdgeCounterSensor(f"wheel {place}", 44) for place in WHEELS),
    Analogue("brake pressure", "Pa", 0.0, 40e5),
    EdgeCounterSensor("steering wheel angle", 2000),
    EdgeCounterSensor("steer angle", 2000),
    GatedSpeedSensor("engine speed", 60, 0.05),
    Analogue("steering torque", "N m", -50.0, 50.0),
    EdgeCounterSensor("throttle angle", 2000),
    *(Analogue(f"rear wheel torque {side}", "N m", -1500.0, 1500.0) for side in ("left", "right")),
)


def channel_of(sensor: str) -> str:
    """The channel of a block that holds a sensor's codes."""
    return f"{sensor} code"


def buggy_layout(
    bits: int = 16, counter_bits: int = 16, period: float = 1e-3, each: float = 10e-6
) -> BlockLayout:
    """Blocks of all his sensors: codes of an A/D converter of so many `bits`, which takes `each`
    seconds for an input, one after another, and counters of `counter_bits`, latched at once."""
    analogue = [s for s in SENSORS if isinstance(s, Analogue)]
    each, period = as_float(each), as_float(period)
    if not (each > 0.0 and each * len(analogue) <= period):
        raise InputError(
            f"{len(analogue)} inputs of {each:g} s each take longer than a block's {period:g} s."
        )
    whole_within("Counters must have 2 to 32 bits", counter_bits, *_COUNTERS)
    ready, channels = each * len(analogue), []
    for sensor in SENSORS:
        if isinstance(sensor, Analogue):
            kind = "uint16" if sensor.converter(bits).bits <= 16 else "uint32"
            at = each * analogue.index(sensor)
            channels.append(BlockChannel(channel_of(sensor.name), kind, skew=at, ready=ready))
        else:
            kind = "int16" if counter_bits <= 16 else "int32"
            channels.append(BlockChannel(channel_of(sensor.name), kind, ready=ready))
    return BlockLayout(period, channels)


def buggy_conditioning(
    bits: int = 16, counter_bits: int = 16, period: float = 1e-3, each: float = 10e-6
) -> Conditioning:
    """Blocks of `buggy_layout` as quantities in SI units, by the names of `SENSORS`; the codes
    themselves are "brake pressure code" and so on. Counters are followed round, a speed that was
    counted over a gate is dated by its middle."""
    c = Conditioning(buggy_layout(bits, counter_bits, period, each))
    for sensor in SENSORS:
        delay, channel = 0.0, channel_of(sensor.name)
        if isinstance(sensor, Analogue):
            value: Value = sensor.converter(bits).quantity(c[channel])
        elif isinstance(sensor, EdgeCounterSensor):
            counts = c.filtered(Unwrap(counter_bits), c[channel])
            value = (counts + 0.5) * (2.0 * math.pi / sensor.edges)
        else:
            value, delay = c[channel] * sensor.resolution, 0.5 * sensor.gate
        c.give(sensor.name, value, of=channel, delay=delay)
    return c


def buggy_codes(bits: int = 16, counter_bits: int = 16, **quantities: float) -> dict[str, int]:
    """What a block holds at some quantities (spaces written as underlines; SI units), zero for all
    others: for simulated boards."""
    whole_within("Counters must have 2 to 32 bits", counter_bits, *_COUNTERS)
    codes = {}
    wanted = {
        (name := given.replace("_", " ")): number_within(
            f"The buggy's {name} must be within ±{_MOST:g}", value, -_MOST, _MOST
        )
        for given, value in quantities.items()
    }
    for sensor in SENSORS:
        value = wanted.pop(sensor.name, 0.0)
        if isinstance(sensor, Analogue):
            codes[channel_of(sensor.name)] = round(
                cast(float, sensor.converter(bits).reading(value))
            )
            continue
        half = 1 << counter_bits - 1
        codes[channel_of(sensor.name)] = (sensor.counts(value) + half) % (2 * half) - half
    if wanted:
        raise InputError(f"The buggy has no sensors {', '.join(wanted)}; see SENSORS.")
    return codes
