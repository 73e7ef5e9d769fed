"""No message of a page takes more than about twice the processor time for twice its length."""

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import touchback as tb
from growth import assert_linear
from manipulated import arm
from touchback import workbench
from touchback.realtime.control import Message
from touchback.realtime.control.control_messages import LONGEST
from touchback.workbench.drawing import Drawing
from touchback.workbench.manipulate import model_with_hands

BASES: dict[str, dict[str, Any]] = {
    "set": {"name": "torque", "value": 0.1},
    "choose": {"control": "hold", "alternative": "other"},
    "speed": {"value": 1.0},
    "grab": {"body": "arm"},
    "pull": {"to": [0.0, 0.0, 0.0]},
    "icon": {"name": "push", "kind": "force", "on": "arm"},
    "remove": {"icon": "push"},
    "pose": {"body": "arm", "to": [0, 0, -1]},
    "keyframe": {"name": "home"},
    "edit": {"change": "kind", "joint": "hinge", "kind": "revolute"},
    "law": {"control": "hold", "text": "1"},
    "joint": {"joint": "hinge"},
    "record": {"on": False},
    "open": {"recording": "run.mcap"},
    "export": {"recording": "run.mcap", "kind": "csv"},
    "scope": {"number": 1, "signals": ["hinge"]},
    "past": {"signals": ["hinge"], "start": 0.0, "end": 0.1},
    "pairs": {"x": "hinge", "y": "hinge", "start": 0.0, "end": 0.1},
    "spectra": {"signals": ["hinge"], "start": 0.0, "end": 0.1},
}  # fmt: skip
FILLS: dict[str, Callable[[int], str]] = {
    "spaces": lambda n: " " * n,
    "letters": lambda n: "a" * n,
    "known letters": lambda n: ("hinge" * n)[:n],
    "quotes": lambda n: "'" * n,
    "backslashes": lambda n: "\\" * n,
    "digits": lambda n: "7" * n,
    "brackets": lambda n: "(" * n,
    "lines": lambda n: "a=1\n" * (n // 4),
    "dots": lambda n: "../" * (n // 3),
    "odd letters": lambda n: "\u0130\ud7ff" * (n // 2),
}


@pytest.fixture(scope="module")
def bench() -> Iterator[workbench.Workbench]:
    with (
        tb.live(model_with_hands(arm()).compile(), rate=100.0) as live,
        workbench.open(live) as opened,
    ):
        commands = opened.commands
        assert commands is not None
        commands.rates.take = lambda *asked: 0.0  # type: ignore[method-assign]
        yield opened


def kinds(bench: workbench.Workbench) -> dict[str, type[Message]]:
    assert bench.commands is not None
    known = {str(kind.__struct_config__.tag): kind for kind in bench.commands._known}
    return known | {tag: kind for tag, (kind, _) in bench.hub._messages.items()}


def texts_of(kind: type[Message]) -> Iterator[tuple[str, bool]]:
    """Fields that hold a text, and whether they hold many."""
    for field in msgspec.structs.fields(kind):
        told = repr(msgspec.inspect.type_info(field.type))
        if "StrType" in told:
            yield field.encode_name, "Tuple" in told or "List" in told


def test_every_message_is_known_here(bench: workbench.Workbench) -> None:
    for tag, kind in kinds(bench).items():
        needed = {f.name for f in msgspec.structs.fields(kind) if f.required}
        assert needed <= set(BASES.get(tag, {})), tag


@pytest.mark.parametrize("fill", FILLS)
def test_a_message_with_a_long_text_is_answered_in_proportion(
    bench: workbench.Workbench, fill: str
) -> None:
    assert bench.commands is not None
    handle = bench.commands.handle
    for tag, kind in kinds(bench).items():
        for field, many in texts_of(kind):

            def make(n: int, tag: str = tag, field: str = field, many: bool = many) -> bytes:
                text = FILLS[fill](n)
                value = [text[k : k + 8] for k in range(0, n, 8)][:1000] if many else text
                return json.dumps({"do": tag, **BASES.get(tag, {}), field: value}).encode()

            try:
                assert_linear(lambda message: handle(message, "me"), make, LONGEST // 2, 64)
            except AssertionError as error:
                raise AssertionError(f"'{field}' of '{tag}': {error}") from None


@pytest.mark.parametrize(
    "make",
    [
        lambda n: b"[" * n,
        lambda n: b'{"do":' * (n // 6),
        lambda n: b'{"do":"set","name":"' + b"\\u0041" * (n // 6) + b'"}',
        lambda n: b'{"do":"read","id":' + b"9" * n + b"}",
        lambda n: b'{"do":"set","name":"torque","value":0.' + b"9" * n + b"}",
        lambda n: b'{"do":"read",' + b'"a":1,' * (n // 6) + b'"id":1}',
        lambda n: b'{"do":"read","names":[' + b'"hinge",' * (n // 8) + b'"hinge"]}',
        lambda n: b" " * n,
        lambda n: b"\xff" * n,
    ],
)
def test_a_message_that_can_not_be_read_is_refused_in_proportion(
    bench: workbench.Workbench, make: Callable[[int], bytes]
) -> None:
    commands = bench.commands
    assert commands is not None
    assert_linear(lambda message: commands.handle(message, "me"), make, LONGEST)


def test_names_are_compared_in_proportion_to_how_many_there_are() -> None:
    """A wrong name is compared with all; a list of wrong names stops at the first."""
    from touchback.names import names_once, suggestion, unknown_name

    for compare in (
        lambda known: suggestion("a" * 200, known),
        lambda known: unknown_name("signal", "a" * 200, known),
        lambda known: names_once("signals", known),
    ):
        assert_linear(compare, lambda n: [f"{k:x}aaaaaaaa" for k in range(n)], 1 << 14, 64)


def spiral(n: int) -> list[list[float]]:
    """An outline whose corners are hard to cut off."""
    way = [(0.1 + 0.01 * k, 0.3 * k) for k in range(n // 2)]
    back = [(r + 5e-3, a) for r, a in reversed(way)]
    return [[r * math.cos(a), 0.0, r * math.sin(a)] for r, a in way + back]


def tetrahedra(n: int) -> dict[str, Any]:
    """So many corners of closed surfaces."""
    corners, faces = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), ((0, 2, 1), (0, 1, 3))
    faces += ((0, 3, 2), (1, 2, 3))
    return {
        "change": "mesh",
        "vertices": [[x + 2 * k, y, z] for k in range(n // 4) for x, y, z in corners],
        "triangles": [[4 * k + i for i in face] for k in range(n // 4) for face in faces],
    }


def bodies(n: int) -> dict[str, Any]:
    lines = "".join(f"  b{k}: {{mass: 1}}\n" for k in range(n // 16))
    return {"change": "open", "text": f"touchback: 1\nname: a\nbodies:\n{lines}"}


BAR = {"section": "bodies", "name": "bar 1"}
END = {"body": "bar 1", "at": [0, 0, 0]}
DRAWN: dict[str, tuple[int, Callable[[int], dict[str, Any]]]] = {
    "move of many": (2000, lambda n: {"change": "move", "items": [BAR] * n, "by": [1, 0, 0]}),
    "removal of many": (2000, lambda n: {"change": "remove", "items": [BAR] * n}),
    "copy of many": (2000, lambda n: {"change": "copy", "items": [BAR] * n, "by": [1, 0, 0]}),
    "group of many": (2000, lambda n: {"change": "group", "items": [BAR] * n, "name": "g"}),
    "many that aren't there": (
        2000, lambda n: {"change": "remove", "items": [{**BAR, "name": f"{k}"} for k in range(n)]}
    ),
    "outline": (512, lambda n: {"change": "outline", "points": spiral(n)}),
    "mesh": (20_000, tetrahedra),
    **{
        f"expression of {fill}": (20_000, lambda n, fill=fill: {
            "change": "spring", "a": {**END, "body": "ground"}, "b": END,
            "stiffness": FILLS[fill](n)})  # type: ignore[misc]
        for fill in FILLS
    },
    "law of sums": (20_000, lambda n: {"change": "drive", "joint": "revolute 1",
                                       "law": "time + " * (n // 7) + "1"}),
    "file of bodies": (1 << 15, bodies),
    "name": (1 << 15, lambda n: {"change": "box", "at": [0, 0, 0], "size": [1, 1, 1],
                                 "name": "a" * n}),
}  # fmt: skip


@pytest.mark.parametrize("message", DRAWN)
def test_a_message_to_a_drawing_is_answered_in_proportion(message: str, tmp_path: Path) -> None:
    """Done and undone, or refused."""
    drawing = Drawing(folder=tmp_path)
    drawing.apply({"change": "bar", "from": (0, 0, 0), "to": (0.3, 0, 0)})
    joint = {"change": "joint", "kind": "revolute", "at": (0, 0, 0), "a": "ground", "b": "bar 1"}
    drawing.apply(joint)
    longest, fields = DRAWN[message]

    def read(message: bytes) -> None:
        before = drawing.revision
        drawing.handle(message)
        if drawing.revision != before:
            drawing.undo()

    def make(n: int) -> bytes:
        return json.dumps({"do": "draw", **fields(n)}).encode()

    assert_linear(read, make, longest, 32, most=2.6 if message == "outline" else 2.2)
