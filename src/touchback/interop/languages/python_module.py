"""A model as a Python module that needs NumPy only."""

from pathlib import Path

from touchback.interop.languages.python_text import module
from touchback.interop.languages.written import checked_step, written
from touchback.model.model import Model
from touchback.regular_file import check_output, write_whole

_RUNNING = '''
def run(duration, x=START, inputs=INPUTS, p=P, h=STEP):
    """Times, and a state at each; `inputs` are numbers, or a function of time that gives them."""
    times = h * np.arange(round(duration / h) + 1)
    states = [np.asarray(x, dtype=float)]
    for t in times[:-1]:
        states.append(step(t, states[-1], inputs(t) if callable(inputs) else inputs, p, h))
    return times, np.array(states)


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
