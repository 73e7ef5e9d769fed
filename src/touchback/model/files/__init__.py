"""Models as files: one format, written as YAML or JSON."""

from touchback.model.files.build import model_from_text
from touchback.model.files.schema import VERSION, add_kind, model_schema
from touchback.model.files.write import save, to_text

__all__ = ["VERSION", "add_kind", "model_from_text", "model_schema", "save", "to_text"]
