"""Axes of joints, as files write them."""

from touchback.model.joints.base import Axis


def axis_or_letter(vector: tuple[float, float, float]) -> Axis:
    """A letter for a coordinate axis, which costs fewer operations; else the vector."""
    for index, letter in enumerate("xyz"):
        if all(vector[other] == 0.0 for other in range(3) if other != index):
            return letter if vector[index] > 0.0 else f"-{letter}"
    return vector
