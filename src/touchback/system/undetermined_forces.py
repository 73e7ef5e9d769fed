"""Forces that mechanics leaves open: redundant constraints share a load in many ways.

Mechanics determines Wᵀλ. Where rows are redundant many λ give the same forces, and everything here
takes those of least norm, √Σλᵢ² with newtons and newton metres counted alike. Whoever asks for one
of these, or for a reaction that follows from them, is told which rows are redundant.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from touchback.system.active_equations import At
from touchback.system.degrees_of_freedom import SHARED
from touchback.system.dynamics_kinds import DynamicsKind
from touchback.system.method_dispatch import Calls

_PACKAGE = __name__.split(".", maxsplit=1)[0]


def warn_of_undetermined(
    dynamics: DynamicsKind,
    calls: Calls,
    at: At,
    asked: Hashable,
    names: Sequence[str],
    shown: Callable[[np.ndarray], np.ndarray] | None = None,
) -> None:
    """A RuntimeWarning, the first time that something is `asked` of a system, where some of the
    numbers of these `names` aren't determined at (the first of) these states: of multipliers, or of
    what is `shown` of accelerations and multipliers."""
    left = dynamics.derive_once(
        ("open", asked, calls.key), lambda: [_open_forces_text(dynamics, calls, at, names, shown)]
    )
    if told := left and left.pop():
        warnings.warn(f"{dynamics.name}: {told}", RuntimeWarning, stacklevel=caller_stack_level())


def _open_forces_text(
    dynamics: DynamicsKind,
    calls: Calls,
    at: At,
    names: Sequence[str],
    shown: Callable[[np.ndarray], np.ndarray] | None,
) -> str:
    directions, rows = dynamics.open_solutions(calls, at)
    if not len(directions):
        return ""
    if shown is None:
        own = rows_of(directions, rows)
    else:
        nothing = shown(np.zeros(directions.shape[1]))
        moved = np.max([np.abs(shown(each) - nothing) for each in directions], axis=0)
        first = moved.reshape(-1, len(names))[0]
        own = [name for name, by in zip(names, first, strict=True) if by > SHARED]
    return undetermined_text(own, rows_of(directions, rows)) if own else ""


def rows_of(directions: np.ndarray, rows: Sequence[str]) -> list[str]:
    """The rows that share."""
    shares = np.abs(directions[:, -len(rows) :]).max(axis=0)
    return [name for name, share in zip(rows, shares, strict=True) if share > SHARED]


def undetermined_text(names: Sequence[str], rows: Sequence[str]) -> str:
    """What is said of numbers that aren't determined, with the rows that share a load."""
    listed = ", ".join(f"'{name}'" for name in names)
    those = ", ".join(f"'{name}'" for name in rows)
    verb = "isn't" if len(names) == 1 else "aren't"
    who = "" if list(names) == list(rows) else f" (rows {those})"
    return (
        f"{listed} {verb} determined: constraints are redundant{who} and may share their load in "
        "many ways; shown are the values with the least multipliers (√Σλ²). Take closures with "
        "fewer equations, or give what carries the load a stiffness."
    )


def undetermined_forces_text(rows: Sequence[str]) -> str:
    """What is said of the forces of rows that aren't determined."""
    forces = "The force" if len(rows) == 1 else "The forces"
    return f"{forces} of {undetermined_text(rows, rows)}"


def caller_stack_level() -> int:
    """How many calls up a call from outside of the package is."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals["__name__"].split(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    return level
