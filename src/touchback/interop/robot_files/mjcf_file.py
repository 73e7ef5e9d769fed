"""Models as MJCF files of MuJoCo."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from touchback.interop.pose import HERE, Floats, Pose, quaternion_of
from touchback.interop.robot_files.links import Freedom, Link, Mechanism, text_of, words
from touchback.interop.robot_files.mjcf_acting import add_acting
from touchback.interop.robot_files.mjcf_shapes import add_shapes
from touchback.model import Model
from touchback.model.frame import GROUND
from touchback.regular_file import check_output, write_whole

_JOINTS = {"turn": "hinge", "slide": "slide", "ball": "ball"}
_ROUNDING = 1e-12
_LEAST = 1e-9  # kg, kg m²: what a body without mass gets, which MuJoCo has none of


def write(model: Model, where: Path) -> list[Path]:
    """Writes an .xml file: bodies, joints and what acts in them, ties, motors and looks, with the
    initial position as the key "initial"."""
    check_output(where, (".xml", ".mjcf"), "mjcf")
    write_whole(where, mjcf_text(model))
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
