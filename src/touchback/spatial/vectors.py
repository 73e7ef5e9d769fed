"""Vectors, 3×3 matrices, twists and wrenches over any scalars: lists of three, and lists of three
rows."""

from touchback.numbers import Matrix, Scalar, Vector
from touchback.symbolic import Scalars

ZERO: Vector = (0, 0, 0)


IDENTITY: Matrix = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


class Vectors:
    """Vector algebra with the operations of the scalars `k`."""

    def __init__(self, k: Scalars) -> None:
        self.k = k
        self._add, self._mul = k.add, k.mul

    def add(self, a: Vector, b: Vector) -> list[Scalar]:
        add = self._add
        return [add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])]

    def sub(self, a: Vector, b: Vector) -> list[Scalar]:
        add = self._add
        return [add(a[0], -b[0]), add(a[1], -b[1]), add(a[2], -b[2])]

    def neg(self, a: Vector) -> list[Scalar]:
        return [-a[0], -a[1], -a[2]]

    def scale(self, factor: Scalar, a: Vector) -> list[Scalar]:
        mul = self._mul
        return [mul(factor, a[0]), mul(factor, a[1]), mul(factor, a[2])]

    def dot(self, a: Vector, b: Vector) -> Scalar:
        add, mul = self._add, self._mul
        return add(add(mul(a[0], b[0]), mul(a[1], b[1])), mul(a[2], b[2]))

    def cross(self, a: Vector, b: Vector) -> list[Scalar]:
        add, mul = self._add, self._mul
        return [
            add(mul(a[1], b[2]), -mul(a[2], b[1])),
            add(mul(a[2], b[0]), -mul(a[0], b[2])),
            add(mul(a[0], b[1]), -mul(a[1], b[0])),
        ]

    def norm(self, a: Vector) -> Scalar:
        return self.k.sqrt(self.dot(a, a))

    def apply(self, A: Matrix, b: Vector) -> list[Scalar]:
        """A b."""
        return [self.dot(A[0], b), self.dot(A[1], b), self.dot(A[2], b)]

    def apply_transposed(self, A: Matrix, b: Vector) -> list[Scalar]:
        """Aᵀ b."""
        return [self.dot([A[0][j], A[1][j], A[2][j]], b) for j in range(3)]

    def product(self, A: Matrix, B: Matrix) -> list[list[Scalar]]:
        """A B."""
        columns = [[B[0][j], B[1][j], B[2][j]] for j in range(3)]
        return [[self.dot(A[i], columns[j]) for j in range(3)] for i in range(3)]

    def matrix_add(self, A: Matrix, B: Matrix) -> list[list[Scalar]]:
        add = self._add
        return [[add(A[i][j], B[i][j]) for j in range(3)] for i in range(3)]

    def congruence(self, R: Matrix, A: Matrix) -> list[list[Scalar]]:
        """R A Rᵀ of a symmetric A."""
        RA = self.product(R, A)
        upper = {(i, j): self.dot(RA[i], R[j]) for i in range(3) for j in range(i, 3)}
        return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]


def transpose(A: Matrix) -> list[list[Scalar]]:
    """Aᵀ."""
    return [[A[0][j], A[1][j], A[2][j]] for j in range(3)]


def skew(a: Vector) -> list[list[Scalar]]:
    """The matrix ã with ã b = a × b."""
    return [[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]]


# Spatial vectors: twists and wrenches about one point, along one set of axes (Featherstone 2008,
# §2).

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
