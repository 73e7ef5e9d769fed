"""How large a mechanism is, for tolerances that go with it."""

from __future__ import annotations

import numpy as np

from touchback.dynamics import Instant
from touchback.model.value import Value


def size_of(instant: Instant) -> float:
    """The farthest [m] that two points of one body are apart at which others hold it, or its centre
    of mass; over floats. 0 where a mechanism has no lengths."""
    model = instant.model
    points: dict[str, list[tuple[Value, ...]]] = {
        name: [body.com] for name, body in model.bodies.items()
    }
    joints, loops = model.joints.values(), model.closures.values()
    ends = [(each.parent, each.child) for each in joints] + [(each.a, each.b) for each in loops]
    for frame in (frame for pair in ends for frame in pair):
        points.setdefault(frame.body, []).append(frame.at)
    spans = [
        np.ptp([[float(instant.value(x)) for x in point] for point in own], axis=0)
        for own in points.values()
    ]
    return max((float(np.linalg.norm(span)) for span in spans), default=0.0)
