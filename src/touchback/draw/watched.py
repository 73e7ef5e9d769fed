"""Where forces push at an instant, to be drawn as arrows."""

from functools import cached_property

from touchback.dynamics import Instant
from touchback.errors import ModelError
from touchback.model.forces import Hand, Wrench
from touchback.model.frame import GROUND, Frame
from touchback.model.value import Triple, is_zero
from touchback.spatial.vectors import Vector


class Watched(Instant):
    """An instant that remembers where forces push, by the name of the force."""

    acting = ""
    beside: Triple = (0.0, 0.0, 0.0)  # of the frame that is pushed, along its axes
    shown_at: Vector | None = None  # where the force says itself

    @cached_property
    def pushes(self) -> dict[str, tuple[Vector, Vector]]:
        return {}

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        if frame.body == GROUND:  # which feels the opposite of what is shown already
            return
        known = self.acting in self.pushes
        label = f"{self.acting} on {frame.body}" if known else self.acting
        self.pushes[label] = self._point(frame), force

    def _point(self, frame: Frame) -> Vector:
        """Where a push on a frame is."""
        if self.shown_at is not None:
            return self.shown_at
        origin = self.position(frame)
        if all(map(is_zero, self.beside)):
            return origin
        arm = [self.value(component) for component in self.beside]
        return self.vectors.add(origin, self.vectors.apply(self.rotation(frame), arm))

    def act(self) -> dict[str, tuple[Vector, Vector]]:
        """Where forces push and how, by name; those that ask for what isn't known are left out."""
        for name, kind in self.model.forces.items():
            self.acting = name
            self.beside = kind.point if isinstance(kind, Hand | Wrench) else (0.0, 0.0, 0.0)
            try:
                self.shown_at = kind.shown_at(self)
                kind.apply(self)
            except (ModelError, KeyError):
                continue
        return self.pushes
