"""Mass, first moment and pseudo-inertia of a body about a frame's origin, over any scalars.

The pseudo-inertia E = ∫ r rᵀ dm is related to the inertia tensor by J = tr(E) 1 − E. With B = ω̃̇ +
ω̃ω̃ the acceleration of a point is a + B r, so force and moment are m a + B h and  h × a + the
axial part of B E: fewer operations than with J (spike: the B form)."""

from collections.abc import Callable
from dataclasses import dataclass

from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial.rotation import Rotation
from touchback.spatial.vectors import Vectors
from touchback.symbolic import Scalars


@dataclass
class Inertia:
    """mass m [kg], first moment h = m r_com [kg m], pseudo-inertia E [kg m²], about and along one
    frame."""

    m: Scalar
    h: Vector
    E: Matrix

    @staticmethod
    def zero() -> "Inertia":
        return Inertia(0, [0, 0, 0], [[0, 0, 0], [0, 0, 0], [0, 0, 0]])

    @staticmethod
    def of_body(k: Scalars, mass: Scalar, com: Vector, tensor: Matrix) -> "Inertia":
        """From the mass, the centre of mass and the inertia tensor about the centre of mass."""
        vectors = Vectors(k)
        half_trace = k.mul(k.const(0.5), k.add(k.add(tensor[0][0], tensor[1][1]), tensor[2][2]))
        h = vectors.scale(mass, com)
        E: list[list[Scalar]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        for i in range(3):
            for j in range(i, 3):
                central = k.add(half_trace if i == j else 0, -tensor[i][j])
                E[i][j] = E[j][i] = k.add(central, k.mul(h[i], com[j]))
        return Inertia(mass, h, E)

    def tensor(self, k: Scalars) -> list[list[Scalar]]:
        """J = tr(E) 1 − E about the frame's origin."""
        E = self.E
        return [
            [
                k.add(E[(i + 1) % 3][(i + 1) % 3], E[(i + 2) % 3][(i + 2) % 3])
                if i == j
                else -E[i][j]
                for j in range(3)
            ]
            for i in range(3)
        ]

    def plus(self, k: Scalars, other: "Inertia") -> "Inertia":
        vectors = Vectors(k)
        return Inertia(
            k.add(self.m, other.m),
            vectors.add(self.h, other.h),
            _symmetric(lambda i, j: k.add(self.E[i][j], other.E[i][j])),
        )

    def shifted(self, k: Scalars, p: Vector) -> "Inertia":
        """About the point O where the present origin sits at p from O (same axes)."""
        vectors = Vectors(k)
        h = vectors.add(self.h, vectors.scale(self.m, p))
        add, mul = k.add, k.mul
        E = _symmetric(lambda i, j: add(self.E[i][j], add(mul(p[i], h[j]), mul(self.h[i], p[j]))))
        return Inertia(self.m, h, E)

    def turned_up(self, k: Scalars, rotation: Rotation) -> "Inertia":
        """In the axes of A, from those of B, where rotation is R_AB."""
        return Inertia(self.m, rotation.up(k, self.h), rotation.up_symmetric(k, self.E))


def _symmetric(entry: Callable[[int, int], Scalar]) -> list[list[Scalar]]:
    upper = {(i, j): entry(i, j) for i in range(3) for j in range(i, 3)}
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
