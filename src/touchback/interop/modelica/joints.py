"""Joints as components: the class of each kind, its frames, axes and start."""

from __future__ import annotations

import numpy as np

from touchback.errors import InputError
from touchback.interop.modelica.expressions import numbers
from touchback.interop.modelica.sheet import Sheet, component
from touchback.model.frame import AXES, GROUND
from touchback.model.joints import (
    Cylindrical,
    Fixed,
    Free,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from touchback.model.joints.base import axis_vector

_KINDS = (
    Revolute, Prismatic, Cylindrical, Screw, Universal, Planar, Spherical, Free, Fixed
)  # fmt: skip


def add_joints(sheet: Sheet) -> None:
    """All joints, each between the body that it carries and the one that carries it."""
    q, v = 0, len(sheet.system.layout.q)
    for name, joint in sheet.model.joints.items():
        label, kind = f"joint '{name}'", joint.kind
        given = [
            *sheet.frame(label, joint.parent, "A"), *sheet.frame(label, joint.child, "B"),
            *_axes(sheet, label, kind),
        ]  # fmt: skip
        for word, place, count in (("q", q, kind.nq), ("v", v, kind.nv)):
            if count:
                start = numbers(sheet.start[place : place + count])
                given.append(f"{word}(start = {start}, each fixed = true)")
        q, v = q + kind.nq, v + kind.nv
        _place(sheet, name, component(type(kind).__name__, sheet.joint(name), given))


def _place(sheet: Sheet, name: str, declaration: str) -> None:
    joint, lines, owner = sheet.model.joints[name], sheet.lines, sheet.joint(name)
    parent, child = joint.parent.body, sheet.body(joint.child.body)
    lines.declarations.append(declaration)
    lines.connect(f"{sheet.body(parent)}.K", f"{owner}.A")
    lines.connect(f"{owner}.B", f"{child}.K")
    lines.connect(f"{child}.J", f"{owner}.W_B")
    if parent != GROUND:
        lines.acting[parent].append(f"{owner}.W_A")


def _axes(sheet: Sheet, label: str, kind: JointKind) -> list[str]:
    """The arguments that say how a joint moves."""
    match kind:
        case Revolute() | Prismatic() | Cylindrical():
            return [f"n = {numbers(axis_vector(kind.axis))}"]
        case Screw():
            pitch = sheet.constant(label, [kind.pitch])[0]
            return [f"n = {numbers(axis_vector(kind.axis))}", f"pitch = {pitch}"]
        case Universal():
            first, second = axis_vector(kind.first), axis_vector(kind.second)
            return [f"n = {numbers(first)}", f"n_2 = {numbers(second)}"]
        case Planar():
            i, E = AXES[kind.normal], np.eye(3)
            words = ("n", "n_1", "n_2")
            return [f"{word} = {numbers(E[(i + k) % 3])}" for k, word in enumerate(words)]
        case Spherical() | Free() | Fixed():
            return []
    raise InputError(
        f"modelica: {label} is a {type(kind).__name__}, which has no class there; joints are "
        f"{', '.join(each.__name__ for each in _KINDS)}."
    )
