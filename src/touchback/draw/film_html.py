"""Films as one HTML file: three dimensions to turn, a slider, no server and no network."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from html import escape
from importlib.resources import files
from itertools import product

import numpy as np

from touchback.draw.scene import Piece, Scene
from touchback.draw.stick import Floats
from touchback.draw.style import ACCENT, BODIES, INK, PALE, SOFT, WATER
from touchback.draw.view import axes_for
from touchback.model.shapes import (
    AnyShape,
    ArcShape,
    BoxShape,
    CapsuleShape,
    CylinderShape,
    DiscShape,
    FaceShape,
    PatchShape,
    PlaneShape,
    SphereShape,
    SurfaceShape,
)

_SCRIPTS = ("vectors.js", "solids.js", "render.js", "camera.js", "film.js")  # imports come first
_ROUND = 24  # sides of what is round
_BAR, _THIN, _DOT, _DEEP = 0.018, 0.007, 0.026, 0.02  # of the radius of the scene
_HAND = 0.05  # half of what is shown of an endless face of a body
_ARROW = 0.5  # the largest force, of that radius
_RADII = {"body": _BAR, "cross": _BAR, "arm": _THIN, "link": _THIN, "slide": _THIN}


def film_html(scene: Scene, seconds: float, pace: str) -> str:
    """A page that shows the scene in `seconds`; `pace` says how slow or quick that is."""
    data = json.dumps(_data(scene, seconds), separators=(",", ":"))
    here = files("touchback.draw")
    page = (here / "film.html").read_text(encoding="utf-8")
    script = "\n".join(_plain((here / each).read_text(encoding="utf-8")) for each in _SCRIPTS)
    parts = {
        "TITLE": escape(f"{scene.title}, {pace}"),
        "SCRIPT": script,
        "DATA": data.replace("</", "<\\/"),  # which would end the script
    }
    return re.sub("@(TITLE|SCRIPT|DATA)@", lambda found: parts[found[1]], page)


def _plain(module: str) -> str:
    """A module without its imports and exports, to stand in one script with what it imports."""
    text = re.sub(r"^import .*;\n", "", module, flags=re.MULTILINE)
    return re.sub(r"^export ", "", text, flags=re.MULTILINE)


def _data(scene: Scene, seconds: float) -> dict[str, object]:
    points = scene.points
    low, high = points.min(axis=0), points.max(axis=0)
    radius = max(float(np.linalg.norm(high - low)) / 2, 1e-6)
    turn, rise = _direction(points)
    step = float(scene.times[1] - scene.times[0])
    colours = {name: BODIES[i % len(BODIES)] for i, name in enumerate(scene.bodies)}
    return {
        "count": len(scene.times), "seconds": seconds, "radius": radius, "accent": ACCENT,
        "times": [round(float(t), 6) for t in scene.times], "digits": _digits(step),
        "centre": ((low + high) / 2).tolist(), "turn": turn, "rise": rise,
        "pieces": [_piece(scene, each, radius, colours) for each in scene.pieces],
        "bars": [
            {"a_": _packed(line.ends[:, 0]), "b_": _packed(line.ends[:, 1]),
             "radius": radius * _RADII[line.kind],
             "colour": colours.get(line.name, SOFT) if line.kind != "slide" else PALE}
            for line in scene.figure.lines
        ],
        "dots": [
            {"points_": _packed(places), "radius": radius * _DOT, "colour": INK}
            for places in scene.figure.joints.values()
        ],
        "trails": [{"points_": _packed(way)} for way in scene.trails.values()],
        "forces": _forces(scene, radius),
    }  # fmt: skip


def _forces(scene: Scene, radius: float) -> list[dict[str, str]]:
    largest = max((np.abs(way).max() for _, way in scene.forces.values()), default=1.0)
    scale = _ARROW * radius / largest
    return [
        {"from_": _packed(point), "way_": _packed(scale * way)}
        for point, way in scene.forces.values()
    ]


def _direction(points: Floats) -> tuple[float, float]:
    """From where the page looks at first, as angles: across the plane of a planar mechanism."""
    right, up = axes_for(points)
    x, y, z = np.cross(right, up)
    flat = np.hypot(x, y)
    turn = np.arctan2(y, x) if flat > 1e-9 else -np.pi / 2
    return float(turn), float(np.arctan2(z, flat))


def _digits(step: float) -> int:
    return int(np.clip(np.ceil(-np.log10(max(step, 1e-9))), 0, 6))


def _piece(scene: Scene, piece: Piece, radius: float, colours: dict[str, str]) -> dict[str, object]:
    numbers = piece.numbers
    p = scene.foot(piece) if piece.endless else piece.p
    if piece.open:
        half = 0.8 if piece.kind is SurfaceShape else 1.6 if piece.endless else _HAND
        numbers = (half * radius,)
    triangles = piece.triangles
    if piece.mesh is None:
        triangles = _MESHES[piece.kind](_DEEP * radius, *numbers)
    return {
        "R_": _packed(piece.R), "p_": _packed(p), "triangles_": _packed(triangles),
        "colour": WATER if piece.kind is SurfaceShape else colours.get(piece.body, PALE),
        "alpha": 0.35 if piece.endless else 1,
    }  # fmt: skip


def _packed(values: Floats) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()


# ---- triangles of shapes, (N, 3, 3), in their own axes -------------------------------------------


def _grid(points: Floats) -> Floats:
    """Triangles over points (A, B, 3) that lie on a net."""
    a, b, c, d = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(
        -1, 3, 3
    )


def _ellipsoid(deep: float, x: float, y: float, z: float) -> Floats:
    u, v = np.meshgrid(np.linspace(0, np.pi, _ROUND), np.linspace(0, 2 * np.pi, 2 * _ROUND))
    points = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)
    return _grid(points * [x, y, z])


def _box(deep: float, x: float, y: float, z: float) -> Floats:
    quads = []
    for axis, side in product(range(3), (-1.0, 1.0)):
        corners = np.array([[[side, a, b] for b in (-1.0, 1.0)] for a in (-1.0, 1.0)])
        quads.append(_grid(np.roll(corners, axis, axis=2) * [x, y, z]))
    return np.concatenate(quads)


def _ribbon(deep: float, radius: float, start: float, end: float) -> Floats:
    """An arc as a band across its plane; a full one is closed by covers."""
    angles = np.linspace(start, end, 2 * _ROUND)
    rim = np.stack([radius * np.cos(angles), 0 * angles, radius * np.sin(angles)], axis=1)
    wide = np.array([0.0, deep, 0.0])
    layers = [rim - wide, rim + wide]
    if end - start > 2 * np.pi - 1e-3:
        layers = [0 * rim - wide, *layers, 0 * rim + wide]
    return _grid(np.stack(layers))


def _cylinder(deep: float, radius: float, half: float) -> Floats:
    return _ribbon(half, radius, 0.0, 2 * np.pi)[:, :, [0, 2, 1]]


def _capsule(deep: float, radius: float, half: float) -> Floats:
    """A ball drawn apart by a cylinder: rows above the middle are lifted, those below lowered."""
    rows = np.concatenate(
        [np.linspace(0, np.pi / 2, _ROUND // 2), np.linspace(np.pi / 2, np.pi, _ROUND // 2)]
    )
    u, v = np.meshgrid(rows, np.linspace(0, 2 * np.pi, 2 * _ROUND))
    points = radius * np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)
    points[:, : _ROUND // 2, 2] += half
    points[:, _ROUND // 2 :, 2] -= half
    return _grid(points)


def _disc(deep: float, radius: float) -> Floats:
    return _ribbon(deep / 2, radius, 0.0, 2 * np.pi)[:, :, [0, 2, 1]]


def _face(deep: float, length: float) -> Floats:
    return _grid(
        np.array(
            [[[0.0, -deep, 0.0], [length, -deep, 0.0]], [[0.0, deep, 0.0], [length, deep, 0.0]]]
        )
    )


def _sheet(deep: float, half: float) -> Floats:
    return _grid(
        np.array(
            [[[-half, -half, 0.0], [half, -half, 0.0]], [[-half, half, 0.0], [half, half, 0.0]]]
        )
    )


_MESHES: dict[type[AnyShape], Callable[..., Floats]] = {
    ArcShape: _ribbon, BoxShape: _box, DiscShape: _disc, FaceShape: _face, PatchShape: _sheet,
    PlaneShape: _sheet, SphereShape: _ellipsoid, CylinderShape: _cylinder,
    CapsuleShape: _capsule, SurfaceShape: _sheet,
}  # fmt: skip
