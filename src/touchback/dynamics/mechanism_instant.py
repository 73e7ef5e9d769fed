"""The mechanism at one instant over any scalars: values, poses, velocities, forces, joint efforts,
fluid carried along, energies and momenta. What laws and sensors ask."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from touchback.dynamics.base_parameters import regroup
from touchback.dynamics.crba import Entries, world_pose
from touchback.dynamics.ground_motion import ground_of, names_in
from touchback.dynamics.kinematic_tree import Attachment, Tree, add_inertias, build_tree
from touchback.dynamics.link_accelerations import (
    Base,
    LinkMotion,
    combined,
    ground_motion,
    link_motions,
)
from touchback.dynamics.link_frame_choice import choose_frames
from touchback.dynamics.rnea import inverse_dynamics, link_wrenches
from touchback.errors import ModelError
from touchback.model import (
    OWN_RATE,
    Body,
    CarriedFluid,
    Forces,
    Frame,
    Joint,
    Model,
    Signal,
    Value,
    expressions_of,
    sensor_names,
)
from touchback.names import unknown
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import ZERO, Articulated, Vectors, Wrench
from touchback.symbolic import Expr, Scalars, Translator
from touchback.units import unit_of

if TYPE_CHECKING:
    from touchback.dynamics.joint_stops import Pairs
    from touchback.dynamics.kinematic_tree import Link, Tree
    from touchback.model import Model, ValueOf
    from touchback.symbolic import Scalars


@dataclass
class Coordinates:
    """The scalars of an instant: positions, velocities, extra states and inputs by name, time,
    parameters by name."""

    q: Sequence[Scalar]
    v: Sequence[Scalar]
    z: Mapping[str, Scalar]
    u: Mapping[str, Scalar]
    time: Scalar
    parameters: Mapping[str, Scalar]


class Instant:
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
        self.tree, self.ground = tree, ground_of(model, k, self.value)
        self.vectors = Vectors(k)
        self._poses: dict[int, tuple[Matrix, Vector]] = {-1: (self.ground.R, self.ground.p)}
        self._velocity: dict[int, tuple[Vector, Vector]] = {}
        self._frames: dict[Frame, Attachment] = {}
        self._levers: dict[Frame, Vector] = {}
        self._rotations: dict[Frame, Matrix] = {}
        self._placed, self._frames_as = True, (merge_fixed, frame_pass)
        self._pushes = AppliedWrenches(self)
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

    # ---- poses and velocities along world axes, each computed when first asked for

    def attachment(self, frame: Frame) -> Attachment:
        """Link and pose of a frame."""
        if frame not in self._frames:
            self._frames[frame] = self.tree.attachment(self.k, frame, self.value)
        return self._frames[frame]

    def link_pose(self, i: int) -> tuple[Matrix, Vector]:
        """R_WL and p_WL."""
        for j in self._unknown(i, self._poses):
            link = self.tree.links[j]
            self._poses[j] = world_pose(link, self.k, self._poses[link.parent])
        return self._poses[i]

    def link_lever(self, i: int) -> Vector:
        """From the origin of a link's parent to its own, along world axes: not by where both are in
        the world, of which little is left far from its origin."""
        link = self.tree.links[i]
        along = self.vectors.apply(self.link_pose(link.parent)[0], link.p)
        return self.vectors.add(along, self.vectors.apply(self.link_pose(i)[0], link.d))

    def link_velocity(self, i: int) -> tuple[Vector, Vector]:
        """ω and velocity of the origin of a link, along world axes."""
        if -1 not in self._velocity:
            ground = self.ground
            self._velocity[-1] = self.vectors.apply(ground.R, ground.omega), ground.velocity
        for j in self._unknown(i, self._velocity):
            link = self.tree.links[j]
            omega_parent, v_parent = self._velocity[link.parent]
            R = self.link_pose(j)[0]
            lever = self.link_lever(j)
            spin, slide = combined(link, self.k, self.at.v)
            carried = self.vectors.add(v_parent, self.vectors.cross(omega_parent, lever))
            self._velocity[j] = (
                self.vectors.add(omega_parent, self.vectors.apply(R, spin)),
                self.vectors.add(carried, self.vectors.apply(R, slide)),
            )
        return self._velocity[i]

    def _unknown(self, i: int, known: Mapping[int, object]) -> list[int]:
        """Links from below the nearest known one down to link i: no recursion, chains are long."""
        path = []
        while i not in known:
            path.append(i)
            i = self.tree.links[i].parent
        return path[::-1]

    def lever(self, frame: Frame) -> Vector:
        """From the link's origin to the frame's, along world axes."""
        if frame not in self._levers:
            home = self.attachment(frame)
            R, p = self.link_pose(home.link)[0], home.pose.scalars(self.k)
            self._levers[frame] = self.vectors.apply(R, p)
        return self._levers[frame]

    def position(self, frame: Frame) -> Vector:
        return self.vectors.add(self.link_pose(self.attachment(frame).link)[1], self.lever(frame))

    def rotation(self, frame: Frame) -> Matrix:
        if frame not in self._rotations:
            home = self.attachment(frame)
            R = self.link_pose(home.link)[0]
            self._rotations[frame] = home.pose.rotation(self.k).times(self.k, R)
        return self._rotations[frame]

    def velocity(self, frame: Frame) -> Vector:
        omega, v = self.link_velocity(self.attachment(frame).link)
        return self.vectors.add(v, self.vectors.cross(omega, self.lever(frame)))

    def angular_velocity(self, frame: Frame) -> Vector:
        return self.link_velocity(self.attachment(frame).link)[0]

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
    def _default_stops(self) -> dict[str, Pairs]:
        from touchback.dynamics.joint_stops import default_stops

        return default_stops(self.model)

    def armature(self) -> list[Scalar]:
        """Rotor inertia of each velocity coordinate."""
        found: list[Scalar] = [0] * self.tree.nv
        for name, joint in self.model.joints.items():
            for index, given in enumerate(joint.armature):
                found[self._places.velocity(name, index)] = self.value(given)
        return found

    def at_rest(self) -> Instant:
        """The same instant without velocities; a law that asks it in a circle is refused."""
        still = replace(self.at, v=[0] * len(self.at.v))
        other = Instant(self.model, self.k, still, *self._frames_as)
        other._resolving = self._resolving
        return other

    def pushed(self, names: Sequence[str]) -> tuple[dict[int, Wrench], list[Scalar]]:
        """What some forces alone do: wrenches on links about their origins, in link axes, and joint
        efforts. For an instant that is asked nothing else of its forces."""
        for name in names:
            self._named(f"Force '{name}'", self.model.forces[name].apply)
        return self._pushes.in_link_axes(), self._efforts

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
    def unforced(self) -> Unforced:
        return Unforced(self, self._places)

    def energy(self, which: str) -> Scalar:
        return energy(self, which)

    def freedom(self, joint: str, index: int = 0) -> int:
        """The velocity coordinate of a joint by its place in v."""
        return self._places.velocity(joint, index)


class AppliedWrenches:
    """Force and moment on each link about its origin, along world axes."""

    def __init__(self, at: Instant) -> None:
        self._at = at
        self._sums: dict[int, Wrench] = {}

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """Add a force at a frame's origin and a torque on its body; what pushes the ground is
        lost."""
        at, vectors = self._at, self._at.vectors
        home = at.attachment(frame)
        if home.link < 0:
            return
        moment = vectors.cross(at.lever(frame), force)
        if torque is not None:
            moment = vectors.add(moment, torque)
        F, N = self._sums.get(home.link, (ZERO, ZERO))
        self._sums[home.link] = vectors.add(F, force), vectors.add(N, moment)

    def in_link_axes(self) -> dict[int, Wrench]:
        """The sums along the axes of their links."""
        turned = self._at.vectors.apply_transposed
        wrenches: dict[int, Wrench] = {}
        for i, (F, N) in self._sums.items():
            R = self._at.link_pose(i)[0]
            wrenches[i] = turned(R, F), turned(R, N)
        return wrenches


def accelerations(
    instant: Instant, frame: Frame, motions: Callable[[], Sequence[LinkMotion]]
) -> tuple[Vector, Vector]:
    """ω̇ and the acceleration of a frame's origin, gravity not included, along world axes. On the
    ground they are known without the links' motions."""
    home, vectors = instant.attachment(frame), instant.vectors
    R, _ = instant.link_pose(home.link)
    if home.link < 0:
        motion = ground_motion(instant.k, instant.base(with_gravity=False))
    else:
        motion = motions()[home.link]
    carried = vectors.apply(motion.B, home.pose.scalars(instant.k))
    moved = vectors.add(motion.acceleration, carried)
    return vectors.apply(R, motion.alpha), vectors.apply(R, moved)


class Places:
    """The places of all coordinates by their full names, `q` and `v`, or by joint and index."""

    def __init__(self, joints: Mapping[str, Joint]) -> None:
        self._joints = joints
        positions = [full for name, each in joints.items() for full in each.position_names(name)]
        velocities = [full for name, each in joints.items() for full in each.velocity_names(name)]
        self.q = {name: place for place, name in enumerate(positions)}
        self.v = {name: place for place, name in enumerate(velocities)}

    def position(self, joint: str, index: int) -> int:
        """The place in q of coordinate `index` of a joint."""
        return self.q[_numbered(joint, self._joint(joint).position_names(joint), index)]

    def velocity(self, joint: str, index: int) -> int:
        """The place in v of coordinate `index` of a joint."""
        return self.v[_numbered(joint, self._joint(joint).velocity_names(joint), index)]

    def velocities(self, names: Sequence[str]) -> list[int]:
        """The places in v of velocity coordinates by their full names."""
        for name in names:
            if name not in self.v:
                raise unknown("velocity coordinate", name, self.v)
        return [self.v[name] for name in names]

    def _joint(self, name: str) -> Joint:
        if name not in self._joints:
            raise unknown("joint", name, self._joints)
        return self._joints[name]


def _numbered(joint: str, names: list[str], index: int) -> str:
    if not 0 <= index < len(names):
        raise ModelError(
            f"Joint '{joint}': it has {len(names)} coordinates; there is none numbered {index}."
        )
    return names[index]


def jacobian(instant: Instant, frame: Frame) -> list[list[Scalar]]:
    """6 × nv, along world axes: rows are ω (3) and the velocity of the frame's origin (3)."""
    vectors = instant.vectors
    rows: list[list[Scalar]] = [[0] * instant.tree.nv for _ in range(6)]
    lever = instant.lever(frame)  # from the link's origin to the frame's
    for link in instant.tree.path(instant.attachment(frame).link):
        R = instant.link_pose(link.index)[0]
        for offset, (s_ang, s_lin) in enumerate(link.columns):
            angular = vectors.apply(R, s_ang)
            linear = vectors.add(vectors.apply(R, s_lin), vectors.cross(angular, lever))
            for row, entry in enumerate([*angular, *linear]):
                rows[row][link.v_index + offset] = entry
        if link.parent >= 0:
            lever = vectors.add(lever, instant.link_lever(link.index))
    return rows


class Unforced:
    """Mass matrix, bias, gravity efforts and Jacobians, each computed when first asked for."""

    transmit: ClassVar[Callable[[Instant, frozenset[int]], dict[int, dict[int, Scalar]]]]
    """What `dynamics.constraints`, which knows instants, gives for `transmission`."""

    def __init__(self, instant: Instant, places: Places) -> None:
        self._instant = instant
        self.places = places.velocities
        self._jacobians: dict[Frame, list[list[Scalar]]] = {}
        self._transmissions: dict[frozenset[int], dict[int, dict[int, Scalar]]] = {}

    @cached_property
    def mass_matrix(self) -> Entries:
        from touchback.dynamics.forward_dynamics import mass_matrix_entries  # which knows instants

        return mass_matrix_entries(self._instant)

    @cached_property
    def bias(self) -> list[Scalar]:
        """c(q, v). Fluid that bodies carry along is inertia of the tree, and no force on it."""
        instant = self._instant
        fluids = AppliedWrenches(instant)
        push_fluids(instant, fluids)
        tree, k = instant.regrouped(), instant.k
        return inverse_dynamics(tree, k, instant.at.v, None, instant.base(), fluids.in_link_axes())

    @cached_property
    def gravity_effort(self) -> list[Scalar]:
        """c(q, 0) above a ground at rest. Carried fluid has no weight."""
        return self._against_weight({})

    @cached_property
    def static_effort(self) -> list[Scalar]:
        """c(q, 0) less what springs of joints do, and forces that depend on positions alone."""
        rest = self._instant.at_rest()
        k, model = rest.k, rest.model
        external, efforts = rest.pushed([x for x in model.forces if is_conservative(model, x)])
        found = map(k.sub, self._against_weight(external), efforts)
        springs = [
            spring_effort(rest, name, joint, i)
            for name, joint in model.joints.items()
            for i in range(joint.kind.nv)
        ]
        return [k.sub(effort, spring) for effort, spring in zip(found, springs, strict=True)]

    def transmission(self, held: Sequence[str]) -> dict[int, dict[int, Scalar]]:
        """By passive coordinate, and by held one: how fast the one follows the other."""
        known = frozenset(self.places(held))
        if known not in self._transmissions:
            self._transmissions[known] = Unforced.transmit(self._instant, known)
        return self._transmissions[known]

    def _against_weight(self, external: Mapping[int, Wrench]) -> list[Scalar]:
        instant = self._instant
        tree = instant.regrouped()
        dry = replace(tree, links=[replace(link, added=None) for link in tree.links])
        upwards = instant.vectors.neg(instant.gravity())
        base = Base(acceleration=instant.vectors.apply_transposed(instant.ground.R, upwards))
        return inverse_dynamics(dry, instant.k, [0] * tree.nv, None, base, external)

    def jacobian(self, frame: Frame) -> list[list[Scalar]]:
        if frame not in self._jacobians:
            self._jacobians[frame] = jacobian(self._instant, frame)
        return self._jacobians[frame]

    def bias_acceleration(self, frame: Frame) -> list[Scalar]:
        """ω̇ and acceleration of a frame's origin while v̇ is zero."""
        alpha, acceleration = accelerations(self._instant, frame, lambda: self._motions)
        return [*alpha, *acceleration]

    @cached_property
    def _motions(self) -> list[LinkMotion]:
        instant = self._instant
        base = instant.base(with_gravity=False)
        return list(link_motions(instant.tree, instant.k, instant.at.v, None, base))


# Fluid that bodies carry along: inertia without weight, another one in each direction.
#
# An ideal fluid at rest far away gives a body that moves in it the momenta P = A v, L = B ω along
# its own axes (Kirchhoff 1870; Lamb, Hydrodynamics §124), v measured from the fluid, and resists
# with F = −(Ṗ + ω × P),  N = −(L̇ + ω × L + v × P). What is linear in accelerations is an inertia
# of the link; the rest is pushed here, and with it what the trick that makes gravity an
# acceleration of the ground would give the fluid for a weight.


def add_fluids(tree: Tree, model: Model, k: Scalars, value: ValueOf) -> list[CarriedFluid]:
    """Give links the fluid that the model's forces say they carry along."""
    carried = [each for kind in model.forces.values() for each in kind.carries(k, value)]
    for each in carried:
        home = tree.attachment(k, each.frame, value)
        if home.link < 0:
            continue
        own = Articulated.diagonal(each.mass, each.inertia)
        moved = own.turned_up(k, home.pose.rotation(k)).shifted(k, home.pose.scalars(k))
        link = tree.links[home.link]
        link.added = moved if link.added is None else link.added.plus(k, moved)
    return carried


def push_fluids(instant: Instant, pushes: AppliedWrenches) -> None:
    """What velocities alone ask of the fluid, and no weight of it."""
    vectors = instant.vectors
    cross, add, sub = vectors.cross, vectors.add, vectors.sub
    for each in instant.fluids:
        R, v, omega, P, L = _momenta(instant, each)
        # the link's acceleration, to which its inertia is applied, is that of its own origin
        _, origin = instant.link_velocity(instant.attachment(each.frame).link)
        own = vectors.apply_transposed(R, sub(origin, each.flow))
        weight = _times(instant, each.mass, vectors.apply_transposed(R, instant.gravity()))
        turned = sub(cross(omega, P), _times(instant, each.mass, cross(omega, own)))
        F = vectors.neg(add(turned, weight))
        N = vectors.neg(add(cross(omega, L), cross(v, P)))
        pushes.push(each.frame, vectors.apply(R, F), vectors.apply(R, N))


def fluid_energy(instant: Instant) -> Scalar:
    """½ A v² + ½ B ω² + P · u of all fluid that is carried along, u its flow: what the body gives
    to a fluid that flows by itself is not lost, but moves on with it [J]."""
    k, vectors, total = instant.k, instant.vectors, 0
    half = k.const(0.5)
    for each in instant.fluids:
        R, v, omega, P, L = _momenta(instant, each)
        own = k.add(vectors.dot(P, v), vectors.dot(L, omega))
        flow = vectors.dot(P, vectors.apply_transposed(R, each.flow))
        total = k.add(total, k.add(k.mul(half, own), flow))
    return total


def _momenta(instant: Instant, each: CarriedFluid) -> tuple[Matrix, Vector, Vector, Vector, Vector]:
    """R_WF; velocity from the fluid, angular velocity and both momenta, in the frame's axes."""
    vectors = instant.vectors
    R = instant.rotation(each.frame)
    through = vectors.sub(instant.velocity(each.frame), each.flow)
    v = vectors.apply_transposed(R, through)
    omega = vectors.apply_transposed(R, instant.angular_velocity(each.frame))
    return R, v, omega, _times(instant, each.mass, v), _times(instant, each.inertia, omega)


def _times(instant: Instant, a: Vector, b: Vector) -> Vector:
    return [instant.k.mul(x, y) for x, y in zip(a, b, strict=True)]


def passive_efforts(instant: Instant) -> None:
    """Add what acts in every joint by itself to its effort."""
    for name, joint in instant.model.joints.items():
        for i in range(joint.kind.nv):
            instant.add_effort(name, i, passive_effort(instant, name, joint, i))


def passive_effort(instant: Instant, name: str, joint: Joint, i: int) -> Scalar:
    """−k (q − rest) − c v − f v/√(v² + v_s²) and the stops' push."""
    k, value = instant.k, instant.value
    v, effort = instant.rate(name, i), spring_effort(instant, name, joint, i)
    if joint.damping:
        effort = k.sub(effort, k.mul(value(joint.damping[i]), v))
    if joint.friction:
        scale = value(joint.friction_speed)
        smooth = k.div(v, k.sqrt(k.add(k.mul(v, v), k.mul(scale, scale))))
        effort = k.sub(effort, k.mul(value(joint.friction[i]), smooth))
    stop = instant.stop(name, i)
    if stop is not None:
        effort = k.add(effort, _push(instant, name, joint, i, *stop))
    return effort


def spring_effort(instant: Instant, name: str, joint: Joint, i: int) -> Scalar:
    """−k (q − rest)."""
    if not joint.spring:
        return 0
    k, stiffness = instant.k, instant.value(joint.spring[i])
    return k.neg(k.mul(stiffness, _stretch(instant, name, joint, i)))


def is_conservative(model: Model, force: str) -> bool:
    """Whether a force follows from positions, time and parameters where nothing moves: no contact,
    and it reads no inputs and states."""
    kind = model.forces[force]
    if kind.TOUCHES or kind.states():
        return False
    waiting, seen = list(expressions_of(kind)), set[str]()
    while waiting:
        names = names_in(model.tape, [waiting.pop().id]) - seen
        if any(
            name in model.inputs or name in model.states or name.startswith(OWN_RATE)
            for name in names
        ):
            return False
        seen |= names
        waiting += [
            expression
            for name, kind in model.sensors.items()
            if not names.isdisjoint(sensor_names(name, kind))
            for expression in expressions_of(kind)
        ]
    return True


def passive_potential(instant: Instant) -> Scalar:
    """Energy stored in joint springs, stops and described springs [J]."""
    k = instant.k
    total: Scalar = 0
    for name, joint in instant.model.joints.items():
        total = k.add(total, joint_potential(instant, name, joint))
    for kind in instant.model.forces.values():
        total = k.add(total, kind.potential(instant))
    return total


def joint_potential(instant: Instant, name: str, joint: Joint) -> Scalar:
    """Energy stored in a joint's springs and stops [J]."""
    k, value = instant.k, instant.value
    total: Scalar = 0
    half = k.const(0.5)
    for i in range(joint.kind.nv):
        if joint.spring:
            x = _stretch(instant, name, joint, i)
            total = k.add(total, k.mul(k.mul(half, value(joint.spring[i])), k.mul(x, x)))
        stop = instant.stop(name, i)
        if stop is not None:
            for depth in _depths(instant, name, joint, i):
                total = k.add(total, k.mul(k.mul(half, stop[0]), k.mul(depth, depth)))
    return total


def _stretch(instant: Instant, name: str, joint: Joint, i: int) -> Scalar:
    rest = instant.value(joint.rest[i]) if joint.rest else 0
    return instant.k.sub(instant.coordinate(name, i), rest)


def _depths(instant: Instant, name: str, joint: Joint, i: int) -> tuple[Scalar, Scalar]:
    """How far the coordinate is below its lower and above its upper limit; zero within."""
    k, q = instant.k, instant.coordinate(name, i)
    lower, upper = (instant.value(limit) for limit in joint.limits[i])
    return k.maximum(k.sub(lower, q), 0), k.maximum(k.sub(q, upper), 0)


def _push(
    instant: Instant, name: str, joint: Joint, i: int, stiffness: Scalar, damping: Scalar
) -> Scalar:
    """Unilateral spring and damper at either limit; a stop pushes, it never pulls."""
    k, v = instant.k, instant.rate(name, i)
    below, above = _depths(instant, name, joint, i)
    up = k.maximum(k.sub(k.mul(stiffness, below), k.mul(damping, v)), 0)
    down = k.maximum(k.add(k.mul(stiffness, above), k.mul(damping, v)), 0)
    return k.sub(k.select(k.less(0, below), up, 0), k.select(k.less(0, above), down, 0))


def energy(instant: Instant, which: str) -> Scalar:
    """'kinetic', 'potential' or 'total' [J]."""
    parts = []
    if which in ("kinetic", "total"):
        parts.append(kinetic_energy(instant))
    if which in ("potential", "total"):
        parts.append(instant.k.add(potential_energy(instant), passive_potential(instant)))
    return parts[0] if len(parts) == 1 else instant.k.add(parts[0], parts[1])


def _everything(instant: Instant) -> Iterator[tuple[int, Link]]:
    """All links, and what is fixed to the ground as number −1."""
    yield from enumerate(instant.tree.links)
    yield -1, instant.tree.ground


def _moving(instant: Instant) -> Iterator[tuple[int, Link]]:
    """All links, and what is fixed to the ground where that moves."""
    return _everything(instant) if instant.ground.moves else enumerate(instant.tree.links)


def kinetic_energy(instant: Instant) -> Scalar:
    """T = Σ ½ m v·v + v·(ω × h) + ½ ω·J ω over links, plus ½ armature v² and the energy
    of fluid that is carried along [J]."""
    k, vectors = instant.k, instant.vectors
    total: Scalar = 0
    half = k.const(0.5)
    for i, link in _moving(instant):
        R = instant.link_pose(i)[0]
        omega_W, v_W = instant.link_velocity(i)
        omega, v = vectors.apply_transposed(R, omega_W), vectors.apply_transposed(R, v_W)
        own = link.inertia
        linear = k.mul(own.m, vectors.dot(v, v))
        angular = vectors.dot(omega, vectors.apply(own.tensor(k), omega))
        mixed = vectors.dot(v, vectors.cross(omega, own.h))
        total = k.add(total, k.add(k.mul(half, k.add(linear, angular)), mixed))
    for rotor, v in zip(instant.armature(), instant.at.v, strict=True):
        total = k.add(total, k.mul(k.mul(half, rotor), k.mul(v, v)))
    return k.add(total, fluid_energy(instant))


def potential_energy(instant: Instant) -> Scalar:
    """U = −Σ g·(m p + R h) of all bodies, also those fixed to the ground, which another structure
    may let go: zero when all mass is at the world's origin [J]."""
    return -instant.vectors.dot(instant.gravity(), first_moment(instant, _everything(instant)))


def first_moment(instant: Instant, links: Iterator[tuple[int, Link]]) -> Vector:
    """Σ m p_com about the world's origin [kg m]."""
    vectors = instant.vectors
    total: Vector = [0, 0, 0]
    for i, link in links:
        R, p = instant.link_pose(i)
        moment = vectors.add(vectors.scale(link.inertia.m, p), vectors.apply(R, link.inertia.h))
        total = vectors.add(total, moment)
    return total


def total_mass(instant: Instant) -> Scalar:
    """Σ m of everything that moves [kg]."""
    total: Scalar = 0
    for _, link in _moving(instant):
        total = instant.k.add(total, link.inertia.m)
    return total


def centre_of_mass(instant: Instant) -> Vector:
    """p_com [m]."""
    moment = first_moment(instant, _moving(instant))
    return instant.vectors.scale(instant.k.div(1, total_mass(instant)), moment)


def momentum(instant: Instant) -> tuple[Vector, Vector]:
    """Linear momentum [kg m/s] and angular momentum about the world's origin [kg m²/s]."""
    vectors = instant.vectors
    linear: Vector = [0, 0, 0]
    angular: Vector = [0, 0, 0]
    for i, link in _moving(instant):
        own, spin, _ = link_momenta(instant, i, link)
        linear = vectors.add(linear, own)
        position = instant.link_pose(i)[1]
        angular = vectors.add(angular, vectors.add(spin, vectors.cross(position, own)))
    return linear, angular


def link_momenta(instant: Instant, i: int, link: Link) -> tuple[Vector, Vector, Vector]:
    """Linear momentum of a link, angular momentum and first moment of mass about its origin, along
    world axes."""
    k, vectors = instant.k, instant.vectors
    R, (omega, v) = instant.link_pose(i)[0], instant.link_velocity(i)
    h = vectors.apply(R, link.inertia.h)
    linear = vectors.add(vectors.scale(link.inertia.m, v), vectors.cross(omega, h))
    turned = vectors.apply(link.inertia.tensor(k), vectors.apply_transposed(R, omega))
    return linear, vectors.add(vectors.apply(R, turned), vectors.cross(h, v)), h
