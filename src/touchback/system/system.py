"""A compiled model: names, sizes, parameters, and functions on arrays."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from touchback.codegen import Compiled
from touchback.errors import InputError
from touchback.model.model import Model
from touchback.native import ConstrainedFunctions, Formulation, FunctionData, RateSlopes
from touchback.native.modes.data import ModesData
from touchback.numbers import shown
from touchback.symbolic.count import Counts
from touchback.symbolic.expression import Expr
from touchback.symbolic.tape import Tape
from touchback.system.begin import begun
from touchback.system.branches import check_branches
from touchback.system.derivation import Derivation
from touchback.system.equations import Equations
from touchback.system.freedoms import Freedoms
from touchback.system.function import Function
from touchback.system.function_set import FunctionSet
from touchback.system.layout import Values, fill
from touchback.system.motions.acting import At
from touchback.system.posed import Feed, Posed, Posing
from touchback.system.reading import by_name
from touchback.system.settings import Settings
from touchback.system.state import Assembly, State
from touchback.system.texts import listing_of, source_of

if TYPE_CHECKING:
    from touchback.batch import Batch
    from touchback.workbench import Workbench


_SHUT = 1e-10  # m or rad: a loop that is closed


class System(Settings):
    """What `Model.compile` returns. Functions are derived and compiled when first used.

    Arrays stand in the order of `coordinates` (positions q) and `velocities` (velocities v,
    accelerations, efforts); every argument may also be a dict by name. Any number of threads may
    call the functions of one system, and run it; parameters, active constraints and modes are
    settings that all of them share (`apart` gives a system with its own).

    How the mechanism moves, by a tree of joints, under constraints, in modes or as a row of copies,
    is what its `motion` knows (`system/motions`); a system never asks which."""

    # ---- copies ---------------------------------------------------------------------------------

    @property
    def one(self) -> "System":
        """Of a row of copies the system of each; others are their own."""
        return self.motion.one or self

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the copies in a row; none in others."""
        return self.motion.names

    @property
    def shared(self) -> tuple[str, ...]:
        """Inputs that all copies of a row have in common."""
        return self.motion.shared

    def states_of(self, x: State | ArrayLike) -> np.ndarray:
        """The states of the copies, a row for each."""
        return self.motion.states_of(self._elements(x))

    # ---- states ---------------------------------------------------------------------------------

    def initial_state(self) -> State:
        """The state that the model describes, with what forces track found there."""
        return self.motion.initial(self.parameters)

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
        motion, layout, start = self.motion, self.layout, self.motion.start
        kept = {**by_name("positions", positions), **named}
        q = fill("coordinate", by_name("guess", guess), layout.q, start.q)
        q = fill("coordinate", kept, layout.q, q).copy()
        v = fill("velocity", by_name("rates", rates), layout.v, start.v).copy()
        followed = fill("state", by_name("states", states), layout.z, start.z)
        at = At(u=inputs, t=t, z=followed)
        held = [layout.q.index(name) for name in kept]
        q = motion.closed(self, q, held, at)
        z = begun(self.model, q, start.z, self.parameters)
        z = fill("state", by_name("states", states), layout.z, z).copy()
        check_branches(self.model, q, self.parameters)
        given = [layout.v.index(name) for name in rates or {}]
        v = motion.met(self, v, given, at._replace(q=q, z=z))
        how = Assembly(tuple(held), tuple(given), tuple(map(float, self.calls.parameters)))
        return State(q, v, motion.numbered(self.key, z), tuple(self.state_names), how)

    def reassembled(self, state: State, t: float = 0.0, inputs: Values = None) -> State:
        """A state that `assemble` gave under other values of the parameters, assembled under those
        of now: what was given then is kept, the rest changes least."""
        self._elements(state)  # refuses those of another system
        how = state.assembly
        if how is None or how.parameters == tuple(map(float, self.calls.parameters)):
            return state
        at = At(u=inputs, t=t, z=state.z)
        if np.abs(self.motion.positions(self, at._replace(q=state.q))[0]).max(initial=0.0) < _SHUT:
            return state
        q = self.motion.closed(self, state.q.copy(), list(how.positions), at)
        check_branches(self.model, q, self.parameters)
        v = self.motion.met(self, state.v.copy(), list(how.rates), at._replace(q=q))
        return State(q, v, state.z, state.names)

    def consistent(
        self, x: State | ArrayLike, t: float = 0.0, inputs: Values = None
    ) -> tuple[np.ndarray, float]:
        """The state nearest to a state, or x = [q, v, z], that the active constraints allow at time
        `t` with these `inputs`, and the energy that is lost: positions change least, velocities by
        the constraints' impulses."""
        return self.motion.consistent(self, self._elements(x), At(u=inputs, t=t))

    def freedoms(
        self, q: Values = None, t: float = 0.0, inputs: Values = None, z: Values = None
    ) -> Freedoms:
        """Degrees of freedom, independent coordinates, redundant constraints and singularity at a
        position (default: the assembled initial one)."""
        assembled = self.assemble(t=t, inputs=inputs).q if q is None else q
        at = fill("q", assembled, self.layout.q, self.motion.start.q)
        return self.motion.freedoms(self, at, At(u=inputs, t=t, z=z))

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
        return self.motion.energy(self.key, self._elements(x), parameters, t)

    # ---- what a run needs (simulate, realtime) --------------------------------------------------

    def derive(
        self, extra: Sequence[str] = (), model: Model | None = None, tape: Tape | None = None
    ) -> Derivation:
        """A derivation of functions of x, u = [t, inputs…] and `extra` arguments: see `Motion`."""
        return self.motion.derive(model or self.model, extra, tape)

    @property
    def equations(self) -> Equations:
        """The equations of motion with their derivatives, for analyses."""
        return self.motion.equations(self.key)

    @property
    def constrained(self) -> bool:
        """Whether constraints may act, so that runs take a formulation."""
        return self.motion.constrained

    def problem(
        self,
        constraints: str | Formulation | None = None,
        parameters: Mapping[str, float] | None = None,
        inputs: Feed | None = None,
        method: str = "rk4",
        clocked: bool = False,
    ) -> Posed:
        """What a run integrates, with some parameters replaced: see `Posing`. Inputs have their
        defaults unless they are given."""
        u = np.append(0.0, self.input_defaults) if inputs is None else inputs.u
        refresh = None if inputs is None else inputs.refresher()
        values = self.parameter_values(parameters)
        asked = Posing(u, refresh, values, constraints, method, clocked)
        return self.motion.problem(self.key, asked)

    def on_blocks(
        self, parameters: Mapping[str, float] | None = None
    ) -> list[tuple[FunctionSet, np.ndarray]]:
        """The functions that a run may evaluate, with their parameter blocks."""
        return self.motion.on_blocks(self.key, self.parameter_values(parameters))

    def rate_jacobian(
        self, overrides: Mapping[str, float] | None = None
    ) -> tuple[FunctionData | RateSlopes | None, np.ndarray]:
        """∂ẋ/∂x as a compiled function, or what it is made of, and its parameter block; None where
        it can't be derived."""
        function, slopes = self.motion.slopes(self.key) or (None, None)
        values = self.parameter_values(overrides)
        return slopes, np.empty(0) if function is None else function.block_for(values)

    def momentum_rate(
        self, overrides: Mapping[str, float] | None = None
    ) -> tuple[FunctionData, np.ndarray]:
        """[M, d(M v)/dt, ż] as a compiled function, and its parameter block."""
        function = self.motion.function(self.key, "momentum rate")
        return function.compiled, function.block_for(self.parameter_values(overrides))

    def stages(
        self, stiffness: bool, implicit: bool, momenta: bool = False
    ) -> list[Function | FunctionSet]:
        """What computes the parameter block of a run from the parameters: that of its own functions
        (with `stiffness` for formulations that are steps), then that of `rate_jacobian` where an
        `implicit` method needs it, then that of `momentum_rate` where one works on `momenta`."""
        slopes = self.motion.slopes(self.key) if implicit else None
        own = self.motion.acting(self.key, stiffness).functions
        found: list[Function | FunctionSet] = [own] if slopes is None else [own, slopes[0]]
        return [*found, self.motion.function(self.key, "momentum rate")] if momenta else found

    def event_functions(
        self, wanted: Sequence[Expr | str], overrides: Mapping[str, float] | None = None
    ) -> tuple[Compiled, np.ndarray]:
        """Expressions of the model, and signals by name, as one compiled function of x and
        u = [t, inputs…], and its parameter block."""
        from touchback.system.events import event_function

        function = event_function(self, wanted)
        return function.compiled, function.block_for(self.parameter_values(overrides))

    def constrained_functions(self, stiffness: bool = False) -> ConstrainedFunctions:
        """What a formulation of constrained motion needs, for C."""
        return self.motion.constrained_functions(self.key, stiffness)

    def modes_data(self) -> ModesData:
        """All modes, for C."""
        return self.motion.modes_data()

    # ---- many ------------------------------------------------------------------------------------

    def batch(self, count: int) -> "Batch":
        """So many instances, which run at once: see `Batch.run`."""
        from touchback.batch import Batch

        return Batch(self, count)

    # ---- seeing ---------------------------------------------------------------------------------

    def view(
        self, x0: State | None = None, *, rate: float = 1000.0, host: str = "127.0.0.1",
        port: int = 0,
    ) -> "Workbench":  # fmt: skip
        """Runs it live on a page in the browser, from a state: see `workbench.open`. A notebook
        shows the page, a script prints its address; the result's `close()` ends both."""
        from touchback.workbench import open as open_page

        return open_page(self, x0=x0, rate=rate, host=host, port=port).show()

    # ---- reading --------------------------------------------------------------------------------

    def counts(self, name: str = "") -> Counts:
        """Operations per call of a function: by default of that which a run needs."""
        return self.function(name or self.motion.main).counts

    def listing(self, name: str = "", limit: int | None = 200) -> str:
        """A readable listing of a function's operations."""
        return listing_of(self, name or self.motion.main, limit)

    def disassemble(self, name: str = "") -> str:
        """The machine code of a function."""
        return self.function(name or self.motion.main).compiled.disassemble()

    def generate(self, name: str = "", language: str = "c", parameters: bool = False) -> str:
        """Source text of a function in "c", "python" or "matlab"; with `parameters` of the stage
        that turns live parameters into the array p that the function reads."""
        return source_of(self, name or self.motion.main, language, parameters)

    def __repr__(self) -> str:
        return self.motion.text(self)

    def _repr_html_(self) -> str:
        from touchback.system.notebook import system_html

        return system_html(self)
