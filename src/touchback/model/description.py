"""What a model holds, by name, and what may be asked of it: signals, coordinates, parts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from touchback.errors import ModelError
from touchback.model.body import Bodies
from touchback.model.contact_kind import ContactKind
from touchback.model.couplings import coordinate_of
from touchback.model.forces import ForceKind
from touchback.model.frame import GROUND, BodyHandle
from touchback.model.joints import Joint
from touchback.model.names import check_name, unknown
from touchback.model.sensors import SensorKind
from touchback.model.signals import MODE, BaseMotion, Control, ExtraState, Input, Parameter
from touchback.model.solids import Look
from touchback.model.value import Components, triple
from touchback.model.walk import expressions_of
from touchback.symbolic.expression import Expr
from touchback.symbolic.table import Table
from touchback.symbolic.tape import Tape

if TYPE_CHECKING:
    from touchback.model.part import Part

_T = TypeVar("_T")


class Description:
    """The data of a model. Everything has a name; expressions live on one tape."""

    modes: Mapping[str, object]

    def __init__(self, name: str, gravity: Components) -> None:
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
        self.shapes: dict[str, Look] = {}  # how bodies look
        self.controls: dict[str, Control] = {}
        self.sensors: dict[str, SensorKind] = {}
        self.reported: tuple[str, ...] | None = None  # sensors that are outputs; None: all
        self.tables: dict[str, Table] = {}
        self.parts: dict[str, Part] = {}
        self.base = BaseMotion()
        self.imported: dict[
            str, Any
        ] = {}  # what a file said beyond the mechanics, kept by its importer

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

    def _of_parts(self, ask: Callable[["Description"], dict[str, _T]]) -> dict[str, _T]:
        return {
            f"{prefix}/{inner}": found
            for prefix, part in self.parts.items()
            for inner, found in ask(part.model).items()
        }

    def contains(self, other: "Description") -> bool:
        """Whether the other model is this one or a part of it, at any depth."""
        return other is self or any(part.model.contains(other) for part in self.parts.values())

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
