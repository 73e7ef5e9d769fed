"""A whole car at 1 kHz: a tick beside MuJoCo's, deadlines of a live run, cost against bodies.

Times are of the processor, not of the clock: a share of a core, whoever else uses the machine."""

from collections.abc import Mapping
from time import process_time
from typing import Protocol

import numpy as np

import touchback as tb
from benchmarks.engines.build import Unavailable
from benchmarks.engines.car_mujoco import CarInMuJoCo
from benchmarks.report import Section, Target, microseconds
from touchback.vehicle import Car, DoubleWishbone, MacPherson, RigidAxle, TrailingArm, add_car

RATE, SPEED = 1000, 20.0  # Hz, m/s
TURNS = 15  # of each engine
SHORT, LONG = 20, 320  # ticks of two runs: what they differ by is ticks alone
LIVE = 5.0  # seconds against the clock
SHARE = 0.1  # of a core, asked for
CARS = {
    "MacPherson, rigid axle": (Car(front=MacPherson(), rear=RigidAxle()), 1),
    "MacPherson, trailing arms": (Car(front=MacPherson(), rear=TrailingArm()), 1),
    "wishbones, trailing arms": (Car(rear=TrailingArm()), 1),
    "wishbones all round": (Car(front=DoubleWishbone(), rear=DoubleWishbone()), 1),
    "two of them": (Car(), 2),
    "four of them": (Car(), 4),
}
OURS = ("euler", "rk4")
WHOLE = "wishbones all round"


def run() -> Section:
    """Each car by each method; the one of 18 bodies and a steering wheel beside MuJoCo and live."""
    section = Section(
        "A car at 1 kHz, driving straight at 72 km/h: µs a tick",
        ["car, method", "bodies", "freedoms", "flops", "10 %", "median", "of a core"],
    )
    for label, (car, count) in CARS.items():
        system = _system(car, count)
        runners: dict[str, Engine] = {f"{label}, {method}": Ours(system, method) for method in OURS}
        if label == WHOLE:
            runners |= _peers(section, system)
        _rows(section, system, _interleaved(runners))
        if label == WHOLE:
            _live(section, system)
    _exponent(section)
    section.remark(
        "One step a tick, partitioning, Magic Formula tyres; 10 % and median of interleaved turns, "
        "in time of the processor. euler: one evaluation a tick; rk4: four. Live ticks also read "
        "41 sensors, accelerations and reactions among them, and keep a record."
    )
    section.remark(
        "MuJoCo has the same bodies, joints and loops; its wheels are ellipsoids in its own "
        "contact instead of tyres, its struts are linear, and nothing drives, brakes or steers."
    )
    return section


def _system(car: Car, count: int) -> tb.System:
    model = tb.Model("car")
    add_car(model, car, speed=SPEED)
    if count == 1:
        return model.compile()
    whole = tb.Model("cars")
    for i in range(count):
        whole.add(model, name=f"car {i}")
    return whole.compile()


class Engine(Protocol):
    """Something that ticks."""

    def run(self, ticks: int) -> None:
        """So many, with what it takes to begin."""
        ...


class Ours:
    """Runs from the start."""

    def __init__(self, system: tb.System, method: str) -> None:
        self.system, self.method, self.start = system, method, system.assemble()

    def run(self, ticks: int) -> None:
        duration = ticks / RATE
        tb.simulate(
            self.system, self.start, duration, method=self.method, step=1.0 / RATE,
            output_step=duration, progress=False,
        )  # fmt: skip


class Peer:
    """A run that goes on."""

    def __init__(self, engine: CarInMuJoCo) -> None:
        self.engine = engine

    def run(self, ticks: int) -> None:
        self.engine.seconds(ticks)


def _peers(section: Section, system: tb.System) -> dict[str, "Ours | Peer"]:
    found: dict[str, Ours | Peer] = {}
    for integrator in ("implicitfast", "RK4"):
        try:
            engine = CarInMuJoCo(system, SPEED, 1.0 / RATE, integrator)
        except Unavailable as reason:
            section.remark(f"MuJoCo: {reason}.")
            return found
        found[f"  MuJoCo {integrator}"] = Peer(engine)
    return found


def _interleaved(engines: Mapping[str, Engine]) -> dict[str, list[float]]:
    """Seconds a tick of each turn: a long run less a short one."""
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(TURNS):
        for name, engine in engines.items():
            spent = []
            for ticks in (SHORT, LONG):
                began = process_time()
                engine.run(ticks)
                spent.append(process_time() - began)
            seconds[name].append((spent[1] - spent[0]) / (LONG - SHORT))
    return seconds


def _rows(section: Section, system: tb.System, seconds: dict[str, list[float]]) -> None:
    bodies, freedoms = len(system.model.bodies), system.freedoms().freedoms
    flops = system.counts().flops
    for name, found in seconds.items():
        best, median = float(np.quantile(found, 0.1)), float(np.median(found))
        own = not name.startswith(" ")
        section.rows.append(
            [name, str(bodies), str(freedoms), str(flops) if own else "", microseconds(best),
             microseconds(median), f"{100 * median * RATE:.1f} %"]
        )  # fmt: skip
        section.records.append(
            {"car": name, "bodies": bodies, "freedoms": freedoms, "best": best, "median": median}
        )
        if name.startswith(WHOLE):
            section.targets.append(
                Target(f"{name}: a tick at {RATE} Hz", f"under {100 * SHARE:.0f} % of a core",
                       f"{100 * median * RATE:.1f} %", median * RATE < SHARE)
            )  # fmt: skip


def _live(section: Section, system: tb.System) -> None:
    """Deadlines against the clock."""
    for method in OURS:
        with tb.live(system, rate=RATE, method=method) as live:
            live.run(LIVE)
        section.remark(f"live, {method}, {LIVE:.0f} s: {_first(str(live.report()))}")


def _first(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines()[:4])


def _exponent(section: Section) -> None:
    """Of the cost against the number of bodies, over one, two and four cars."""
    for method in OURS:
        rows = [r for r in section.records if r["car"].endswith(f", {method}")][-3:]
        x, y = (np.log([row[key] for row in rows]) for key in ("bodies", "median"))
        section.remark(
            f"{method}: cost grows with bodies to the power {np.polyfit(x, y, 1)[0]:.2f}."
        )
