"""Obstacles that appear suddenly before somebody at a wheel, with casters that he isn't told
(Docquier 2021, section 5.2)."""

import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from touchback import Box, Fixed, Live, Model, Run
from touchback.vehicle.manoeuvres.manoeuvre import corners
from touchback.vehicle.manoeuvres.road_manoeuvres import LONG, WIDE, gap
from touchback.vehicle.roads.base import WIDTH as ROAD
from touchback.vehicle.simulator.simulator_car import SimulatorCar

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of the front axle [rad].
CASTERS = (0.03, 0.09, 0.15)
NOTICE = 2.0  # s between its appearance and the car's
# s, of which one is drawn, before each. The simulated driver's swing about the road dies out by 0.6
# in a second: after 4 s he still turns by 0.05 to 0.08 rad, a tenth of what he turns for the next.
_CALM = (7.0, 10.0)
_STRAIGHT = (2.0, 5.0)  # s likewise, of an attempt, which begins straight
_LOOK = 0.05  # s between looks at what is asked
_ROW, _SHOWN = 2e-3, 20  # s by which the last row may be early; ticks between shown points
_AFTER = 3.0  # s that a trial goes on once it is passed
_BEFORE, _FIRST = 0.1, 1.0  # s round the appearance, in which the first peak lies
_TURNED = 0.02  # rad: less than that is no turn
_BEHIND = -100.0  # m: nothing to be seen
_HEIGHT = 1.0  # m
# Signals of a run of which encounters are told.
_NEEDED = ("x", "y", "yaw", "yaw rate", "lateral", "device wheel", "steering torque")


def add_obstacle(model: Model) -> None:
    """One to be seen, for a person: at the live parameter "obstacle" [m along the road]."""
    place = model.parameter("obstacle", _BEHIND, unit="m")
    obstacle = model.body("obstacle")
    model.joint("obstacle", Fixed(), model.ground.at(place, 0.0, 0.0), obstacle)
    model.shape("obstacle", obstacle.at(0.0, 0.0, _HEIGHT / 2.0), Box((LONG, WIDE, _HEIGHT)))


@dataclass(frozen=True)
class ObstacleEncounter:
    """An obstacle at `place` [m along the road], to be seen since `appears` [s], with a `caster`
    [rad]; its `turn` counts from 1."""

    turn: int
    caster: float
    place: float
    appears: float

    def span(self, run: Run, before: float = 0.5) -> NDArray[np.bool_]:
        """Which instants of a run belong to it."""
        t = np.asarray(run.time) - self.appears
        return np.asarray((t > -before) & (t < NOTICE + _AFTER))

    def first_peak(self, run: Run) -> tuple[float, float]:
        """Of the torque, on the side to which he turned [N m], and the wheel's angle then [rad]:
        until he first turns back, since the column's friction, which changes sides there, makes
        another peak when he turns on. He who turns late is waited for; NaN where nobody turned."""
        from scipy.signal import find_peaks  # half a second, not for the command's start

        t = np.asarray(run.time) - self.appears
        some = np.flatnonzero((t > -_BEFORE) & (t < NOTICE + _AFTER))
        angle, torque = run["device wheel"][some], run["steering torque"][some]
        turned = np.flatnonzero(np.abs(angle) >= _TURNED)
        if not len(turned):
            return math.nan, math.nan
        soon = np.flatnonzero(t[some] < max(_FIRST, t[some][turned[0]] + _FIRST / 2.0))
        side = np.sign(angle[soon[np.abs(angle[soon]).argmax()]])
        back = find_peaks(side * angle, height=_TURNED, prominence=_TURNED)[0]
        outward = torque[: back[0] + 1] if len(back) else torque
        at = int((side * outward).argmax())
        return float(torque[at]), float(angle[at])


def meet_obstacles(
    live: Live, seed: int, met: list[ObstacleEncounter] | None = None
) -> list[ObstacleEncounter]:
    """Lets an obstacle appear before the car of a live run with each of three casters, in an order
    and at times of a seed; whoever drives isn't told. Each that was passed is added to `met`, also
    when the run is interrupted before the next."""
    draw, met = random.Random(seed), [] if met is None else met
    for turn, caster in enumerate(draw.sample(CASTERS, len(CASTERS))):
        live["front caster"] = caster
        live.run(draw.uniform(*_CALM))
        now = live.snapshot()
        place = now["x"] + NOTICE * now["speed"]
        live["obstacle"] = place
        live.run(NOTICE + _AFTER)
        met.append(ObstacleEncounter(turn + 1, caster, place, now["time"]))
    return met


def encounter_figures(run: Run, met: ObstacleEncounter) -> dict[str, float]:
    """What a run tells of an encounter: the "gap" between car and obstacle, below zero where it was
    hit, how far the car's middle came "beyond" it, and went "aside" [m]; the "first peak" of the
    torque [N m] with the "angle then" [rad], and the peaks, whatever their sign, of the "torque",
    the "wheel" [rad], the "yaw rate" [rad/s] and the "lateral" acceleration [m/s²]; 1 where the car
    was "off road", else 0."""
    span = met.span(run, 0.0)
    part = Run(run.time[span], {name: run[name][span] for name in _NEEDED})
    torque, angle = met.first_peak(run)

    def most(name: str) -> float:
        return float(np.abs(part[name]).max())

    car = SimulatorCar()
    return {
        "gap": gap(part, car, met.place), "aside": most("y"),
        "beyond": float(part["x"].max()) - met.place,
        "first peak": torque, "angle then": angle,
        "torque": most("steering torque"), "wheel": most("device wheel"),
        "yaw rate": most("yaw rate"), "lateral": most("lateral"),
        "off road": float(np.abs(corners(part, car)[..., 1]).max() > ROAD / 2.0),
    }  # fmt: skip


class ObstacleSession:
    """Attempts at the sudden obstacle in a live run that a person drives: each begins at the same
    place, with the caster that was asked for or the next one of a hidden order, and ends some
    seconds after the obstacle, or when it is given up; whatever happened to the car, the next one
    can begin. Other threads ask (`begin`, `give_up`, `facts`); `serve` or `drive` do it.

    `changed` is called, by whoever drives, when there is something new to show."""

    def __init__(self, live: Live, seed: int, changed: Callable[[], None] = lambda: None) -> None:
        self.live, self.changed, self.phase = live, changed, "ready"
        self.met: list[ObstacleEncounter] = []
        self.blind: list[bool] = []
        self._draw = random.Random(seed)
        self._order: list[float] = []
        self._asked: SimpleQueue[float | None] = SimpleQueue()
        self._ended = Event()
        self._rows: list[NDArray[np.float64]] = []
        self._kept: list[NDArray[np.float64]] = []
        self._told: list[dict[str, object]] = []  # of each attempt
        live.tap(self._take)

    # ---- from other threads ---------------------------------------------------------------------

    def begin(self, caster: float | None = None) -> None:
        """Asks for an attempt with one of `CASTERS` [rad], or with the next of the hidden order;
        ends the one that is under way."""
        nearest = min(range(len(CASTERS)), key=lambda k: abs(CASTERS[k] - (caster or 0.0)))
        self._ended.set()
        self._asked.put(None if caster is None else CASTERS[nearest])

    def give_up(self) -> None:
        """Ends the attempt that is under way, of which nothing is kept."""
        self._ended.set()

    def facts(self) -> dict[str, object]:
        """What a page shows: the phase, and all attempts with their figures and curves. Casters of
        a hidden order are told when all of it were driven."""
        car = SimulatorCar().outline
        hidden = len(self._hidden())
        attempts = [
            {**told, "caster": None if k in self._hidden() else self.met[k].caster}
            for k, told in enumerate(self._told)
        ]
        return {
            "phase": self.phase, "casters": CASTERS, "attempts": attempts, "hidden": hidden,
            "road": ROAD, "obstacle": (LONG, WIDE), "car": (car.front, car.rear, car.width),
        }  # fmt: skip

    def _hidden(self) -> set[int]:
        """Attempts of the last hidden order, while some of it is to come."""
        blind = [k for k, each in enumerate(self.blind) if each]
        return set(blind[len(blind) // len(CASTERS) * len(CASTERS) :])

    # ---- who drives -----------------------------------------------------------------------------

    def serve(self) -> None:
        """Attempts, as they are asked for, until the run ends. In between it rests."""
        self._rest()
        import_module("scipy.signal")  # of the first peak: half a second, before anybody waits
        while self.live.state != "stopped":
            with suppress(Empty):
                wanted = self._asked.get(timeout=_LOOK)
                while not self._asked.empty():
                    wanted = self._asked.get()  # the last one counts
                self.drive(wanted)

    def drive(self, caster: float | None = None) -> None:
        """One attempt, which is kept unless it was given up."""
        live, blind = self.live, caster is None
        if caster is None:
            caster = self._order[0] if self._order else self._new_order()
        self._ended.clear()
        live["front caster"] = caster
        live["obstacle"] = _BEHIND
        live.reset()
        if live.state == "paused":
            live.go()
        self._rows, began = [], live.read("time")
        self._turn_to("driving")
        met = None
        if self._pass(self._draw.uniform(*_STRAIGHT)):
            now = live.snapshot()
            place = now["x"] + NOTICE * now["speed"]
            live["obstacle"] = place
            met = ObstacleEncounter(len(self.met) + 1, caster, place, now["time"])
            self._turn_to("obstacle")
            met = met if self._pass(NOTICE + _AFTER) else None
        end = live.read("time")
        self._rest()
        if met is not None:
            self._await_rows(end)
            self._keep(met, blind, began)
        self._turn_to("ready" if met is None else "over")

    @property
    def run(self) -> Run:
        """All that was kept, one attempt after another."""
        rows = np.concatenate(self._kept) if self._kept else np.zeros((0, 1 + len(_NEEDED)))
        return Run(rows[:, 0], {name: rows[:, 1 + i] for i, name in enumerate(_NEEDED)})

    def _new_order(self) -> float:
        self._order = self._draw.sample(CASTERS, len(CASTERS))
        return self._order[0]

    def _keep(self, met: ObstacleEncounter, blind: bool, began: float) -> None:
        rows = np.concatenate(self._rows)
        rows = rows[rows[:, 0] >= began]
        run = Run(rows[:, 0], {name: rows[:, 1 + i] for i, name in enumerate(_NEEDED)})
        self._kept.append(rows)
        self.met.append(met)
        self.blind.append(blind)
        if blind:
            self._order.pop(0)
        some = np.flatnonzero(met.span(run))[::_SHOWN]
        curves = {name: np.round(run[name][some], 4).tolist() for name in _NEEDED}
        curves["x"] = np.round(run["x"][some] - met.place, 3).tolist()
        curves["time"] = np.round(np.asarray(run.time)[some] - met.appears, 3).tolist()
        figures = encounter_figures(run, met)
        self._told.append({"number": met.turn, "figures": figures, "curves": curves})

    def _take(self, rows: NDArray[np.float64], columns: tuple[str, ...]) -> None:
        if self.phase in ("driving", "obstacle"):
            self._rows.append(rows[:, [columns.index(name) for name in ("time", *_NEEDED)]])

    def _await_rows(self, end: float) -> None:
        """Rows come some milliseconds after their ticks."""
        last = time.monotonic() + 1.0
        while time.monotonic() < last and not (self._rows and self._rows[-1][-1, 0] >= end - _ROW):
            time.sleep(0.01)

    def _pass(self, seconds: float) -> bool:
        """Lets so many seconds pass; False where the attempt ended before."""
        for _ in range(math.ceil(seconds / _LOOK)):
            if self._ended.is_set():
                return False
            self.live.run(_LOOK)
        return True

    def _rest(self) -> None:
        """Between attempts; a run as fast as can be rests by itself."""
        if self.live.spec.speed is not None and self.live.state == "running":
            self.live.pause()

    def _turn_to(self, phase: str) -> None:
        self.phase = phase
        self.changed()


def draw_meetings(run: Run, met: Sequence[ObstacleEncounter], path: Path) -> None:
    """Path, angle and torque of each, as Fig. 28 to 30."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
    for each in sorted(met, key=lambda one: one.caster):
        some = each.span(run)
        label = f"{np.degrees(each.caster):.1f}°"
        axes[0].plot(run["x"][some] - each.place, run["y"][some], label=label)
        since = np.asarray(run.time)[some] - each.appears
        axes[1].plot(since, run["device wheel"][some])
        axes[2].plot(since, run["steering torque"][some])
    _label(axes)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _label(axes: "Sequence[Axes]") -> None:
    from matplotlib.patches import Rectangle

    from touchback.figure_style import ACCENT, light_grid

    axes[0].add_patch(Rectangle((-LONG / 2, -WIDE / 2), LONG, WIDE, color=ACCENT))
    axes[0].legend(title="caster", fontsize=7, title_fontsize=7)
    axes[0].set(xlabel="x from the obstacle [m]", ylabel="y [m]", title="path")
    since = "time since it appeared [s]"
    axes[1].set(xlabel=since, ylabel="[rad]", title="angle of the wheel in the hands")
    axes[2].set(xlabel=since, ylabel="[N m]", title="torque that the hands give")
    for axis in axes:
        light_grid(axis)
