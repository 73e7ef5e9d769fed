"""Models as files: one format, written as YAML or JSON; and Python source that describes them."""

from touchback.model.io.model_reader import (
    READERS as READERS,
    model_from_document as model_from_document,
    model_from_text,
    read_model,
)
from touchback.model.io.model_writer import plain_model as plain_model, save, to_text
from touchback.model.io.python_source import python_text
from touchback.model.io.schema import add_kind, model_schema
from touchback.model.io.struct_decoding import (
    check_keys as check_keys,
    complaint as complaint,
    convert as convert,
    mapping as mapping,
    shown as shown,
)
from touchback.model.io.yaml_json import (
    LARGEST as LARGEST,
    Document as Document,
    read_yaml as read_yaml,
    yaml_text as yaml_text,
)

__all__ = [
    "add_kind",
    "model_from_text",
    "model_schema",
    "python_text",
    "read_model",
    "save",
    "to_text",
]
