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
from touchback.interop.c_project.model_text import OWN, Sizes, header, source
from touchback.native import Newton, formulation_of
from touchback.native.image import Image, held_by
from touchback.native.library import LIB
from touchback.native.record import Record
from touchback.native.sources import Declared, taken
from touchback.simulate.choice import formulation_for, solver_for
from touchback.simulate.implicit import newton_for
from touchback.simulate.inputs import Inputs
from touchback.simulate.solvers import Can, Options
from touchback.simulate.solvers.fixed_step import FixedStep
from touchback.simulate.start import initial_state
from touchback.simulate.ticks import steps_between
from touchback.symbolic.program import Program
from touchback.system import System
from touchback.system.posed import Posed

_LEFT_OUT = {("tb_modes", "log"), ("tb_modes", "capacity")}  # what offline runs note of modes
_API = ("tb_fixed_take", "tb_forget_way", "tb_settle", "tb_rate")  # what model.c calls
_PLAIN = Path(__file__).parent / "plain"
"""Files in place of those of the library that know an operating system or a processor."""


@dataclass(frozen=True)
class CModel:
    """A model as C: `files` by their paths, to be compiled with touchback/ on the include path,
    and the `system` that it was made of. `model.h` says how it is used."""

    system: System
    solver: FixedStep
    files: dict[str, str]


def c_model(
    system: System,
    step: float = 1e-3,
    method: str = "rk4",
    constraints: str | None = None,
    rate: float | None = None,
) -> CModel:
    """The system with a fixed step; `rate` ticks a second are those of its memories, by default one
    a step. What can't run so is refused as by `tb.simulate`."""
    solver = _solver(system, step, method, constraints, rate)
    posed = system.problem(formulation_for(method, constraints), method=solver.word)
    every = steps_between(system, solver)
    if every is not None:
        posed.sample(system.memory_places, every)
    newton = None
    if solver.implicit:
        newton = newton_for(system, posed.problem, solver.rtol, solver.atol, {})
    return _Written(system, solver, posed, newton).model()


def _solver(
    system: System, step: float, method: str, constraints: str | None, rate: float | None
) -> FixedStep:
    options: Options = {"step": step}
    if system.layout.memories:
        options["rate"] = 1.0 / step if rate is None else rate
    wanted = Can(0) if constraints is None else Can.FORMULATIONS
    found = solver_for(system, method, formulation_for(method, constraints), wanted, options)
    if not isinstance(found, FixedStep):
        raise InputError(
            f"{system.name}: {method!r} chooses its steps; a project takes equal ones: 'rk4', "
            "'euler', 'implicit-euler' or 'trapezoidal'."
        )
    return found


class _Written:
    """One model on its way to text."""

    def __init__(
        self, system: System, solver: FixedStep, posed: Posed, newton: Newton | None
    ) -> None:
        self._system, self._solver, self._posed = system, solver, posed
        self._newton = newton
        self._files: dict[str, str] = {}
        self._stages = self._printed_stages()
        held = list(held_by([posed.problem, posed.solving, posed.outputs, newton]))
        self._compiled = {each.address: each for each in held if isinstance(each, Compiled)}
        self._names = _distinct({a: each.name for a, each in self._compiled.items()})
        self._image = Image(self._names, Declared(), left_out=_LEFT_OUT, reserved=OWN)
        problem = posed.problem
        roots: dict[str, ctypes.Structure | np.ndarray] = {
            "problem": problem.record.struct, "u": problem.u, "p": problem.p,
        }  # fmt: skip
        if newton is not None:
            roots["newton"], roots["newton_p"] = newton.record.struct, newton.p
        if posed.outputs is not None:
            outputs = Record(LIB.struct("tb_callable")())
            outputs.struct.call = posed.outputs.address
            outputs.struct.context = posed.outputs.context_address
            roots["outputs"] = outputs.struct
        self._image.of(held, {name: what for name, what in roots.items() if _any(what)})

    def model(self) -> CModel:
        """Everything."""
        for address, name in self._names.items():
            if name in self._image.used:
                self._print(name, self._compiled[address].program)
        stages, step = self._stages, self._step_name()
        plain = {str(path.relative_to(_PLAIN)): path.read_text() for path in _PLAIN.rglob("*.c")}
        cut = taken({*self._image.symbols, *_API, step}, plain)
        self._files |= {f"touchback/{path}": text for path, text in cut.items()}
        system, image = self._system, self._image
        given = Inputs(np.append(0.0, system.input_defaults))
        start = initial_state(system, None, 0.0, given, {})
        sizes = Sizes.of(system, self._posed)
        printed = [*sorted(image.used), *(name for name, _ in stages)]
        self._files["model.h"] = header(system, sizes, image.members, self._includes(cut))
        self._files["model.c"] = source(
            system, self._solver.step, step, sizes, image, printed, stages, start,
            self._solved_names(), _naming(cut, {*image.symbols, *_API, step}),
        )  # fmt: skip
        return CModel(system, self._solver, self._files)

    def _print(self, name: str, program: Program) -> None:
        comments = f"{self._system.name}: {name.removeprefix('equations_').replace('_', ' ')}"
        text = print_c(program, name, comments)
        self._files[f"equations/{name.removeprefix('equations_')}.c"] = text

    def _printed_stages(self) -> list[tuple[str, str]]:
        """Functions that compute parameter blocks, and where these are; the blocks are emptied."""
        stiff = self._posed.solving is not None and formulation_of(self._posed.formulation).step
        found = []
        blocks = {"p": self._posed.problem.p}
        if self._newton is not None:
            blocks["newton_p"] = self._newton.p
        stages = self._system.stages(bool(stiff), self._newton is not None)
        for i, (stage, block) in enumerate(zip(stages, blocks, strict=False)):
            if stage.first.outputs:
                name = f"equations_parameters{i or ''}"
                self._print(name, stage.first)
                found.append((name, block))
                blocks[block][:] = 0.0
        return found

    def _step_name(self) -> str:
        problem, word = self._posed.problem, self._solver.word
        return "tb_modes_step" if word in problem.steps else f"tb_{word.replace('-', '_')}_step"

    def _solved_names(self) -> tuple[str, str] | None:
        """Where a rate leaves accelerations and multipliers."""
        if self._posed.solving is None:
            return None
        solved = self._posed.solving.solved
        return self._image.shown(solved.accelerations), self._image.shown(solved.multipliers)

    def _includes(self, cut: dict[str, str]) -> list[str]:
        kinds = {line.split()[0] for line in self._image.members} | {"tb_fixed"}
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
