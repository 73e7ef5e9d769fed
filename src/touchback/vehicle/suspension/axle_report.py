"""Kinematics and compliance of an axle: what its wheels do as they travel, roll and steer."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from math import atan2, degrees, nan
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from touchback.errors import InputError
from touchback.figures import BODIES, PICTURES, light_grid, pyplot
from touchback.regular_file import check_output, written_whole
from touchback.vehicle.suspension.axle import AxleKind
from touchback.vehicle.suspension.suspension_rig import COMPLIANCES, LoadRig, Moving, Rig

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = np.ndarray
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
        with written_whole(path) as beside, open(beside, "w", newline="") as file:
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
            with written_whole(path) as beside:
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


def steering_axis(rig: Rig, way: float, bump: Moving) -> tuple[float, float, float, float]:
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


def roll_centre(roll: Moving) -> float:
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
