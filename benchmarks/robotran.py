"""Operation counts of ROBOTRAN's public models beside ROBOTRAN's own."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.live import with_live_parameters
from benchmarks.report import ROOT, Section, Target
from touchback import Model
from touchback.dynamics.forward import entries, inverse
from touchback.symbolic.count import count
from touchback.symbolic.stages import split
from touchback.system.derivation import Derivation
from touchback.system.layout import layout_of

FOLDER = ROOT.parent / "shared" / "reference" / "robotran"


@dataclass(frozen=True)
class Published:
    """Flops that ROBOTRAN prints at the end of its generated files."""

    model: str
    file: str | None  # None: the model itself is not at hand
    joints: int
    mass_and_bias: int
    inverse: int


MODELS = (
    Published("suspension", "Suspension_HEAD.mbs", 6, 157, 132),
    Published("COMAN humanoid", None, 29, 17414, 4106),
    Published("vsd car", None, 44, 6120, 2172),
    Published("ros car", None, 50, 7205, 2540),
    Published("MX5 car", "mx5_52joints.mbs", 52, 17509, 4891),
)


def run() -> Section:
    """Inverse dynamics, and mass matrix with bias, of each model that is at hand."""
    section = Section(
        "Flops of ROBOTRAN's public models, ROBOTRAN's way of counting",
        ["model, joints", "inverse: ROBOTRAN", "ours, numbers", "ours, live",
         "M and c: ROBOTRAN", "ours, numbers", "ours, live"],
    )  # fmt: skip
    for known in MODELS:
        _compare(section, known)
    section.remark(
        "Live: gravity and every mass, centre of mass, inertia and length is a parameter, as in "
        "ROBOTRAN's functions; counted is what remains at each evaluation. M: one triangle."
    )
    return section


def _compare(section: Section, known: Published) -> None:
    record: dict[str, Any] = {"model": known.model, "joints": known.joints}
    theirs = {"inverse": known.inverse, "mass and bias": known.mass_and_bias}
    model, reason = _read(known)
    if model is None:
        section.remark(f"{known.model}: skipped, {reason}.")
        ours = {}
    else:
        ours = {"numbers": flops(model), "live": flops(with_live_parameters(model))}
    row = [f"{known.model}, {known.joints}"]
    for what, number in theirs.items():
        record[f"ROBOTRAN {what}"] = number
        row.append(str(number))
        for kind in ("numbers", "live"):
            row.append(str(ours[kind][what]) if ours else "—")
            if ours:
                record[f"{kind} {what}"] = ours[kind][what]
    section.rows.append(row)
    section.records.append(record)
    for what, number in theirs.items() if ours else ():
        found = ours["numbers"][what]
        section.targets.append(
            Target(
                f"flops of {known.model}, {what}", f"fewer than {number}", str(found), found < number
            )
        )


def _read(known: Published) -> tuple[Model | None, str]:
    if known.file is None:
        return None, "its .mbs file is not at hand"
    file = Path(FOLDER, known.file)
    if not file.exists():
        return None, f"there is no {file.name} in {FOLDER.parent.name}/{FOLDER.name}"
    from touchback.interop.mbs import read_mbs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cuts and links that the tree's equations don't need
        return read_mbs(file), ""


def flops(model: Model) -> dict[str, int]:
    """Flops an evaluation, with the link frames and form of the mass matrix that need fewest."""
    ways = [(frames, world) for frames in (False, True) for world in (False, True)]
    return {
        "inverse": min(_inverse(model, frames) for frames in (False, True)),
        "mass and bias": min(_mass_and_bias(model, *way) for way in ways),
    }


def _inverse(model: Model, frame_pass: bool) -> int:
    layout = layout_of(model)
    d = Derivation(model, layout, layout.v, frame_pass)
    return _count(d, inverse(d.instant, d.extra))


def _mass_and_bias(model: Model, frame_pass: bool, world: bool) -> int:
    layout = layout_of(model)
    d = Derivation(model, layout, (), frame_pass)
    bias, M = inverse(d.instant, None), entries(d.instant, world)
    return _count(d, [*bias, *(entry for (i, j), entry in M.items() if i <= j)])


def _count(d: Derivation, outputs: list[int]) -> int:
    return count(split(d.tape, outputs, d.parameters, d.places()).second).flops
