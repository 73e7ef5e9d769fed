"""The model: what a mechanism is, described by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack

from msgspec.structs import replace
from numpy.typing import ArrayLike

from touchback.errors import ModelError
from touchback.model.body import Bodies, make_body
from touchback.model.constrained import Constrained
from touchback.model.contact_kind import ContactKind
from touchback.model.controls import add_choice, check_alternative
from touchback.model.couplings import coordinate_of
from touchback.model.forces import ForceKind, JointEffort, LinkForce
from touchback.model.frame import GROUND, BodyHandle, Frame, Place, Turns, as_frame, turns
from touchback.model.joints import Joint, JointKind, make_joint
from touchback.model.joints.joint import JointOptions
from touchback.model.modes import SIGNAL, ModelModes
from touchback.model.names import check_name, check_unit, unknown
from touchback.model.part import Part, check_size
from touchback.model.sensors import Distance, SensorKind
from touchback.model.sensors.base import Measured
from touchback.model.signals import (
    OWN_RATE,
    BaseMotion,
    Control,
    ExtraState,
    Input,
    Parameter,
    check_range,
)
from touchback.model.tables import make_table
from touchback.model.value import Components, Value, Values, listed, number, triple, value
from touchback.model.walk import expressions_of, normalised
from touchback.symbolic.expression import Expr
from touchback.symbolic.parse import parse
from touchback.symbolic.table import Table
from touchback.symbolic.tape import Tape

if TYPE_CHECKING:
    from touchback.system import System

_T = TypeVar("_T")
Law = Value | Callable[[Expr], Value] | None


class Model(Constrained, ModelModes):
    """A mechanism under description. Everything has a name; numbers may be expressions of
    parameters and other signals."""

    def __init__(self, name: str, gravity: Components = (0.0, 0.0, -9.81)) -> None:
        Constrained.__init__(self)
        ModelModes.__init__(self)
        self.name = check_name("Model", name)
        self.tape = Tape()
        self.ground = BodyHandle(GROUND)
        self.gravity = triple(f"Model '{name}': gravity", gravity)
        self.parameters: dict[str, Parameter] = {}
        self.inputs: dict[str, Input] = {}
        self.states: dict[str, ExtraState] = {}
        self.bodies = Bodies()
        self.joints: dict[str, Joint] = {}
        self.forces: dict[str, ForceKind] = {}
        self.contacts: dict[str, ContactKind] = {}
        self.controls: dict[str, Control] = {}
        self.sensors: dict[str, SensorKind] = {}
        self.reported: tuple[str, ...] | None = None  # sensors that are outputs; None: all
        self.tables: dict[str, Table] = {}
        self.parts: dict[str, Part] = {}
        self.base = BaseMotion()
        self.imported: dict[
            str, Any
        ] = {}  # what a file said beyond the mechanics, kept by its importer

    # ---- signals ---------------------------------------------------------------------------------

    def parameter(
        self,
        name: str,
        default: float,
        unit: str = "",
        min: float | None = None,
        max: float | None = None,
    ) -> Expr:
        """A live number, to be used in any other description; changeable on the compiled system."""
        self._new_signal("parameter", name)
        label = f"Parameter '{name}'"
        lowest = None if min is None else number(f"{label}: min", min)
        highest = None if max is None else number(f"{label}: max", max)
        usual = number(f"{label}: default", default)
        check_range(label, usual, lowest, highest)
        self.parameters[name] = Parameter(usual, check_unit(label, unit), lowest, highest)
        return self._symbol(name)

    def input(self, name: str, unit: str = "", default: float = 0.0) -> Expr:
        """A signal from outside: a device, a port, a function of time given to `simulate`."""
        self._new_signal("input", name)
        label = f"Input '{name}'"
        self.inputs[name] = Input(number(f"{label}: default", default), check_unit(label, unit))
        return self._symbol(name)

    def state(self, name: str, initial: float = 0.0, rate: Law = None, unit: str = "") -> Expr:
        """An extra state z with ż = rate: an expression, or a function of the state's own one.

        Leave `rate` out and give it with `set_rate` when it needs other states defined later."""
        self._new_signal("state", name)
        label = f"State '{name}'"
        start = number(f"{label}: initial", initial)
        owned = self.owned_states()
        self.states[name] = ExtraState(start, 0.0, check_unit(label, unit))
        for full in [known for known in self.states if known in owned] if owned else ():
            self.states[full] = self.states.pop(full)  # forces' states come last, as in a file
        symbol = self._symbol(name)
        if rate is not None:
            self.set_rate(name, rate(symbol) if callable(rate) else rate)
        return symbol

    def set_rate(self, name: str, rate: Value) -> None:
        """Give ż of an extra state."""
        if name not in self.states:
            raise unknown("state", name, self.states)
        if name in self.owned_states():
            raise ModelError(f"State '{name}': it belongs to a force, which gives its rate.")
        if self.states[name].update is not None:
            raise ModelError(
                f"State '{name}': it is a memory, which changes only at ticks; it has no rate."
            )
        label = f"State '{name}': rate"
        changed = replace(self.states[name], rate=value(label, rate))
        self.states[name] = self._own(label, changed)

    def memory(self, name: str, initial: float = 0.0, update: Law = None, unit: str = "") -> Expr:
        """A state that changes only at ticks, where it takes the value of `update`: an expression,
        or a function of the memory's own one. All updates of a tick see the values before it; the
        motion until the next tick sees those after it.

        Leave `update` out and give it with `set_update` when it needs memories defined later."""
        symbol = self.state(name, initial, unit=unit)
        self.states[name] = replace(self.states[name], update=symbol)
        if update is not None:
            self.set_update(name, update)
        return symbol

    def set_update(self, name: str, update: Law) -> None:
        """Give what a memory becomes at a tick."""
        if name not in self.states:
            raise unknown("memory", name, self.states)
        if self.states[name].update is None:
            raise ModelError(
                f"State '{name}': it is no memory, it changes all the time by its rate; make it by "
                "`m.memory` if it shall change only at ticks."
            )
        label = f"Memory '{name}': update"
        given = update(self.signal(name)) if callable(update) else update
        changed = replace(self.states[name], update=value(label, given))
        self.states[name] = self._own(label, changed)

    @property
    def memories(self) -> list[str]:
        """States that change only at ticks."""
        return [name for name, state in self.states.items() if state.update is not None]

    def control(
        self,
        name: str,
        law: Callable[..., Values],
        of: Sequence[str | Value],
        to: str | Sequence[str],
        instead_of: str | None = None,
    ) -> None:
        """A traced controller: `law` gets the signals in `of` (names or expressions) and returns
        what drives the inputs in `to` (a name or several; also "part/input").

        With `instead_of` it is an alternative to another control of the same inputs: a live
        parameter "… choice" says which of them acts (`live.choose`)."""
        check_name("Control", name)
        label = f"Control '{name}'"
        self._refuse_known("control", name, self.controls)
        signals = [self.signal(item) if isinstance(item, str) else item for item in of]
        targets = [to] if isinstance(to, str) else list(to)
        outcome = law(*signals)
        outcomes = listed(outcome)
        if outcomes is None:
            outcomes = [outcome]
        if len(outcomes) != len(targets):
            raise ModelError(
                f"{label}: its law returned {len(outcomes)} value(s) for {len(targets)} input(s); "
                "return one for each input in `to`."
            )
        drives: dict[str, Value] = {}
        for target, driven in zip(targets, outcomes, strict=True):
            self._check_target(label, target, drives, alternative=instead_of is not None)
            drives[target] = value(f"{label}: {target}", driven)
        if instead_of is None:
            self.controls[name] = self._own(label, Control(drives))
            return
        check_alternative(self, label, instead_of, targets)
        self.controls[name] = self._own(label, Control(drives, instead_of))
        add_choice(self, instead_of)

    def table(self, name: str, x: ArrayLike, values: ArrayLike, y: ArrayLike = ()) -> Table:
        """A named lookup table for laws: `tb.lookup(table, x)`."""
        check_name("Table", name)
        self._refuse_known("table", name, self.tables)
        self.tables[name] = make_table(f"Table '{name}'", x, values, y)
        return self.tables[name]

    # ---- mechanics -------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        mass: Value = 0.0,
        com: Components = (0.0, 0.0, 0.0),
        inertia: Components | Sequence[Components] = (0.0, 0.0, 0.0),
    ) -> BodyHandle:
        """A rigid body: mass [kg], centre of mass [m], inertia about the centre of mass [kg m²]."""
        check_name("Body", name)
        if name == GROUND:
            raise ModelError("Body 'ground': this name is taken; use `model.ground`.")
        self._refuse_known("body", name, self.bodies)
        self.bodies[name] = self._own(f"Body '{name}'", make_body(name, mass, com, inertia))
        return BodyHandle(name)

    def joint(
        self,
        name: str,
        kind: JointKind,
        parent: Place,
        child: Place,
        **options: Unpack[JointOptions],
    ) -> str:
        """Join `child` to `parent` (bodies or frames). Options: spring, rest, damping, friction,
        friction_speed, armature, limits, stop, position, velocity (see `Joint`). Returns the
        joint's name."""
        check_name("Joint", name)
        label = f"Joint '{name}'"
        self._refuse_known("joint", name, self.joints)
        frames = as_frame(f"{label}: parent", parent), as_frame(f"{label}: child", child)
        joint = self._own(label, make_joint(name, kind, *frames, options))
        for full in _names(name, joint):
            for other in (full, full.rpartition(".")[0]):  # a joint's name, or joint.coordinate
                if other in self.joints and full in _names(other, self.joints[other]):
                    raise ModelError(
                        f"{label}: its coordinate '{full}' has the name of one of joint '{other}'; "
                        "rename one of the joints."
                    )
        self.joints[name] = joint
        return name

    def force(self, name: str, kind: ForceKind) -> None:
        """A force, a torque, or a joint effort. A law may be a Python function of expressions:
        `tb.JointEffort("crank", lambda q, v: -3 * q**3)`,
        `tb.LinkForce(a, b, lambda length, rate: …)`."""
        check_name("Force", name)
        label = f"Force '{name}'"
        self._refuse_known("force", name, self.forces)
        if not isinstance(kind, ForceKind):
            raise ModelError(f"{label}: a force such as tb.Wrench(…) is expected, got {kind!r}.")
        force = self._own(label, normalised(label, self._traced(name, kind)))
        own = {f"{name}.{state}": given for state, given in force.states().items()}
        for full in own:
            self._new_signal("state", full)
        self.forces[name] = force
        for full, given in own.items():
            rate = Expr(self.tape, self.tape.symbol(OWN_RATE + full))
            self.states[full] = ExtraState(given.initial, rate, given.unit)

    def contact(self, name: str, kind: ContactKind) -> None:
        """A rigid contact, as tb.contact.SpherePlaneContact: what runs keep apart. (A soft one is a
        force.)"""
        check_name("Contact", name)
        label = f"Contact '{name}'"
        self._refuse_known("contact", name, self.contacts)
        if not isinstance(kind, ContactKind):
            raise ModelError(
                f"{label}: a rigid contact such as tb.contact.SpherePlaneContact(…) is expected, "
                f"got {kind!r}; soft ones are added by `m.force`."
            )
        self.contacts[name] = self._own(label, normalised(label, kind))

    def _traced(self, name: str, kind: ForceKind) -> ForceKind:
        """The force with a law that is a Python function replaced by what it returns."""
        if isinstance(kind, JointEffort) and (law := _function(kind.effort)):
            signals = self.coordinate(kind.joint, kind.index), self.rate(kind.joint, kind.index)
            return JointEffort(kind.joint, law(*signals), kind.index)
        if isinstance(kind, LinkForce) and (law := _function(kind.tension)):
            line = self.sensor(f"{name} line", Distance(kind.a, kind.b))
            return LinkForce(kind.a, kind.b, law(*line))
        return kind

    def sensor(self, name: str, kind: SensorKind[Measured]) -> Measured:
        """A sensor; returns its expression (or one a component), which laws and controllers may
        use."""
        label = f"Sensor '{name}'"
        if not isinstance(kind, SensorKind):
            raise ModelError(
                f"{label}: a sensor such as tb.Position(body) is expected, got {kind!r}."
            )
        self._new_signal("sensor", name, sensor_names(name, kind))
        self.sensors[name] = self._own(label, normalised(label, kind))
        signals = [self._symbol(full) for full in sensor_names(name, kind)]
        measured: Any = signals[0] if len(signals) == 1 else tuple(signals)  # as the kind says
        return measured

    def report(self, *sensors: str) -> None:
        """Name the sensors, also "part/sensor", that are outputs of the compiled system; the others
        stay signals that laws and controllers may use. Without this call all of them are."""
        known = [
            *self.sensors,
            *(name for part in self.parts for name in self._inner_sensors(part)),
        ]
        for name in sensors:
            if name not in known:
                raise unknown("sensor", name, known, where="Report")
        self.reported = tuple(sensors)

    def _inner_sensors(self, prefix: str) -> list[str]:
        inner = self.parts[prefix].model
        own = [
            *inner.sensors,
            *(name for part in inner.parts for name in inner._inner_sensors(part)),
        ]
        return [f"{prefix}/{name}" for name in own]

    def outputs(self) -> dict[str, SensorKind]:
        """The sensors that are outputs."""
        if self.reported is None:
            return self.sensors
        return {name: kind for name, kind in self.sensors.items() if name in self.reported}

    def move_base(
        self, position: Components = (0.0, 0.0, 0.0), turn: Turns = None, **others: object
    ) -> None:
        """Prescribe the ground's motion in the world: the position of its origin [m] along world
        axes, then turns about its own moving axes, `("z", angle)` or a list of such [rad]; numbers
        or expressions of time, parameters and states.

        Velocities and accelerations are derived from it. Gravity is the world's and doesn't turn
        with the ground; positions, velocities and directions are along world axes."""
        for word in others:
            raise ModelError(
                f"Moving base: there is no option '{word}'; give the motion itself, `position` and "
                "`turn` as functions of time. Velocities and accelerations follow from it. (A "
                "motion known by its acceleration is a state whose rate is a state.)"
            )
        label = "Moving base"
        motion = BaseMotion(triple(f"{label}: position", position), turns(label, turn))
        self.base = self._own(label, motion)

    def add(
        self,
        part: "Model",
        at: Place | None = None,
        name: str | None = None,
        share: Sequence[str] = (),
        bind: Mapping[str, Value] | None = None,
    ) -> Callable[[str], str]:
        """Put a copy of another model here: its ground becomes the frame `at`, its names become
        "name/…".

        Parameters named in `share` are those of this model (made if they aren't there yet); `bind`
        gives others a number or an expression of this model; the rest are parameters of the copy.
        Returns a function that gives the full name of a thing in the copy."""
        if not isinstance(part, Model):
            raise ModelError(f"Part: a model is expected, got {part!r}.")
        name = part.name if name is None else name
        check_name("Part", name)
        label = f"Part '{name}'"
        self._refuse_known("part", name, self.parts)
        check_size(label, self, part)
        if part.contains(self):
            raise ModelError(f"{label}: a model can't be a part of itself.")
        known, bound = part.all_parameters(), dict(bind or {})
        for shared in (*share, *bound):
            if shared not in known:
                raise unknown("parameter", shared, known, where=label)
            if shared in share and shared in bound:
                raise ModelError(f"{label}: '{shared}' is both shared and bound; keep one of them.")
        added = Part(
            model=part,
            at=as_frame(f"{label}: at", self.ground if at is None else at),
            share=tuple(share),
            bind={key: value(f"{label}: {key}", item) for key, item in bound.items()},
        )
        self._own(label, (added.at, added.bind))
        for shared in share:
            if shared not in self.parameters:
                given = known[shared]
                self.parameter(shared, given.default, given.unit, given.min, given.max)
        self.parts[name] = added
        return lambda inner: f"{name}/{inner}"

    def contains(self, other: "Model") -> bool:
        """Whether the other model is this one or a part of it, at any depth."""
        return other is self or any(part.model.contains(other) for part in self.parts.values())

    # ---- expressions of what has been described --------------------------------------------------

    def coordinate(self, joint: str, index: int = 0) -> Expr:
        """Position coordinate of a joint as an expression."""
        return Expr(self.tape, self.tape.symbol(f"q:{self._coordinate_name(joint, index, True)}"))

    def rate(self, joint: str, index: int = 0) -> Expr:
        """Velocity coordinate of a joint as an expression."""
        return Expr(self.tape, self.tape.symbol(f"v:{self._coordinate_name(joint, index, False)}"))

    @property
    def time(self) -> Expr:
        """Time [s] as an expression."""
        return Expr(self.tape, self.tape.symbol("time"))

    def signal(self, name: str) -> Expr:
        """A parameter, input, state or sensor component by name; also "q:joint", "v:joint" and
        "time"."""
        if name not in self.signal_names():
            raise unknown("signal", name, self.signal_names())
        return self._symbol(name)

    def expression(self, text: str) -> Expr:
        """What a text such as "2 * radius - 'q:crank'" means in this model, as its files write it:
        names that are no plain words stand in quotes."""
        tables = self.tables.__getitem__
        return Expr(self.tape, parse(text, self.tape, lambda name: self.signal(name).id, tables))

    def _symbol(self, name: str) -> Expr:
        return Expr(self.tape, self.tape.symbol(name))

    def signal_names(self) -> list[str]:
        """All names that expressions may use."""
        names = [*self.parameters, *self.inputs, *self.states, "time"]
        if self.modes:
            names.append(SIGNAL)
        for name, sensor in self.sensors.items():
            names.extend(sensor_names(name, sensor))
        for name, joint in self.joints.items():
            names.extend(f"q:{full}" for full in joint.position_names(name))
            names.extend(f"v:{full}" for full in joint.velocity_names(name))
        for prefix, part in self.parts.items():
            shared = {*part.share, *part.bind}
            for inner in part.model.signal_names():
                kind, _, rest = inner.rpartition(":")
                if inner not in shared and inner != "time":
                    names.append(f"{kind}:{prefix}/{rest}" if kind else f"{prefix}/{inner}")
        return names

    def owned_states(self) -> set[str]:
        """States of this model that belong to its forces."""
        return {
            f"{name}.{state}" for name, force in self.forces.items() for state in force.states()
        }

    def all_parameters(self) -> dict[str, Parameter]:
        """Parameters of this model and, as "part/name", of its parts' copies."""
        found = dict(self.parameters)
        for prefix, part in self.parts.items():
            for inner, given in part.model.all_parameters().items():
                if inner not in part.share and inner not in part.bind:
                    found[f"{prefix}/{inner}"] = given
        return found

    def all_inputs(self) -> dict[str, Input]:
        """Inputs of this model and, as "part/name", of its parts."""
        return {**self.inputs, **self._of_parts(lambda model: model.all_inputs())}

    def all_joints(self) -> dict[str, Joint]:
        """Joints of this model and, as "part/name", of its parts."""
        return {**self.joints, **self._of_parts(lambda model: model.all_joints())}

    def driven_inputs(self) -> dict[str, str]:
        """The control that drives each driven input, those of parts included."""
        own = {
            target: name
            for name, control in self.controls.items()
            for target in control.drives
            if not control.instead_of
        }
        return {**own, **self._of_parts(lambda model: model.driven_inputs())}

    def _of_parts(self, ask: Callable[["Model"], dict[str, _T]]) -> dict[str, _T]:
        return {
            f"{prefix}/{inner}": found
            for prefix, part in self.parts.items()
            for inner, found in ask(part.model).items()
        }

    # ---- from and to the world -------------------------------------------------------------------

    def compile(self, backend: Literal["machine", "c", "interpreter"] = "machine") -> "System":
        """Check the model, derive its equations and turn them into machine code. `backend`:
        "machine" (ours), "c" (through the system's compiler) or "interpreter"."""
        from touchback.system import compile_model

        return compile_model(self, backend)

    def save(self, path: str | Path) -> None:
        """Write a file that `touchback.read` gives the same model of: .yaml, .yml or .json."""
        from touchback.files import save

        save(self, path)

    def __repr__(self) -> str:
        from touchback.model.show import tree_text

        return tree_text(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: a stick figure and the tree."""
        from touchback.draw import notebook_html

        return notebook_html(self)

    # ---- checks ----------------------------------------------------------------------------------

    def _coordinate_name(self, joint: str, index: int, position: bool) -> str:
        known = self.all_joints()
        joint, index = coordinate_of(known, joint, index)
        if joint not in known:
            raise unknown("joint", joint, known)
        given = known[joint]
        names = given.position_names(joint) if position else given.velocity_names(joint)
        if not 0 <= index < len(names):
            raise ModelError(
                f"Joint '{joint}': it has {len(names)} coordinate(s), numbered from 0; "
                f"there is none numbered {index}."
            )
        return names[index]

    def _new_signal(self, kind: str, name: str, full_names: Sequence[str] = ()) -> None:
        check_name(kind.capitalize(), name)
        for full in {name, *full_names}:
            for other, known in (
                ("parameter", self.parameters),
                ("input", self.inputs),
                ("state", self.states),
                ("sensor", self.sensors),
            ):
                if full in known or (other == "sensor" and self._is_component(full)):
                    article = "an" if other == "input" else "a"
                    raise ModelError(
                        f"{kind.capitalize()} '{name}': there is {article} {other} of this name "
                        "already; parameters, inputs, states and sensors share their names."
                    )

    def _is_component(self, full: str) -> bool:
        """Whether it is a component of a sensor, such as "tip.x"."""
        sensor, _, suffix = full.rpartition(".")
        return sensor in self.sensors and suffix in self.sensors[sensor].components()

    def _check_target(
        self, label: str, target: str, drives: dict[str, Value], alternative: bool
    ) -> None:
        known = self.all_inputs()
        if target not in known:
            raise unknown("input", target, known, where=label)
        if target in drives:
            raise ModelError(f"{label}: it drives input '{target}' twice; name it once in `to`.")
        driver = self.driven_inputs().get(target)
        if driver is not None and not alternative:
            raise ModelError(
                f"{label}: input '{target}' is already driven by control '{driver}'; "
                "add the two laws in one control."
            )

    def _refuse_known(self, kind: str, name: str, known: Iterable[str]) -> None:
        if name in known:
            raise ModelError(
                f"{kind.capitalize()} '{name}': there is a {kind} of this name already."
            )

    def _own(self, label: str, data: _T) -> _T:
        """The data as they are, if every expression in them belongs to this model."""
        for expression in expressions_of(data):
            if expression.tape is not self.tape:
                raise ModelError(
                    f"{label}: it uses the expression {expression} of another model; use "
                    f"parameters and signals of '{self.name}' (in parts: `bind` and `share`)."
                )
        return data


def sensor_names(name: str, kind: SensorKind) -> list[str]:
    """Full names of a sensor's components."""
    return [f"{name}.{suffix}" if suffix else name for suffix in kind.components()]


def _function(law: object) -> Callable[..., Value] | None:
    return law if callable(law) else None


def _names(name: str, joint: Joint) -> set[str]:
    return {*joint.position_names(name), *joint.velocity_names(name)}


__all__ = ["Frame", "Model", "sensor_names"]
