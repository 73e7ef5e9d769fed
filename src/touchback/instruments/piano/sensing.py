"""What an action reports: every gap and force, key and hammer, and how far the jack is in."""

from collections.abc import Callable, Sequence

from touchback import ContactForce, Direction, Frame, Gap, Model, Position, Signal, Velocity, sin
from touchback.instruments.piano.geometry import Placements
from touchback.instruments.piano.parameters import Specification
from touchback.model.value import Value
from touchback.names import unknown

CONTACTS = (
    "key bed", "back rail", "capstan", "jack", "lever", "button", "jack stop", "window",
    "drop screw", "lever stop", "check", "string", "rest rail", "damper lift", "damper seat",
    "damper stop",
)  # fmt: skip


def add_sensors(
    m: Model,
    spec: Specification,
    on: Callable[..., Frame],
    at: Placements,
    reported: Sequence[str] = CONTACTS,
) -> None:
    """Sensors by name: "… gap" [m] and "… force" [N] of each reported contact; "key depth" [m] and
    "key speed" [m/s] of the key front; "hammer velocity" [m/s] and "crown" [m] of the middle of the
    crown's rounding; with the jack, "jack overlap" [m], by which its back edge is behind the middle
    of the knuckle: negative where it has slipped out."""
    for name in reported:
        if name not in CONTACTS:
            raise unknown("contact", name, CONTACTS)
        m.sensor(f"{name} gap", Gap(name))
        m.sensor(f"{name} force", ContactForce(name))
    front = spec.dimensions.key_front
    m.sensor("key depth", Signal(front * sin(m.coordinate("key")), "m"))
    m.sensor("key speed", Signal(front * m.rate("key"), "m/s"))
    m.sensor("hammer velocity", Velocity(on("hammer", at.crown)))
    m.sensor("crown", Position(on("hammer", at.crown)))
    if "jack" in reported:
        edge = on("jack", at.jack_corner, turn=("y", at.jack_top.lean))
        knuckle, corner = Position(on("hammer", at.knuckle)), Position(edge)
        m.sensor("jack overlap", Signal(_along(m, knuckle, corner, Direction(edge, "x")), "m"))


def _along(m: Model, start: Position, end: Position, axis: Direction) -> Value:
    """The distance from one point to another along an axis."""
    first = m.sensor("knuckle", start)
    second = m.sensor("jack edge", end)
    direction = m.sensor("jack face", axis)
    return sum((b - a) * e for a, b, e in zip(first, second, direction, strict=True))
