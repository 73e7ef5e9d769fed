"""Reading models from files, by suffix. Other rooms register readers of other formats."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from touchback.errors import ModelError
from touchback.model.files.build import READERS, model_from_text
from touchback.model.files.document import LARGEST
from touchback.model.model import Model
from touchback.model.names import unknown
from touchback.regular_file import read_regular

_readers: dict[str, Callable[..., Model]] = {}


def register_reader(suffix: str, reader: Callable[..., Model]) -> None:
    """Let `read` use a reader for files with this suffix, such as ".urdf"."""
    _readers[suffix] = reader


def read(path: str | Path, **options: Any) -> Model:
    """The model that a file describes; its suffix says how it is written. Options are those of its
    reader (tb.read_urdf, tb.read_mbs)."""
    file = Path(path)
    reader = _readers.get(file.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(_readers))
        raise ModelError(
            f"{file}: files that end in '{file.suffix}' can't be read; known: {known}."
        )
    known_options = list(inspect.signature(reader).parameters)[1:]
    for word in options:
        if word not in known_options:
            raise unknown("option", word, known_options, where=str(file))
    return reader(file, **options)


def read_model(path: str | Path) -> Model:
    """The model in a YAML or JSON file."""
    file = Path(path)
    try:
        text = read_regular(file, LARGEST, ModelError).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{file}: it is no UTF-8 text (byte {error.start}).") from None
    return model_from_text(text, file.suffix.lower(), str(file))


for _suffix in READERS:
    register_reader(_suffix, read_model)
