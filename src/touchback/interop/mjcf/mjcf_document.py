"""An MJCF file as one tree: its includes read, its sections gathered, with what <compiler>,
<option> and the <default> classes say
(https://mujoco.readthedocs.io/en/stable/XMLreference.html)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from touchback.errors import ModelError
from touchback.interop.import_notes import Notes
from touchback.interop.meshes.mesh_paths import MeshPaths, NoMesh
from touchback.interop.mjcf.actuator_laws import as_general
from touchback.interop.mjcf.mjcf_pose import ORIENTATIONS, Angles
from touchback.interop.xml_file import (
    MAX_DEPTH,
    MAX_ELEMENTS,
    Node,
    is_text,
    parse_xml,
    read_xml,
)
from touchback.names import suggestion, unknown
from touchback.safe_files import read_regular

MAX_INCLUDES = 100


_MAX_BYTES = 8 * 2**20  # of an included file


Folders = Mapping[str, str | os.PathLike[str]]


@dataclass
class Document:
    """A file and those that it includes."""

    source: str
    name: str
    sections: dict[str, Node]
    defaults: Defaults
    places: MeshPaths
    notes: Notes = field(default_factory=Notes)
    ignored: frozenset[str] = frozenset()  # attributes that flags of the file switch off

    def section(self, tag: str) -> Node:
        """All sections of this name as one; empty where there is none."""
        return self.sections.get(tag) or Node(tag, {}, self.source, 0)

    def inherited(self, node: Node, kind: str, childclass: str = "") -> Node:
        """An element with what the defaults of its class say of such elements."""
        found = self.defaults.inherited(node, kind, childclass)
        for word in self.ignored & found.attributes.keys():
            del found.attributes[word]
        return found


def read_document(path_or_text: str | os.PathLike[str], folders: Folders | None) -> Document:
    """The file with what it includes; files must lie in its folder, or in one of `folders`."""
    root = read_xml(path_or_text, "mujoco", "MJCF")
    folder = None if is_text(path_or_text) else Path(path_or_text).parent
    places = MeshPaths(folder, folders)
    root = _Includes(places).expanded(root)
    sections: dict[str, Node] = {}
    for child in root.children:
        if child.tag not in sections:
            sections[child.tag] = Node(child.tag, {}, child.source, child.line)
        whole = sections[child.tag]
        whole.children += [child] if child.tag == "default" else child.children
        whole.attributes.update(child.attributes)
    tops = sections.get("default", Node("default", {}, root.source, 0)).children
    name = root.attributes.get("model", "").strip() or "MuJoCo Model"
    return Document(root.source, name, sections, Defaults(tops), places)


class _Includes:
    """Puts the elements of included files where <include> stands. A file is included once, as
    MuJoCo has it, so that no file can include itself."""

    def __init__(self, places: MeshPaths) -> None:
        self.places = places
        self.met: set[Path] = set()
        self.elements = 0

    def expanded(self, node: Node, depth: int = 1) -> Node:
        """A node whose children have no <include>; bounded as one file is."""
        self.elements += 1
        if self.elements > MAX_ELEMENTS or depth > MAX_DEPTH:
            raise ModelError(
                f"{node.where}: too large with what is included: at most {MAX_ELEMENTS} elements, "
                f"{MAX_DEPTH} deep, are read."
            )
        node.children = [x for child in node.children for x in self._replaced(child, depth + 1)]
        return node

    def _replaced(self, child: Node, depth: int) -> Iterator[Node]:
        if child.tag != "include":
            yield self.expanded(child, depth)
            return
        yield from self.expanded(self._read(child), depth).children

    def _read(self, include: Node) -> Node:
        called = include.attribute("file")
        try:
            path = self.places.find(called)
        except NoMesh as lack:
            text = str(lack).replace("mesh '", "file '").rstrip(".")
            raise ModelError(f"{include.where}: <include>: {text}.") from None
        if path in self.met:
            raise ModelError(
                f"{include.where}: {called!r} is included a second time; a file is included once."
            )
        self.met.add(path)
        if len(self.met) > MAX_INCLUDES:
            raise ModelError(f"{include.where}: more than {MAX_INCLUDES} files are included.")
        content = read_regular(path, _MAX_BYTES, ModelError)
        try:
            return parse_xml(content, path.name, "mujoco", "MJCF")
        except ModelError:
            return parse_xml(content, path.name, "mujocoinclude", "MJCF")


def referred(known: Mapping[str, object], kind: str, name: str, node: Node) -> str:
    """A name that something of this kind has; refuses another."""
    if name not in known:
        raise ModelError(f"{node.where}: <{node.tag}>: {unknown(kind, name, known)}")
    return name


MAIN = "main"


ACTUATOR = "actuator"  # all kinds of them share their defaults


_ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
    "adhesion", "dcmotor",
)  # fmt: skip


_ROWS = ("size", "friction", "stiffness", "damping", "gear", "gainprm", "biasprm", "dynprm")


_Class = dict[str, dict[str, str]]


class Defaults:
    """Attributes by class and by kind of element. Classes have what those around them have."""

    def __init__(self, tops: Iterable[Node]) -> None:
        self._classes: dict[str, _Class] = {MAIN: {}}
        for top in tops:
            self._read(top, MAIN, self._classes[MAIN])

    def _read(self, node: Node, name: str, found: _Class) -> None:
        self._classes[name] = found
        for child in node.children:
            if child.tag != "default":
                kind = ACTUATOR if child.tag in _ACTUATORS else child.tag
                found[kind] = _over(found.get(kind, {}), child, kind)
        for child in node.all("default"):
            inner = {kind: dict(attributes) for kind, attributes in found.items()}
            self._read(child, child.attribute("class"), inner)

    def inherited(self, node: Node, kind: str, childclass: str = "") -> Node:
        """The element with its class's attributes below its own; `childclass` is the class that
        bodies around it say."""
        name = node.attributes.get("class") or childclass or MAIN
        if name not in self._classes:
            raise ModelError(
                f"{node.where}: <{node.tag}>: there is no default class {name!r}; "
                f"{suggestion(name, self._classes)}"
            )
        attributes = _over(self._classes[name].get(kind, {}), node, kind)
        return Node(node.tag, attributes, node.source, node.line, node.children, node.pieces)


def _over(below: dict[str, str], node: Node, kind: str) -> dict[str, str]:
    attributes = merged(below, node.attributes)
    if kind != ACTUATOR:
        return attributes
    return as_general(Node(node.tag, attributes, node.source, node.line))


def merged(below: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """Attributes with others below them. A direction is said in one way: one's own. Of rows of
    numbers that may be short one's own are the first ones, as MuJoCo has it."""
    if any(word in own for word in (*ORIENTATIONS, "fromto")):
        below = {word: text for word, text in below.items() if word not in ORIENTATIONS}
    rows = {
        word: " ".join([*own[word].split(), *below[word].split()[len(own[word].split()) :]])
        for word in _ROWS
        if word in own and word in below
    }
    return {**below, **own, **rows}


Triple = tuple[float, float, float]


_UNFELT = (  # how MuJoCo computes, draws or stores; nothing of it is felt here
    "texturedir", "strippath", "discardvisual", "usethread", "fusestatic", "saveinertial",
    "fitaabb", "coordinate", "convexhull", "exactmeshinertia", "LRopt",
)  # fmt: skip


_OWN_RUN = (  # of MuJoCo's own steps and soft constraints; a run here has settings of its own
    "timestep", "apirate", "impratio", "tolerance", "ls_tolerance", "noslip_tolerance",
    "ccd_tolerance", "mpr_tolerance", "integrator", "cone", "jacobian", "solver", "iterations",
    "ls_iterations", "noslip_iterations", "ccd_iterations", "mpr_iterations", "sdf_iterations",
    "sdf_initpoints", "o_margin", "o_solref", "o_solimp", "o_friction", "actuatorgroupdisable",
    "sleep_tolerance", "magnetic",
)  # fmt: skip


_SWITCHED = {
    "spring": ("stiffness", "springdamper"),
    "damper": ("damping",),
    "frictionloss": ("frictionloss",),
    "constraint": ("frictionloss",),
    "clampctrl": ("ctrlrange", "ctrllimited"),
}


@dataclass
class Settings:
    """See the reference of MJCF for each."""

    angles: Angles
    mesh_folder: str
    autolimits: bool
    inertia_from_geoms: bool | None  # None: where a body says nothing itself
    inertia_groups: tuple[float, float]
    least_mass: float
    least_inertia: float
    balance: bool
    total_mass: float
    gravity: Triple
    density: float
    viscosity: float
    wind: Triple
    contacts: bool
    limits: bool
    off: frozenset[str]  # flags that are disabled

    @property
    def ignored(self) -> frozenset[str]:
        """Attributes that count for nothing, by such flags."""
        return frozenset(word for flag in self.off for word in _SWITCHED.get(flag, ()))


def read_settings(document: Document) -> Settings:
    """Both elements, with MuJoCo's defaults for what they don't say."""
    compiler, option = document.section("compiler"), document.section("option")
    flags = next(option.all("flag"), Node("flag", {}, option.source, option.line))
    if compiler.attributes.get("coordinate", "local") != "local":
        raise ModelError(
            f"{compiler.where}: <compiler coordinate='global'> is of old files; load it in an old "
            "MuJoCo and save it again."
        )
    known = _COMPILER + _UNFELT
    for word in compiler.attributes.keys() - set(known):
        document.notes.skip(f"compiler {word}")
    for word in option.attributes.keys() - {"gravity", "density", "viscosity", "wind", *_OWN_RUN}:
        document.notes.skip(f"option {word}")
    meshes = compiler.attributes.get("meshdir", compiler.attributes.get("assetdir", ""))
    on = {word: text != "disable" for word, text in flags.attributes.items()}
    low, high = compiler.numbers("inertiagrouprange", (0.0, 5.0))
    return Settings(
        Angles(
            bool(truth(compiler, "angle", {"degree": True, "radian": False}, True)),
            _sequence(compiler),
        ),
        meshes.strip(),
        bool(truth(compiler, "autolimits", TRUTH, True)),
        truth(compiler, "inertiafromgeom", {**TRUTH, "auto": None}, None),
        (low, high),
        compiler.number("boundmass", 0.0),
        compiler.number("boundinertia", 0.0),
        bool(truth(compiler, "balanceinertia", TRUTH, False)),
        compiler.number("settotalmass", -1.0),
        option.triple("gravity", (0.0, 0.0, -9.81)) if on.get("gravity", True) else (0.0,) * 3,
        option.number("density", 0.0),
        option.number("viscosity", 0.0),
        option.triple("wind", (0.0, 0.0, 0.0)),
        on.get("contact", True) and on.get("constraint", True),
        on.get("limit", True) and on.get("constraint", True),
        frozenset(word for word, enabled in on.items() if not enabled),
    )


_COMPILER = (
    "angle", "autolimits", "eulerseq", "inertiafromgeom", "inertiagrouprange", "boundmass",
    "boundinertia", "balanceinertia", "settotalmass", "meshdir", "assetdir",
)  # fmt: skip


TRUTH: dict[str, bool | None] = {"true": True, "false": False}


def truth(
    node: Node, word: str, meanings: dict[str, bool | None], default: bool | None
) -> bool | None:
    """What a word such as "true" means; refuses others."""
    if word not in node.attributes:
        return default
    text = node.attributes[word]
    if text not in meanings:
        raise ModelError(
            f"{node.where}: <{node.tag} {word}={text!r}>: known are {', '.join(meanings)}."
        )
    return meanings[text]


def _sequence(compiler: Node) -> str:
    text = compiler.attributes.get("eulerseq", "xyz")
    if len(text) != 3 or any(letter not in "xyzXYZ" for letter in text):
        raise ModelError(
            f"{compiler.where}: <compiler eulerseq={text!r}>: three letters of xyzXYZ are expected."
        )
    return text
