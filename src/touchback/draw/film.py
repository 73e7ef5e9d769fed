"""Films of runs: the ending of the file's name chooses the kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from touchback.draw.film_html import film_html
from touchback.draw.film_raster import write_gif, write_mp4
from touchback.draw.film_svg import film_svg
from touchback.draw.flat import flat_film
from touchback.draw.scene import Scene, Track, scene_of
from touchback.draw.stick import Floats
from touchback.errors import InputError
from touchback.model.flatten import flatten
from touchback.model.model import Model
from touchback.numbers import number_within
from touchback.regular_file import check_output, written_whole

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
    with written_whole(path) as beside:
        _WRITERS[ending](scene, beside, seconds, _words(pace))


def film_text(
    model: Model, times: Floats, signals: Mapping[str, Floats], parameters: Mapping[str, float]
) -> str:
    """A short film as SVG, for a notebook."""
    pace = _pace(float(times[-1] - times[0]))
    scene = scene_of(model, _sampled(model, times, signals, _MOST[".svg"], parameters))
    return film_svg(flat_film(scene), float(times[-1] - times[0]) / pace, _words(pace))


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
