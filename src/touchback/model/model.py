"""The model: what a mechanism is, described by name."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, Unpack

from touchback.errors import ModelError
from touchback.model.body import make_body
from touchback.model.contact_kind import ContactKind
from touchback.model.describe_signals import Signals
from touchback.model.description import sensor_names
from touchback.model.fluid import Fluid, make_fluid
from touchback.model.force_laws import traced
from touchback.model.forces import ForceKind
from touchback.model.frame import GROUND, BodyHandle, Frame, Place, Turns, as_frame, turns
from touchback.model.joints import Joint, JointKind, make_joint
from touchback.model.joints.joint import JointOptions
from touchback.model.limits import with_live_limits
from touchback.model.modes import ModelModes
from touchback.model.names import check_name, unknown
from touchback.model.part import Part, check_size
from touchback.model.sensors import SensorKind
from touchback.model.sensors.base import Measured
from touchback.model.signals import (
    OWN_RATE,
    BaseMotion,
    ExtraState,
)
from touchback.model.solids import AnySeen, Look, SeenKind
from touchback.model.value import Components, Value, triple, value
from touchback.model.walk import normalised
from touchback.symbolic.expression import Expr
from touchback.symbolic.parse import parse
from touchback.units import read_quantity

if TYPE_CHECKING:
    from touchback.system import System

_T = TypeVar("_T")


class Model(Signals, ModelModes):
    """A mechanism under description. Everything has a name; numbers may be expressions of
    parameters and other signals."""

    def __init__(self, name: str, gravity: Components = (0.0, 0.0, -9.81)) -> None:
        super().__init__(name, gravity)

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
        self.joints[name] = with_live_limits(self, name, joint)
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
        force = self._own(label, normalised(label, traced(self, name, kind)))
        own = {f"{name}.{state}": given for state, given in force.states().items()}
        for full in own:
            self.refuse_taken("state", full)
        self.forces[name] = force
        for full, given in own.items():
            rate = Expr(self.tape, self.tape.symbol(OWN_RATE + full))
            self.states[full] = ExtraState(given.initial, rate, given.unit)

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
        return make_fluid(self, check_name("Fluid", name), density, surface, current)

    def shape(self, name: str, place: Place, solid: AnySeen) -> None:
        """How a body looks: a solid, as tb.Box(…), at a body or a frame of it."""
        label = f"Shape '{check_name('Shape', name)}'"
        self._refuse_known("shape", name, self.shapes)
        if not isinstance(solid, SeenKind):
            raise ModelError(f"{label}: a solid such as tb.Box(…) is expected, got {solid!r}.")
        look = Look(as_frame(f"{label}: place", place), normalised(label, solid))
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
        self.contacts[name] = self._own(label, normalised(label, kind))

    def sensor(self, name: str, kind: SensorKind[Measured]) -> Measured:
        """A sensor; returns its expression (or one a component), which laws and controllers may
        use."""
        label = f"Sensor '{name}'"
        if not isinstance(kind, SensorKind):
            raise ModelError(
                f"{label}: a sensor such as tb.Position(body) is expected, got {kind!r}."
            )
        kind = normalised(label, kind).completed(self.velocity_names())
        self.refuse_taken("sensor", name, sensor_names(name, kind))
        self.sensors[name] = self._own(label, kind)
        return kind.arranged([self._symbol(full) for full in sensor_names(name, kind)])

    def velocity_names(self) -> list[str]:
        joints = self.all_joints().items()
        return [full for name, joint in joints for full in joint.velocity_names(name)]

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

    def expression(self, text: str) -> Expr:
        """What a text such as "2 * radius - 'q:crank'" means in this model, as its files write it:
        names that are no plain words stand in quotes, and "35 mm" is a number in SI."""
        if (quantity := read_quantity(text)) is not None:
            return Expr(self.tape, self.tape.const(quantity[1].in_si(quantity[0])))

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


def _names(name: str, joint: Joint) -> set[str]:
    return {*joint.position_names(name), *joint.velocity_names(name)}


__all__ = ["Frame", "Model", "sensor_names"]
