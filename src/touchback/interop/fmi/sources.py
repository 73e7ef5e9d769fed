"""The C sources of an FMU: those of its model as a project has them, what is the same for all FMUs,
and what is printed for the interface."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources

import numpy as np

from touchback.codegen.printers import print_c
from touchback.codegen.printers.c import C99
from touchback.interop.c_project.core import CModel
from touchback.symbolic.program import Program
from touchback.system import System
from touchback.system.function_set import FunctionSet

_FIXED = (
    "core.c", "core.h", "core_memory.h", "export.h", "fmi2.c", "fmi2.h", "fmi3.c", "fmi3.h",
    "fmi3_calls.h", "fmi3_others.c", "going_on.c", "instance.c", "instance.h", "slopes.c",
)  # fmt: skip
_LINEAR = ("linear/full_pivoting.c", "linear/full_pivoting.h")
_ARGUMENTS = (
    "const double *x, const double *u, const double *p, double *out, double *work, const void *ctx"
)


def sources_of(
    core: CModel, start: np.ndarray, slopes: FunctionSet | None, token: str
) -> dict[str, str]:
    """Files by their paths, from which includes are found; one library of them answers both
    versions of the interface. Without `slopes` there are no derivatives and indicators."""
    programs: dict[str, Program] = {}
    if slopes is not None:
        programs = {name.replace(" ", "_"): each.second for name, each in slopes.items()}
        programs["slope_parameters"] = slopes["slopes"].first
    system, step = core.system, core.step
    files = {path.removeprefix("touchback/"): text for path, text in core.files.items()}
    fixed = resources.files("touchback.interop.fmi").joinpath("c")
    files |= {name: fixed.joinpath(name).read_text() for name in _FIXED}
    if slopes is not None:
        native = resources.files("touchback.native")
        files |= {name: native.joinpath(name).read_text() for name in _LINEAR}
    files["fmu_model.h"] = _header(system, programs, step, token)
    files["fmu_model.c"] = _numbers(system, start)
    return files | {
        f"equations/{name}.c": print_c(program, f"fmu_model_{name}", f"{system.name}: {name}")
        for name, program in programs.items()
    }


def _header(system: System, programs: Mapping[str, Program], step: float, token: str) -> str:
    nq, nv, nz = system.sizes
    layout, posed = system.layout, system.problem()
    counts = {
        "NQ": nq, "NV": nv, "NZ": nz, "NX": nq + nv + nz, "NU": len(layout.inputs),
        "NY": len(layout.outputs), "NP": len(layout.parameters),
        "NM": len(system.constraint_names), "NI": _size(programs, "indicators"),
        "BLOCK": posed.problem.p.size, "SLOPE_BLOCK": _size(programs, "slope_parameters"),
        "MEMORY": posed.problem.remembered,
    }  # fmt: skip
    flags = {
        "SLOPES": bool(programs),
        "CONSTRAINED": bool(system.constrained and not system.modes),
        "TICKS": bool(layout.memories),
    }
    numbers = ", ".join(f"FMU_{name} = {count}" for name, count in counts.items())
    defined = "".join(f"#define FMU_{name} {int(flag)}\n" for name, flag in flags.items())
    functions = "".join(f"void fmu_model_{name}({_ARGUMENTS});\n" for name in programs)
    return f"""\
/* {_comment(system.name)}: what its interface has. Printed by Touchback. */
#ifndef FMU_MODEL_H
#define FMU_MODEL_H

#define FMU_TOKEN "{token}"
#define FMU_STEP {step!r} /* the longest step of co-simulation [s] */
{defined}enum {{ {numbers} }};

extern const double fmu_starts[], fmu_input_starts[], fmu_parameter_starts[];
extern const double fmu_least[], fmu_most[]; /* of parameters */
extern const int fmu_holonomic[]; /* of constraint rows: whether they hold for positions */

{functions}
#endif
"""


def _size(programs: Mapping[str, Program], name: str) -> int:
    return len(programs[name].outputs) if name in programs else 0


def _numbers(system: System, start: np.ndarray) -> str:
    layout = system.layout
    values: dict[str, Sequence[float]] = {
        "starts": [float(x) for x in start],
        "input_starts": layout.input_defaults,
        "parameter_starts": list(system.parameters.values()),
        "least": [-np.inf if each.min is None else each.min for each in layout.ranges],
        "most": [np.inf if each.max is None else each.max for each in layout.ranges],
    }
    arrays = "".join(
        f"const double fmu_{name}[] = {{{C99.numbers([*given, 0.0])}}};\n"
        for name, given in values.items()
    )
    holonomic = [] if system.modes else [*system.motion.rows(system.key).holonomic]
    rows = ", ".join(str(int(each)) for each in [*holonomic, False])
    head = '#include <math.h>\n\n#include "fmu_model.h"\n\n'
    return f"{head}{arrays}const int fmu_holonomic[] = {{{rows}}};\n"


def _comment(text: str) -> str:
    return re.sub(r"[*/\\\r\n]", " ", text)
