"""Kinematics and compliance of an axle: what its wheels do as they travel, roll and steer, measured
on a rig that moves them (pads under both, and the rack, as on a test bench), and how the axle gives
way on one that loads them."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from math import asin, atan2, ceil, degrees, inf, nan
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from touchback import (
    AngularVelocity,
    Direction,
    Distance,
    Model,
    PointOnPlane,
    Position,
    Prismatic,
    State,
    System,
    Velocity,
    Wrench,
    equilibrium,
    linearise,
)
from touchback.errors import InputError, SolveError
from touchback.figure_style import BODIES, PICTURES, light_grid, pyplot
from touchback.model import BodyHandle
from touchback.numbers import read_number, shown
from touchback.safe_files import atomic_file, check_output
from touchback.vehicle.suspension.axle import AxleKind, add_axle

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = np.ndarray
SHORT, _JUMP = 5e-3, 0.2  # m at once, in which no wheel turns by so much [rad]
SIDES = {"left": 1.0, "right": -1.0}
_LOADS = {"side": "N", "brake": "N", "push": "N", "turn": "N m"}
#: What `LoadRig.at` tells, with units.
COMPLIANCES = {
    "lateral compliance steer": "rad/N", "lateral compliance camber": "rad/N",
    "lateral compliance": "m/N", "braking compliance toe": "rad/N",
    "longitudinal compliance": "m/N", "aligning compliance steer": "rad/(N m)",
}  # fmt: skip
_UNITS = {
    "travel": "m", "toe": "rad", "camber": "rad", "caster": "rad", "kingpin": "rad",
    "scrub radius": "m", "caster trail": "m", "roll centre": "m", "track change": "m",
    "wheelbase change": "m", "wheel load": "N", "wheel rate": "N/m", "spring ratio": "",
    "bump steer": "rad/m", "camber gain": "rad/m", "roll steer": "rad/rad",
    "roll camber": "rad/rad", "scrub": "m/m", "steer of the rack": "rad/m",
    **COMPLIANCES,
}  # fmt: skip
_SEEN = 9  # decimals: what is less is rounding, not a curve
_SCALES = {  # as people say them
    "rad": (degrees(1.0), "°"), "m": (1e3, "mm"), "rad/m": (degrees(1.0), "°/m"),
    "rad/N": (1e3 * degrees(1.0), "°/kN"), "rad/(N m)": (100.0 * degrees(1.0), "°/100 N m"),
    "m/N": (1e6, "mm/kN"), "N/m": (1e-3, "N/mm"), "m/m": (1e3, "mm/m"),
    "rad/rad": (1.0, "°/°"),
}  # fmt: skip
_STEP = 1e-4  # m, of the load's difference


@dataclass(frozen=True)
class WheelStance:
    """How a wheel stands: its centre and the way its axle points (to the left), where it touches
    the road below it, length of its strut [m], load on its pad [N]."""

    sign: float
    centre: Floats
    axle: Floats
    contact: Floats
    strut: float
    load: float

    @property
    def steer(self) -> float:
        """Angle to the left [rad]."""
        return atan2(-self.axle[0], self.axle[1])

    @property
    def toe(self) -> float:
        """Toe-in [rad]."""
        return -self.sign * self.steer

    @property
    def camber(self) -> float:
        """Positive when the top leans out [rad]."""
        return -self.sign * asin(self.axle[2])


@dataclass(frozen=True)
class WheelRates:
    """How a wheel moves with a motion of the rig: rates of what a `WheelStance` tells, and the
    twist of its carrier."""

    stand: WheelStance
    velocity: Floats
    omega: Floats
    strut: float

    @property
    def contact(self) -> Floats:
        """Velocity of the carrier's point in the contact."""
        return self.velocity + np.cross(self.omega, self.stand.contact - self.stand.centre)

    @property
    def steer(self) -> float:
        """Rate of the angle to the left."""
        x, y, _ = self.stand.axle
        u, v, _ = np.cross(self.omega, self.stand.axle)
        return float((x * v - y * u) / (x * x + y * y))

    @property
    def toe(self) -> float:
        """Rate of the toe-in."""
        return -self.stand.sign * self.steer

    @property
    def camber(self) -> float:
        """Rate of the camber."""
        lean = np.cross(self.omega, self.stand.axle)[2]
        return float(-self.stand.sign * lean / np.sqrt(1.0 - self.stand.axle[2] ** 2))

    def with_strut_held(self, travelling: WheelRates) -> WheelRates:
        """This motion, less so much of another that the strut keeps its length."""
        share = self.strut / travelling.strut
        return WheelRates(
            self.stand, self.velocity - share * travelling.velocity,
            self.omega - share * travelling.omega, 0.0,
        )  # fmt: skip


def _beyond(ways: dict[str, float], why: str) -> InputError:
    asked = ", ".join(f"{name} {way:g} m" for name, way in ways.items())
    return InputError(f"The axle doesn't reach {asked}: {why} there; ask for less travel.")


class Rig:
    """An axle below a chassis that stands still, as a system whose inputs are the travel of both
    wheel centres (up) and the way of the rack (to the left), from design [m], and their rates."""

    def __init__(self, axle: AxleKind) -> None:
        self.axle = axle
        model = Model("rig")
        rack = self._rack(model) if axle.steered() else None
        corners = add_axle(model, axle, model.ground, "axle", rack=rack)
        for side, corner in zip(SIDES, corners, strict=True):
            pad = model.body(f"{side} pad")
            place = model.ground.at(0, SIDES[side] * axle.wheel_centre[1], axle.wheel_centre[2])
            self._driven(model, model.joint(f"{side} pad", Prismatic("z"), place, pad), side)
            model.close(f"{side} load", PointOnPlane("z"), pad, corner.carrier)
            model.drive(corner.spin, 0.0)
            model.sensor(f"{side} centre", Position(corner.carrier))
            model.sensor(f"{side} axle", Direction(corner.carrier, "y"))
            model.sensor(f"{side} velocity", Velocity(corner.carrier))
            model.sensor(f"{side} omega", AngularVelocity(corner.carrier))
            model.sensor(f"{side} strut", Distance(*corner.strut))
        self.system: System = model.compile()
        self.steered = rack is not None
        self._guess: dict[str, float] = {}
        self._ways = np.zeros(3)
        self._axles: Floats | None = None

    def _rack(self, model: Model) -> BodyHandle:
        rack = model.body("rack")
        self._driven(model, model.joint("rack", Prismatic("y"), model.ground, rack), "rack")
        return rack

    @staticmethod
    def _driven(model: Model, joint: str, name: str) -> None:
        way, rate = model.input(f"{name} way", unit="m"), model.input(f"{name} rate", unit="m/s")
        model.drive(joint, way, rate, 0.0)

    def at(
        self, left: float = 0.0, right: float = 0.0, rack: float = 0.0, moving: str = "bump"
    ) -> dict[str, WheelRates]:
        """Both wheels where the rig puts them, and how they move when both pads rise ("bump"), the
        chassis rolls to the right ("roll": the left one sinks and the right one rises), or the rack
        goes to the left ("rack"), each at 1 m/s."""
        rates = {"bump": (1.0, 1.0, 0.0), "roll": (-1.0, 1.0, 0.0), "rack": (0.0, 0.0, 1.0)}
        inputs = {"left way": left, "right way": right, "rack way": rack}
        inputs |= dict(zip(("left rate", "right rate", "rack rate"), rates[moving], strict=True))
        if not self.steered:
            inputs = {key: value for key, value in inputs.items() if not key.startswith("rack")}
        system = self.system
        state = self._walked(inputs)
        seen = system.sensors(state.q, state.v, u=inputs)
        still = {key: 0.0 if key.endswith("rate") else way for key, way in inputs.items()}
        loads = system.multipliers(state.q, 0.0 * state.v, u=still)
        plain = {name: float(item) for name, item in seen.items()}
        return {side: self._moving(side, plain, float(loads[f"{side} load"])) for side in SIDES}

    def _walked(self, inputs: dict[str, float]) -> State:
        """The state at these inputs, reached by short ways from where the rig is: a linkage that is
        asked for more than it reaches would be found in another assembly, its wheels flipped."""
        names = ("left way", "right way", "rack way")
        goal = np.array([inputs.get(name, 0.0) for name in names])
        start = self._ways
        steps = max(1, int(np.ceil(np.abs(goal - start).max() / SHORT)))
        for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
            here = dict(zip(names, (start + share * (goal - start)).tolist(), strict=True))
            given = {key: here.get(key, value) for key, value in inputs.items()}
            try:
                state = self.system.assemble(guess=self._guess, inputs=given)
            except SolveError:
                raise _beyond(here, "its loops don't close") from None
            seen = self.system.sensors(state.q, state.v, u=given)
            axles = np.array([[seen[f"{side} axle.{i}"] for i in "xyz"] for side in SIDES])
            if self._axles is not None and np.abs(axles - self._axles).max() > _JUMP:
                raise _beyond(here, "its linkage jumps to another assembly")
            self._axles, self._guess = axles, dict(zip(self.system.coordinates, state.q.tolist()))
        self._ways = goal
        return state

    def _moving(self, side: str, seen: dict[str, float], load: float) -> WheelRates:
        def vector(what: str) -> Floats:
            return np.array([seen[f"{side} {what}.{axis}"] for axis in "xyz"])

        centre, axle = vector("centre"), vector("axle")
        down = axle[2] * axle - np.array([0.0, 0.0, 1.0])
        contact = centre + self.axle.wheel_centre[2] * down / np.linalg.norm(down)
        strut = seen[f"{side} strut.length"]
        stand = WheelStance(SIDES[side], centre, axle, contact, strut, load)
        return WheelRates(stand, vector("velocity"), vector("omega"), seen[f"{side} strut.rate"])


class LoadRig:
    """An axle below a chassis that stands still, on pads that hold the height of its wheels'
    centres and slide. Both wheels are loaded alike, on what carries them, as if brakes held them:
    to the left and backwards in the contact, backwards at the centre, and about the vertical. The
    rack gives way by 1/`rack_stiffness` [m/N]."""

    def __init__(self, axle: AxleKind, rack_stiffness: float) -> None:
        model = Model("compliance")
        rack = _rack(model, rack_stiffness) if axle.steered() else None
        corners = add_axle(model, axle, model.ground, "axle", rack=rack)
        radius, travel = axle.wheel_centre[2], model.input("travel", unit="m")
        side, brake, push, turn = (model.input(name, unit=unit) for name, unit in _LOADS.items())
        for word, corner in zip(SIDES, corners, strict=True):
            pad, place = model.body(f"{word} pad"), model.ground.at(0, 0, radius)
            model.drive(model.joint(f"{word} pad", Prismatic("z"), place, pad), travel, 0.0, 0.0)
            model.close(f"{word} load", PointOnPlane("z"), pad, corner.carrier)
            model.drive(corner.spin, 0.0)
            load = Wrench(
                corner.carrier, force=(-brake - push, side, 0.0),
                torque=(radius * side, radius * brake, turn),
            )  # fmt: skip
            model.force(f"{word} load", load)
        model.sensor("centre", Position(corners[0].carrier))
        model.sensor("axle", Direction(corners[0].carrier, "y"))
        self.radius, self.system = radius, model.compile()
        self._travel, self._state = 0.0, self.system.initial_state()

    def at(self, travel: float) -> dict[str, float]:
        """What the left wheel does per force or moment at both, this far [m] above design: exact
        slopes about the equilibrium there."""
        for way in np.linspace(self._travel, travel, 1 + self._steps(travel))[1:]:
            self._state = equilibrium(self.system, self._state, {"travel": float(way)}).state
        self._travel = travel
        linear = linearise(self.system, self._state, {"travel": travel})
        given = [linear.inputs.index(name) for name in _LOADS]
        slopes = (linear.D - linear.C @ np.linalg.solve(linear.A, linear.B))[:, given]
        seen = self.system.sensors(self._state.q, u={"travel": travel})
        axle = np.array([float(seen[f"axle.{axis}"]) for axis in "xyz"])
        by = dict(zip(linear.outputs, slopes, strict=True))
        centre, turned = (
            np.array([by[f"{what}.{i}"] for i in "xyz"]) for what in ("centre", "axle")
        )
        steer = (axle[0] * turned[1] - axle[1] * turned[0]) / (axle[0] ** 2 + axle[1] ** 2)
        camber = -turned[2] / np.sqrt(1.0 - axle[2] ** 2)
        contact = centre + self.radius * _lowest(axle, turned)
        found = (steer[0], camber[0], contact[1][0], -steer[1], -centre[0][2], steer[3])
        return dict(zip(COMPLIANCES, map(float, found), strict=True))

    def _steps(self, travel: float) -> int:
        """Short ones, as `Rig` takes them; one where it stands, to find the equilibrium."""
        return max(1, ceil(abs(travel - self._travel) / SHORT))


def _rack(model: Model, stiffness: float) -> BodyHandle:
    rack = model.body("rack", 1.0)
    stiff = stiffness < inf
    joint = model.joint(
        "rack", Prismatic("y"), model.ground, rack, spring=stiffness if stiff else None
    )
    if not stiff:
        model.drive(joint, 0.0)
    return rack


def _lowest(axle: np.ndarray, turned: np.ndarray) -> np.ndarray:
    """How the direction from a wheel's centre to its lowest point changes as its axle does, for
    each column of `turned`."""
    down = axle[2] * axle - np.array([0.0, 0.0, 1.0])
    length = np.linalg.norm(down)
    change = np.outer(axle, turned[2]) + axle[2] * turned
    away = change / length - np.outer(down, down @ change) / length**3
    return np.asarray(away)


@dataclass(frozen=True)
class AxleReport:
    """Figures of an axle's left wheel at design (`figures`), and curves over the travel of both
    wheels (`curves`, with "travel"). SI units, in `units`; what an axle has not is NaN."""

    figures: dict[str, float]
    curves: dict[str, Floats]

    @property
    def units(self) -> dict[str, str]:
        """Of all of them."""
        return dict(_UNITS)

    def lines(self) -> list[tuple[str, str, str]]:
        """Name, value and unit of each figure, angles in degrees, lengths in mm."""
        return [(name, *_shown(value, _UNITS[name])) for name, value in self.figures.items()]

    def save(self, path: str | os.PathLike[str]) -> None:
        """The curves as a .csv file, a column each, units in its head."""
        check_output(path, (".csv",))
        with atomic_file(path) as beside, open(beside, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([f"{name} [{_UNITS[name]}]" for name in self.curves])
            writer.writerows(np.transpose(list(self.curves.values())).tolist())

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """The curves over the wheels' travel."""
        if path is not None:
            check_output(path, PICTURES)
        panels = self._panels()
        size = (11, 3 * len(panels) // 3)
        figure, axes = pyplot().subplots(len(panels) // 3, 3, figsize=size, layout="constrained")
        for axis, (label, names, unit) in zip(axes.flat, panels, strict=True):
            for name, colour in zip(names, BODIES, strict=False):
                scale = _SCALES.get(_UNITS[name], (1.0, ""))[0] if unit != "kN" else 1e-3
                y = np.round(self.curves[name] * scale, _SEEN)
                axis.plot(1e3 * self.curves["travel"], y, color=colour, label=name)
            axis.set(ylabel=f"{label} [{unit}]", xlabel="travel, up [mm]")
            light_grid(axis)
            if len(names) > 1:
                axis.legend(fontsize=8)
        if path is not None:
            with atomic_file(path) as beside:
                figure.savefig(beside, dpi=100)
            pyplot().close(figure)
        return figure

    def _panels(self) -> list[tuple[str, tuple[str, ...], str]]:
        """Label, curves and unit of each."""
        steered = bool(np.isfinite(self.curves["caster"]).all())
        panels: list[tuple[str, tuple[str, ...], str]] = [
            ("toe-in", ("toe",), "°"), ("camber", ("camber",), "°"),
            ("height of the roll centre", ("roll centre",), "mm"),
            ("way of the contact", ("track change", "wheelbase change"), "mm"),
            ("steering axis", ("caster", "kingpin"), "°") if steered
            else ("spring ratio", ("spring ratio",), "1"),
            ("wheel load", ("wheel load",), "kN"),
        ]  # fmt: skip
        if COMPLIANCES.keys() <= self.curves.keys():
            lateral = ("lateral compliance steer", "lateral compliance camber")
            panels += [
                ("by force", (*lateral, "braking compliance toe"), "°/kN"),
                ("by aligning moment", ("aligning compliance steer",), "°/100 N m"),
                ("by force", ("lateral compliance", "longitudinal compliance"), "mm/kN"),
            ]  # fmt: skip
        return panels


def measure_axle(
    axle: AxleKind, travel: float = 0.08, points: int = 33, rack_stiffness: float = np.inf
) -> AxleReport:
    """Put an axle on the rig and move its wheels up and down by `travel` [m]. Kinematics are those
    of its arms in bearings; rubber mounts, struts and the steering, by 1/`rack_stiffness` [m/N],
    give way to forces at the wheels."""
    if not isinstance(axle, AxleKind):
        raise InputError(
            "measure_axle: an axle such as tb.vehicle.DoubleWishbone(…) is expected, got "
            f"{shown(axle)}."
        )
    travel = read_number("measure_axle: travel", travel)
    if not isinstance(points, int | np.integer):
        raise InputError(f"measure_axle: points is a whole number, got {shown(points)}.")
    rack_stiffness = read_number("measure_axle: rack_stiffness", rack_stiffness)
    if not 0.0 < travel < np.inf or points < 3:
        raise InputError(
            f"measure_axle: a travel of {travel} m at {points} points; give a positive travel and "
            "at least 3 points."
        )
    if not rack_stiffness > 0.0:
        raise InputError(
            f"measure_axle: its rack_stiffness is {rack_stiffness} N/m; give a positive number, or "
            "infinity for a steering that doesn't give way."
        )
    rig = Rig(replace(axle, mounts=None))
    ways = np.linspace(-travel, travel, points | 1)
    rows = [_row(rig, float(way)) for way in ways]
    soft = axle.mounts is not None or (rig.steered and rack_stiffness < np.inf)
    loaded = LoadRig(axle, rack_stiffness) if soft else None
    if loaded is not None:
        rows = [row | loaded.at(float(way)) for row, way in zip(rows, ways, strict=True)]
    curves = {"travel": ways} | {name: np.array([row[name] for row in rows]) for name in rows[0]}
    curves["track change"] -= np.interp(0.0, ways, curves["track change"])
    curves["wheelbase change"] -= np.interp(0.0, ways, curves["wheelbase change"])
    return AxleReport(_figures(rig, rows[len(rows) // 2]), curves)


def _row(rig: Rig, way: float) -> dict[str, float]:
    """What the left wheel does at a travel of both."""
    bump = rig.at(way, way)["left"]
    roll = rig.at(way, way, moving="roll")["left"]
    stand = bump.stand
    axis = steering_axis(rig, way, bump) if rig.steered else (nan, nan, nan, nan)
    return {
        "toe": stand.toe, "camber": stand.camber, "caster": axis[0], "kingpin": axis[1],
        "scrub radius": axis[2], "caster trail": axis[3],
        "roll centre": roll_centre(roll) - stand.contact[2],
        "track change": 2.0 * stand.contact[1], "wheelbase change": stand.contact[0],
        "wheel load": stand.load, "spring ratio": -bump.strut / bump.velocity[2],
    }  # fmt: skip


def steering_axis(rig: Rig, way: float, bump: WheelRates) -> tuple[float, float, float, float]:
    """Caster and kingpin inclination [rad], scrub radius and caster trail [m] of the left wheel:
    the line about which its carrier turns when the rack moves and the strut doesn't."""
    held = rig.at(way, way, moving="rack")["left"].with_strut_held(bump)
    stand, w = held.stand, held.omega * np.sign(held.omega[2])
    v = held.velocity * np.sign(held.omega[2])
    point = stand.centre + np.cross(w, v) / (w @ w)
    ground = point + w * (stand.contact[2] - point[2]) / w[2]
    ahead = np.array([stand.axle[1], -stand.axle[0]]) / np.hypot(*stand.axle[:2])
    aside = np.array([-ahead[1], ahead[0]])
    off = (stand.contact - ground)[:2]
    caster, kingpin = atan2(-w[0], w[2]), atan2(-stand.sign * w[1], w[2])
    return caster, kingpin, float(stand.sign * aside @ off), float(-ahead @ off)


def roll_centre(roll: WheelRates) -> float:
    """Height of the point in the car's middle about which the contact turns as the car rolls [m]:
    z + y v_y/v_z."""
    v, at = roll.contact, roll.stand.contact
    return float(at[2] + at[1] * v[1] / v[2])


def _figures(rig: Rig, row: dict[str, float]) -> dict[str, float]:
    found = {
        name: value for name, value in row.items()
        if "change" not in name and name not in COMPLIANCES
    }  # fmt: skip
    bump, rolling = rig.at()["left"], rig.at(moving="roll")
    loads = [rig.at(way, way)["left"].stand.load for way in (_STEP, -_STEP)]
    half = (rolling["left"].stand.contact[1] - rolling["right"].stand.contact[1]) / 2
    turned = (rolling["left"].steer + rolling["right"].steer) / 2
    found |= {
        "wheel rate": (loads[0] - loads[1]) / (2 * _STEP), "bump steer": bump.toe,
        "camber gain": bump.camber, "scrub": float(bump.contact[1] / bump.contact[2]),
        "roll steer": half * turned, "roll camber": half * rolling["left"].camber - 1.0,
    }  # fmt: skip
    if rig.steered:
        moved = rig.at(moving="rack")
        found["steer of the rack"] = (moved["left"].steer + moved["right"].steer) / 2
    return found | {name: row[name] for name in COMPLIANCES if name in row}


def _shown(value: float, unit: str) -> tuple[str, str]:
    """A figure as people say it."""
    scale, word = _SCALES.get(unit, (1.0, unit))
    shown = value * scale
    return f"{0.0 if abs(shown) < 1e-9 else shown:.4g}", word  # less is rounding
