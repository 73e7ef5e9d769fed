"""Films as pixels: GIF, and MP4 by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from touchback.draw.flat import FlatFilm, Mark
from touchback.draw.style import ACCENT, FILL, INK, PAPER, SOFT
from touchback.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

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
