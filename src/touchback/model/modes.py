"""The part of a model that describes modes, and the transitions between them.

A mode is a set of constraints that act, a transition says when another mode follows and what jumps
there (Gillespie 1996, eq. 3.7–3.14). The order of modes is decided while the mechanism runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import field

from touchback.errors import ModelError
from touchback.model.constrained import Constrained
from touchback.model.names import check_name
from touchback.model.value import Components, Data, Value, listed, number, value
from touchback.model.walk import truth
from touchback.symbolic.expression import Expr

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


class ModelModes(Constrained):
    """A description with modes, in each of which some of its constraints act."""

    def __init__(self, name: str, gravity: Components) -> None:
        super().__init__(name, gravity)
        self.modes: dict[str, Mode] = {}
        self.transitions: dict[str, Transition] = {}
        self.described: Any = (
            None  # of a model in one of its modes or without its parts: that with all of them
        )

    def mode(
        self,
        name: str,
        active: Sequence[str] = (),
        tracking: Mapping[str | tuple[str, int], Value] | None = None,
        readouts: Mapping[str, Value] | None = None,
        initial: bool = False,
    ) -> None:
        """A mode: names of the constraints that act in it. The first mode described is the one to
        start in, unless another says `initial`.

        `tracking` keeps idle coordinates where they will be needed: {"joint": expression}, or
        {("joint", index): expression}. Each is a constraint named "mode tracks joint", kept by the
        effort of that coordinate alone, so that nothing else feels it (Gillespie's artificial
        constraints). `readouts` says what sensors of the kind tb.Readout show in this mode."""
        check_name("Mode", name)
        label = f"Mode '{name}'"
        self._refuse_known("mode", name, self.modes)
        named = _names(f"{label}: active", active)
        followed = _mapping(f"{label}: tracking", tracking, '{"joint": expression}')
        tracked = tuple(self._track(name, *item) for item in followed.items())
        said = _mapping(f"{label}: readouts", readouts, '{"sensor": expression}')
        shown = {key: value(f"{label}: {key}", item) for key, item in said.items()}
        made = Mode((*named, *tracked), shown, truth(f"{label}: initial", initial))
        self.modes[name] = self._own(label, made)

    def _track(self, mode: str, followed: str | tuple[str, int], goal: Value) -> str:
        pair = followed if isinstance(followed, tuple) else (followed, 0)
        if [type(item) for item in pair] != [str, int]:
            raise ModelError(
                f"Mode '{mode}': tracking: what tracks is a joint, or a joint and the index of its "
                f"coordinate, got {followed!r}."
            )
        joint, index = pair
        which = joint.replace("/", " ") + (f" {index}" if index else "")
        name = f"{mode} tracks {which}"
        given = value(f"Mode '{mode}': tracking '{joint}'", goal)
        self.constrain(name, self.coordinate(joint, index) - given, through=(joint, index))
        return name

    def transition(
        self,
        name: str,
        source: str | Sequence[str],
        target: str | None,
        when: Value,
        direction: int = -1,
        reset: Mapping[str, Value] | None = None,
        impact: Sequence[str] = (),
        restitution: Value | Mapping[str, Value] = 0.0,
        law: str = "newton",
        rest: str | None = None,
        rest_speed: float = 1e-6,
    ) -> None:
        """Leave the mode `source` (or any of several) for `target` (None: the mode stays the one it
        was) when an indicator passes zero: `when` is an expression of coordinates, sensors (forces
        too), time, inputs and states; `direction` −1 wants it falling (the mode lasts while it is
        positive), +1 rising, 0 both.

        `reset` gives states other values: {"v:hammer": −0.9 * m.rate("hammer")}. `impact` names
        constraints that are struck, `restitution` how they rebound: one number, or one for each
        {"contact": 0.5}; `law` "newton" compares velocities, v⁺ = −e v⁻, "poisson" impulses. With
        `rest`, contacts that rebound slower than `rest_speed` [m/s] stay: that mode follows, and no
        bounce comes after ever shorter ones."""
        check_name("Transition", name)
        label = f"Transition '{name}'"
        self._refuse_known("transition", name, self.transitions)
        if type(direction) is not int or direction not in (-1, 0, 1):
            raise ModelError(
                f"{label}: direction is -1 (falling), +1 (rising) or 0 (both), got {direction!r}."
            )
        if law not in LAWS:
            raise ModelError(f"{label}: law is 'newton' or 'poisson', got {law!r}.")
        struck = _names(f"{label}: impact", impact)
        resets = _mapping(f"{label}: reset", reset, '{"v:joint": expression}')
        made = Transition(
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
        self.transitions[name] = self._own(label, made)


def _names(label: str, given: object) -> tuple[str, ...]:
    items = [item for item in listed(given) or [None] if isinstance(item, str)]
    if items != listed(given):
        raise ModelError(f"{label}: a list of names is expected, got {given!r}.")
    for place, name in enumerate(items):
        if name in items[:place]:
            raise ModelError(f"{label}: it names '{name}' twice; name each once.")
    return tuple(items)


def _mapping(label: str, given: Mapping[_K, Value] | None, example: str) -> Mapping[_K, Value]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ModelError(f"{label}: a mapping such as {example} is expected, got {given!r}.")
    return given


def _sources(label: str, given: object) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else _names(f"{label}: source", given)
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
