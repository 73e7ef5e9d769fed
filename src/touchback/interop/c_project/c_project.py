"""A model as C that needs no library: its equations printed, the library's own sources cut to what
it needs, and the memory of a run as one struct. Projects and other exports build on it."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from touchback import Model, MoreauJean, System
from touchback.codegen import Compiled, print_c
from touchback.errors import InputError, TouchbackError
from touchback.interop.c_project.c_stepping import Stepping, impulse_stepping, rate_stepping
from touchback.interop.generated_folder import checked_step, write_folder
from touchback.names import with_unit
from touchback.native import LIB, Record
from touchback.native.c_source_extraction import Declared, taken
from touchback.native.structs_as_c_source import Image, held_by
from touchback.simulate import (
    RIGID,
    Capability,
    FixedStep,
    Inputs,
    Options,
    formulation_for,
    initial_state,
    solver_for,
)
from touchback.symbolic import Program
from touchback.system import found_states

_ARGUMENTS = (
    "const double *x, const double *u, const double *p, double *out, double *work,\n"
    "    const void *ctx"
)


OWN = {"run", "state", "parameters", "scratch", "rate", "measured", "kept", "losses", "moved"}


"""Members of every model beside those of its image."""


_USE = """\
/* Sets everything to its default, and starts at time 0 from the initial state. */
void model_init(model *m);
/* After m->parameters were changed, and before the next step. */
void model_use_parameters(model *m);
/* Assembles the initial state again, with the parameters and inputs as they are, and starts at a
 * time from it. Returns 0, 1 where the constraints can't be met from there, or 2 where forces have
 * found states at the start that these numbers change: they are those of the defaults. */
int model_assemble(model *m, double t);
/* Starts at a time from m->state, which is moved onto the constraints. Returns 0, or 1 where they
 * can't be met from there. */
int model_start(model *m, double t);
/* How often since model_init there was no answer: loops that didn't close, friction that no forces
 * agree with, modes that changed without end. States and sensors since then are off. */
long model_unanswered(const model *m);
double model_time(const model *m);
/* One step of MODEL_STEP seconds. Returns 0, or 1 + the index of the first state that stopped being
 * finite: m->state is then that before the step. */
int model_step(model *m);
/* dx/dt at a time and a state, with the inputs as they are. */
void model_rate(model *m, double t, const double *x, double *rate);
/* What sensors show at the present time and state. */
void model_outputs(model *m, double *outputs);
"""


@dataclass(frozen=True)
class Sizes:
    """How many there are."""

    positions: int
    velocities: int
    states: int
    inputs: int
    outputs: int
    parameters: int
    multipliers: int

    @staticmethod
    def of(system: System, stepping: Stepping) -> Sizes:
        """Those of a system in a run."""
        nq, nv, nz = system.sizes
        solving = stepping.posed.solving
        solved = solving.solved.multipliers.size if solving else 0
        return Sizes(
            nq, nv, nq + nv + nz, len(system.input_names), len(stepping.labels),
            len(system.parameters), solved,
        )  # fmt: skip


@dataclass(frozen=True)
class InitialState:
    """The state that a model describes, the one assembled from it with the defaults, and the
    numbers (`m->…` by its default) on which states hang that forces find where the bodies are."""

    described: np.ndarray
    assembled: np.ndarray
    found_by: tuple[tuple[str, float], ...]

    @staticmethod
    def of(system: System) -> InitialState:
        """That of a system."""
        assembled = _assembled(system)
        nz, start = system.sizes[2], system.dynamics.start
        z = assembled[len(assembled) - nz :]  # with the numbers of modes
        found = found_states(system.model, start.q, system.parameters)
        found_by = tuple(_found_by(system, assembled)) if found else ()
        return InitialState(np.concatenate([start.q, start.v, z]), assembled, found_by)


def _assembled(
    system: System, parameters: dict[str, float] | None = None, inputs: np.ndarray | None = None
) -> np.ndarray:
    given = system.input_defaults if inputs is None else inputs
    return initial_state(system, None, 0.0, Inputs(np.append(0.0, given)), parameters or {})


def _found_by(system: System, assembled: np.ndarray) -> Iterator[tuple[str, float]]:
    """Of parameters and inputs those whose change by a millionth changes the initial state."""
    defaults = np.asarray(system.input_defaults, dtype=float)
    for i, (name, value) in enumerate(system.parameters.items()):
        if _changes(system, assembled, value, name):
            yield f"parameters[{i}]", value
    for i, value in enumerate(defaults.tolist()):
        if _changes(system, assembled, value, i):
            yield f"u[{1 + i}]", value


def _changes(system: System, assembled: np.ndarray, value: float, which: str | int) -> bool:
    """Whether a parameter (by name) or an input (by number) changes the initial state."""
    size = 1e-6 * max(1.0, abs(value))
    for other in (value + size, value - size):
        parameters, inputs = dict[str, float](), np.array(system.input_defaults, dtype=float)
        if isinstance(which, str):
            parameters[which] = other
        else:
            inputs[which] = other
        try:
            moved = _assembled(system, parameters, inputs)
        except TouchbackError:  # beyond a limit, or can't be assembled
            continue
        return not np.allclose(moved, assembled, rtol=1e-12, atol=1e-12)
    return True


def header(system: System, sizes: Sizes, members: Sequence[str], includes: Sequence[str]) -> str:
    """model.h: how many of what there are, the memory, and how it is used."""
    counts = "".join(
        f"    MODEL_{name.upper()} = {count},\n" for name, count in vars(sizes).items()
    )
    own = [
        f"double state[{sizes.states}]; /* positions, velocities, other states */",
        f"double parameters[{max(sizes.parameters, 1)}];",
        f"double rate[{sizes.states}];",
        f"double kept[{max(sizes.velocities + sizes.multipliers, 1)}];",
        f"double measured[{1 + sizes.inputs + sizes.velocities + sizes.multipliers}];",
    ]
    lines = "".join(f"    {each}\n" for each in (*own, *members))
    names = "".join(
        f"extern const char *const model_{what}_names[], *const model_{what}_units[];\n"
        for what in ("state", "input", "output", "parameter")
    )
    return f"""\
/* {system.name}, printed by Touchback.
 *
 * A model is one struct, wherever it may be: nothing else is written to, nothing is allocated.
 * m->u[0] is the time and m->u[1 + i] input i, to be set at any time between two calls.
 */
#ifndef MODEL_H
#define MODEL_H

{_including(includes)}
enum {{
{counts}}};
extern const double MODEL_STEP; /* [s] */
{names}
typedef struct model {{
{lines}}} model;

{_USE}
#endif
"""


def source(
    system: System,
    step: float,
    stepping: Stepping,
    sizes: Sizes,
    image: Image,
    printed: Sequence[str],
    stages: Sequence[tuple[str, str]],
    start: InitialState,
    solved: tuple[str, str] | None,
    includes: Sequence[str],
) -> str:
    """model.c: names, tables, and the functions of model.h."""
    prototypes = "".join(f"void {name}({_ARGUMENTS});\n" for name in printed)
    blocks = [f"{name}(m->parameters, &none, &none, m->{block}, 0, 0);" for name, block in stages]
    values, text = system.parameter_values(None), stepping.text
    constrained = stepping.posed.solving is not None
    output_names, output_units = zip(*stepping.labels, strict=True) if stepping.labels else ((), ())
    return f"""\
/* {system.name}: its memory, and how it moves. Printed by Touchback. */
#include "model.h"

#include <math.h>
#include <string.h>

{_including(includes)}
{prototypes}
const double MODEL_STEP = {step!r};
{_names("state", system.state_names, system.state_units)}\
{_names("input", system.input_names, system.input_units)}\
{_names("output", output_names, output_units)}\
{_names("parameter", [*system.parameters], parameter_units(system))}
static const double parameters[] = {{{_numbers(values)}}};
static const double state[] = {{{_numbers(start.assembled)}}};
{_described(start, constrained)}\
{"".join(line + chr(10) for line in image.constants)}
/* Lets what is in the struct point to each other. */
static void connect(model *m) {{
{_indented(image.statements)}}}

void model_init(model *m) {{
    memset(m, 0, sizeof *m);
    connect(m);
{_indented(text.begin)}    memcpy(m->parameters, parameters, {len(values)} * sizeof *parameters);
    memcpy(m->state, state, sizeof state);
    model_use_parameters(m);
{_indented(text.first)}}}

void model_use_parameters(model *m) {{
{_indented(["static const double none;", *blocks] if blocks else ["(void)m;"])}}}

int model_assemble(model *m, double t) {{
{_indented(_assembling(start, constrained))}}}

int model_start(model *m, double t) {{
    long before = model_unanswered(m);
{_indented(text.start)}    tb_reset_warm_start(&m->problem);
    tb_settle(&m->problem, t, m->state, 1);
    return model_unanswered(m) != before;
}}

long model_unanswered(const model *m) {{
    tb_solver_status found = tb_solver_status_of(&m->problem);
    return found.paradoxes + found.not_converged + found.chattering{text.unanswered};
}}

double model_time(const model *m) {{ return {text.time}; }}

int model_step(model *m) {{
{_indented(text.step)}}}

void model_rate(model *m, double t, const double *x, double *rate) {{
    tb_rate(&m->problem, t, x, rate);
}}

{_outputs(sizes, solved, stepping.outputs_block)}"""


def _described(start: InitialState, constrained: bool) -> str:
    if not constrained:
        return ""
    return (
        f"static const double described[] = {{{_numbers(start.described)}}}; "
        "/* from which it is assembled */\n"
    )


def _assembling(start: InitialState, constrained: bool) -> list[str]:
    lines = []
    if start.found_by:
        changed = " || ".join(f"m->{name} != {value!r}" for name, value in start.found_by)
        lines += [f"if ({changed})", "    return 2;"]
    if not constrained:
        lines += ["memcpy(m->state, state, sizeof state);"]
    else:
        lines += [
            "memcpy(m->state, described, sizeof described);",
            "m->u[0] = t;",
            "if (tb_assembly_start(&m->assembly, m->state) != TB_CLOSED)",
            "    return 1;",
        ]
    return [*lines, "return model_start(m, t);"]


def _including(paths: Sequence[str]) -> str:
    return "".join(f'#include "{path}"\n' for path in paths)


def _outputs(sizes: Sizes, solved: tuple[str, str] | None, block: str) -> str:
    if not sizes.outputs:
        return (
            "void model_outputs(model *m, double *outputs) {\n    (void)m;\n    (void)outputs;\n}\n"
        )
    measured, kept = "m->measured + 1 + MODEL_INPUTS", "m->kept"
    parts = list(zip(solved or (), ("VELOCITIES", "MULTIPLIERS")))[: 1 + bool(sizes.multipliers)]
    lines = [  # steps may begin with the last solution: what is measured leaves it as it was
        *_copies(kept, parts, False),
        "tb_rate(&m->problem, model_time(m), m->state, m->rate);" if solved
        else "tb_set_inputs(&m->problem, model_time(m), m->state);",
        "memcpy(m->measured, m->u, (1 + MODEL_INPUTS) * sizeof(double));",
        *_copies(measured, parts, False),
        *_copies(kept, parts, True),
    ]  # fmt: skip
    lines += [
        f"m->outputs.call(m->state, m->measured, m->{block}, outputs, m->outputs.work,",
        "                m->outputs.context);",
    ]
    return f"void model_outputs(model *m, double *outputs) {{\n{_indented(lines)}}}\n"


def _copies(place: str, parts: Sequence[tuple[str, str]], back: bool) -> list[str]:
    """Accelerations and multipliers to a place, one after the other, or back."""
    lines = []
    for i, (array, count) in enumerate(parts):
        there = place + (" + MODEL_VELOCITIES" if i else "")
        to, source = (array, there) if back else (there, array)
        lines.append(f"memcpy({to}, {source}, MODEL_{count} * sizeof(double));")
    return lines


def _names(what: str, names: Sequence[str], units: Sequence[str]) -> str:
    rows = {"names": names, "units": units}
    return "".join(
        f"const char *const model_{what}_{which}[] = {{{', '.join(map(_text, row)) or '0'}}};\n"
        for which, row in rows.items()
    )


def _text(words: str) -> str:
    quoted = words.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")  # no trigraphs
    return f'"{quoted}"'


def parameter_units(system: System) -> list[str]:
    """Units of live parameters, in their order."""
    return [str(system.model.parameters[name].unit) for name in system.parameters]


def _numbers(values: np.ndarray) -> str:
    return ", ".join(map(repr, np.asarray(values, dtype=float).tolist())) or "0.0"


def _indented(lines: Sequence[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)


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
    wanted = Capability(0) if constraints is None else Capability.FORMULATIONS
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
