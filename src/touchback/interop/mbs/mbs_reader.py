"""ROBOTRAN's .mbs files (root element mbsDescR7): trees of bodies with cuts and links.

Joints are R1–R3 and T1–T3: turns about and slides along x, y, z of the moving frame. A body may
hang on several in a row; its mass sits after the last. Coordinates stand in the file's order, which
is ROBOTRAN's numbering less one.
"""

import os
from collections.abc import Mapping

from touchback import Fixed, Frame, JointKind, Model, Prismatic, Revolute
from touchback.errors import ModelError
from touchback.interop.import_notes import Notes, safe_names
from touchback.interop.imported_bodies import add_body, drop_idle_closures
from touchback.interop.mbs.mbs_points_and_links import (
    BASE,
    Law,
    Laws,
    Mechanism,
    Motion,
    Wrenches,
    add_effort,
    add_wrench,
    coordinates,
    named_point,
    read_cuts,
    read_links,
    read_points,
)
from touchback.interop.xml_file import Node, read_xml
from touchback.model import GROUND

_KINDS: dict[str, JointKind] = {
    **{f"R{i}": Revolute(axis) for i, axis in enumerate("xyz", 1)},
    **{f"T{i}": Prismatic(axis) for i, axis in enumerate("xyz", 1)},
}


def read_mbs(
    path_or_text: str | os.PathLike[str],
    constraints: bool = True,
    link_forces: Mapping[str, Law] | None = None,
    joint_forces: Mapping[str, Law] | None = None,
    external_forces: Mapping[str, Wrenches] | None = None,
    driven_joints: Mapping[str, Motion] | None = None,
) -> Model:
    """The model of a ROBOTRAN file (or of its text): its tree, masses, gravity and initial values.

    Cuts close loops (a ball, a rod, a solid one ties both frames), and driven joints are driven to
    their initial values; with `constraints=False` both are left out: the tree alone.

    What a project's user functions say is given by the file's names, as numbers, expressions or
    Python functions: `link_forces` (user_LinkForces) of length and rate, a tension;
    `joint_forces` (user_JointForces) of q and q̇; `external_forces` (user_ExtForces) of the place
    and velocity of the point, which give 3 to 9 numbers as SWr: force, torque, point;
    `driven_joints` (user_DrivenJoints) of time. What the file asks for and isn't given is said, and
    in `model.imported["user_functions"]`. States of user_Derivative are `model.state(…)`.

    `model.imported` holds what the tree doesn't: "natures" of the joints (independent, dependent,
    driven), "points" by body, "cuts", "links", "sensors" and "external_forces" by name, and the
    "notes" in words. Joints in a row have massless bodies between them, named "body~joint"."""
    file = read_xml(path_or_text, "mbsDescR7", "ROBOTRAN")
    notes = Notes()
    base, tree = file.first("base"), file.first("bodytree")
    if base is None or tree is None:
        raise ModelError(f"{file.where}: a ROBOTRAN file needs <base> and <bodytree>.")
    bodies = _by_name(tree)
    title = file.first("mbsname")
    name = title.text if title is not None and title.text else "mechanism"
    mechanism = Mechanism(
        Model(safe_names("Model", [name], notes)[name], _gravity(base, notes)),
        notes,
        {BASE: GROUND, **safe_names("Body", bodies, notes, taken=[GROUND])},
        laws=Laws(
            link_forces or {}, joint_forces or {}, external_forces or {}, driven_joints or {}
        ),
    )
    read_points(mechanism, GROUND, base)
    for original, node in bodies.items():
        _add_body(mechanism, mechanism.bodies[original], node)
        read_points(mechanism, mechanism.bodies[original], node)
    joints = _joint_names(bodies, notes)
    for original, node in bodies.items():
        _hang(mechanism, mechanism.bodies[original], node, joints, constraints)
    cuts = read_cuts(mechanism, file.first("cuts"), constraints)
    links = read_links(mechanism, file.first("links"))
    _act(mechanism, joints)
    notes.skip_others(file, ("mbsname", "mbsyspad_version", "base", "bodytree", "cuts", "links"))
    drop_idle_closures(mechanism.model, notes)
    notes.finish(
        mechanism.model,
        "ROBOTRAN",
        file.source,
        natures=mechanism.natures,
        points=mechanism.points,
        cuts=cuts,
        links=links,
        sensors=mechanism.sensors,
        external_forces=mechanism.external_forces,
        user_functions={word: tuple(names) for word, names in mechanism.laws.needed.items()},
    )
    return mechanism.model


def _act(mechanism: Mechanism, joints: dict[str, str]) -> None:
    """Efforts in joints and forces at points, by the laws that are given."""
    model, laws = mechanism.model, mechanism.laws
    laws.check("joint", [*laws.joints, *laws.driven], joints)
    laws.check("external force", laws.forces, mechanism.external_forces)
    for name, law in laws.joints.items():
        add_effort(model, mechanism.notes, name, joints[name], law)
    for name, wrench in laws.forces.items():
        add_wrench(model, mechanism.notes, name, mechanism.external_forces[name], wrench)


def _gravity(base: Node, notes: Notes) -> tuple[float, float, float]:
    notes.skip_others(base, ("gravity", "baseBodyName", "point"))
    if base.first("gravity") is None:
        notes.notice(f"{base.where}: no gravity is given; there is none.")
    return coordinates(base.first("gravity"))


def _by_name(tree: Node) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for node in tree.all("body"):
        name = node.child_text("bodyname")
        if name in found or name == BASE:
            raise ModelError(
                f"{node.where}: a second body {name!r}; bodies need names of their own and none "
                f"may be called {BASE!r}."
            )
        found[name] = node
    return found


def _add_body(mechanism: Mechanism, name: str, node: Node) -> None:
    inertia = node.first("inertia")
    six = [0.0] * 6
    if inertia is not None:
        six = [inertia.child_number(f"I{which}") for which in ("xx", "yy", "zz", "xy", "xz", "yz")]
    mass, com = node.child_number("mass"), coordinates(node.first("com"))
    add_body(mechanism.model, name, mass, com, six, node.where, mechanism.notes)
    mechanism.notes.skip_others(
        node, ("bodyname", "parent", "joint", "mass", "com", "inertia", "point")
    )


def _joint_names(bodies: dict[str, Node], notes: Notes) -> dict[str, str]:
    """Our names of all joints; those of the file must differ."""
    lines: dict[str, int] = {}
    for node in bodies.values():
        for joint in node.all("joint"):
            name = joint.child_text("jointname")
            if name in lines:
                raise ModelError(
                    f"{joint.where}: there is a joint {name!r} already, in line {lines[name]}; "
                    "rename one."
                )
            lines[name] = joint.line
    return safe_names("Joint", lines, notes)


def _hang(
    mechanism: Mechanism, body: str, node: Node, names: dict[str, str], constraints: bool
) -> None:
    """Hang a body on its parent's point by its joints in a row."""
    model, parent = mechanism.model, node.first("parent")
    if parent is None:
        raise ModelError(
            f"{node.where}: body '{body}' needs <parent> with <bodyname> and <pointname>."
        )
    place = named_point(mechanism, parent)
    joints = list(node.all("joint"))
    if not joints:
        model.joint(f"{body}~fixed", Fixed(), place, body)
    for joint in joints:
        called = joint.child_text("jointname")
        name = names[called]
        child = body if joint is joints[-1] else model.body(f"{body}~{name}").name
        start = _initial(joint)
        model.joint(
            name, _kind(name, joint), place, child,
            position=start.get("position"), velocity=start.get("velocity"),
        )  # fmt: skip
        place = Frame(child)
        nature = joint.first("nature")
        mechanism.natures[name] = "independent" if nature is None else nature.text
        if called in mechanism.laws.driven and constraints:
            model.drive(name, mechanism.laws.driven[called])
        elif mechanism.natures[name] == "driven" and constraints:
            mechanism.laws.lacks("user_DrivenJoints", called)
            model.drive(name, start.get("position", 0.0))
        elif mechanism.natures[name] == "driven":
            mechanism.notes.notice(
                f"{joint.where}: joint '{name}' should be driven; here it moves freely."
            )
        mechanism.notes.skip_others(joint, ("jointname", "type", "nature", "initialvalue"))


def _initial(joint: Node) -> dict[str, float]:
    given = joint.first("initialvalue")
    if given is None:
        return {}
    return {"position": given.child_number("q"), "velocity": given.child_number("qd")}


def _kind(name: str, joint: Node) -> JointKind:
    word = joint.child_text("type")
    if word not in _KINDS:
        raise ModelError(
            f"{joint.where}: joint '{name}' has the type {word!r}; known: {', '.join(_KINDS)}."
        )
    return _KINDS[word]
