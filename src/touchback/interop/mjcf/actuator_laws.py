"""The laws of MJCF's actuators: all are <general>, of which the others are shortcuts.

A shortcut begins with the numbers that its class has for the same shortcut or for <general>, not
for another shortcut: a <position> of a class with <general gainprm="50"/> has kp = 50, but in one
with <velocity kv="50"/> it has 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from touchback.interop.xml_file import Node

Three = tuple[float, float, float]
NONE: Three = (0.0, 0.0, 0.0)
SHORTCUT = "~shortcut"  # the word by which classes remember which one wrote their numbers
_SERVOS = ("position", "intvelocity")
_SHORT = ("kp", "kv", "timeconst", "area", "diameter", "bias", "gain")
_UNREAD = ("dampratio", "inheritrange")  # numbers that MuJoCo computes from the whole model


@dataclass(frozen=True)
class Law:
    """force = (g₀ + g₁ L + g₂ L̇) s + b₀ + b₁ L + b₂ L̇, of the signal s: the control, or a state
    that follows it. Only "affine" gains have g₁ and g₂, and only such biases are there."""

    gain: Three = (1.0, 0.0, 0.0)
    bias: Three = NONE
    gaintype: str = "fixed"
    biastype: str = "none"
    dynamics: str = "none"
    timeconst: float = 1.0

    @property
    def gains(self) -> Three:
        """g₀, g₁ and g₂."""
        return self.gain if self.gaintype == "affine" else (self.gain[0], 0.0, 0.0)

    @property
    def biases(self) -> Three:
        """b₀, b₁ and b₂."""
        return self.bias if self.biastype == "affine" else NONE

    @property
    def read(self) -> bool:
        """Whether it is one of these laws."""
        return (
            self.gaintype in ("fixed", "affine")
            and self.biastype in ("none", "affine")
            and self.dynamics in ("none", "integrator", "filter", "filterexact")
        )

    @property
    def moves(self) -> bool:
        """Whether it knows how long what it pulls is, or how fast that changes."""
        return any((*self.gains[1:], *self.biases[1:]))


def law_of(node: Node) -> Law | None:
    """Of an actuator in the words of a <general>; None where it is another."""
    law = _written(node)
    unread = {*_UNREAD} & node.attributes.keys()
    return law if law.read and not unread else None


def as_general(node: Node) -> dict[str, str]:
    """An actuator's attributes with those of a <general> in place of its shortcut's."""
    words = {word: text for word, text in node.attributes.items() if word not in _SHORT}
    if node.tag == "general":
        return words
    if node.tag not in SHORTCUTS:
        return {**words, "gaintype": node.tag}
    before = words.get(SHORTCUT, node.tag)
    law = SHORTCUTS[node.tag](node, _written(node) if before == node.tag else Law())
    if before != node.tag or "kv" in node.attributes:
        words.pop("dampratio", None)
    if law.biastype == "affine" and law.bias[2] > 0.0 and node.tag in _SERVOS:
        words["dampratio"] = repr(law.bias[2])  # as MuJoCo takes such a number
    return words | {
        SHORTCUT: node.tag,
        "gainprm": _text(law.gain), "biasprm": _text(law.bias), "dynprm": repr(law.timeconst),
        "gaintype": law.gaintype, "biastype": law.biastype, "dyntype": law.dynamics,
    }  # fmt: skip


def _written(node: Node) -> Law:
    words = node.attributes
    return Law(
        _three(node.all_numbers("gainprm"), (1.0, 0.0, 0.0)),
        _three(node.all_numbers("biasprm"), NONE),
        words.get("gaintype", "fixed"),
        words.get("biastype", "none"),
        words.get("dyntype", "none"),
        (*node.all_numbers("dynprm"), 1.0)[0],
    )


def _three(numbers: tuple[float, ...], default: Three) -> Three:
    a, b, c = (*numbers[:3], *default[len(numbers[:3]) :])
    return a, b, c


def _text(numbers: Three) -> str:
    return " ".join(map(repr, numbers))


def _position(node: Node, law: Law) -> Law:
    kp, kv = node.number("kp", law.gain[0]), node.number("kv", -law.bias[2])
    filtered = law.dynamics == "filterexact"  # by a <position> of the class
    time = node.number("timeconst", law.timeconst if filtered else 0.0)
    dynamics = "filterexact" if time else "none"
    return Law((kp, 0.0, 0.0), (0.0, -kp, -kv), "fixed", "affine", dynamics, time)


def _velocity(node: Node, law: Law) -> Law:
    kv = node.number("kv", law.gain[0])
    return Law((kv, 0.0, 0.0), (0.0, 0.0, -kv), "fixed", "affine")


def _cylinder(node: Node, law: Law) -> Law:
    area = node.number("area", law.gain[0])
    if "diameter" in node.attributes:
        area = 0.25 * math.pi * node.number("diameter", 0.0) ** 2
    bias = _three(node.all_numbers("bias"), law.bias)
    time = node.number("timeconst", law.timeconst)
    return Law((area, 0.0, 0.0), bias, "fixed", "affine", "filter", time)


SHORTCUTS: dict[str, Callable[[Node, Law], Law]] = {
    "motor": lambda node, law: Law(),
    "position": _position,
    "velocity": _velocity,
    "intvelocity": lambda node, law: replace(_position(node, law), dynamics="integrator"),
    "damper": lambda node, law: Law(
        (0.0, 0.0, -node.number("kv", -law.gain[2])), gaintype="affine"
    ),
    "cylinder": _cylinder,
}
