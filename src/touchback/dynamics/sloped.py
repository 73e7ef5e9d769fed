"""What derivatives of inverse dynamics are made of (`dynamics.slopes`), of links and of velocity
coordinates."""

from dataclasses import dataclass

from touchback.dynamics.aba import Eliminated
from touchback.dynamics.crba import Entries, WorldPose
from touchback.spatial import Articulated, Inertia, Twist, Vectors, Wrench
from touchback.spatial.vectors import Matrix, Vector, transpose
from touchback.symbolic.scalars import Scalars


@dataclass
class Slopes:
    """Derivatives of the efforts by increments of positions and by velocities, for every pair on
    one path: (effort, coordinate)."""

    by_q: Entries
    by_v: Entries


@dataclass
class Column:
    """A velocity coordinate: its twist S, ψ̇, and ψ̇ + Ṡ."""

    index: int
    S: Twist
    carried: Twist
    turned: Twist


@dataclass
class Moving:
    """A link: where it is, its twist, its acceleration without those of joints, its carrier's
    twist and its columns."""

    pose: WorldPose
    twist: Twist
    bias: Twist
    carrier: Twist
    columns: list[Column]


@dataclass
class Carried:
    """Of all that a link carries: inertia, and p and K; or 2 p and 2 ((tr K) 1 − K) of 2 B."""

    inertia: Inertia
    momentum: Vector
    stir: Matrix

    def plus(self, k: Scalars, other: "Carried") -> "Carried":
        """Of both, with p and K."""
        vectors = Vectors(k)
        return Carried(
            self.inertia.plus(k, other.inertia),
            vectors.add(self.momentum, other.momentum),
            vectors.matrix_add(self.stir, other.stir),
        )


def carried(k: Scalars, inertia: Inertia, twist: Twist) -> Carried:
    """Of one link, with p and K."""
    vectors, h, (omega, velocity) = Vectors(k), inertia.h, twist
    momentum = vectors.add(vectors.scale(inertia.m, velocity), vectors.cross(omega, h))
    turned = transpose([vectors.cross(omega, row) for row in inertia.E])
    K = [[k.add(turned[x][y], k.mul(velocity[x], h[y])) for y in range(3)] for x in range(3)]
    return Carried(inertia, momentum, K)


@dataclass
class Sloped:
    """A velocity coordinate: S, ψ̇, ψ̇ + Ṡ and ψ̈; I S and Sᵀ 2 B of all that it carries; and the
    wrenches whose products with the carriers' columns are derivatives by it."""

    index: int
    S: Twist
    carried: Twist
    turned: Twist
    needed: Wrench
    stirred: Vector
    shaken: Twist
    by_q: Wrench
    by_v: Wrench


@dataclass
class Solved:
    """A velocity coordinate when accelerations are solved for, and what derivatives by it are made
    of: S and what is left of it; the twists of its link's carrier and of its link; the carrier's
    acceleration without those of joints, and what joints add; p and K of all that the link carries;
    the articulated inertia and the wrench that it leaves to its carrier."""

    S: Twist
    eliminated: Eliminated
    carrier: Twist
    twist: Twist
    bias: Twist
    by_joints: Twist
    momentum: Vector
    stir: Matrix
    inertia: Articulated
    wrench: Wrench
