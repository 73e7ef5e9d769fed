"""Screenshots of pages, measured: `PYTHONPATH=.:tests python docs/make_screenshots.py [NAME …]`.

The workbench with a mechanism, a Panda, a quadruped, a car, a drawing and a recording, every page
for playing, and every mechanism of the gallery. Each is opened in Chromium, measured at four sizes
(`tests/workbench/page_measures.py`), kept as a small picture, and shown in the table of
docs/gallery.md. Findings are printed; with any the command ends with 1. The Panda and the quadruped
are those of the package example-robot-data where it is installed (extra `bench`), with their
meshes; else stand-ins of capsules.
"""

import io
import sys
import sysconfig
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from docs.chromium import launched
from tests.workbench.page_measures import (
    SIZES,
    SUBJECTS,
    Finding,
    Opened,
    bench,
    measured,
    played,
    unfold,
    visit,
)
from touchback import Model, gallery
from touchback.interop import ImportNotice, read_urdf

DOCS = Path(__file__).parent
PICTURES = DOCS / "pictures" / "pages"
ROBOTS = Path(sysconfig.get_path("purelib")) / "cmeel.prefix/share/example-robot-data/robots"
FILES = {
    "panda": ROBOTS / "panda_description/urdf/panda.urdf",
    "quadruped": ROBOTS / "laikago_description/urdf/laikago.urdf",
}
BEGIN, END = "<!-- pages -->", "<!-- end -->"
COLUMNS = 4
SMALL = (480, 300)  # px of a picture
LARGEST = 30_000  # bytes


def robot(path: Path) -> Model:
    """A robot of example-robot-data, with its meshes; on four legs its trunk is free."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportNotice)
        return read_urdf(path, floating_base="panda" not in path.name)


def pages() -> dict[str, Callable[[], Opened]]:
    """Every page by its name, which is that of its picture."""
    found = dict(SUBJECTS)
    found["panda"] = found.pop("arm")
    for name, path in FILES.items():
        if path.exists():
            found[name] = partial(bench, partial(robot, path))
    for name in gallery.names():
        found[f"gallery/{name}"] = partial(played, f"gallery/{name}")
    return found


def keep(page: Page, name: str) -> None:
    """What is seen of a page at the first size, small."""
    page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    page.wait_for_timeout(700)
    shot = Image.open(io.BytesIO(page.screenshot(timeout=60_000))).convert("RGB")
    file = PICTURES / f"{name.replace('/', '-')}.webp"
    shot.resize(SMALL, Image.Resampling.LANCZOS).save(file, quality=70, method=6)
    if file.stat().st_size > LARGEST:
        raise SystemExit(f"{file.name} has {file.stat().st_size} bytes; at most {LARGEST}.")


def table() -> str:
    """The pictures that there are, in the order of the pages."""
    cells = [
        f"![{name}](pictures/pages/{file.name})<br>{name.replace('gallery/', '')}"
        for name in pages()
        if (file := PICTURES / f"{name.replace('/', '-')}.webp").exists()
    ]
    cells += [""] * (-len(cells) % COLUMNS)
    rows = [cells[i : i + COLUMNS] for i in range(0, len(cells), COLUMNS)]
    return "\n".join(f"|{'|'.join(row)}|" for row in [[""] * COLUMNS, ["---"] * COLUMNS, *rows])


def write_table() -> None:
    file = DOCS / "gallery.md"
    text = file.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    file.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


def main(names: list[str]) -> int:
    """The pages of these names, or all."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    findings: list[Finding] = []
    with sync_playwright() as started:
        browser = launched(started)
        for name, subject in pages().items():
            if names and name not in names:
                continue
            since = time.monotonic()
            with subject() as (url, shown):
                page = visit(browser, url, shown, SIZES[0])
                page.wait_for_timeout(800)  # some motion in the scopes
                keep(page, name)
                unfold(page)
                found = [each for size in SIZES for each in measured(page, name, size)]
                page.close()
            findings += found
            print(f"{name}: {len(found)} findings, {time.monotonic() - since:.0f} s", flush=True)
            for each in found:
                print(f"| {' | '.join(each)} |", flush=True)
        browser.close()
    write_table()
    print(f"{len(findings)} findings.")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
