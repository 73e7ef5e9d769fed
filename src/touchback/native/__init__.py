"""The one small C library and its Python face: addresses and arrays, no mechanics.

Every generated function has the calling convention of `abi.h`.
"""

from touchback.native.calls.context import Context
from touchback.native.calls.interpreter import Interpreter
from touchback.native.calls.publish import Published, publish
from touchback.native.calls.reorder import reorder
from touchback.native.calls.rows import Timing, evaluate_rows, time_calls
from touchback.native.chunks import Chunks, slices
from touchback.native.constrained.constrained import Constrained, ConstrainedFunctions
from touchback.native.constrained.formulation_kinds import (
    FORMULATIONS,
    AugmentedLagrangian,
    Baumgarte,
    Formulation,
    Penalty,
    formulation_of,
)
from touchback.native.constrained.jacobian import RateDerivatives
from touchback.native.integrate.adaptive import Adaptive, Dopri5, Radau5
from touchback.native.integrate.cells import Cells
from touchback.native.integrate.events import Crossing, EventFunction, EventRule, Events
from touchback.native.integrate.fixed_step import FixedStep, Status
from touchback.native.integrate.knots import Knots
from touchback.native.integrate.newton import Newton
from touchback.native.integrate.problem import Problem, SampledInputs
from touchback.native.interrupt import Listening, Stop, stop_asked
from touchback.native.library import ABI_VERSION, LIBRARY_PATH, aligned_zeros
from touchback.native.linear.tree import tree_products
from touchback.native.record import FunctionData

__all__ = [
    "ABI_VERSION",
    "FORMULATIONS",
    "LIBRARY_PATH",
    "Adaptive",
    "AugmentedLagrangian",
    "Baumgarte",
    "Cells",
    "Chunks",
    "Constrained",
    "ConstrainedFunctions",
    "Context",
    "Crossing",
    "Dopri5",
    "EventFunction",
    "EventRule",
    "Events",
    "FixedStep",
    "Formulation",
    "FunctionData",
    "Interpreter",
    "Knots",
    "Listening",
    "Newton",
    "Penalty",
    "Problem",
    "Published",
    "Radau5",
    "RateDerivatives",
    "SampledInputs",
    "Status",
    "Stop",
    "Timing",
    "aligned_zeros",
    "evaluate_rows",
    "formulation_of",
    "publish",
    "reorder",
    "slices",
    "stop_asked",
    "time_calls",
    "tree_products",
]
