"""Write `docs/formats_tables.inc`, how near imported models come to the programs that their formats
are of: `python tests/update_formats.py` (minutes; needs mujoco, pin, gymnasium, dm_control)."""

import warnings
from pathlib import Path

import mjcf_texts
import pinocchio_truth
import usd_stages
from mujoco_truth import difference, model_files, mujoco, read_quietly
from touchback.interop import ImportNotice, read_mjcf

TABLES = Path(__file__).parent.parent / "docs" / "formats_tables.inc"
HEAD = (
    "| {} | mass matrix | forces | accelerations in loops | not mapped |\n|---|---|---|---|---|\n"
)


def number(given: float | None) -> str:
    """A relative error; what rounding leaves of none is told as such."""
    if given is None:
        return ""
    return f"{given:.0e}" if given > 1e-15 else "< 1e-15"


def mjcf_features() -> str:
    """Every feature of MJCF that is read, by a small text of it."""
    rows = []
    texts = {**mjcf_texts.TEXTS, **mjcf_texts.LOOPS}
    for what, text in texts.items():
        found = difference(read_mjcf(text, contacts=False), mujoco.MjModel.from_xml_string(text))
        rows.append(_row(what, found.mass, found.forces, found.tied, ""))
    return HEAD.format("feature") + "".join(rows)


def mjcf_files() -> str:
    """Every file of gymnasium and dm_control."""
    rows = []
    for package in ("gymnasium", "dm_control"):
        for path in model_files(package):
            name = f"`{package}` {path.parent.name}/{path.name}"
            try:
                theirs = mujoco.MjModel.from_xml_path(str(path))
            except ValueError:
                rows.append(_row(name, None, None, None, "MuJoCo refuses it"))
                continue
            ours = read_quietly(path, contacts=True)
            said = _notes(ours.imported["notes"])
            if not theirs.nv:
                rows.append(_row(name, None, None, None, said or "nothing moves"))
                continue
            found = difference(ours, theirs)
            rows.append(_row(name, found.mass, found.forces, found.tied, said))
    return HEAD.format("file") + "".join(rows)


def urdf_files() -> str:
    """Every robot of example-robot-data, on a fixed base; its meshes are found, and not read."""
    rows = []
    for path in pinocchio_truth.robot_files():
        name = f"{path.parent.parent.name}/{path.name}"
        if path.name in pinocchio_truth.BROKEN:
            rows.append(f"| {name} | | | Pinocchio refuses it, as we do |\n")
            continue
        ours = pinocchio_truth.read_quietly(path)
        other = pinocchio_truth.pin.buildModelFromUrdf(str(path))
        found = pinocchio_truth.difference(ours, other, len(path.name))
        said = _notes(ours.imported["notes"])
        rows.append(
            f"| {name} | {number(found['mass matrix'])} | {number(found['bias'])} | {said} |\n"
        )
    return "| file | mass matrix | bias | not mapped |\n|---|---|---|---|\n" + "".join(rows)


def usd_trees() -> str:
    """Random trees, written by USD's own library."""
    rows = []
    for seed in range(12):
        made = usd_stages.random_mechanism(seed)
        found = usd_stages.difference(made, seed)
        kinds = [prim.GetTypeName() for prim in made.stage.Traverse()]
        said = [word.removeprefix("Physics").removesuffix("Joint").lower() for word in kinds]
        joints = ", ".join(
            f"{said.count(kind.lower())} {kind.lower()}"
            for kind in usd_stages.KINDS
            if kind.lower() in said
        )
        units = f"{made.metre:g} m, {made.kilogram:g} kg"
        up = "Y" if made.upright.rotation[2, 2] == 0.0 else "Z"
        numbers = [number(found[word]) for word in ("mass matrix", "accelerations")]
        told = [str(len(made.poses)), joints or "none", f"{units}, {up} up", *numbers]
        rows.append(f"| {' | '.join(told)} |\n")
    head = "| bodies | joints | stage | mass matrix | accelerations |\n|---|---|---|---|---|\n"
    return head + "".join(rows)


def _row(name: str, mass: float | None, forces: float | None, tied: float | None, said: str) -> str:
    return f"| {name} | {number(mass)} | {number(forces)} | {number(tied)} | {said} |\n"


def _notes(notes: tuple[str, ...]) -> str:
    """What wasn't mapped, shortly: each kind of note once, without the line it is of."""
    short: dict[str, int] = {}
    for note in notes:
        if "is called" in note:
            continue
        text = note.split(": ", 1)[-1] if ", line " in note else note
        text = text.split(" pass through")[0].split(";")[0].removeprefix("Not read: ").rstrip(".")
        short[text] = short.get(text, 0) + 1
    return "; ".join(f"{count} × {text}" if count > 1 else text for text, count in short.items())


def tables() -> str:
    """All of them."""
    return f"""### MJCF, feature by feature, against MuJoCo {mujoco.__version__}

The largest difference at a random state, of the largest entry: of the mass matrix; of Coriolis,
gravity, spring, damper, fluid and actuator forces; and of the accelerations of closed loops, which
MuJoCo's own mass matrix, Jacobian and forces give (its J̇ by differences, to 1e-9).

{mjcf_features()}
### MJCF, file by file

Contacts that MuJoCo has and we don't are counted in pairs of geoms. Points of meshes are in single
precision there.

{mjcf_files()}
### URDF, file by file, against Pinocchio {pinocchio_truth.pin.__version__}

All robots of the PyPI package example-robot-data, on a fixed base, with joints that mimic others
free as they are there, and without their meshes.

{urdf_files()}
### USD, random trees, against Pinocchio {pinocchio_truth.pin.__version__}

Stages are written by USD's own library: bodies that are scaled, turned and in a group, joints that
begin anywhere and name either body first. Trees with fewer joints than bodies are free.

{usd_trees()}"""


def main() -> None:
    """Write them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImportNotice)
        warnings.simplefilter("ignore", RuntimeWarning)
        TABLES.write_text(tables(), encoding="utf-8")


if __name__ == "__main__":
    main()
