"""A fluid around bodies: density, free surface, current. Their numbers are live parameters."""

from __future__ import annotations

from collections.abc import Callable
from math import acos, atan2
from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.frame import GROUND, Frame
from touchback.model.shapes import Shapes, SurfaceShape
from touchback.model.value import (
    Components,
    Data,
    Triple,
    Value,
    check_positive,
    is_number,
    triple,
    value,
)  # fmt: skip


class Fluid(Data, frozen=True, tag_field="kind", tag="fluid"):
    """density [kg/m³]; `surface`: its height along `up` [m] (world), None: there is fluid
    everywhere; `current`: how it flows, the same everywhere and steadily [m/s] (world axes); `up`:
    the unit normal of the surface."""

    UNITS: ClassVar[dict[str, str]] = {
        "density": "kg/m³",
        "surface": "m",
        "current": "m/s",
        "up": "1",
    }
    density: Value = 1000.0
    surface: Value | None = None
    current: Triple = (0.0, 0.0, 0.0)
    up: Triple = (0.0, 0.0, 1.0)

    def shapes(self) -> Shapes:
        """Its free surface, if it has one and is level with something known."""
        if self.surface is None or not all(is_number(x) for x in self.up):
            return []
        x, y, z = (float(u) for u in self.up if is_number(u))
        turn = (("z", atan2(y, x)), ("y", acos(max(-1.0, min(1.0, z))))) if x or y or z < 0 else ()
        height = self.surface
        return [(Frame(GROUND, (x * height, y * height, z * height), turn), SurfaceShape())]


def make_fluid(
    name: str,
    density: object,
    surface: object,
    current: Components,
    gravity: Triple,
    parameter: Callable[..., Value],
) -> Fluid:
    """A checked fluid, whose numbers become parameters of a model with this gravity; expressions
    stay as they are."""
    label = f"Fluid '{name}'"
    check_positive(label, zero=True, density=density)
    flow = triple(f"{label}: current", current)

    def live(word: str, given: Value, unit: str, least: float | None = None) -> Value:
        if not is_number(given):
            return given
        return parameter(f"{name} {word}", given, unit, min=least)

    rho = live("density", value(f"{label}: density", density), "kg/m³", 0.0)
    height = None if surface is None else live("surface", value(f"{label}: surface", surface), "m")
    x, y, z = (live(f"current {axis}", u, "m/s") for axis, u in zip("xyz", flow, strict=True))
    return Fluid(rho, height, (x, y, z), _up(label, gravity))


def _up(label: str, gravity: Triple) -> Triple:
    """Against gravity; +z where there is none."""
    if not all(is_number(x) for x in gravity):
        raise ModelError(
            f"{label}: gravity is an expression, so its surface has no fixed direction; give a "
            "tb.Fluid(…, up=…) of your own."
        )
    x, y, z = (float(g) for g in gravity if is_number(g))
    length = (x * x + y * y + z * z) ** 0.5
    return (-x / length, -y / length, -z / length) if length else (0.0, 0.0, 1.0)
