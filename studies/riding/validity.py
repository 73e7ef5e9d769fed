"""Where a model that rides along is valid: repeated manoeuvres, their spread, and the model among
them.

No car was there. The "car" is the same model by wire with other brakes, tyres and air, which vary
from run to run as a car's do. A recorded drive is repeated by wire, without a driver, so that what
differs is the car; it starts a little early or late, and is logged late through noise. What the
report says of it is what it would say of a real one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import touchback as tb
from touchback.estimate import (
    Bands,
    Latency,
    Validity,
    aligned,
    confidence_bands,
    judge_model,
    measure_latency,
)
from touchback.vehicle import ByWireCar, DiscBrake, SingleTrack, by_wire_car

RATE, EVERY, DURATION = 1000.0, 10, 6.0  # ticks a second, ticks of a logged row, s
LOGGED_LATE = 0.043  # s, by the car's logger
NOISE = {"speed": 0.03, "pressure": 8e3, "yaw rate": 4e-3, "steer": 5e-4}  # standard deviations
UNITS = {"speed": "m/s", "pressure": "Pa", "yaw rate": "rad/s", "steer": "rad"}
CHANCE = 0.1  # s: a shorter exit is no judgement
T = np.arange(round(DURATION * RATE) + 1) / RATE
PERIOD = EVERY / RATE
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Manoeuvre:
    """What a driver does: counts over time, linear between points; the speed he starts at [m/s],
    what is looked at, and the actuator by which the log is dated."""

    name: str
    speed: float
    throttle: Points
    brake: Points
    steering: Points
    shown: tuple[str, str]


MANOEUVRES = (
    Manoeuvre(
        "longitudinal", 8.0, ((0.5, 0), (0.7, 300), (2.8, 300), (3.0, 0)),
        ((3.4, 0), (3.7, 5000), (4.6, 5000), (4.9, 11000)), ((0, 0), (1, 0)), ("speed", "pressure"),
    ),
    Manoeuvre(
        "lateral", 14.0, ((0, 120), (1, 120)), ((0, 0), (1, 0)),
        ((0.5, 0), (1.0, 60), (1.5, -60), (2.0, 0), (3.0, 0), (3.6, 260), (4.4, -260), (5.0, 0)),
        ("yaw rate", "steer"),
    ),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Judged:
    """A quantity of a manoeuvre: the runs without their latency, their bands, the model, and what
    becomes of it."""

    manoeuvre: str
    quantity: str
    times: np.ndarray
    runs: np.ndarray
    bands: Bands
    model: np.ndarray
    latencies: tuple[Latency, ...]
    validity: Validity


def counts(points: Points, late: float = 0.0) -> np.ndarray:
    """A pedal or wheel over time, in whole counts."""
    times, values = np.array(points).T
    return np.rint(np.interp(T - late, times, values))


def ride(parts: ByWireCar, what: Manoeuvre, late: float = 0.0) -> tb.Run:
    """A run of a car by wire."""
    demands = {name: getattr(what, name) for name in ("throttle", "brake", "steering")}
    return tb.simulate(
        by_wire_car(RATE, parts, what.speed).compile(), duration=DURATION, method="rk4",
        step=1 / RATE, rate=RATE,
        inputs={name: (T, counts(points, late)) for name, points in demands.items()},
    )  # fmt: skip


def the_car(draw: np.random.Generator) -> ByWireCar:
    """The car of one run: pads that are 6 % less good than the model's and vary by 2 % with their
    heat, front tyres that are 12 % softer and vary by 1 %, a passenger more or less."""
    grip, pads, mass = draw.normal(1.0, [0.01, 0.02, 0.01])
    nominal = SingleTrack()
    return ByWireCar(
        car=SingleTrack(
            mass=mass * nominal.mass, steer_rate_range=(-20.0, 20.0),
            cornering=(0.88 * grip * nominal.cornering[0], nominal.cornering[1]),
        ),
        disc=DiscBrake(joint="wheel", pressure=0.0, pad_friction=0.94 * pads * 0.38),
        drag=0.6,
    )  # fmt: skip


def logged(what: Manoeuvre, repeats: int, seed: int = 0) -> list[dict[str, np.ndarray]]:
    """What the car's logger kept of repeated drives: late, noisy, every 10 ms; each
    begins 5 ms too early or late."""
    draw, kept = np.random.default_rng(seed), []
    for _ in range(repeats):
        run = ride(the_car(draw), what, draw.normal(0.0, 0.005))
        rows = {}
        for name in what.shown:
            behind = np.interp(T - LOGGED_LATE, T, run[name])[::EVERY]
            rows[name] = behind + draw.normal(0.0, NOISE[name], len(behind))
        kept.append(rows)
    return kept


def judge(what: Manoeuvre, repeats: int = 8, seed: int = 0) -> list[Judged]:
    """The model among repeated drives of the car: each run without its latency, bands, and where
    the model could be one of them. The latency is that of what the actuators do, which follows the
    demand alone; a car that answers more slowly than the model isn't logged late."""
    model = ride(ByWireCar(), what)
    drives = logged(what, repeats, seed)
    found, by = [], what.shown[1]
    late = [measure_latency(model[by][::EVERY], drive[by], PERIOD, 0.3) for drive in drives]
    for name in what.shown:
        reference = model[name][::EVERY]
        own = tuple(measure_latency(reference, drive[name], PERIOD, 0.3) for drive in drives)
        pairs = zip(drives, late, strict=True)
        runs = np.array([aligned(drive[name], PERIOD, each.seconds) for drive, each in pairs])
        whole = ~np.isnan(runs).any(axis=0)
        t = PERIOD * np.arange(len(reference))[whole]
        bands = confidence_bands(list(runs[:, whole]))
        verdict = judge_model(t, reference[whole], bands, CHANCE, 2.0 * NOISE[name])
        found.append(
            Judged(what.name, name, t, runs[:, whole], bands, reference[whole], own, verdict)
        )
    return found


def judge_all(repeats: int = 8) -> list[Judged]:
    """Both manoeuvres."""
    return [each for what in MANOEUVRES for each in judge(what, repeats)]
