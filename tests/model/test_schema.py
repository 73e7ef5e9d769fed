"""The published schema says what the reader reads."""

import json
from typing import Any

import pytest

import faulty_files  # noqa: F401  (fills the table)
from described_models import ALL, loops
from faults import FAULTS
from touchback.model.io import model_schema, to_text
from touchback.model.io.schema import SECTIONS
from touchback.model.io.yaml_json import read_yaml

jsonschema = pytest.importorskip("jsonschema")


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema.Draft202012Validator.check_schema(model_schema())
    return jsonschema.Draft202012Validator(model_schema())


@pytest.mark.parametrize("describe", [*ALL, loops], ids=lambda describe: describe.__name__)
def test_written_models_obey_the_schema(describe: Any, validator: Any) -> None:
    validator.validate(json.loads(to_text(describe(), ".json")))


@pytest.mark.parametrize(
    "title",
    ["newer format", "missing name", "unknown section", "list for a mapping", "unknown key"]
    + ["wrong type", "wrong length", "unknown kind of joint", "missing kind", "missing child"]
    + ["expression where a number must be"],
)
def test_faults_of_form_break_the_schema(title: str, validator: Any) -> None:
    (fault,) = (fault for fault in FAULTS if fault.title == title)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(read_yaml(fault.shown, title).data)


def test_every_section_and_kind_is_in_the_schema() -> None:
    schema = model_schema()
    assert set(SECTIONS) <= set(schema["$defs"]["Model"]["properties"])
    for kinds in SECTIONS.values():
        for kind in kinds.values() if isinstance(kinds, dict) else []:
            assert schema["$defs"][kind.__name__]["description"]
