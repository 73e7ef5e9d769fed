"""A table of faults: faulty models and files, each with the message it gets.

`faulty_models.py`, `faulty_joints.py`, `faulty_contacts.py`, `faulty_modes.py` and
`faulty_files.py` fill it;
`docs/errors_tables.inc` is made of it by `python tests/update_docs.py`. Faulty constraints have a
table of their own, in `constraint_faults.py`.
"""

import inspect
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from touchback.model import Model
from touchback.model.io import model_from_text
from touchback.model.joints import Revolute


@dataclass(frozen=True)
class Fault:
    """What is wrong, how it is written, and what is said about it."""

    title: str
    section: str
    shown: str
    run: Callable[[], object]
    message: str
    home: str  # the module that has it in its table
    is_file: bool = False
    is_said: bool = False  # printed, not raised


FAULTS: list[Fault] = []


def fault(
    title: str, section: str, message: str, table: list[Fault] = FAULTS, said: bool = False
) -> Callable[[Callable[[], object]], None]:
    """Put a function that makes a mistake in the table; `said`: it works and prints the message."""

    def note(function: Callable[[], object]) -> None:
        source = textwrap.dedent(inspect.getsource(function))
        body = source[source.index("def _() -> None:\n") + len("def _() -> None:\n") :]
        shown = textwrap.dedent(body).strip()
        home = function.__module__
        table.append(Fault(title, section, shown, function, message, home, is_said=said))

    return note


def file_fault(title: str, text: str, message: str, compiled: bool = False) -> None:
    """Put a file that is wrong in the table; `compiled`: only compiling its model finds it."""
    written = textwrap.dedent(text).strip()

    def run() -> object:
        model = model_from_text(written, ".yaml", "arm.yaml")
        return model.compile() if compiled else model

    home = sys._getframe(1).f_globals["__name__"]
    FAULTS.append(Fault(title, "Files", written, run, message, home, is_file=True))


def arm() -> Model:
    """A pendulum that nothing is wrong with."""
    m = Model("arm")
    rod = m.body("rod", mass=1.0, com=(0.5, 0.0, 0.0), inertia=(0.0, 0.1, 0.1))
    m.joint("shoulder", Revolute("y"), m.ground, rod)
    return m
