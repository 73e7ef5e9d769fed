"""What every motion has: the equations that hold, by what acts, and how a system is to use them."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, TypeVar, cast

import numpy as np

from touchback.codegen import Backend
from touchback.errors import InputError, TouchbackError
from touchback.model import Model, Multiplier
from touchback.names import unknown
from touchback.native import ConstrainedFunctions, FunctionData, ModesData, Problem, RateDerivatives
from touchback.symbolic import Tape
from touchback.system.active_equations import ActiveEquations, At, Key
from touchback.system.array_arguments import filled, leading, read_times
from touchback.system.compiled_function import Function, FunctionSet
from touchback.system.constrained_accelerations import SolvedMotion
from touchback.system.constraint_functions import NO_ROWS, ConstraintLayout, Terms
from touchback.system.degrees_of_freedom import Freedoms, freedoms_of
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.derivation_plan import Plan
from touchback.system.function_definitions import (
    Recipe,
    rate_equations,
    standard_recipe,
    update_equations,
)
from touchback.system.implicit_equations import Equations
from touchback.system.integration_problem import IntegrationProblem, ProblemSpec
from touchback.system.method_dispatch import Calls
from touchback.system.mode_equations import NO_MODES, SystemModes
from touchback.system.signal_layout import Layout, Values, layout_of
from touchback.system.state_assembly import StateAssembler, with_found_states
from touchback.system.system_state import State

T = TypeVar("T")


class DynamicsKind(ABC):
    """How a mechanism moves. What acts is a key, one of the settings of a system; the dynamics
    themselves have no settings and only learn, so that systems made apart share them.

    A further kind is a file here. It says which functions `acting` derives, solves for
    accelerations and multipliers, finds states that are allowed (`solve_positions`,
    `solve_velocities`), and names what it `cannot` do, which is refused by `refuse` alone. What
    stands here is right where nothing is tied and nothing changes. The model `whole` has all its
    constraints and modes; functions on arrays are asked with the `calls` of a system, which have
    its settings."""

    main: ClassVar[str] = "rate"  # the function that a motion is counted by
    own: ClassVar[tuple[str, ...]] = ("rate", "configuration rate", "outputs", "updates")
    constrained: ClassVar[bool] = False  # whether constraints may act: runs take a formulation
    cannot: ClassVar[Mapping[str, str]] = {}
    refused_as: ClassVar[type[TouchbackError]] = InputError
    names: tuple[str, ...] = ()  # what the copies in a row are called
    shared: tuple[str, ...] = ()  # inputs that copies have in common
    modes: SystemModes = NO_MODES

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        self.whole, self.plan, self._backend = model, plan, backend
        self.name, self.layout = model.name, layout_of(model)
        self.deriving = threading.RLock()  # held while something is derived or a setting changed
        self._known: dict[Hashable, object] = {}
        self.first: Key = ()  # what acts to begin with

    def derive_once(self, what: Hashable, derive: Callable[[], T]) -> T:
        """What is known by this name, derived by the first thread that asks."""
        if what not in self._known:
            with self.deriving:
                if what not in self._known:
                    self._known[what] = derive()
        return cast(T, self._known[what])

    def derive(
        self,
        model: Model,
        extra: Sequence[str] = (),
        tape: Tape | None = None,
        merge_fixed: bool | None = None,
    ) -> Derivation:
        """A derivation of functions of x, u = [t, inputs…] and `extra` arguments, of a model with
        these coordinates; on the `tape` of another derivation, to share its parameter block.
        `merge_fixed` lets rigid joints vanish: by default where no sensor is in one of them."""
        merge = self._merge_fixed if merge_fixed is None else merge_fixed
        frames = self.plan.frame_pass
        return Derivation(model, self.layout, extra, frames, merge, tape, self._backend)

    @cached_property
    def _merge_fixed(self) -> bool:
        measured = {getattr(kind, "joint", None) for kind in self.whole.sensors.values()}
        return all(
            joint.kind.motions() for name, joint in self.whole.joints.items() if name in measured
        )

    # ---- what is derived ------------------------------------------------------------------------

    def refuse(self, what: str, given: object = None) -> None:
        """Raises where the motion can't do something."""
        if what in self.cannot:
            raise self._refusal(what, given)

    def _refusal(self, what: str, given: object = None) -> TouchbackError:
        told = self.cannot.get(what, f"it has no {what}.").format(given=given)
        return self.refused_as(f"{self.name}: {told}")

    def model(self, key: Key) -> Model:
        """The model with what acts."""
        return self.whole

    def active_equations(self, key: Key, stiffness: bool = False) -> ActiveEquations:
        """What holds; with `stiffness` for the implicit formulations of constraints."""
        raise self._refusal("functions")

    def rows(self, key: Key) -> ConstraintLayout:
        """The constraint rows that act."""
        return NO_ROWS

    def multiplier_units(self, key: Key) -> dict[str, str]:
        """Units of the multipliers of every row that acts or may act."""
        return self.rows(key).multiplier_units

    def output_units(self, key: Key) -> list[str]:
        """Units of the sensor components; that of a multiplier is its row's."""
        units = list(self.layout.output_units)
        for name, kind in self.model(key).outputs().items():
            if isinstance(kind, Multiplier) and name in self.layout.outputs:
                place = self.layout.outputs.index(name)
                units[place] = self.multiplier_units(key).get(kind.row, "")
        return units

    def function(self, key: Key, name: str) -> Function:
        """A function by name, one of its `own` or one that every mechanism has."""
        if name in self.own:
            return self.active_equations(key).functions[name]
        return self.derived(key, name, lambda: self._standard(name))

    def callable(self, key: Key, name: str) -> Function | SolvedMotion:
        """What calls by this name evaluate."""
        return self.function(key, name)

    def _standard(self, name: str) -> Recipe:
        self.refuse(name)
        return standard_recipe(name, self.layout, self.plan, self.own)

    def active(self, key: Key) -> tuple[str, ...]:
        """Names of the constraints that act."""
        return ()

    def derived(self, key: Key, what: Hashable, recipe: Callable[[], Recipe]) -> Function:
        """A function by its name, or by a kind and a thing: the same whatever acts, unless a key is
        in its name (no force may read a sensor that depends on what acts)."""
        self.refuse("functions")

        def derive() -> Function:
            made = recipe()
            d = self.derive(self.model(key), made.extra, merge_fixed=not made.keep_fixed)
            name = what if isinstance(what, str) else f"{self.name} {len(self._known)}"
            if made.looped is not None:
                return made.looped(d, name)
            return d.functions({name: made.build(d)}, {name: made.shape}, chains=made.chains)[name]

        return self.derive_once(("function", what), derive)

    def equations(self, key: Key) -> Equations:
        """The equations of motion with their derivatives."""
        return self.derive_once(("equations", key), lambda: self._equations(key))

    def _equations(self, key: Key) -> Equations:
        rows = self.rows(key).names
        d = self.derive(self.model(key), solved_arguments(self.layout, rows))
        return Equations(d, rows, self.plan.plain_coordinates, self.deriving)

    # ---- settings -------------------------------------------------------------------------------

    def key_with_constraints(self, key: Key, names: Collection[str], active: bool) -> Key:
        """What acts when some constraints are turned on or off."""
        for name in names:
            raise InputError(str(unknown("constraint", name, self.model(key).constraint_rows())))
        return key

    def key_with_modes(self, key: Key, modes: Sequence[str]) -> Key:
        """What acts when some modes are entered."""
        for mode in modes:
            raise InputError(str(unknown("mode", mode, ())))
        return key

    # ---- functions on arrays --------------------------------------------------------------------

    def solve(
        self,
        calls: Calls,
        at: At,
        tau: Values = None,
        pull: np.ndarray | None = None,
        out: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, in `out` where they come about there, and multipliers; without `tau` the
        model's own joint efforts act. What constraints demand is J a + γ + pull = 0."""
        nq, nv, _ = self.layout.sizes
        if tau is None:
            a = calls.call_by_name("rate", at)[..., nq : nq + nv]
        else:
            a = calls.call_by_name("forward dynamics", at, calls.velocity_values("tau", tau), out)
        return a, np.zeros((*a.shape[:-1], 0))

    def state_rate(self, calls: Calls, at: At) -> np.ndarray:
        """dx/dt."""
        return calls.call_by_name("rate", at)

    def solved(self, calls: Calls, at: At) -> np.ndarray | None:
        """What `outputs` reads of the solution at a state; None where it solves by itself."""
        return None

    def terms(self, calls: Calls, at: At) -> Terms:
        """h, b, γ, J, W, M and f at a state."""
        raise self._refusal("terms")

    def positions(self, calls: Calls, at: At) -> tuple[np.ndarray, np.ndarray]:
        """h and J at positions."""
        lead = _lead_of(self.layout, at)
        return np.zeros((*lead, 0)), np.zeros((*lead, 0, len(self.layout.v)))

    def open_solutions(self, calls: Calls, at: At) -> tuple[np.ndarray, Sequence[str]]:
        """What mechanics leaves open of [accelerations, multipliers], directions by rows, at the
        first of some states; and the names of the multipliers."""
        return np.zeros((0, len(self.layout.v))), ()

    def for_outputs(self, key: Key, solution: np.ndarray) -> np.ndarray:
        """Accelerations and multipliers as sensors take them."""
        return solution

    def freedoms(self, calls: Calls, q: np.ndarray, at: At) -> Freedoms:
        """What constraints leave free at positions q."""
        J = self.positions(calls, at._replace(q=q))[1]
        return freedoms_of(J, self.rows(()).names, self.layout.v)

    # ---- states ---------------------------------------------------------------------------------

    @cached_property
    def start(self) -> State:
        """The state that the model describes."""
        model = self.model(self.first)
        joints = model.joints.values()
        q = np.array([x for joint in joints for x in joint.initial_position()], dtype=float)
        v = np.array([x for joint in joints for x in joint.initial_velocity()], dtype=float)
        z = np.array([state.initial for state in model.states.values()], dtype=float)
        return State(q, v, z, tuple(self.layout.state_names))

    def initial(self, parameters: Mapping[str, float]) -> State:
        """The same with what forces track found there."""
        q, v = self.start.q.copy(), self.start.v.copy()
        z = with_found_states(self.whole, q, self.start.z, parameters)
        return State(q, v, z, self.start.names)

    def assembler(self, calls: Calls, at: At) -> StateAssembler:
        """What finds states that constraints allow, at a time with inputs."""
        raise self._refusal("constraints")

    def solve_positions(self, calls: Calls, q: np.ndarray, kept: list[int], at: At) -> np.ndarray:
        """Positions that what acts allows, at a time with inputs; some coordinates are kept."""
        return q

    def solve_velocities(self, calls: Calls, v: np.ndarray, kept: list[int], at: At) -> np.ndarray:
        """Velocities that what acts allows; some are kept."""
        return v

    def states_of(self, x: np.ndarray) -> np.ndarray:
        """The states of copies, a row for each."""
        return x[None, :]

    def set_mode_states(self, key: Key, z: np.ndarray) -> np.ndarray:
        """Extra states with those that say what acts."""
        return z

    def consistent(self, calls: Calls, x: np.ndarray, at: At) -> tuple[np.ndarray, float]:
        """The state nearest to x that what acts allows, and the energy that is lost."""
        return x.copy(), 0.0

    # ---- what a run needs -----------------------------------------------------------------------

    def problem(self, key: Key, asked: ProblemSpec) -> IntegrationProblem:
        """What a run integrates, with everything that belongs to it."""
        if asked.constraints is not None:
            raise InputError(
                f"{self.name}: constraints={asked.constraints!r} was asked for, but the model has "
                "no constraints; leave it away."
            )
        turn = None if self.plan.plain_coordinates else self.compiled(key, "configuration rate")
        rate, block = self.compiled(key, "rate"), self.block(key, asked.values)
        problem = Problem(rate, self.layout.sizes, asked.u, block, turn, asked.refresh)
        outputs = self.compiled(key, "outputs") if self.layout.outputs else None
        updates = self.compiled(key, "updates") if self.layout.memories else None
        return IntegrationProblem(problem, outputs, updates)

    def on_blocks(self, key: Key, values: np.ndarray) -> list[tuple[FunctionSet, np.ndarray]]:
        """The functions that a run may evaluate, with their parameter blocks."""
        return [(self.active_equations(key).functions, self.block(key, values))]

    def compiled(self, key: Key, name: str) -> FunctionData:
        """One of its own functions as C calls it."""
        self.refuse(name)
        return self.active_equations(key).functions[name].compiled

    def block(self, key: Key, values: np.ndarray, stiffness: bool = False) -> np.ndarray:
        """The parameter block of its own functions."""
        return self.active_equations(key, stiffness).functions.block_for(values)

    def rate_jacobian(self, key: Key) -> tuple[Function, FunctionData | RateDerivatives] | None:
        """∂ẋ/∂x, or what it is made of, and the same as C takes it; None: by differences."""
        function = self.function(key, "rate jacobian")
        return function, function.compiled

    def energy(self, key: Key, x: np.ndarray, values: np.ndarray, t: float) -> float:
        """Kinetic and potential energy of a state under given parameters [J]."""
        function = self.function(key, "energy")
        u = np.array([t, *self.layout.input_defaults])
        return float(function.at(x, u, function.block_for(values)).sum())

    def constrained_functions(self, key: Key, stiffness: bool = False) -> ConstrainedFunctions:
        """What a formulation of constrained motion needs (native/constrained)."""
        raise self._refusal("constraints")

    def modes_data(self) -> ModesData:
        """All modes as C needs them (native/modes/modes_struct.py)."""
        raise self._refusal("modes")

    @abstractmethod
    def text(self, key: Key, freedoms: Callable[[], Freedoms]) -> str:
        """What a system says of itself; `freedoms` finds those of its assembled state."""


def _lead_of(layout: Layout, at: At) -> tuple[int, ...]:
    """The leading dimensions of positions, times, inputs and parameters."""
    given = [
        filled("q", at.q, layout.q, np.zeros(len(layout.q))),
        read_times(at.t),
        filled("u", at.u, layout.inputs, np.zeros(len(layout.inputs))),
        layout.varied(np.zeros(len(layout.parameters)), at.parameters or {}),
    ]
    return leading(given)


class TreeDynamics(DynamicsKind):
    """M a + c = τ, solved in the order of the tree."""

    cannot: ClassVar = {
        "terms": "it has no constraints; its terms are `mass_matrix`, `bias` and `joint_efforts`."
    }

    def active_equations(self, key: Key, stiffness: bool = False) -> ActiveEquations:
        """`rate`, `configuration rate`, `outputs`, `updates`."""
        return self.derive_once("acting", self._derive)

    def _derive(self) -> ActiveEquations:
        d = self.derive(self.whole)
        rate, q_rate, outputs = rate_equations(d, self.plan.algorithm)
        wanted = {"rate": rate, "configuration rate": q_rate, "outputs": outputs}
        return ActiveEquations(
            self.whole, NO_ROWS, d.functions(wanted | {"updates": update_equations(d)})
        )

    def text(self, key: Key, freedoms: Callable[[], Freedoms]) -> str:
        """Bodies, sizes, and what was chosen."""
        model, layout, plan, (nq, nv, nz) = self.whole, self.layout, self.plan, self.layout.sizes
        frames = "chosen" if plan.frame_pass else "described"
        counts = self.function(key, self.main).counts
        rows = [
            f"{self.name}: {_number(len(model.bodies), 'body', 'bodies')}, "
            f"{_number(len(model.joints), 'joint', 'joints')}",
            f"  positions {nq}, velocities {nv} (freedoms), extra states {nz}, "
            f"inputs {len(layout.inputs)}, sensors {len(layout.outputs)}, "
            f"live parameters {len(layout.parameters)}",
            f"  coordinates: {', '.join(layout.q[:12])}{'…' if nq > 12 else ''}",
            f"  forward dynamics: {plan.algorithm}, {frames} link frames, {counts}",
        ]
        return "\n".join(rows)


def _number(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
