"""Models as MJCF files of MuJoCo: bodies and joints, visuals as <geom>s without mass, and what ties
and drives them as equalities, tendons, motors and sensors."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from touchback import (
    AngularVelocity,
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Expr,
    Fixed,
    Frame,
    JointEffort,
    Mesh,
    Model,
    Position,
    Rod,
    SensorKind,
    Sphere,
    Spherical,
    SpringDamper,
    Velocity,
)
from touchback.interop.exported_mechanism import Freedom, Link, Mechanism, motor_of, text_of, words
from touchback.interop.rigid_pose import HERE, Floats, Pose, quaternion_of
from touchback.model import GROUND, coordinate_of, unpacked
from touchback.safe_files import check_output, write_atomically

_JOINTS = {"turn": "hinge", "slide": "slide", "ball": "ball"}


_ROUNDING = 1e-12


_LEAST = 1e-9  # kg, kg m²: what a body without mass gets, which MuJoCo has none of


def write(model: Model, where: Path) -> list[Path]:
    """Writes an .xml file: bodies, joints and what acts in them, ties, motors and looks, with the
    initial position as the key "initial"."""
    check_output(where, (".xml", ".mjcf"), "mjcf")
    write_atomically(where, mjcf_text(model))
    return [where]


def mjcf_text(model: Model) -> str:
    """The text of an MJCF file; what it can't say of the model is listed on top, and warned of."""
    mechanism = Mechanism(model)
    mechanism.check()
    root = Element("mujoco", model=mechanism.model.name)
    SubElement(root, "compiler", angle="radian", inertiafromgeom="false", autolimits="true")
    SubElement(root, "option", gravity=words(mechanism.numbers(mechanism.model.gravity)))
    asset, world = SubElement(root, "asset"), SubElement(root, "worldbody")
    writer = _Bodies(mechanism, asset)
    writer.bodies[GROUND] = world
    add_shapes(mechanism, GROUND, world, asset)
    for name in mechanism.roots:
        writer.add(world, name, HERE, [])
    controls = add_acting(mechanism, root, writer.bodies)
    key = SubElement(SubElement(root, "keyframe"), "key", name="initial", qpos=words(writer.qpos))
    if controls:
        key.set("ctrl", words(controls))
    return text_of(root, mechanism.tell("MJCF"))


class _Bodies:
    """The tree of <body>s; joints of massless bodies in a row go to the body that has mass."""

    def __init__(self, mechanism: Mechanism, asset: Element) -> None:
        self.mechanism = mechanism
        self.asset = asset
        self.bodies: dict[str, Element] = {}
        self.qpos: list[float] = []
        self.tied = _tied(mechanism)

    def add(self, parent: Element, name: str, before: Pose, waiting: list[Link]) -> None:
        """A body on its carrier's element; `waiting` are links that are only between joints, and
        `before` the place of the last of them."""
        mechanism, link = self.mechanism, self.mechanism.links[name]
        place = before @ link.place
        if self._only_between(link):
            self.add(parent, link.carried[0], place, [*waiting, link])
            return
        body = SubElement(parent, "body", {"name": name, **_placed(place)})
        self.bodies[name] = body
        back = HERE
        rows: list[tuple[Link, Pose]] = []
        for each in reversed([*waiting, link]):
            rows.insert(0, (each, back))
            back = back @ each.place.inverse()
        for each, pose in rows:
            self._joints(body, each, pose, single=len(rows) == 1, world=parent.tag == "worldbody")
        self._inertial(body, name)
        add_shapes(mechanism, name, body, self.asset)
        for carried in link.carried:
            self.add(body, carried, HERE, [])

    def _only_between(self, link: Link) -> bool:
        return (
            len(link.carried) == 1
            and self.mechanism.massless(link.name)
            and link.name not in self.tied
            and not any(f.kind == "free" for f in link.freedoms)
        )

    def _inertial(self, body: Element, name: str) -> None:
        mass, com, J = self.mechanism.inertia(name)
        if mass < _LEAST:
            mass = _LEAST
            self.mechanism.leave_out(f"body '{name}' has no mass: it has {_LEAST:g} kg there")
        given, J = J, _possible(J)
        if not np.allclose(given, J, rtol=0.0, atol=1e-9 * np.abs(J).max()):
            self.mechanism.leave_out(f"moments of body '{name}' are raised to what a body can have")
        six = [J[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        SubElement(body, "inertial", pos=words(com), mass=repr(float(mass)), fullinertia=words(six))

    def _joints(self, body: Element, link: Link, pose: Pose, single: bool, world: bool) -> None:
        """Joints of a link, its frame seen from the body."""
        joint, start = link.data, self.mechanism.start(link.joint)
        names = joint.velocity_names(link.joint)
        for freedom in link.freedoms:
            if freedom.kind == "free":
                self._free(body, link, single and world)
                return
            full = names[freedom.index] if freedom.kind != "ball" else link.joint
            element = SubElement(
                body, "joint", name=full, type=_JOINTS[freedom.kind], pos=words(pose.p)
            )
            if freedom.kind != "ball":
                element.set("axis", words(pose.R @ freedom.axis))
                self.qpos.append(start[freedom.index])
            else:
                turned = pose.R @ np.eye(3)
                if not np.allclose(turned, np.eye(3)):
                    self.mechanism.leave_out(f"the axes of joint '{link.joint}' are turned there")
                self.qpos += start[:4]
            self._acting(element, link, freedom)

    def _free(self, body: Element, link: Link, alone: bool) -> None:
        start = self.mechanism.start(link.joint)
        here = np.allclose(link.place.p, 0.0) and np.allclose(link.place.R, np.eye(3))
        if alone and here:
            SubElement(body, "freejoint", name=link.joint)
            self.qpos += start
            return
        self.mechanism.leave_out(
            f"joint '{link.joint}' is three slides and a ball there: it isn't free of the world"
        )
        for axis, number in zip("xyz", start):
            along = words(np.eye(3)["xyz".index(axis)])
            SubElement(body, "joint", name=f"{link.joint}.{axis}", type="slide", axis=along)
            self.qpos.append(number)
        SubElement(body, "joint", name=link.joint, type="ball")
        self.qpos += start[3:]

    def _acting(self, element: Element, link: Link, freedom: Freedom) -> None:
        """Springs, dampers, friction, rotors and limits of one freedom."""
        joint, mechanism = link.data, self.mechanism
        count = 3 if freedom.kind == "ball" else 1
        for ours, theirs in (
            ("damping", "damping"), ("friction", "frictionloss"), ("armature", "armature"),
            ("spring", "stiffness"), ("rest", "springref"),
        ):  # fmt: skip
            given = mechanism.numbers(getattr(joint, ours)[freedom.index : freedom.index + count])
            if any(given):
                element.set(theirs, repr(given[0]))
                if len(set(given)) > 1:
                    mechanism.leave_out(
                        f"{ours} of joint '{link.joint}' differs by axis; it is the first one there"
                    )
        if joint.limits and count == 1:
            element.set("range", words(mechanism.numbers(joint.limits[freedom.index])))


def _possible(J: Floats) -> Floats:
    """Moments of inertia as MuJoCo takes them: positive, and none above the sum of the others. Of
    planar bodies, which have one moment, that one stays."""
    moments, axes = np.linalg.eigh(J)
    a, b, c = (max(float(moment), _LEAST) for moment in moments)
    short = 0.5 * max((1.0 + _ROUNDING) * c - a - b, 0.0)
    wanted = np.array([a + short, b + short, c])
    if np.array_equal(wanted, moments):
        return J
    found: Floats = axes @ np.diag(wanted) @ axes.T
    return found


def _placed(pose: Pose) -> dict[str, str]:
    found = {"pos": words(pose.p)}
    if not np.array_equal(pose.R, np.eye(3)):
        found["quat"] = words(quaternion_of(pose.R))
    return found


def _tied(mechanism: Mechanism) -> set[str]:
    """Bodies at which something acts, so that they must be there."""
    model = mechanism.model
    ends = [end for closure in model.closures.values() for end in (closure.a, closure.b)]
    ends += [look.frame for look in model.shapes.values()]
    for force in model.forces.values():
        ends += [getattr(force, word) for word in ("a", "b", "frame") if hasattr(force, word)]
    return {end.body for end in ends}


_SENSORS: dict[type[SensorKind], str] = {
    Position: "framepos", Velocity: "framelinvel", AngularVelocity: "frameangvel",
}  # fmt: skip


def add_acting(mechanism: Mechanism, root: Element, bodies: dict[str, Element]) -> list[float]:
    """All of it, in sections after the bodies; gives what the motors' controls are by default."""
    acting = _Acting(mechanism, root, bodies)
    acting.add()
    return acting.controls


class _Acting:
    def __init__(self, mechanism: Mechanism, root: Element, bodies: dict[str, Element]) -> None:
        self.mechanism, self.model, self.bodies = mechanism, mechanism.model, bodies
        self.tendons, self.equalities, self.actuators, self.sensors = (
            SubElement(root, tag) for tag in ("tendon", "equality", "actuator", "sensor")
        )
        self.motors: dict[str, list[tuple[str, float]]] = {}
        self.controls: list[float] = []

    def add(self) -> None:
        for name in self.model.closures:
            self._closure(name)
        for name, coupling in self.model.couplings.items():
            offset = self.mechanism.number(coupling.offset)
            terms = [
                (self._coordinate(joint, index), self.mechanism.number(factor))
                for joint, index, factor in coupling.terms()
            ]
            self._equal(name, terms, offset, coupling.active)
        for name in self.model.constraints:
            self.mechanism.leave_out(f"constraint '{name}'")
        for name, drive in self.model.drives.items():
            if isinstance(drive.position, Expr):
                self.mechanism.leave_out(f"drive '{name}'")
            else:
                moved = self._coordinate(drive.joint, drive.index)
                self._equal(name, [(moved, 1.0)], drive.position, drive.active)
        for name, force in self.model.forces.items():
            self._force(name, force)
        for name, pulls in self.motors.items():
            self._motor(name, pulls)
        for name, sensor in self.model.sensors.items():
            if isinstance(sensor, Position | Velocity | AngularVelocity):
                site = self._site(sensor.frame, f"{name} sensor")
                kind = _SENSORS[type(sensor)]
                SubElement(self.sensors, kind, name=name, objtype="site", objname=site)
            else:
                self.mechanism.leave_out(f"sensor '{name}'")

    def _closure(self, name: str) -> None:
        closure = self.model.closures[name]
        active = str(closure.active).lower()
        if isinstance(closure.kind, Rod):
            self._rod(
                name, closure.a, closure.b, self.mechanism.number(closure.kind.length), active
            )
            return
        if not isinstance(closure.kind, Spherical | Fixed):
            kind = type(closure.kind).__name__
            self.mechanism.leave_out(f"closure '{name}': a {kind} is no equality of MuJoCo")
            return
        one, two = (
            self._site(end, f"{name} {number}")
            for number, end in enumerate((closure.a, closure.b), 1)
        )
        tag = "connect" if isinstance(closure.kind, Spherical) else "weld"
        SubElement(self.equalities, tag, name=name, site1=one, site2=two, active=active)

    def _rod(self, name: str, a: Frame, b: Frame, length: float, active: str) -> None:
        self._line(name, a, b)
        drawn = np.subtract(*(self._drawn(end) for end in (a, b)))
        off = length - float(np.linalg.norm(drawn))  # from where the file draws it
        SubElement(
            self.equalities, "tendon", name=name, tendon1=name, active=active,
            polycoef=words([off, 0.0, 0.0, 0.0, 0.0]),
        )  # fmt: skip

    def _drawn(self, end: Frame) -> np.ndarray:
        """A point with all joints at zero, where a file draws them."""
        found, body = self.mechanism.place(end), end.body
        while body in self.mechanism.links:
            link = self.mechanism.links[body]
            found, body = link.place @ found, link.carrier
        return found.p

    def _equal(
        self, name: str, terms: list[tuple[str, float]], offset: float, active: bool
    ) -> None:
        """Σ factor · q = offset: an equality of a tendon that is this sum."""
        self._sum(name, terms)
        SubElement(
            self.equalities, "tendon", name=name, tendon1=name, active=str(active).lower(),
            polycoef=words([offset, 0.0, 0.0, 0.0, 0.0]),
        )  # fmt: skip

    def _sum(self, name: str, terms: list[tuple[str, float]]) -> None:
        fixed = SubElement(self.tendons, "fixed", name=name)
        for coordinate, factor in terms:
            SubElement(fixed, "joint", joint=coordinate, coef=repr(factor))

    def _coordinate(self, named: str, place: int) -> str:
        joint, index = coordinate_of(self.model.joints, named, place)
        return self.model.joints[joint].velocity_names(joint)[index]

    def _force(self, name: str, force: object) -> None:
        if isinstance(force, SpringDamper):
            line = self._line(name, force.a, force.b)
            for ours, theirs in (
                (force.stiffness, "stiffness"), (force.damping, "damping"),
                (force.length, "springlength"),
            ):  # fmt: skip
                line.set(theirs, repr(self.mechanism.number(ours)))
            return
        motor = motor_of(self.mechanism, force.effort) if isinstance(force, JointEffort) else None
        if motor is None or not isinstance(force, JointEffort):
            self.mechanism.leave_out(f"force '{name}'")
            return
        kind = self.model.joints[force.joint].kind
        if kind.nq != kind.nv:
            self.mechanism.leave_out(f"force '{name}': a motor along one axis of a ball")
            return
        called, gear = motor
        moved = self._coordinate(force.joint, force.index)
        self.motors.setdefault(called, []).append((moved, gear))

    def _motor(self, name: str, pulls: list[tuple[str, float]]) -> None:
        """A motor of an input, on its joint, or on a tendon of all that it drives."""
        element = SubElement(self.actuators, "motor", name=name)
        if len(pulls) == 1:
            element.attrib.update(joint=pulls[0][0], gear=repr(pulls[0][1]))
        else:
            self._sum(f"{name} motor", pulls)
            element.set("tendon", f"{name} motor")
        given = self.model.inputs[name]
        if given.min is not None and given.max is not None:
            element.set("ctrlrange", words([given.min, given.max]))
        self.controls.append(given.default)

    def _line(self, name: str, a: Frame, b: Frame) -> Element:
        line = SubElement(self.tendons, "spatial", name=name)
        for number, end in enumerate((a, b), 1):
            SubElement(line, "site", site=self._site(end, f"{name} {number}"))
        return line

    def _site(self, frame: Frame, name: str) -> str:
        pose = self.mechanism.place(frame)
        SubElement(
            self.bodies[frame.body], "site", name=name, pos=words(pose.p),
            quat=words(quaternion_of(pose.R)),
        )  # fmt: skip
        return name


def add_shapes(mechanism: Mechanism, body: str, parent: Element, asset: Element) -> None:
    """All shapes of a body."""
    for name, look in mechanism.model.shapes.items():
        if look.frame.body != body:
            continue
        solid, pose = look.solid, mechanism.place(look.frame)
        if isinstance(solid, Mesh):
            points, triangles = unpacked(solid.points, solid.triangles)
            faces = " ".join(map(str, triangles.ravel()))
            SubElement(asset, "mesh", name=name, vertex=words(points.ravel()), face=faces)
            given = {"type": "mesh", "mesh": name}
        elif isinstance(solid, Sphere):
            given = {"type": "sphere", "size": words([mechanism.number(solid.radius)])}
        elif isinstance(solid, Ellipsoid):
            given = {"type": "ellipsoid", "size": words(mechanism.numbers(solid.halves))}
        elif isinstance(solid, Box):
            halves = [0.5 * size for size in mechanism.numbers(solid.size)]
            given = {"type": "box", "size": words(halves)}
        elif isinstance(solid, Cylinder | Capsule):
            kind = type(solid).__name__.lower()
            sizes = mechanism.number(solid.radius), 0.5 * mechanism.number(solid.length)
            given = {"type": kind, "size": words(sizes)}
        else:
            mechanism.leave_out(f"shape '{name}'")
            continue
        placed = {"name": name, "pos": words(pose.p), "quat": words(quaternion_of(pose.R))}
        unfelt = {"mass": "0", "contype": "0", "conaffinity": "0", "group": "1"}
        SubElement(parent, "geom", {**placed, **given, **unfelt})
