"""The laboratory's figures as files."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from touchback.analysis.quality.row import Row
from touchback.errors import InputError
from touchback.regular_file import write_whole, written_whole

if TYPE_CHECKING:
    from touchback.analysis.quality.result import Quality


def plain(row: Row) -> dict[str, object]:
    """A row as one flat record."""
    record = asdict(row)
    candidate = record.pop("candidate")
    known = {
        "formulation": candidate["formulation"],
        "method": candidate["method"],
        "coordinates": "natural" if candidate["natural"] else "relative",
    }
    return {**known, **record, "real_time_factor": row.real_time_factor}


def save(quality: Quality, path: str | os.PathLike[str]) -> None:
    """Rows as .csv; rows, limits and everything else as .json."""
    target = Path(path)
    records = [plain(row) for row in quality.rows]
    if target.suffix == ".csv":
        with (
            written_whole(target) as beside,
            beside.open("w", newline="", encoding="utf-8") as file,
        ):
            writer = csv.DictWriter(file, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
    elif target.suffix == ".json":
        document = {
            "model": quality.model,
            "duration": quality.duration,
            "reference_uncertainty": quality.uncertainty,
            "energy_conserved": quality.conserved,
            "losses": list(quality.losses),
            "limits": {label: asdict(limit) for label, limit in quality.limits.items()},
            "rows": records,
            "recommendation": quality.recommendation,
        }
        write_whole(target, json.dumps(document, indent=1))
    else:
        raise InputError(f"'{target.name}': .csv or .json is expected.")
