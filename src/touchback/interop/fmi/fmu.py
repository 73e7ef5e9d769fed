"""A model as a functional mock-up unit, with its C sources and a binary for this machine."""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from touchback.errors import InputError
from touchback.interop.c_project.core import CModel, c_model
from touchback.interop.fmi.binary import OPTIONS, built, platform_folders
from touchback.interop.fmi.dependencies import dependencies_of
from touchback.interop.fmi.description import KINDS, VERSIONS, Unit, build_description, described
from touchback.interop.fmi.slopes import slope_functions
from touchback.interop.fmi.sources import sources_of
from touchback.interop.fmi.variables import variables_of
from touchback.interop.languages.written import refuse_features
from touchback.interop.step import checked_step
from touchback.model.model import Model
from touchback.numbers import shown
from touchback.regular_file import check_output, write_whole
from touchback.simulate.features import COPIES, MEMORIES, MODES, RIGID, RUBBING
from touchback.simulate.initial_state import initial_state
from touchback.simulate.inputs import read_inputs
from touchback.system import System


def write(
    model: Model,
    where: Path,
    *,
    version: float = 2,
    kind: str = "both",
    step: float = 1e-3,
    rate: float | None = None,
) -> list[Path]:
    """Writes an FMU. `version`: 2 or 3; `kind`: "cs" (co-simulation), "me" (model exchange) or
    "both"; `step`: the longest step of co-simulation [s]; `rate`: ticks a second of memories, by
    default one a step."""
    if version not in VERSIONS:
        raise InputError(f"fmu: version is 2 or 3, got {shown(version)}.")
    if kind not in (*KINDS, "both"):
        raise InputError(f"fmu: kind is cs, me or both, got {shown(kind)}.")
    step = checked_step("fmu", step)
    check_output(where, (".fmu",), "fmu")
    system = model.compile()
    refuse_features("an FMU", system, (RIGID, COPIES))
    core = c_model(system, step, "rk4", rate=rate)
    write_whole(where, packed(files_of(core, int(version), _kinds(system, kind))))
    return [where]


def files_of(core: CModel, version: int, kinds: tuple[str, ...]) -> dict[str, str | bytes]:
    """All files of the unit, by their paths in it."""
    system, step = core.system, core.step
    start = initial_state(system, None, 0.0, read_inputs(system, None, 0.0), {})
    slopes = slope_functions(system) if _has_slopes(system) else None
    indicators = 0 if slopes is None else slopes["indicators"].out_size
    variables = variables_of(system, start.tolist(), indicators)
    identifier = re.sub(r"\W", "_", system.name, flags=re.ASCII) or "model"
    identifier = identifier if identifier[0].isalpha() else f"m_{identifier}"
    token = _token(system, start, step)
    sources = sources_of(core, start, slopes, token)
    unit = Unit(
        system.name, identifier, token, kinds, variables,
        tuple(sorted(name for name in sources if name.endswith(".c"))), step, slopes is not None,
        dependencies_of(system, variables),
    )  # fmt: skip
    files: dict[str, str | bytes] = {"modelDescription.xml": described(unit, version)}
    files |= {f"sources/{name}": text for name, text in sources.items()}
    if version == 3:
        files["sources/buildDescription.xml"] = build_description(unit, OPTIONS)
    library = built(sources, identifier)
    for folder in platform_folders(version):
        files[f"binaries/{folder}/{identifier}.so"] = library
    return files


def _kinds(system: System, kind: str) -> tuple[str, ...]:
    """The interfaces that were asked for: what changes at ticks, or in modes, takes steps of its
    own, which integrators of others don't."""
    for feature in (MODES, MEMORIES):
        names = feature.names(system)
        if names and kind == "me":
            raise InputError(
                f"{system.name}: it has {feature.word} ('{names[0]}'), which model exchange can't "
                "follow; take kind=cs."
            )
        if names:
            return ("cs",)
    return tuple(KINDS) if kind == "both" else (kind,)


def _has_slopes(system: System) -> bool:
    """Modes and ticks jump, and friction of constraints goes with what they carry."""
    return not any(feature.names(system) for feature in (MODES, MEMORIES, RUBBING))


def _token(system: System, start: np.ndarray, step: float) -> str:
    """The same of the same model."""
    digest = hashlib.sha256(repr((system.model, start.tolist(), step)).encode()).hexdigest()
    return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """A zip archive, the same bytes for the same files."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, each in files.items():
            archive.writestr(zipfile.ZipInfo(name), each, zipfile.ZIP_DEFLATED)
    return content.getvalue()
