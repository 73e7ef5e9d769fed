"""Inertias that differ from direction to direction: of articulated bodies, and of fluid that a body
carries along. N = J ω̇ + H a, F = Hᵀ ω̇ + M a."""

from dataclasses import dataclass

from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial.rotation import Rotation
from touchback.spatial.vectors import Vectors, skew
from touchback.symbolic import Scalars


@dataclass
class Articulated:
    """Inertia about a link's origin, in link axes; J and M are symmetric."""

    J: Matrix
    H: Matrix
    M: Matrix

    @staticmethod
    def diagonal(mass: Vector, inertia: Vector) -> "Articulated":
        """With these masses along and moments about the axes of a frame."""
        return Articulated(
            [[inertia[0], 0, 0], [0, inertia[1], 0], [0, 0, inertia[2]]],
            [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
            [[mass[0], 0, 0], [0, mass[1], 0], [0, 0, mass[2]]],
        )

    def plus(self, k: Scalars, other: "Articulated") -> "Articulated":
        return Articulated(
            _plus_symmetric(k, self.J, other.J),
            Vectors(k).matrix_add(self.H, other.H),
            _plus_symmetric(k, self.M, other.M),
        )

    def turned_up(self, k: Scalars, rotation: Rotation) -> "Articulated":
        """In the axes of A, from those of B, where rotation is R_AB."""
        return Articulated(
            rotation.up_symmetric(k, self.J),
            rotation.up_general(k, self.H),
            rotation.up_symmetric(k, self.M),
        )

    def shifted(self, k: Scalars, r: Vector) -> "Articulated":
        """About a point from which the present origin is at r: H' = H + r̃ M, J' = J − H r̃ + r̃
        H'ᵀ."""
        if all(isinstance(x, int) and x == 0 for x in r):
            return self
        vectors, add, mul = Vectors(k), k.add, k.mul
        J, H, M = self.J, self.H, self.M
        H_new: list[list[Scalar]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        for j in range(3):
            column = vectors.cross(r, [M[0][j], M[1][j], M[2][j]])
            for i in range(3):
                H_new[i][j] = add(H[i][j], column[i])
        r_skew = skew(r)
        J_new: list[list[Scalar]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        for i in range(3):
            for j in range(i, 3):
                entry = J[i][j]
                for c in range(3):
                    entry = add(entry, -mul(H[i][c], r_skew[c][j]))
                    entry = add(entry, mul(r_skew[i][c], H_new[j][c]))
                J_new[i][j] = J_new[j][i] = entry
        return Articulated(J_new, H_new, M)

    def wrench(self, k: Scalars, angular: Vector, linear: Vector) -> tuple[Vector, Vector]:
        """Force and moment that these accelerations need."""
        vectors = Vectors(k)
        F = vectors.add(vectors.apply_transposed(self.H, angular), vectors.apply(self.M, linear))
        N = vectors.add(vectors.apply(self.J, angular), vectors.apply(self.H, linear))
        return F, N


def _plus_symmetric(k: Scalars, A: Matrix, B: Matrix) -> list[list[Scalar]]:
    upper = {(i, j): k.add(A[i][j], B[i][j]) for i in range(3) for j in range(i, 3)}
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
