"""Models as URDF files of ROS."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from touchback import Box, Cylinder, Gear, Model, Sphere
from touchback.errors import InputError
from touchback.interop.exported_mechanism import Freedom, Link, Mechanism, text_of, words
from touchback.interop.rigid_pose import HERE, Floats, Pose
from touchback.model import GROUND
from touchback.safe_files import check_output, write_atomically

_WORLD = "world"
_SIX = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
_UNRATED = "1e9"  # effort and velocity that nothing limits; URDF wants a number


def write(model: Model, where: Path) -> list[Path]:
    """Writes a .urdf file: links, joints with limits, damping and friction, gears as mimics,
    looks."""
    check_output(where, (".urdf",), "urdf")
    write_atomically(where, urdf_text(model))
    return [where]


def urdf_text(model: Model) -> str:
    """The text of a URDF file; what it can't say of the model is listed on top, and warned of."""
    mechanism = Mechanism(model)
    mechanism.check()
    root = Element("robot", name=mechanism.model.name)
    writer = _Links(mechanism, root)
    for name in mechanism.links:
        writer.add(name)
    writer.others()
    return text_of(root, mechanism.tell("URDF"))


class _Links:
    def __init__(self, mechanism: Mechanism, root: Element) -> None:
        self.mechanism, self.root, self.model = mechanism, root, mechanism.model
        self.world = _unused(_WORLD, mechanism.links)
        self.joints: dict[str, Element] = {}  # by the coordinate's name
        SubElement(root, "link", name=self.world)
        gravity = mechanism.numbers(self.model.gravity)
        if not np.allclose(gravity, (0.0, 0.0, -9.81)):
            mechanism.leave_out(f"gravity is {words(gravity)}")

    def add(self, name: str) -> None:
        """A link, and its joint: several in a row where it has several freedoms."""
        link = self.mechanism.links[name]
        self._link(name)
        parent = self.world if link.carrier == GROUND else link.carrier
        place, freedoms = link.place, link.freedoms
        names = link.data.velocity_names(link.joint)
        for number, freedom in enumerate(freedoms):
            full = names[freedom.index] if freedom.kind != "free" else link.joint
            child = name if number == len(freedoms) - 1 else f"{name}~{full}"
            if child != name:
                SubElement(self.root, "link", name=child)
            self._joint(link, full, freedom, parent, child, place)
            parent, place = child, HERE
        if not freedoms:
            joint = SubElement(self.root, "joint", name=link.joint, type="fixed")
            _ends(joint, parent, name, place)

    def _link(self, name: str) -> None:
        element = SubElement(self.root, "link", name=name)
        mass, com, J = self.mechanism.inertia(name)
        if not self.mechanism.massless(name):
            inertial = SubElement(element, "inertial")
            SubElement(inertial, "origin", xyz=words(com), rpy="0 0 0")
            SubElement(inertial, "mass", value=repr(float(mass)))
            SubElement(
                inertial, "inertia",
                {f"i{word}": repr(float(J[place])) for word, place in _SIX.items()},
            )  # fmt: skip
        for called, look in self.model.shapes.items():
            if look.frame.body == name:
                self._look(element, called)

    def _look(self, element: Element, name: str) -> None:
        look, number = self.model.shapes[name], self.mechanism.number
        solid = look.solid
        if isinstance(solid, Box):
            given = ("box", {"size": words(self.mechanism.numbers(solid.size))})
        elif isinstance(solid, Sphere):
            given = ("sphere", {"radius": repr(number(solid.radius))})
        elif isinstance(solid, Cylinder):
            sizes = {"radius": repr(number(solid.radius)), "length": repr(number(solid.length))}
            given = ("cylinder", sizes)
        else:
            self.mechanism.leave_out(f"shape '{name}': a {type(solid).__name__}")
            return
        visual = SubElement(element, "visual", name=name)
        _origin(visual, self.mechanism.place(look.frame))
        SubElement(SubElement(visual, "geometry"), given[0], given[1])

    def _joint(
        self, link: Link, name: str, freedom: Freedom, parent: str, child: str, place: Pose
    ) -> None:
        if freedom.kind == "ball":
            raise InputError(
                f"Joint '{link.joint}': URDF has no balls; write the model as MJCF, or join the "
                "bodies by three turns."
            )
        limited = bool(link.data.limits)
        kind = {"slide": "prismatic", "free": "floating"}.get(
            freedom.kind, "revolute" if limited else "continuous"
        )
        joint = SubElement(self.root, "joint", name=name, type=kind)
        self.joints[name] = joint
        _ends(joint, parent, child, place)
        if freedom.kind == "free":
            self._unsaid(link, range(6), ("spring", "armature", "damping", "friction"))
            return
        SubElement(joint, "axis", xyz=words(freedom.axis))
        self._limit(joint, link, freedom)
        dynamics = {}
        for word in ("damping", "friction"):
            given = self.mechanism.numbers(getattr(link.data, word))
            if given and given[freedom.index]:
                dynamics[word] = repr(given[freedom.index])
        if dynamics:
            SubElement(joint, "dynamics", dynamics)
        self._unsaid(link, [freedom.index], ("spring", "armature"))
        start = self.mechanism.start(link.joint)[freedom.index]
        if start:
            self.mechanism.leave_out(f"joint '{name}' begins at {start:g}")

    def _unsaid(self, link: Link, indices: range | list[int], known: tuple[str, ...]) -> None:
        for word in known:
            numbers = self.mechanism.numbers(getattr(link.data, word))
            if numbers and any(numbers[index] for index in indices):
                self.mechanism.leave_out(f"{word} of joint '{link.joint}'")

    def _limit(self, joint: Element, link: Link, freedom: Freedom) -> None:
        ratings = self.model.imported.get("ratings", {}).get(link.joint, {})
        limit = {word: repr(float(ratings[word])) if word in ratings else _UNRATED
                 for word in ("effort", "velocity")}  # fmt: skip
        if link.data.limits:
            ends = self.mechanism.numbers(link.data.limits[freedom.index])
            limit.update(lower=repr(ends[0]), upper=repr(ends[1]))
        elif freedom.kind == "slide":
            limit.update(lower=f"-{_UNRATED}", upper=_UNRATED)
        if link.data.limits or ratings or freedom.kind == "slide":
            SubElement(joint, "limit", limit)

    def others(self) -> None:
        """Gears are mimics; nothing else ties or drives in URDF."""
        for name, coupling in self.model.couplings.items():
            if (
                isinstance(coupling, Gear)
                and {coupling.first, coupling.second} <= self.joints.keys()
            ):
                SubElement(
                    self.joints[coupling.second], "mimic", joint=coupling.first,
                    multiplier=repr(self.mechanism.number(coupling.ratio)),
                    offset=repr(self.mechanism.number(coupling.offset)),
                )  # fmt: skip
            else:
                self.mechanism.leave_out(f"coupling '{name}'")
        for word in ("closures", "constraints", "drives", "forces", "sensors", "inputs"):
            for name in getattr(self.model, word):
                self.mechanism.leave_out(f"{word[:-1]} '{name}'")


def _ends(joint: Element, parent: str, child: str, place: Pose) -> None:
    _origin(joint, place)
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)


def _origin(element: Element, pose: Pose) -> None:
    SubElement(element, "origin", xyz=words(pose.p), rpy=words(_rpy(pose.R)))


def _rpy(R: Floats) -> tuple[float, float, float]:
    """Roll, pitch and yaw with R = Rz Ry Rx; the later ones fit the first where pitch is ±90°."""
    yaw = math.atan2(R[1, 0], R[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def _unused(name: str, used: dict[str, Link]) -> str:
    while name in used:
        name += "_"
    return name
