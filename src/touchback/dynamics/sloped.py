"""What derivatives of inverse dynamics are made of (`dynamics.slopes`), of links and of velocity
coordinates."""

from dataclasses import dataclass

from touchback.dynamics.crba import Entries, WorldPose
from touchback.spatial import Inertia, Twist, Wrench
from touchback.spatial.vectors import Matrix, Vector


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
    twist, its columns and inertia."""

    pose: WorldPose
    twist: Twist
    bias: Twist
    carrier: Twist
    columns: list[Column]
    inertia: Inertia


@dataclass
class Carried:
    """Of all that a link carries: inertia, and 2 p and 2 ((tr K) 1 − K) of 2 B."""

    inertia: Inertia
    momentum: Vector
    stir: Matrix


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
