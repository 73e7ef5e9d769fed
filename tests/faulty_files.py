"""Faulty files, and what is said about them."""

from faults import arm, fault, file_fault
from touchback.interop.export_targets import generate
from touchback.interop.import_formats import read


@fault("file that isn't there", "Files", "There is no file 'missing.yaml'.")
def _() -> None:
    read("missing.yaml")


@fault(
    "unknown suffix",
    "Files",
    "arm.docx: files that end in '.docx' can't be read; known: .json, .mbs, .mjcf, "
    ".sdf, .urdf, .usd, .usda, .usdc, .xml, .yaml, .yml.",
)
def _() -> None:
    read("arm.docx")


@fault(
    "suffix that can't be written",
    "Files",
    "arm.txt: a model is saved as .yaml, .yml, .json, .py, not as '.txt'.",
)
def _() -> None:
    arm().save("arm.txt")


file_fault("empty file", "", "arm.yaml: the file is empty.")
file_fault(
    "syntax error in YAML",
    "touchback: 1\nname: arm\nbodies: {rod: {mass: 1",
    "arm.yaml, line 4, column 1: this is not YAML: while parsing a flow mapping: "
    "did not find expected ',' or '}'.",
)
file_fault(
    "no model file",
    "name: arm\n",
    "arm.yaml, line 1: this is no model file: one begins with `touchback: 1`.",
)
file_fault(
    "newer format",
    "touchback: 2\nname: arm",
    "arm.yaml, line 1, touchback: this is version 2 of the format, and only version"
    " 1 can be read; a newer Touchback may read it.",
)
file_fault("missing name", "touchback: 1", "arm.yaml, line 1: its `name` is missing.")
file_fault(
    "unknown section",
    "touchback: 1\nname: arm\nbodys: {}",
    "arm.yaml, line 3, bodys: there is no such key here; did you mean 'bodies' or 'modes'?",
)
file_fault(
    "list for a mapping",
    "touchback: 1\nname: arm\nbodies: [rod]",
    "arm.yaml, line 3, bodies: a mapping is expected, got ['rod'].",
)
file_fault(
    "unknown key",
    "touchback: 1\nname: arm\nbodies:\n  rod: {mas: 1.0}",
    "arm.yaml, line 4, bodies.rod.mas: there is no such key here; did you mean 'mass'?",
)
file_fault(
    "key that stands twice",
    "touchback: 1\nname: arm\nbodies:\n  rod: {mass: 1.0, mass: 2.0}",
    "arm.yaml, line 4, bodies.rod: the key 'mass' stands twice, again in line 4.",
)
file_fault(
    "wrong type",
    "touchback: 1\nname: arm\nbodies:\n  rod: {mass: [1.0]}",
    "arm.yaml, line 4, bodies.rod.mass: a number or text is expected, got [1.0].",
)
file_fault(
    "wrong length",
    "touchback: 1\nname: arm\nbodies:\n  rod: {mass: 1.0, com: [0.5, 0.0]}",
    "arm.yaml, line 4, bodies.rod.com: a list of length 3 is expected, got [0.5, 0.0].",
)
file_fault(
    "unknown kind of joint",
    """
    touchback: 1
    name: arm
    bodies:
      rod: {mass: 1.0}
    joints:
      shoulder: {kind: revolut, axis: y, parent: ground, child: rod}
    """,
    "arm.yaml, line 6, joints.shoulder.kind: there is no kind 'revolut'; did you mean 'revolute'?",
)
file_fault(
    "missing kind",
    """
    touchback: 1
    name: arm
    couplings:
      gears: {first: a, second: b}
    """,
    "arm.yaml, line 4, couplings.gears: its `kind` is missing; known: 'gear', 'rack', "
    "'screw-coupling', 'differential'.",
)
file_fault(
    "missing child",
    """
    touchback: 1
    name: arm
    joints:
      shoulder: {kind: revolute, axis: y, parent: ground}
    """,
    "arm.yaml, line 4, joints.shoulder: its `child` is missing.",
)
file_fault(
    "joint to an unknown body, in a file",
    """
    touchback: 1
    name: arm
    bodies:
      rod: {mass: 1.0}
    joints:
      shoulder: {kind: revolute, axis: y, parent: ground, child: rood}
    """,
    "arm.yaml, line 6, joints.shoulder: there is no body 'rood'; did you mean 'rod' or 'ground'?",
)
file_fault(
    "impossible number in a file",
    """
    touchback: 1
    name: arm
    bodies:
      rod: {mass: -1.0}
    """,
    "arm.yaml, line 4, bodies.rod: its mass is -1.0 kg; it must not be negative.",
)
file_fault(
    "not a number in a file",
    """
    touchback: 1
    name: arm
    bodies:
      rod: {mass: .nan}
    """,
    "arm.yaml, line 4, bodies.rod: mass: nan is not a finite number.",
)
file_fault(
    "syntax error in an expression",
    """
    touchback: 1
    name: arm
    parameters:
      length: {default: 1.0}
    bodies:
      rod: {mass: 2 * (length + 1}
    """,
    "arm.yaml, line 6, bodies.rod.mass: Expression, column 16: expected ')', found "
    "the end.\n"
    "  2 * (length + 1\n"
    "                 ^",
)
file_fault(
    "unknown name in an expression",
    """
    touchback: 1
    name: arm
    parameters:
      length: {default: 1.0}
    bodies:
      rod: {mass: 2 * lenght}
    """,
    "arm.yaml, line 6, bodies.rod.mass: Expression, column 5: there is no name "
    "'lenght'.\n"
    "  2 * lenght\n"
    "      ^\n"
    "  did you mean 'length'?",
)
file_fault(
    "unknown function in an expression",
    """
    touchback: 1
    name: arm
    bodies:
      rod: {mass: open(1)}
    """,
    "arm.yaml, line 4, bodies.rod.mass: Expression, column 1: there is no function "
    "'open'; the functions are sin, cos, tan, asin, acos, atan, atan2, sinh, "
    "cosh, tanh, hypot, clip, sqrt, exp, log, pow, abs, sign, floor, min, max, "
    "minimum, maximum, select, lookup, lookup_dx, lookup_dy, lookup_dxy.\n"
    "  open(1)\n"
    "  ^",
)
file_fault(
    "expression where a number must be",
    """
    touchback: 1
    name: arm
    parameters:
      length: {default: 2 * 3}
    """,
    "arm.yaml, line 4, parameters.length.default: a number is expected, got '2 * 3'.",
)
file_fault(
    "too deep",
    "touchback: 1\nname: " + "[" * 30 + "]" * 30,
    "arm.yaml, line 2, name[0][0]: more than 24 lists and mappings lie in one another.",
)
file_fault(
    "alias",
    "touchback: 1\nname: &arm arm\n",
    "arm.yaml, line 2, name: anchors and aliases (& and *) can't be used here.",
)
file_fault(
    "tag",
    "touchback: 1\nname: !!python/name:os.system arm\n",
    "arm.yaml, line 2, name: tags such as 'tag:yaml.org,2002:python/name:os.system'"
    " can't be used here.",
)
file_fault(
    "two documents",
    "touchback: 1\nname: arm\n---\ntouchback: 1\n",
    "arm.yaml: only one document ('---') can be read.",
)
file_fault(
    "part of an unknown model",
    """
    touchback: 1
    name: walker
    parts:
      left: {model: leg}
    """,
    "arm.yaml, line 4, parts.left.model: there is no model 'leg' above in the "
    "library; none is defined yet.",
)
file_fault(
    "definition with a wrong name",
    """
    touchback: 1
    name: arm
    definitions: {speed: 2 * 3}
    """,
    "arm.yaml, line 3, definitions.speed: a definition is called $1, $2 and so on.",
)
file_fault(
    "control of an unknown input, in a file",
    """
    touchback: 1
    name: arm
    inputs: {torque: {}}
    controls:
      pd: {drives: {torq: 1.0}}
    """,
    "arm.yaml, line 5, controls.pd: there is no input 'torq'; did you mean 'torque'?",
)
file_fault(
    "quantity of another dimension",
    "touchback: 1\nname: arm\nbodies:\n  rod: {mass: 35 mm}",
    "arm.yaml, line 4, bodies.rod.mass: '35 mm' is a quantity in m; kg is needed there. Give it in "
    "a unit of that dimension, or as a plain number in kg.",
)


# ---- what only compiling finds ------------------------------------------------------------------

_ARM = """touchback: 1
name: arm
bodies:
  rod: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.1]}
joints:
  pin: {kind: revolute, axis: y, parent: ground, child: rod}
"""


file_fault(
    "closure out of reach",
    _ARM
    + """closures:
  peg: {kind: spherical, a: {body: ground, at: [100, 0, 0]}, b: {body: rod, at: [0, 0, -1]}}""",
    "arm.yaml, line 8, closures.peg: Closure 'peg': its two points are 99 m apart at best, 1e+02 "
    "at the guess. Give a guess nearer to closure, or check the lengths.",
    compiled=True,
)
file_fault(
    "mass that an expression makes infinite",
    _ARM.replace("mass: 1,", "mass: 1 / 0,"),
    "arm.yaml, line 4, bodies.rod: Body 'rod': its mass is inf at the default parameters; check "
    "its expression.",
    compiled=True,
)
file_fault(
    "body without a joint in a file",
    _ARM.replace("joints:", "  foot: {mass: 1}\njoints:"),
    "arm.yaml, line 5, bodies.foot: Body 'foot' is not connected: no joint carries it. Join it to "
    "the ground or to another body, e.g. model.joint('foot', tb.Free(), model.ground, 'foot'), in "
    "a file a `kind: free` in `joints`.",
    compiled=True,
)
file_fault(
    "tip without mass in a part of a file",
    """
    touchback: 1
    name: arm
    parts: {left: {model: limb}}
    library:
      limb:
        bodies: {tip: {}}
        joints:
          pin: {kind: revolute, axis: y, parent: ground, child: tip}
    """,
    "arm.yaml, line 8, library.limb.joints.pin: Joint 'left/pin': nothing resists its motion, "
    "because body 'left/tip' and what it carries have no inertia there; its acceleration would be "
    "undefined. Give the body a mass or an inertia, or the joint an `armature`, or use tb.Fixed.",
    compiled=True,
)
file_fault(
    "gravity as one number",
    _ARM + "gravity: 9.81",
    "arm.yaml, line 7, gravity: a list of length 3 is expected, got 9.81.",
)
file_fault(
    "inertia of two numbers",
    _ARM.replace("[0.1, 0.1, 0.1]", "[0.1, 0.1]"),
    "arm.yaml, line 4, bodies.rod.inertia: a list of 3 principal moments or 6 components (xx, yy, "
    "zz, xy, xz, yz) is expected, got [0.1, 0.1].",
)


@fault("folder in place of a file", "Files", "/ is a folder; give a file that is in it.")
def _() -> None:
    read("/")


@fault(
    "file whose name has no ending",
    "Files",
    "arm: its name has no ending, which says what kind of file it is; known: .json, .mbs, .mjcf, "
    ".sdf, .urdf, .usd, .usda, .usdc, .xml, .yaml, .yml.",
)
def _() -> None:
    read("arm")


@fault(
    "target that nothing is generated for",
    "Files",
    "Nothing is generated for 'fortran'; known: 'model', 'c-project', 'matlab', 'fmu', 'python', "
    "'jax', 'casadi', 'urdf', 'mjcf', 'latex', 'julia', 'modelica'.",
)
def _() -> None:
    generate(arm(), "fortran", "there")


@fault(
    "back end that there isn't",
    "Signals and laws",
    "There is no back end 'xyz': there are 'machine', 'c', 'interpreter'.",
)
def _() -> None:
    arm().compile(backend="xyz")  # type: ignore[arg-type]
