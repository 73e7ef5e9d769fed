"""What implicit methods need beside a problem: the Jacobian of its rate, and memory."""

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.c_struct import FunctionData, Record
from touchback.native.constrained.rate_jacobian import ConstrainedJacobian, RateDerivatives
from touchback.native.integrate.problem_struct import Problem
from touchback.native.shared_library import LIB, Floats, address_of, as_floats

Momentum = tuple[FunctionData, ArrayLike]  # the function and its parameter block


class Newton:
    """Newton's method for a problem, which it belongs to from then on.

    `jacobian` gives ∂(dx/dt)/∂x from x, u and its own parameter block `p`; with constraints it is
    made of the slopes of their equations. Without it differences of the rate do. `rtol` and `atol`
    say when a fixed step is solved. `momentum` gives [M, d(M v)/dt, dz/dt], where the method works
    on momenta ("variational").
    """

    def __init__(
        self,
        problem: Problem,
        jacobian: FunctionData | RateDerivatives | None = None,
        p: ArrayLike = (),
        rtol: float = 1e-8,
        atol: float = 1e-10,
        momentum: Momentum | None = None,
    ) -> None:
        n = problem.state_size
        if isinstance(jacobian, RateDerivatives):
            jacobian = ConstrainedJacobian(problem, jacobian)
        self._problem, self._n = problem, n
        self.record = record = Record("tb_newton", rtol=rtol, atol=atol)
        self.p = record.point("p", as_floats(p))
        self._J = record.floats("J", n * n)
        record.floats("matrix", n * n)
        record.floats("scratch", 3 * n)
        record.ints("pivots", np.zeros(n))
        record.call("jacobian", jacobian)
        self.momentum_p = as_floats(() if momentum is None else momentum[1])
        if momentum is not None:
            _, nv, nz = problem.sizes
            record.call("momentum", momentum[0])
            record.point("momentum_p", self.momentum_p)
            record.floats("momenta", nv * nv + nv + nz)
        problem.use_newton(self, record.address)

    def jacobian(self, t: float, x: Floats) -> Floats:
        """∂(dx/dt)/∂x, n × n."""
        state, rate = as_floats(x), self._problem.rate(t, x)
        LIB.tb_rate_jacobian(self._problem.address, t, address_of(state), address_of(rate))
        return self._J.reshape(self._n, self._n).copy()

    @property
    def statistics(self) -> dict[str, int]:
        """Counts since the start."""
        return self.record.numbers(
            "jacobians", "factorisations", "evaluations", "solves", "iterations",
            "iterations_last", "iterations_most", "not_converged",
        )  # fmt: skip
