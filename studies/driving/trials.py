"""A sudden obstacle at 75 km/h with three casters, in an order that the driver isn't told."""

import random
from dataclasses import dataclass, field

import numpy as np

import touchback as tb
from touchback.realtime.live_report import Report
from touchback.recording import Run
from touchback.system import System
from touchback.vehicle import Car, DoubleWishbone, Steering
from touchback.vehicle.manoeuvres import SuddenObstacle, model_of
from touchback.vehicle.manoeuvres.manoeuvre import Figures
from touchback.vehicle.simulator import (
    CASTERS,
    RATE,
    ObstacleEncounter,
    Person,
    SimulatorCar,
    WiredWheel,
)

_AFTER = 1.0  # s after the appearance, in which the first peak lies


class LeftOfIt(SuddenObstacle):
    """Somewhere along the road, always passed on the left, as in Fig. 28."""

    @property
    def place(self) -> tuple[float, float]:
        return super().place[0], 1.0

    @property
    def appears(self) -> float:
        """[s]"""
        return self.place[0] / self.speed - self.notice


@dataclass(frozen=True)
class Trial:
    """What happened with a caster [rad]; it was the `turn`th."""

    turn: int
    caster: float
    manoeuvre: LeftOfIt
    run: Run
    report: Report
    figures: Figures

    @property
    def since(self) -> np.ndarray:
        """Seconds since the obstacle appeared."""
        return np.asarray(self.run.time - self.manoeuvre.appears)

    def first_peak(self) -> tuple[float, float]:
        """Of the torque [N m], and the wheel's angle then [rad]."""
        place, _ = self.manoeuvre.place
        met = ObstacleEncounter(self.turn, self.caster, place, self.manoeuvre.appears)
        return met.first_peak(self.run)


@dataclass(frozen=True)
class Session:
    """Three trials in a `seed`'s order; against the clock, or as fast as possible. The driver is
    simulated: he sees the car and the road, and no caster goes into what he wants."""

    seed: int = 1
    clock: bool = False
    car: SimulatorCar = field(default_factory=SimulatorCar)

    def order(self) -> list[float]:
        """Casters by turn."""
        return random.Random(self.seed).sample(CASTERS, len(CASTERS))

    def trials(self) -> list[Trial]:
        """Drives them; one obstacle each, at a place of its own."""
        driven: list[Trial] = []
        system: System | None = None
        for turn, caster in enumerate(self.order()):
            manoeuvre = LeftOfIt(seed=100 * self.seed + turn)
            if system is None:
                model = model_of(self.car, manoeuvre.driver(self.car), manoeuvre.speed)
                system = model.compile()
            driven.append(self._drive(system, turn, caster, manoeuvre))
        return driven

    def _drive(self, system: System, turn: int, caster: float, manoeuvre: LeftOfIt) -> Trial:
        along, side = manoeuvre.place
        with tb.live(
            system.independent_copy(), rate=RATE, method="rk4",
            speed=1.0 if self.clock else None, record=True, parameters={"front caster": caster},
        ) as live:  # fmt: skip
            live["obstacle side"] = side
            live.run(manoeuvre.appears)
            live["obstacle"] = along
            live.run(manoeuvre.duration - manoeuvre.appears)
        run = live.recorded()
        figures = manoeuvre.figures(run, self.car)
        return Trial(turn + 1, caster, manoeuvre, run, live.report(), figures)


@dataclass(frozen=True)
class Peak:
    """The first peak at the same angle [rad]: its torque [N m], that of the trails, and that of the
    front wheels' spin, which the car's roll turns."""

    caster: float
    angle: float
    torque: float
    trails: float
    gyroscopic: float
    run: Run


def same_angle(like: Trial) -> list[Peak]:
    """Each caster with the wheel's angle of one trial, without assist and friction, beside
    T = ((t_mechanical + t_pneumatic) ΣF_y + Σ J Ω φ̇) / i."""
    plain = Steering(
        wheel_inertia=1e-3, friction=0.0, column_friction=0.0, assist_force=(0.0, 0.0, 0.0, 0.0)
    )
    front = DoubleWishbone(bar=12e3)
    car = SimulatorCar(car=Car(front=front, steering=plain), device=WiredWheel())
    speed = like.manoeuvre.speed
    system = model_of(car, Person(speed), speed).compile()
    given = like.run.time, like.run["device wheel"]
    found = []
    end = like.manoeuvre.appears + _AFTER
    for caster in CASTERS:
        system["front caster"] = caster
        run = tb.simulate(
            system, duration=end, inputs={"device wheel": given}, method="rk4", step=1.0 / RATE,
            rate=RATE, progress=False,
        )  # fmt: skip
        at = _first_top(run["steering torque"])
        here = {name: float(values[at]) for name, values in run.signals.items()}
        fy, mz, spin = (
            here[f"front left{word}"] + here[f"front right{word}"]
            for word in (".fy", ".mz", " spin rate")
        )
        rolling = sum(here[f"car turning.{axis}"] * here[f"car ahead.{axis}"] for axis in "xy")
        turning = front.wheel.spin_inertia * spin * rolling
        static = (front.lower_ball[0] + front.lower_ball[2] * float(np.tan(caster))) * fy - mz
        found.append(Peak(
            caster, here["steering wheel"], here["steering torque"], static / car.steering_ratio,
            turning / car.steering_ratio, run,
        ))  # fmt: skip
    return found


def _first_top(values: np.ndarray) -> int:
    """Where a signal first stops to rise, above half of its largest value."""
    rising = np.diff(values) > 0.0
    return int(np.flatnonzero(~rising & (values[:-1] > 0.5 * values.max()))[0])
