"""Reading a model from a file of our own format."""

from pathlib import Path

from touchback.errors import ModelError
from touchback.files.build import model_from_text
from touchback.files.document import LARGEST
from touchback.model.model import Model
from touchback.regular_file import path_of, read_regular


def read_model(path: str | Path) -> Model:
    """The model in a YAML or JSON file."""
    file = path_of(path, ModelError)
    try:
        text = read_regular(file, LARGEST, ModelError).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{file}: it is no UTF-8 text (byte {error.start}).") from None
    return model_from_text(text, file.suffix.lower(), str(file))
