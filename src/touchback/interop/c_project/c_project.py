"""A model as C that needs no library: its equations printed, the library's own sources cut to what
it needs, and the memory of a run as one struct. Projects and other exports build on it."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from touchback import Model, MoreauJean, System
from touchback.codegen import Compiled
from touchback.codegen.printers import print_c
from touchback.errors import InputError
from touchback.interop.c_project.c_model_text import (
    OWN,
    InitialState,
    Sizes,
    header,
    parameter_units,
    source,
)
from touchback.interop.c_project.c_stepping import Stepping, impulse_stepping, rate_stepping
from touchback.interop.generated_folder import checked_step, write_folder
from touchback.names import with_unit
from touchback.native.image import Image, held_by
from touchback.native.library import LIB
from touchback.native.record import Record
from touchback.native.sources import Declared, taken
from touchback.simulate.features import RIGID
from touchback.simulate.solver_choice import formulation_for, solver_for
from touchback.simulate.solvers import Can, Options
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.symbolic.program import Program

_LEFT_OUT = {  # what offline runs note of modes; what begins with the model
    ("tb_modes", "log"), ("tb_modes", "capacity"), ("tb_moreau_jean", "x"),
}  # fmt: skip


_API = ("tb_reset_warm_start", "tb_settle", "tb_rate")  # what model.c calls


_PLAIN = Path(__file__).parent / "plain"


"""Files in place of those of the library that know an operating system or a processor."""


@dataclass(frozen=True)
class CModel:
    """A model as C: `files` by their paths, to be compiled with touchback/ on the include path,
    the `system`, step and method that it was made of, and names and units of its sensors. `model.h`
    says how it is used."""

    system: System
    step: float
    method: str
    labels: list[tuple[str, str]]
    files: dict[str, str]


def c_model(
    system: System,
    step: float = 1e-3,
    method: str | None = None,
    constraints: str | None = None,
    rate: float | None = None,
) -> CModel:
    """The system with a fixed step of a `method`: unless given "rk4", or "moreau-jean" where there
    are rigid contacts. `rate` ticks a second are those of its memories, by default one a step. What
    can't run so is refused as by `tb.simulate`."""
    word = method or ("moreau-jean" if RIGID.names(system) else "rk4")
    solver = _solver(system, step, word, constraints, rate)
    if isinstance(solver, MoreauJean):
        return _Written(system, step, word, impulse_stepping(system, solver)).model()
    formulation = formulation_for(word, constraints)
    return _Written(system, step, word, rate_stepping(system, solver, formulation)).model()


def _solver(
    system: System, step: float, method: str, constraints: str | None, rate: float | None
) -> FixedStep | MoreauJean:
    options: Options = {"step": step}
    if rate is not None or system.layout.memories:
        options["rate"] = 1.0 / step if rate is None else rate
    wanted = Can(0) if constraints is None else Can.FORMULATIONS
    found = solver_for(system, method, formulation_for(method, constraints), wanted, options)
    if not isinstance(found, FixedStep | MoreauJean):
        raise InputError(
            f"{system.name}: {method!r} chooses its steps; a project takes equal ones: 'rk4', "
            "'euler', 'implicit-euler', 'trapezoidal' or 'variational', 'moreau-jean' with rigid "
            "contacts."
        )
    return found


class _Written:
    """One model on its way to text."""

    def __init__(self, system: System, step: float, method: str, stepping: Stepping) -> None:
        self._system, self._step, self._method = system, step, method
        self._stepping = stepping
        self._posed = posed = stepping.posed
        self._files: dict[str, str] = {}
        self._stages = self._printed_stages()
        self._start = InitialState.of(system)
        assembly = stepping.assembled(system, self._start.described)
        held = list(
            held_by([posed.problem, posed.solving, stepping.outputs, assembly, *stepping.held])
        )
        self._compiled = {each.address: each for each in held if isinstance(each, Compiled)}
        self._names = _distinct({a: each.name for a, each in self._compiled.items()})
        self._image = Image(self._names, Declared(), left_out=_LEFT_OUT, reserved=OWN)
        problem = posed.problem
        roots: dict[str, ctypes.Structure | np.ndarray] = {
            "problem": problem.record.struct, "u": problem.u, "p": problem.p, **stepping.roots,
        }  # fmt: skip
        if assembly is not None:
            roots["assembly"] = assembly.for_run(problem.u, problem.p)
            held += held_by([assembly])
        if stepping.outputs is not None:
            outputs = Record(LIB.struct("tb_callable")())
            outputs.struct.call = stepping.outputs.address
            outputs.struct.context = stepping.outputs.context_address
            roots["outputs"] = outputs.struct
        self._image.of(held, {name: what for name, what in roots.items() if _any(what)})

    def model(self) -> CModel:
        """Everything."""
        for address, name in self._names.items():
            if name in self._image.used:
                self._print(name, self._compiled[address].program)
        stages, text = self._stages, self._stepping.text
        plain = {str(path.relative_to(_PLAIN)): path.read_text() for path in _PLAIN.rglob("*.c")}
        called = {*self._image.symbols, *_API, *text.calls}
        if self._posed.solving is not None:
            called.add("tb_assembly_start")
        cut = taken(called, plain)
        self._files |= {f"touchback/{path}": content for path, content in cut.items()}
        system, image = self._system, self._image
        sizes = Sizes.of(system, self._stepping)
        printed = [*sorted(image.used), *(name for name, _ in stages)]
        self._files["model.h"] = header(
            system, sizes, [*text.members, *image.members], self._includes(cut)
        )
        self._files["model.c"] = source(
            system, self._step, self._stepping, sizes, image, printed, stages, self._start,
            self._solved_names(), _naming(cut, called),
        )  # fmt: skip
        return CModel(system, self._step, self._method, self._stepping.labels, self._files)

    def _print(self, name: str, program: Program) -> None:
        comments = f"{self._system.name}: {name.removeprefix('equations_').replace('_', ' ')}"
        text = print_c(program, name, comments)
        self._files[f"equations/{name.removeprefix('equations_')}.c"] = text

    def _printed_stages(self) -> list[tuple[str, str]]:
        """Functions that compute parameter blocks, and where these are; the blocks are emptied."""
        found = []
        for i, (program, block, numbers) in enumerate(self._stepping.stages):
            if program.outputs:
                name = f"equations_parameters{i or ''}"
                self._print(name, program)
                found.append((name, block))
                numbers[:] = 0.0
        return found

    def _solved_names(self) -> tuple[str, str] | None:
        """Where a rate leaves accelerations and multipliers, if sensors read these."""
        if self._posed.solving is None or self._stepping.outputs_block != "p":
            return None
        solved = self._posed.solving.solved
        return self._image.shown(solved.accelerations), self._image.shown(solved.multipliers)

    def _includes(self, cut: dict[str, str]) -> list[str]:
        members = [*self._stepping.text.members, *self._image.members]
        kinds = {line.split()[0] for line in members}
        return _naming(cut, {f"}} {kind};" for kind in kinds})


def _naming(cut: dict[str, str], wanted: set[str]) -> list[str]:
    """The headers in which some words stand."""
    return sorted(
        path
        for path, text in cut.items()
        if path.endswith(".h") and any(word in text for word in wanted)
    )


def _any(what: object) -> bool:
    return not isinstance(what, np.ndarray) or what.size > 0


def _distinct(names: dict[int, str]) -> dict[int, str]:
    """C names, each once."""
    found: dict[int, str] = {}
    for address, name in names.items():
        plain = "equations_" + re.sub(r"\W", "_", name)
        taken_names = set(found.values())
        number = 1
        while (own := plain if number == 1 else f"{plain}{number}") in taken_names:
            number += 1
        found[address] = own
    return found


_TEMPLATE = Path(__file__).parent / "template"


def write(
    model: Model,
    where: Path,
    *,
    step: float = 1e-3,
    method: str | None = None,
    constraints: str | None = None,
    rate: float | None = None,
) -> list[Path]:
    """The model with a fixed `step` [s] of a `method` ("rk4", with rigid contacts "moreau-jean"),
    constraints enforced as asked; `rate` ticks a second are those of memories (one a step).
    docs/languages.md says more."""
    step = checked_step("c-project", step)
    written = c_model(model.compile(), step, method, constraints, rate)
    files = {
        str(path.relative_to(_TEMPLATE)): path.read_text()
        for path in sorted(_TEMPLATE.rglob("*"))
        if path.is_file()
    }
    files["README.md"] = _readme(written)
    return write_folder(where, {**written.files, **files})


def _readme(written: CModel) -> str:
    system = written.system
    rows: list[tuple[str, Sequence[str], Sequence[str]]] = [
        ("states `m->state[i]`", system.state_names, system.state_units),
        ("inputs `m->u[1 + i]`", system.input_names, system.input_units),
        ("sensors `outputs[i]`", [x for x, _ in written.labels], [y for _, y in written.labels]),
        ("parameters `m->parameters[i]`", [*system.parameters], parameter_units(system)),
    ]
    listed = "\n".join(_row(*row) for row in rows if row[1])
    return f"""\
# {system.name} in C

Printed by Touchback: the equations of the mechanism, what closes its loops, and steps of
{written.step:g} s by `{written.method}`. It needs a C11 compiler (gcc or clang) and nothing else,
allocates nothing, and computes the same bits as `tb.simulate` with this method and step.

    make && ./model 1.0 > run.csv        # one second; states and sensors, a row a step
    make freestanding                    # build/freestanding/model.o, without a C library
    make cortex-m7 && make run-cortex-m7 # on an emulated Cortex-M7

| file | what it is |
|---|---|
| `model.h`, `model.c` | the memory of a model, one struct, and the functions to use it |
| `equations/` | its equations as straight-line code |
| `touchback/` | of the library's own sources what these need: steps, position solve, reduction |
| `main.c` | a run that writes a table |
| `freestanding/` | arithmetic, functions and copies for machines without a C library |
| `cortex_m/` | a run on a Cortex-M7 of `qemu-system-arm` |

Without a C library angles beyond 2^30 rad give no number, and exponentials, logarithms, powers and
arcs are ours: their last bit may differ.

{listed}
"""


def _row(what: str, names: Sequence[str], units: Sequence[str]) -> str:
    shown = (
        f"- {i}: {with_unit(name, unit)}"
        for i, (name, unit) in enumerate(zip(names, units, strict=True))
    )
    return "\n".join([f"{what}:", "", *shown, ""])
