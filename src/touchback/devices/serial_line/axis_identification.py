"""What a device is, found by the device itself: its motor moves it, its encoder and the voltage and
current of its motor tell how."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from touchback import Model, Signal, System, live, sin
from touchback.devices.serial_line.serial_device import REASONS, STATUS, SerialDevice
from touchback.errors import DeviceError
from touchback.realtime import GuardedOutput, WatchedInput

RATE = 1000.0  # ticks a second of the excitation
SLOWEST, FASTEST = 1.0, 10.0  # Hz, of what it is moved with
_WINDOW = 24  # samples of a window, over which the laws are summed
_HALF = 4  # samples to each side, for velocity
_LEAST = 500  # samples
_SETTLED = 0.5  # s in which it comes to the middle: off its stop, where other forces act
_SIGN = 20  # samples that tell which way back-EMF goes
_NO_MOTOR = 1000.0  # ohm
_UNEXPLAINED = 0.5
_GAP = 2.5  # periods between samples, beyond which nobody knows what flowed meanwhile
_WHOLE = 0.75  # of the motion, that must have come
_STUCK = "The axis hardly moved: let go of it, or give a larger `push` than friction holds."
_AGAINST = (
    "It reports {:.3g} N m or N for an ampere of its motor, whose motion shows {:.3g}: correct the "
    "sign and size of the force in its firmware, or its motor would push the wrong way."
)
_WINDOWS = 20  # that tell inertia and friction
_BROKEN = (
    "Samples were lost again and again, so that no stretch of its motion is whole: repair the "
    "line, or close other programs, and calibrate it again."
)
_LOST = "The line was lost while it was moved: see to plugs and supply, and calibrate it again."
_TOLD = 3  # faults of the run, behind what is wrong
_MOVING = 0.05  # of the largest speed, below which friction has no sign


@dataclass(frozen=True)
class IdentifiedAxis:
    """An axis as it was found, at its output (rad and N m, or m and N): force for each ampere, from
    the motor's back-EMF, and what the device itself reckons with; resistance of the windings [ohm];
    inertia [kg m² or kg], Coulomb friction, damping, and a constant force such as a weight's.
    `scatter` is what the laws leave unexplained of the motor's force, of its root mean square;
    inertia, friction and the force constant are in doubt by a standard error each, of what is left
    and, for the first two, of the constant. Noise of the current is taken as white."""

    force_constant: float
    claimed_constant: float
    resistance: float
    inertia: float
    friction: float
    damping: float
    weight: float
    scatter: float
    samples: int
    inertia_doubt: float
    friction_doubt: float
    constant_doubt: float
    faults: tuple[str, ...] = ()  # of the run that moved it


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
) -> IdentifiedAxis:
    """Moves an axis about the middle of its range by its own motor for some seconds, and fits its
    constants. Keep fingers away; it stays within its limits by a spring of `stiffness`."""
    device.check_fields("velocity", "force", "current", "voltage")
    limits, sessions = device.axis(axis), device.sessions

    def lost() -> bool:
        return device.sessions != sessions or not device.connected

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
        parts = _gather_samples(device, axis, seconds, lost)
    samples = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    faults = tuple(fault["text"] for fault in run.report().faults)
    try:
        if lost():
            raise DeviceError(_LOST)
        return replace(
            fit_axis(samples, _SETTLED, _SETTLED + seconds, device.period), faults=faults
        )
    except DeviceError as error:
        told = "".join(f" {text}." for text in faults[-_TOLD:])
        raise DeviceError(f"{device.name!r}, axis {limits.name!r}: {error}{told}") from None


def _gather_samples(
    device: SerialDevice, axis: int, seconds: float, lost: Callable[[], bool]
) -> list[dict[str, np.ndarray]]:
    parts: list[dict[str, np.ndarray]] = []
    end = time.monotonic() + _SETTLED + seconds
    while time.monotonic() < end and not (parts and lost()):
        time.sleep(0.1)
        parts.append(device.samples(axis))
    return parts


def fit_axis(
    samples: dict[str, np.ndarray], settled: float = 0.0, seconds: float = 0.0,
    period: float = 1e-3,
) -> IdentifiedAxis:  # fmt: skip
    """Constants from samples: U = R I + K w from the motor's equation, then, with its K, the sums
    over windows of K I = J dw/dt + b w + f sign(w) + g, from `settled` seconds on. Speed is a mean
    over some samples; all else is averaged over the same ones, so that the laws stay exact.
    Refuses a motion of which much of its `seconds` is missing (a sample each `period` was to come):
    the rest fits many constants."""
    t = samples["time"]
    if len(t) < _LEAST:
        raise DeviceError(f"Only {len(t)} samples came, {_LEAST} are needed to identify a device.")
    h, steps = _HALF, np.diff(t)
    lost = steps > _GAP * period
    if (came := float(steps[~lost].sum())) < _WHOLE * seconds:
        raise DeviceError(
            f"Samples came for {came:.1f} of {seconds:g} s only, {_WHOLE * seconds:.1f} are needed "
            "to find how it moved: repair the line, or close other programs, and calibrate again."
        )
    span = t[2 * h :] - t[: -2 * h]
    speed = (samples["position"][2 * h :] - samples["position"][: -2 * h]) / span
    acts = (samples["status"] & 1) != 0
    _check_motor(
        {name: values[h:-h][acts[h:-h]] for name, values in samples.items()}
        | {"speed": speed[acts[h:-h]]},
        samples["status"],
    )
    q, current, voltage, force = (
        _averaged(t, samples[name]) for name in ("position", "current", "voltage", "force")
    )
    bad = np.concatenate([[0], np.cumsum(~acts[1:] | ~acts[:-1] | lost)])
    whole = bad[2 * h :] == bad[: -2 * h]  # no sample of the mean was lost, or let go
    (resistance, constant), doubt = _instrumented(np.column_stack([current, speed]), voltage, whole)
    if constant <= 3.0 * doubt[1]:
        raise DeviceError(_STUCK)
    claimed = _instrumented(current[:, None], force, whole)[0][0]
    if not claimed > 0.0:
        raise DeviceError(_AGAINST.format(claimed, constant))
    t = t[h:-h]
    first = int(np.searchsorted(t, t[0] + settled))
    slow = _MOVING * np.max(np.abs(speed))
    rows, flowed, broken = [], [], 0
    for i in range(max(first, h), len(t) - _WINDOW - h, _WINDOW // 2):
        part = slice(i, i + _WINDOW + 1)
        if not whole[part].all():  # let go, or samples were lost
            broken += 1
            continue
        if np.abs(speed[i - h : i + _WINDOW + 1 + h]).min() <= slow:
            continue  # it may stick
        lasted = t[part][-1] - t[part][0]
        rows.append(
            [speed[part][-1] - speed[part][0], q[part][-1] - q[part][0],
             float(np.sign(speed[i])) * lasted, lasted]
        )  # fmt: skip
        middle = 0.5 * (current[part][1:] + current[part][:-1])
        flowed.append(float(middle @ np.diff(t[part])))
    if len(rows) < _WINDOWS:
        raise DeviceError(_BROKEN if lost.any() and broken >= _WINDOWS else _STUCK)
    found, doubts, scatter = _fit_constants(np.array(rows), constant * np.array(flowed))
    doubts = np.hypot(doubts, found * doubt[1] / constant)  # all of them are K times something
    inertia, damping, friction, weight = map(float, found)
    return IdentifiedAxis(
        float(constant), float(claimed), float(resistance), inertia, friction, damping, -weight,
        scatter, len(t), float(doubts[0]), float(doubts[2]), float(doubt[1]),
    )  # fmt: skip


def _averaged(t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Means over the same times as the speed, which is a mean too: a difference of positions."""
    h = _HALF
    sums = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * np.diff(t))])
    return np.asarray((sums[2 * h :] - sums[: -2 * h]) / (t[2 * h :] - t[: -2 * h]))


def _instrumented(
    rows: np.ndarray, values: np.ndarray, whole: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Factors of a linear law between means, and their standard errors. Least squares would take
    noise of the measured current for current, and find resistance too small and K too large; means
    just before and after have other noise but the same motion: they are the instruments."""
    apart = 2 * _HALF + 1  # samples from mean to mean, so that none is in both
    use = whole[2 * apart :] & whole[apart:-apart] & whole[: -2 * apart]
    near = (rows[2 * apart :] + rows[: -2 * apart])[use]
    rows, values = rows[apart:-apart][use], values[apart:-apart][use]
    inverse = np.linalg.pinv(near.T @ rows)
    found = inverse @ (near.T @ values)
    left = values - rows @ found
    freedoms = max(1.0, len(left) / (2 * _HALF) - rows.shape[1])  # means overlap
    spread = inverse @ (near.T @ near) @ inverse.T
    return found, np.sqrt(np.diag(spread) * float(left @ left) / freedoms)


def _check_motor(acting: dict[str, np.ndarray], status: np.ndarray) -> None:
    """Refuses a motor that is not there, goes the wrong way, doesn't move or let go, and says why;
    a few samples are enough for that."""
    current, speed, voltage = (acting[name] for name in ("current", "speed", "voltage"))
    reasons = [text for bit, text in STATUS.items() if bit in REASONS and np.any(status & bit)]
    why = f" It reports {', '.join(reasons)}." if reasons else ""
    if len(current) < _SIGN:
        raise DeviceError(
            f"Its motor acted in {len(current)} samples only: bring it back into its range, and "
            f"see that encoder and motor go the same way.{why}"
        )
    flowing, applied = (float(np.sqrt(np.mean(values**2))) for values in (current, voltage))
    if applied >= _NO_MOTOR * flowing:
        raise DeviceError(
            f"No current flows ({flowing:.2g} A) though {applied:.2g} V are at "
            f"its motor: is it connected, and the bridge's enable and supply?{why}"
        )
    rows = np.column_stack([current, speed])
    found = _least(rows, voltage)
    constant = float(found[1])
    left = voltage - rows @ found
    doubt = math.sqrt(np.linalg.pinv(rows.T @ rows)[1, 1] * float(left @ left) / (len(left) - 2))
    if abs(constant) <= 3.0 * doubt:
        raise DeviceError(_STUCK + why)
    if constant < 0.0:
        raise DeviceError(
            f"Its position goes against its motor (back-EMF of {constant:.3g} for each unit of "
            f"speed): swap A and B of the encoder, or the motor's two wires.{why}"
        )
    if reasons:
        raise DeviceError(f"It let go while it was moved.{why}")


def _fit_constants(rows: np.ndarray, pushed: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The constants, the standard error of each, and what is left of the force, in parts of it.
    Windows overlap by half, so that there are half as many independent ones."""
    found = _least(rows, pushed)
    left = pushed - rows @ found
    scatter = float(np.sqrt(np.mean(left**2) / np.mean(pushed**2)))
    if scatter > _UNEXPLAINED:
        raise DeviceError(
            f"{100.0 * scatter:.0f} % of its motor's force is explained by neither inertia, "
            "damping, friction nor weight: does something touch it, or is the gear loose? (Of a "
            "simulated one: is the computer busy? Try again.)"
        )
    freedoms = max(1, len(pushed) // 2 - rows.shape[1])
    doubts = np.sqrt(np.diag(np.linalg.pinv(rows.T @ rows)) * float(left @ left) / freedoms)
    return found, doubts, scatter


def _least(rows: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(rows, values, rcond=None)[0]
