"""Pictures of an action as SVG: still in one pose, or moving through a run.

Parts are drawn from their outlines in the pose of rest [m]. Where a part touches another its
outline is that of the model; in between it is as wood usually looks.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from touchback import Run
from touchback.figure_style import INK, PAPER
from touchback.instruments.piano.action_specification import (
    Dimensions,
    Placements,
    Point,
    Specification,
    Surface,
    find_placements,
    rotate_in_plane,
)

# ---- outlines ------------------------------------------------------------------------------------

MM = 1e-3


@dataclass(frozen=True)
class PartOutline:
    """A polygon (N, 2), or a circle where a radius is given, of some material."""

    points: np.ndarray
    material: str
    radius: float | None = None


def action_outlines(spec: Specification, at: Placements) -> dict[str, list[PartOutline]]:
    """The shapes of every body by name, "ground" included."""
    d = spec.dimensions
    return {
        "ground": _ground(d, at, spec.regulation.dip),
        "key": _key(d, at),
        "damper": _damper(d, at),
        "damper head": _damper_head(d, at),
        "whippen": _whippen(d, at),
        "jack": _jack(d, at),
        "lever": _lever(d, at),
        "hammer": _hammer(d, at),
    }


def _polygon(material: str, *points: Point | tuple[float, float]) -> PartOutline:
    return PartOutline(np.array(points, dtype=float), material)


def _box(material: str, left: float, bottom: float, right: float, top: float) -> PartOutline:
    return _polygon(material, (left, bottom), (right, bottom), (right, top), (left, top))


def _disc(material: str, centre: Point, radius: float) -> PartOutline:
    return PartOutline(np.array([centre]), material, radius)


def _block(material: str, face: Surface, half: float, thick: float) -> PartOutline:
    """A block behind a face."""
    a, b = face.at - half * face.along, face.at + half * face.along
    return _polygon(material, a, b, b - thick * face.normal, a - thick * face.normal)


def _key(d: Dimensions, at: Placements) -> list[PartOutline]:
    capstan_x, capstan_z = at.capstan
    check = at.backcheck
    behind = check.at - 5 * MM * check.normal
    foot = np.array([behind[0] + 2 * MM, d.key_height])
    return [
        _box("wood", -d.key_front, 0.0, d.key_tail + 4 * MM, d.key_height),
        _box("ivory", -d.key_front - 1 * MM, d.key_height, -0.11, d.key_height + 2.5 * MM),
        _box("metal", capstan_x - 2.5 * MM, d.key_height, capstan_x + 2.5 * MM, capstan_z),
        _disc("metal", at.capstan, d.capstan_radius),
        _polygon("metal", foot - [1 * MM, 0], foot + [1 * MM, 0], behind + [1 * MM, 0],
                 behind - [1 * MM, 0]),
        _block("leather", check, 10 * MM, 3 * MM),
        _block("wood", Surface(check.at - 3 * MM * check.normal, check.lean), 9 * MM, 6 * MM),
    ]  # fmt: skip


def _whippen(d: Dimensions, at: Placements) -> list[PartOutline]:
    (x, z), (jx, jz), (lx, lz) = at.whippen, at.jack, at.lever
    heel_x, heel_z = at.heel.at
    body = _polygon(
        "wood",
        (x + 5 * MM, z - 5 * MM), (x + 5 * MM, z + 5 * MM), (lx + 12 * MM, z + 4 * MM),
        (lx + 4 * MM, lz + 3 * MM), (lx - 4 * MM, lz + 3 * MM), (lx - 6 * MM, z + 3 * MM),
        (heel_x - 2 * MM, z - 4 * MM), (jx + 7 * MM, jz + 5 * MM), (jx - 5 * MM, jz + 5 * MM),
        (jx - 5 * MM, jz - 5 * MM), (heel_x - 10 * MM, heel_z + 6 * MM),
        (heel_x - 10 * MM, heel_z + 3 * MM), (heel_x + 10 * MM, heel_z + 3 * MM),
        (heel_x + 10 * MM, heel_z + 8 * MM),
    )  # fmt: skip
    cushion = _box("felt", heel_x - 10 * MM, heel_z, heel_x + 10 * MM, heel_z + 3 * MM)
    return [body, cushion, _disc("pin", at.whippen, 1.5 * MM)]


def _jack(d: Dimensions, at: Placements) -> list[PartOutline]:
    axis, along = at.jack_top.normal, at.jack_top.along
    corner = at.jack_corner
    front = corner - (d.jack_front + d.jack_back) * along
    foot = at.jack - 4 * MM * axis
    toe = at.toe + [-d.toe_radius, d.toe_radius]
    body = _polygon(
        "wood",
        front, corner, at.jack + 4 * MM * along, foot + 3 * MM * along, foot - 3 * MM * along,
        toe + [0, -6 * MM], toe, at.jack + [-5 * MM, 6 * MM],
        at.jack - 4 * MM * along + 9 * MM * axis,
    )  # fmt: skip
    return [body, _disc("pin", at.jack, 1.5 * MM)]


def _lever(d: Dimensions, at: Placements) -> list[PartOutline]:
    face = at.lever_top
    front = face.at - (d.drop_screw + 3 * MM) * face.along
    middle = face.at + 12 * MM * face.along
    (x, z), thick = at.lever, 5 * MM
    body = _polygon(
        "lever",
        front, middle, (x + 3 * MM, z + 5 * MM), (x + d.lever_stop + 3 * MM, z + 3 * MM),
        (x + d.lever_stop + 3 * MM, z), (x, z - 4 * MM), middle - thick * face.normal,
        front - thick * face.normal,
    )  # fmt: skip
    return [body, _disc("pin", at.lever, 1.5 * MM)]


def _hammer(d: Dimensions, at: Placements) -> list[PartOutline]:
    def placed(*points: tuple[float, float]) -> list[Point]:
        return [at.hammer + rotate_in_plane(at.rest_angle, point) for point in points]

    x, centre, r = d.shank, d.crown - d.crown_radius, d.crown_radius
    angles = np.linspace(0.0, np.pi, 13)
    crown = [(x + r * np.cos(a), centre + r * np.sin(a)) for a in angles]
    felt = [(x + 3 * MM, 6 * MM), *crown, (x - 3 * MM, 6 * MM)]
    tail = d.tail_x + d.tail_radius
    wood = [
        (x - 4 * MM, d.tail_z - 6 * MM), (tail - 4 * MM, d.tail_z - 6 * MM), (tail, d.tail_z),
        (x + 5 * MM, 4 * MM), (x + 2 * MM, 30 * MM), (x - 2 * MM, 30 * MM), (x - 5 * MM, 4 * MM),
    ]  # fmt: skip
    shank = [(0.0, -2.5 * MM), (x, -2.5 * MM), (x, 2.5 * MM), (0.0, 2.5 * MM)]
    return [
        _disc("leather", at.knuckle, d.knuckle_radius),
        _polygon("wood", *placed(*shank)),
        _polygon("white felt", *placed(*felt)),
        _polygon("wood", *placed(*wood)),
        _disc("pin", at.hammer, 1.5 * MM),
    ]


def _damper(d: Dimensions, at: Placements) -> list[PartOutline]:
    (x, z), under = at.damper, d.key_height + at.damper_gap
    bar = _polygon(
        "wood",
        (x + 5 * MM, z - 4 * MM), (x + 5 * MM, z + 4 * MM), (d.key_tail - 6 * MM, under + 7 * MM),
        (d.key_tail - 6 * MM, under + 2 * MM), (d.key_tail + 8 * MM, under + 2 * MM),
    )  # fmt: skip
    pad = _box("felt", d.key_tail - 6 * MM, under, d.key_tail + 8 * MM, under + 2 * MM)
    return [bar, pad, _disc("pin", at.damper, 1.5 * MM)]


def _damper_head(d: Dimensions, at: Placements) -> list[PartOutline]:
    x, z = at.damper[0] - d.damper_head, at.damper[1]
    return [
        _box("metal", x - 0.8 * MM, z - 8 * MM, x + 0.8 * MM, at.string + 8 * MM),
        _box("felt", x - 9 * MM, at.string, x + 9 * MM, at.string + 6 * MM),
        _box("dark", x - 8 * MM, at.string + 6 * MM, x + 8 * MM, at.string + 18 * MM),
    ]


def _ground(d: Dimensions, at: Placements, dip: float) -> list[PartOutline]:
    bed, bx = -dip * d.punching / d.key_front, at.toe[0]
    (hx, hz), (sx, sz) = at.hammer, at.drop_screw
    shank = at.hammer + rotate_in_plane(at.rest_angle, (d.rest_rail, 0.0))
    rest = float(shank[1]) - d.rest_rail_gap
    return [
        _box("rail", -d.key_front, bed - 20 * MM, d.key_tail + 70 * MM, bed - 14 * MM),
        _box("felt", -d.punching - 8 * MM, bed - 5 * MM, -d.punching + 8 * MM, bed),
        _box("rail", -d.punching - 10 * MM, bed - 14 * MM, -d.punching + 10 * MM, bed - 5 * MM),
        _polygon("rail", (-9 * MM, bed - 14 * MM), (9 * MM, bed - 14 * MM), (0.0, 0.0)),
        _box("felt", d.back_rail - 10 * MM, -4 * MM, d.back_rail + 10 * MM, 0.0),
        _box("rail", d.back_rail - 12 * MM, bed - 14 * MM, d.back_rail + 12 * MM, -4 * MM),
        _box("felt", bx - 4 * MM, at.button, bx + 4 * MM, at.button + 3 * MM),
        _box("rail", bx - 4 * MM, at.button + 3 * MM, bx + 4 * MM, at.button + 9 * MM),
        _box("metal", bx - 1 * MM, at.button + 9 * MM, bx + 1 * MM, hz + 6 * MM),
        _box("rail", bx - 12 * MM, hz + 6 * MM, hx + 7 * MM, hz + 16 * MM),
        _box("rail", hx - 5 * MM, hz - 4 * MM, hx + 5 * MM, hz + 6 * MM),
        _box("metal", sx - 1.2 * MM, sz, sx + 1.2 * MM, hz + 6 * MM),
        _box("felt", shank[0] - 8 * MM, rest - 5 * MM, shank[0] + 8 * MM, rest - 2.5 * MM),
        _box("rail", at.whippen[0] - 5 * MM, at.whippen[1] - 18 * MM, at.whippen[0] + 12 * MM,
             at.whippen[1] - 4 * MM),
        _box("string", hx - 30 * MM, at.string, d.key_tail + 60 * MM, at.string + 1.2 * MM),
    ]  # fmt: skip


# ---- pictures ------------------------------------------------------------------------------------

COLOURS = {
    "wood": "#d9b382", "lever": "#c79a63", "ivory": "#fbf7ea", "metal": "#8d99ae",
    "leather": "#b08968", "felt": "#a4383f", "white felt": "#f1e9da", "pin": INK,
    "rail": "#cfd3dc", "string": INK, "dark": INK,
}  # fmt: skip
# Drawn in this order. Each turns about its own hinge, and with the body that carries it.
BODIES = ("key", "damper", "damper head", "whippen", "hammer")
BEHIND, BEFORE = {"whippen": "jack"}, {"whippen": "lever"}
FALLING = ("whippen", "lever", "damper")  # angles count from z to x
SCALE = 2000.0  # picture units a metre
LEFT, RIGHT, TOP, BOTTOM = -0.275, 0.36, 0.20, -0.032  # of the picture [m]
CLOSE = 0.06  # where a picture without the front of the key begins [m]


def picture(
    angles: Mapping[str, float], left: float = LEFT, specification: Specification | None = None
) -> str:
    """One pose, from the angles of the six coordinates [rad]; the picture begins at x = `left`."""
    spec = specification or Specification()
    at = find_placements(spec.dimensions, spec.regulation)

    def turn(body: str) -> str:
        return _static(_motion(body, at, np.array([angles.get(_coordinate(body), 0.0)]), spec))

    return _svg(_drawing(spec, at, turn), left)


def film(
    run: Run,
    begin: float,
    end: float,
    slower: float = 20.0,
    frames: int = 120,
    specification: Specification | None = None,
) -> str:
    """A part of a run as a moving picture that repeats, some times slower than it was."""
    spec = specification or Specification()
    at = find_placements(spec.dimensions, spec.regulation)
    times = np.linspace(begin, end, frames)
    length = (end - begin) * slower

    def turn(body: str) -> str:
        angles = np.interp(times, run.time, run[_coordinate(body)])
        return _moving(_motion(body, at, angles, spec), length)

    return _svg(_drawing(spec, at, turn), LEFT)


def _coordinate(body: str) -> str:
    return "damper" if body == "damper head" else body


Motion = tuple[str, list[str]]  # kind of transformation, and its arguments at each instant


def _motion(body: str, at: Placements, angles: np.ndarray, spec: Specification) -> Motion:
    """How a body is displaced: picture angles count clockwise, since its z points down."""
    if body == "damper head":
        lift = spec.dimensions.damper_head * np.sin(angles)
        return "translate", [f"0 {-SCALE * z:.2f}" for z in lift]
    sign = 1.0 if body in FALLING else -1.0
    x, y = _place(getattr(at, body))
    return "rotate", [f"{np.degrees(sign * angle):.3f} {x:.2f} {y:.2f}" for angle in angles]


def _static(motion: Motion) -> str:
    kind, (arguments,) = motion
    return f'<g transform="{kind}({arguments})">'


def _moving(motion: Motion, seconds: float) -> str:
    kind, arguments = motion
    return (
        f'<g><animateTransform attributeName="transform" type="{kind}" dur="{seconds:.2f}s" '
        f'repeatCount="indefinite" values="{";".join(arguments)}"/>'
    )


def _drawing(spec: Specification, at: Placements, turn: Callable[[str], str]) -> list[str]:
    parts = action_outlines(spec, at)

    def group(body: str) -> list[str]:
        behind = group(BEHIND[body]) if body in BEHIND else []
        before = group(BEFORE[body]) if body in BEFORE else []
        return [turn(body), *behind, *map(_shape, parts[body]), *before, "</g>"]

    lines = [_shape(shape) for shape in parts["ground"]]
    for body in BODIES:
        lines += group(body)
    return lines


def _place(point: Sequence[float] | np.ndarray) -> tuple[float, float]:
    x, z = point
    return SCALE * (float(x) - LEFT), SCALE * (TOP - float(z))


def _shape(shape: PartOutline) -> str:
    style = f'fill="{COLOURS[shape.material]}" stroke="{INK}" stroke-width="1.2"'
    if shape.radius is not None:
        x, y = _place(shape.points[0])
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{SCALE * shape.radius:.1f}" {style}/>'
    points = " ".join("{:.1f},{:.1f}".format(*_place(point)) for point in shape.points)
    return f'<polygon points="{points}" stroke-linejoin="round" {style}/>'


def _svg(lines: Sequence[str], left: float) -> str:
    x, width, height = SCALE * (left - LEFT), SCALE * (RIGHT - left), SCALE * (TOP - BOTTOM)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:.0f} 0 {width:.0f} {height:.0f}">',
        f'<rect x="{x:.0f}" width="{width:.0f}" height="{height:.0f}" fill="{PAPER}"/>',
    )
    return "\n".join([*head, *lines, "</svg>", ""])
