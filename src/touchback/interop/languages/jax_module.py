"""A model as a Python module of jax: functions to differentiate, map and compile."""

from pathlib import Path

from touchback.interop.languages.python_text import module
from touchback.interop.languages.written import checked_step, written
from touchback.model.model import Model
from touchback.regular_file import check_output, write_whole

_IMPORTS = (
    "import jax",
    "import jax.numpy as np",
    "",
    'jax.config.update("jax_enable_x64", True)  # mechanics needs double precision',
)
_RUNNING = '''
def run(steps, x=START, inputs=INPUTS, p=P, h=STEP):
    """States after so many steps, the start first; `inputs` are numbers, or a row for each step."""
    held = np.broadcast_to(np.asarray(inputs, dtype=float), (steps, len(INPUT_NAMES)))

    def advance(state, at):
        t, u = at
        after = step(t, state, u, p, h)
        return after, after

    x = np.asarray(x, dtype=float)
    _, states = jax.lax.scan(advance, x, (h * np.arange(steps), held))
    return np.concatenate([x[None], states])
'''


def write(model: Model, where: Path, *, step: float = 1e-3) -> list[Path]:
    """Writes a module; `step` is that of its loop [s]."""
    check_output(where, (".py",), "jax")
    step = checked_step("jax", step)
    write_whole(where, module(written("jax", model), "jax", _IMPORTS, step, _RUNNING))
    return [where]
