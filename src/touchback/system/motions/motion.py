"""What every motion has: the equations that hold, by what acts, and how a system is to use them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from touchback.codegen import Backend
from touchback.errors import InputError, TouchbackError
from touchback.model.model import Model
from touchback.model.names import unknown
from touchback.model.sensors import Multiplier
from touchback.native import ConstrainedFunctions, FunctionData, Problem, RateSlopes
from touchback.native.modes.data import ModesData
from touchback.system.begin import begun
from touchback.system.closing import Closing
from touchback.system.constrained import NO_ROWS, ConstraintLayout, Terms
from touchback.system.equations import Equations
from touchback.system.freedoms import Freedoms, freedoms_of
from touchback.system.function import Function
from touchback.system.function_set import FunctionSet
from touchback.system.functions import Recipe, standard_recipe
from touchback.system.layout import Values
from touchback.system.modes import NO_MODES, SystemModes
from touchback.system.motions.acting import Acting, At, Key
from touchback.system.motions.deriving import Deriving
from touchback.system.plan import Plan
from touchback.system.posed import Posed, Posing
from touchback.system.reading import lead_of
from touchback.system.solved_motion import SolvedMotion
from touchback.system.state import State

if TYPE_CHECKING:
    from touchback.system.arrays import Arrays
    from touchback.system.system import System


class Motion(Deriving, ABC):
    """How a mechanism moves. What acts is a key, one of the settings of a system; the motion itself
    has no settings and only learns, so that systems made apart share it.

    A kind of motion is a file here. It says which functions `acting` derives, solves for
    accelerations and multipliers, finds states that are allowed (`closed`, `met`), and names what
    it `cannot` do, which is refused by `refuse` alone. What stands here is right where nothing is
    tied and nothing changes."""

    main: ClassVar[str] = "rate"  # the function that a motion is counted by
    own: ClassVar[tuple[str, ...]] = ("rate", "configuration rate", "outputs", "updates")
    constrained: ClassVar[bool] = False  # whether constraints may act: runs take a formulation
    cannot: ClassVar[Mapping[str, str]] = {}
    refused_as: ClassVar[type[TouchbackError]] = InputError
    one: System | None = None  # of a row of copies the system of each,
    names: tuple[str, ...] = ()  # and what they are called
    shared: tuple[str, ...] = ()  # inputs that copies have in common
    modes: SystemModes = NO_MODES

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        super().__init__(model, plan, backend)
        self.first: Key = ()  # what acts to begin with

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

    def acting(self, key: Key, stiffness: bool = False) -> Acting:
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
            return self.acting(key).functions[name]
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

        return self.once(("function", what), derive)

    def equations(self, key: Key) -> Equations:
        """The equations of motion with their derivatives."""
        return self.once(("equations", key), lambda: Equations(self, key))

    # ---- settings -------------------------------------------------------------------------------

    def switched(self, key: Key, names: Collection[str], active: bool) -> Key:
        """What acts when some constraints are turned on or off."""
        for name in names:
            raise InputError(str(unknown("constraint", name, self.model(key).constraint_rows())))
        return key

    def entered(self, key: Key, modes: Sequence[str]) -> Key:
        """What acts when some modes are entered."""
        for mode in modes:
            raise InputError(str(unknown("mode", mode, ())))
        return key

    # ---- functions on arrays --------------------------------------------------------------------

    def solve(
        self,
        system: Arrays,
        at: At,
        tau: Values = None,
        pull: np.ndarray | None = None,
        out: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations, in `out` where they come about there, and multipliers; without `tau` the
        model's own joint efforts act. What constraints demand is J a + γ + pull = 0."""
        nq, nv, _ = system.sizes
        if tau is None:
            a = system.called("rate", at)[..., nq : nq + nv]
        else:
            a = system.called("forward dynamics", at, system.along("tau", tau), out)
        return a, np.zeros((*a.shape[:-1], 0))

    def state_rate(self, system: Arrays, at: At) -> np.ndarray:
        """dx/dt."""
        return system.called("rate", at)

    def solved(self, system: Arrays, at: At) -> np.ndarray | None:
        """What `outputs` reads of the solution at a state; None where it solves by itself."""
        return None

    def terms(self, system: Arrays, at: At) -> Terms:
        """h, b, γ, J, W, M and f at a state."""
        raise self._refusal("terms")

    def positions(self, system: Arrays, at: At) -> tuple[np.ndarray, np.ndarray]:
        """h and J at positions."""
        lead = lead_of(self.layout, at)
        return np.zeros((*lead, 0)), np.zeros((*lead, 0, len(self.layout.v)))

    def open_solutions(self, system: Arrays, at: At) -> tuple[np.ndarray, Sequence[str]]:
        """What mechanics leaves open of [accelerations, multipliers], directions by rows, at the
        first of some states; and the names of the multipliers."""
        return np.zeros((0, len(self.layout.v))), ()

    def for_outputs(self, key: Key, solution: np.ndarray) -> np.ndarray:
        """Accelerations and multipliers as sensors take them."""
        return solution

    def freedoms(self, system: System, q: np.ndarray, at: At) -> Freedoms:
        """What constraints leave free at positions q."""
        J = self.positions(system, at._replace(q=q))[1]
        return freedoms_of(J, self.rows(()), self.layout.v)

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
        z = begun(self.whole, q, self.start.z, parameters)
        return State(q, v, z, self.start.names)

    def closing(self, system: System, at: At) -> Closing:
        """What finds states that constraints allow, at a time with inputs."""
        raise self._refusal("constraints")

    def closed(self, system: System, q: np.ndarray, kept: list[int], at: At) -> np.ndarray:
        """Positions that what acts allows, at a time with inputs; some coordinates are kept."""
        return q

    def met(self, system: System, v: np.ndarray, kept: list[int], at: At) -> np.ndarray:
        """Velocities that what acts allows; some are kept."""
        return v

    def states_of(self, x: np.ndarray) -> np.ndarray:
        """The states of copies, a row for each."""
        return x[None, :]

    def numbered(self, key: Key, z: np.ndarray) -> np.ndarray:
        """Extra states with those that say what acts."""
        return z

    def consistent(self, system: System, x: np.ndarray, at: At) -> tuple[np.ndarray, float]:
        """The state nearest to x that what acts allows, and the energy that is lost."""
        return x.copy(), 0.0

    # ---- what a run needs -----------------------------------------------------------------------

    def problem(self, key: Key, asked: Posing) -> Posed:
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
        return Posed(problem, outputs, updates)

    def on_blocks(self, key: Key, values: np.ndarray) -> list[tuple[FunctionSet, np.ndarray]]:
        """The functions that a run may evaluate, with their parameter blocks."""
        return [(self.acting(key).functions, self.block(key, values))]

    def compiled(self, key: Key, name: str) -> FunctionData:
        """One of its own functions as C calls it."""
        self.refuse(name)
        return self.acting(key).functions[name].compiled

    def block(self, key: Key, values: np.ndarray, stiffness: bool = False) -> np.ndarray:
        """The parameter block of its own functions."""
        return self.acting(key, stiffness).functions.block_for(values)

    def slopes(self, key: Key) -> tuple[Function, FunctionData | RateSlopes] | None:
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
        """All modes as C needs them (native/modes/data.py)."""
        raise self._refusal("modes")

    @abstractmethod
    def text(self, system: System) -> str:
        """What a system says of itself."""
