"""No message of a page takes more than about twice the processor time for twice its length."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

import touchback as tb
from growth import assert_linear
from manipulated import arm
from touchback import workbench
from touchback.realtime.control import Message
from touchback.realtime.control.control_messages import LONGEST
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
