"""Accelerations of frames from those of the links that carry them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from touchback.dynamics.motion import LinkMotion, ground_motion
from touchback.model.frame import Frame
from touchback.spatial.vectors import Vector

if TYPE_CHECKING:
    from touchback.dynamics.instant import Instant


def accelerations(
    instant: Instant, frame: Frame, motions: Callable[[], Sequence[LinkMotion]]
) -> tuple[Vector, Vector]:
    """ω̇ and the acceleration of a frame's origin, gravity not included, along world axes. On the
    ground they are known without the links' motions."""
    home, vectors = instant.attachment(frame), instant.vectors
    R, _ = instant.link_pose(home.link)
    if home.link < 0:
        motion = ground_motion(instant.k, instant.base(with_gravity=False))
    else:
        motion = motions()[home.link]
    carried = vectors.apply(motion.B, home.pose.scalars(instant.k))
    moved = vectors.add(motion.acceleration, carried)
    return vectors.apply(R, motion.alpha), vectors.apply(R, moved)
