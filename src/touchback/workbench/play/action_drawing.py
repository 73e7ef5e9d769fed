"""The piano action as a page draws it: the shapes of `gallery.piano`, as plain data."""

from touchback.gallery.piano.drawing import (
    BEFORE,
    BEHIND,
    BODIES,
    BOTTOM,
    COLOURS,
    FALLING,
    LEFT,
    RIGHT,
    TOP,
)
from touchback.gallery.piano.geometry import placements
from touchback.gallery.piano.parameters import Specification
from touchback.gallery.piano.shapes import Shape, shapes

#: The angles that a pose consists of, in this order.
ANGLES = ("key", "whippen", "jack", "lever", "hammer", "damper")


def action_drawing(specification: Specification | None = None) -> dict[str, object]:
    """Polygons and circles [m] of each body in the pose of rest, hinges, and in which order and
    sense each turns."""
    spec = specification or Specification()
    at = placements(spec.dimensions, spec.regulation)
    parts = shapes(spec, at)
    hinges = {name: [float(x) for x in getattr(at, name)] for name in ANGLES}
    return {
        "bounds": [LEFT, RIGHT, BOTTOM, TOP],
        "bodies": list(BODIES), "behind": BEHIND, "before": BEFORE, "falling": list(FALLING),
        "angles": list(ANGLES), "hinges": hinges, "damper head": spec.dimensions.damper_head,
        "colours": COLOURS,
        "shapes": {name: [_plain(shape) for shape in own] for name, own in parts.items()},
    }  # fmt: skip


def _plain(shape: Shape) -> dict[str, object]:
    points = [[round(float(x), 6) for x in point] for point in shape.points]
    return {"points": points, "material": shape.material, "radius": shape.radius}
