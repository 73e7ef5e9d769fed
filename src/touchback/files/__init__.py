"""Models as files: one format, written as YAML or JSON."""

from touchback.files.model_reader import model_from_text, read_model
from touchback.files.model_writer import save, to_text
from touchback.files.schema import add_kind, model_schema

__all__ = [
    "add_kind",
    "model_from_text",
    "model_schema",
    "read_model",
    "save",
    "to_text",
]
