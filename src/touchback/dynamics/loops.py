"""Kinematics of two branches of the tree as seen from their closest common link, for closures.

Positions, velocities and bias accelerations (those for zero joint accelerations), all along the
axes of the common link as if it stood still. Relative to it everything above cancels, so the
equations of a loop involve its own joints only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from touchback.dynamics.instant import Instant
from touchback.dynamics.motion import combined
from touchback.dynamics.tree import Link, Tree
from touchback.model.frame import Frame
from touchback.spatial import IDENTITY, ZERO, Rotation
from touchback.spatial.vectors import Matrix, Scalar, Vector


@dataclass
class Seen:
    """A link or frame seen from the common link: pose, velocity, bias acceleration, and unit
    velocities by freedom. Its origin is at `start` + `p`: of two branches the fixed places where
    they start are subtracted first, which costs nothing."""

    R: Matrix
    start: Vector
    p: Vector
    omega: Vector
    v: Vector
    alpha: Vector
    a: Vector
    columns: dict[int, tuple[Vector, Vector]]  # freedom → (angular, velocity of the origin)


_STILL = Seen(IDENTITY, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, {})


def between(instant: Instant, A: Seen, B: Seen) -> Vector:
    """p_AB along the axes of the common link."""
    vectors = instant.vectors
    return vectors.add(vectors.sub(B.start, A.start), vectors.sub(B.p, A.p))


def common_link(tree: Tree, first: int, second: int) -> int:
    """The closest link that carries both, −1 for the ground."""
    above = {link.index for link in tree.path(first)}
    return next((link.index for link in tree.path(second) if link.index in above), -1)


def seen_from(instant: Instant, frame: Frame, common: int) -> Seen:
    """A frame as seen from a link that carries it."""
    home = instant.attachment(frame)
    path = takewhile(lambda link: link.index != common, instant.tree.path(home.link))
    seen = _STILL
    for link in reversed(list(path)):
        seen = _carried(instant, seen, link)
    return _placed(instant, seen, home.pose.scalars(instant.k), home.pose.rotation(instant.k))


def _carried(instant: Instant, parent: Seen, link: Link) -> Seen:
    """A link from its parent, both seen from the common link."""
    k, vectors = instant.k, instant.vectors
    R = link.rotation.times(k, parent.R)
    place, slid = vectors.apply(parent.R, link.p), vectors.apply(R, link.d)
    lever = vectors.add(place, slid)
    spin, slide = (vectors.apply(R, x) for x in combined(link, k, instant.at.v))
    omega = vectors.add(parent.omega, spin)
    alpha = vectors.add(parent.alpha, vectors.cross(parent.omega, spin))
    swing = vectors.cross(parent.omega, lever)
    v = vectors.add(vectors.add(parent.v, swing), slide)
    a = vectors.add(parent.a, vectors.cross(parent.alpha, lever))
    a = vectors.add(a, vectors.cross(parent.omega, swing))
    a = vectors.add(a, vectors.cross(vectors.add(parent.omega, omega), slide))
    columns: dict[int, tuple[Vector, Vector]] = {
        freedom: (angular, vectors.add(linear, vectors.cross(angular, lever)))
        for freedom, (angular, linear) in parent.columns.items()
    }
    for offset, (s_ang, s_lin) in enumerate(link.columns):
        columns[link.v_index + offset] = vectors.apply(R, s_ang), vectors.apply(R, s_lin)
    start, p = (place, slid) if parent is _STILL else (parent.start, vectors.add(parent.p, lever))
    return Seen(R, start, p, omega, v, alpha, a, columns)


def _placed(instant: Instant, link: Seen, p: Sequence[Scalar], rotation: Rotation) -> Seen:
    """A frame fixed to a link."""
    k, vectors = instant.k, instant.vectors
    lever = vectors.apply(link.R, p)
    swing = vectors.cross(link.omega, lever)
    turn = vectors.add(vectors.cross(link.alpha, lever), vectors.cross(link.omega, swing))
    return Seen(
        rotation.times(k, link.R),
        lever if link is _STILL else link.start,
        ZERO if link is _STILL else vectors.add(link.p, lever),
        link.omega,
        vectors.add(link.v, swing),
        link.alpha,
        vectors.add(link.a, turn),
        {
            freedom: (angular, vectors.add(linear, vectors.cross(angular, lever)))
            for freedom, (angular, linear) in link.columns.items()
        },
    )
