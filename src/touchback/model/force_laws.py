"""Laws of forces that are Python functions: what they give of the model's signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from touchback.arguments import check_takes
from touchback.errors import ModelError
from touchback.model.forces import ForceKind, JointEffort, LinkForce
from touchback.model.sensors import Distance
from touchback.model.value import Value

if TYPE_CHECKING:
    from touchback.model.model import Model


def traced(model: Model, name: str, kind: ForceKind) -> ForceKind:
    """The force with a law that is a Python function replaced by what it returns."""
    label = f"Force '{name}': its law"
    if isinstance(kind, JointEffort) and (law := _function(kind.effort)):
        check_takes(label, law, ["the coordinate", "its rate"], ModelError)
        signals = model.coordinate(kind.joint, kind.index), model.rate(kind.joint, kind.index)
        return JointEffort(kind.joint, law(*signals), kind.index)
    if isinstance(kind, LinkForce) and (law := _function(kind.tension)):
        check_takes(label, law, ["the length", "its rate"], ModelError)
        line = model.sensor(f"{name} line", Distance(kind.a, kind.b))
        return LinkForce(kind.a, kind.b, law(*line))
    return kind


def _function(law: object) -> Callable[..., Value] | None:
    return law if callable(law) else None
