"""SDF: the models of Gazebo (http://sdformat.org/spec), read: links, joints and their limits.

Every frame of a file has a pose seen from another one, by name."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from touchback import (
    Fixed,
    Frame,
    Free,
    JointKind,
    Model,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from touchback.errors import InputError, ModelError
from touchback.interop.collision_geometry import CollisionShape
from touchback.interop.import_notes import Notes, safe_names, unused
from touchback.interop.imported_bodies import add_body, axis_or_letter, drop_idle_closures
from touchback.interop.meshes.mesh_file import read_triangles
from touchback.interop.meshes.mesh_paths import MeshPaths, NoMesh
from touchback.interop.meshes.solid_inertia import (
    NOTHING,
    Inertia,
    combine_inertias,
    of_triangles,
    solid,
)
from touchback.interop.rigid_pose import HERE, Pose, at, of_quaternion
from touchback.interop.urdf.urdf_geometry import add_collision_shape, add_link_contacts, add_shapes
from touchback.interop.urdf.urdf_joints import Mimic, Robot, couple_mimics, rotation
from touchback.interop.urdf.urdf_reader import folder_of, triangles_each
from touchback.interop.xml_file import Node, finite_numbers, read_xml
from touchback.model import GROUND, Axis, JointOptions

WORLD, MODEL, APART = "world", "__model__", "::"


@dataclass(frozen=True)
class SdfFrame:
    """A frame: its pose, seen from which other one, and what it is attached to; whole names."""

    pose: Pose
    seen_from: str
    attached_to: str
    node: Node


@dataclass
class Frames:
    """All frames of a file by their whole names, as "arm::hand"."""

    axes_in_model: bool = False  # whether axes of joints are told there unless said otherwise
    placed: dict[str, SdfFrame] = field(default_factory=dict)
    links: dict[str, Node] = field(default_factory=dict)
    _found: dict[str, Pose] = field(default_factory=lambda: {WORLD: HERE})

    def add(self, name: str, placed: SdfFrame) -> None:
        """A frame, whose name must be new."""
        if name in self.placed or name == WORLD:
            raise ModelError(
                f"{placed.node.where}: there is a frame {name!r} already; links, joints, frames "
                "and models share their names: rename one."
            )
        self.placed[name] = placed

    def known(self, name: str, node: Node) -> str:
        """A name that must be one of theirs."""
        if name != WORLD and name not in self.placed:
            raise ModelError(
                f"{node.where}: <{node.tag}> names a frame {name!r}, which is not in the file."
            )
        return name

    def pose(self, name: str) -> Pose:
        """In the world, as drawn."""
        chain: list[str] = []
        while name not in self._found:
            if name in chain:
                raise ModelError(
                    f"{self.placed[name].node.where}: the pose of {name!r} is told by others that "
                    "are told by it; say one of them from elsewhere."
                )
            chain.append(name)
            name = self.known(self.placed[name].seen_from, self.placed[name].node)
        for each in reversed(chain):
            placed = self.placed[each]
            self._found[each] = self._found[placed.seen_from] @ placed.pose
        return self._found[chain[0] if chain else name]

    def link(self, name: str, node: Node) -> str:
        """The link that a frame is part of, or the world."""
        chain = []
        while name not in self.links and name != WORLD:
            if name in chain:
                raise ModelError(
                    f"{node.where}: frame {name!r} is attached to others that are attached to it."
                )
            chain.append(name)
            name = self.placed[self.known(name, node)].attached_to
        return name


def pose_of(node: Node) -> Pose:
    """The <pose> of a node, seen from wherever it is: x y z roll pitch yaw, or a quaternion."""
    given = node.first("pose")
    if given is None or not given.text:
        return HERE
    numbers = finite_numbers(f"{given.where}: <pose>", given.text)
    quaternion = given.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw"
    if len(numbers) != 6 + quaternion:
        raise ModelError(
            f"{given.where}: <pose>: {6 + quaternion} numbers are expected, got {len(numbers)}."
        )
    if quaternion:
        x, y, z, w = numbers[3:]
        return at(numbers[:3], of_quaternion((w, x, y, z)))
    angles = numbers[3:]
    if given.attributes.get("degrees", "false").strip() in ("true", "1"):
        angles = tuple(np.radians(angles))
    return at(numbers[:3], rotation(angles))


def seen_from(node: Node, scope: str, default: str) -> str:
    """The whole name of the frame that a node's <pose> is relative to."""
    given = node.first("pose")
    named = "" if given is None else given.attributes.get("relative_to", "").strip()
    return in_scope(scope, named) if named else default


def in_scope(scope: str, name: str) -> str:
    """The whole name of what a model with this scope calls so."""
    return name if name == WORLD else f"{scope}{name}"


_KNOWN_IN_LINKS = (
    "pose", "inertial", "visual", "collision", "gravity", "kinematic", "self_collide",
    "enable_wind", "must_be_base_link",
)  # fmt: skip


_SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # as bodies have their moments


_UNLIKE = {"model": "package"}  # how other programs' addresses are called in URDF


def add_link(robot: Robot, name: str, node: Node) -> None:
    """A body with the name `robot.links[name]`."""
    robot.notes.skip_others(node, _KNOWN_IN_LINKS)
    for tag, usual in (("gravity", "true"), ("kinematic", "false"), ("enable_wind", "false")):
        given = node.first(tag)
        if given is not None and given.text not in (usual, str(int(usual == "true"))):
            robot.notes.notice(f"{given.where}: link {name!r}: <{tag}>{given.text} is not read.")
    for child in node.children:
        if child.tag in ("visual", "collision") and seen_from(child, "", ""):
            robot.notes.skip(f"{child.tag} relative to another frame")
    _add_inertia(robot, name, node)
    add_shapes(robot, name, as_urdf(node))


@dataclass
class SdfCollisionShape(CollisionShape):
    """Which model a link is part of, and whether this one's links touch each other; the smaller
    friction of two counts, as in Gazebo."""

    model: str = ""
    itself: bool = False

    def friction_with(self, other: CollisionShape) -> float:
        return min(self.friction, other.friction)

    def may_touch(self, other: CollisionShape) -> bool:
        return self.itself or not isinstance(other, SdfCollisionShape) or self.model != other.model


def add_collision_shapes(robot: Robot, name: str, node: Node, model: str, itself: bool) -> None:
    """What of a link touches."""
    for shown in as_urdf(node).all("collision"):
        found = add_collision_shape(robot, name, shown, shown.number("friction", 1.0))
        if found is not None:
            robot.touching[-1] = SdfCollisionShape(**vars(found), model=model, itself=itself)


def _add_inertia(robot: Robot, name: str, node: Node) -> None:
    """Where a file says nothing, a link has 1 kg and 1 kg m² about each axis, as SDF has it."""
    inertial = node.first("inertial")
    if inertial is None:
        robot.notes.say(f"{node.where}: link {name!r} has no <inertial>: 1 kg and 1 kg m², as SDF.")
        inertial = Node("inertial", {}, node.source, node.line)
    robot.notes.skip_others(inertial, ("mass", "inertia", "pose", "density"))
    if inertial.attributes.get("auto", "false") in ("true", "1"):
        whole = collision_inertia(robot, name, node, inertial)
        if whole.mass > 0.0:
            J = whole.J
            six = [float(J[i, j]) for i, j in _SIX]
            mass, com = whole.mass, whole.com.tolist()
            add_body(robot.model, robot.links[name], mass, com, six, inertial.where, robot.notes)
            return
        robot.notes.notice(
            f"{inertial.where}: link {name!r}: <inertial auto='true'>, but it has no collision "
            "that encloses a volume; what the element says counts, else 1 kg and 1 kg m²."
        )
    inner = inertial.first("inertia") or Node("inertia", {}, node.source, node.line)
    xx, yy, zz = (inner.child_number(f"i{each}", 1.0) for each in ("xx", "yy", "zz"))
    xy, xz, yz = (inner.child_number(f"i{each}", 0.0) for each in ("xy", "xz", "yz"))
    pose = pose_of(inertial)
    J = pose.R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ pose.R.T
    add_body(
        robot.model,
        robot.links[name],
        inertial.child_number("mass", 1.0),
        [float(part) for part in pose.p],
        [float(J[i, j]) for i, j in _SIX],
        inertial.where,
        robot.notes,
    )


def as_urdf(link: Node) -> Node:
    """What is to be seen and touched of a link, as URDF writes it: numbers in attributes."""
    found = Node("link", {}, link.source, link.line)
    for child in link.children:
        if child.tag in ("visual", "collision") and not seen_from(child, "", ""):
            origin = Node("origin", _origin(pose_of(child)), child.source, child.line)
            geometry = Node("geometry", {}, child.source, child.line)
            for kind in (child.first("geometry") or geometry).children:
                said = {part.tag: part.text for part in kind.children}
                if kind.tag == "mesh":
                    said = {"filename": _address(said.get("uri", "")), **_scale(said)}
                geometry.children.append(Node(kind.tag, said, kind.source, kind.line))
            rough = {} if child.tag == "visual" else _rough(child)
            parts = [origin, geometry, *_material(child)]
            shown = Node(child.tag, rough, child.source, child.line, parts)
            found.children.append(shown)
    return found


def _material(visual: Node) -> list[Node]:
    """Its diffuse colour, as URDF writes it."""
    material = visual.first("material")
    diffuse = None if material is None else material.first("diffuse")
    if diffuse is None:
        return []
    colour = Node("color", {"rgba": diffuse.text}, diffuse.source, diffuse.line)
    return [Node("material", {}, diffuse.source, diffuse.line, [colour])]


def _rough(collision: Node) -> dict[str, str]:
    """Its friction: surface, friction, ode, mu."""
    node: Node | None = collision
    for tag in ("surface", "friction", "ode", "mu"):
        node = None if node is None else node.first(tag)
    return {} if node is None else {"friction": node.text}


def _scale(said: dict[str, str]) -> dict[str, str]:
    return {"scale": said["scale"]} if "scale" in said else {}


def _address(uri: str) -> str:
    scheme, apart, rest = uri.partition("://")
    return f"{_UNLIKE.get(scheme, scheme)}{apart}{rest}"


def _origin(pose: Pose) -> dict[str, str]:
    R = pose.R
    roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    return {
        "xyz": " ".join(repr(float(part)) for part in pose.p),
        "rpy": f"{roll!r} {pitch!r} {yaw!r}",
    }


_WATER = 1000.0


def collision_inertia(robot: Robot, name: str, link: Node, inertial: Node) -> Inertia:
    """Of all collisions of a link that stand in its own frame, in its axes."""
    usual = inertial.child_number("density", _WATER)
    parts = []
    for collision in link.all("collision"):
        geometry = collision.first("geometry")
        if geometry is None or seen_from(collision, "", ""):
            continue
        density = collision.child_number("density", usual)
        if not 0.0 < density < float("inf"):
            raise ModelError(
                f"{collision.where}: link {name!r}: the density is {density:g}; a positive one is "
                "expected [kg/m³]."
            )
        for kind in geometry.children:
            own = _mesh(robot, name, kind) if kind.tag == "mesh" else _primitive(kind)
            parts.append(own.scaled(density).placed(pose_of(collision)))
    whole = combine_inertias(parts)
    mass = inertial.child_number("mass", 0.0)
    return whole.scaled(mass / whole.mass) if mass > 0.0 and whole.mass > 0.0 else whole


def _primitive(kind: Node) -> Inertia:
    """Of density 1; planes and others weigh nothing."""
    if kind.tag == "box":
        return solid("box", tuple(0.5 * x for x in _numbers(kind, "size")))
    if kind.tag == "ellipsoid":
        return solid("ellipsoid", _numbers(kind, "radii"))
    if kind.tag == "sphere":
        return solid("sphere", (kind.child_number("radius", 1.0),))
    if kind.tag in ("cylinder", "capsule"):
        half = 0.5 * kind.child_number("length", 1.0)
        return solid(kind.tag, (kind.child_number("radius", 0.5), half))
    return NOTHING


def _numbers(kind: Node, tag: str) -> tuple[float, float, float]:
    given = kind.first(tag)
    words = "1 1 1" if given is None else given.text
    try:
        x, y, z = (float(word) for word in words.split())
    except ValueError:
        raise ModelError(f"{kind.where}: <{tag}> has three numbers, got {words!r}.") from None
    return x, y, z


def _mesh(robot: Robot, name: str, kind: Node) -> Inertia:
    """Of density 1; a mesh that encloses no solid is warned of."""
    from touchback.interop.meshes.mesh_inertia import mesh_faults

    uri = kind.first("uri")
    called = "" if uri is None else uri.text.strip().replace("model://", "package://")
    scale = _numbers(kind, "scale")
    try:
        if robot.meshes is None:
            raise NoMesh("meshes are not read")
        points, triangles = read_triangles(robot.meshes.find(called), scale)
    except (NoMesh, InputError) as lack:
        text = str(lack).rstrip(".")
        robot.notes.notice(f"{kind.where}: link {name!r}: {text}. It weighs nothing.")
        return NOTHING
    faults = mesh_faults(points, triangles)
    if faults is not None and faults.matters:
        robot.notes.notice(
            f"{kind.where}: mesh '{called}' of link {name!r} weighs as a solid, but {faults}. "
            "Repair it, or write mass and moments into <inertial>."
        )
    return of_triangles(points, triangles, "exact")


_UNBOUNDED = 1e15  # what files write for no limit is larger


_NO_LIMIT = ("inf", "+inf", "-inf", "infinity", "-infinity")


_ROUNDED = 1e-15  # of an axis' largest part: what turning leaves of 0


_KINDS = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal", "revolute2", "screw")


_KNOWN_IN_JOINTS = (
    "pose",
    "parent",
    "child",
    "axis",
    "axis2",
    "thread_pitch",
    "screw_thread_pitch",
)


def ends_of(frames: Frames, scope: str, node: Node) -> tuple[str, str]:
    """The links (or the world) that a joint's parent and child are part of."""
    parent, child = (
        frames.link(frames.known(in_scope(scope, node.child_text(side)), node), node)
        for side in ("parent", "child")
    )
    if child == WORLD or parent == child:
        raise ModelError(
            f"{node.where}: joint {node.attribute('name')!r} carries {child!r} on {parent!r}; a "
            "joint carries a link on another one or on the world."
        )
    return parent, child


def add_joint(robot: Robot, frames: Frames, name: str, scope: str, node: Node, tree: bool) -> None:
    """One joint, whose coordinate is 0 as the file draws it."""
    robot.notes.skip_others(node, _KNOWN_IN_JOINTS)
    kind = _kind(frames, name, scope, node)
    parent, child = (_end(robot, frames, end, name) for end in ends_of(frames, scope, node))
    if tree:
        options = _options(robot, name, scope, node, kind)
        robot.model.joint(robot.joints[name], kind, parent, child, **options)
    else:
        robot.model.close(robot.joints[name], kind, parent, child)
        robot.notes.say(f"{node.where}: joint {name!r} closes a loop.")


def _end(robot: Robot, frames: Frames, link: str, joint: str) -> Frame:
    """The joint's frame as part of a link."""
    body = GROUND if link == WORLD else robot.links[link]
    return (frames.pose(link).inverse() @ frames.pose(joint)).frame(body)


def _kind(frames: Frames, name: str, scope: str, node: Node) -> JointKind:
    word = node.attribute("type")
    if word not in _KINDS:
        raise ModelError(
            f"{node.where}: joint {name!r} has the type {word!r}; known: {', '.join(_KINDS)}."
        )
    first = _axis(frames, name, scope, node, "axis")
    if word in ("universal", "revolute2"):
        return Universal(first, _axis(frames, name, scope, node, "axis2"))
    if word == "screw":
        return Screw(first, _pitch(name, node))
    kinds = {"fixed": Fixed(), "ball": Spherical(), "prismatic": Prismatic(first)}
    return kinds.get(word, Revolute(first))


def _pitch(name: str, node: Node) -> float:
    """m/rad: of metres a turn or, as older files have it, of −rad/m."""
    if node.first("screw_thread_pitch") is not None:
        return node.child_number("screw_thread_pitch") / (2.0 * math.pi)
    thread = node.child_number("thread_pitch", 1.0)
    if thread == 0.0:
        raise ModelError(f"{node.where}: joint {name!r}: its <thread_pitch> must not be 0.")
    return -1.0 / thread


def _axis(frames: Frames, name: str, scope: str, node: Node, tag: str) -> Axis:
    """In the joint's own frame, which is where newer files tell it unless they say otherwise."""
    axis = node.first(tag) or Node(tag, {}, node.source, node.line)
    given = axis.first("xyz")
    text = "0 0 1" if given is None else given.text
    vector = np.array(finite_numbers(f"{axis.where}: <xyz>", text))
    if vector.shape != (3,) or not vector.any():
        raise ModelError(
            f"{axis.where}: joint {name!r}: its axis {text!r} is no direction; give 3 numbers."
        )
    told_in = "" if given is None else given.attributes.get("expressed_in", "").strip()
    old = axis.first("use_parent_model_frame")
    if not told_in and (old.text in ("true", "1") if old else frames.axes_in_model):
        told_in = MODEL
    if told_in:
        seen = frames.pose(frames.known(in_scope(scope, told_in), axis))
        vector = frames.pose(name).R.T @ seen.R @ vector
    vector[np.abs(vector) < _ROUNDED * np.abs(vector).max()] = 0.0
    x, y, z = (float(part) for part in vector / np.linalg.norm(vector))
    return axis_or_letter((x, y, z))


def _options(robot: Robot, name: str, scope: str, node: Node, kind: JointKind) -> JointOptions:
    """Limits and what acts, of joints with one coordinate."""
    axis = node.first("axis")
    if axis is None or kind.nv == 0:
        return {}
    robot.notes.skip_others(
        axis, ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position")
    )
    if kind.nv > 1:
        if any(each.first("dynamics") for each in (axis, node.first("axis2") or axis)):
            robot.notes.notice(f"{node.where}: joint {name!r}: what acts in its axes is not read.")
        return {}
    options = _limits(robot, name, node, axis)
    options.update(_acting(axis))
    mimic = axis.first("mimic")
    if mimic is not None:
        _follow(robot, name, scope, mimic)
    return options


def _limits(robot: Robot, name: str, node: Node, axis: Node) -> JointOptions:
    limit = axis.first("limit")
    if limit is None:
        return {}
    ratings = {
        word: number
        for word in ("effort", "velocity")
        if (number := _bound(limit, word, -1.0)) >= 0.0 and number < _UNBOUNDED
    }
    if ratings:
        robot.ratings[robot.joints[name]] = ratings
    lower, upper = _bound(limit, "lower", -math.inf), _bound(limit, "upper", math.inf)
    bounded = [abs(number) < _UNBOUNDED for number in (lower, upper)]
    if node.attribute("type") == "continuous" or not any(bounded):
        return {}
    if not all(bounded) or lower > upper:
        robot.notes.notice(
            f"{limit.where}: joint {name!r}: its limits {lower} and {upper} are left out: both are "
            "needed, the lower one below the upper."
        )
        return {}
    return {"limits": (lower, upper), "stop": robot.stops}


def _bound(limit: Node, tag: str, default: float) -> float:
    given = limit.first(tag)
    if given is not None and given.text.lower() in _NO_LIMIT:
        return float(given.text)
    return limit.child_number(tag, default)


def _acting(axis: Node) -> JointOptions:
    dynamics = axis.first("dynamics")
    if dynamics is None:
        return {}
    acting = {
        tag: dynamics.child_number(tag) for tag in ("damping", "friction", "spring_stiffness")
    }
    for tag, number in acting.items():
        if number < 0.0:
            raise ModelError(f"{dynamics.where}: <{tag}> is {number}; it must not be negative.")
    damping, friction, spring = acting.values()
    rest = dynamics.child_number("spring_reference")
    return {"damping": damping, "friction": friction, "spring": spring, "rest": rest}


def _follow(robot: Robot, name: str, scope: str, mimic: Node) -> None:
    leader = in_scope(scope, mimic.attribute("joint"))
    if leader not in robot.joints:
        raise ModelError(f"{mimic.where}: joint {name!r} follows {leader!r}, which is no joint.")
    multiplier = mimic.child_number("multiplier", 1.0)
    offset = mimic.child_number("offset") - multiplier * mimic.child_number("reference")
    robot.mimics[robot.joints[name]] = Mimic(robot.joints[leader], multiplier, offset)


_OLD = (1, 4)  # versions up to this one tell axes in the model's frame


_KNOWN = ("pose", "static", "link", "joint", "frame", "model", "self_collide", "allow_auto_disable")


def read_sdf(
    path_or_text: str | os.PathLike[str],
    stops: bool = True,
    meshes: bool = True,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    contacts: bool = True,
) -> Model:
    """The model of an SDF file (or of its text): a <model>, or the models of a <world>.

    Links become bodies at the poses that the file gives them, where all coordinates are 0; what
    is "model::name" there is "model__name" here. Links that no joint carries move freely (by a
    joint "root", or "LINK root" where there are several), or are fixed to the ground where the
    model is static. A joint whose child is carried already closes a loop. Gravity is the world's,
    or (0, 0, −9.81) of a model alone. `stops`, `meshes` and `packages` as in `read_urdf`
    (model://NAME is looked for as a package). <collision> shapes of different models (and of one
    with <self_collide>) touch where there is a contact for them, as in `read_urdf`; planes are part
    of the file. With `contacts=False` nothing does. `model.imported` has "notes", "mimic",
    "ratings"."""
    file = read_xml(path_or_text, "sdf", "SDF")
    notes = Notes()
    world = file.first("world")
    read = _Read(Frames(axes_in_model=_version(file) <= _OLD), notes)
    top = list((world or file).all("model"))
    if not top:
        raise ModelError(f"{file.where}: an SDF file describes a <model>, or a <world> with some.")
    for model in top:
        name = model.attribute("name")
        read.collect(model, "" if len(top) == 1 else f"{name}{APART}", WORLD, name)
        read.models |= {link: name for link in read.frames.links if link not in read.models}
        said = model.first("self_collide")
        if said is not None and said.text in ("true", "1"):
            read.selfish.add(name)
    notes.skip_others(world or file, ("model", "gravity", "world"))
    name = (world or top[0]).attribute("name")
    frames = read.frames
    robot = Robot(
        Model(safe_names("Model", [name], notes)[name], _gravity(world)),
        notes,
        safe_names("Link", frames.links, notes, taken=[GROUND]),
        safe_names("Joint", read.joints, notes),
        stops=stops,
        meshes=MeshPaths(folder_of(path_or_text), packages) if meshes else None,
        drawn=triangles_each([as_urdf(link) for link in frames.links.values()]),
    )
    for name, node in frames.links.items():
        add_link(robot, name, node)
        if contacts:
            add_collision_shapes(
                robot, name, node, read.models[name], read.models[name] in read.selfish
            )
    _join(robot, read)
    couple_mimics(robot)
    add_link_contacts(robot, lambda one, two: False)
    drop_idle_closures(robot.model, notes)
    notes.finish(robot.model, "SDF", file.source, mimic=robot.mimics, ratings=robot.ratings)
    return robot.model


def _version(file: Node) -> tuple[int, ...]:
    text = file.attributes.get("version", "1.12").strip()
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3}){1,2}", text):
        raise ModelError(f"{file.where}: <sdf version={text!r}>: a version like 1.9 is expected.")
    return tuple(int(part) for part in text.split(".")[:2])


def _gravity(world: Node | None) -> tuple[float, float, float]:
    given = None if world is None else world.first("gravity")
    if given is None:
        return (0.0, 0.0, -9.81 if world is None else -9.8)  # the latter as SDF has it
    numbers = finite_numbers(f"{given.where}: <gravity>", given.text)
    if len(numbers) != 3:
        raise ModelError(f"{given.where}: <gravity> needs 3 numbers, got {len(numbers)}.")
    return numbers[0], numbers[1], numbers[2]


@dataclass
class _Read:
    """What a file has: frames, joints with their scopes, and links of static models."""

    frames: Frames
    notes: Notes
    joints: dict[str, tuple[str, Node]] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)
    models: dict[str, str] = field(default_factory=dict)  # the outermost that a link is part of
    selfish: set[str] = field(default_factory=set)  # models whose links touch each other

    def collect(
        self, model: Node, scope: str, outside: str, name: str, static: bool = False
    ) -> None:
        """A model's frames by their whole names. `outside` is what its own pose is seen from."""
        self.notes.skip_others(model, _KNOWN)
        if "placement_frame" in model.attributes:
            raise ModelError(
                f"{model.where}: model {name!r} is placed by its frame "
                f"{model.attributes['placement_frame']!r}, which is not read; give its own <pose>."
            )
        own = in_scope(scope, MODEL)
        links = [in_scope(scope, link.attribute("name")) for link in model.all("link")]
        inner = [in_scope(scope, each.attribute("name")) for each in model.all("model")]
        told = model.attributes.get("canonical_link", "")
        canonical = in_scope(scope, told) if told else next(iter([*links, *inner]), WORLD)
        said = model.first("static")
        static = static or (said is not None and said.text in ("true", "1"))
        self.static.update(links if static else ())
        self.frames.add(own, SdfFrame(pose_of(model), outside, canonical, model))
        for node in model.children:
            if node.tag in ("link", "joint", "frame", "model"):
                self._add(node, scope, own, static)

    def _add(self, node: Node, scope: str, model: str, static: bool) -> None:
        name = in_scope(scope, node.attribute("name"))
        seen, attached = model, model
        if node.tag == "link":
            self.frames.links[name] = node
        elif node.tag == "joint":
            self.joints[name] = (scope, node)
            seen = attached = in_scope(scope, node.child_text("child"))
        elif node.tag == "frame":
            told = node.attributes.get("attached_to", "").strip()
            seen = attached = in_scope(scope, told) if told else model
        else:
            outside = seen_from(node, scope, model)
            self.collect(node, f"{name}{APART}", outside, name, static)
            inner = f"{name}{APART}{MODEL}"
            self.frames.add(name, SdfFrame(HERE, inner, inner, node))
            return
        placed = SdfFrame(pose_of(node), seen_from(node, scope, seen), attached, node)
        self.frames.add(name, placed)


def _join(robot: Robot, read: _Read) -> None:
    """Joints carry links as far as that makes trees; others close loops; the rest is free."""
    frames = read.frames
    group = {link: link for link in frames.links} | {WORLD: WORLD}
    carried: set[str] = set()

    def root(link: str) -> str:
        while group[link] != link:
            link = group[link]
        return link

    tree: dict[str, bool] = {}
    for name, (scope, node) in read.joints.items():
        parent, child = ends_of(frames, scope, node)
        tree[name] = child not in carried and root(parent) != child
        if tree[name]:
            carried.add(child)
            group[child] = parent
    free = [link for link in frames.links if link not in carried]
    for link in free:
        called = "root" if len(free) == 1 else f"{robot.links[link]} root"
        kind = Fixed() if link in read.static else Free()
        place = frames.pose(link).frame(GROUND)
        joint = unused(called, robot.joints.values())
        robot.model.joint(joint, kind, place, robot.links[link])
    for name, (scope, node) in read.joints.items():
        add_joint(robot, frames, name, scope, node, tree[name])


__all__ = ["read_sdf"]
