"""The model: what a mechanism is, described by name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from touchback.errors import ModelError
from touchback.model.body import Body, make_body
from touchback.model.forces import ForceKind, JointEffort, LinkForce
from touchback.model.frame import GROUND, BodyHandle, Frame, as_frame
from touchback.model.joints import Joint, JointKind, make_joint
from touchback.model.names import check_name, unknown
from touchback.model.part import Part
from touchback.model.sensors import Distance, SensorKind
from touchback.model.signals import BaseMotion, Control, ExtraState, Input, Parameter
from touchback.model.value import triple, value
from touchback.model.walk import normalised
from touchback.symbolic.expression import Expr
from touchback.symbolic.table import Table
from touchback.symbolic.tape import Tape

if TYPE_CHECKING:
    from touchback.system import System


class Model:
    """A mechanism under description. Every part has a name; numbers may be expressions of parameters."""

    def __init__(self, name: str, gravity: Sequence[Any] = (0.0, 0.0, -9.81)) -> None:
        self.name = check_name("Model", name)
        self.tape = Tape()
        self.ground = BodyHandle(GROUND)
        self.gravity = triple(f"Model '{name}': gravity", gravity)
        self.parameters: dict[str, Parameter] = {}
        self.inputs: dict[str, Input] = {}
        self.states: dict[str, ExtraState] = {}
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Joint] = {}
        self.forces: dict[str, Any] = {}
        self.controls: dict[str, Control] = {}
        self.sensors: dict[str, Any] = {}
        self.tables: dict[str, Table] = {}
        self.parts: dict[str, Part] = {}
        self.base = BaseMotion()

    # ---- signals ------------------------------------------------------------------------------------------

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
        number = value(f"Parameter '{name}'", default)
        if isinstance(number, Expr):
            raise ModelError(f"Parameter '{name}': its default must be a number, got {default!r}.")
        for bound, word, wrong in ((min, "min", lambda b: number < b), (max, "max", lambda b: number > b)):
            if bound is not None and wrong(bound):
                raise ModelError(
                    f"Parameter '{name}': its default {number} lies outside its range ({word} {bound})."
                )
        self.parameters[name] = Parameter(number, unit, min, max)
        return self.signal(name)

    def input(self, name: str, unit: str = "", default: float = 0.0) -> Expr:
        """A signal from outside: a device, a port, a function of time given to `simulate`."""
        self._new_signal("input", name)
        self.inputs[name] = Input(float(default), unit)
        return self.signal(name)

    def state(
        self, name: str, initial: float = 0.0, rate: Any = None, unit: str = ""
    ) -> Expr:
        """An extra state z with ż = rate: an expression, or a function of the state's own expression.

        Leave `rate` out and give it with `set_rate` when it needs other states defined later."""
        self._new_signal("state", name)
        symbol = self.signal(name, known=True)
        self.states[name] = ExtraState(float(initial), 0.0, unit)
        if rate is not None:
            self.set_rate(name, rate(symbol) if callable(rate) else rate)
        return symbol

    def set_rate(self, name: str, rate: Any) -> None:
        """Give ż of an extra state."""
        if name not in self.states:
            raise unknown("state", name, self.states)
        old = self.states[name]
        self.states[name] = ExtraState(old.initial, value(f"State '{name}': rate", rate), old.unit)

    def control(self, name: str, law: Callable[..., Any], of: Sequence[Any], to: Any) -> None:
        """A traced controller: `law` gets the signals in `of` (names or expressions) and returns what drives the
        inputs in `to` (a name or several)."""
        check_name("Control", name)
        self._refuse_known("control", name, self.controls)
        signals = [self.signal(item) if isinstance(item, str) else item for item in of]
        targets = [to] if isinstance(to, str) else list(to)
        outcome = law(*signals)
        outcomes = [outcome] if len(targets) == 1 and not isinstance(outcome, (list, tuple)) else list(outcome)
        if len(outcomes) != len(targets):
            raise ModelError(
                f"Control '{name}': its law returned {len(outcomes)} values for {len(targets)} inputs."
            )
        drives = {}
        for target, driven in zip(targets, outcomes, strict=True):
            if target not in self.inputs:
                raise unknown("input", target, self.inputs)
            for other, control in self.controls.items():
                if target in control.drives:
                    raise ModelError(
                        f"Control '{name}': input '{target}' is already driven by control '{other}'."
                    )
            drives[target] = value(f"Control '{name}'", driven)
        self.controls[name] = Control(drives)

    def table(self, name: str, x: Any, values: Any, y: Any = ()) -> Table:
        """A named lookup table for laws: `tb.lookup(table, x)`."""
        check_name("Table", name)
        self._refuse_known("table", name, self.tables)
        flat = [float(item) for row in values for item in (row if hasattr(row, "__len__") else [row])]
        table = Table(tuple(map(float, x)), tuple(flat), tuple(map(float, y)))
        self.tables[name] = table
        return table

    # ---- mechanics ----------------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        mass: Any = 0.0,
        com: Sequence[Any] = (0.0, 0.0, 0.0),
        inertia: Sequence[Any] = (0.0, 0.0, 0.0),
    ) -> BodyHandle:
        """A rigid body: mass [kg], centre of mass [m], inertia about the centre of mass [kg m²]."""
        check_name("Body", name)
        if name == GROUND:
            raise ModelError("Body 'ground': this name is taken; use `model.ground`.")
        self._refuse_known("body", name, self.bodies)
        self.bodies[name] = make_body(name, mass, com, inertia)
        return BodyHandle(name)

    def joint(self, name: str, kind: JointKind, parent: Any, child: Any, **options: Any) -> str:
        """Join `child` to `parent` (bodies or frames). Options: spring, rest, damping, friction, friction_speed,
        armature, limits, stop, position, velocity (see `Joint`). Returns the joint's name."""
        check_name("Joint", name)
        self._refuse_known("joint", name, self.joints)
        known = {"spring", "rest", "damping", "friction", "friction_speed", "armature", "limits",
                 "stop", "position", "velocity"}  # fmt: skip
        for word in options:
            if word not in known:
                raise unknown(f"Joint '{name}': option", word, sorted(known))
        self.joints[name] = make_joint(
            name,
            kind,
            as_frame(f"Joint '{name}': parent", parent),
            as_frame(f"Joint '{name}': child", child),
            options,
        )
        return name

    def force(self, name: str, kind: ForceKind) -> None:
        """A force, a torque, or a joint effort. A law may be a Python function of expressions:
        `tb.JointEffort("crank", lambda q, v: −3 * q**3)`, `tb.LinkForce(a, b, lambda length, rate: …)`."""
        check_name("Force", name)
        self._refuse_known("force", name, self.forces)
        if not isinstance(kind, ForceKind):
            raise ModelError(f"Force '{name}': a force such as tb.Wrench(…) is expected, got {kind!r}.")
        if isinstance(kind, JointEffort) and callable(kind.effort):
            law = kind.effort
            signals = self.coordinate(kind.joint, kind.index), self.rate(kind.joint, kind.index)
            kind = JointEffort(kind.joint, law(*signals), kind.index)
        elif isinstance(kind, LinkForce) and callable(kind.tension):
            line = self.sensor(f"{name} line", Distance(kind.a, kind.b))
            kind = LinkForce(kind.a, kind.b, kind.tension(*line))
        self.forces[name] = normalised(f"Force '{name}'", kind)

    def sensor(self, name: str, kind: SensorKind) -> Any:
        """A sensor; returns its expression (or one a component), which laws and controllers may use."""
        self._new_signal("sensor", name)
        if not isinstance(kind, SensorKind):
            raise ModelError(f"Sensor '{name}': a sensor such as tb.Position(body) is expected, got {kind!r}.")
        self.sensors[name] = normalised(f"Sensor '{name}'", kind)
        signals = [self.signal(full) for full in sensor_names(name, kind)]
        return signals[0] if len(signals) == 1 else tuple(signals)

    def move_base(self, **motion: Sequence[Any]) -> None:
        """Prescribe the ground's motion along its own axes: velocity, angular_velocity, acceleration,
        angular_acceleration, three components each (numbers or expressions)."""
        given = {word: triple(f"Moving base: {word}", item) for word, item in motion.items()}
        for word in given:
            if word not in BaseMotion.__struct_fields__:
                raise unknown("Moving base: option", word, BaseMotion.__struct_fields__)
        self.base = BaseMotion(**given)

    def add(
        self,
        part: "Model",
        at: Any = None,
        name: str | None = None,
        share: Sequence[str] = (),
        bind: dict[str, Any] | None = None,
    ) -> Callable[[str], str]:
        """Put a copy of another model here: its ground becomes the frame `at`, its names become "name/…".

        Parameters named in `share` are those of this model (made if they aren't there yet); `bind` gives others a
        number or an expression of this model; the rest are parameters of the copy. Returns a function that gives the
        full name of a thing in the copy."""
        name = part.name if name is None else name
        check_name("Part", name)
        self._refuse_known("part", name, self.parts)
        for shared in (*share, *(bind or {})):
            if shared not in part.all_parameters():
                raise unknown(f"Part '{name}': parameter", shared, part.all_parameters())
        for shared in share:
            if shared not in self.parameters:
                given = part.all_parameters()[shared]
                self.parameter(shared, given.default, given.unit, given.min, given.max)
        bound = {key: value(f"Part '{name}': {key}", item) for key, item in (bind or {}).items()}
        self.parts[name] = Part(
            model=part,
            at=as_frame(f"Part '{name}': at", self.ground if at is None else at),
            share=tuple(share),
            bind=bound,
        )
        return lambda inner: f"{name}/{inner}"

    # ---- expressions of what has been described -----------------------------------------------------------

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

    def signal(self, name: str, known: bool = False) -> Expr:
        """A parameter, input, state or sensor component by name; also "q:joint", "v:joint" and "time"."""
        if not known and name not in self.signal_names():
            raise unknown("signal", name, self.signal_names())
        return Expr(self.tape, self.tape.symbol(name))

    def signal_names(self) -> list[str]:
        """All names that expressions may use."""
        names = [*self.parameters, *self.inputs, *self.states, "time"]
        for name, kind in self.sensors.items():
            names.extend(sensor_names(name, kind))
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

    def all_parameters(self) -> dict[str, Parameter]:
        """Parameters of this model and, as "part/name", of its parts' copies."""
        found = dict(self.parameters)
        for prefix, part in self.parts.items():
            for inner, given in part.model.all_parameters().items():
                if inner not in part.share and inner not in part.bind:
                    found[f"{prefix}/{inner}"] = given
        return found

    def compile(self, **options: Any) -> "System":
        """Derive the equations and turn them into machine code (see `touchback.system.compile_model`)."""
        from touchback.system import compile_model

        return compile_model(self, **options)

    # ---- checks -------------------------------------------------------------------------------------------

    def _coordinate_name(self, joint: str, index: int, position: bool) -> str:
        if joint not in self.joints:
            raise unknown("joint", joint, self.joints)
        given = self.joints[joint]
        names = given.position_names(joint) if position else given.velocity_names(joint)
        if not 0 <= index < len(names):
            raise ModelError(f"Joint '{joint}': it has {len(names)} coordinates; there is none numbered {index}.")
        return names[index]

    def _new_signal(self, kind: str, name: str) -> None:
        check_name(kind.capitalize(), name)
        for other, known in (("parameter", self.parameters), ("input", self.inputs),
                             ("state", self.states), ("sensor", self.sensors)):  # fmt: skip
            if name in known:
                raise ModelError(
                    f"{kind.capitalize()} '{name}': there is a {other} of this name already; "
                    "parameters, inputs, states and sensors share their names."
                )

    def _refuse_known(self, kind: str, name: str, known: Any) -> None:
        if name in known:
            raise ModelError(f"{kind.capitalize()} '{name}': there is a {kind} of this name already.")

    def __repr__(self) -> str:
        from touchback.model.show import tree_text

        return tree_text(self)


def sensor_names(name: str, kind: Any) -> list[str]:
    """Full names of a sensor's components."""
    return [f"{name}.{suffix}" if suffix else name for suffix in kind.components()]


__all__ = ["Frame", "Model", "sensor_names"]
