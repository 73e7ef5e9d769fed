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
from faults import FAULTS, Fault
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
    """What is said about faulty models and files, fault by fault."""
    return _page(
        "# What faulty models are told\n\n"
        "Every message names the thing, the value and, where there is one, the usual mend. This\n"
        "page is made from the tests of these messages.\n",
        sorted(FAULTS, key=lambda fault: fault.home),  # whichever was imported first
    )


def constraint_errors_page() -> str:
    """What is said about faulty constraints."""
    return _page(
        "# What faulty constraints are told\n\n"
        "As in [the page of other faults](errors.md), every message is tested. `four_bar()`,\n"
        "`slider_crank()` and `two_arms()` are models that nothing is wrong with.\n",
        sorted(CONSTRAINT_FAULTS, key=lambda fault: (SECTIONS.index(fault.section), fault.home)),
    )


def _page(head: str, faults: list[Fault]) -> str:
    parts = [head]
    for section in dict.fromkeys(fault.section for fault in faults):
        parts.append(f"## {section}\n")
        for fault in faults:
            if fault.section == section:
                language = "yaml" if fault.is_file else "python"
                shown = fault.shown if len(fault.shown) < 2000 else "…"
                title = fault.title[0].upper() + fault.title[1:]
                parts.append(f"**{title}**\n\n```{language}\n{shown}\n```\n")
                parts.append(f"```text\n{fault.message}\n```\n")
    return "\n".join(parts)


def schema_file() -> str:
    """The JSON schema of model files."""
    return json.dumps(model_schema(), indent=2, ensure_ascii=False) + "\n"


PAGES = {
    DOCS / "errors.md": errors_page,
    DOCS / "errors_constraints.md": constraint_errors_page,
    DOCS / "schema" / "model.schema.json": schema_file,
}


def main() -> None:
    """Write them all."""
    for path, text in PAGES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
