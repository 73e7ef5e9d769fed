"""One axis at which a device and what it touches meet: motion out, force in, along any frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from touchback import AxisEffort, AxisMotion, Expr, Frame, Model
from touchback.model import Place, Value, as_frame


@dataclass(frozen=True)
class AxisPort:
    """An axis of a device in a model: `position` [m, rad] and `velocity` of its frame along or
    about an axis, as a display takes them, and `push` for the force or torque of its motor there.
    Force times velocity is the power that goes in. A device has up to six."""

    name: str
    position: Expr
    velocity: Expr
    _model: Model
    _frame: Frame
    _reference: Frame
    _axis: str | tuple[float, float, float]
    _turning: bool

    @classmethod
    def add(
        cls,
        model: Model,
        name: str,
        frame: Place,
        axis: str | Sequence[float] = "z",
        *,
        reference: Place | None = None,
        turning: bool = False,
    ) -> AxisPort:
        """Reads a frame along, or `turning`, about an axis of `reference`, the ground without one;
        both may move. Sensors "name.position" and "name.rate" are in recordings."""
        at, base = (
            as_frame(f"AxisPort '{name}'", frame),
            as_frame(f"AxisPort '{name}'", reference or model.ground),
        )
        way = axis if isinstance(axis, str) else _three(axis)
        position, velocity = model.sensor(name, AxisMotion(at, base, way, turning))
        return cls(name, position, velocity, model, at, base, way, turning)

    def push(self, name: str, effort: Value) -> None:
        """A force of the model, called `name`: effort [N, N m] on the frame along the axis, and its
        reaction on the reference."""
        kind = AxisEffort(self._frame, self._reference, effort, self._axis, self._turning)
        self._model.force(name, kind)


def _three(axis: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (tuple(axis) + (float("nan"),) * 3)[:3]  # too few are refused by what takes them
    return x, y, z
