"""What implicit methods need beside a problem: the Jacobian of its rate, and memory."""

import ctypes

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.constrained.jacobian import ConstrainedJacobian, RateSlopes
from touchback.native.integrate.problem import CallableStruct, FunctionData, Problem
from touchback.native.library import LIB, Floats, address_of, aligned_zeros, as_floats

_COUNTS = ("jacobians", "factorisations", "evaluations", "solves", "iterations")
_MORE_COUNTS = ("iterations_last", "iterations_most", "not_converged")


class _NewtonStruct(ctypes.Structure):
    """tb_newton of newton.h."""

    _fields_ = [
        ("jacobian", CallableStruct),
        ("p", ctypes.c_void_p),
        *[(name, ctypes.c_double) for name in ("rtol", "atol")],
        *[(name, ctypes.c_void_p) for name in ("J", "matrix", "scratch", "pivots")],
        *[(name, ctypes.c_long) for name in (*_COUNTS, *_MORE_COUNTS)],
    ]


LIB.tb_rate_jacobian.restype = None
LIB.tb_rate_jacobian.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p]


class Newton:
    """Newton's method for a problem, which it belongs to from then on.

    `jacobian` gives ∂(dx/dt)/∂x from x, u and its own parameter block `p`; with constraints it is
    made of the slopes of their equations. Without it differences of the rate do. `rtol` and `atol`
    say when a fixed step is solved.
    """

    def __init__(
        self,
        problem: Problem,
        jacobian: FunctionData | RateSlopes | None = None,
        p: ArrayLike = (),
        rtol: float = 1e-8,
        atol: float = 1e-10,
    ) -> None:
        n = problem.state_size
        if isinstance(jacobian, RateSlopes):
            jacobian = ConstrainedJacobian(problem, jacobian)
        self._problem, self._n = problem, n
        self._J, self._matrix = aligned_zeros(n * n), aligned_zeros(n * n)
        self._scratch, self._pivots = aligned_zeros(3 * n), np.zeros(n, dtype=np.int32)
        self._work = aligned_zeros(jacobian.work_size if jacobian else 0)
        self._jacobian, self._p = jacobian, as_floats(p)
        self._struct = _NewtonStruct(
            p=address_of(self._p), rtol=rtol, atol=atol,
            J=address_of(self._J), matrix=address_of(self._matrix),
            scratch=address_of(self._scratch), pivots=address_of(self._pivots),
        )  # fmt: skip
        if jacobian is not None:
            self._struct.jacobian = CallableStruct(
                jacobian.address, address_of(self._work), jacobian.context_address
            )
        problem.use_newton(self, ctypes.addressof(self._struct))

    def jacobian(self, t: float, x: Floats) -> Floats:
        """∂(dx/dt)/∂x, n × n."""
        state, rate = as_floats(x), self._problem.rate(t, x)
        LIB.tb_rate_jacobian(self._problem.address, t, address_of(state), address_of(rate))
        return self._J.reshape(self._n, self._n).copy()

    @property
    def statistics(self) -> dict[str, int]:
        """Counts since the start."""
        return {name: int(getattr(self._struct, name)) for name in (*_COUNTS, *_MORE_COUNTS)}
