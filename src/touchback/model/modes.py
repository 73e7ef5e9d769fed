"""Modes of a model, and the transitions between them.

A mode is a set of constraints that act, a transition says when another mode follows and what jumps
there (Gillespie 1996, eq. 3.7–3.14). The order of modes is decided while the mechanism runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from msgspec import field

from touchback.errors import ModelError
from touchback.model.value_or_expression import Data, Value, list_items, number, value
from touchback.symbolic import Expr

LAWS = ("newton", "poisson")
_K = TypeVar("_K", str, str | tuple[str, int])


class Mode(Data, frozen=True):
    """Names of the constraints that act in it, and what readouts show. A constraint that some mode
    or impact names acts only in the modes that name it; the others act as they say themselves."""

    active: tuple[str, ...] = ()
    readouts: dict[str, Value] = field(default_factory=dict)
    initial: bool = False


class Transition(Data, frozen=True):
    """From each of the modes `source` to the mode `target` (None: the same mode goes on) where
    `when` passes zero.

    Then, in this order: states in `reset` take their values (all computed before), positions move
    onto the constraints of the target, and velocities jump by impulses: M Δv = Jᵀ Λ over the whole
    mechanism, with the target's constraints met and every contact in `impact` rebounding by its
    `restitution`. Where contacts rebound slower than `rest_speed` [m/s], the mode `rest` follows
    instead."""

    source: tuple[str, ...]
    target: str | None
    when: Value
    direction: int = -1
    reset: dict[str, Value] = field(default_factory=dict)
    impact: tuple[str, ...] = ()
    restitution: dict[str, Value] = field(default_factory=dict)
    law: str = "newton"
    rest: str | None = None
    rest_speed: float = 1e-6

    def after(self, mode: str) -> str:
        """The mode that follows on a mode of the source."""
        return mode if self.target is None else self.target


def make_transition(
    label: str,
    source: str | Sequence[str],
    target: str | None,
    when: Value,
    direction: int,
    reset: Mapping[str, Value] | None,
    impact: Sequence[str],
    restitution: Value | Mapping[str, Value],
    law: str,
    rest: str | None,
    rest_speed: float,
) -> Transition:
    """A checked transition; the arguments are those of `Model.transition`."""
    if type(direction) is not int or direction not in (-1, 0, 1):
        raise ModelError(
            f"{label}: direction is -1 (falling), +1 (rising) or 0 (both), got {direction!r}."
        )
    if law not in LAWS:
        raise ModelError(f"{label}: law is 'newton' or 'poisson', got {law!r}.")
    struck = unique_names(f"{label}: impact", impact)
    resets = value_mapping(f"{label}: reset", reset, '{"v:joint": expression}')
    return Transition(
        _sources(label, source),
        target,
        _indicator(label, when),
        direction,
        {key: value(f"{label}: reset {key}", x) for key, x in resets.items()},
        struck,
        _restitutions(label, struck, restitution),
        law,
        rest,
        _rest_speed(label, rest_speed),
    )


def unique_names(label: str, given: object) -> tuple[str, ...]:
    """Names as a tuple; raises where one stands twice."""
    items = [item for item in list_items(given) or [None] if isinstance(item, str)]
    if items != list_items(given):
        raise ModelError(f"{label}: a list of names is expected, got {given!r}.")
    for place, name in enumerate(items):
        if name in items[:place]:
            raise ModelError(f"{label}: it names '{name}' twice; name each once.")
    return tuple(items)


def value_mapping(label: str, given: Mapping[_K, Value] | None, example: str) -> Mapping[_K, Value]:
    """A mapping as it is given, or an empty one."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError(f"{label}: a mapping such as {example} is expected, got {given!r}.")
    return given


def _sources(label: str, given: object) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else unique_names(f"{label}: source", given)
    if not names:
        raise ModelError(f"{label}: it leads away from no mode; name one or several as its source.")
    return names


def _indicator(label: str, when: object) -> Expr:
    if not isinstance(when, Expr):
        raise ModelError(
            f"{label}: `when` is an expression that passes zero, such as "
            f"m.coordinate('joint') - 0.1; got {when!r}."
        )
    if when.value is not None:
        raise ModelError(
            f"{label}: `when` is {when.value:g} whatever happens, and passes zero never; let it "
            "depend on coordinates, sensors, states, inputs or time."
        )
    return when


def _rest_speed(label: str, given: object) -> float:
    speed = number(f"{label}: rest_speed", given)
    if speed < 0.0:
        raise ModelError(f"{label}: rest_speed is a speed, zero or positive [m/s]; got {speed:g}.")
    return speed


def _restitutions(
    label: str, struck: tuple[str, ...], given: Value | Mapping[str, Value]
) -> dict[str, Value]:
    """One for each contact, from one for all or from a mapping; those of zero are left out."""
    named = dict(given) if isinstance(given, Mapping) else dict.fromkeys(struck, given)
    if not struck and (named or (not isinstance(given, Mapping) and given != 0.0)):
        raise ModelError(f"{label}: a restitution needs contacts to rebound: name them in impact.")
    for contact in named:
        if contact not in struck:
            raise ModelError(
                f"{label}: it has a restitution for '{contact}', which isn't in its impact; "
                f"struck are {', '.join(map(repr, struck))}."
            )
    found = {key: value(f"{label}: restitution of {key}", x) for key, x in named.items()}
    for contact, e in found.items():
        if not isinstance(e, Expr) and not 0.0 <= e <= 1.0:
            raise ModelError(
                f"{label}: the restitution of '{contact}' is {e}; it lies between 0 (plastic) and "
                "1 (elastic)."
            )
    return {key: e for key, e in found.items() if isinstance(e, Expr) or e != 0.0}


def renamed_mode(
    given: Mode, inner: Callable[[str], str], expression: Callable[[Value], Value]
) -> Mode:
    """A part's mode in the outer model."""
    return Mode(
        tuple(map(inner, given.active)),
        {inner(name): expression(shown) for name, shown in given.readouts.items()},
        given.initial,
    )


def renamed_transition(
    given: Transition,
    inner: Callable[[str], str],
    signal: Callable[[str], str],
    expression: Callable[[Value], Value],
) -> Transition:
    """A part's transition in the outer model; `signal` renames "v:joint" and the like."""
    return Transition(
        tuple(map(inner, given.source)),
        None if given.target is None else inner(given.target),
        expression(given.when),
        given.direction,
        {signal(name): expression(item) for name, item in given.reset.items()},
        tuple(map(inner, given.impact)),
        {inner(name): expression(item) for name, item in given.restitution.items()},
        given.law,
        None if given.rest is None else inner(given.rest),
        given.rest_speed,
    )
