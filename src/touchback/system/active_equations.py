"""What acts in a motion, and where it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from numpy.typing import ArrayLike

from touchback.model import Model
from touchback.system.compiled_function import FunctionSet
from touchback.system.constraint_functions import ConstraintLayout
from touchback.system.signal_layout import Values

Key = tuple[str, ...]  # what acts: names of active constraints, or of the modes that reign


class At(NamedTuple):
    """Where functions are asked for, as a user gives it."""

    q: Values = None
    v: Values = None
    u: Values = None
    t: ArrayLike = 0.0
    z: Values = None
    parameters: Mapping[str, ArrayLike] | None = None  # that replace the present ones


@dataclass(frozen=True)
class ActiveEquations:
    """What holds under a key: the model, its constraint rows, and the functions that runs need, on
    one parameter block."""

    model: Model
    rows: ConstraintLayout
    functions: FunctionSet
