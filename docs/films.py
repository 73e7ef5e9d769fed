"""Moving pictures of the gallery's small actions, as SVG: blocks and levers that follow a run."""

from collections.abc import Sequence

import numpy as np

from touchback.gallery import bouncing_hammer, harpsichord
from touchback.recording import Run

INK, WOOD, FELT, STRING = "#3d405b", "#d9b382", "#a4383f", "#8d99ae"
FRAMES = 100
WIDTH, HEIGHT = 420, 260


def hammer_film() -> str:
    """The two-mass piano, five times slower than it was."""
    entry = bouncing_hammer.ENTRY
    run = entry.experiment.run(entry.make().compile())
    times = np.linspace(0.0, 0.9, FRAMES)
    scale = 4200.0  # picture units a metre
    key = np.interp(times, run.time, run["key"])
    hammer = np.interp(times, run.time, run["hammer"])
    bed = _block(60, 232, 300, 12, STRING)
    lever = _moving(_block(110, 200, 200, 26, WOOD), _lifts(scale * key), times, 5.0)
    felt = _moving(_block(180, 190, 60, 10, FELT), _lifts(scale * key), times, 5.0)
    head = _moving(_block(170, 140, 80, 50, INK), _lifts(scale * hammer), times, 5.0)
    return _svg([bed, lever, felt, head])


def harpsichord_film() -> str:
    """A key, its jack and the string, four times slower than they were, angles three times too
    large."""
    entry = harpsichord.ENTRY
    run = entry.experiment.run(entry.make().compile())
    times = np.linspace(0.0, 1.5, FRAMES)
    angle = np.interp(times, run.time, run["key"])
    scale, pivot = 700.0, (190.0, 200.0)
    larger = 3.0
    turns = [f"{-np.degrees(larger * a):.3f} {pivot[0]} {pivot[1]}" for a in angle]
    rise = larger * scale * harpsichord.BACK * angle
    bent = larger * scale * np.interp(times, run.time, _bend(run))
    left, right = pivot[0] - scale * harpsichord.FRONT, pivot[0] + scale * harpsichord.BACK
    key = _moving(_block(left, 192, right - left, 16, WOOD), turns, times, 4.0, kind="rotate")
    jack = _moving(
        _block(right - 16, 70, 14, 122, WOOD) + _block(right - 30, 96, 16, 4, INK),
        _lifts(rise), times, 4.0,
    )  # fmt: skip
    gap = larger * scale * 3.2e-3
    height = 96.0 - gap - 3.0
    string = (
        f'<circle cx="{right - 24:.1f}" cy="{height:.1f}" r="4" fill="{STRING}" stroke="{INK}"/>'
    )
    pivot_mark = f'<circle cx="{pivot[0]}" cy="{pivot[1]}" r="5" fill="{INK}"/>'
    return _svg([key, jack, _moving(string, _lifts(bent), times, 4.0), pivot_mark])


def _bend(run: Run) -> np.ndarray:
    """How far the plectrum lifts the string [m], while it does."""
    return np.where(run["string force"] > 0.0, run["jack"] - 3.2e-3, 0.0)


def _block(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" '
        f'fill="{colour}" stroke="{INK}"/>'
    )


def _lifts(heights: np.ndarray) -> list[str]:
    return [f"0 {-height:.2f}" for height in heights]


def _moving(
    shape: str, values: Sequence[str], times: np.ndarray, slower: float, kind: str = "translate"
) -> str:
    seconds = slower * float(times[-1])
    return (
        f'<g><animateTransform attributeName="transform" type="{kind}" dur="{seconds:.1f}s" '
        f'repeatCount="indefinite" values="{";".join(values)}"/>{shape}</g>'
    )


def _svg(parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, back, *parts, "</svg>", ""])
