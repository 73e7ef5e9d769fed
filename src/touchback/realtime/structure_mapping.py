"""From one structure of a mechanism to another: which coordinates go on, and what freezes.

Between its two bodies a joint has a chain of elementary motions: a cylindrical one slides, then
turns. Another kind of joint in its place takes up the part of the chain that it can express (a
revolute one of the same axis the turn); what it can't freezes where it is, on the parent's side and
on the child's: each coordinate becomes a live parameter that places the joint's frame, named like
the coordinate ("hinge.slide"). Where a new joint can express nothing of the chain, all of it
freezes and the joint begins at no displacement beyond it. Nothing of a chain is ever forgotten, so
bodies stay where they are whatever kinds follow each other, and a later structure that has a
freedom again takes it up from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from touchback.errors import InputError
from touchback.model import Frame, Joint, Model, Motion, Parameter, Step, composed, turns_of

STATE, PARAMETER = "state", "parameter"


@dataclass(frozen=True)
class Source:
    """Where the run has a coordinate at present: in its state, or frozen in a parameter."""

    kind: str
    name: str


@dataclass(frozen=True)
class Piece:
    """A motion of a chain (or a constant rotation, without coordinates): a source and a unit for
    each position, and the present name of each velocity (frozen: none)."""

    step: Step
    positions: tuple[Source, ...] = ()
    units: tuple[str, ...] = ()
    velocities: tuple[str, ...] = ()


@dataclass(frozen=True)
class KnownJoint:
    """A joint with all that it ever was in this run: the chain from its parent's frame to its
    child's, and which part of it, from `start` to `stop`, moves at present."""

    ends: tuple[str, str]
    chain: tuple[Piece, ...]
    start: int
    stop: int

    @property
    def frozen(self) -> set[str]:
        """The parameters that hold frozen coordinates."""
        pieces = (*self.chain[: self.start], *self.chain[self.stop :])
        return {source.name for piece in pieces for source in piece.positions}


@dataclass(frozen=True)
class Structure:
    """A model with placements for what was frozen, the sources of its positions and velocities, the
    positions that begin at no displacement (those in neither start as the model says), the sources
    of its new parameters, and what is known of its joints; then extra states that begin where a
    coordinate or velocity of the run is."""

    model: Model
    positions: dict[str, Source]
    velocities: dict[str, str]
    neutral: dict[str, float]
    frozen: dict[str, Source]
    joints: dict[str, KnownJoint]
    states: dict[str, Source] = field(default_factory=dict)


def joints_of(model: Model) -> dict[str, KnownJoint]:
    """What is known of the joints of a run's first structure."""
    return {name: _known(name, joint) for name, joint in model.joints.items()}


def follow(known: dict[str, KnownJoint], new: Model, now: Callable[[Source], float]) -> Structure:
    """How a run with these joints goes on as another (flat) model; `now` tells where coordinates
    are about, which new parameters have as their defaults."""
    model = copy(new)
    model.joints, model.parameters = dict(new.joints), dict(new.parameters)
    found = Structure(model, {}, {}, {}, {}, {})
    for name, joint in new.joints.items():
        before, own = known.get(name), _known(name, joint)
        found.joints[name] = own
        if before is None or before.ends != own.ends:
            continue
        low, high = 0, len(before.chain)
        if before.frozen and before.frozen <= set(new.parameters):  # it is placed there already
            low, high = before.start, before.stop
        moving = (before.start - low, before.stop - low)
        start, stop = _take_up(found, before.chain[low:high], own.chain, moving)
        cuts = (low, low + start, low + stop, high)
        found.joints[name] = _freeze(found, name, before.chain, cuts, own, now)
    return found


def _known(name: str, joint: Joint) -> KnownJoint:
    q, v = joint.position_names(name), joint.velocity_names(name)
    units = joint.kind.position_units()
    chain, nq, nv = [], 0, 0
    for step in joint.kind.steps():
        if isinstance(step, np.ndarray):
            chain.append(Piece(step))
            continue
        places, nq, nv = slice(nq, nq + step.nq), nq + step.nq, nv + step.nv
        sources = tuple(Source(STATE, full) for full in q[places])
        chain.append(Piece(step, sources, tuple(units[places]), tuple(v[nv - step.nv : nv])))
    return KnownJoint((joint.parent.body, joint.child.body), tuple(chain), 0, len(chain))


# ---- what goes on -------------------------------------------------------------------------------


def _take_up(
    found: Structure, old: Sequence[Piece], new: Sequence[Piece], moving: tuple[int, int]
) -> tuple[int, int]:
    """Lets a new joint's motions go on where a chain has them, all of them or the chain as a whole,
    and begin at no displacement where it doesn't. Gives the part of the chain that goes on."""
    start, stop, first = _match(old, new, moving)
    for place, piece in enumerate(new):
        names = [source.name for source in piece.positions]
        there = place - first + start
        if start <= there < stop:
            found.positions.update(zip(names, old[there].positions, strict=True))
            if old[there].velocities:
                found.velocities.update(zip(piece.velocities, old[there].velocities, strict=True))
        elif isinstance(piece.step, Motion):
            found.neutral.update(zip(names, piece.step.neutral(), strict=True))
    return start, stop


def _match(
    old: Sequence[Piece], new: Sequence[Piece], moving: tuple[int, int]
) -> tuple[int, int, int]:
    """Where a chain goes on in a new joint: from and to which place of the chain, and from which of
    the joint. Of several, where most moves at present, and the last."""
    count = len(new)
    places = [i for i in range(len(old) - count + 1) if _same(old[i : i + count], new)]
    if places:
        best = max(places, key=lambda i: (min(i + count, moving[1]) - max(i, moving[0]), i))
        return best, best + count, 0
    for first in range(count - len(old), -1, -1):
        if old and _same(old, new[first : first + len(old)]):
            return 0, len(old), first
    return len(old), len(old), 0


def _same(a: Sequence[Piece], b: Sequence[Piece]) -> bool:
    return all(_same_step(x.step, y.step) for x, y in zip(a, b, strict=True))


def _same_step(a: Step, b: Step) -> bool:
    if isinstance(a, Motion) and isinstance(b, Motion):
        return a.same(b)
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)


# ---- freezing -----------------------------------------------------------------------------------


def _freeze(
    found: Structure,
    name: str,
    old: tuple[Piece, ...],
    cuts: tuple[int, int, int, int],
    own: KnownJoint,
    now: Callable[[Source], float],
) -> KnownJoint:
    """Gives a joint of the model the placements that the motions before and beyond its own left it
    at; returns what is known of it from then on. Of its old chain, what is outside of the outer two
    cuts is placed already, and what is within the inner two goes on in the joint."""
    joint = found.model.joints[name]
    low, start, stop, high = cuts
    placed = {source.name for piece in (*old[:low], *old[high:]) for source in piece.positions}
    taken = {*joint.position_names(name), *placed}
    frozen = [
        tuple(_frozen(found, name, piece, taken, now) for piece in pieces)
        for pieces in (old[low:start], old[stop:high])
    ]
    parent, child = joint.parent, joint.child
    for piece in frozen[0]:
        parent = composed(parent, _frame(found.model, parent.body, piece))
    for piece in reversed(frozen[1]):
        for part in _inverted(_frame(found.model, child.body, piece)):
            child = composed(child, part)
    found.model.joints[name] = msgspec.structs.replace(joint, parent=parent, child=child)
    chain = (*old[:low], *frozen[0], *own.chain, *frozen[1], *old[high:])
    return KnownJoint(own.ends, chain, start, start + len(own.chain))


def _frozen(
    found: Structure, joint: str, piece: Piece, taken: set[str], now: Callable[[Source], float]
) -> Piece:
    """A piece whose coordinates are parameters of the model, under names that aren't taken."""
    held = []
    for source, unit in zip(piece.positions, piece.units, strict=True):
        full = source.name
        while full in taken:
            full += " before"
        taken.add(full)
        _parameter(found.model, full, Parameter(now(source), unit), joint)
        found.frozen[full] = source
        held.append(Source(PARAMETER, full))
    return replace(piece, positions=tuple(held), velocities=())


def _parameter(model: Model, name: str, parameter: Parameter, joint: str) -> None:
    if name in model.signal_names():
        raise InputError(
            f"Joint '{joint}': where it stands would be kept in a parameter '{name}', but another "
            "signal has that name; rename it."
        )
    model.parameters[name] = parameter


def _frame(model: Model, body: str, piece: Piece) -> Frame:
    """Where a frozen piece puts the frame after it."""
    if isinstance(piece.step, np.ndarray):
        return Frame(body, (0.0, 0.0, 0.0), turns_of(piece.step.tolist()))
    return piece.step.placed(body, [model.signal(each.name) for each in piece.positions])


def _inverted(frame: Frame) -> tuple[Frame, Frame]:
    """From a frame back to its body: the turns, then the way."""
    x, y, z = frame.at
    back = tuple((axis, -angle) for axis, angle in reversed(frame.turn))
    return Frame(frame.body, (0.0, 0.0, 0.0), back), Frame(frame.body, (-x, -y, -z))
