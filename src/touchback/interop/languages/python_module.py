"""A model as a Python module that needs NumPy only."""

from pathlib import Path

from touchback.interop.languages.python_text import module
from touchback.interop.languages.written import written
from touchback.interop.step import checked_step
from touchback.model.model import Model
from touchback.regular_file import check_output, write_whole

_RUNNING = '''
def run(duration, x=None, inputs=INPUTS, p=P, h=STEP):
    """Times, and a state at each, from x moved onto the constraints, or from the initial state with
    these inputs and p; a ValueError where constraints can't be met. `inputs` are
    numbers, or a function of time that gives them."""
    times = h * np.arange(round(duration / h) + 1)
    held = inputs if callable(inputs) else lambda t: inputs
    x = settle(0.0, first(x, inputs, p), held(0.0), p, 60)
    states = [closed(0.0, x, held(0.0), p)]
    for t in times[:-1]:
        states.append(closed(t + h, step(t, states[-1], held(t), p, h), held(t), p))
    return times, np.array(states)


def closed(t, x, inputs, p):
    """The state itself, if it keeps the constraints to a micrometre."""
    gap = np.abs(terms(t, x, inputs, p)[4][HOLONOMIC]).max(initial=0.0)
    if not gap < 1e-6:
        raise ValueError(f"At {t:g} s the constraints can't be met: {gap:g} m (or rad) stay open.")
    return x


if __name__ == "__main__":
    print("time", *STATES, sep=",")
    for t, x in zip(*run(1.0)):
        print(t, *x, sep=",")
'''


def write(model: Model, where: Path, *, step: float = 1e-3) -> list[Path]:
    """Writes a module; `step` is that of its loop [s]."""
    check_output(where, (".py",), "python")
    step = checked_step("python", step)
    text = module(written("python", model), "NumPy", ["import numpy as np"], step, _RUNNING)
    write_whole(where, text)
    return [where]
