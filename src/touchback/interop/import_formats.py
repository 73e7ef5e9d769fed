"""Reading models from files, by suffix: one table of formats."""

import inspect
from collections.abc import Callable
from pathlib import Path

from touchback import Model
from touchback.errors import ModelError
from touchback.interop.mbs.mbs_reader import read_mbs
from touchback.interop.mjcf import read_mjcf
from touchback.interop.sdf import read_sdf
from touchback.interop.urdf.urdf_reader import read_urdf
from touchback.interop.usd import read_usd
from touchback.model.io import read_model
from touchback.names import unknown
from touchback.safe_files import path_of

FORMATS: dict[str, Callable[..., Model]] = {
    ".yaml": read_model,
    ".yml": read_model,
    ".json": read_model,
    ".urdf": read_urdf,
    ".mbs": read_mbs,
    ".xml": read_mjcf,
    ".mjcf": read_mjcf,
    ".sdf": read_sdf,
    ".usda": read_usd,
    ".usd": read_usd,
    ".usdc": read_usd,
}
"""Who reads files of each suffix. A reader takes the path, and options of its own by keyword."""


def read(path: str | Path, **options: object) -> Model:
    """The model that a file describes; its suffix says how it is written. Options are those of its
    reader (tb.read_urdf, tb.read_mjcf, tb.read_sdf, tb.read_usd, tb.read_mbs)."""
    file = path_of(path, ModelError)
    reader = FORMATS.get(file.suffix.lower())
    if file.is_dir():
        raise ModelError(f"{file} is a folder; give a file that is in it.")
    if reader is None:
        known = ", ".join(sorted(FORMATS))
        raise ModelError(
            f"{file}: files that end in '{file.suffix}' can't be read; known: {known}."
            if file.suffix
            else f"{file}: its name has no ending, which says what kind of file it is; known: "
            f"{known}."
        )
    known_options = list(inspect.signature(reader).parameters)[1:]
    for word in options:
        if word not in known_options:
            raise unknown("option", word, known_options, where=str(file))
    return reader(file, **options)
