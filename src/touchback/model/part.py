"""Sub-models: a model inside a model, and how a model with parts becomes one without."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from touchback.errors import ModelError
from touchback.model.frame import AXES, GROUND, Frame
from touchback.model.modes import renamed_mode, renamed_transition
from touchback.model.value import Value
from touchback.model.walk import mapped
from touchback.spatial import Rotation, Turn
from touchback.symbolic.expression import Expr
from touchback.symbolic.scalars import Operators
from touchback.symbolic.translate import Translator

if TYPE_CHECKING:
    from touchback.model.model import Model
    from touchback.symbolic.tape import Tape


LARGEST = 100_000  # things in a model with all its parts
OWN = ("parameters", "inputs", "states", "controls", "tables", "modes", "transitions")
MECHANICS = (
    "bodies", "shapes", "joints", "forces", "contacts", "sensors", "closures", "couplings",
    "constraints", "drives",
)  # fmt: skip


@dataclass(frozen=True)
class Part:
    """A copy of `model` with its ground at the frame `at`; `share` and `bind` as in `Model.add`."""

    model: Model
    at: Frame
    share: tuple[str, ...]
    bind: dict[str, Value]

    def bound(self, name: str, tape: Tape) -> int:
        """The node of a bound parameter on the outer model's tape."""
        given = self.bind[name]
        return given.id if isinstance(given, Expr) else tape.const(given)


def size_of(model: Model, known: dict[int, int] | None = None) -> int:
    """How many named things a model has with all copies of its parts, each counted as often as it
    stands there; `known` has sizes by identity, since parts of parts may multiply."""
    known = {} if known is None else known
    if id(model) not in known:
        own = sum(len(getattr(model, kind)) for kind in (*OWN, *MECHANICS))
        parts = sum(1 + size_of(part.model, known) for part in model.parts.values())
        known[id(model)] = own + parts
    return known[id(model)]


def check_size(label: str, model: Model, part: Model | None = None) -> None:
    """Refuse a model that has, or with one more part would have, too many things to be derived."""
    size = size_of(model) + (1 + size_of(part) if part is not None else 0)
    if size > LARGEST:
        raise ModelError(
            f"{label}: the model would have {size} things (bodies, joints, signals, …, of all "
            f"parts); at most {LARGEST} are allowed. Take fewer copies."
        )


def flatten(model: Model) -> Model:
    """The same mechanism without parts: names prefixed, frames composed, one tape."""
    from touchback.model.model import Model

    check_size(f"Model '{model.name}'", model)
    if not model.parts:
        return model
    flat = Model(model.name, model.gravity)
    flat.tape = model.tape
    flat.base = model.base
    flat.reported = model.reported
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
    for name, rated in inner.imported.get("ratings", {}).items():
        flat.imported["ratings"][f"{prefix}/{name}"] = rated

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
            getattr(flat, kind)[f"{prefix}/{name}"] = mapped(data, expression, frame, joint)
    for name, control in inner.controls.items():
        copied = mapped(control, expression, frame, joint)
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
