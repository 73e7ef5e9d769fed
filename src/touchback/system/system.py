"""A compiled model: names, sizes, parameters, and functions on arrays."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from touchback.codegen import Compiled
from touchback.errors import InputError
from touchback.model import BodyHandle, Frame, Model, Reaction, as_frame
from touchback.names import unknown
from touchback.native import (
    ConstrainedFunctions,
    Formulation,
    FunctionData,
    ModesData,
    RateDerivatives,
    tree_products,
)
from touchback.numbers import by_name, shown
from touchback.symbolic import Counts, Expr, Tape
from touchback.system import function_definitions as recipes
from touchback.system.active_equations import ActiveEquations, At, Key
from touchback.system.array_arguments import checked_out, components, leading, write_result
from touchback.system.compiled_function import Function, FunctionSet
from touchback.system.constrained_accelerations import SolvedMotion
from touchback.system.constraint_functions import Terms
from touchback.system.degrees_of_freedom import Freedoms
from touchback.system.derivation import Derivation
from touchback.system.dynamics_kinds.base import DynamicsKind
from touchback.system.function_source import function_source, listing_of, printer_of, stage_source
from touchback.system.implicit_equations import Equations
from touchback.system.integration_problem import InputFeed, IntegrationProblem, ProblemSpec
from touchback.system.method_dispatch import (
    CallCache,
    Calls,
    CallVariant,
    dispatch_to_native,
    name_in_shape_errors,
)
from touchback.system.signal_layout import Layout, Values, fill
from touchback.system.state_assembly import check_branches, with_found_states
from touchback.system.system_state import Assembly, State, elements_of
from touchback.system.undetermined_forces import warn_of_undetermined

if TYPE_CHECKING:
    import touchback as tb

Out = np.ndarray | None  # where a result is written; None: to a new array
Replaced = Mapping[str, ArrayLike] | None  # parameters of this call, by numbers or arrays

_SHUT = 1e-10  # m or rad: a loop that is closed


class System:
    """What `Model.compile` returns. Functions are derived and compiled when first used.

    Arrays stand in the order of `coordinates` (positions q) and `velocities` (velocities v,
    accelerations, efforts); every argument may also be a dict by name. Any number of threads may
    call the functions of one system, and run it; parameters, active constraints and modes are
    settings that all of them share (`independent_copy` gives a system with its own).

    Every function takes arrays or dicts by name, and leading dimensions: an array of states. Names
    that are missing, or `None`, stand for initial positions and states, for the defaults of inputs,
    and for zero velocities, accelerations and efforts. One that is `hot` is a C callable after its
    first call; `out` takes its result, and `parameters` replaces some for the call, by numbers or
    by arrays over the states. Where a function gives several things, `out` has them side by side in
    its last dimension, and what is returned for an array of states looks into it.

    How the mechanism moves, by a tree of joints, under constraints, in modes or as a row of copies,
    is what its `dynamics` know (`system/dynamics_kinds`); a system never asks which."""

    def __init__(self, dynamics: DynamicsKind, replica: System | None = None) -> None:
        """`replica`: of a row of copies the system of each."""
        self._replica = replica
        self.dynamics, self.plan, self.layout = dynamics, dynamics.plan, dynamics.layout
        self.name, self.deriving = dynamics.name, dynamics.deriving
        defaults = np.array([given.default for given in self.layout.ranges], dtype=float)
        self.present = [
            Calls(dynamics, dynamics.first, defaults, CallCache())
        ]  # C looks here what is set

    @property
    def calls(self) -> Calls:
        """The functions with the settings as they are now."""
        return self.present[0]

    @property
    def key(self) -> Key:
        """What acts."""
        return self.calls.key

    @property
    def acting(self) -> ActiveEquations:
        """The model, constraint rows and functions that hold as things are set now."""
        return self.dynamics.active_equations(self.key)

    @property
    def model(self) -> Model:
        """The model with the constraints that are active, in the mode entered."""
        return self.dynamics.model(self.key)

    # ---- names and sizes -------------------------------------------------------------------------

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of q."""
        return self.layout.q

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of v."""
        return self.layout.v

    @property
    def sizes(self) -> tuple[int, int, int]:
        """(nq, nv, nz)."""
        return self.layout.sizes

    @property
    def state_names(self) -> list[str]:
        """Signal names of x = [q, v, z]."""
        return self.layout.state_names

    @property
    def state_units(self) -> list[str]:
        """Units of x."""
        return self.layout.state_units

    @property
    def input_names(self) -> list[str]:
        """Inputs that no controller drives."""
        return list(self.layout.inputs)

    @property
    def input_units(self) -> list[str]:
        """Units of the inputs."""
        return list(self.layout.input_units)

    @cached_property
    def input_defaults(self) -> np.ndarray:
        """Values of the inputs when nothing is connected."""
        return np.array(self.layout.input_defaults, dtype=float)

    @property
    def output_names(self) -> list[str]:
        """Sensor components."""
        return list(self.layout.outputs)

    @property
    def output_units(self) -> list[str]:
        """Units of the sensor components; that of a multiplier is its row's."""
        return self.dynamics.output_units(self.key)

    @property
    def memory_places(self) -> tuple[int, ...]:
        """Where in x = [q, v, z] the states are that change only at ticks."""
        return self.layout.memory_places

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the constraint rows that act, in the order of the multipliers."""
        return self.dynamics.rows(self.key).names

    @property
    def multiplier_units(self) -> dict[str, str]:
        """Units of the multipliers, by constraint row: N, N m, or "" where it isn't known."""
        return self.dynamics.multiplier_units(self.key)

    # ---- parameters ------------------------------------------------------------------------------

    @property
    def parameter_names(self) -> list[str]:
        """Live parameters, in the order of their arrays."""
        return list(self.layout.parameters)

    @property
    def parameter_units(self) -> list[str]:
        """Units of the live parameters."""
        return [known.unit for known in self.layout.ranges]

    @property
    def parameters(self) -> dict[str, float]:
        """Current values of the live parameters."""
        return dict(zip(self.layout.parameters, map(float, self.calls.parameters), strict=True))

    def changed_parameters(self, overrides: Mapping[str, float] | None = None) -> dict[str, float]:
        """Those whose values, with some replaced, aren't the model's own, and all that replace."""
        given, own = overrides or {}, [each.default for each in self.layout.ranges]
        now = zip(self.layout.parameters, self.parameter_values(given), own, strict=True)
        return {name: float(x) for name, x, usual in now if x != usual or name in given}

    def __getitem__(self, name: str) -> float:
        return float(self.calls.parameters[self.layout.index(name)])

    def __setitem__(self, name: str, number: float) -> None:
        with self.deriving:
            self.present[0] = self.calls.with_setting(
                parameters=self.parameter_values({name: number})
            )

    def parameter_values(self, overrides: Mapping[str, float] | None = None) -> np.ndarray:
        """All parameters in order, with some replaced."""
        return self.layout.changed(self.calls.parameters, overrides or {})

    def parameter_block(
        self, overrides: Mapping[str, float] | None = None, stiffness: bool = False
    ) -> np.ndarray:
        """The derived block that the functions of a run share, with some parameters replaced;
        `stiffness`: those of the implicit formulations of constraints."""
        return self.dynamics.block(self.key, self.parameter_values(overrides), stiffness)

    # ---- settings: active constraints and modes --------------------------------------------------

    def independent_copy(self, parameters: Mapping[str, float] | None = None) -> Self:
        """The same system with settings of its own (parameters, active constraints, mode), as they
        are now, but for some `parameters`, which change at once; what is derived of both is derived
        once."""
        with self.deriving:
            other = copy.copy(self)
        for name in self.calls.methods:
            other.__dict__.pop(name, None)
        other.present = [self.calls.with_own_workspace()]
        if parameters:
            other.present = [
                other.calls.with_setting(parameters=other.parameter_values(parameters))
            ]
        return other

    @property
    def active(self) -> tuple[str, ...]:
        """Names of the constraints that act."""
        return self.dynamics.active(self.key)

    def activate(self, *names: str) -> None:
        """Let constraints act; positions and velocities that break them are then corrected
        by `assemble`."""
        self._set(self.dynamics.key_with_constraints(self.key, names, True))

    def deactivate(self, *names: str) -> None:
        """Let constraints rest: their rows vanish, their multipliers are zero."""
        self._set(self.dynamics.key_with_constraints(self.key, names, False))

    @property
    def modes(self) -> dict[str, tuple[str, ...]]:
        """The modes by the state that holds their number: "mode", or "part/mode"."""
        return {each.state: each.modes for each in self.dynamics.modes.groups}

    @property
    def mode(self) -> str:
        """The mode that functions on arrays belong to."""
        return self.dynamics.modes.reigning[self.key].name if self.modes else ""

    @property
    def initial_modes(self) -> tuple[str, ...]:
        """The mode that each group begins in."""
        return tuple(group.initial for group in self.dynamics.modes.groups)

    def enter(self, *modes: str) -> None:
        """Let functions on arrays be those of a mode; with several groups, one of each or some
        of them."""
        self._set(self.dynamics.key_with_modes(self.key, modes))

    def _set(self, key: tuple[str, ...]) -> None:
        if key != self.key:
            with self.deriving:
                self.present[0] = self.calls.with_setting(key=key)

    def mode_of(self, x: State | ArrayLike) -> int:
        """The number of the mode that a state is in."""
        return self.dynamics.modes.number_in(self._elements(x), self.state_names, self.name)

    def _elements(self, given: State | ArrayLike) -> np.ndarray:
        return elements_of(self.name, self.state_names, self.sizes, given)

    # ---- copies ----------------------------------------------------------------------------------

    @property
    def replica(self) -> System:
        """Of a row of copies the system of each; others are their own."""
        return self._replica or self

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the copies in a row; none in others."""
        return self.dynamics.names

    @property
    def shared(self) -> tuple[str, ...]:
        """Inputs that all copies of a row have in common."""
        return self.dynamics.shared

    def states_of(self, x: State | ArrayLike) -> np.ndarray:
        """The states of the copies, a row for each."""
        return self.dynamics.states_of(self._elements(x))

    # ---- states ----------------------------------------------------------------------------------

    def initial_state(self) -> State:
        """The state that the model describes, with what forces track found there."""
        return self.dynamics.initial(self.parameters)

    def assemble(
        self,
        positions: Mapping[str, float] | None = None,
        rates: Mapping[str, float] | None = None,
        states: Mapping[str, float] | None = None,
        guess: Mapping[str, float] | None = None,
        t: float = 0.0,
        inputs: Values = None,
        **named: float | str | Sequence[str],
    ) -> State:
        """A state from the initial one with some positions (a mapping such as {"joint.x": 0.1}, or
        keywords), velocities (`rates`) and extra `states` replaced. With constraints it is
        consistent: `positions` and `rates` are kept; the others start from the model's initial
        ones, or from `guess`, which chooses the branch, and change least. What is driven or written
        is met at time `t` with these `inputs`. With modes, `mode` enters one first, or several."""
        match named.pop("mode", ()) if self.modes else ():
            case str(mode):
                self.enter(mode)
            case float() | int() as number:
                raise InputError(f"{self.name}: a mode is given by its name, got {shown(number)}.")
            case modes if modes:
                self.enter(*modes)
        dynamics, layout, start = self.dynamics, self.layout, self.dynamics.start
        kept = {**by_name("positions", positions), **named}
        q = fill("coordinate", by_name("guess", guess), layout.q, start.q)
        q = fill("coordinate", kept, layout.q, q).copy()
        v = fill("velocity", by_name("rates", rates), layout.v, start.v).copy()
        followed = fill("state", by_name("states", states), layout.z, start.z)
        at = At(u=inputs, t=t, z=followed)
        held = [layout.q.index(name) for name in kept]
        q = dynamics.solve_positions(self.calls, q, held, at)
        z = with_found_states(self.model, q, start.z, self.parameters)
        z = fill("state", by_name("states", states), layout.z, z).copy()
        check_branches(self.model, q, self.parameters)
        given = [layout.v.index(name) for name in rates or {}]
        v = dynamics.solve_velocities(self.calls, v, given, at._replace(q=q, z=z))
        how = Assembly(tuple(held), tuple(given), tuple(map(float, self.calls.parameters)))
        return State(q, v, dynamics.set_mode_states(self.key, z), tuple(self.state_names), how)

    def reassembled(self, state: State, t: float = 0.0, inputs: Values = None) -> State:
        """A state that `assemble` gave under other values of the parameters, assembled under those
        of now: what was given then is kept, the rest changes least."""
        self._elements(state)  # refuses those of another system
        how = state.assembly
        if how is None or how.parameters == tuple(map(float, self.calls.parameters)):
            return state
        at = At(u=inputs, t=t, z=state.z)
        if (
            np.abs(self.dynamics.positions(self.calls, at._replace(q=state.q))[0]).max(initial=0.0)
            < _SHUT
        ):
            return state
        q = self.dynamics.solve_positions(self.calls, state.q.copy(), list(how.positions), at)
        check_branches(self.model, q, self.parameters)
        v = self.dynamics.solve_velocities(
            self.calls, state.v.copy(), list(how.rates), at._replace(q=q)
        )
        return State(q, v, state.z, state.names)

    def consistent(
        self, x: State | ArrayLike, t: float = 0.0, inputs: Values = None
    ) -> tuple[np.ndarray, float]:
        """The state nearest to a state, or x = [q, v, z], that the active constraints allow at time
        `t` with these `inputs`, and the energy that is lost: positions change least, velocities by
        the constraints' impulses."""
        return self.dynamics.consistent(self.calls, self._elements(x), At(u=inputs, t=t))

    def freedoms(
        self, q: Values = None, t: float = 0.0, inputs: Values = None, z: Values = None
    ) -> Freedoms:
        """Degrees of freedom, independent coordinates, redundant constraints and singularity at a
        position (default: the assembled initial one)."""
        assembled = self.assemble(t=t, inputs=inputs).q if q is None else q
        at = fill("q", assembled, self.layout.q, self.dynamics.start.q)
        return self.dynamics.freedoms(self.calls, at, At(u=inputs, t=t, z=z))

    def stored_energy(
        self,
        x: State | ArrayLike,
        parameters: Mapping[str, float] | np.ndarray | None = None,
        t: float = 0.0,
    ) -> float:
        """Kinetic and potential energy [J] of a state, or x = [q, v, z], with some parameters
        replaced, or with all of them as an array."""
        if not isinstance(parameters, np.ndarray):
            parameters = self.parameter_values(parameters)
        return self.dynamics.energy(self.key, self._elements(x), parameters, t)

    # ---- functions on arrays ---------------------------------------------------------------------

    @dispatch_to_native(CallVariant("inverse dynamics", "a"))
    def inverse_dynamics(
        self, q: Values, v: Values, a: Values, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Joint efforts τ = M a + c that produce the accelerations `a` (Docquier 2021, eq. 2).

        These are *total* joint efforts: springs, damping, friction and motors described in joints
        are efforts too and are not in c; forces on bodies are (with inputs `u`)."""
        return self.call_by_name(
            "inverse dynamics", At(q, v, u, t, z, parameters), self.velocity_values("a", a), out
        )

    @dispatch_to_native(CallVariant("bias"))
    def bias(
        self, q: Values, v: Values, u: Values = None, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """c(q, v): Coriolis, centrifugal and gravity terms less forces on bodies."""
        return self.call_by_name("bias", At(q, v, u, t, z, parameters), out=out)

    @dispatch_to_native(CallVariant("mass matrix"))
    def mass_matrix(self, q: Values, out: Out = None, parameters: Replaced = None) -> np.ndarray:
        """M(q), armature included."""
        if not self.plan.loop_mass_matrix:
            return self.call_by_name("mass matrix", At(q, parameters=parameters), out=out)
        n, order = self.sizes[1], self.plan.dof_order
        columns = self.call_by_name("mass matrix columns", At(q, parameters=parameters))
        back = np.argsort(order)
        shape = (*columns.shape[:-1], n, n)
        result = np.empty(shape) if out is None else checked_out(out, shape)
        for row, M_row in zip(columns.reshape(-1, 13 * n), result.reshape(-1, n, n), strict=True):
            S, F = row[: 6 * n].reshape(6, n)[:, order], row[6 * n : 12 * n].reshape(n, 6)
            M = tree_products(self.plan.dof_parents, S, F[order])
            M.flat[:: n + 1] += row[12 * n :][order]
            M_row[:] = M[np.ix_(back, back)]
        return result

    @dispatch_to_native(
        CallVariant("forward dynamics", "tau"), CallVariant("motion by tau", "tau", part="v"),
        CallVariant("rate", part="v"), CallVariant("motion", part="v"),
    )  # fmt: skip
    def forward_dynamics(
        self, q: Values, v: Values, tau: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Accelerations a with M a + c = τ, or those that keep the constraints. Without `tau` the
        model's own joint efforts act (motors by the inputs `u`, springs, damping, friction); with
        it `tau` replaces them, so that it undoes `inverse_dynamics`."""
        found = self.dynamics.solve(self.calls, At(q, v, u, t, z, parameters), tau, out=out)[0]
        return write_result(found, out)

    @name_in_shape_errors
    def multipliers(
        self, q: Values, v: Values, tau: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> dict[str, float | np.ndarray]:  # fmt: skip
        """The force, torque or effort that keeps each constraint row: a number, or an array over
        the states; `out` is (…, rows). Where rows are redundant these are the least ones (√Σλ²),
        and the first call warns."""
        calls = self.calls
        at, names = At(q, v, u, t, z, parameters), self.dynamics.rows(calls.key).names
        solved = write_result(self.dynamics.solve(calls, at, tau)[1], out)
        if names:
            warn_of_undetermined(self.dynamics, calls, at, "multipliers", names)
        return dict(zip(names, components(solved), strict=True))

    @name_in_shape_errors
    def terms(
        self, q: Values, v: Values, u: Values = None, t: ArrayLike = 0.0, z: Values = None,
        out: Terms | None = None, parameters: Replaced = None,
    ) -> Terms:  # fmt: skip
        """h, b, γ, J, W, M and f at a state of a system with constraints, as dense arrays; `out`
        are terms of as many states."""
        return self.dynamics.terms(self.calls, At(q, v, u, t, z, parameters)).written(out)

    @name_in_shape_errors
    def constraint_error(
        self, q: Values, t: ArrayLike = 0.0, u: Values = None, z: Values = None, out: Out = None,
        parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """h of every row (zero for rows on velocities only); of drives that follow extra states at
        these `z`."""
        at = At(q, u=u, t=t, z=z, parameters=parameters)
        return write_result(self.dynamics.positions(self.calls, at)[0], out)

    @dispatch_to_native(CallVariant("joint efforts"))
    def joint_efforts(
        self, q: Values, v: Values, u: Values = None, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """The model's own joint efforts: motors, springs, damping, friction, stops."""
        return self.call_by_name("joint efforts", At(q, v, u, t, z, parameters), out=out)

    @dispatch_to_native(CallVariant("rate"), CallVariant("motion", part="x"))
    def state_rate(
        self, q: Values, v: Values, u: Values = None, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """dx/dt of x = [q, v, z]."""
        return write_result(
            self.dynamics.state_rate(self.calls, At(q, v, u, t, z, parameters)), out
        )

    @name_in_shape_errors
    def sensors(
        self, q: Values = None, v: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> dict[str, float | np.ndarray]:  # fmt: skip
        """What every sensor shows: a number, or an array over the states; `out` is (…, sensor
        components)."""
        at, calls = At(q, v, u, t, z, parameters), self.calls
        shown = calls.call_by_name("outputs", at, self.dynamics.solved(calls, at), out)
        return dict(zip(self.layout.outputs, components(shown), strict=True))

    @name_in_shape_errors
    def energy(
        self, q: Values, v: Values, t: ArrayLike = 0.0, z: Values = None, out: Out = None,
        parameters: Replaced = None,
    ) -> tuple[float | np.ndarray, float | np.ndarray]:  # fmt: skip
        """Kinetic and potential energy (gravity and springs) [J]: numbers, or arrays over the
        states; `out` is (…, 2)."""
        at = At(q, v, t=t, z=z, parameters=parameters)
        kinetic, potential = components(self.call_by_name("energy", at, out=out))
        return kinetic, potential

    @dispatch_to_native(CallVariant("momentum"))
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
        return self.call_by_name("momentum", At(q, v, t=t, z=z, parameters=parameters), out=out)

    @dispatch_to_native(CallVariant("centre of mass"))
    def centre_of_mass(
        self,
        q: Values,
        t: ArrayLike = 0.0,
        z: Values = None,
        out: Out = None,
        parameters: Replaced = None,
    ) -> np.ndarray:
        """Centre of mass of everything that moves [m]."""
        return self.call_by_name("centre of mass", At(q, t=t, z=z, parameters=parameters), out=out)

    # ---- functions of frames and joints ----------------------------------------------------------

    @name_in_shape_errors
    def pose(
        self, frame: Frame | BodyHandle | str, q: Values, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """R_WF (3 × 3) and p_WF [m] of a body or frame; the world is where a ground that moves
        would be if it didn't; `out` is (…, 12), rotations by rows first."""
        function = self._of(frame, "pose", recipes.pose_recipe)
        flat = self.call_function(function, At(q, t=t, z=z, parameters=parameters), out=out)
        return flat[..., :9].reshape(*flat.shape[:-1], 3, 3), flat[..., 9:]

    @name_in_shape_errors
    def velocity(
        self, frame: Frame | BodyHandle | str, q: Values, v: Values, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Angular velocity (3) and velocity of the origin (3) of a body or frame, along world
        axes."""
        function = self._of(frame, "velocity", recipes.velocity_recipe)
        return self.call_function(function, At(q, v, t=t, z=z, parameters=parameters), out=out)

    @name_in_shape_errors
    def acceleration(
        self, frame: Frame | BodyHandle | str, q: Values, v: Values, a: Values, u: Values = None,
        t: ArrayLike = 0.0, z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Angular acceleration (3) and acceleration of the origin (3), along world axes."""
        function = self._of(frame, "acceleration", recipes.acceleration_recipe)
        return self.call_function(
            function, At(q, v, u, t, z, parameters), self.velocity_values("a", a), out
        )

    @name_in_shape_errors
    def jacobian(
        self, frame: Frame | BodyHandle | str, q: Values, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """6 × nv: rows ω and velocity of the origin, along world axes."""
        function = self._of(frame, "jacobian", recipes.jacobian_recipe)
        return self.call_function(function, At(q, t=t, z=z, parameters=parameters), out=out)

    @name_in_shape_errors
    def reaction(
        self, joint: str, q: Values, v: Values, a: Values = None, u: Values = None,
        t: ArrayLike = 0.0, z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Force (3) and moment (3) that the parent exerts on the child, at and along the joint's
        child frame; of a closure, that a's body exerts on b's, at and along frame b.

        Without `a` the accelerations are those of the forward dynamics; with it, the multipliers
        of constraints still are."""
        calls = self.calls
        model, rows = self.dynamics.model(calls.key), self.dynamics.rows(calls.key).names
        at = At(q, v, u, t, z, parameters)
        known = {**model.joints, **model.closures}
        if joint not in known:
            what = "joint or closure" if self.dynamics.constrained else "joint"
            raise unknown(what, joint, known)
        function = self.dynamics.derived(
            calls.key,
            ("reaction", joint, calls.key),
            lambda: recipes.reaction_recipe(self.layout, joint, rows),
        )
        solved = self.dynamics.solve(calls, at) if a is None or rows else (np.zeros(0), np.zeros(0))
        given = solved[0] if a is None else self.velocity_values("a", a)
        lead = leading([given, solved[1]])
        parts = [np.broadcast_to(x, (*lead, x.shape[-1])) for x in (given, solved[1])]
        if rows:
            names = tuple(f"{joint}.{each}" for each in Reaction(joint).components())
            warn_of_undetermined(
                self.dynamics, calls, at, ("reaction", joint), names,
                lambda given: calls.call_function(function, at, given),
            )  # fmt: skip
        return calls.call_function(function, at, np.concatenate(parts, axis=-1), out)

    def _of(
        self,
        frame: Frame | BodyHandle | str,
        kind: str,
        recipe: Callable[[Layout, Frame], recipes.Recipe],
    ) -> Function:
        """What is derived for a frame."""
        model = self.dynamics.model(self.key)
        given, bodies = model.own_frames(kind, as_frame(kind, frame)), model.bodies
        if given.body != "ground" and given.body not in bodies:
            raise unknown("body", given.body, bodies)
        return self.derived((kind, given), lambda: recipe(self.layout, given))

    # ---- derivatives -----------------------------------------------------------------------------

    # Exact to rounding; derivatives by positions are by increments in velocity coordinates: with
    # dq = N(q) δ they are by δ, so that a quaternion has three columns (turns about the body's
    # axes) and each matrix is square. For coordinates with q̇ = v, δ is dq.

    @dispatch_to_native(CallVariant("inverse dynamics derivatives", "a"))
    def inverse_dynamics_derivatives(
        self, q: Values, v: Values, a: Values, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """∂τ/∂q, ∂τ/∂v and ∂τ/∂a = M of `inverse_dynamics`, (3, n, n): row i of each belongs to
        effort i (Singh, Russell and Wensing 2022)."""
        at = At(q, v, u, t, z, parameters)
        return self.call_by_name(
            "inverse dynamics derivatives", at, self.velocity_values("a", a), out
        )

    @dispatch_to_native(
        CallVariant("forward dynamics derivatives", "tau"), CallVariant("own dynamics derivatives")
    )
    def forward_dynamics_derivatives(
        self, q: Values, v: Values, tau: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹ of `forward_dynamics`, (3, n, n): row i of each belongs to
        acceleration i. Without `tau` the model's own joint efforts act, and vary with q and v."""
        return self._by_efforts("derivatives", At(q, v, u, t, z, parameters), tau, out)

    @dispatch_to_native(CallVariant("inverse dynamics by parameters", "a"))
    def inverse_dynamics_by_parameters(
        self, q: Values, v: Values, a: Values, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """∂τ/∂p of `inverse_dynamics`, (n, parameters), these in the order of `parameters`; masses,
        first moments and moments of inertia enter linearly, so that their columns are those of the
        regressor."""
        at = At(q, v, u, t, z, parameters)
        return self.call_by_name(
            "inverse dynamics by parameters", at, self.velocity_values("a", a), out
        )

    @name_in_shape_errors
    def regressor(
        self, q: Values, v: Values, a: Values, t: ArrayLike = 0.0, z: Values = None,
        out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """Y of τ = Y π, (n, 10 × bodies): the efforts that inertia and weight of all bodies need,
        without armature and without forces on bodies. Of each body, in order of description, π has
        mass, first moments and the tensor about the origin of its frame: m, hx, hy, hz, Jxx, Jyy,
        Jzz, Jxy, Jxz, Jyz (`tb.estimate.inertial_parameters`)."""
        key = self.calls.key
        bodies = len(self.dynamics.model(key).bodies)
        function = self.dynamics.derived(
            key, "regressor", lambda: recipes.regressor_recipe(self.layout, bodies)
        )
        at = At(q, v, None, t, z, parameters)
        return self.call_function(function, at, self.velocity_values("a", a), out)

    @dispatch_to_native(
        CallVariant("forward dynamics by parameters", "tau"),
        CallVariant("own dynamics by parameters"),
    )
    def forward_dynamics_by_parameters(
        self, q: Values, v: Values, tau: Values = None, u: Values = None, t: ArrayLike = 0.0,
        z: Values = None, out: Out = None, parameters: Replaced = None,
    ) -> np.ndarray:  # fmt: skip
        """∂a/∂p of `forward_dynamics`, (n, parameters), these in the order of `parameters`."""
        return self._by_efforts("by parameters", At(q, v, u, t, z, parameters), tau, out)

    def _by_efforts(self, what: str, at: At, tau: Values, out: Out) -> np.ndarray:
        """Of accelerations for given joint efforts, or for the model's own."""
        if tau is None:
            return self.call_by_name(f"own dynamics {what}", at, out=out)
        return self.call_by_name(
            f"forward dynamics {what}", at, self.velocity_values("tau", tau), out
        )

    # ---- calls -----------------------------------------------------------------------------------

    def function(self, name: str) -> Function:
        """A function by name: "inverse dynamics", "forward dynamics", "bias", "mass matrix",
        "rate" ("terms" with constraints), "updates", …"""
        return self.dynamics.function(self.key, str(name).replace("_", " "))

    def derived(self, what: Hashable, recipe: Callable[[], recipes.Recipe]) -> Function:
        """A function known by a kind and a thing, derived when new."""
        return self.dynamics.derived(self.key, what, recipe)

    def call_by_name(
        self, name: str, at: At, extra: np.ndarray | None = None, out: Out = None
    ) -> np.ndarray:
        """What a function gives at a state or an array of states, with further arguments."""
        return self.calls.call_by_name(name, at, extra, out)

    def call_function(
        self, function: Function | SolvedMotion, at: At, extra: np.ndarray | None = None,
        out: Out = None,
    ) -> np.ndarray:  # fmt: skip
        """The same of a function at hand."""
        return self.calls.call_function(function, at, extra, out)

    def velocity_values(self, label: str, given: Values) -> np.ndarray:
        """A number for each velocity coordinate."""
        return self.calls.velocity_values(label, given)

    # ---- what a run needs (simulate, realtime) ---------------------------------------------------

    def derive(
        self, extra: Sequence[str] = (), model: Model | None = None, tape: Tape | None = None
    ) -> Derivation:
        """A derivation of functions of x, u = [t, inputs…] and `extra` arguments: see `Motion`."""
        return self.dynamics.derive(model or self.model, extra, tape)

    @property
    def equations(self) -> Equations:
        """The equations of motion with their derivatives, for analyses."""
        return self.dynamics.equations(self.key)

    @property
    def constrained(self) -> bool:
        """Whether constraints may act, so that runs take a formulation."""
        return self.dynamics.constrained

    def problem(
        self,
        constraints: str | Formulation | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: InputFeed | None = None,
        method: str = "rk4",
        clocked: bool = False,
    ) -> IntegrationProblem:
        """What a run integrates, with some parameters replaced: see `Posing`. Inputs have their
        defaults unless they are given."""
        u = np.append(0.0, self.input_defaults) if inputs is None else inputs.u
        refresh = None if inputs is None else inputs.refresher()
        values = self.parameter_values(parameters)
        asked = ProblemSpec(u, refresh, values, constraints, method, clocked)
        return self.dynamics.problem(self.key, asked)

    def on_blocks(
        self, parameters: Mapping[str, float] | None = None
    ) -> list[tuple[FunctionSet, np.ndarray]]:
        """The functions that a run may evaluate, with their parameter blocks."""
        return self.dynamics.on_blocks(self.key, self.parameter_values(parameters))

    def rate_jacobian(
        self, overrides: Mapping[str, float] | None = None
    ) -> tuple[FunctionData | RateDerivatives | None, np.ndarray]:
        """∂ẋ/∂x as a compiled function, or what it is made of, and its parameter block; None where
        it can't be derived."""
        function, jacobian = self.dynamics.rate_jacobian(self.key) or (None, None)
        values = self.parameter_values(overrides)
        return jacobian, np.empty(0) if function is None else function.block_for(values)

    def momentum_rate(
        self, overrides: Mapping[str, float] | None = None
    ) -> tuple[FunctionData, np.ndarray]:
        """[M, d(M v)/dt, ż] as a compiled function, and its parameter block."""
        function = self.dynamics.function(self.key, "momentum rate")
        return function.compiled, function.block_for(self.parameter_values(overrides))

    def stages(
        self, stiffness: bool, implicit: bool, momenta: bool = False
    ) -> list[Function | FunctionSet]:
        """What computes the parameter block of a run from the parameters: that of its own functions
        (with `stiffness` for formulations that are steps), then that of `rate_jacobian` where an
        `implicit` method needs it, then that of `momentum_rate` where one works on `momenta`."""
        jacobian = self.dynamics.rate_jacobian(self.key) if implicit else None
        own = self.dynamics.active_equations(self.key, stiffness).functions
        found: list[Function | FunctionSet] = [own] if jacobian is None else [own, jacobian[0]]
        return [*found, self.dynamics.function(self.key, "momentum rate")] if momenta else found

    def event_functions(
        self, wanted: Sequence[Expr | str], overrides: Mapping[str, float] | None = None
    ) -> tuple[Compiled, np.ndarray]:
        """Expressions of the model, and signals by name, as one compiled function of x and
        u = [t, inputs…], and its parameter block."""
        from touchback.system.event_functions import event_function

        function = event_function(self.dynamics, self.key, wanted)
        return function.compiled, function.block_for(self.parameter_values(overrides))

    def constrained_functions(self, stiffness: bool = False) -> ConstrainedFunctions:
        """What a formulation of constrained motion needs, for C."""
        return self.dynamics.constrained_functions(self.key, stiffness)

    def modes_data(self) -> ModesData:
        """All modes, for C."""
        return self.dynamics.modes_data()

    # ---- many, and seeing ------------------------------------------------------------------------

    def batch(self, count: int) -> tb.batch.Batch:
        """So many instances, which run at once: see `Batch.run`."""
        import touchback as tb

        return tb.batch.Batch(self, count)

    def view(
        self, x0: State | None = None, *, rate: float = 1000.0, host: str = "127.0.0.1",
        port: int = 0,
    ) -> tb.workbench.Workbench:  # fmt: skip
        """Runs it live on a page in the browser, from a state: see `workbench.open`. A notebook
        shows the page, a script prints its address; the result's `close()` ends both."""
        import touchback as tb

        return tb.workbench.open(self, x0=x0, rate=rate, host=host, port=port).show()

    # ---- reading ---------------------------------------------------------------------------------

    def counts(self, name: str = "") -> Counts:
        """Operations per call of a function: by default of that which a run needs."""
        return self.function(name or self.dynamics.main).counts

    def listing(self, name: str = "", limit: int | None = 200) -> str:
        """A readable listing of a function's operations."""
        what = name or self.dynamics.main
        return listing_of(self.layout, what, self.function(what), limit)

    def disassemble(self, name: str = "") -> str:
        """The machine code of a function."""
        return self.function(name or self.dynamics.main).compiled.disassemble()

    def generate(self, name: str = "", language: str = "c", parameters: bool = False) -> str:
        """Source text of a function in "c", "python" or "matlab"; with `parameters` of the stage
        that turns live parameters into the array p that the function reads."""
        printer_of(language)  # refuses what isn't known before anything is derived
        function, values = self.function(name or self.dynamics.main), self.calls.parameters
        if parameters:
            return stage_source(language, self.name, function, self.layout.parameters)
        rows = bool(self.constraint_names)
        return function_source(language, self.name, self.layout, function, values, rows)

    def __repr__(self) -> str:
        return self.dynamics.text(self.key, self.freedoms)

    def _repr_html_(self) -> str:
        from touchback.system.system_html import system_html

        return system_html(self)
