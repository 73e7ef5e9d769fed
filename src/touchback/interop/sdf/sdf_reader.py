"""SDF: the models of Gazebo (http://sdformat.org/spec)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from touchback import Fixed, Free, Model
from touchback.errors import ModelError
from touchback.interop.import_notes import Notes, safe_names, unused
from touchback.interop.imported_bodies import drop_idle_closures
from touchback.interop.meshes.mesh_paths import MeshPaths
from touchback.interop.rigid_pose import HERE
from touchback.interop.sdf.sdf_joints import add_joint, ends_of
from touchback.interop.sdf.sdf_links import add_link, add_rough, as_urdf
from touchback.interop.sdf.sdf_poses import (
    APART,
    MODEL,
    WORLD,
    Frames,
    Placed,
    in_scope,
    pose_of,
    seen_from,
)
from touchback.interop.urdf.urdf_geometry import add_link_contacts
from touchback.interop.urdf.urdf_joints import Robot, couple_mimics
from touchback.interop.urdf.urdf_reader import folder_of, triangles_each
from touchback.interop.xml_file import Node, finite_numbers, read_xml
from touchback.model.frame import GROUND

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
            add_rough(robot, name, node, read.models[name], read.models[name] in read.selfish)
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
        self.frames.add(own, Placed(pose_of(model), outside, canonical, model))
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
            self.frames.add(name, Placed(HERE, inner, inner, node))
            return
        placed = Placed(pose_of(node), seen_from(node, scope, seen), attached, node)
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
