"""CasADi's C of Pinocchio's algorithms, through gcc -O2."""

import ctypes
from importlib.metadata import version
from typing import Any

from benchmarks.engines import pinocchio
from benchmarks.engines.build import HERE, KEPT, Unavailable, address, compiled, wheel_folder
from benchmarks.mechanisms import Mechanism
from benchmarks.timing import Alternatives, Routine

NAME = "CasADi C"
LARGEST = 7  # joints: the compiler takes too long beyond

_WRAPPER = """
void tb_{name}(const double *x, const double *u, const double *p, double *out, double *work,
               const void *ctx) {{
    const double *arg[8] = {{x, x + {n}, u + 1}};
    double *res[4] = {{out}};
    {name}(arg, res, 0, work, 0);
}}
"""


def routines(mechanism: Mechanism) -> tuple[Alternatives, Any]:
    """Inverse dynamics, and forward dynamics by ABA in world and in local frames."""
    if mechanism.size > LARGEST:
        raise Unavailable(f"only up to {LARGEST} joints: gcc takes too long beyond")
    folder = wheel_folder("casadi", "casadi")
    flags = ["-O0", "-DNDEBUG", *pinocchio.header_flags(), f"-I{folder / 'include'}"]
    flags += [f"-L{folder}", "-lcasadi", f"-Wl,-rpath,{folder}"]
    depends = version("pin") + version("casadi")
    exporter = ctypes.CDLL(str(compiled([HERE / "casadi_export.cpp"], flags, depends)))
    source = KEPT / f"casadi_{mechanism.shape}_{mechanism.size}.c"
    given, kept = pinocchio.arguments(mechanism)
    exporter.casadi_export(str(source).encode(), *given)
    del kept
    names = ("inverse", "forward_world", "forward_local")
    wrappers = [_WRAPPER.format(name=name, n=mechanism.size) for name in names]
    source.write_text(source.read_text() + "".join(wrappers))
    library = ctypes.CDLL(str(compiled([source], ["-O2", "-march=native", "-lm"])))
    made = {
        name: Routine(address(library, f"tb_{name}"), 1 << 16, owners=(library,)) for name in names
    }
    return {"inverse": (made[names[0]],), "forward": (made[names[1]], made[names[2]])}, None
