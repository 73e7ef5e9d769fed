"""Published numbers, as tables of our own: what each file holds, its source and its licence stand
in its first lines.

Named numbers are in `.toml` files, rows in `.csv` files. Models that other programs describe in
files of their own are written anew from these numbers (`robotran.py`, `urdf.py`), so that our
readers are tested as well.
"""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent


def numbers(name: str) -> dict[str, Any]:
    """The named numbers of a file."""
    return tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def columns(name: str) -> dict[str, np.ndarray]:
    """The columns of a table by their names."""
    lines = (FOLDER / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    header, *rows = (line for line in lines if not line.startswith("#"))
    found = np.array([[float(number) for number in row.split(",")] for row in rows])
    return dict(zip(header.split(","), found.T, strict=True))


def about(path: Path) -> str:
    """The lines that say what a file holds, and where it is from."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line.removeprefix("# ") for line in lines if line.startswith("#"))
