"""The mechanism at one instant over any scalars: values, poses, velocities, forces. What laws and
sensors ask."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from touchback.dynamics.accelerations import accelerations
from touchback.dynamics.added import add_fluids, push_fluids
from touchback.dynamics.efforts import passive_efforts
from touchback.dynamics.frames import choose_frames
from touchback.dynamics.ground import ground_of
from touchback.dynamics.kinematics import Coordinates, Kinematics
from touchback.dynamics.motion import Base, LinkMotion, link_motions
from touchback.dynamics.places import Places
from touchback.dynamics.pushes import Pushes
from touchback.dynamics.regroup import regroup
from touchback.dynamics.rnea import link_wrenches
from touchback.dynamics.tree import Tree, add_inertias, build_tree
from touchback.errors import ModelError
from touchback.model.body import Body
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces
from touchback.model.model import Model, sensor_names
from touchback.model.names import unknown
from touchback.model.sensors import Signal
from touchback.model.signals import OWN_RATE
from touchback.model.value import Value
from touchback.spatial import Wrench
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.expression import Expr
from touchback.symbolic.scalars import Scalars
from touchback.symbolic.translate import Translator
from touchback.units import unit_of

if TYPE_CHECKING:
    from touchback.dynamics.stops import Pairs
    from touchback.dynamics.unforced import Unforced


class Instant(Kinematics):
    """A flat model at given coordinates. Everything is computed when first asked for, and once."""

    def __init__(
        self,
        model: Model,
        k: Scalars,
        at: Coordinates,
        merge_fixed: bool = True,
        frame_pass: bool = False,
    ) -> None:
        self.model, self.k, self.at = model, k, at
        self.a: Sequence[Scalar] | None = None  # joint accelerations, once known
        self.multipliers: dict[str, Scalar] = {}  # of constraint rows by name, once known
        self.solved = False  # whether expressions may use sensors of forces: all are known then
        self.cuts: dict[str, tuple[Vector, Vector]] = {}  # wrenches in closures, once known
        self._translate = Translator(model.tape, k, self._resolve)
        self._resolving: list[str] = []
        self._force_names = {id(kind): name for name, kind in model.forces.items()}
        self._sensors = {
            full: (name, index)
            for name, kind in model.sensors.items()
            for index, full in enumerate(sensor_names(name, kind))
        }
        self._controlled = model.input_laws()
        self._measured: dict[str, list[Scalar]] = {}
        self._places = Places(model.joints)
        self._placed = False  # whether bodies have places and inertias yet
        tree = build_tree(model, k, self.value, merge_fixed)
        if frame_pass:
            tree = choose_frames(tree, k)
        add_inertias(tree, model, k, self.value)
        self.fluids = add_fluids(tree, model, k, self.value)
        tree.place(k, at.q, self.value)
        super().__init__(k, at, tree, ground_of(model, k, self.value), self.value)
        self._placed = True
        self._pushes = Pushes(self)
        self._efforts: list[Scalar] = [0] * tree.nv
        self._applied = False
        self._motions: list[LinkMotion] | None = None
        self._wrenches: list[Wrench] | None = None

    # ---- values ---------------------------------------------------------------------------------

    def value(self, given: Value) -> Scalar:
        """A number or expression as a scalar."""
        return self._translate(given.id) if isinstance(given, Expr) else self.k.const(float(given))

    def _resolve(self, symbol: Hashable) -> Scalar:
        name = str(symbol)
        at = self.at
        if name in self._controlled:
            return self._guarded(name, lambda: self.value(self._controlled[name]))
        for known, described in ((at.parameters, self.model.parameters), (at.u, self.model.inputs)):
            if name in known:
                return self._in_si(known[name], described[name].unit)
        if name in at.z:
            return at.z[name]
        if name == "time":
            return at.time
        if name.startswith("q:") and name[2:] in self._places.q:
            return at.q[self._places.q[name[2:]]]
        if name.startswith("v:") and name[2:] in self._places.v:
            return at.v[self._places.v[name[2:]]]
        if name.startswith(OWN_RATE):
            force, _, state = name.removeprefix(OWN_RATE).rpartition(".")
            return self.force(force).states()[state].rate(self)
        if name in self._sensors:
            sensor, index = self._sensors[name]
            return self._guarded(sensor, lambda: self.measure(sensor, from_law=True)[index])
        raise ModelError(f"An expression uses '{name}', which the model doesn't define.")

    def _in_si(self, given: Scalar, text: str) -> Scalar:
        """A number of a parameter or an input, which is in its own unit, as expressions have it."""
        unit, k = unit_of(text), self.k
        if unit is None or unit.is_si:
            return given
        scaled = k.mul(k.const(unit.factor), given)
        return k.add(scaled, k.const(unit.zero)) if unit.zero else scaled

    def _guarded(self, name: str, compute: Callable[[], Scalar]) -> Scalar:
        if name in self._resolving:
            circle = " → ".join([*self._resolving[self._resolving.index(name) :], name])
            raise ModelError(
                f"Signals depend on each other in a circle: {circle}. Break it with a state."
            )
        self._resolving.append(name)
        try:
            return compute()
        finally:
            self._resolving.pop()

    def measure(self, sensor: str, from_law: bool = False) -> list[Scalar]:
        """The components of a sensor."""
        if sensor not in self._measured:
            kind = self.model.sensors[sensor]
            if from_law and not kind.kinematic() and not self.solved:
                raise ModelError(
                    f"Sensor '{sensor}' measures what forces cause, so no law or controller may "
                    "use it directly. Filter it through an extra state."
                )
            if not self._placed and not isinstance(kind, Signal):
                raise ModelError(
                    f"Sensor '{sensor}' measures bodies, so neither their inertias and places nor "
                    "the ground's motion may depend on it. Filter it through an extra state."
                )
            self._measured[sensor] = kind.measure(self)
        return self._measured[sensor]

    # ---- motion and names, as laws and sensors ask

    def acceleration(self, frame: Frame) -> Vector:
        return accelerations(self, frame, self.motions)[1]

    def angular_acceleration(self, frame: Frame) -> Vector:
        """ω̇ of a frame's body."""
        return accelerations(self, frame, self.motions)[0]

    def body(self, frame: Frame) -> Body:
        return self.model.bodies[frame.body]

    def coordinate(self, joint: str, index: int = 0) -> Scalar:
        return self.at.q[self._places.position(joint, index)]

    def rate(self, joint: str, index: int = 0) -> Scalar:
        return self.at.v[self._places.velocity(joint, index)]

    def force(self, name: str) -> Any:
        if name not in self.model.forces:
            raise unknown("force", name, self.model.forces)
        return self.model.forces[name]

    def state(self, force: object, name: str) -> Scalar:
        return self.at.z[f"{self._force_names[id(force)]}.{name}"]

    def gravity(self) -> Vector:
        """Along world axes."""
        return [self.value(x) for x in self.model.gravity]

    def base(self, with_gravity: bool = True) -> Base:
        """Motion of the ground along its own axes; gravity counts as an upward acceleration."""
        ground, acceleration = self.ground, self.ground.acceleration
        if with_gravity:
            acceleration = self.vectors.sub(acceleration, self.gravity())
        own = self.vectors.apply_transposed(ground.R, acceleration)
        return Base(ground.omega, ground.alpha, own)

    # ---- forces ---------------------------------------------------------------------------------

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        self._pushes.push(frame, force, torque)

    def add_effort(self, joint: str, index: int, effort: Scalar) -> None:
        i = self._places.velocity(joint, index)
        self._efforts[i] = self.k.add(self._efforts[i], effort)

    def _apply_forces(self) -> None:
        if not self._applied:
            self._applied = True
            for name, kind in self.model.forces.items():
                self._named(f"Force '{name}'", kind.apply)
            passive_efforts(self)
            push_fluids(self, self._pushes)

    def _named(self, label: str, compute: Callable[[Forces], None]) -> None:
        try:
            compute(self)
        except ModelError as error:
            if str(error).startswith(label):
                raise
            raise ModelError(f"{label}: {error}") from error

    def external(self) -> dict[int, Wrench]:
        """Applied force and moment on each link about its origin, in link axes."""
        self._apply_forces()
        return self._pushes.in_link_axes()

    def efforts(self) -> list[Scalar]:
        """The model's own joint efforts: motors, springs, damping, friction, stops."""
        self._apply_forces()
        return self._efforts

    def stop(self, joint: str, index: int) -> tuple[Scalar, Scalar] | None:
        """Stiffness and damping of what holds a coordinate at its limits; None: nothing does."""
        given = self.model.joints[joint]
        if not given.limits or isinstance(given.stop, bool):
            return None
        pair = self._default_stops[joint][index] if given.stop is None else given.stop
        return self.value(pair[0]), self.value(pair[1])

    @cached_property
    def _default_stops(self) -> "dict[str, Pairs]":
        from touchback.dynamics.stops import default_stops

        return default_stops(self.model)

    def armature(self) -> list[Scalar]:
        """Rotor inertia of each velocity coordinate."""
        found: list[Scalar] = [0] * self.tree.nv
        for name, joint in self.model.joints.items():
            for index, given in enumerate(joint.armature):
                found[self._places.velocity(name, index)] = self.value(given)
        return found

    def regrouped(self) -> Tree:
        """A tree with base parameters, for mass matrix, bias and joint efforts only."""
        tree = replace(self.tree, links=[replace(link) for link in self.tree.links])
        regroup(tree, self.k)
        return tree

    # ---- what needs accelerations ---------------------------------------------------------------

    def motions(self) -> list[LinkMotion]:
        """Link motions without gravity, for the accelerations `self.a`."""
        if self.a is None:
            raise ModelError("Accelerations are not known to laws; use positions and velocities.")
        if self._motions is None:
            base = self.base(with_gravity=False)
            self._motions = list(link_motions(self.tree, self.k, self.at.v, self.a, base))
        return self._motions

    def joint_effort(self, joint: str, index: int) -> Scalar:
        return self.efforts()[self._places.velocity(joint, index)]

    def multiplier(self, row: str) -> Scalar:
        if row not in self.multipliers:
            raise ModelError(f"There is no constraint '{row}' whose force is known here.")
        return self.multipliers[row]

    def reaction(self, joint: str) -> tuple[Vector, Vector]:
        if joint in self.cuts and joint not in self.tree.joint_child:
            return self.cuts[joint]
        if joint not in self.tree.joint_child:
            raise ModelError(f"There is no joint '{joint}' to measure the reaction of.")
        if self.a is None:
            raise ModelError("Reactions need accelerations, which laws don't know.")
        if not self.tree.joint_links[joint]:
            raise ModelError(f"Joint '{joint}' is rigid: build the instant with merge_fixed=False.")
        if self._wrenches is None:
            motions = link_motions(self.tree, self.k, self.at.v, self.a, self.base())
            self._wrenches = link_wrenches(self.tree, self.k, motions, self.external())
        home = self.tree.joint_child[joint]
        F, N = self._wrenches[home.link]
        turn = home.pose.rotation(self.k)
        # chosen link frames (frame pass) need not have their origin at the joint's frame
        N = self.vectors.sub(N, self.vectors.cross(home.pose.scalars(self.k), F))
        return turn.down(self.k, F), turn.down(self.k, N)

    @cached_property
    def unforced(self) -> "Unforced":
        from touchback.dynamics.unforced import Unforced

        return Unforced(self, self._places)

    def energy(self, which: str) -> Scalar:
        from touchback.dynamics.energy import energy

        return energy(self, which)

    def freedom(self, joint: str, index: int = 0) -> int:
        """The velocity coordinate of a joint by its place in v."""
        return self._places.velocity(joint, index)
