"""The joints of URDF: kinds, placements, and what acts in them."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from touchback import Fixed, Frame, Free, Gear, JointKind, Mesh, Model, Planar, Prismatic, Revolute
from touchback.errors import ModelError
from touchback.interop.collision_geometry import CollisionShape
from touchback.interop.import_notes import Notes
from touchback.interop.imported_bodies import axis_or_letter
from touchback.interop.meshes.mesh_paths import MeshPaths
from touchback.interop.xml_file import Node
from touchback.model import Data, JointOptions

Triple = tuple[float, float, float]
Turns = tuple[tuple[str, float], ...]
ZERO: Triple = (0.0, 0.0, 0.0)
DEFAULT_AXIS: Triple = (1.0, 0.0, 0.0)


class Mimic(Data, frozen=True):
    """What a <mimic> element says: q = multiplier · q(joint) + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class Robot:
    """A robot on its way into a model: the file's names to ours, and what is kept beside."""

    model: Model
    notes: Notes
    links: dict[str, str]
    joints: dict[str, str]
    mimic: bool = True  # whether joints that mimic others follow them
    stops: bool = True  # whether joints are held at their limits
    mimics: dict[str, Mimic] = field(default_factory=dict)
    ratings: dict[str, dict[str, float]] = field(default_factory=dict)
    meshes: MeshPaths | None = None  # where they are; None: they are not read
    drawn: int = 0  # triangles that a mesh may have
    known: dict[tuple[str, Triple], Mesh] = field(default_factory=dict)  # by file and scale
    colours: dict[str, str] = field(default_factory=dict)  # of materials, as the file writes them
    touching: list[CollisionShape] = field(default_factory=list)
    hulls: dict[tuple[str, Triple], np.ndarray] = field(default_factory=dict)  # their corners


def origin(node: Node) -> tuple[Triple, Triple]:
    """xyz [m] and rpy [rad] of a node's <origin>."""
    given = node.first("origin")
    return (ZERO, ZERO) if given is None else (given.triple("xyz", ZERO), given.triple("rpy", ZERO))


def rotation(rpy: tuple[float, ...]) -> np.ndarray:
    """R = Rz(yaw) Ry(pitch) Rx(roll)."""
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def add_joint(robot: Robot, original: str, node: Node) -> None:
    """One joint; its child's frame is the joint's frame at q = 0."""
    kind, aside = _kind(original, node)
    xyz, (roll, pitch, yaw) = origin(node)
    turns = [(axis, angle) for axis, angle in (("z", yaw), ("y", pitch), ("x", roll)) if angle]
    options: JointOptions = {}
    ends = {}
    for element in node.children:
        if element.tag in _OPTIONS:
            options.update(_OPTIONS[element.tag](robot, original, element, kind))
        elif element.tag in ("parent", "child"):
            ends[element.tag] = robot.links[element.attribute("link")]
        elif element.tag not in ("origin", "axis"):
            robot.notes.skip(element.tag)
    if node.attribute("type") == "continuous":  # "has no upper and lower limits"
        options.pop("limits", None)
    robot.model.joint(
        robot.joints[original],
        kind,
        Frame(ends["parent"], xyz, (*turns, *aside)),
        Frame(ends["child"], ZERO, aside),
        **options,
    )


# ---- kinds ------------------------------------------------------------------------------------


def _kind(name: str, node: Node) -> tuple[JointKind, Turns]:
    """The joint's kind, and the turns from the joint's frame to axes in which it has this kind."""
    word = node.attribute("type")
    if word not in _KINDS:
        raise ModelError(
            f"{node.where}: joint {name!r} has the type {word!r}; known: {', '.join(_KINDS)}."
        )
    element = node.first("axis")
    vector = DEFAULT_AXIS if element is None else element.triple("xyz", DEFAULT_AXIS)
    if not any(vector) and word not in ("fixed", "floating"):
        raise ModelError(f"{node.where}: joint {name!r}: its axis is 0 0 0; give it a direction.")
    return _KINDS[word](vector)


def _planar(normal: Triple) -> tuple[JointKind, Turns]:
    """Any normal n = Rz(a) Ry(b) z becomes the z axis of turned frames."""
    axis = axis_or_letter(normal)
    if axis in ("x", "y", "z"):
        return Planar(str(axis)), ()
    x, y, z = normal
    turns = (("z", math.atan2(y, x)), ("y", math.atan2(math.hypot(x, y), z)))
    return Planar("z"), tuple(turn for turn in turns if turn[1])


_KINDS: dict[str, Callable[[Triple], tuple[JointKind, Turns]]] = {
    "revolute": lambda vector: (Revolute(axis_or_letter(vector)), ()),
    "continuous": lambda vector: (Revolute(axis_or_letter(vector)), ()),
    "prismatic": lambda vector: (Prismatic(axis_or_letter(vector)), ()),
    "fixed": lambda vector: (Fixed(), ()),
    "floating": lambda vector: (Free(), ()),
    "planar": _planar,
}


# ---- what acts in joints ------------------------------------------------------------------------


def _limit(robot: Robot, name: str, element: Node, kind: JointKind) -> JointOptions:
    _skip_attributes(robot, element, ("lower", "upper", "effort", "velocity"))
    ratings: dict[str, float] = {}
    for word in ("effort", "velocity"):
        if word in element.attributes:
            ratings[word] = element.number(word, 0.0)
    if ratings:
        robot.ratings[robot.joints[name]] = ratings
    if kind.nv != 1 or not {"lower", "upper"} & element.attributes.keys():
        return {}
    lower, upper = element.number("lower", 0.0), element.number("upper", 0.0)
    if lower > upper:
        robot.notes.notice(
            f"{element.where}: joint {name!r}: its lower limit {lower} is above its upper limit "
            f"{upper}. Both are left out."
        )
        return {}
    return {"limits": (lower, upper), "stop": robot.stops}


def _dynamics(robot: Robot, name: str, element: Node, kind: JointKind) -> JointOptions:
    _skip_attributes(robot, element, ("damping", "friction"))
    options: JointOptions = {}
    for word in ("damping", "friction"):
        number = element.number(word, 0.0)
        if number < 0.0:
            raise ModelError(
                f"{element.where}: joint {name!r}: {word} is {number}; it must not be negative."
            )
        if number and kind.nv == 1:
            options[word] = number
        elif number and kind.nv > 1:
            robot.notes.notice(
                f"{element.where}: joint {name!r}: {word} {number} is left out: URDF doesn't say "
                f"which of its {kind.nv} coordinates it is for."
            )
    return options


def _mimic(robot: Robot, name: str, element: Node, kind: JointKind) -> JointOptions:
    leader = element.attribute("joint")
    if leader not in robot.joints:
        robot.notes.notice(
            f"{element.where}: joint {name!r} should follow {leader!r}, which is not in the file; "
            "it moves freely."
        )
        return {}
    multiplier, offset = element.number("multiplier", 1.0), element.number("offset", 0.0)
    robot.mimics[robot.joints[name]] = Mimic(robot.joints[leader], multiplier, offset)
    if not robot.mimic:
        robot.notes.notice(
            f"{element.where}: joint {name!r} should follow {leader!r} (× {multiplier:g} + "
            f"{offset:g}); here it moves freely."
        )
    return {}


def couple_mimics(robot: Robot) -> None:
    """Gears between joints that mimic others and those; what can't be coupled is noted."""
    model = robot.model
    for follower, mimic in robot.mimics.items():
        kinds = [model.joints[name].kind for name in (follower, mimic.joint)]
        if follower == mimic.joint:
            robot.notes.notice(f"Joint '{follower}' should follow itself; it moves freely.")
        elif any(kind.nv != 1 for kind in kinds):
            robot.notes.notice(
                f"Joint '{follower}' should follow '{mimic.joint}', but not both have one "
                "coordinate; it moves freely."
            )
        elif mimic.multiplier == 0.0:
            model.drive(follower, mimic.offset)
        else:
            gear = Gear(mimic.joint, follower, mimic.multiplier, mimic.offset)
            model.couple(follower, gear)


def _skip_attributes(robot: Robot, element: Node, known: tuple[str, ...]) -> None:
    for word in element.attributes:
        if word not in known:
            robot.notes.skip(f"{element.tag} {word}")


_OPTIONS: dict[str, Callable[[Robot, str, Node, JointKind], JointOptions]] = {
    "limit": _limit,
    "dynamics": _dynamics,
    "mimic": _mimic,
}
