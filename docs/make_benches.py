"""Makes the tables and pictures of the page about the benches: `PYTHONPATH=. python
docs/make_benches.py`, or only its `tables` or `pictures`."""

import sys
from pathlib import Path

from PIL import Image

from studies.benches.pictures import PICTURES, write
from studies.benches.report import REPORTS

HERE = Path(__file__).parent
COLOURS = 64  # so that each picture is below 100 kB


def tables() -> None:
    """All of them, between marks by which the page takes them."""
    parts = [
        f"<!-- {name} -->\n\n{make()}\n\n<!-- end {name} -->\n" for name, make in REPORTS.items()
    ]
    (HERE / "benches_tables.inc").write_text("\n".join(parts), encoding="utf-8")


def in_few_colours(path: Path) -> None:
    """A picture again, smaller; also a legend's thin lines keep their colours."""
    image = Image.open(path).convert("RGB")
    few = image.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    folder = HERE / "pictures" / "benches"
    folder.mkdir(parents=True, exist_ok=True)
    if "tables" not in sys.argv:
        for name in PICTURES:
            write(name, folder)
            path = folder / f"{name}.png"
            in_few_colours(path)
    if "pictures" not in sys.argv:
        tables()
