"""An MJCF file on its way into a model: what is known of its things by their names there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from touchback import Expr, Frame, Mesh, Model
from touchback.interop.import_notes import Notes, safe_names, unused
from touchback.interop.meshes.solid_inertia import Inertia
from touchback.interop.mjcf.mjcf_document import Document, Settings
from touchback.interop.rigid_pose import HERE, Floats, Pose, at
from touchback.interop.xml_file import Node
from touchback.model import number

WORLD = "world"


@dataclass
class Shape:
    """A <geom>: on which body of ours, where, what, and its element with all defaults."""

    name: str
    body: str
    pose: Pose
    kind: str
    size: tuple[float, ...]
    node: Node
    inertia: Inertia
    mesh: Triangles | None = None


_FELT = (  # attributes that change the motion wherever they aren't read
    "actuatorfrclimited", "actuatorfrcrange", "armature", "damping", "delay", "frictionloss",
)  # fmt: skip


@dataclass
class Triangles:
    """A mesh of the file: points [m], triangles, how it weighs; drawn when first asked for."""

    points: Floats
    triangles: np.ndarray
    weighs: str
    drawn: Mesh | None = None
    weighed: bool = False  # whether a body was, and its faults are noted


@dataclass
class MjcfJoint:
    """A joint: our name, its type in the file, where its anchor is and its first coordinate."""

    name: str
    kind: str
    body: str


@dataclass
class MjcfTendon:
    """A tendon: its length and rate, and how a tension in it pulls."""

    length: Expr | float
    rate: Expr | float
    joints: dict[str, float] = field(default_factory=dict)  # coefficients of a fixed one
    stretches: list[tuple[Frame, Frame, float]] = field(default_factory=list)  # and shares


@dataclass
class Robot:
    """What is read so far."""

    document: Document
    settings: Settings
    model: Model
    stops: bool
    poses: dict[str, Pose] = field(default_factory=dict)  # of our bodies in the world at qpos0
    carriers: dict[str, str] = field(default_factory=dict)  # of our bodies in the file's tree
    ellipsoids: set[str] = field(default_factory=set)  # bodies with another law of fluids
    bodies: dict[str, str] = field(default_factory=dict)  # the file's names to ours
    joints: dict[str, MjcfJoint] = field(default_factory=dict)
    rests: dict[str, float] = field(default_factory=dict)  # springref of hinges and slides, ours
    sites: dict[str, tuple[str, Pose]] = field(default_factory=dict)  # on which body of ours
    shapes: list[Shape] = field(default_factory=list)
    geoms: set[str] = field(default_factory=set)  # their names
    meshes: dict[str, Triangles | None] = field(default_factory=dict)
    tendons: dict[str, MjcfTendon] = field(default_factory=dict)
    actuators: dict[str, Expr | float] = field(default_factory=dict)  # their forces
    ratings: dict[str, dict[str, float]] = field(default_factory=dict)  # of joints, ours
    tuned: dict[str, Node] = field(default_factory=dict)  # joints with a springdamper
    lifted: dict[str, float] = field(default_factory=dict)  # share of its weight, by our bodies

    @property
    def notes(self) -> Notes:
        """What is said besides."""
        return self.document.notes

    def site(self, name: str) -> Frame:
        """A site as a frame."""
        body, pose = self.sites[name]
        return pose.frame(body)

    def distance(self, a: Frame, b: Frame) -> float:
        """How far two points are apart as the file draws them [m]."""
        one, two = (
            self.poses[each.body] @ at([number("Place", x) for x in each.at]) for each in (a, b)
        )
        return float(np.linalg.norm(two.p - one.p))

    def body_name(self, node: Node) -> str:
        """A new name of ours for a body."""
        given = node.attributes.get("name", "").strip()
        clean = self._clean("Body", given) if given else "body"
        name = unused(clean, self.poses)
        if given:
            self.bodies[given] = name
        return name

    def massless(self, name: str) -> str:
        """A body between two joints in a row."""
        full = unused(name, self.poses)
        self.poses[full] = HERE
        self.model.body(full)
        return full

    def new_name(self, kind: str, given: str, instead: str, used: Iterable[str]) -> str:
        """A name of ours for anything: the file's, else `instead`; numbered where it is taken."""
        return unused(self._clean(kind, given) if given else instead, used)

    def signal_name(self, kind: str, given: str, instead: str) -> str:
        """A name that no signal has."""
        model = self.model
        used = [*model.parameters, *model.inputs, *model.states, *model.sensors]
        return self.new_name(kind, given, instead, used)

    def force_name(self, instead: str) -> str:
        """A name that no force has."""
        return unused(instead, self.model.forces)

    def constraint_name(self, kind: str, given: str, instead: str) -> str:
        """A name that no constraint has."""
        model = self.model
        used = [*model.closures, *model.couplings, *model.constraints, *model.drives]
        return self.new_name(kind, given, instead, used)

    def _clean(self, kind: str, given: str) -> str:
        return safe_names(kind, [given], self.notes)[given]

    def unread(self, node: Node, known: tuple[str, ...]) -> None:
        """Count the attributes of an element that are not known; warn of those that are felt."""
        for word in node.attributes.keys() - set(known):
            if word in _FELT:
                self.notes.notice(f"{node.where}: <{node.tag} {word}> is left out.")
            else:
                self.notes.skip(f"{node.tag} {word}")
