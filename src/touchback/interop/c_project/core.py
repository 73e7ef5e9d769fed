"""A model as C that needs no library: its equations printed, the library's own sources cut to what
it needs, and the memory of a run as one struct. Projects and other exports build on it."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from touchback.codegen import Compiled
from touchback.codegen.printers import print_c
from touchback.errors import InputError
from touchback.interop.c_project.model_text import OWN, InitialState, Sizes, header, source
from touchback.interop.c_project.stepping import Stepping, by_impulses, by_rate
from touchback.native.image import Image, held_by
from touchback.native.library import LIB
from touchback.native.record import Record
from touchback.native.sources import Declared, taken
from touchback.simulate.features import RIGID
from touchback.simulate.solver_choice import formulation_for, solver_for
from touchback.simulate.solvers import Can, MoreauJean, Options
from touchback.simulate.solvers.fixed_step_solvers import FixedStep
from touchback.symbolic.program import Program
from touchback.system import System

_LEFT_OUT = {  # what offline runs note of modes; what begins with the model
    ("tb_modes", "log"), ("tb_modes", "capacity"), ("tb_moreau_jean", "x"),
}  # fmt: skip
_API = ("tb_forget_way", "tb_settle", "tb_rate")  # what model.c calls
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
        return _Written(system, step, word, by_impulses(system, solver)).model()
    formulation = formulation_for(word, constraints)
    return _Written(system, step, word, by_rate(system, solver, formulation)).model()


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
