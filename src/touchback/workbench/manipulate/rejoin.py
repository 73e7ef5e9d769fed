"""Another kind for a joint of a model, with everything that depended on its coordinates."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from copy import copy

from msgspec.structs import replace

from touchback.errors import InputError
from touchback.model import Model
from touchback.model.data_walk import mapped
from touchback.model.joints import Joint, JointKind, make_joint
from touchback.model.joints.joint import OPTIONS
from touchback.model.model import MECHANICS
from touchback.realtime.restructure import Structure, follow, joints_of
from touchback.symbolic.expression import Expr
from touchback.symbolic.translate import Translator

_PER_COORDINATE = ("spring", "rest", "damping", "friction", "armature", "limits")


def rejoin(model: Model, name: str, kind: JointKind, stood: Mapping[str, float]) -> list[str]:
    """Gives a joint of a (copied) model another kind.

    What its coordinates were told to do goes on with those that stay. Where one vanishes, what acts
    in it rests (an effort in a rigid joint does nothing), and laws that read it see where it
    `stood`, at rest. Gives the names of forces and sensors that rest; couplings and drives are
    refused."""
    before = _before(model)
    old = model.joints[name]
    model.joints[name] = Joint(kind, old.parent, old.child)
    goes_on = follow(joints_of(before), model, lambda source: 0.0)
    kept = _kept(name, old, kind, goes_on)
    model.joints[name] = _with_options(name, old, kind, kept)
    _refuse_ties(model, name, old, kept)
    rests = _move_efforts(model, name, kept)
    _rename(model, name, old, goes_on, stood)
    return rests


def _before(model: Model) -> Model:
    """The model with joints of its own."""
    other = copy(model)
    other.joints = dict(model.joints)
    return other


def with_options(name: str, joint: Joint, changes: Mapping[str, object]) -> Joint:
    """A joint with some options changed, all checked."""
    own = {word: getattr(joint, word) for word in OPTIONS if getattr(joint, word) not in ((), None)}
    given = {word: item for word, item in {**own, **changes}.items() if item not in ((), None)}
    return make_joint(name, joint.kind, joint.parent, joint.child, given)


def _kept(name: str, old: Joint, kind: JointKind, goes_on: Structure) -> dict[int, int]:
    """Which velocity coordinate of the new kind goes on with which one of the old, by place."""
    new = Joint(kind, old.parent, old.child)
    places = {full: i for i, full in enumerate(old.velocity_names(name))}
    return {
        i: places[goes_on.velocities[full]]
        for i, full in enumerate(new.velocity_names(name))
        if goes_on.velocities.get(full) in places
    }


def _with_options(name: str, old: Joint, kind: JointKind, kept: dict[int, int]) -> Joint:
    """The new joint with what was said of coordinates that go on."""
    changes: dict[str, object] = {}
    plain = kind.nq == kind.nv
    for word in _PER_COORDINATE:
        own = getattr(old, word)
        if not own or not kept or (word in ("spring", "rest", "limits") and not plain):
            continue
        nothing: object = (-1e9, 1e9) if word == "limits" else 0.0
        changes[word] = [own[kept[i]] if i in kept else nothing for i in range(kind.nv)]
    if "limits" in changes and old.stop is not None:
        changes["stop"] = old.stop
    changes["friction_speed"] = old.friction_speed
    return make_joint(name, kind, old.parent, old.child, changes)


def _refuse_ties(model: Model, name: str, old: Joint, kept: dict[int, int]) -> None:
    """Couplings, drives and servo-constraints name coordinates that must be there."""
    gone = old.kind.nv > 0 and (
        len(kept) < old.kind.nv or any(new != place for new, place in kept.items())
    )
    if not gone:
        return
    tied = [
        *(f"coupling '{key}'" for key, each in model.couplings.items()
          if any(joint.partition(".")[0] == name or joint == name for joint, _, _ in each.terms())),
        *(f"drive '{key}'" for key, each in model.drives.items() if each.joint == name),
        *(f"constraint '{key}'" for key, each in model.constraints.items()
          if each.through and each.through[0] == name),
    ]  # fmt: skip
    if tied:
        raise InputError(
            f"Joint '{name}': {', '.join(tied)} needs its coordinates as they are; take that away "
            "first."
        )


def _move_efforts(model: Model, name: str, kept: dict[int, int]) -> list[str]:
    """Efforts and their sensors at coordinates that go on; those of others rest."""
    places, rests = {old: new for new, old in kept.items()}, []
    for section in ("forces", "sensors"):
        items = getattr(model, section)
        for key, item in list(items.items()):
            if getattr(item, "joint", None) != name or not hasattr(item, "index"):
                continue
            if item.index in places:
                items[key] = replace(item, index=places[item.index])
            else:
                rests.append(key)
                del items[key]
    if model.reported is not None:
        model.reported = tuple(key for key in model.reported if key not in rests)
    return rests


def _rename(
    model: Model, name: str, old: Joint, goes_on: Structure, stood: Mapping[str, float]
) -> None:
    """Expressions read a coordinate under its new name, or where it stood."""
    new_q = {source.name: full for full, source in goes_on.positions.items()}
    new_v = {was: full for full, was in goes_on.velocities.items()}
    tape = model.tape
    found: dict[str, int] = {}
    for full in old.position_names(name):
        number = tape.const(stood.get(full, 0.0))
        found[f"q:{full}"] = tape.symbol(f"q:{new_q[full]}") if full in new_q else number
    for full in old.velocity_names(name):
        found[f"v:{full}"] = tape.symbol(f"v:{new_v[full]}") if full in new_v else 0

    def resolve(symbol: Hashable) -> int:
        known = found.get(str(symbol))
        return tape.symbol(symbol) if known is None else known

    translate = Translator(tape, tape, resolve)

    def expression(given: Expr) -> Expr:
        return Expr(tape, translate(given.id))

    for section in (*MECHANICS, "states", "controls", "modes", "transitions"):
        items = getattr(model, section)
        for key, item in items.items():
            items[key] = mapped(item, expression, lambda frame: frame, lambda joint: joint)
