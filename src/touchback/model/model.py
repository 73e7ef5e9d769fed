"""The model: what a mechanism is, described by name."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Unpack

from msgspec.structs import replace
from numpy.typing import ArrayLike

from touchback.callback_signature import check_takes
from touchback.errors import ModelError
from touchback.model.body import Bodies, make_body
from touchback.model.closures import Closure, ClosureKind, check_closes_loops
from touchback.model.constraint_kinds import (
    AnyCoupling,
    Constraint,
    ContactKind,
    CouplingKind,
    Drive,
    coordinate_of,
    friction_of,
)
from touchback.model.field_traversal import (
    check_bool,
    expressions_of,
    map_frames,
    normalise_fields,
)
from touchback.model.forces import ForceKind, JointEffort, LinkForce
from touchback.model.forces.fluid_forces import Fluid, make_fluid
from touchback.model.frame import (
    GROUND,
    BodyHandle,
    Frame,
    Owner,
    Place,
    Turns,
    as_frame,
    check_owner,
    turns,
)
from touchback.model.joints import Joint, JointKind, make_joint
from touchback.model.joints.joint import JointOptions, limit_names
from touchback.model.modes import (
    Mode,
    Transition,
    make_transition,
    unique_names,
    value_mapping,
)
from touchback.model.parameters_and_signals import (
    MODE,
    OWN_RATE,
    BaseMotion,
    Control,
    ExtraState,
    Input,
    Parameter,
    alternatives,
    choice_name,
    in_si,
    make_table,
    ranged_default,
)
from touchback.model.sensors import Distance, SensorKind
from touchback.model.sensors.base import Measured
from touchback.model.solids import AnySeen, Look, VisualKind
from touchback.model.value_or_expression import (
    Components,
    Value,
    Values,
    is_number,
    list_items,
    number,
    triple,
    value,
)
from touchback.names import check_name, check_unit, unknown
from touchback.symbolic import Expr, Table, Tape, parse, select
from touchback.units import read_quantity, unit_of, unknown_unit

if TYPE_CHECKING:
    from touchback.system import System

_T = TypeVar("_T")
Law = Value | Callable[[Expr], Value] | None

LARGEST = 100_000  # things in a model with all its parts
OWN = ("parameters", "inputs", "states", "controls", "tables", "modes", "transitions")
MECHANICS = (
    "bodies", "shapes", "joints", "forces", "contacts", "sensors", "closures", "couplings",
    "constraints", "drives",
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """A copy of `model` with its ground at the frame `at`; `share` and `bind` as in `Model.add`."""

    model: "Model"
    at: Frame
    share: tuple[str, ...]
    bind: dict[str, Value]

    def bound(self, name: str, tape: Tape) -> int:
        """The node of a bound parameter on the outer model's tape."""
        given = self.bind[name]
        return given.id if isinstance(given, Expr) else tape.const(given)


class Model:
    """A mechanism under description. Everything has a name; numbers may be expressions of
    parameters and other signals, which live on one tape."""

    def __init__(self, name: str, gravity: Components = (0.0, 0.0, -9.81)) -> None:
        self.name = check_name("Model", name)
        self.tape = Tape()
        owner = Owner(self.tape, self.name)
        self.ground = BodyHandle(GROUND, owner)
        self.gravity = triple(f"Model '{name}': gravity", gravity)
        self.parameters: dict[str, Parameter] = {}
        self.inputs: dict[str, Input] = {}
        self.states: dict[str, ExtraState] = {}
        self.bodies = Bodies(owner)
        self.joints: dict[str, Joint] = {}
        self.forces: dict[str, ForceKind] = {}
        self.contacts: dict[str, ContactKind] = {}
        self.shapes: dict[str, Look] = {}  # how bodies look
        self.controls: dict[str, Control] = {}
        self.sensors: dict[str, SensorKind] = {}
        self.reported: tuple[str, ...] | None = None  # sensors that are outputs; None: all
        self.tables: dict[str, Table] = {}
        self.parts: dict[str, Part] = {}
        self.base = BaseMotion()
        self.imported: dict[str, Any] = {}  # what a file said beyond the mechanics
        self.places: dict[str, str] = {}  # in a model file, of "Closure 'pin'" and the like
        self.closures: dict[str, Closure] = {}
        self.couplings: dict[str, AnyCoupling] = {}
        self.constraints: dict[str, Constraint] = {}
        self.drives: dict[str, Drive] = {}
        self.modes: dict[str, Mode] = {}
        self.transitions: dict[str, Transition] = {}
        # of a model in one of its modes or without its parts: the model with all of them
        self.described: Model | None = None

    # ---- signals ---------------------------------------------------------------------------------

    def parameter(
        self,
        name: str,
        default: float,
        unit: str = "",
        min: float | None = None,
        max: float | None = None,
    ) -> Expr:
        """A live number, to be used in any other description; changeable on the compiled system.
        It is given and shown in its `unit`, as "mm" or "N/mm"; expressions have it in SI."""
        self.refuse_taken("parameter", name)
        label = f"Parameter '{name}'"
        usual, lowest, highest = ranged_default(label, default, min, max)
        self.parameters[name] = Parameter(usual, check_unit(label, unit), lowest, highest)
        return self._symbol(name)

    def input(
        self,
        name: str,
        unit: str = "",
        default: float = 0.0,
        min: float | None = None,
        max: float | None = None,
    ) -> Expr:
        """A signal from outside: a device, a port, a function of time given to `simulate`. It comes
        in its `unit`, as "deg" or "mm"; expressions have it in SI. Beyond
        `min` and `max` a live run refuses what people and programs set it to (devices have
        `WatchedInput(low=…, high=…)`); sliders have that range."""
        self.refuse_taken("input", name)
        label = f"Input '{name}'"
        usual, lowest, highest = ranged_default(label, default, min, max)
        self.inputs[name] = Input(usual, check_unit(label, unit), lowest, highest)
        return self._symbol(name)

    def state(self, name: str, initial: float = 0.0, rate: Law = None, unit: str = "") -> Expr:
        """An extra state z with ż = rate: an expression, or a function of the state's own one. It
        is in SI, as its rate is: `initial` in another unit is converted.

        Leave `rate` out and give it with `set_rate` when it needs other states defined later."""
        self.refuse_taken("state", name)
        label = f"State '{name}'"
        unit = check_unit(label, unit)
        start = in_si(unit, number(f"{label}: initial", initial))
        known = unit_of(unit)
        unit = unit if known is None or known.is_si else known.si  # as its rate is
        if callable(rate):
            check_takes(f"{label}: its rate", rate, [name], ModelError)
        owned = self.owned_states()
        self.states[name] = ExtraState(start, 0.0, unit)
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
        if callable(update):
            check_takes(f"Memory '{name}': its update", update, [name], ModelError)
            update = update(self.signal(name))
        changed = replace(self.states[name], update=value(label, update))
        self.states[name] = self._own(label, changed)

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
        named = [item if isinstance(item, str) else "an expression" for item in of]
        check_takes(f"{label}: its law", law, named, ModelError)
        outcome = law(*signals)
        outcomes = list_items(outcome)
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
        self._check_alternative(label, instead_of, targets)
        self.controls[name] = self._own(label, Control(drives, instead_of))
        self._add_choice(instead_of)

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

    def _check_alternative(self, label: str, instead_of: str, targets: list[str]) -> None:
        """Refuses an alternative to a control that isn't there, that is itself an alternative, or
        that drives other inputs."""
        first = self.controls.get(instead_of)
        if first is None or first.instead_of:
            known = [name for name, each in self.controls.items() if not each.instead_of]
            raise ModelError(
                f"{label}: instead of {instead_of!r}, which is no control of its own; there are: "
                f"{', '.join(known) or 'none'}."
            )
        if set(targets) != set(first.drives):
            raise ModelError(
                f"{label}: it drives {', '.join(targets)}, but '{instead_of}', which it stands in "
                f"for, drives {', '.join(first.drives)}; drive the same inputs."
            )

    def _add_choice(self, control: str) -> None:
        """Extends the range of the choice's parameter to the last alternative."""
        name, last = choice_name(control), len(alternatives(self.controls, control)) - 1
        if name not in self.parameters:
            self.parameter(name, 0.0, min=0.0, max=float(last))
        elif (self.parameters[name].max or 0.0) < last:
            self.parameters[name] = replace(self.parameters[name], max=float(last))

    def table(self, name: str, x: ArrayLike, values: ArrayLike, y: ArrayLike = ()) -> Table:
        """A named lookup table for laws: `tb.lookup(table, x)`."""
        check_name("Table", name)
        self._refuse_known("table", name, self.tables)
        self.tables[name] = make_table(f"Table '{name}'", x, values, y)
        return self.tables[name]

    def expression(self, text: str) -> Expr:
        """What a text such as "2 * radius - 'q:crank'" means in this model, as its files write it:
        names that are no plain words stand in quotes, and "35 mm" is a number in SI."""
        if (quantity := read_quantity(text)) is not None:
            return Expr(self.tape, self.tape.const(quantity[1].in_si(quantity[0])))
        if said := unknown_unit(text):
            raise ModelError(said)

        def symbol(name: str) -> int:
            known = self.signal_names()
            odd = [full for full in known if full.startswith(name) and full in text]
            if odd and name not in known:
                raise ModelError(
                    f"There is no signal '{name}' in {text!r}; names that are no plain words stand "
                    f"in quotes there: \"'{odd[0]}'\"."
                )
            return self.signal(name).id

        return Expr(self.tape, parse(text, self.tape, symbol, self.tables.__getitem__))

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
        return BodyHandle(name, self.ground.owner)

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
        for full in _coordinates(name, joint):
            for other in (full, full.rpartition(".")[0]):  # a joint's name, or joint.coordinate
                if other in self.joints and full in _coordinates(other, self.joints[other]):
                    raise ModelError(
                        f"{label}: its coordinate '{full}' has the name of one of joint '{other}'; "
                        "rename one of the joints."
                    )
        self.joints[name] = self.with_live_limits(name, joint)
        return name

    def with_live_limits(self, name: str, joint: Joint) -> Joint:
        """The joint with parameters of the model where its limits are numbers; as it is where
        nothing stops it, for nothing would follow them."""
        if not joint.limits or joint.stop is False:
            return joint
        coordinates, units = joint.position_names(name), joint.kind.position_units()
        pairs = list(zip(joint.limits, coordinates, units, strict=True))
        new = {
            full: (end, unit)
            for pair, coordinate, unit in pairs
            for end, full in zip(pair, limit_names(coordinate), strict=True)
            if is_number(end)
        }
        for full in new:
            try:
                self.refuse_taken("parameter", full)
            except ModelError as error:
                raise ModelError(
                    f"Joint '{name}': its limits become parameters. {error} Rename that one, or "
                    "give the limits as expressions of parameters of your own."
                ) from None
        live = {full: self.parameter(full, end, unit) for full, (end, unit) in new.items()}
        limits = tuple(
            (live.get(low, pair[0]), live.get(high, pair[1]))
            for pair, (low, high) in ((pair, limit_names(each)) for pair, each, _ in pairs)
        )
        return replace(joint, limits=limits)

    def force(self, name: str, kind: ForceKind) -> None:
        """A force, a torque, or a joint effort. A law may be a Python function of expressions:
        `tb.JointEffort("crank", lambda q, v: -3 * q**3)`,
        `tb.LinkForce(a, b, lambda length, rate: …)`."""
        check_name("Force", name)
        label = f"Force '{name}'"
        self._refuse_known("force", name, self.forces)
        if not isinstance(kind, ForceKind):
            raise ModelError(f"{label}: a force such as tb.Wrench(…) is expected, got {kind!r}.")
        force = self._own(label, normalise_fields(label, self._traced_law(name, kind)))
        own = {f"{name}.{state}": given for state, given in force.states().items()}
        for full in own:
            self.refuse_taken("state", full)
        self.forces[name] = force
        for full, given in own.items():
            rate = Expr(self.tape, self.tape.symbol(OWN_RATE + full))
            self.states[full] = ExtraState(given.initial, rate, given.unit)

    def _traced_law(self, name: str, kind: ForceKind) -> ForceKind:
        """The force with a law that is a Python function replaced by what it returns."""
        label = f"Force '{name}': its law"
        if isinstance(kind, JointEffort) and (law := _function(kind.effort)):
            check_takes(label, law, ["the coordinate", "its rate"], ModelError)
            signals = self.coordinate(kind.joint, kind.index), self.rate(kind.joint, kind.index)
            return JointEffort(kind.joint, law(*signals), kind.index)
        if isinstance(kind, LinkForce) and (law := _function(kind.tension)):
            check_takes(label, law, ["the length", "its rate"], ModelError)
            line = self.sensor(f"{name} line", Distance(kind.a, kind.b))
            return LinkForce(kind.a, kind.b, law(*line))
        return kind

    def fluid(
        self,
        name: str,
        density: Value = 1000.0,
        surface: Value | None = None,
        current: Components = (0.0, 0.0, 0.0),
    ) -> Fluid:
        """A fluid for tb.Immersed: density [kg/m³], height of its surface against gravity [m]
        (None: it is everywhere), current [m/s]. Numbers become parameters, "water density",
        "water surface", "water current x", …"""
        fluid = check_name("Fluid", name)
        return make_fluid(fluid, density, surface, current, self.gravity, self.parameter)

    def shape(self, name: str, place: Place, solid: AnySeen, colour: str = "") -> None:
        """How a body looks: a solid, as tb.Box(…), at a body or a frame of it; its colour as
        "#3d405b"."""
        label = f"Shape '{check_name('Shape', name)}'"
        self._refuse_known("shape", name, self.shapes)
        if not isinstance(solid, VisualKind):
            raise ModelError(f"{label}: a solid such as tb.Box(…) is expected, got {solid!r}.")
        frame = as_frame(f"{label}: place", place)
        look = Look(frame, normalise_fields(label, solid), colour)
        self.shapes[name] = self._own(label, look)

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
        self.contacts[name] = self._own(label, normalise_fields(label, kind))

    def sensor(self, name: str, kind: SensorKind[Measured]) -> Measured:
        """A sensor; returns its expression (or one a component), which laws and controllers may
        use."""
        label = f"Sensor '{name}'"
        if not isinstance(kind, SensorKind):
            raise ModelError(
                f"{label}: a sensor such as tb.Position(body) is expected, got {kind!r}."
            )
        kind = normalise_fields(label, kind).completed(self.velocity_names())
        check_unit(label, getattr(kind, "measured_in", ""))
        self.refuse_taken("sensor", name, sensor_names(name, kind))
        self.sensors[name] = self._own(label, kind)
        return kind.arranged([self._symbol(full) for full in sensor_names(name, kind)])

    def report(self, *sensors: str) -> None:
        """Name the sensors, also "part/sensor", that are outputs of the compiled system; the others
        stay signals that laws and controllers may use. Without this call all of them are, but for
        matrices and efforts that laws are made of (tb.MassMatrix, …)."""
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

    # ---- constraints -----------------------------------------------------------------------------

    def close(
        self, name: str, kind: ClosureKind | JointKind, a: Place, b: Place, active: bool = True
    ) -> None:
        """Close a loop: tie frame `b` to frame `a` by a point closure (tb.PointInPlane, tb.Rod, …),
        by a joint used as a closure (tb.Spherical() is a ball, tb.Revolute("z") a pin, …), or by
        their velocities (tb.Skate, tb.Rolling)."""
        label = self._new_constraint("closure", name)
        if not isinstance(kind, ClosureKind | JointKind):
            raise ModelError(
                f"{label}: a closure such as tb.Spherical() is expected, got {kind!r}."
            )
        frames = as_frame(f"{label}: a", a), as_frame(f"{label}: b", b)
        closure = Closure(
            normalise_fields(label, kind), *frames, check_bool(f"{label}: active", active)
        )
        check_closes_loops(label, closure.kind)
        try:
            closure.kind.equations()
        except ModelError as error:
            raise ModelError(f"{label}: {error}") from None
        self.closures[name] = self._own(label, closure)

    def couple(self, name: str, kind: AnyCoupling, active: bool = True) -> None:
        """Tie joint coordinates: tb.Gear, tb.Rack, tb.ScrewCoupling, tb.Differential."""
        label = self._new_constraint("coupling", name)
        if not isinstance(kind, CouplingKind):
            raise ModelError(f"{label}: a coupling such as tb.Gear(…) is expected, got {kind!r}.")
        checked = self._own(label, normalise_fields(label, kind))
        met: set[tuple[str, int]] = set()
        for named, place, _ in checked.terms():
            joint, index = self._check_plain(label, named, place)
            if (joint, index) in met:
                raise ModelError(f"{label}: it names joint '{joint}' twice; name each once.")
            met.add((joint, index))
        if not check_bool(f"{label}: active", active):
            checked = replace(checked, active=False)
        self.couplings[name] = checked

    def constrain(
        self,
        name: str,
        position: Expr | None = None,
        velocity: Expr | None = None,
        through: str | tuple[str, int] | None = None,
        unit: str = "",
        active: bool = True,
        friction: Value = 0.0,
        slides: Value | None = None,
        slip_speed: Value = 1e-3,
    ) -> None:
        """Keep an expression at zero: `position` h(q, t), or `velocity` φ(q, v, t), linear in v.
        `through="joint"` or ("joint", index) makes it a servo-constraint.

        With `friction` μ the force that keeps it rubs where it `slides`: an expression of the
        sliding velocity [m/s], linear in v, of a position that is a distance [m]. Friction is
        regularised below `slip_speed` [m/s]."""
        label = self._new_constraint("constraint", name)
        if (position is None) == (velocity is None):
            raise ModelError(f"{label}: give either `position` or `velocity`, one of the two.")
        given = position if velocity is None else velocity
        if not isinstance(given, Expr):
            raise ModelError(f"{label}: an expression of coordinates is expected, got {given!r}.")
        servo = None
        if through is not None:
            pair = (through, 0) if isinstance(through, str) else self._pair(label, through)
            servo = self._check_plain(label, *pair)
        friction_settings = friction_of(label, friction, slides, slip_speed, servo)
        made = Constraint(
            position, velocity, servo, check_unit(label, unit),
            check_bool(f"{label}: active", active), *friction_settings,
        )  # fmt: skip
        self.constraints[name] = self._own(label, made)

    def drive(
        self,
        joint: str,
        motion: Value | Callable[[Expr], Value],
        velocity: Value | None = None,
        acceleration: Value | None = None,
        index: int = 0,
        name: str | None = None,
        active: bool = True,
    ) -> None:
        """Prescribe a coordinate: `motion` is an expression of time and inputs, or a function of
        time such as tb.Sine(…). The effort that it takes comes back (`tb.Multiplier(name)`)."""
        name = joint.replace("/", " ") if name is None and isinstance(joint, str) else name
        label = self._new_constraint("drive", name)
        joint, index = self._check_plain(label, joint, index)
        for other, known in self.drives.items():
            if (known.joint, known.index) == (joint, index):
                raise ModelError(
                    f"{label}: coordinate {index} of joint '{joint}' is driven by drive '{other}' "
                    "already; a coordinate has one drive."
                )
        if callable(motion):
            check_takes(f"{label}: its motion", motion, ["time"], ModelError)
            motion = motion(self.time)
        optional = [
            None if rate is None else value(f"{label}: {word}", rate)
            for word, rate in (("velocity", velocity), ("acceleration", acceleration))
        ]
        made = Drive(
            joint,
            value(f"{label}: motion", motion),
            optional[0],
            optional[1],
            index,
            check_bool(f"{label}: active", active),
        )
        self.drives[name] = self._own(label, made)

    def constraint_rows(self) -> dict[str, tuple[str, ...]]:
        """The names of the rows of every constraint, active or not, in order: closures, couplings,
        written constraints, drives."""
        rows: dict[str, tuple[str, ...]] = {}
        for name, closure in self.closures.items():
            count = len(closure.kind.equations())
            rows[name] = tuple(f"{name}.{i + 1}" for i in range(count)) if count > 1 else (name,)
        rows.update({name: (name,) for name in (*self.couplings, *self.constraints, *self.drives)})
        return rows

    def _new_constraint(self, kind: str, name: Any) -> str:
        """The label of a new constraint; all four kinds share their names, and those of rows."""
        check_name(kind.capitalize(), name)
        for other in ("closure", "coupling", "constraint", "drive"):
            if name in getattr(self, f"{other}s"):
                raise ModelError(
                    f"{kind.capitalize()} '{name}': there is a {other} of this name already; "
                    "closures, couplings, constraints and drives share their names."
                )
        for other, rows in self.constraint_rows().items():
            if name in rows:
                raise ModelError(
                    f"{kind.capitalize()} '{name}': this is the name of a row of closure '{other}'."
                )
        return f"{kind.capitalize()} '{name}'"

    def _pair(self, label: str, given: object) -> tuple[str, int]:
        items = list_items(given)
        if items is None or len(items) != 2 or not isinstance(items[1], int):
            raise ModelError(
                f"{label}: `through` is a joint, or a joint and the index of its coordinate, got "
                f"{given!r}."
            )
        return str(items[0]), items[1]

    def _check_plain(self, label: str, name: str, place: int) -> tuple[str, int]:
        """The joint and index of a coordinate, which must be a plain one."""
        joints = self.all_joints()
        joint, index = coordinate_of(joints, name, place)
        if joint not in joints:
            raise unknown("joint", joint, joints, where=label)
        kind = joints[joint].kind
        if kind.nq != kind.nv:
            raise ModelError(
                f"{label}: joint '{joint}' has a quaternion; couplings, drives and servo-"
                "constraints need plain coordinates."
            )
        if not 0 <= index < kind.nv:
            raise ModelError(
                f"{label}: joint '{joint}' has {kind.nv} coordinate(s), numbered from 0; there is "
                f"none numbered {index}."
            )
        return joint, index

    # ---- modes -----------------------------------------------------------------------------------

    def mode(
        self,
        name: str,
        active: Sequence[str] = (),
        tracking: Mapping[str | tuple[str, int], Value] | None = None,
        readouts: Mapping[str, Value] | None = None,
        initial: bool = False,
    ) -> None:
        """A mode: names of the constraints that act in it. The first mode described is the one to
        start in, unless another says `initial`.

        `tracking` keeps idle coordinates where they will be needed: {"joint": expression}, or
        {("joint", index): expression}. Each is a constraint named "mode tracks joint", kept by the
        effort of that coordinate alone, so that nothing else feels it (Gillespie's artificial
        constraints). `readouts` says what sensors of the kind tb.Readout show in this mode."""
        check_name("Mode", name)
        label = f"Mode '{name}'"
        self._refuse_known("mode", name, self.modes)
        named = unique_names(f"{label}: active", active)
        followed = value_mapping(f"{label}: tracking", tracking, '{"joint": expression}')
        tracked = tuple(self._track(name, *item) for item in followed.items())
        said = value_mapping(f"{label}: readouts", readouts, '{"sensor": expression}')
        shown = {key: value(f"{label}: {key}", item) for key, item in said.items()}
        made = Mode((*named, *tracked), shown, check_bool(f"{label}: initial", initial))
        self.modes[name] = self._own(label, made)

    def _track(self, mode: str, followed: str | tuple[str, int], goal: Value) -> str:
        pair = followed if isinstance(followed, tuple) else (followed, 0)
        if [type(item) for item in pair] != [str, int]:
            raise ModelError(
                f"Mode '{mode}': tracking: what tracks is a joint, or a joint and the index of its "
                f"coordinate, got {followed!r}."
            )
        joint, index = pair
        which = joint.replace("/", " ") + (f" {index}" if index else "")
        name = f"{mode} tracks {which}"
        given = value(f"Mode '{mode}': tracking '{joint}'", goal)
        self.constrain(name, self.coordinate(joint, index) - given, through=(joint, index))
        return name

    def transition(
        self,
        name: str,
        source: str | Sequence[str],
        target: str | None,
        when: Value,
        direction: int = -1,
        reset: Mapping[str, Value] | None = None,
        impact: Sequence[str] = (),
        restitution: Value | Mapping[str, Value] = 0.0,
        law: str = "newton",
        rest: str | None = None,
        rest_speed: float = 1e-6,
    ) -> None:
        """Leave the mode `source` (or any of several) for `target` (None: the mode stays the one it
        was) when an indicator passes zero: `when` is an expression of coordinates, sensors (forces
        too), time, inputs and states; `direction` −1 wants it falling (the mode lasts while it is
        positive), +1 rising, 0 both.

        `reset` gives states other values: {"v:hammer": −0.9 * m.rate("hammer")}. `impact` names
        constraints that are struck, `restitution` how they rebound: one number, or one for each
        {"contact": 0.5}; `law` "newton" compares velocities, v⁺ = −e v⁻, "poisson" impulses. With
        `rest`, contacts that rebound slower than `rest_speed` [m/s] stay: that mode follows, and no
        bounce comes after ever shorter ones."""
        check_name("Transition", name)
        label = f"Transition '{name}'"
        self._refuse_known("transition", name, self.transitions)
        made = make_transition(
            label, source, target, when, direction, reset, impact, restitution, law, rest,
            rest_speed,
        )  # fmt: skip
        self.transitions[name] = self._own(label, made)

    # ---- parts -----------------------------------------------------------------------------------

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
        self.check_size(label, part)
        if part.contains(self):
            raise ModelError(f"{label}: a model can't be a part of itself.")
        known, bound = part.all_parameters(), dict(bind or {})
        for shared in (*share, *bound):
            if shared not in known:
                raise unknown("parameter", shared, known, where=label)
            if shared in share and shared in bound:
                raise ModelError(f"{label}: '{shared}' is both shared and bound; keep one of them.")
        place = as_frame(f"{label}: at", self.ground if at is None else at)
        values = {key: value(f"{label}: {key}", item) for key, item in bound.items()}
        added = Part(part, self._own(label, place), tuple(share), self._own(label, values))
        for shared in share:
            if shared not in self.parameters:
                given = known[shared]
                self.parameter(shared, given.default, given.unit, given.min, given.max)
        self.parts[name] = added
        return lambda inner: f"{name}/{inner}"

    def size(self, known: dict[int, int] | None = None) -> int:
        """The number of named things with all copies of its parts, each counted as often as it
        stands there; `known` has sizes by identity, since parts of parts may multiply."""
        known = {} if known is None else known
        if id(self) not in known:
            own = sum(len(getattr(self, kind)) for kind in (*OWN, *MECHANICS))
            known[id(self)] = own + sum(1 + part.model.size(known) for part in self.parts.values())
        return known[id(self)]

    def check_size(self, label: str, part: "Model | None" = None) -> None:
        """Raises where the model has, or with one more part would have, too many things to be
        derived."""
        size = self.size() + (1 + part.size() if part is not None else 0)
        if size > LARGEST:
            raise ModelError(
                f"{label}: the model would have {size} things (bodies, joints, signals, …, of all "
                f"parts); at most {LARGEST} are allowed. Take fewer copies."
            )

    def contains(self, other: "Model") -> bool:
        """Whether the other model is this one or a part of it, at any depth."""
        return other is self or any(part.model.contains(other) for part in self.parts.values())

    # ---- what is described -----------------------------------------------------------------------

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

    def _symbol(self, name: str) -> Expr:
        return Expr(self.tape, self.tape.symbol(name))

    def signal_names(self) -> list[str]:
        """All names that expressions may use."""
        names = [*self.parameters, *self.inputs, *self.states, "time"]
        if self.modes:
            names.append(MODE)
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

    @property
    def memories(self) -> list[str]:
        """States that change only at ticks."""
        return [name for name, state in self.states.items() if state.update is not None]

    def outputs(self) -> dict[str, SensorKind]:
        """The sensors that are outputs."""
        if self.reported is None:
            return {name: kind for name, kind in self.sensors.items() if not kind.FOR_LAWS}
        return {name: kind for name, kind in self.sensors.items() if name in self.reported}

    def velocity_names(self) -> list[str]:
        joints = self.all_joints().items()
        return [full for name, joint in joints for full in joint.velocity_names(name)]

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

    def input_laws(self) -> dict[str, Value]:
        """What drives each driven input of a model without parts, by the choice among
        alternatives."""
        found = {}
        for name, control in self.controls.items():
            if control.instead_of:
                continue
            laws = [self.controls[each].drives for each in alternatives(self.controls, name)]
            for target in control.drives:
                law = laws[-1][target]
                for place in range(len(laws) - 2, -1, -1):
                    chosen = self.signal(choice_name(name)) < place + 0.5
                    law = select(chosen, laws[place][target], law)
                found[target] = law
        return found

    def _of_parts(self, ask: Callable[["Model"], dict[str, _T]]) -> dict[str, _T]:
        return {
            f"{prefix}/{inner}": found
            for prefix, part in self.parts.items()
            for inner, found in ask(part.model).items()
        }

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

    def refuse_taken(self, kind: str, name: str, full_names: Sequence[str] = ()) -> None:
        """Refuse a name that another signal has."""
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

    def _refuse_known(self, kind: str, name: str, known: Iterable[str]) -> None:
        if name in known:
            raise ModelError(
                f"{kind.capitalize()} '{name}': there is a {kind} of this name already."
            )

    def _own(self, label: str, data: _T) -> _T:
        """The data, if every expression and frame in them belongs to this model."""
        for expression in expressions_of(data):
            if expression.tape is not self.tape:
                raise ModelError(
                    f"{label}: it uses the expression {expression} of another model; use "
                    f"parameters and signals of '{self.name}' (in parts: `bind` and `share`)."
                )
        return self.own_frames(label, data)

    def own_frames(self, label: str, data: _T) -> _T:
        """The data with frames that have no owner; raises where one is of another model."""
        return map_frames(data, lambda frame: check_owner(label, frame, self.tape, self.name))

    # ---- from and to the world -------------------------------------------------------------------

    def compile(self, backend: Literal["machine", "c", "interpreter"] = "machine") -> "System":
        """Check the model, derive its equations and turn them into machine code. `backend`:
        "machine" (ours), "c" (through the system's compiler) or "interpreter"."""
        from touchback.system import compile_model

        return compile_model(self, backend)

    def save(self, path: str | Path) -> None:
        """Write a file that `touchback.read` gives the same model of: .yaml, .yml or .json; or
        Python source that describes it again, as `m`: .py."""
        from touchback.model.io import save

        save(self, path)

    def __repr__(self) -> str:
        from touchback.model.model_text import tree_text

        return tree_text(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: a stick figure and the tree."""
        from touchback.draw import notebook_html

        return notebook_html(self)


def sensor_names(name: str, kind: SensorKind) -> list[str]:
    """Full names of a sensor's components."""
    return [f"{name}.{suffix}" if suffix else name for suffix in kind.components()]


def _coordinates(name: str, joint: Joint) -> set[str]:
    return {*joint.position_names(name), *joint.velocity_names(name)}


def _function(law: object) -> Callable[..., Value] | None:
    return law if callable(law) else None


__all__ = ["Frame", "Model", "sensor_names"]
