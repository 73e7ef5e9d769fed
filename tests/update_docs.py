"""Write what `docs/` has of the code's own words: `python tests/update_docs.py`."""

import json
import re
import textwrap
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
from faults import FAULTS, Fault
from touchback.model.io import model_schema

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


UNKNOWN = re.compile(r"there is no [\w ]+ '[^']*'; (did you mean|known:)")
VALUES = re.compile(r"'[^']*'|-?\d+(\.\d+)?")


def errors_tables() -> str:
    """The messages about faulty models, files and constraints, section by section.

    Messages that differ by names and numbers alone are shown once, under the titles of all; those
    about unknown names are explained by `errors.md` itself.
    """
    constraints = sorted(
        CONSTRAINT_FAULTS, key=lambda fault: (SECTIONS.index(fault.section), fault.home)
    )
    faults = [*sorted(FAULTS, key=lambda fault: fault.home), *constraints]
    groups: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        if not UNKNOWN.search(fault.message):
            groups.setdefault((fault.section, VALUES.sub("…", fault.message)), []).append(fault)
    parts: list[str] = []
    for section in dict.fromkeys(section for section, _ in groups):
        parts.append(f"## {section}\n")
        for (home, _), alike in groups.items():
            if home == section:
                title = "; ".join(fault.title for fault in alike)
                parts.append(f"{title[0].upper()}{title[1:]}\n: {shown(alike[0].message)}\n")
    return "\n".join(parts)


def shown(message: str) -> str:
    """A message as code: within the line, or as a block where it has several lines."""
    if "\n" in message:
        return textwrap.indent(f"```text\n{message}\n```", "  ").lstrip()
    return f"`` {message} ``" if "`" in message else f"`{message}`"


def schema_file() -> str:
    """The JSON schema of model files."""
    return json.dumps(model_schema(), indent=2, ensure_ascii=False) + "\n"


PAGES = {
    DOCS / "errors_tables.inc": errors_tables,
    DOCS / "schema" / "model.schema.json": schema_file,
}


def main() -> None:
    """Write them all."""
    for path, text in PAGES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
