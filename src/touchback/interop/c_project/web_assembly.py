"""A model as a module of WebAssembly, which a browser steps: its C project, compiled."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from touchback import System
from touchback.codegen import print_c
from touchback.errors import CompileError
from touchback.interop.c_project.c_project import CModel, c_model
from touchback.system import Function

_FREESTANDING = Path(__file__).parent / "template" / "freestanding"
_STACK = 1 << 20  # bytes
_FLAGS = (
    "--target=wasm32", "-O2", "-std=c11", "-ffp-contract=off", "-fno-math-errno", "-ffreestanding",
    "-nostdlib", "-nostdinc", "-Ifreestanding", "-Itouchback", "-I.", "-Wl,--no-entry",
    "-Wl,--strip-all", f"-Wl,-z,stack-size={_STACK}",
)  # fmt: skip
_LACKS = (
    "WebAssembly: {what} isn't on the PATH; install clang and lld (Debian: apt install clang lld)."
)


@dataclass(frozen=True)
class WebModel:
    """A module's `code`, and the C that it is compiled from. It imports nothing and exports its
    `memory`; "begin" (a run from the initial state at time 0), "use_parameters", "start" (a run
    from the state as it is, at a time [s]), "step" (so many steps; what stopped it, or 0), "time",
    "unanswered" and "look", which computes what the addresses "outputs" and "seen" tell; and of
    arrays of doubles the addresses "state", "inputs", "parameters", "outputs" and "seen"."""

    code: bytes
    written: CModel


def web_model(
    system: System,
    seen: Function,
    step: float = 1e-3,
    method: str | None = None,
    constraints: str | None = None,
    rate: float | None = None,
) -> WebModel:
    """The system in steps as of `tb.generate(…, "c-project")`, in which the function `seen` tells
    what a page draws. The bits are those of `tb.simulate` with the same method and step, where no
    exponential, logarithm, power or arc is computed: their last bit may differ. A machine without
    the compiler (clang and wasm-ld) raises `CompileError`."""
    clang = web_compiler()
    written = c_model(system, step, method, constraints, rate)
    files = {f"freestanding/{path.name}": path.read_text() for path in _FREESTANDING.iterdir()}
    files |= written.files
    looks = {"look_parameters": seen.first, "look_seen": seen.second}
    files |= {
        f"equations/{name}.c": print_c(program, name)
        for name, program in looks.items()
        if program.outputs
    }
    files["web.c"] = _glue(seen)
    return WebModel(_compiled(clang, system.name, files), written)


def web_compiler() -> str:
    """The path of clang, where it can make WebAssembly."""
    found = {what: shutil.which(what) for what in ("wasm-ld", "clang")}
    for what, path in found.items():
        if path is None:
            raise CompileError(_LACKS.format(what=what))
    return str(found["clang"])


def _compiled(clang: str, name: str, files: dict[str, str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="touchback-", ignore_cleanup_errors=True) as folder:
        where = Path(folder)
        for path, text in files.items():
            target = where / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        include = _run(name, [clang, "-print-file-name=include"], where).strip()
        sources = sorted(path for path in files if path.endswith(".c"))
        _run(name, [clang, *_FLAGS, "-isystem", include, "-o", "model.wasm", *sources], where)
        return (where / "model.wasm").read_bytes()


def _run(name: str, command: list[str], where: Path) -> str:
    done = subprocess.run(command, cwd=where, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip() or f"exit status {done.returncode}"
        raise CompileError(f"WebAssembly of '{name}': {command[0]} refused it: {said[:2000]}")
    return done.stdout


def _glue(seen: Function) -> str:
    arguments = (
        "const double *x, const double *u, const double *p, double *out, double *work, "
        "const void *ctx"
    )
    block = "look_parameters(m.parameters, &none, &none, block, 0, 0);"
    return f"""\
#include "model.h"

void look_parameters({arguments});
void look_seen({arguments});

#define WEB(name) __attribute__((export_name(#name)))
static model m;
static double none, block[{seen.block_size}], outputs[MODEL_OUTPUTS + 1], seen[{seen.out_size}];

WEB(state) double *web_state(void) {{ return m.state; }}
WEB(inputs) double *web_inputs(void) {{ return m.u + 1; }}
WEB(parameters) double *web_parameters(void) {{ return m.parameters; }}
WEB(outputs) double *web_outputs(void) {{ return outputs; }}
WEB(seen) double *web_seen(void) {{ return seen; }}
WEB(time) double web_time(void) {{ return model_time(&m); }}
WEB(unanswered) int web_unanswered(void) {{ return (int)model_unanswered(&m); }}
WEB(use_parameters) void web_use_parameters(void) {{
    model_use_parameters(&m);
    {block if seen.first.outputs else "(void)none;"}
}}
WEB(begin) void web_begin(void) {{
    model_init(&m);
    web_use_parameters();
}}
WEB(start) int web_start(double t) {{ return model_start(&m, t); }}
WEB(step) int web_step(int count) {{
    int stopped = 0;
    while (count-- > 0 && !stopped)
        stopped = model_step(&m);
    return stopped;
}}
WEB(look) void web_look(void) {{
    model_outputs(&m, outputs);
    m.u[0] = model_time(&m);
    look_seen(m.state, m.u, block, seen, 0, 0);
}}
"""
