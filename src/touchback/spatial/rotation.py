"""Rotations as products of parts: turns about coordinate axes (cheap) and full matrices.

R_AB rotates components from B to A: `up` (from B to A, towards the root of a tree) and `down` (from
A to B). A turn costs 4 multiplications and 2 additions a vector, a matrix 9 and 6; symmetric
matrices under a turn use the double-angle form, which needs 8 multiplications."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial.vectors import Vectors, transpose
from touchback.symbolic import Scalars


class Part(Protocol):
    """One factor of a rotation."""

    def up(self, k: Scalars, a: Vector) -> list[Scalar]: ...
    def down(self, k: Scalars, a: Vector) -> list[Scalar]: ...
    def up_symmetric(self, k: Scalars, A: Matrix) -> list[list[Scalar]]: ...
    def up_general(self, k: Scalars, A: Matrix) -> list[list[Scalar]]: ...
    def times(self, k: Scalars, A: Matrix) -> list[list[Scalar]]: ...


@dataclass(frozen=True)
class Turn:
    """Rotation about coordinate axis 0, 1 or 2 by an angle given by its sine and cosine."""

    axis: int
    sine: Scalar
    cosine: Scalar

    def up(self, k: Scalars, a: Vector) -> list[Scalar]:
        add, mul, s, c = k.add, k.mul, self.sine, self.cosine
        u, v = (self.axis + 1) % 3, (self.axis + 2) % 3
        r = [a[0], a[1], a[2]]
        r[u] = add(mul(c, a[u]), -mul(s, a[v]))
        r[v] = add(mul(s, a[u]), mul(c, a[v]))
        return r

    def down(self, k: Scalars, a: Vector) -> list[Scalar]:
        add, mul, s, c = k.add, k.mul, self.sine, self.cosine
        u, v = (self.axis + 1) % 3, (self.axis + 2) % 3
        r = [a[0], a[1], a[2]]
        r[u] = add(mul(c, a[u]), mul(s, a[v]))
        r[v] = add(mul(c, a[v]), -mul(s, a[u]))
        return r

    def up_symmetric(self, k: Scalars, A: Matrix) -> list[list[Scalar]]:
        """R A Rᵀ; with κ = s (A_vv − A_uu) − 2 c A_uv the turned block is A_uu + sκ, A_vv − sκ,
        −(A_uv + cκ)."""
        add, mul, s, c = k.add, k.mul, self.sine, self.cosine
        a, u, v = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        kappa = add(mul(s, add(A[v][v], -A[u][u])), -mul(mul(k.const(2.0), c), A[u][v]))
        s_kappa = mul(s, kappa)
        R: list[list[Scalar]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        R[a][a] = A[a][a]
        R[u][u] = add(A[u][u], s_kappa)
        R[v][v] = add(A[v][v], -s_kappa)
        R[u][v] = R[v][u] = -add(mul(c, kappa), A[u][v])
        R[a][u] = R[u][a] = add(mul(c, A[a][u]), -mul(s, A[a][v]))
        R[a][v] = R[v][a] = add(mul(s, A[a][u]), mul(c, A[a][v]))
        return R

    def up_general(self, k: Scalars, A: Matrix) -> list[list[Scalar]]:
        """R A Rᵀ of any matrix, by the same idea."""
        add, mul, s, c = k.add, k.mul, self.sine, self.cosine
        a, u, v = self.axis, (self.axis + 1) % 3, (self.axis + 2) % 3
        kappa = add(mul(s, add(A[v][v], -A[u][u])), -mul(c, add(A[u][v], A[v][u])))
        s_kappa, c_kappa = mul(s, kappa), mul(c, kappa)
        R: list[list[Scalar]] = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
        R[a][a] = A[a][a]
        R[u][u] = add(A[u][u], s_kappa)
        R[v][v] = add(A[v][v], -s_kappa)
        R[u][v] = -add(c_kappa, A[v][u])
        R[v][u] = -add(c_kappa, A[u][v])
        R[a][u] = add(mul(c, A[a][u]), -mul(s, A[a][v]))
        R[a][v] = add(mul(s, A[a][u]), mul(c, A[a][v]))
        R[u][a] = add(mul(c, A[u][a]), -mul(s, A[v][a]))
        R[v][a] = add(mul(s, A[u][a]), mul(c, A[v][a]))
        return R

    def times(self, k: Scalars, A: Matrix) -> list[list[Scalar]]:
        """A R: the columns of A turned among themselves."""
        add, mul, s, c = k.add, k.mul, self.sine, self.cosine
        u, v = (self.axis + 1) % 3, (self.axis + 2) % 3
        rows = []
        for row in A:
            r = [row[0], row[1], row[2]]
            r[u] = add(mul(row[u], c), mul(row[v], s))
            r[v] = add(mul(row[v], c), -mul(row[u], s))
            rows.append(r)
        return rows


@dataclass(frozen=True)
class MatrixPart:
    """A rotation given by its matrix, as from a quaternion."""

    R: Matrix

    def up(self, k: Scalars, a: Vector) -> list[Scalar]:
        return Vectors(k).apply(self.R, a)

    def down(self, k: Scalars, a: Vector) -> list[Scalar]:
        return Vectors(k).apply_transposed(self.R, a)

    def up_symmetric(self, k: Scalars, A: Matrix) -> list[list[Scalar]]:
        return Vectors(k).congruence(self.R, A)

    def up_general(self, k: Scalars, A: Matrix) -> list[list[Scalar]]:
        vectors = Vectors(k)
        return vectors.product(vectors.product(self.R, A), transpose(self.R))

    def times(self, k: Scalars, A: Matrix) -> list[list[Scalar]]:
        return Vectors(k).product(A, self.R)


@dataclass(frozen=True)
class Rotation:
    """R_AB = part₁ part₂ … : from B up to A the last part acts first."""

    parts: Sequence[Part] = ()

    def up(self, k: Scalars, a: Vector) -> Vector:
        for part in reversed(self.parts):
            a = part.up(k, a)
        return a

    def down(self, k: Scalars, a: Vector) -> Vector:
        for part in self.parts:
            a = part.down(k, a)
        return a

    def up_symmetric(self, k: Scalars, A: Matrix) -> Matrix:
        for part in reversed(self.parts):
            A = part.up_symmetric(k, A)
        return A

    def up_general(self, k: Scalars, A: Matrix) -> Matrix:
        for part in reversed(self.parts):
            A = part.up_general(k, A)
        return A

    def times(self, k: Scalars, A: Matrix) -> Matrix:
        """A R_AB."""
        for part in self.parts:
            A = part.times(k, A)
        return A
