"""A model as a Python module of jax: functions to differentiate, map and compile."""

from pathlib import Path

from touchback import Model
from touchback.interop.generated_folder import checked_step
from touchback.interop.languages.model_programs import model_programs
from touchback.interop.languages.python_module import module
from touchback.safe_files import check_output, write_atomically

_IMPORTS = (
    "import jax",
    "import jax.numpy as np",
    "",
    'jax.config.update("jax_enable_x64", True)  # mechanics needs double precision',
)
_RUNNING = '''
def run(steps, x=None, inputs=INPUTS, p=P, h=STEP):
    """States after so many steps, from x moved onto the constraints, or from the initial state with
    these inputs and p; NaN from where on constraints can't be met. `inputs` are numbers, or a row
    for each step."""
    x = first(x, inputs, p)
    held = np.broadcast_to(np.asarray(inputs, dtype=float), (max(steps, 1), len(INPUT_NAMES)))

    def advance(state, at):
        t, u = at
        after = closed(t + h, step(t, state, u, p, h), u, p)
        return after, after


    def closer(_, x):  # positions first, then velocities once
        return np.concatenate([settle(0.0, x, held[0], p)[:NQ], x[NQ:]])

    x = settle(0.0, jax.lax.fori_loop(0, 15, closer, x), held[0], p)
    x = closed(0.0, x, held[0], p)
    _, states = jax.lax.scan(advance, x, (h * np.arange(steps), held[:steps]))
    return np.concatenate([x[None], states])


def closed(t, x, inputs, p):
    """The state itself, if it keeps the constraints to a micrometre; else NaN."""
    gap = np.abs(terms(t, x, inputs, p)[4][HOLONOMIC]).max(initial=0.0)
    return np.where(gap < 1e-6, x, np.nan)
'''


def write(model: Model, where: Path, *, step: float = 1e-3) -> list[Path]:
    """Writes a module; `step` is that of its loop [s]."""
    check_output(where, (".py",), "jax")
    step = checked_step("jax", step)
    write_atomically(where, module(model_programs("jax", model), "jax", _IMPORTS, step, _RUNNING))
    return [where]
