"""Operation counts of ROBOTRAN's public models beside ROBOTRAN's own."""

import warnings
from dataclasses import dataclass
from typing import Any

from benchmarks.live import with_live_parameters
from benchmarks.report import Section, Target
from touchback import Model
from touchback.dynamics.forward_dynamics import mass_matrix_entries
from touchback.dynamics.rnea import Wrench, inverse_dynamics
from touchback.model.frame import Frame
from touchback.spatial import ZERO, Vectors
from touchback.symbolic.operation_count import count
from touchback.symbolic.parameter_stages import split
from touchback.system.derivation import Derivation
from touchback.system.signal_layout import layout_of
from validation.reference import numbers
from validation.reference.robotran import mbs_text


@dataclass(frozen=True)
class Published:
    """Flops that ROBOTRAN prints at the beginning of its generated files."""

    model: str
    table: str  # of validation/reference
    joints: int
    mass_and_bias: int
    inverse: int


MODELS = (
    Published("suspension", "robotran_suspension", 6, 157, 132),
    Published("COMAN humanoid", "robotran_coman", 29, 17414, 4106),
    Published("vsd car", "robotran_vsd_car", 44, 6120, 2172),
    Published("ros car", "robotran_ros_car", 50, 7205, 2540),
    Published("MX5 car", "robotran_mx5", 52, 17509, 4891),
)


KINDS = ("numbers", "with forces", "live, with forces")


def run() -> Section:
    """Inverse dynamics, and mass matrix with bias, of each model."""
    section = Section(
        "Flops of ROBOTRAN's public models, ROBOTRAN's way of counting",
        ["model, joints", "inverse: ROBOTRAN", *KINDS, "M and c: ROBOTRAN", *KINDS],
    )
    for known in MODELS:
        _compare(section, known)
    section.remark(
        "ROBOTRAN's functions also take a force and a torque on every body, and keep gravity, "
        "masses, centres of mass, inertias and lengths as parameters. Numbers: ours with "
        "numbers and without those forces. With forces: the same function as ROBOTRAN's. Live: "
        "every such number a parameter too; counted is what remains at each evaluation. M: one "
        "triangle."
    )
    return section


def _compare(section: Section, known: Published) -> None:
    record: dict[str, Any] = {"model": known.model, "joints": known.joints}
    theirs = {"inverse": known.inverse, "mass and bias": known.mass_and_bias}
    model, loaded = read(known), loaded_bodies(known)
    counted = flops(model), flops(model, loaded), flops(with_live_parameters(model), loaded)
    ours = dict(zip(KINDS, counted, strict=True))
    row = [f"{known.model}, {known.joints}"]
    for what, number in theirs.items():
        record[f"ROBOTRAN {what}"] = number
        row += [str(number), *(str(ours[kind][what]) for kind in KINDS)]
        record |= {f"{kind}: {what}": counts[what] for kind, counts in ours.items()}
        found = ours["with forces"][what]
        section.targets.append(
            Target(
                f"flops of {known.model}, {what}, forces included", f"fewer than {number}",
                str(found), found < number,
            )
        )  # fmt: skip
    section.rows.append(row)
    section.records.append(record)


def read(known: Published) -> Model:
    """The tree of a model; cuts and links take no part in what is counted."""
    from touchback.interop.mbs.mbs_reader import read_mbs

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cuts and links that the tree's equations don't need
        return read_mbs(mbs_text(known.table))


def loaded_bodies(known: Published) -> tuple[str, ...]:
    """The bodies on which ROBOTRAN's functions take a force and a torque: all that are described,
    massless ones too."""
    return tuple(body["name"] for body in numbers(known.table)["bodies"])


def flops(model: Model, loaded: tuple[str, ...] = ()) -> dict[str, int]:
    """Flops an evaluation, in the way that needs fewest: form of the mass matrix, link frames.

    Forces on `loaded` bodies are along body axes, so they go with the described link frames only.
    """
    frames = (False,) if loaded else (False, True)
    return {
        "inverse": min(_inverse(model, loaded, chosen) for chosen in frames),
        "mass and bias": min(
            _mass_and_bias(model, loaded, chosen, world)
            for chosen in frames
            for world in (False, True)
        ),
    }


def _inverse(model: Model, loaded: tuple[str, ...], frame_pass: bool) -> int:
    layout = layout_of(model)
    d = Derivation(model, layout, (*layout.v, *_force_names(loaded)), frame_pass)
    a, forces = d.extra[: len(layout.v)], d.extra[len(layout.v) :]
    return _count(d, _efforts(d, model, a, loaded, forces))


def _mass_and_bias(model: Model, loaded: tuple[str, ...], frame_pass: bool, world: bool) -> int:
    d = Derivation(model, layout_of(model), _force_names(loaded), frame_pass)
    bias = _efforts(d, model, None, loaded, d.extra)
    M = mass_matrix_entries(d.instant, world)
    return _count(d, [*bias, *(entry for (i, j), entry in M.items() if i <= j)])


def _force_names(loaded: tuple[str, ...]) -> tuple[str, ...]:
    """Six names for every loaded body."""
    return tuple(
        f"{name} {what}" for name in loaded for what in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
    )


def _efforts(
    d: Derivation, model: Model, a: list[int] | None, loaded: tuple[str, ...], forces: list[int]
) -> list[int]:
    """Joint efforts with a force at each centre of mass and a torque, in body axes."""
    instant, vectors = d.instant, Vectors(d.tape)
    external: dict[int, Wrench] = {}
    for i, name in enumerate(loaded):
        F, T = forces[6 * i : 6 * i + 3], forces[6 * i + 3 : 6 * i + 6]
        home = instant.attachment(Frame(name, model.bodies[name].com))
        moment = vectors.add(T, vectors.cross(home.pose.scalars(d.tape), F))
        before = external.get(home.link, (ZERO, ZERO))
        external[home.link] = vectors.add(before[0], F), vectors.add(before[1], moment)
    return inverse_dynamics(instant.regrouped(), d.tape, instant.at.v, a, instant.base(), external)


def _count(d: Derivation, outputs: list[int]) -> int:
    return count(split(d.tape, outputs, d.parameters, d.places()).second).flops
