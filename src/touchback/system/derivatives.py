"""Derivatives of a system's dynamics, on arrays."""

import numpy as np
from numpy.typing import ArrayLike

from touchback.system.arrays import Arrays, Out, Replaced
from touchback.system.calls import Way, by_its_name, hot
from touchback.system.functions import regressor_recipe
from touchback.system.layout import Values
from touchback.system.motions.acting import At


class Derivatives(Arrays):
    """Matrices of derivatives, exact to rounding; by increments in velocity coordinates where they
    are by positions: with dq = N(q) δ they are by δ, so that a quaternion has three columns (turns
    about the body's axes) and each matrix is square. For coordinates with q̇ = v, δ is dq."""

    @hot(Way("inverse dynamics derivatives", "a"))
    def inverse_dynamics_derivatives(
        self, q: Values, v: Values, a: Values, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """∂τ/∂q, ∂τ/∂v and ∂τ/∂a = M of `inverse_dynamics`, (3, n, n): row i of each belongs to
        effort i (Singh, Russell and Wensing 2022)."""
        at = At(q, v, u, t, z, parameters)
        return self.called("inverse dynamics derivatives", at, self.along("a", a), out)

    @hot(Way("forward dynamics derivatives", "tau"), Way("own dynamics derivatives"))
    def forward_dynamics_derivatives(
        self, q: Values, v: Values, tau: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹ of `forward_dynamics`, (3, n, n): row i of each belongs to
        acceleration i. Without `tau` the model's own joint efforts act, and vary with q and v."""
        return self._by_efforts("derivatives", At(q, v, u, t, z, parameters), tau, out)

    @hot(Way("inverse dynamics by parameters", "a"))
    def inverse_dynamics_by_parameters(
        self, q: Values, v: Values, a: Values, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """∂τ/∂p of `inverse_dynamics`, (n, parameters), these in the order of `parameters`; masses,
        first moments and moments of inertia enter linearly, so that their columns are those of the
        regressor."""
        at = At(q, v, u, t, z, parameters)
        return self.called("inverse dynamics by parameters", at, self.along("a", a), out)

    @by_its_name
    def regressor(
        self, q: Values, v: Values, a: Values, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Y of τ = Y π, (n, 10 × bodies): the efforts that inertia and weight of all bodies need,
        without armature and without forces on bodies. Of each body, in order of description, π has
        mass, first moments and the tensor about the origin of its frame: m, hx, hy, hz, Jxx, Jyy,
        Jzz, Jxy, Jxz, Jyz (`tb.estimate.inertial_parameters`)."""
        key = self.calls.key
        bodies = len(self.motion.model(key).bodies)
        function = self.motion.derived(
            key, "regressor", lambda: regressor_recipe(self.layout, bodies)
        )
        at = At(q, v, None, t, z, parameters)
        return self.evaluated(function, at, self.along("a", a), out)

    @hot(Way("forward dynamics by parameters", "tau"), Way("own dynamics by parameters"))
    def forward_dynamics_by_parameters(
        self, q: Values, v: Values, tau: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """∂a/∂p of `forward_dynamics`, (n, parameters), these in the order of `parameters`."""
        return self._by_efforts("by parameters", At(q, v, u, t, z, parameters), tau, out)

    def _by_efforts(self, what: str, at: At, tau: Values, out: Out) -> np.ndarray:
        """Of accelerations for given joint efforts, or for the model's own."""
        if tau is None:
            return self.called(f"own dynamics {what}", at, out=out)
        return self.called(f"forward dynamics {what}", at, self.along("tau", tau), out)
