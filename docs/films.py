"""Moving pictures of the gallery's small actions, as SVG: blocks and levers that follow a run."""

from collections.abc import Sequence

import numpy as np

from touchback import gallery
from touchback.gallery import bouncing_hammer
from touchback.instruments import harpsichord
from touchback.recording import Run

INK, WOOD, FELT, STRING = "#3d405b", "#d9b382", "#a4383f", "#8d99ae"
WIDTH, HEIGHT = 420, 260


def hammer_film() -> str:
    """The two-mass piano, five times slower than it was."""
    entry = bouncing_hammer.ENTRY
    run = entry.experiment.run(entry.make().compile())
    times = np.linspace(0.0, 0.9, 120)
    scale, seconds = 4200.0, 4.5  # picture units a metre
    key, hammer = (_lifts(scale * np.interp(times, run.time, run[w])) for w in ("key", "hammer"))
    return svg(
        [
            block(60, 232, 300, 12, STRING),
            moving(block(110, 200, 200, 26, WOOD) + label(210, 217, "key"), key, seconds),
            moving(
                block(180, 190, 60, 10, FELT) + label(288, 196, "felt, a spring", FELT),
                key,
                seconds,
            ),
            moving(
                block(170, 140, 80, 50, INK) + label(210, 169, "hammer", "#ffffff"), hammer, seconds
            ),
            *_modes(run, times, seconds, 60, 30),
        ]
    )


def harpsichord_film() -> str:
    """A key, its jack and the string, angles three times too large; in slow motion where the
    string is plucked, which takes some five milliseconds."""
    entry = gallery.entry("harpsichord")
    run = entry.experiment.run(entry.make().compile())
    plucks = [change.time for change in run.transitions if change.cause == "plucks"]
    times = _slowed(plucks, 1.5)
    seconds = len(times) / 20
    angle = np.interp(times, run.time, run["key"])
    scale, pivot = 700.0, (190.0, 200.0)
    larger = 3.0
    turns = [f"{-np.degrees(larger * a):.3f} {pivot[0]} {pivot[1]}" for a in angle]
    rise = larger * scale * harpsichord.BACK * angle
    bent = larger * scale * np.interp(times, run.time, _bend(run))
    left, right = pivot[0] - scale * harpsichord.FRONT, pivot[0] + scale * harpsichord.BACK
    key = moving(block(left, 192, right - left, 16, WOOD), turns, seconds, kind="rotate")
    jack = moving(
        block(right - 16, 70, 14, 122, WOOD) + block(right - 30, 96, 16, 4, INK),
        _lifts(rise), seconds,
    )  # fmt: skip
    gap = larger * scale * 3.2e-3
    height = 96.0 - gap - 3.0
    string = (
        f'<circle cx="{right - 24:.1f}" cy="{height:.1f}" r="4" fill="{STRING}" stroke="{INK}"/>'
    )
    pivot_mark = f'<circle cx="{pivot[0]}" cy="{pivot[1]}" r="5" fill="{INK}"/>'
    slow = np.min(np.abs(times[:, None] - np.array(plucks)), axis=1) < 0.01
    return svg(
        [
            key,
            jack,
            moving(string, _lifts(bent), seconds),
            pivot_mark,
            label(left + 40, 240, "key front"),
            label(right - 60, height + 4, "string"),
            label(right - 66, 112, "plectrum"),
            label(right + 18, 150, "jack"),
            shown(label(330, 30, "slow motion", FELT), slow, seconds),
            *_modes(run, times, seconds, 60, 30),
        ]
    )


def _slowed(instants: Sequence[float], end: float) -> np.ndarray:
    """Times of frames: 15 ms apart, but 0.25 ms for 10 ms before and after some instants."""
    coarse = np.arange(0.0, end, 0.015)
    fine = [np.arange(t - 0.01, t + 0.01, 2.5e-4) for t in instants]
    return np.unique(np.concatenate([coarse, *fine]))


def _bend(run: Run) -> np.ndarray:
    """How far the plectrum lifts the string [m], while it does."""
    return np.where(run["string force"] > 0.0, run["jack"] - 3.2e-3, 0.0)


def _modes(run: Run, times: np.ndarray, seconds: float, x: float, y: float) -> list[str]:
    """The name of the mode, while it lasts."""
    changes = [change.time for change in run.transitions]
    names = [run.transitions[0].source, *(change.target for change in run.transitions)]
    at = np.array(names)[np.searchsorted(changes, times, side="right")]
    found = dict.fromkeys(names)
    return [shown(label(x, y, f"mode: {name}"), at == name, seconds) for name in found]


def block(x: float, y: float, width: float, height: float, colour: str) -> str:
    """A rectangle, its upper left corner at x, y."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" '
        f'fill="{colour}" stroke="{INK}"/>'
    )


def label(x: float, y: float, text: str, colour: str = INK) -> str:
    """Words, centred at x."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-family="sans-serif" font-size="12" '
        f'text-anchor="middle" fill="{colour}">{text}</text>'
    )


def moving(
    shape: str, values: Sequence[str], seconds: float, kind: str = "translate", jumps: bool = False
) -> str:
    """A shape moved, turned or scaled, evenly spread over some seconds; `jumps` from value to
    value instead of gliding."""
    mode = ' calcMode="discrete"' if jumps else ""
    return (
        f'<g><animateTransform attributeName="transform" type="{kind}" dur="{seconds:.2f}s" '
        f'repeatCount="indefinite"{mode} values="{";".join(values)}"/>{shape}</g>'
    )


def shown(shape: str, when: np.ndarray, seconds: float) -> str:
    """A shape that is seen at some of the frames."""
    values = ";".join("1" if now else "0" for now in when)
    return (
        f'<g opacity="{int(when[0])}"><animate attributeName="opacity" dur="{seconds:.2f}s" '
        f'repeatCount="indefinite" calcMode="discrete" values="{values}"/>{shape}</g>'
    )


def svg(parts: Sequence[str], width: float = WIDTH, height: float = HEIGHT) -> str:
    """A film of these parts, the last in front."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
    back = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, back, *parts, "</svg>", ""])


def _lifts(heights: np.ndarray) -> list[str]:
    return [f"0 {-height:.2f}" for height in heights]
