"""Models as files: one format, written as YAML or JSON."""

from touchback.files.model_reader import READERS as READERS, model_from_text, read_model
from touchback.files.model_writer import save, to_text
from touchback.files.schema import KINDS as KINDS, add_kind, kinds_in as kinds_in, model_schema
from touchback.files.struct_decoding import (
    check_keys as check_keys,
    complaint as complaint,
    mapping as mapping,
    shown as shown,
)
from touchback.files.yaml_json import (
    LARGEST as LARGEST,
    Document as Document,
    read_yaml as read_yaml,
    yaml_text as yaml_text,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = ("struct_decoding",)

__all__ = [
    "add_kind",
    "model_from_text",
    "model_schema",
    "read_model",
    "save",
    "to_text",
]
