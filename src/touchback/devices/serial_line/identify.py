"""What a device is, found by the device itself: its motor moves it, its encoder and the voltage and
current of its motor tell how."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from touchback.devices.serial_line.driver import SerialDevice
from touchback.errors import DeviceError
from touchback.model import Model
from touchback.model.sensors import Signal
from touchback.realtime import GuardedOutput, WatchedInput, live
from touchback.symbolic.functions import sin
from touchback.system import System

RATE = 1000.0  # ticks a second of the excitation
SLOWEST, FASTEST = 1.0, 10.0  # Hz, of what it is moved with
_WINDOW = 24  # samples of a window, over which the laws are summed
_HALF = 4  # samples to each side, for velocity
_LEAST = 500  # samples
_MOVING = 0.05  # of the largest speed, below which friction has no sign


@dataclass(frozen=True)
class Identified:
    """An axis as it was found, at its output (rad and N m, or m and N): force for each ampere, from
    the motor's back-EMF, and what the device itself reckons with; resistance of the windings [ohm];
    inertia [kg m² or kg], Coulomb friction, damping, and a constant force such as a weight's.
    `scatter` is what the laws leave unexplained of the motor's force, of its root mean square."""

    force_constant: float
    claimed_constant: float
    resistance: float
    inertia: float
    friction: float
    damping: float
    weight: float
    scatter: float
    samples: int


def excitation(centre: float, stiffness: float, damping: float, push: float) -> System:
    """A spring to the middle of the travel, and a push whose frequency rises from 1 to 10 Hz."""
    m = Model("excitation")
    position, velocity = m.input("position"), m.input("velocity")
    phase = 2.0 * math.pi * m.time * (SLOWEST + m.time * (0.5 * (FASTEST - SLOWEST) / _SWEEP))
    wanted = (centre - position) * stiffness - velocity * damping + push * sin(phase)
    m.sensor("force", Signal(wanted))
    return m.compile()


_SWEEP = 6.0  # seconds from the slowest to the fastest


def identify(
    device: SerialDevice,
    axis: int = 0,
    *,
    push: float = 0.08,
    stiffness: float = 4.0,
    damping: float = 0.05,
    seconds: float = _SWEEP,
) -> Identified:
    """Moves an axis about the middle of its range by its own motor for some seconds, and fits its
    constants. Keep fingers away; it stays within its limits by a spring of `stiffness`."""
    limits = device.axes[axis]
    centre = 0.5 * (limits.low + limits.high)
    run = live(
        excitation(centre, stiffness, damping, push), rate=RATE,
        inputs={"position": WatchedInput(max_age=0.05)},
        outputs={
            "force": GuardedOutput(
                low=-limits.force, high=limits.force, at_limit="clip", soft_start=0.3
            )
        },
    )  # fmt: skip
    with run:
        run.connect("position", device.channel("position", axis))
        run.connect("velocity", device.channel("velocity", axis))
        run.connect("force", device.channel("force", axis))
        parts = _gathered(device, axis, seconds)
    return fitted({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


def _gathered(device: SerialDevice, axis: int, seconds: float) -> list[dict[str, np.ndarray]]:
    time.sleep(0.5)  # it comes to the middle
    device.samples(axis)
    parts, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.1)
        parts.append(device.samples(axis))
    return parts


def fitted(samples: dict[str, np.ndarray]) -> Identified:
    """Constants from samples: U = R I + K w from the motor's equation, then, with its K, the sums
    over windows of K I = J dw/dt + b w + f sign(w) + g."""
    t, q, current = samples["time"], samples["position"], samples["current"]
    if len(t) < _LEAST:
        raise DeviceError(f"Only {len(t)} samples came, {_LEAST} are needed to identify a device.")
    h, inner = _HALF, slice(_HALF, -_HALF)
    speed = (q[2 * h :] - q[: -2 * h]) / (t[2 * h :] - t[: -2 * h])
    t, q, current = t[inner], q[inner], current[inner]
    voltage, force = samples["voltage"][inner], samples["force"][inner]
    acts = (samples["status"][inner] & 1) != 0
    resistance, constant = _least(np.column_stack([current, speed])[acts], voltage[acts])
    claimed = _least(current[acts][:, None], force[acts])[0]
    starts = np.arange(0, len(t) - _WINDOW, _WINDOW // 2)
    slow = _MOVING * np.max(np.abs(speed))
    rows, pushed = [], []
    for i in starts:
        part = slice(i, i + _WINDOW + 1)
        steps = np.diff(t[part])
        if not acts[part].all() or steps.max() > 4.0 * np.median(np.diff(t)):
            continue  # let go, or samples were lost
        middle = 0.5 * (speed[part][1:] + speed[part][:-1])
        if np.abs(middle).min() <= slow:
            continue  # it may stick
        rows.append(
            [speed[part][-1] - speed[part][0], q[part][-1] - q[part][0],
             float(np.sign(middle) @ steps), float(steps.sum())]
        )  # fmt: skip
        pushed.append(constant * float(0.5 * (current[part][1:] + current[part][:-1]) @ steps))
    if len(rows) < 20:
        raise DeviceError(
            "The axis hardly moved: let go of it, or give a larger `push` than friction holds."
        )
    found = _least(np.array(rows), np.array(pushed))
    left = np.array(pushed) - np.array(rows) @ found
    scatter = float(np.sqrt(np.mean(left**2) / np.mean(np.square(pushed))))
    inertia, damping, friction, weight = map(float, found)
    return Identified(
        float(constant), float(claimed), float(resistance), inertia, friction, damping, -weight,
        scatter, len(t),
    )  # fmt: skip


def _least(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(rows, values, rcond=None)[0]
