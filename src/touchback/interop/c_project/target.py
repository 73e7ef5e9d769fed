"""`touchback generate MODEL FOLDER --to c-project`: a folder of C that steps the model."""

from collections.abc import Sequence
from pathlib import Path

from touchback.interop.c_project.core import CModel, c_model
from touchback.interop.c_project.model_text import parameter_units
from touchback.interop.folder import write_folder
from touchback.interop.step import checked_step
from touchback.model.model import Model
from touchback.recording.names import with_unit

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
    docs/generated_projects.md says more."""
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
