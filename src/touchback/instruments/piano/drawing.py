"""Pictures of an action as SVG: still in one pose, or moving through a run."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from touchback import Run
from touchback.figures import INK, PAPER
from touchback.instruments.piano.geometry import Placements, placements
from touchback.instruments.piano.parameters import Specification
from touchback.instruments.piano.shapes import Shape, shapes

COLOURS = {
    "wood": "#d9b382", "lever": "#c79a63", "ivory": "#fbf7ea", "metal": "#8d99ae",
    "leather": "#b08968", "felt": "#a4383f", "white felt": "#f1e9da", "pin": INK,
    "rail": "#cfd3dc", "string": INK, "dark": INK,
}  # fmt: skip
# Drawn in this order. Each turns about its own hinge, and with the body that carries it.
BODIES = ("key", "damper", "damper head", "whippen", "hammer")
BEHIND, BEFORE = {"whippen": "jack"}, {"whippen": "lever"}
FALLING = ("whippen", "lever", "damper")  # angles count from z to x
SCALE = 2000.0  # picture units a metre
LEFT, RIGHT, TOP, BOTTOM = -0.275, 0.36, 0.20, -0.032  # of the picture [m]
CLOSE = 0.06  # where a picture without the front of the key begins [m]


def picture(
    angles: Mapping[str, float], left: float = LEFT, specification: Specification | None = None
) -> str:
    """One pose, from the angles of the six coordinates [rad]; the picture begins at x = `left`."""
    spec = specification or Specification()
    at = placements(spec.dimensions, spec.regulation)

    def turn(body: str) -> str:
        return _static(_motion(body, at, np.array([angles.get(_coordinate(body), 0.0)]), spec))

    return _svg(_drawing(spec, at, turn), left)


def film(
    run: Run,
    begin: float,
    end: float,
    slower: float = 20.0,
    frames: int = 120,
    specification: Specification | None = None,
) -> str:
    """A part of a run as a moving picture that repeats, some times slower than it was."""
    spec = specification or Specification()
    at = placements(spec.dimensions, spec.regulation)
    times = np.linspace(begin, end, frames)
    length = (end - begin) * slower

    def turn(body: str) -> str:
        angles = np.interp(times, run.time, run[_coordinate(body)])
        return _moving(_motion(body, at, angles, spec), length)

    return _svg(_drawing(spec, at, turn), LEFT)


def _coordinate(body: str) -> str:
    return "damper" if body == "damper head" else body


Motion = tuple[str, list[str]]  # kind of transformation, and its arguments at each instant


def _motion(body: str, at: Placements, angles: np.ndarray, spec: Specification) -> Motion:
    """How a body is displaced: picture angles count clockwise, since its z points down."""
    if body == "damper head":
        lift = spec.dimensions.damper_head * np.sin(angles)
        return "translate", [f"0 {-SCALE * z:.2f}" for z in lift]
    sign = 1.0 if body in FALLING else -1.0
    x, y = _place(getattr(at, body))
    return "rotate", [f"{np.degrees(sign * angle):.3f} {x:.2f} {y:.2f}" for angle in angles]


def _static(motion: Motion) -> str:
    kind, (arguments,) = motion
    return f'<g transform="{kind}({arguments})">'


def _moving(motion: Motion, seconds: float) -> str:
    kind, arguments = motion
    return (
        f'<g><animateTransform attributeName="transform" type="{kind}" dur="{seconds:.2f}s" '
        f'repeatCount="indefinite" values="{";".join(arguments)}"/>'
    )


def _drawing(spec: Specification, at: Placements, turn: Callable[[str], str]) -> list[str]:
    parts = shapes(spec, at)

    def group(body: str) -> list[str]:
        behind = group(BEHIND[body]) if body in BEHIND else []
        before = group(BEFORE[body]) if body in BEFORE else []
        return [turn(body), *behind, *map(_shape, parts[body]), *before, "</g>"]

    lines = [_shape(shape) for shape in parts["ground"]]
    for body in BODIES:
        lines += group(body)
    return lines


def _place(point: Sequence[float] | np.ndarray) -> tuple[float, float]:
    x, z = point
    return SCALE * (float(x) - LEFT), SCALE * (TOP - float(z))


def _shape(shape: Shape) -> str:
    style = f'fill="{COLOURS[shape.material]}" stroke="{INK}" stroke-width="1.2"'
    if shape.radius is not None:
        x, y = _place(shape.points[0])
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{SCALE * shape.radius:.1f}" {style}/>'
    points = " ".join("{:.1f},{:.1f}".format(*_place(point)) for point in shape.points)
    return f'<polygon points="{points}" stroke-linejoin="round" {style}/>'


def _svg(lines: Sequence[str], left: float) -> str:
    x, width, height = SCALE * (left - LEFT), SCALE * (RIGHT - left), SCALE * (TOP - BOTTOM)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:.0f} 0 {width:.0f} {height:.0f}">',
        f'<rect x="{x:.0f}" width="{width:.0f}" height="{height:.0f}" fill="{PAPER}"/>',
    )
    return "\n".join([*head, *lines, "</svg>", ""])
