"""Spatial vectors over any scalars: twists (angular, linear) and wrenches (force, moment) about one
point, along one set of axes (Featherstone 2008 §2)."""

from touchback.numbers import Scalar, Vector
from touchback.spatial.vectors import Vectors
from touchback.symbolic import Scalars

Twist = tuple[Vector, Vector]  # angular, and linear of the body's point at the origin
Wrench = tuple[Vector, Vector]  # force, and moment about the origin


class Twists:
    """The algebra of twists and wrenches with the operations of the scalars `k`."""

    def __init__(self, k: Scalars) -> None:
        self.k, self._vectors = k, Vectors(k)

    def add(self, a: Twist, b: Twist) -> Twist:
        """Of two wrenches alike."""
        return self._vectors.add(a[0], b[0]), self._vectors.add(a[1], b[1])

    def scale(self, factor: Scalar, a: Twist) -> Twist:
        return self._vectors.scale(factor, a[0]), self._vectors.scale(factor, a[1])

    def cross(self, a: Twist, b: Twist) -> Twist:
        """a × b: how b changes when it is cross_wrench along by a."""
        cross = self._vectors.cross
        return cross(a[0], b[0]), self._vectors.add(cross(a[0], b[1]), cross(a[1], b[0]))

    def cross_wrench(self, a: Twist, wrench: Wrench) -> Wrench:
        """a ×* f: how a wrench changes when it is cross_wrench along by a."""
        cross = self._vectors.cross
        F, N = wrench
        return cross(a[0], F), self._vectors.add(cross(a[0], N), cross(a[1], F))

    def power(self, a: Twist, wrench: Wrench) -> Scalar:
        """a · f."""
        return self.k.add(self._vectors.dot(a[0], wrench[1]), self._vectors.dot(a[1], wrench[0]))
