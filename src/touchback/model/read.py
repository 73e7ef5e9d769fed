"""Reading models from files, by suffix. Other rooms register readers of other formats."""

from collections.abc import Callable
from pathlib import Path

from touchback.errors import ModelError
from touchback.model.files.build import READERS, model_from_text
from touchback.model.files.document import LARGEST
from touchback.model.model import Model

_readers: dict[str, Callable[[Path], Model]] = {}


def register_reader(suffix: str, reader: Callable[[Path], Model]) -> None:
    """Let `read` use a reader for files with this suffix, such as ".urdf"."""
    _readers[suffix] = reader


def read(path: str | Path) -> Model:
    """The model that a file describes; its suffix says how it is written."""
    file = Path(path)
    reader = _readers.get(file.suffix.lower())
    if reader is None:
        known = ", ".join(sorted(_readers))
        raise ModelError(
            f"{file}: files that end in '{file.suffix}' can't be read; known: {known}."
        )
    return reader(file)


def read_model(path: str | Path) -> Model:
    """The model in a YAML or JSON file."""
    file = Path(path)
    return model_from_text(text_of(file), file.suffix.lower(), str(file))


def text_of(file: Path, largest: int = LARGEST) -> str:
    """The text of a file of reasonable size."""
    try:
        with file.open("rb") as stream:
            content = stream.read(largest + 1)
    except OSError as error:
        raise ModelError(f"{file}: can't be read: {error.strerror or error}.") from None
    if len(content) > largest:
        raise ModelError(f"{file}: it has more than {largest} bytes; that is no model file.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{file}: it is no UTF-8 text (byte {error.start}).") from None


for _suffix in READERS:
    register_reader(_suffix, read_model)
