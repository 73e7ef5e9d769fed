"""Films of runs as SVG, GIF, MP4 and HTML: the ending of the file's name chooses the kind."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from html import escape
from importlib.resources import files
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from touchback import Model
from touchback.draw.flat_film import FlatFilm, Mark, flat_film
from touchback.draw.scene import Piece, Scene, Track, scene_of
from touchback.draw.stick import Floats, axes_for
from touchback.errors import InputError
from touchback.figure_style import (
    ACCENT,
    BODIES,
    FILL,
    INK,
    PALE,
    PAPER,
    SOFT,
    WATER,
    svg_page,
    text_svg,
)
from touchback.model import (
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
    flatten,
)
from touchback.numbers import number_within
from touchback.safe_files import atomic_file, check_output

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw


_SVG_MOST = 7_000  # points in a file, up to 14 bytes each with what goes round: less than 100 kB


def film_svg(film: FlatFilm, seconds: float, pace: str) -> str:
    """The film over `seconds`, again and again; `pace` says how slow or quick it is."""
    drawn = sum(mark.points.shape[1] for mark in film.marks)
    count = min(max(_SVG_MOST // max(drawn, 1), 2), len(film.times))  # it is linear in between
    parts = [_mark(mark, seconds, count) for mark in film.marks]
    return svg_page(
        film.width, film.height, film.title, [*parts, *_svg_progress(film, seconds, pace)]
    )


def _mark(mark: Mark, seconds: float, count: int) -> str:
    points = mark.points[np.linspace(0, len(mark.points) - 1, count).round().astype(int)]
    style = (
        f'fill="{mark.fill}" fill-opacity="{mark.opacity:g}" stroke="{mark.stroke}" '
        f'stroke-width="{mark.width:g}" stroke-linecap="round" stroke-linejoin="round"'
    )
    if mark.fill == "none":
        style += f' stroke-opacity="{mark.opacity:g}"'
    title = f"<title>{escape(mark.name)}</title>"
    if points.shape[1] == 1:
        x, y = points[:, 0].T
        return (
            f'<circle r="{mark.radius:g}" cx="{x[0]:.1f}" cy="{y[0]:.1f}" {style}>{title}'
            f"{_moved('cx', x, seconds)}{_moved('cy', y, seconds)}</circle>"
        )
    tag = "polyline" if mark.fill == "none" else "polygon"
    rows = [" ".join(f"{x:.1f},{y:.1f}" for x, y in row) for row in points]
    return f'<{tag} points="{rows[0]}" {style}>{title}{_animate("points", rows, seconds)}</{tag}>'


def _moved(attribute: str, values: Floats, seconds: float) -> str:
    return _animate(attribute, [f"{value:.1f}" for value in values], seconds)


def _animate(attribute: str, values: list[str], seconds: float) -> str:
    if len(set(values)) == 1:
        return ""
    return (
        f'<animate attributeName="{attribute}" dur="{seconds:g}s" repeatCount="indefinite" '
        f'values="{";".join(values)}"/>'
    )


def _svg_progress(film: FlatFilm, seconds: float, pace: str) -> list[str]:
    """How far the film is, from when to when, and its pace."""
    left, right, y = 14.0, film.width - 14.0, film.height - 12.0
    grows = _moved("width", np.array([0.0, right - left]), seconds)
    small = f'fill="{SOFT}" font-size="10"'
    return [
        f'<rect x="{left}" y="{y}" width="{right - left:.1f}" height="4" rx="2" fill="{FILL}"/>',
        f'<rect x="{left}" y="{y}" width="0" height="4" rx="2" fill="{ACCENT}">{grows}</rect>',
        text_svg(f"{film.times[0]:g} s", left, y - 4, f'{small} text-anchor="start"'),
        text_svg(f"{film.times[-1]:g} s", right, y - 4, f'{small} text-anchor="end"'),
        text_svg(pace, film.width / 2, y - 4, small),
    ]


_FINER = 2  # each pixel is drawn as so many squared, and averaged


_MISSING = "needs {what}; install it with `pip install touchback[film]`."


def write_gif(film: FlatFilm, path: Path, rate: float, pace: str) -> None:
    """The film at `rate` pictures a second, again and again."""
    first, *others = (each.quantize(64) for each in _pictures(film, pace))
    first.save(
        path, save_all=True, append_images=others, duration=round(1000 / rate), loop=0, disposal=1
    )


def write_mp4(film: FlatFilm, path: Path, rate: float, pace: str) -> None:
    """The film at `rate` pictures a second."""
    pictures = _pictures(film, pace)
    first = next(pictures)
    command = [
        _ffmpeg(), "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24",
        "-s", f"{first.width}x{first.height}", "-r", f"{rate:g}", "-i", "-",
        "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stderr is not None
        with suppress(BrokenPipeError):  # it has ended, and says why
            for picture in chain([first], pictures):
                process.stdin.write(picture.tobytes())
            process.stdin.close()
        said = process.stderr.read().decode(errors="replace")
    if process.returncode:
        raise InputError(f"{path}: ffmpeg could not write it: {said.strip()}")


def _ffmpeg() -> str:
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            from imageio_ffmpeg import get_ffmpeg_exe
        except ImportError as error:
            raise InputError("An .mp4 film " + _MISSING.format(what="ffmpeg")) from error
        found = get_ffmpeg_exe()
    return str(found)


def _pictures(film: FlatFilm, pace: str) -> Iterator[Image]:
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise InputError("A film in pixels " + _MISSING.format(what="Pillow")) from error
    width, height = (2 * round(x / 2) for x in (film.width, film.height))  # even, for MP4
    for instant in range(len(film.times)):
        image = Image.new("RGB", (_FINER * width, _FINER * height), PAPER)
        draw = ImageDraw.Draw(image, "RGBA")
        for mark in film.marks:
            _draw(draw, mark, min(instant, len(mark.points) - 1))
        share = instant / max(len(film.times) - 1, 1)
        _progress(draw, width, height, share)
        small = image.resize((width, height), Image.Resampling.BOX)
        words = ImageDraw.Draw(small)
        words.text((14, height - 26), f"{film.times[instant]:.3f} s", fill=INK)
        words.text((width - 14, height - 26), pace, fill=SOFT, anchor="ra")
        yield small


def _draw(draw: ImageDraw, mark: Mark, instant: int) -> None:
    points = [(_FINER * float(x), _FINER * float(y)) for x, y in mark.points[instant]]
    fill, stroke = (_rgba(colour, mark.opacity) for colour in (mark.fill, mark.stroke))
    width = max(round(_FINER * mark.width), 1)
    if len(points) == 1:
        draw.circle(points[0], _FINER * mark.radius, fill, stroke, width)
    elif fill is not None:
        draw.polygon(points, fill)
        draw.line([*points, points[0]], _rgba(mark.stroke, 1.0), width, joint="curve")
    elif stroke is not None:
        draw.line(points, stroke, width, joint="curve")
        if mark.width > 2.0:
            for end in (points[0], points[-1]):
                draw.circle(end, width / 2, stroke)


def _progress(draw: ImageDraw, width: int, height: int, share: float) -> None:
    left, right, top = (_FINER * x for x in (14, width - 14, height - 12))
    for end, colour in ((right, FILL), (left + share * (right - left), ACCENT)):
        draw.rectangle((left, top, end, top + 4 * _FINER), fill=colour)


def _rgba(colour: str, opacity: float) -> tuple[int, int, int, int] | None:
    if colour == "none":
        return None
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return red, green, blue, round(255 * opacity)


_SCRIPTS = (
    "vectors.js", "solids.js", "render.js", "ground.js", "camera.js", "film.js",
)  # fmt: skip  # imports come first


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
    numbers, ground = piece.numbers, piece.ground
    if ground is not None:
        return {
            "R_": _packed(piece.R[:1]), "p_": _packed(piece.p[:1]),
            "triangles_": _packed(piece.triangles), "paint": ground.paint, "way": ground.way,
        }  # fmt: skip
    p = scene.foot(piece) if piece.endless else piece.p
    if piece.open:
        half = 0.8 if piece.kind is SurfaceShape else 1.6 if piece.endless else _HAND
        numbers = (half * radius,)
    triangles = piece.triangles
    if piece.mesh is None:
        triangles = _MESHES[piece.kind](_DEEP * radius, *numbers)
    return {
        "R_": _packed(piece.R), "p_": _packed(p), "triangles_": _packed(triangles),
        "colour": WATER
        if piece.kind is SurfaceShape
        else piece.colour or colours.get(piece.body, PALE),
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


ENDINGS = (".svg", ".gif", ".mp4", ".html")


_SPEEDS = 1e-6, 1e6  # of real time


_RATES = {".svg": 20.0, ".gif": 20.0, ".mp4": 30.0, ".html": 60.0}  # pictures a second


_MOST = {".svg": 160, ".gif": 240, ".mp4": 3600, ".html": 1800}  # pictures in all


_QUATERNION = (".qw", ".qx", ".qy", ".qz")


_SHORTEST, _LONGEST = 4.0, 20.0  # seconds that a film takes when nobody says how quick it is


def make_film(
    model: Model,
    times: Floats,
    signals: Mapping[str, Floats],
    path: str | os.PathLike[str],
    speed: float | None = None,
    parameters: Mapping[str, float] | None = None,
) -> None:
    """Writes the film of a mechanism whose `signals` at `times` [s] are known; `speed` 1 is real
    time, 0.1 ten times slower (default: it takes some 4 to 20 seconds)."""
    path = Path(path)
    if not isinstance(model, Model):
        raise InputError(f"{path}: a film is made of a tb.Model, got {type(model).__name__}.")
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"{path}: a film ends in {', '.join(ENDINGS)}, got '{path.suffix}'.")
    if speed is not None:
        sentence = f"{path}: its speed is {_SPEEDS[0]:g} to {_SPEEDS[1]:g}; 1 is real time, 0.1 ten"
        speed = number_within(f"{sentence} times slower", speed, *_SPEEDS)
    if len(times) < 2 or not times[-1] > times[0]:
        raise InputError(f"{path}: there is nothing to film, the run has {len(times)} instants.")
    pace = speed or _pace(float(times[-1] - times[0]))
    seconds = float(times[-1] - times[0]) / pace
    count = min(max(round(seconds * _RATES[ending]) + 1, 2), _MOST[ending])
    check_output(path, ENDINGS, "Film")
    scene = scene_of(model, _sampled(model, times, signals, count, parameters or {}))
    if not np.isfinite(scene.points).all():
        raise InputError(f"{path}: at some instants it is at no place (NaN or infinite).")
    with atomic_file(path) as beside:
        _WRITERS[ending](scene, beside, seconds, _words(pace))


def film_text(
    model: Model, times: Floats, signals: Mapping[str, Floats], parameters: Mapping[str, float]
) -> str:
    """A short film as SVG, for a notebook."""
    pace = _pace(float(times[-1] - times[0]))
    film = sampled_film(model, times, signals, _MOST[".svg"], parameters)
    return film_svg(film, float(times[-1] - times[0]) / pace, _words(pace))


def sampled_film(
    model: Model, times: Floats, signals: Mapping[str, Floats], count: int,
    parameters: Mapping[str, float],
) -> FlatFilm:  # fmt: skip
    """The film at so many instants, evenly spread over the times [s]."""
    return flat_film(scene_of(model, _sampled(model, times, signals, count, parameters)))


def _pace(duration: float) -> float:
    """Of 1, 2, 5, 10, … times quicker or slower, the one nearest to real time that is neither too
    short nor too long."""
    ladder = sorted(
        (m * 10.0**e for m in (1, 2, 5) for e in range(-6, 7)), key=lambda x: abs(np.log(x))
    )
    return next((x for x in ladder if _SHORTEST <= duration / x <= _LONGEST), ladder[-1])


def _words(pace: float) -> str:
    if pace == 1.0:
        return "real time"
    return f"{pace:g} times quicker" if pace > 1.0 else f"{1.0 / pace:.3g} times slower"


def _sampled(
    model: Model, times: Floats, signals: Mapping[str, Floats], count: int,
    parameters: Mapping[str, float],
) -> Track:  # fmt: skip
    """Evenly spread instants, linear in between."""
    at = np.linspace(times[0], times[-1], count)
    found = {name: np.interp(at, times, x) for name, x in signals.items()}
    for name, joint in flatten(model).joints.items():
        turned = [each for each in joint.position_names(name) if each[-3:] in _QUATERNION]
        if all(each in found for each in turned):
            length = np.sqrt(sum(found[each] ** 2 for each in turned))
            found |= {each: found[each] / length for each in turned}
    return Track(at, found, parameters)


def _svg(scene: Scene, path: Path, seconds: float, pace: str) -> None:
    path.write_text(film_svg(flat_film(scene), seconds, pace), encoding="utf-8")


def _gif(scene: Scene, path: Path, seconds: float, pace: str) -> None:
    write_gif(flat_film(scene), path, (len(scene.times) - 1) / seconds, pace)


def _mp4(scene: Scene, path: Path, seconds: float, pace: str) -> None:
    write_mp4(flat_film(scene), path, (len(scene.times) - 1) / seconds, pace)


def _html(scene: Scene, path: Path, seconds: float, pace: str) -> None:
    path.write_text(film_html(scene, seconds, pace), encoding="utf-8")


_WRITERS: dict[str, Callable[[Scene, Path, float, str], None]] = {
    ".svg": _svg, ".gif": _gif, ".mp4": _mp4, ".html": _html,
}  # fmt: skip
