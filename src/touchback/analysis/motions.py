"""Prescribed motions: positions, velocities and accelerations of coordinates at any time."""

from collections.abc import Callable

import numpy as np

from touchback.arguments import check_takes
from touchback.errors import InputError, TouchbackError
from touchback.native import Interpreter
from touchback.simulate.protocol import Followed, Motion, MotionData
from touchback.symbolic.differentiate import jvp
from touchback.symbolic.expression import Expr
from touchback.symbolic.program import lower
from touchback.symbolic.tape import Tape

Course = Callable[[float], np.ndarray]  # time → (position, velocity, acceleration)


class Motions:
    """The prescribed coordinates at a time, in the order in which they were given."""

    def __init__(self, given: MotionData, times: np.ndarray) -> None:
        self._motions = [_motion(name, motion, times) for name, motion in given.items()]

    def __call__(self, t: float) -> np.ndarray:
        """Rows: positions, velocities, accelerations."""
        return np.array([motion(t) for motion in self._motions]).reshape(-1, 3).T


def _motion(name: str, given: Motion, times: np.ndarray) -> Course:
    for each in given if isinstance(given, tuple) else (given,):
        if callable(each):
            check_takes(f"Motion of '{name}': its function", each, ["time"])
    if callable(given):
        return _traced(name, given)
    if isinstance(given, int | float):
        return lambda t: np.array([float(given), 0.0, 0.0])
    if isinstance(given, tuple) and len(given) == 3 and all(map(callable, given)):
        return lambda t: np.array([float(part(t)) for part in given])
    return _spline(name, given, times)


def _traced(name: str, function: Followed) -> Course:
    """Rates by the tape: the function is followed once, on an expression."""
    tape = Tape()
    time = tape.symbol("time")
    try:
        result = function(Expr(tape, time))
        node = result.id if isinstance(result, Expr) else tape.const(float(result))
    except (TypeError, AttributeError, TouchbackError) as error:
        raise InputError(
            f"Motion of '{name}': its rates can't be derived, because the function can't be "
            f"followed on an expression ({error}). Write it with tb.sin, tb.select, …, or give "
            "three functions (position, velocity, acceleration), or samples."
        ) from error
    rate = jvp(tape, [node], {time: 1})
    outputs = [node, *rate, *jvp(tape, rate, {time: 1})]
    program = Interpreter(lower(tape, outputs, {time: ("x", 0)}))
    nothing = np.zeros(1)
    return lambda t: program.run(np.array([t]), nothing, nothing)


def _spline(name: str, given: object, times: np.ndarray) -> Course:
    """Samples at the times of the analysis, joined by polynomials of degree five (accelerations are
    then of fourth order in the time between samples)."""
    from scipy.interpolate import make_interp_spline

    values = np.asarray(given, dtype=float)
    if values.shape != times.shape:
        raise InputError(
            f"Motion of '{name}': a function of time or {times.size} samples (one a time) are "
            f"expected, got shape {values.shape}."
        )
    if len(times) < 6:
        raise InputError(
            f"Motion of '{name}': {len(times)} samples don't tell accelerations; give at least 6, "
            "or a function of time."
        )
    curve = make_interp_spline(times, values, k=5)
    rates = curve, curve.derivative(1), curve.derivative(2)
    return lambda t: np.array([float(part(t)) for part in rates])
