"""Makes the pictures of the documentation: `python docs/make_pictures.py`. They are committed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from films import hammer_film, harpsichord_film
from fluid_picture import fluid_picture
from PIL import Image

from studies.wall.figures import SHEETS
from studies.wall.figures.limits import grip_sheet, passive_sheet
from studies.wall.findings import grip_errors
from touchback import gallery
from touchback.draw import state_graph_svg
from touchback.draw.stick import StickFigure, stick_figure
from touchback.draw.style import ACCENT, INK
from touchback.draw.view import view_of
from touchback.gallery.piano import Straight, grand_piano_action
from touchback.gallery.piano.drawing import film as piano_film
from touchback.gallery.piano.strokes import play
from touchback.haptics.wall import KINDS, passivity
from touchback.recording import Run
from touchback.system import System

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
EXAMPLES = HERE.parent / "examples"
TRAILS = {
    "pendulum": "bob position",
    "double-pendulum": "tip",
    "cart-pole": "pole tip",
    "motor-arm": "hand",
    "hanging-chain": "end",
    "seven-joint-arm": "hand",
    "buoy": "float position",
    "crank-rocker": "coupler point",
    "slider-crank": "slider position",
    "four-bars": "first top",
    "suspension": "wheel centre",
    "stewart-platform": "plate position",
    "omni-wheel": "contact",
    "omni-platform": "position",
    "mecanum-platform": "position",
}
AXES = {"spinning-top": ("axis", 0.14), "gyroscope": ("middle axis", 0.1)}  # arrows [m]
# Stills of a mechanism; of others 7.
STILLS = {
    "spinning-top": 1,
    "gyroscope": 3,
    "buoy": 3,
    "suspension": 3,
    "stewart-platform": 1,
    "omni-platform": 2,
    "mecanum-platform": 2,
}
# Seconds between the first and the last still, where the whole experiment would be a muddle.
SPAN = {
    "pendulum": 1.05,
    "double-pendulum": 0.9,
    "cart-pole": 1.6,
    "hanging-chain": 0.7,
    "gyroscope": 1.75,
    "seven-joint-arm": 0.9,
    "crank-rocker": 0.8,
    "slider-crank": 0.3,
    "four-bars": 0.7,
    "suspension": 0.3,
}

WALL_FIGURES = {"5.8", "5.12", "5.17", "6.3", "6.7", "6.9", "6.13"}


def positions(system: System, run: Run) -> np.ndarray:
    """q at every instant, (T, nq)."""
    return np.stack([run[name] for name in system.coordinates], axis=1)


def trail_of(run: Run, name: str) -> np.ndarray:
    """The points that a sensor passed, (T, 3)."""
    return np.stack([run[f"{name}.{axis}"] for axis in "xyz"], axis=1)


def trail_for(name: str, run: Run) -> np.ndarray:
    """The way of the tip of a mechanism of the gallery."""
    if name in AXES:
        sensor, length = AXES[name]
        return length * trail_of(run, sensor)
    return trail_of(run, TRAILS[name]) if name in TRAILS else np.empty((0, 3))


def draw_stills(axis: plt.Axes, figure: StickFigure, chosen: np.ndarray, trail: np.ndarray) -> None:
    """Stick figures over one another, the later the darker."""
    lines = figure.outline[:, chosen]
    points = np.concatenate([lines.reshape(-1, 3), trail])
    view = view_of(points, 1.0)
    axis.plot(*view(trail).T, color=ACCENT, lw=1.2, zorder=1)
    for number in range(len(chosen)):
        shade = 0.12 + 0.88 * ((number + 1) / len(chosen)) ** 1.5
        for a, b in view(lines[:, number]):
            axis.plot(*np.stack([a, b]).T, color=INK, alpha=shade, lw=2.2, solid_capstyle="round")
    axis.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axis.axis("off")


def gallery_picture(name: str) -> None:
    """Stills on the left, signals on the right."""
    entry = gallery.entry(name)
    system = entry.make().compile()
    run = entry.experiment.run(system)
    span = SPAN.get(name, run.duration)
    instants = np.linspace(span, 0, STILLS.get(name, 7))[::-1]
    chosen = np.searchsorted(run.time, instants).clip(max=len(run) - 1)
    trail = trail_for(name, run)[: chosen[-1] + 1]
    signals = entry.experiment.signals
    units = list(dict.fromkeys(run.units[signal] for signal in signals))
    figure = plt.figure(figsize=(9, 3.6), layout="constrained")
    drawn = len(trail) > 0  # what moves in one point only has a film instead of stills
    grid = figure.add_gridspec(len(units), 1 + drawn, width_ratios=[1, 1.7] if drawn else [1])
    if drawn:
        drawing = stick_figure(system.model, positions(system, run))
        draw_stills(figure.add_subplot(grid[:, 0]), drawing, chosen, trail)
    for row, unit in enumerate(units):
        axis = figure.add_subplot(grid[row, -1])
        for signal in signals:
            if run.units[signal] == unit:
                axis.plot(run.time, run[signal], lw=1.3, label=signal)
        axis.set_ylabel(f"[{unit}]" if unit else "")
        axis.legend(fontsize=8, loc="best")
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=8, labelbottom=row == len(units) - 1)
    axis.set_xlabel("time [s]", fontsize=9)
    figure.savefig(PICTURES / "gallery" / f"{name}.png", dpi=80)
    plt.close(figure)


def banner() -> None:
    """One note of a grand action, struck, held and let go, for README and front page."""
    system = grand_piano_action("motion", Straight(speed=0.25, hold=0.08)).compile()
    text = piano_film(play(system, 0.4), 0.0, 0.4, slower=14.0, frames=240)
    (PICTURES / "note.svg").write_text(text, encoding="utf-8")


def example_pictures() -> None:
    """What the numbered examples draw."""
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    for script in sorted(EXAMPLES.glob("[0-9][0-9]_*.py")):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, script], cwd=folder, env=environment, check=True,
                           stdout=subprocess.DEVNULL)  # fmt: skip
            for picture in Path(folder).glob("*.png"):
                shrink(picture, PICTURES / "examples" / f"{script.stem}.png")
            for picture in Path(folder).glob("*.svg"):
                shutil.copy(picture, PICTURES / "examples" / f"{script.stem}.svg")


def page_pictures(page: str) -> None:
    """What the code of a page draws."""
    text = (HERE / f"{page}.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        for picture in Path(folder).glob("*.png"):
            shrink(picture, PICTURES / page / picture.name)


def wall_pictures() -> None:
    """The figures of the wall laboratory that its page shows."""
    rates = list(passivity.RATES)
    passive = {
        kind.name: [passivity.largest_passive_stiffness(kind, rate) for rate in rates]
        for kind in KINDS
    }
    shown = [sheet for sheet in SHEETS if sheet.number in WALL_FIGURES]
    shown.append(passive_sheet(rates, passive))
    shown.append(grip_sheet(grip_errors(False), grip_errors(True)))
    with tempfile.TemporaryDirectory() as folder:
        for sheet in shown:
            shutil.copy(sheet.save(Path(folder)), PICTURES / "wall")


def shrink(source: Path, target: Path) -> None:
    """A copy 900 pixels wide in 64 colours, which is all that curves need."""
    with Image.open(source) as image:
        size = (900, round(image.height * 900 / image.width))
        small = image.convert("RGB").resize(size, Image.Resampling.LANCZOS).quantize(64)
        small.save(target, optimize=True)


if __name__ == "__main__":
    for place in ("actions", "gallery", "examples", "quality", "contact"):
        (PICTURES / place).mkdir(parents=True, exist_ok=True)
    banner()
    fluid_picture(str(PICTURES / "fluid.png"))
    for each in gallery.names():
        gallery_picture(each)
    example_pictures()
    for name, film in (("bouncing-hammer", hammer_film), ("harpsichord", harpsichord_film)):
        (PICTURES / "actions" / f"{name}.svg").write_text(film(), encoding="utf-8")
    platform = gallery.entry("stewart-platform")
    moving = platform.experiment.run(platform.make().compile())
    moving.film(PICTURES / "gallery" / "stewart_platform_film.svg")
    for name in ("harpsichord", "piano-modes"):
        graph = state_graph_svg(gallery.make(name))
        (PICTURES / "actions" / f"{name}-modes.svg").write_text(graph, encoding="utf-8")
    page_pictures("quality")
    page_pictures("contact")
    for picture in sorted(PICTURES.rglob("*.*")):
        print(f"{picture.stat().st_size / 1000:6.1f} kB  {picture.relative_to(HERE)}")
