"""What runs with rigid contacts check: their numbers, and overlaps at the start."""

import math
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, TypeGuard

import numpy as np

from touchback.contact import ContactKind
from touchback.dynamics.floats import float_instant
from touchback.errors import InputError
from touchback.model import Model
from touchback.model.walk import frames_of
from touchback.simulate.features import refuse
from touchback.simulate.protocol import Floats
from touchback.system import System

TOUCHING = 1e-9  # m: deeper is an overlap


def described_contacts(
    caller: str, system: System, given: Mapping[str, ContactKind] | None
) -> dict[str, ContactKind]:
    """The contacts that a model describes, with those given beside; a given one stands in for the
    model's of its name."""
    refuse(f"tb.{caller}", system)
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            f"{caller}: contacts are given by name, as {{'floor': tb.SpherePlaneContact(…)}}, got "
            f"{given!r}."
        )
    found = {**system.model.contacts, **(given or {})}
    if given is None and not found:
        raise InputError(
            f"{caller}: model '{system.name}' describes no rigid contacts; add some by "
            "`m.contact(name, tb.SpherePlaneContact(…))`, or give them by name."
        )
    return found


def length_scale(model: Model, contacts: Mapping[str, ContactKind], q: Floats) -> float:
    """How far apart the frames of contacts are at positions q [m]; 1 where all are at one place."""
    points = _places(model, contacts, q)
    return float(np.ptp(points, axis=0).max()) or 1.0 if len(points) else 1.0


def reach(model: Model, contacts: Mapping[str, ContactKind], q: Floats) -> float:
    """How far from the origin the frames of contacts are at positions q [m]: what rounds."""
    return float(np.abs(_places(model, contacts, q)).max(initial=0.0))


def _places(model: Model, contacts: Mapping[str, ContactKind], q: Floats) -> Floats:
    """Where the frames of contacts are, a row each [m]."""
    instant = float_instant(model, q)
    frames = [frame for kind in contacts.values() for frame in frames_of(kind)]
    points = [instant.position(frame) for frame in frames]
    return np.array(points, dtype=np.float64).reshape(-1, 3)


def is_real(given: Any) -> TypeGuard[float]:
    """Whether it is a number, of NumPy too, and no truth value."""
    return isinstance(given, Real) and not isinstance(given, bool)


def positive(caller: str, **numbers: Any) -> None:
    """Refuse what is no positive, finite number, by name."""
    for word, given in numbers.items():
        if not is_real(given) or not (math.isfinite(given) and given > 0.0):
            raise InputError(f"{caller}: {word} is {given!r}; give a positive number of seconds.")


def overlaps(names: Iterable[str], gaps: Iterable[float], outcome: str) -> list[str]:
    """A remark for each contact that overlaps at the start: which, how deep, what becomes of it."""
    return [
        f"At the start contact '{name}' overlaps by {-gap:.3g} m; {outcome}"
        for name, gap in zip(names, gaps, strict=True)
        if gap < -TOUCHING
    ]
