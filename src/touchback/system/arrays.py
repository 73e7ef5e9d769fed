"""Functions of a system on arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from touchback.model.frame import BodyHandle, Frame, as_frame
from touchback.model.names import unknown
from touchback.model.sensors import Reaction
from touchback.native import tree_products
from touchback.system import functions as recipes
from touchback.system.calls import Way, by_its_name, hot
from touchback.system.constrained import Terms
from touchback.system.function import Function
from touchback.system.layout import Layout, Values
from touchback.system.motions.acting import At
from touchback.system.names import Named
from touchback.system.reading import checked_out, components, filled, leading, written
from touchback.system.solved_motion import SolvedMotion
from touchback.system.undetermined import warn_of_open

Out = np.ndarray | None  # where a result is written; None: to a new array
Replaced = Mapping[str, ArrayLike] | None  # parameters of this call, by numbers or arrays


class Arrays(Named):
    """Every function takes arrays or dicts by name, and leading dimensions: an array of states.
    Names that are missing, or `None`, stand for initial positions and states, for the defaults of
    inputs, and for zero velocities, accelerations and efforts. One that is `hot` is a C callable
    after its first call; `out` takes its result, and `parameters` replaces some for the call, by
    numbers or by arrays over the states. Where a function gives several things, `out` has them side
    by side in its last dimension, and what is returned for an array of states looks into it."""

    @hot(Way("inverse dynamics", "a"))
    def inverse_dynamics(
        self, q: Values, v: Values, a: Values, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Joint efforts τ = M a + c that produce the accelerations `a` (Docquier 2021, eq. 2).

        These are *total* joint efforts: springs, damping, friction and motors described in joints
        are efforts too and are not in c; forces on bodies are (with inputs `u`)."""
        return self.called(
            "inverse dynamics", At(q, v, u, t, z, parameters), self.along("a", a), out
        )

    @hot(Way("bias"))
    def bias(
        self, q: Values, v: Values, u: Values = None, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """c(q, v): Coriolis, centrifugal and gravity terms less forces on bodies."""
        return self.called("bias", At(q, v, u, t, z, parameters), out=out)

    @hot(Way("mass matrix"))
    def mass_matrix(self, q: Values, out: Out = None, parameters: Replaced = None) -> np.ndarray:
        """M(q), armature included."""
        if not self.plan.loop_mass_matrix:
            return self.called("mass matrix", At(q, parameters=parameters), out=out)
        n, order = self.sizes[1], self.plan.dof_order
        columns = self.called("mass matrix columns", At(q, parameters=parameters))
        back = np.argsort(order)
        shape = (*columns.shape[:-1], n, n)
        result = np.empty(shape) if out is None else checked_out(out, shape)
        for row, M_row in zip(columns.reshape(-1, 13 * n), result.reshape(-1, n, n), strict=True):
            S, F = row[: 6 * n].reshape(6, n)[:, order], row[6 * n : 12 * n].reshape(n, 6)
            M = tree_products(self.plan.dof_parents, S, F[order])
            M.flat[:: n + 1] += row[12 * n :][order]
            M_row[:] = M[np.ix_(back, back)]
        return result

    @hot(
        Way("forward dynamics", "tau"), Way("motion by tau", "tau", part="v"),
        Way("rate", part="v"), Way("motion", part="v"),
    )  # fmt: skip
    def forward_dynamics(
        self, q: Values, v: Values, tau: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Accelerations a with M a + c = τ, or those that keep the constraints. Without `tau` the
        model's own joint efforts act (motors by the inputs `u`, springs, damping, friction); with
        it `tau` replaces them, so that it undoes `inverse_dynamics`."""
        found = self.motion.solve(self, At(q, v, u, t, z, parameters), tau, out=out)[0]
        return written(found, out)

    @by_its_name
    def multipliers(
        self, q: Values, v: Values, tau: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> dict[str, float | np.ndarray]:  # fmt: skip
        """The force, torque or effort that keeps each constraint row: a number, or an array over
        the states; `out` is (…, rows). Where rows are redundant these are the least ones (√Σλ²),
        and the first call warns."""
        calls = self.calls
        at, names = At(q, v, u, t, z, parameters, calls), self.motion.rows(calls.key).names
        solved = written(self.motion.solve(self, at, tau)[1], out)
        if names:
            warn_of_open(self, at, "multipliers", names)
        return dict(zip(names, components(solved), strict=True))

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the constraint rows that act, in the order of the multipliers."""
        return self.motion.rows(self.key).names

    @property
    def multiplier_units(self) -> dict[str, str]:
        """Units of the multipliers, by constraint row: N, N m, or "" where it isn't known."""
        return self.motion.multiplier_units(self.key)

    @by_its_name
    def terms(
        self, q: Values, v: Values, u: Values = None, t: ArrayLike = 0.0, z: Values = None,
        out: Terms | None = None, parameters: Replaced = None,
    ) -> Terms:  # fmt: skip
        """h, b, γ, J, W, M and f at a state of a system with constraints, as dense arrays; `out`
        are terms of as many states."""
        return self.motion.terms(self, At(q, v, u, t, z, parameters)).written(out)

    @by_its_name
    def constraint_error(
        self, q: Values, t: ArrayLike = 0.0, u: Values = None, z: Values = None, out: Out = None,
        parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """h of every row (zero for rows on velocities only); of drives that follow extra states at
        these `z`."""
        at = At(q, u=u, t=t, z=z, parameters=parameters)
        return written(self.motion.positions(self, at)[0], out)

    @hot(Way("joint efforts"))
    def joint_efforts(
        self, q: Values, v: Values, u: Values = None, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """The model's own joint efforts: motors, springs, damping, friction, stops."""
        return self.called("joint efforts", At(q, v, u, t, z, parameters), out=out)

    @hot(Way("rate"), Way("motion", part="x"))
    def state_rate(
        self, q: Values, v: Values, u: Values = None, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """dx/dt of x = [q, v, z]."""
        return written(self.motion.state_rate(self, At(q, v, u, t, z, parameters)), out)

    @by_its_name
    def sensors(
        self, q: Values = None, v: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> dict[str, float | np.ndarray]:  # fmt: skip
        """What every sensor shows: a number, or an array over the states; `out` is (…, sensor
        components)."""
        at = At(q, v, u, t, z, parameters, self.calls)
        shown = self.called("outputs", at, self.motion.solved(self, at), out)
        return dict(zip(self.layout.outputs, components(shown), strict=True))

    @by_its_name
    def energy(
        self, q: Values, v: Values, t: ArrayLike = 0.0, z: Values = None, out: Out = None,
        parameters: Replaced = None,
    ) -> tuple[float | np.ndarray, float | np.ndarray]:  # fmt: skip
        """Kinetic and potential energy (gravity and springs) [J]: numbers, or arrays over the
        states; `out` is (…, 2)."""
        at = At(q, v, t=t, z=z, parameters=parameters)
        kinetic, potential = components(self.called("energy", at, out=out))
        return kinetic, potential

    @hot(Way("momentum"))
    def momentum(
        self,
        q: Values,
        v: Values,
        t: ArrayLike = 0.0,
        z: Values = None,
        out: Out = None,
        parameters: Replaced = None,
    ) -> np.ndarray:
        """Linear momentum and angular momentum about the world's origin, 2 × 3."""
        return self.called("momentum", At(q, v, t=t, z=z, parameters=parameters), out=out)

    @hot(Way("centre of mass"))
    def centre_of_mass(
        self,
        q: Values,
        t: ArrayLike = 0.0,
        z: Values = None,
        out: Out = None,
        parameters: Replaced = None,
    ) -> np.ndarray:
        """Centre of mass of everything that moves [m]."""
        return self.called("centre of mass", At(q, t=t, z=z, parameters=parameters), out=out)

    # ---- of frames and joints -------------------------------------------------------------------

    @by_its_name
    def pose(
        self, frame: Frame | BodyHandle | str, q: Values, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """R_WF (3 × 3) and p_WF [m] of a body or frame; the world is where a ground that moves
        would be if it didn't; `out` is (…, 12), rotations by rows first."""
        function = self._of(frame, "pose", recipes.pose_recipe)
        flat = self.evaluated(function, At(q, t=t, z=z, parameters=parameters), out=out)
        return flat[..., :9].reshape(*flat.shape[:-1], 3, 3), flat[..., 9:]

    @by_its_name
    def velocity(
        self, frame: Frame | BodyHandle | str, q: Values, v: Values, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Angular velocity (3) and velocity of the origin (3) of a body or frame, along world
        axes."""
        function = self._of(frame, "velocity", recipes.velocity_recipe)
        return self.evaluated(function, At(q, v, t=t, z=z, parameters=parameters), out=out)

    @by_its_name
    def acceleration(
        self, frame: Frame | BodyHandle | str, q: Values, v: Values, a: Values, u: Values = None,
        t: ArrayLike = 0.0, z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Angular acceleration (3) and acceleration of the origin (3), along world axes."""
        function = self._of(frame, "acceleration", recipes.acceleration_recipe)
        return self.evaluated(function, At(q, v, u, t, z, parameters), self.along("a", a), out)

    @by_its_name
    def jacobian(
        self, frame: Frame | BodyHandle | str, q: Values, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """6 × nv: rows ω and velocity of the origin, along world axes."""
        function = self._of(frame, "jacobian", recipes.jacobian_recipe)
        return self.evaluated(function, At(q, t=t, z=z, parameters=parameters), out=out)

    @by_its_name
    def reaction(
        self, joint: str, q: Values, v: Values, a: Values = None, u: Values = None,
        t: ArrayLike = 0.0, z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Force (3) and moment (3) that the parent exerts on the child, at and along the joint's
        child frame; of a closure, that a's body exerts on b's, at and along frame b.

        Without `a` the accelerations are those of the forward dynamics; with it, the multipliers
        of constraints still are."""
        calls = self.calls
        model, rows = self.motion.model(calls.key), self.motion.rows(calls.key).names
        at = At(q, v, u, t, z, parameters, calls)
        known = {**model.joints, **model.closures}
        if joint not in known:
            what = "joint or closure" if self.motion.constrained else "joint"
            raise unknown(what, joint, known)
        function = self.motion.derived(
            calls.key,
            ("reaction", joint, calls.key),
            lambda: recipes.reaction_recipe(self.layout, joint, rows),
        )
        solved = self.motion.solve(self, at) if a is None or rows else (np.zeros(0), np.zeros(0))
        given = solved[0] if a is None else self.along("a", a)
        lead = leading([given, solved[1]])
        parts = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in (given, solved[1])]
        if rows:
            names = tuple(f"{joint}.{each}" for each in Reaction(joint).components())
            warn_of_open(
                self, at, ("reaction", joint), names,
                lambda given: self.evaluated(function, at, given),
            )  # fmt: skip
        return self.evaluated(function, at, np.concatenate(parts, axis=-1), out)

    def _of(
        self,
        frame: Frame | BodyHandle | str,
        kind: str,
        recipe: Callable[[Layout, Frame], recipes.Recipe],
    ) -> Function:
        """What is derived for a frame."""
        given, bodies = as_frame(kind, frame), self.motion.model(self.key).bodies
        if given.body != "ground" and given.body not in bodies:
            raise unknown("body", given.body, bodies)
        return self.derived((kind, given), lambda: recipe(self.layout, given))

    # ---- the calls themselves -------------------------------------------------------------------

    def function(self, name: str) -> Function:
        """A function by name: "inverse dynamics", "forward dynamics", "bias", "mass matrix",
        "rate" ("terms" with constraints), "updates", …"""
        return self.motion.function(self.key, str(name).replace("_", " "))

    def derived(self, what: Hashable, recipe: Callable[[], recipes.Recipe]) -> Function:
        """A function known by a kind and a thing, derived when new."""
        return self.motion.derived(self.key, what, recipe)

    def called(
        self, name: str, at: At, extra: np.ndarray | None = None, out: Out = None
    ) -> np.ndarray:
        """What a function gives at a state or an array of states, with further arguments."""
        return self.evaluated((at.calls or self.calls).by_name(name), at, extra, out)

    def evaluated(
        self, function: Function | SolvedMotion, at: At, extra: np.ndarray | None = None,
        out: Out = None,
    ) -> np.ndarray:  # fmt: skip
        """The same of a function at hand."""
        return (at.calls or self.calls).evaluate(
            function, at.q, at.v, at.u, at.t, extra, at.z, out, at.parameters
        )

    def along(self, label: str, given: Values) -> np.ndarray:
        """A number for each velocity coordinate."""
        return filled(label, given, self.layout.v, np.zeros(len(self.layout.v)))
