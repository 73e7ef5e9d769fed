"""The text of model.h and model.c."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from touchback import System
from touchback.errors import TouchbackError
from touchback.interop.c_project.c_stepping import Stepping
from touchback.native.image import Image
from touchback.simulate.initial_state import initial_state
from touchback.simulate.inputs import Inputs
from touchback.system.state_assembly import found_states

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
