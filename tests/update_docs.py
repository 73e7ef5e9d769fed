"""Write what `docs/` has of the code's own words: `python tests/update_docs.py`."""

import json
from pathlib import Path

import faulty_assembly
import faulty_closures
import faulty_constraints
import faulty_contacts
import faulty_drives
import faulty_files
import faulty_friction
import faulty_joints
import faulty_models
import faulty_modes
import touchback.vehicle  # noqa: F401 (the schema has its kinds then, whatever is imported)
from constraint_faults import CONSTRAINT_FAULTS, SECTIONS
from faults import FAULTS
from touchback.files import model_schema

DOCS = Path(__file__).parent.parent / "docs"
FILLED = (
    faulty_models,
    faulty_joints,
    faulty_contacts,
    faulty_modes,
    faulty_files,
    faulty_closures,
    faulty_drives,
    faulty_constraints,
    faulty_assembly,
    faulty_friction,
)  # importing them fills the tables


def errors_page() -> str:
    """The messages about faulty models, files and constraints, fault by fault."""
    constraints = sorted(
        CONSTRAINT_FAULTS, key=lambda fault: (SECTIONS.index(fault.section), fault.home)
    )
    faults = [*sorted(FAULTS, key=lambda fault: fault.home), *constraints]
    parts = [
        "# Errors\n\n"
        "Messages about faulty models, files and constraints. Each names the thing and the value\n"
        "and, where there is one, ends with a hint. `python tests/update_docs.py` writes it\n"
        "from the table of which every message is tested.\n"
    ]
    for section in dict.fromkeys(fault.section for fault in faults):
        parts.append(f"## {section}\n")
        for fault in faults:
            if fault.section == section:
                title = fault.title[0].upper() + fault.title[1:]
                parts.append(f"**{title}**\n\n```text\n{fault.message}\n```\n")
    return "\n".join(parts)


def schema_file() -> str:
    """The JSON schema of model files."""
    return json.dumps(model_schema(), indent=2, ensure_ascii=False) + "\n"


PAGES = {
    DOCS / "errors.md": errors_page,
    DOCS / "schema" / "model.schema.json": schema_file,
}


def main() -> None:
    """Write them all."""
    for path, text in PAGES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
