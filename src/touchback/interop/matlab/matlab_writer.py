"""`touchback generate MODEL FOLDER --to matlab`: functions, a run and an S-function."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from touchback import Model, System
from touchback.codegen import print_matlab
from touchback.errors import InputError
from touchback.interop.generated_folder import write_folder
from touchback.interop.languages.model_programs import described_state
from touchback.simulate import MEMORIES, MODES, RIGID, RUBBING, Inputs, initial_state
from touchback.symbolic import Program

_TEMPLATE = Path(__file__).parent / "template"


def write(model: Model, where: Path) -> list[Path]:
    """The equations as functions, `model_data.m` with names, numbers and patterns, a run with fixed
    steps, and a Level-2 S-function."""
    system = model.compile()
    for feature in (RIGID, MODES, MEMORIES, RUBBING):
        names = feature.names(system)
        if names:
            raise InputError(
                f"{system.name}: MATLAB text has no {feature.word} (here '{names[0]}'); "
                "`--to c-project` has what fixed steps can do."
            )
    constrained = bool(system.constraint_names)
    files = {path.name: path.read_text() for path in sorted(_TEMPLATE.glob("*.m"))}
    files |= {
        path.name: path.read_text()
        for path in sorted((_TEMPLATE / ("constrained" if constrained else "free")).glob("*.m"))
    }
    for name in _wanted(system, constrained):
        _print(files, system, name, system.function(name).second)
    stage = system.stages(False, False)[0].first
    if stage.outputs:
        _print(files, system, "parameters", stage)
    files["model_parameters.m"] = _parameters(bool(stage.outputs))
    files["model_data.m"] = _data(system, constrained)
    files["README.md"] = _README.format(name=system.name)
    return write_folder(where, files)


_README = """\
# {name} in MATLAB and Octave

Printed by Touchback. `model_data` has names, default numbers and the initial state,
`equations_*` are the equations of motion, `model_rate` their solution with loops closed:

    [times, states, outputs] = model_run(1.0, 1e-3);      % seconds, step
    m = model_data(); plot(times, states); legend(m.state_names)

In Simulink take a "Level-2 MATLAB S-Function" with the name `model_sfun` and the parameter [].
"""


def _wanted(system: System, constrained: bool) -> list[str]:
    """The functions that the text calls."""
    if not constrained:
        return ["rate", "outputs"]
    known = system.constrained_functions()
    further = {
        "velocity level": known.velocity_level, "configuration rate": known.configuration_rate,
    }  # fmt: skip
    return ["terms", "positions", "outputs", *(name for name, each in further.items() if each)]


def _print(files: dict[str, str], system: System, name: str, program: Program) -> None:
    if program.outputs:
        own = "equations_" + name.replace(" ", "_")
        files[f"{own}.m"] = print_matlab(program, own, f"{system.name}: {name}")


def _parameters(staged: bool) -> str:
    line = "p = equations_parameters(m.parameters, 0, 0);" if staged else "p = 0;"
    return (
        "function p = model_parameters(m)\n"
        f"% What the equations take of m.parameters.\n{line}\nend\n"
    )


def _data(system: System, constrained: bool) -> str:
    guess = described_state(system)
    described = "[]" if guess is None else _column(guess)
    start = initial_state(system, None, 0.0, Inputs(np.append(0.0, system.input_defaults)), {})
    lines = [
        "function m = model_data()",
        f"% {system.name}: names, numbers and patterns. Printed by Touchback.",
        f"m.name = {_text(system.name)};",
        f"m.sizes = [{' '.join(map(str, system.sizes))}]; % positions, velocities, other states",
        f"m.state_names = {_texts(system.state_names)};",
        f"m.input_names = {_texts(system.input_names)};",
        f"m.output_names = {_texts(system.output_names)};",
        f"m.parameter_names = {_texts([*system.parameters])};",
        f"m.state = {_column(start)};",
        f"m.described = {described}; % m.state is assembled from it",
        f"m.inputs = {_column(system.input_defaults)};",
        f"m.parameters = {_column(system.parameter_values(None))};",
    ]
    if constrained:
        known = system.constrained_functions()
        lines += [
            f"m.rows = {len(known.names)};",
            f"m.row_names = {_texts(known.names)};",
            f"m.plain = {str(known.configuration_rate is None).lower()}; % dq/dt is v",
            f"m.moving = {str(known.velocity_level is not None).lower()};",
            f"m.holonomic = logical({_column(np.asarray(known.holonomic, dtype=float))});",
            *(
                f"m.{name} = {_column(_places(getattr(known, name)))};"
                for name in ("J_rows", "J_columns", "W_rows", "W_columns", "M_rows", "M_columns")
            ),
        ]
    return "\n".join([*lines, "end", ""])


def _places(given: ArrayLike | None) -> np.ndarray:
    return np.zeros(0) if given is None else np.asarray(given) + 1.0


def _column(values: ArrayLike) -> str:
    numbers = np.asarray(values, dtype=float).tolist()
    if not numbers:
        return "zeros(0, 1)"
    return "[" + "; ".join(f"{each!r}" for each in numbers) + "]"


def _text(words: str) -> str:
    return "'" + words.replace("'", "''") + "'"


def _texts(words: Sequence[str]) -> str:
    return "{" + ", ".join(map(_text, words)) + "}"
