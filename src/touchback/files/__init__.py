"""Models as files: one format, written as YAML or JSON."""

from touchback.files.build import model_from_text
from touchback.files.read import read_model
from touchback.files.schema import add_kind, model_schema
from touchback.files.write import save, to_text

__all__ = [
    "add_kind",
    "model_from_text",
    "model_schema",
    "read_model",
    "save",
    "to_text",
]
