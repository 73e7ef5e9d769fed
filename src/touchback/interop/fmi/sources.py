"""The C sources of an FMU: what is the same for all, and what is printed of a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources

import numpy as np

from touchback.codegen.printers import print_c
from touchback.codegen.printers.c import C99
from touchback.symbolic.program import Program
from touchback.system import System
from touchback.system.function_set import FunctionSet

_COMMON = ("core.h", "export.h", "instance.c", "instance.h", "slopes.c")
_OF_VERSION = {
    2: ("fmi2.c", "fmi2.h"),
    3: ("fmi3.c", "fmi3.h", "fmi3_calls.h", "fmi3_others.c"),
}
_TREE = {"core_tree.c": "core.c", "core_tree_memory.h": "core_memory.h"}
_LINEAR = ("linear/full_pivoting.c", "linear/full_pivoting.h")
_ARGUMENTS = (
    "const double *x, const double *u, const double *p, double *out, double *work, const void *ctx"
)


def sources_of(
    system: System, start: np.ndarray, slopes: FunctionSet, step: float, token: str, version: int
) -> dict[str, str]:
    """Files by name, with the texts of all functions."""
    own = system.acting.functions
    programs = {
        "rate": own["rate"].second,
        "outputs": own["outputs"].second,
        "parameters": own["rate"].first,
        "turn": own["configuration rate"].second,
        "slope_parameters": slopes["slopes"].first,
        **{name.replace(" ", "_"): function.second for name, function in slopes.items()},
    }
    texts = {
        f"model_{name}.c": print_c(program, f"tb_model_{name}", f"{system.name}: {name}")
        for name, program in programs.items()
    }
    fixed = resources.files("touchback.interop.fmi").joinpath("c")
    files = {name: fixed.joinpath(name).read_text() for name in (*_COMMON, *_OF_VERSION[version])}
    files |= {new: fixed.joinpath(name).read_text() for name, new in _TREE.items()}
    native = resources.files("touchback.native")
    files |= {name: native.joinpath(name).read_text() for name in _LINEAR}
    files["model.h"] = _header(system, programs, slopes, step, token)
    files["model.c"] = _numbers(system, start)
    return files | texts


def _header(
    system: System, programs: Mapping[str, Program], slopes: FunctionSet, step: float, token: str
) -> str:
    nq, nv, nz = system.sizes
    layout = system.layout
    counts = {
        "NQ": nq, "NV": nv, "NZ": nz, "NX": nq + nv + nz, "NU": len(layout.inputs),
        "NY": len(layout.outputs), "NP": len(layout.parameters),
        "NM": len(system.constraint_names), "NI": slopes["indicators"].out_size,
        "BLOCK": len(programs["parameters"].outputs),
        "SLOPE_BLOCK": len(programs["slope_parameters"].outputs), "SLOPES": 1, "MEMORY": 0,
    }  # fmt: skip
    numbers = ", ".join(f"TB_{name} = {count}" for name, count in counts.items())
    functions = "\n".join(f"void tb_model_{name}({_ARGUMENTS});" for name in programs)
    return f"""\
/* {_comment(system.name)}: sizes, starts and functions. Printed by Touchback. */
#ifndef TB_MODEL_H
#define TB_MODEL_H

#define TB_TOKEN "{token}"
#define TB_STEP {step!r} /* the longest step of co-simulation [s] */
enum {{ {numbers} }};

extern const double tb_starts[], tb_input_starts[], tb_parameter_starts[];
extern const double tb_least[], tb_most[]; /* of parameters */
extern const int tb_holonomic[]; /* of constraint rows: whether they hold for positions */

{functions}

#endif
"""


def _numbers(system: System, start: np.ndarray) -> str:
    layout = system.layout
    values: dict[str, Sequence[float]] = {
        "tb_starts": [float(x) for x in start],
        "tb_input_starts": layout.input_defaults,
        "tb_parameter_starts": list(system.parameters.values()),
        "tb_least": [-np.inf if each.min is None else each.min for each in layout.ranges],
        "tb_most": [np.inf if each.max is None else each.max for each in layout.ranges],
    }
    arrays = "".join(
        f"const double {name}[] = {{{C99.numbers([*given, 0.0])}}};\n"
        for name, given in values.items()
    )
    rows = ", ".join(str(int(each)) for each in [*system.motion.rows(system.key).holonomic, False])
    head = '#include <math.h>\n\n#include "model.h"\n\n'
    return f"{head}{arrays}const int tb_holonomic[] = {{{rows}}};\n"


def _comment(text: str) -> str:
    return re.sub(r"[*/\\\r\n]", " ", text)
