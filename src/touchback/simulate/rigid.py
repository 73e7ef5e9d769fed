"""What runs with rigid contacts check: their numbers, and overlaps at the start."""

from collections.abc import Iterable, Mapping

import numpy as np

from touchback.contact import ContactKind
from touchback.dynamics.floats import float_instant
from touchback.errors import InputError
from touchback.model import Model
from touchback.model.names import check_name
from touchback.model.walk import frames_of
from touchback.numbers import shown
from touchback.simulate.protocol import Floats
from touchback.system import System

TOUCHING = 1e-9  # m: deeper is an overlap


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


def contacts_of(
    system: System, given: Mapping[str, ContactKind] | None
) -> tuple[System, dict[str, ContactKind]]:
    """The system, and the contacts that its model describes, with those given beside; a given one
    stands in for the model's of its name."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            f"{system.name}: contacts are given by name, as {{'floor': "
            f"tb.contact.SpherePlaneContact(…)}}, got {shown(given)}."
        )
    for name in given or {}:
        check_name("contact", name)
    found = {**system.model.contacts, **(given or {})}
    if given is None and not found:
        raise InputError(
            f"Model '{system.name}' describes no rigid contacts; add some by "
            "`m.contact(name, tb.contact.SpherePlaneContact(…))`, or give them by name."
        )
    return system, found


def overlaps(names: Iterable[str], gaps: Iterable[float], outcome: str) -> list[str]:
    """A remark for each contact that overlaps at the start: which, how deep, what becomes of it."""
    return [
        f"At the start contact '{name}' overlaps by {-gap:.3g} m; {outcome}"
        for name, gap in zip(names, gaps, strict=True)
        if gap < -TOUCHING
    ]


def unmeasured(sensors: Iterable[str], stepped: bool) -> list[str]:
    """A remark for each sensor that a run doesn't record, and why."""
    why = (
        "accelerations or forces, of which time stepping knows only what they did within a step; "
        "use method='event-driven', or"
        if stepped
        else "forces that contacts exert on single bodies, of which only their effect on the "
        "coordinates is known;"
    )
    return [
        f"Sensor '{name}' is not recorded: it depends on {why} read the contact's own signals."
        for name in sensors
    ]
