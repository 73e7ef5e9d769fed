"""What <compiler> and <option> say of a whole MJCF file."""

from __future__ import annotations

from dataclasses import dataclass

from touchback.errors import ModelError
from touchback.interop.mjcf.document import Document
from touchback.interop.mjcf.pose import Angles
from touchback.interop.xml_file import Node

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
