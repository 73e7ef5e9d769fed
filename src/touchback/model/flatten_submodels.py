"""Sub-models: a model inside a model, and how a model with parts becomes one without."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from touchback.model.field_traversal import map_fields
from touchback.model.frame import AXES, GROUND, Frame
from touchback.model.model import MECHANICS, OWN, Model, Part
from touchback.model.modes import renamed_mode, renamed_transition
from touchback.model.value_or_expression import Value
from touchback.spatial import Rotation, Turn
from touchback.symbolic import Expr, Operators, Translator


def flatten(model: Model) -> Model:
    """The same mechanism without parts: names prefixed, frames composed, one tape."""
    model.check_size(f"Model '{model.name}'")
    if not model.parts:
        return model
    flat = Model(model.name, model.gravity)
    flat.tape = model.tape
    flat.bodies.owner = flat.ground.owner = model.ground.owner
    flat.base = model.base
    flat.reported = model.reported
    if model.imported:
        flat.imported = {"ratings": dict(model.imported.get("ratings", {}))}
    for kind in (*OWN, *MECHANICS):
        getattr(flat, kind).update(getattr(model, kind))
    for prefix, part in model.parts.items():
        _graft(flat, prefix, part)
    flat.described = model.described or model
    return flat


def _graft(flat: Model, prefix: str, part: Part) -> None:
    inner = flatten(part.model)
    rename = _renaming(prefix, part)

    def resolve(name: Hashable) -> int:
        symbol = str(name)
        if symbol in part.bind:
            return part.bound(symbol, flat.tape)
        return flat.tape.symbol(rename(symbol))

    translate = Translator(inner.tape, flat.tape, resolve)
    if inner.imported:  # a drawing's own part isn't shown as a robot's file
        ratings = flat.imported.setdefault("ratings", {})
        for name, rated in inner.imported.get("ratings", {}).items():
            ratings[f"{prefix}/{name}"] = rated

    def expression(given: Expr) -> Expr:
        return Expr(flat.tape, translate(given.id))

    def joint(name: str) -> str:
        return f"{prefix}/{name}"

    def frame(given: Frame) -> Frame:
        x, y, z = (_translated(item, expression) for item in given.at)
        turn = tuple((axis, _translated(angle, expression)) for axis, angle in given.turn)
        own = Frame(given.body, (x, y, z), turn)
        if own.body == GROUND:
            return composed(part.at, own)
        return Frame(f"{prefix}/{own.body}", own.at, own.turn)

    for name, parameter in inner.parameters.items():
        if name not in part.share and name not in part.bind:
            flat.parameters[f"{prefix}/{name}"] = parameter
    for kind in ("inputs", "states", "tables", *MECHANICS):
        for name, data in getattr(inner, kind).items():
            getattr(flat, kind)[f"{prefix}/{name}"] = map_fields(data, expression, frame, joint)
    for name, control in inner.controls.items():
        copied = map_fields(control, expression, frame, joint)
        drives = {f"{prefix}/{target}": driven for target, driven in copied.drives.items()}
        stands_in = f"{prefix}/{control.instead_of}" if control.instead_of else ""
        flat.controls[f"{prefix}/{name}"] = type(control)(drives, stands_in)

    def inside(given: Value) -> Value:
        return _translated(given, expression)

    for name, mode in inner.modes.items():
        flat.modes[joint(name)] = renamed_mode(mode, joint, inside)
    for name, each in inner.transitions.items():
        flat.transitions[joint(name)] = renamed_transition(each, joint, rename, inside)


def _renaming(prefix: str, part: Part) -> Callable[[str], str]:
    def rename(symbol: str) -> str:
        if symbol == "time" or symbol in part.share:
            return symbol
        kind, _, rest = symbol.rpartition(":")
        return f"{kind}:{prefix}/{rest}" if kind else f"{prefix}/{symbol}"

    return rename


def _translated(item: Value, expression: Callable[[Expr], Expr]) -> Value:
    return expression(item) if isinstance(item, Expr) else item


def composed(outer: Frame, inner: Frame) -> Frame:
    """The frame `inner`, given relative to `outer`, as a frame of outer's body."""
    k = Operators()
    turned = Rotation([Turn(AXES[axis], *k.sincos(angle)) for axis, angle in outer.turn]).up(
        k, inner.at
    )
    x, y, z = (_plus(a, b) for a, b in zip(outer.at, turned, strict=True))
    return Frame(outer.body, (x, y, z), outer.turn + inner.turn)


def _plus(a: Value, b: Value) -> Value:
    total = a + b
    return total if isinstance(total, Expr) else float(total)
