"""A compiled model: names, sizes, parameters, and functions on arrays."""

import copy
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from touchback.codegen import Backend
from touchback.errors import InputError
from touchback.model.frame import Frame, as_frame
from touchback.model.model import Model
from touchback.model.names import unknown
from touchback.native import tree_products
from touchback.symbolic.count import Counts
from touchback.symbolic.tape import Tape
from touchback.system import functions as recipes
from touchback.system.begin import begun
from touchback.system.calls import Calls, Way, components, filled, hot, written
from touchback.system.derivation import Derivation
from touchback.system.function import Function
from touchback.system.function_set import FunctionSet
from touchback.system.jacobian import rate_jacobian_recipe
from touchback.system.layout import Layout, fill, layout_of
from touchback.system.motion import Motion
from touchback.system.once import derived_once
from touchback.system.plan import Plan
from touchback.system.state import State
from touchback.system.texts import listing_of, source_of

if TYPE_CHECKING:
    from touchback.system.equations import Equations

_RUN_FUNCTIONS = ("rate", "configuration rate", "outputs", "updates")


class System:
    """What `Model.compile` returns. Functions are derived and compiled when first used.

    Arrays stand in the order of `coordinates` (positions q) and `velocities` (velocities v,
    accelerations, efforts); every argument may also be a dict by name. Any number of threads may
    call the functions of one system, and run it; parameters, active constraints and modes are
    settings that all of them share (`apart` gives a system with its own)."""

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        self.model, self.plan, self._backend = model, plan, backend
        self.name = model.name
        self.layout = layout_of(model)
        self._functions: dict[Hashable, Function] = {}
        self._parameters = np.array([given.default for given in model.parameters.values()], float)
        self.deriving = threading.RLock()  # held while a function is derived or a setting changed

    # ---- names and sizes ------------------------------------------------------------------------

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
        return len(self.layout.q), len(self.layout.v), len(self.layout.z)

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
        return [self.model.inputs[name].unit for name in self.layout.inputs]

    @cached_property
    def input_defaults(self) -> np.ndarray:
        """Values of the inputs when nothing is connected."""
        return np.array([self.model.inputs[name].default for name in self.layout.inputs])

    @property
    def output_names(self) -> list[str]:
        """Sensor components."""
        return list(self.layout.outputs)

    @property
    def output_units(self) -> list[str]:
        """Units of the sensor components."""
        return list(self.layout.output_units)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Names of the constraint rows, in the order of the multipliers: none in a tree."""
        return ()

    def apart(self) -> Self:
        """The same system with settings of its own (parameters, active constraints, mode), as they
        are now; what is derived of both is derived once."""
        with self.deriving:
            other = copy.copy(self)
        other.__dict__.pop("equations", None)  # they ask the system that they are of
        other._forget_calls()
        return other

    # ---- parameters -----------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, float]:
        """Current values of the live parameters."""
        return dict(zip(self.layout.parameters, map(float, self._parameters), strict=True))

    def __getitem__(self, name: str) -> float:
        return float(self._parameters[self._parameter_index(name)])

    def __setitem__(self, name: str, number: float) -> None:
        with self.deriving:
            self._parameters = self._with({name: number})
            self._forget_calls()

    @cached_property
    def calls(self) -> Calls:
        """The functions as C callables, with the settings as they are now."""
        return Calls(self)

    def _forget_calls(self) -> None:
        """Settings have changed: what was called is made again when it is called next."""
        known = self.__dict__
        calls: Calls | None = known.pop("calls", None)
        for name in calls.held if calls is not None else ():
            known.pop(name, None)

    def _with(self, overrides: Mapping[str, float]) -> np.ndarray:
        changed = self._parameters.copy()
        for name, number in overrides.items():
            index = self._parameter_index(name)
            given, number = self.model.parameters[name], float(number)
            low = -np.inf if given.min is None else given.min
            high = np.inf if given.max is None else given.max
            if not low <= number <= high:
                raise InputError(
                    f"Parameter '{name}': {number} lies outside its range "
                    f"[{low}, {high}] {given.unit}."
                )
            changed[index] = number
        return changed

    def _parameter_index(self, name: str) -> int:
        if name not in self.layout.parameters:
            raise InputError(str(unknown("parameter", name, self.layout.parameters)))
        return self.layout.parameters.index(name)

    def parameter_block(self, overrides: Mapping[str, Any] | None = None) -> np.ndarray:
        """The derived block that `rate`, `configuration_rate` and `outputs` share."""
        return self.function("rate").block_for(self._with(overrides or {}))

    # ---- functions on arrays --------------------------------------------------------------------

    @hot(Way("inverse dynamics", "a"))
    def inverse_dynamics(
        self, q: Any, v: Any, a: Any, u: Any = None, t: Any = 0.0, z: Any = None, out: Any = None
    ) -> np.ndarray:
        """Joint efforts τ = M a + c that produce the accelerations `a` (Docquier 2021, eq. 2).

        These are *total* joint efforts: springs, damping, friction and motors described in joints
        are efforts too and are not in c; forces on bodies are (with inputs `u`)."""
        return self._call("inverse dynamics", q, v, u, t, self._velocity("a", a), z, out)

    @hot(Way("bias"))
    def bias(
        self, q: Any, v: Any, u: Any = None, t: Any = 0.0, z: Any = None, out: Any = None
    ) -> np.ndarray:
        """c(q, v): Coriolis, centrifugal and gravity terms less forces on bodies."""
        return self._call("bias", q, v, u, t, z=z, out=out)

    @hot(Way("mass matrix"))
    def mass_matrix(self, q: Any, out: Any = None) -> np.ndarray:
        """M(q), armature included."""
        if not self.plan.loop_mass_matrix:
            return self._call("mass matrix", q, None, None, 0.0, out=out)
        n, order = self.sizes[1], self.plan.dof_order
        columns = self._call("mass matrix columns", q, None, None, 0.0)
        back = np.argsort(order)
        result = np.empty((*columns.shape[:-1], n, n)) if out is None else out
        for row, M_row in zip(columns.reshape(-1, 13 * n), result.reshape(-1, n, n), strict=True):
            S, F = row[: 6 * n].reshape(6, n)[:, order], row[6 * n : 12 * n].reshape(n, 6)
            M = tree_products(self.plan.dof_parents, S, F[order])
            M.flat[:: n + 1] += row[12 * n :][order]
            M_row[:] = M[np.ix_(back, back)]
        return result

    @hot(Way("forward dynamics", "tau"), Way("rate", part="v"))
    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any = None,
        u: Any = None,
        t: Any = 0.0,
        z: Any = None,
        out: Any = None,
    ) -> np.ndarray:
        """Accelerations a with M a + c = τ. Without `tau` the model's own joint efforts act (motors
        by the inputs `u`, springs, damping, friction); with it `tau` replaces them, so that it
        undoes `inverse_dynamics`."""
        if tau is not None:
            tau = self._velocity("tau", tau)
            return self._call("forward dynamics", q, v, u, t, tau, z, out)
        nq, nv, _ = self.sizes
        return written(self._call("rate", q, v, u, t, z=z)[..., nq : nq + nv], out)

    @hot(Way("joint efforts"))
    def joint_efforts(
        self, q: Any, v: Any, u: Any = None, t: Any = 0.0, z: Any = None, out: Any = None
    ) -> np.ndarray:
        """The model's own joint efforts: motors, springs, damping, friction, stops."""
        return self._call("joint efforts", q, v, u, t, z=z, out=out)

    @hot(Way("rate"))
    def state_rate(
        self, q: Any, v: Any, u: Any = None, t: Any = 0.0, z: Any = None, out: Any = None
    ) -> np.ndarray:
        """dx/dt of x = [q, v, z]."""
        return self._call("rate", q, v, u, t, z=z, out=out)

    def sensors(
        self, q: Any = None, v: Any = None, u: Any = None, t: Any = 0.0, z: Any = None
    ) -> dict[str, Any]:
        """What every sensor shows: a number, or an array over the states."""
        return self._shown(self._call("outputs", q, v, u, t, z=z))

    def _shown(self, outputs: np.ndarray) -> dict[str, Any]:
        return dict(zip(self.layout.outputs, components(outputs), strict=True))

    def energy(self, q: Any, v: Any, t: Any = 0.0, z: Any = None) -> tuple[Any, Any]:
        """Kinetic and potential energy (gravity and springs) [J]: numbers, or arrays over the
        states."""
        kinetic, potential = components(self._call("energy", q, v, None, t, z=z))
        return kinetic, potential

    def stored_energy(
        self, x: np.ndarray, parameters: Mapping[str, float], t: float = 0.0
    ) -> float:
        """Kinetic and potential energy [J] of x = [q, v, z] under given parameters, all of them."""
        function = self.function("energy")
        block = function.block_for(np.array(list(parameters.values())))
        return float(function.compiled.call(x, np.append(t, self.input_defaults), block).sum())

    @hot(Way("momentum"))
    def momentum(self, q: Any, v: Any, t: Any = 0.0, z: Any = None, out: Any = None) -> np.ndarray:
        """Linear momentum and angular momentum about the world's origin, 2 × 3."""
        return self._call("momentum", q, v, None, t, z=z, out=out)

    @hot(Way("centre of mass"))
    def centre_of_mass(self, q: Any, t: Any = 0.0, z: Any = None, out: Any = None) -> np.ndarray:
        """Centre of mass of everything that moves [m]."""
        return self._call("centre of mass", q, None, None, t, z=z, out=out)

    def pose(
        self, frame: Any, q: Any, t: Any = 0.0, z: Any = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """R_WF (3 × 3) and p_WF [m] of a body or frame; the world is where a ground that moves
        would be if it didn't."""
        given = self._of_frame("pose", recipes.pose_recipe, frame)
        flat = self._evaluate(given, q, None, None, t, z=z)
        return flat[..., :9].reshape(*flat.shape[:-1], 3, 3), flat[..., 9:]

    def velocity(
        self, frame: Any, q: Any, v: Any, t: Any = 0.0, z: Any = None, out: Any = None
    ) -> np.ndarray:
        """Angular velocity (3) and velocity of the origin (3) of a body or frame, along world
        axes."""
        given = self._of_frame("velocity", recipes.velocity_recipe, frame)
        return self._evaluate(given, q, v, None, t, z=z, out=out)

    def acceleration(
        self,
        frame: Any,
        q: Any,
        v: Any,
        a: Any,
        u: Any = None,
        t: Any = 0.0,
        z: Any = None,
        out: Any = None,
    ) -> np.ndarray:
        """Angular acceleration (3) and acceleration of the origin (3), along world axes."""
        given = self._of_frame("acceleration", recipes.acceleration_recipe, frame)
        return self._evaluate(given, q, v, u, t, self._velocity("a", a), z, out)

    def jacobian(
        self, frame: Any, q: Any, t: Any = 0.0, z: Any = None, out: Any = None
    ) -> np.ndarray:
        """6 × nv: rows ω and velocity of the origin, along world axes."""
        given = self._of_frame("jacobian", recipes.jacobian_recipe, frame)
        return self._evaluate(given, q, None, None, t, z=z, out=out)

    def reaction(
        self,
        joint: str,
        q: Any,
        v: Any,
        a: Any = None,
        u: Any = None,
        t: Any = 0.0,
        z: Any = None,
        out: Any = None,
    ) -> np.ndarray:
        """Force (3) and moment (3) that the parent exerts on the child, at and along the joint's
        child frame.

        Without `a` the accelerations are those of the forward dynamics."""
        if joint not in self.model.joints:
            raise unknown("joint", joint, self.model.joints)
        function = self._derived(
            ("reaction", joint), lambda: recipes.reaction_recipe(self.layout, joint)
        )
        given = self.forward_dynamics(q, v, u=u, t=t, z=z) if a is None else self._velocity("a", a)
        return self._evaluate(function, q, v, u, t, given, z, out)

    # ---- states ---------------------------------------------------------------------------------

    def initial_state(self) -> State:
        """The state that the model describes, with what forces track found there."""
        start = self._described()
        return State(start.q, start.v, begun(self.model, start.q, start.z, self.parameters))

    def _described(self) -> State:
        joints = self.model.joints.values()
        q = np.array([x for joint in joints for x in joint.initial_position()], dtype=float)
        v = np.array([x for joint in joints for x in joint.initial_velocity()], dtype=float)
        z = np.array([state.initial for state in self.model.states.values()], dtype=float)
        return State(q, v, z)

    def assemble(
        self,
        positions: Mapping[str, float] | None = None,
        rates: Mapping[str, float] | None = None,
        states: Mapping[str, float] | None = None,
        guess: Mapping[str, float] | None = None,
        t: float = 0.0,
        inputs: Any = None,
        **named: float,
    ) -> State:
        """A state from the initial one with some positions (a mapping such as {"joint.x": 0.1}, or
        keywords), velocities (`rates`) and extra `states` replaced. With constraints the rest
        follows from them, at time `t` with these `inputs`, near the `guess`; without, a guess is as
        good as a position."""
        start, given = self._described(), {**(guess or {}), **(positions or {}), **named}
        q = fill("coordinate", given, self.layout.q, start.q).copy()
        z = begun(self.model, q, start.z, self.parameters)
        return State(
            q,
            fill("velocity", dict(rates or {}), self.layout.v, start.v).copy(),
            fill("state", dict(states or {}), self.layout.z, z).copy(),
        )

    # ---- what a run needs (simulate, realtime) --------------------------------------------------

    def derive(
        self,
        extra: Sequence[str] = (),
        model: Model | None = None,
        tape: Tape | None = None,
        merge_fixed: bool | None = None,
    ) -> Derivation:
        """A derivation of functions of x, u = [t, inputs…] and `extra` arguments; of another
        `model` than the present one, with the same coordinates; on the `tape` of another
        derivation, to share its parameter block. `merge_fixed` lets rigid joints vanish: without it
        where no sensor is in one of them."""
        return Derivation(
            model or self.model, self.layout, extra, self.plan.frame_pass,
            self._merge_fixed if merge_fixed is None else merge_fixed, tape, self._backend,
        )  # fmt: skip

    @derived_once
    def _run(self) -> FunctionSet:
        """`rate`, `configuration rate`, `outputs`, `updates`."""
        d = self.derive()
        rate, q_rate, outputs = recipes.rate_equations(d, self.plan.algorithm)
        wanted = {"rate": rate, "configuration rate": q_rate, "outputs": outputs}
        return d.functions(wanted | {"updates": recipes.update_equations(d)})

    @property
    def _merge_fixed(self) -> bool:
        """Whether rigid joints may vanish: not when a sensor is in one of them."""
        measured = {getattr(kind, "joint", None) for kind in self.model.sensors.values()}
        return all(
            joint.kind.motions() for name, joint in self.model.joints.items() if name in measured
        )

    @derived_once
    def equations(self) -> "Equations":
        """The equations of motion with their derivatives, for analyses."""
        from touchback.system.equations import Equations

        return Equations(self)

    @property
    def rate(self) -> Any:
        """dx/dt as a compiled function."""
        return self._run["rate"].compiled

    @property
    def configuration_rate(self) -> Any:
        """dq/dt as a compiled function; None when it is v."""
        return None if self.plan.plain_coordinates else self._run["configuration rate"].compiled

    @property
    def updates(self) -> Any:
        """What memories become at a tick, as a compiled function; None when there are none."""
        return self._run["updates"].compiled if self.memory_places else None

    @cached_property
    def memory_places(self) -> tuple[int, ...]:
        """Where in x = [q, v, z] the states are that change only at ticks."""
        start = len(self.layout.q) + len(self.layout.v)
        memories = self.model.memories
        return tuple(start + i for i, name in enumerate(self.layout.z) if name in memories)

    @property
    def outputs(self) -> Any:
        """Sensors as a compiled function; None when there are none."""
        return self._run["outputs"].compiled if self.layout.outputs else None

    def rate_jacobian(self, overrides: Mapping[str, Any] | None = None) -> tuple[Any, np.ndarray]:
        """∂ẋ/∂x as a compiled function and its parameter block."""
        function = self.function("rate jacobian")
        return function.compiled, function.block_for(self._with(overrides or {}))

    def event_functions(
        self, wanted: Sequence[Any], overrides: Mapping[str, Any] | None = None
    ) -> tuple[Any, np.ndarray]:
        """Expressions of the model, and signals by name, as one compiled function of x and
        u = [t, inputs…], and its parameter block."""
        from touchback.system.events import event_function

        function = event_function(self, wanted)
        return function.compiled, function.block_for(self._with(overrides or {}))

    # ---- reading --------------------------------------------------------------------------------

    def function(self, name: str) -> Function:
        """A function by name: "inverse dynamics", "forward dynamics", "bias", "mass matrix",
        "rate", "updates", …"""
        name = name.replace("_", " ")
        if name in _RUN_FUNCTIONS:
            return self._run[name]
        if name in self._functions:
            return self._functions[name]
        standard = self._standard()
        if name not in standard:
            raise InputError(str(unknown("function", name, [*standard, *_RUN_FUNCTIONS])))
        return self._derived(name, standard[name])

    def counts(self, name: str = "rate") -> Counts:
        """Operations per call of a function."""
        return self.function(name).counts

    def listing(self, name: str = "rate", limit: int | None = 200) -> str:
        """A readable listing of a function's operations."""
        return listing_of(self, name, limit)

    def disassemble(self, name: str = "rate") -> str:
        """The machine code of a function."""
        return self.function(name).compiled.disassemble()

    def generate(self, name: str = "rate", language: str = "c", parameters: bool = False) -> str:
        """Source text of a function in "c", "python" or "matlab"; with `parameters` of the stage
        that turns live parameters into the array p that the function reads."""
        return source_of(self, name, language, parameters)

    def __repr__(self) -> str:
        nq, nv, nz = self.sizes
        frames = "chosen" if self.plan.frame_pass else "described"
        rows = [
            f"{self.name}: {_number(len(self.model.bodies), 'body', 'bodies')}, "
            f"{_number(len(self.model.joints), 'joint', 'joints')}",
            f"  positions {nq}, velocities {nv} (freedoms), extra states {nz}, "
            f"inputs {len(self.layout.inputs)}, sensors {len(self.layout.outputs)}, "
            f"live parameters {len(self.layout.parameters)}",
            f"  coordinates: {', '.join(self.layout.q[:12])}{'…' if nq > 12 else ''}",
            f"  forward dynamics: {self.plan.algorithm}, {frames} link frames, "
            f"{self.counts('rate')}",
        ]
        return "\n".join(rows)

    # ---- inside ---------------------------------------------------------------------------------

    def _standard(self) -> dict[str, Any]:
        layout, plan = self.layout, self.plan
        return {
            "inverse dynamics": lambda: recipes.inverse_recipe(layout),
            "bias": lambda: recipes.bias_recipe(layout),
            "forward dynamics": lambda: recipes.forward_recipe(layout, plan.algorithm),
            "mass matrix": lambda: recipes.mass_matrix_recipe(layout, plan.world_mass_matrix),
            "mass matrix columns": lambda: recipes.mass_matrix_columns_recipe(layout),
            "joint efforts": lambda: recipes.joint_efforts_recipe(layout),
            "motor efforts": lambda: recipes.motor_efforts_recipe(layout),
            "rate jacobian": lambda: rate_jacobian_recipe(layout, plan.algorithm),
            "energy": lambda: recipes.energy_recipe(layout),
            "momentum": lambda: recipes.momentum_recipe(layout),
            "centre of mass": lambda: recipes.centre_of_mass_recipe(layout),
        }

    def _derived(self, key: Hashable, make: Callable[[], recipes.Recipe]) -> Function:
        """The function known by `key` (a name, or a kind and a frame), derived when new."""
        known = self._functions.get(key)
        if known is not None:
            return known
        with self.deriving:
            if key not in self._functions:
                recipe = make()
                d = self.derive(recipe.extra, merge_fixed=not recipe.keep_fixed)
                name = key if isinstance(key, str) else f"{self.name} {len(self._functions)}"
                derived = d.functions({name: recipe.build(d)}, {name: recipe.shape})
                self._functions[key] = derived[name]
            return self._functions[key]

    def _of_frame(
        self,
        kind: str,
        recipe: Callable[[Layout, Frame], recipes.Recipe],
        frame: Any,
    ) -> Function:
        """What is derived for a frame."""
        given: Frame = as_frame(kind, frame)
        if given.body != "ground" and given.body not in self.model.bodies:
            raise unknown("body", given.body, self.model.bodies)
        return self._derived((kind, given), lambda: recipe(self.layout, given))

    def _velocity(self, label: str, given: Any) -> np.ndarray:
        return filled(label, given, self.layout.v, np.zeros(len(self.layout.v)))

    def _call(
        self,
        name: str,
        q: Any,
        v: Any,
        u: Any,
        t: Any,
        extra: np.ndarray | None = None,
        z: Any = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        calls = self.calls
        return calls.evaluate(calls.by_name(name), q, v, u, t, extra, z, out)

    def _callable(self, name: str) -> Function | Motion:
        """What calls by this name evaluate."""
        return self.function(name)

    def _evaluate(
        self,
        function: Function,
        q: Any,
        v: Any,
        u: Any,
        t: Any,
        extra: np.ndarray | None = None,
        z: Any = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        return self.calls.evaluate(function, q, v, u, t, extra, z, out)

    @cached_property
    def _start(self) -> State:
        return self._described()


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
