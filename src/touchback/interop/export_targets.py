"""What a model can be written as, whole: one table of targets.

A target is a function `write(model, where, **options)`, in a file that is imported when it is asked
for. It writes a file or a folder and gives the paths that it wrote; its options are its keyword
arguments, with defaults. What it can't write it refuses by an `InputError` that names the part of
the model."""

import inspect
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from touchback import Model
from touchback.errors import InputError
from touchback.names import suggestion
from touchback.numbers import shown


@dataclass(frozen=True)
class Target:
    """What is written, in a few words, and the module whose `write` does so."""

    summary: str
    module: str


TARGETS: dict[str, Target] = {
    "model": Target(
        "a model file: .yaml, .json, or .py as Python source that describes it",
        "touchback.model.io.model_writer",
    ),
    "c-project": Target(
        "a folder of C that steps the model, loops included, and needs no library",
        "touchback.interop.c_project.c_project",
    ),
    "matlab": Target(
        "a folder of MATLAB and Octave text: equations, a run and an S-function",
        "touchback.interop.matlab.matlab_writer",
    ),
    "fmu": Target("a functional mock-up unit (FMI 2.0 or 3.0)", "touchback.interop.fmi.fmu_writer"),
    "python": Target(
        "a Python module that needs NumPy only", "touchback.interop.languages.python_module"
    ),
    "jax": Target("a Python module of jax", "touchback.interop.languages.jax_module"),
    "casadi": Target("a Python module of casadi", "touchback.interop.languages.casadi_module"),
    "urdf": Target("a URDF file of ROS", "touchback.interop.urdf.urdf_writer"),
    "mjcf": Target("an MJCF file of MuJoCo", "touchback.interop.mjcf.mjcf_writer"),
    "latex": Target("a derivation to read", "touchback.interop.languages.latex_derivation"),
    "julia": Target("a Julia module", "touchback.interop.languages.julia_module"),
    "modelica": Target(
        "a Modelica package: bodies and constraints with kinematic and wrench ports",
        "touchback.interop.modelica.modelica_writer",
    ),
}
"""What a model can be written as, by the word that `touchback generate --to` takes."""


def generate(model: Model, to: str, where: str | Path, **options: object) -> list[Path]:
    """Writes a model as a file or folder of another kind, and gives the paths that were written.

    `to` is a word of the table, such as "c-project"; `options` are those of the kind. They are
    described in docs/languages.md."""
    if to not in TARGETS:
        raise InputError(f"Nothing is generated for {shown(to)}; {suggestion(to, TARGETS)}")
    write = import_module(TARGETS[to].module).write
    known = list(inspect.signature(write).parameters)[2:]
    for word in options:
        if word not in known:
            raise InputError(f"{to}: there is no option '{word}'; {suggestion(word, known)}")
    paths: list[Path] = write(model, Path(where), **options)
    return paths
