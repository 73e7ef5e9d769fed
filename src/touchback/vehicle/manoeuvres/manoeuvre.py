"""What a manoeuvre is: a driver with something to do, a start, figures of how it went, and a
picture."""

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from touchback import Model, Run, Signal, simulate
from touchback.errors import InputError
from touchback.figure_style import ACCENT, INK, light_grid
from touchback.numbers import Floats, InputData, as_float
from touchback.vehicle.driven_cars import CarMotion, DrivenCar
from touchback.vehicle.drivers import Driver

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNITS = {
    "x": "m", "y": "m", "yaw": "rad", "yaw_rate": "rad/s", "speed": "m/s", "slip": "rad",
    "lateral": "m/s²",
}  # fmt: skip
_SAMPLE = 0.005  # s
#: m/s: slower, nothing is felt of a turn, and a lane change takes half an hour.
LEAST_SPEED = 1.0 / 3.6
_CURVES = (
    ("steering wheel", "wheel [°]", 180.0 / np.pi),
    ("yaw rate", "yaw rate [°/s]", 180.0 / np.pi),
    ("lateral", "lateral [m/s²]", 1.0),
    ("speed", "speed [km/h]", 3.6),
)


class Figure(NamedTuple):
    """A number of a manoeuvre, with its unit, or whether something is true."""

    value: float | bool
    unit: str = ""

    def as_text(self, digits: int = 4) -> tuple[str, str]:
        """For people, with its unit: angles in degrees, truths as yes and no."""
        if isinstance(self.value, bool):
            return "yes" if self.value else "no", self.unit
        number = math.degrees(self.value) if "rad" in self.unit else self.value
        return f"{number:.{digits}g}", self.unit.replace("rad", "°")


Figures = dict[str, Figure]


@dataclass(frozen=True)
class Manoeuvre:
    """What to do at which speed [m/s]. Others inherit from it; their fields are positive numbers
    but where they say otherwise."""

    speed: float
    name: ClassVar[str]
    about: ClassVar[str]
    any_sign: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for each in fields(self):
            given = as_float(getattr(self, each.name))
            if not (np.isfinite(given) and (given > 0.0 or each.name in self.any_sign)):
                raise InputError(
                    f"Manoeuvre '{self.name}': its {each.name} is {getattr(self, each.name)}; give "
                    f"a {'' if each.name in self.any_sign else 'positive '}number."
                )
        if as_float(self.speed) < LEAST_SPEED * (1.0 - 1e-12):
            raise InputError(
                f"Manoeuvre '{self.name}': its speed is {self.speed:.3g} m/s; the least is "
                f"{LEAST_SPEED:.3g} m/s, 1 km/h."
            )

    @property
    def duration(self) -> float:
        """[s]"""
        raise NotImplementedError(type(self).__name__)

    @property
    def slope(self) -> float:
        """Of the road along x [rad]."""
        return 0.0

    def driver(self, car: DrivenCar) -> Driver:
        """Who does it."""
        raise NotImplementedError(type(self).__name__)

    def inputs(self) -> InputData:
        """What comes from outside."""
        return {}

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """The figures of a run of it."""
        raise NotImplementedError(type(self).__name__)

    def scenery(self, axis: "Axes", car: DrivenCar) -> None:
        """What stands beside the path in a picture."""


@dataclass(frozen=True)
class Outcome:
    """A manoeuvre that was driven."""

    manoeuvre: Manoeuvre
    car: DrivenCar
    run: Run
    figures: Figures

    def __getitem__(self, name: str) -> float:
        return self.figures[name].value

    def plot(self, path: str | Path) -> None:
        """A picture of the path, the wheel, yaw rate, lateral acceleration and speed."""
        draw_outcome(self, path)


def drive(car: DrivenCar, manoeuvre: Manoeuvre) -> Outcome:
    """Drives a manoeuvre with a car. Its run has what a `CarMotion` has ("x" … "lateral"), and
    "steering wheel", "throttle", "brake"."""
    model = model_of(car, manoeuvre.driver(car), manoeuvre.speed, manoeuvre.slope, manoeuvre.name)
    run = simulate(
        model.compile(), duration=manoeuvre.duration, inputs=dict(manoeuvre.inputs()),
        output_step=_SAMPLE, progress=False, **car.stepping,
    )  # fmt: skip
    return Outcome(manoeuvre, car, run, manoeuvre.figures(run, car))


def model_of(
    car: DrivenCar, driver: Driver, speed: float, slope: float = 0.0, name: str = "car"
) -> Model:
    """A car with its driver as a model, for live runs, too; sensors as `drive` says."""
    model = Model(name)
    seen = car.place(model, speed, slope)
    commands = driver.commands(model, car, seen)
    car.drive(model, commands)
    for field in CarMotion.__dataclass_fields__:
        expression, unit = getattr(seen, field), _UNITS[field]
        model.sensor(field.replace("_", " "), Signal(expression, unit))
    taken = set(model.inputs)
    for word, unit in (("wheel", "rad"), ("throttle", ""), ("brake", "")):
        shown = "steering wheel" if word == "wheel" else word
        if shown not in taken:  # a human's are inputs of these names
            model.sensor(shown, Signal(getattr(commands, word) + 0.0 * model.time, unit))
    return model


def crossing(time: Floats, values: Floats, level: float) -> float:
    """When a signal first reaches a level that it starts below [s]; NaN when it doesn't."""
    above = np.flatnonzero(values >= level)
    if len(above) == 0:
        return float("nan")
    i = int(above[0])
    if i == 0:
        return float(time[0])
    share = (level - values[i - 1]) / (values[i] - values[i - 1])
    return float(time[i - 1] + share * (time[i] - time[i - 1]))


def corners(run: Run, car: DrivenCar) -> Floats:
    """Points round the car's outline at all instants, (n, m, 2) [m], a tenth of a metre apart or
    so."""
    shape = car.outline
    half = shape.width / 2
    long = np.linspace(-shape.rear, shape.front, 46)
    wide = np.linspace(-half, half, 17)
    ring = np.concatenate(
        [
            np.stack([long, np.full_like(long, half)], axis=1),
            np.stack([long, np.full_like(long, -half)], axis=1),
            np.stack([np.full_like(wide, shape.front), wide], axis=1),
            np.stack([np.full_like(wide, -shape.rear), wide], axis=1),
        ]
    )
    c, s = np.cos(run["yaw"])[:, None], np.sin(run["yaw"])[:, None]
    x = run["x"][:, None] + c * ring[:, 0] - s * ring[:, 1]
    y = run["y"][:, None] + s * ring[:, 0] + c * ring[:, 1]
    return np.stack([x, y], axis=-1)


def peaks(run: Run) -> Figures:
    """The largest of what every manoeuvre tells."""
    wheel = run["steering wheel"]
    return {
        "peak yaw rate": Figure(float(np.abs(run["yaw rate"]).max()), "rad/s"),
        "peak lateral acceleration": Figure(float(np.abs(run["lateral"]).max()), "m/s²"),
        "peak slip angle": Figure(float(np.abs(run["slip"]).max()), "rad"),
        "peak wheel angle": Figure(float(np.abs(wheel).max()), "rad"),
        "peak wheel rate": Figure(
            float(np.abs(np.gradient(wheel, run.time)).max()), "rad/s"
        ),
    }  # fmt: skip


def draw_outcome(outcome: Outcome, path: str | Path) -> None:
    """The path from above, wheel, yaw rate, lateral acceleration and speed over time, and the
    figures beside them."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    run, car = outcome.run, outcome.car
    figure = plt.figure(figsize=(11, 6), layout="constrained")
    grid = figure.add_gridspec(2, 4, height_ratios=(1.15, 1.0))
    above, words = figure.add_subplot(grid[0, :3]), figure.add_subplot(grid[0, 3])
    outline = corners(run, car)
    for i in np.linspace(0, len(run.time) - 1, 15).astype(int):
        above.plot(*outline[i].T, ".", color=INK, ms=0.6)
    above.plot(run["x"], run["y"], color=ACCENT, lw=1.2)
    outcome.manoeuvre.scenery(above, car)
    above.set(xlabel="x [m]", ylabel="y [m]", title=outcome.manoeuvre.name)
    if np.ptp(run["y"]) > 0.2 * np.ptp(run["x"]):
        above.set_aspect("equal", adjustable="datalim")
    words.axis("off")
    lines = [f"{name}: {' '.join(each.as_text(3))}" for name, each in outcome.figures.items()]
    words.text(0.0, 1.0, "\n".join(lines), va="top", fontsize=8, transform=words.transAxes)
    for i, (name, label, scale) in enumerate(_CURVES):
        axis = figure.add_subplot(grid[1, i])
        axis.plot(run.time, scale * run[name], color=ACCENT, lw=1.3)
        axis.set(xlabel="time [s]", title=label)
        if name == "speed":
            axis.set_ylim(min(0.0, 3.6 * float(run[name].min())), None)
    for axis in figure.axes:
        if axis is not words:
            light_grid(axis)
            axis.tick_params(labelsize=8)
    figure.savefig(path, dpi=80)
    plt.close(figure)
