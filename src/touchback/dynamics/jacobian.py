"""Jacobians: velocities of a frame for unit joint velocities."""

from touchback.dynamics.instant import Instant
from touchback.model.frame import Frame
from touchback.spatial.vectors import Scalar


def jacobian(instant: Instant, frame: Frame) -> list[list[Scalar]]:
    """6 × nv, along world axes: rows are ω (3) and the velocity of the frame's origin (3)."""
    vectors = instant.vectors
    rows: list[list[Scalar]] = [[0] * instant.tree.nv for _ in range(6)]
    lever = instant.lever(frame)  # from the link's origin to the frame's
    for link in instant.tree.path(instant.attachment(frame).link):
        R = instant.link_pose(link.index)[0]
        for offset, (s_ang, s_lin) in enumerate(link.columns):
            angular = vectors.apply(R, s_ang)
            linear = vectors.add(vectors.apply(R, s_lin), vectors.cross(angular, lever))
            for row, entry in enumerate([*angular, *linear]):
                rows[row][link.v_index + offset] = entry
        if link.parent >= 0:
            lever = vectors.add(lever, instant.link_lever(link.index))
    return rows
