"""The rooms of the package, from description to trust.

`PYTHONPATH=. python docs/make_architecture.py` writes `docs/pictures/architecture.svg`."""

from collections.abc import Iterator
from pathlib import Path

PICTURE = Path(__file__).parent / "pictures" / "architecture.svg"
COLUMNS = {  # a step: its rooms, and what it makes
    "describe": (("model", "contact", "draw"), "bodies, laws, pictures"),
    "derive": (("symbolic", "spatial", "dynamics"), "a tape of operations"),
    "emit": (("codegen", "system"), "machine code, C, GPU"),
    "run": (("simulate", "realtime", "native"), "offline, or at ticks"),
    "touch": (("devices", "haptics", "instruments"), "sensors, motors, keys"),
    "trust": (("recording", "analysis", "validation"), "energy, replay, peers"),
}
TOOLS = (
    "batch", "sweeps", "planning", "estimate", "interop", "workbench", "gallery", "vehicle",
    "cli",
)  # fmt: skip
STEP, WIDE, LEFT = 160, 140, 10  # of columns and boxes
ROOM = 'font-size="14" font-family="monospace" fill="#222"'


def text(x: float, y: float, given: str, look: str) -> str:
    """Centred at x."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle" {look}>{given}</text>'


def lines() -> Iterator[str]:
    """The picture, an element a line."""
    yield '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 250" font-family="sans-serif">'
    yield '<rect width="960" height="250" fill="#ffffff"/>'
    for i, (step, (rooms, made)) in enumerate(COLUMNS.items()):
        x = LEFT + i * STEP
        middle = x + WIDE / 2
        if i:
            arrow = f"M{x - 18} 80h14m-5 -4l5 4l-5 4"
            yield f'<path d="{arrow}" fill="none" stroke="#34669a" stroke-width="2"/>'
        yield (
            f'<rect x="{x}" y="10" width="{WIDE}" height="140" rx="8" fill="#eef3fa" '
            'stroke="#34669a"/>'
        )
        yield text(middle, 34, step, 'font-size="17" font-weight="bold" fill="#12365c"')
        for row, room in enumerate(rooms):
            yield text(middle, 62 + 20 * row, f"{room}/", ROOM)
        yield text(middle, 138, made, 'font-size="11" fill="#555"')
    yield ('<rect x="10" y="170" width="940" height="66" rx="8" fill="#f6f4ec" stroke="#a08840"/>')
    caption = "tools and domains, built on the rooms above"
    yield text(480, 192, caption, 'font-size="13" fill="#5c4a12"')
    for i, room in enumerate(TOOLS):
        yield text(62 + 104.5 * i, 220, f"{room}/", ROOM)
    yield "</svg>\n"


if __name__ == "__main__":
    PICTURE.write_text("\n".join(lines()), encoding="utf-8")
