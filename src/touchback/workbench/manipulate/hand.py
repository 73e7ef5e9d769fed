"""A model with a hand: what a mouse pulls bodies by, as ordinary inputs.

For a hand called "hand" the model gets the inputs "hand grip" (the number of the body that is held,
from 1 in the order of the bodies; 0: none), "hand to x", "… y", "… z" (where it pulls, in the
world), "hand at x", … (the point of the body that it holds, in the body's frame), "hand stiffness"
and "hand damping"; the parameter "hand bound" [N]; and the force "hand". So a grab needs no other
structure, and what a mouse did is in the recording like any other input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.errors import InputError
from touchback.model import Frame, Model
from touchback.model.forces import Hand
from touchback.symbolic.expression import Expr
from touchback.system import System
from touchback.workbench.manipulate.copying import copied

HAND = "hand"
_WEIGHTS = 20.0  # of the whole mechanism: what a hand can pull at most
_EARTH = 9.81  # m/s², where there is no gravity to compare with


def grip_name(hand: str) -> str:
    """The input that says which body is held."""
    return f"{hand} grip"


def target_names(hand: str) -> tuple[str, str, str]:
    """The inputs that say where the hand pulls."""
    return f"{hand} to x", f"{hand} to y", f"{hand} to z"


def point_names(hand: str) -> tuple[str, str, str]:
    """The inputs that say by which point of the body it holds."""
    return f"{hand} at x", f"{hand} at y", f"{hand} at z"


def law_names(hand: str) -> tuple[str, str]:
    """The inputs of stiffness and damping."""
    return f"{hand} stiffness", f"{hand} damping"


def input_names(hand: str) -> tuple[str, ...]:
    """All inputs of a hand."""
    return grip_name(hand), *target_names(hand), *point_names(hand), *law_names(hand)


def bound_name(hand: str) -> str:
    """The parameter that bounds its force."""
    return f"{hand} bound"


def hands_of(model: Model) -> list[str]:
    """The hands that a model has."""
    return [name for name, force in model.forces.items() if isinstance(force, Hand)]


def equipped(model: Model, hands: Sequence[str] = (HAND,)) -> Model:
    """The same mechanism, flat, with hands (one, unless more are named) that hold nothing yet."""
    other = copied(model)
    if not other.bodies:
        raise InputError(f"Model '{model.name}': it has no body that a hand could hold.")
    for hand in hands:
        if hand not in hands_of(other):
            _add(other, hand)
    return other


def with_hand(system: System) -> System:
    """The same system with a hand; as it is where it has one, or is a row of copies."""
    if system.names or hands_of(system.model) or not system.model.bodies:
        return system
    other = equipped(system.model).compile()
    for name, value in system.parameters.items():
        other[name] = value
    return other


def _add(model: Model, hand: str) -> None:
    def vector(names: tuple[str, str, str]) -> tuple[Expr, Expr, Expr]:
        x, y, z = (model.input(name, "m") for name in names)
        return x, y, z

    grip = model.input(grip_name(hand))
    target, point = vector(target_names(hand)), vector(point_names(hand))
    stiffness, damping = law_names(hand)
    model.force(
        hand,
        Hand(
            tuple(Frame(body) for body in model.bodies), grip, target, point,
            model.input(stiffness, "N/m"), model.input(damping, "N s/m"),
            model.parameter(bound_name(hand), bound_of(model), "N", min=0.0),
        ),
    )  # fmt: skip


def mass_of(model: Model, parameters: Mapping[str, float] | None = None) -> float:
    """The mass of all bodies [kg]."""
    instant = float_instant(model, parameters=parameters)
    return float(sum(instant.value(body.mass) for body in model.bodies.values()))


def bound_of(model: Model) -> float:
    """The default bound of a hand's force: twenty times the weight of the mechanism [N]."""
    gravity = [float(float_instant(model).value(x)) for x in model.gravity]
    return _WEIGHTS * (float(np.linalg.norm(gravity)) or _EARTH) * mass_of(model) or 1.0
