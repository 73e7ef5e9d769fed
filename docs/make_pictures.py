"""Makes the pictures of the documentation but for those of other `make_*.py` beside it:
`python docs/make_pictures.py`. They are committed."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from films import hammer_film, harpsichord_film
from fluid_picture import fluid_picture
from PIL import Image

import touchback as tb
from studies.wall.figures import SHEETS
from studies.wall.figures.limits import grip_sheet, passive_sheet
from studies.wall.findings import grip_errors
from touchback import gallery
from touchback.draw import bond_graph_svg, object_graph_svg, state_graph_svg
from touchback.haptics.wall import KINDS, passivity_limits
from touchback.instruments.piano import ConstantSpeedTouch, grand_piano_action
from touchback.instruments.piano.action_drawing import film as piano_film
from touchback.instruments.piano.stroke_analysis import play

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
EXAMPLES = HERE.parent / "examples"

WALL_FIGURES = {"5.8", "5.12", "5.17", "6.3", "6.7", "6.9", "6.13"}


def banner() -> None:
    """One note of a grand action, struck, held and let go, for README and front page."""
    system = grand_piano_action("motion", ConstantSpeedTouch(speed=0.25, hold=0.08)).compile()
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
        script = Path(folder, f"{page}.py")  # a file: workers of sweeps import it
        script.write_text(code, encoding="utf-8")
        subprocess.run([sys.executable, script], cwd=folder, env=environment, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        for picture in Path(folder).glob("*.png"):
            shrink(picture, PICTURES / page / picture.name)


def wall_pictures() -> None:
    """The figures of the wall laboratory that its page shows."""
    rates = list(passivity_limits.RATES)
    passive = {
        kind.name: [passivity_limits.largest_passive_stiffness(kind, rate) for rate in rates]
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
    for place in ("actions", "examples", "quality", "contact", "sweeps", "objects"):
        (PICTURES / place).mkdir(parents=True, exist_ok=True)
    banner()
    fluid_picture(str(PICTURES / "fluid.png"))
    example_pictures()
    for name, film in (("bouncing-hammer", hammer_film), ("harpsichord", harpsichord_film)):
        (PICTURES / "actions" / f"{name}.svg").write_text(film(), encoding="utf-8")
    for name in ("harpsichord", "piano-modes"):
        graph = state_graph_svg(gallery.make(name))
        (PICTURES / "actions" / f"{name}-modes.svg").write_text(graph, encoding="utf-8")
    for name in ("slider-crank", "stewart-platform"):
        graph = object_graph_svg(gallery.make(name))
        (PICTURES / "objects" / f"{name}.svg").write_text(graph, encoding="utf-8")
    bonds = bond_graph_svg(tb.bond_graph(gallery.make("slider-crank").compile()), "slider-crank")
    (PICTURES / "objects" / "slider-crank-bonds.svg").write_text(bonds, encoding="utf-8")
    page_pictures("quality")
    page_pictures("contact")
    page_pictures("sweeps")
    for picture in sorted(PICTURES.rglob("*.*")):
        print(f"{picture.stat().st_size / 1000:6.1f} kB  {picture.relative_to(HERE)}")
