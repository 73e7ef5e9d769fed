"""Recordings whose decoded fields were changed and that are encoded again, checksums and all.

`sites` lists every place of a recording where something can be changed: each key and item of its
JSON texts, the columns, the numbers of its ticks, topics, encodings and numbers of channels.
`forge` changes one of them. Run as a program it forges and tries case after case, and prints a line
before each, so that whoever started it knows which one ended it.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import struct
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from mcap.records import Channel, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, Writer

Path_ = tuple[Any, ...]
MISSING = "(missing)"
TWICE, HALF, EMPTY = "(twice)", "(half)", "(empty)"
NASTY: list[Any] = [
    MISSING, None, "", "x", True, -1, -2, 0, 1, 2, 7, 1000, 2**31, 2**40, 2**62, -(2**62), 10**30,
    0.5, 1e300, float("nan"), float("inf"), [], {}, [1], [[0, 0]], {"a": 1}, TWICE, HALF, EMPTY,
]  # fmt: skip
SECONDS, BYTES = 20, 3 << 30  # that a case may take


@dataclass
class Parts:
    """A recording taken apart: plain data that `put_together` encodes again."""

    abouts: dict[str, Any] = field(default_factory=dict)
    schemas: list[dict[str, Any]] = field(default_factory=list)
    channels: list[dict[str, Any]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)


def take_apart(path: Path) -> Parts:
    """Everything in the file, JSON texts as plain data and rows as lists of bytes."""
    parts, encodings = Parts(), {}
    with path.open("rb") as stream:
        for record in StreamReader(stream).records:
            if isinstance(record, Metadata):
                parts.abouts[record.name] = json.loads(record.metadata["about"])
            elif isinstance(record, Schema) and record.id not in [s["id"] for s in parts.schemas]:
                parts.schemas.append({**vars(record), "data": _plain(record.data)})
            elif isinstance(record, Channel) and record.id not in encodings:
                encodings[record.id] = record.message_encoding
                parts.channels.append(dict(vars(record)))
            elif isinstance(record, Message):
                parts.messages.append({**vars(record), "data": _plain(record.data)})
    return parts


def _plain(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data


def _encoded(data: Any) -> bytes:
    return data if isinstance(data, bytes) else json.dumps(data).encode()


def put_together(parts: Parts, path: Path) -> None:
    """A finished file of these parts, with good checksums."""
    with path.open("wb") as stream:
        writer = Writer(stream, compression=CompressionType.NONE, enable_data_crcs=True)
        writer.start(profile="touchback", library="forged")
        for name, about in parts.abouts.items():
            writer.add_metadata(name, {"about": json.dumps(about)})
        for each in parts.schemas:
            writer.register_schema(each["name"], each["encoding"], _encoded(each["data"]))
        for each in parts.channels:
            writer.register_channel(each["topic"], each["message_encoding"], each["schema_id"])
        for each in parts.messages:
            when = each["log_time"]
            writer.add_message(each["channel_id"], when, _encoded(each["data"]), when)
        writer.finish()


def sites(parts: Parts) -> list[Path_]:
    """Paths of everything that can be changed."""
    found: list[Path_] = []
    for name, about in parts.abouts.items():
        found += (("abouts", name, *path) for path in _paths(about))
    for i, each in enumerate(parts.schemas):
        found.append(("schemas", i, "data"))
        if not isinstance(each["data"], bytes):
            found += (("schemas", i, "data", *path) for path in _paths(each["data"]))
    for i in range(len(parts.channels)):
        found += (("channels", i, key) for key in ("topic", "message_encoding", "schema_id"))
    seen: set[int] = set()
    for_others = {i + 1 for i, each in enumerate(parts.channels) if each["topic"][0] == "/"}
    for i, each in enumerate(parts.messages):
        if each["channel_id"] in for_others & seen:
            continue  # the others are of the same kind
        if isinstance(each["data"], bytes):
            found += (("messages", i, "data", place) for place in range(9))
        else:
            found += (("messages", i, "data", *path) for path in _paths(each["data"]))
        if each["channel_id"] not in seen:
            found += (("messages", i), ("messages", i, "channel_id"), ("messages", i, "data"))
        seen.add(each["channel_id"])
    return found


def _paths(data: Any, depth: int = 0) -> Iterator[Path_]:
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for place, (key, value) in enumerate(items):
        if place > 2 and depth > 1:  # the others are of the same kind
            return
        yield (key,)
        if isinstance(value, dict | list):
            yield from ((key, *rest) for rest in _paths(value, depth + 1))


def forge(parts: Parts, site: Path_, value: Any) -> Parts:
    """The parts with another value at a place."""
    forged = deepcopy(parts)
    *way, last = site
    owner: Any = forged
    for step in way:
        owner = getattr(owner, step) if isinstance(owner, Parts) else owner[step]
        if isinstance(owner, bytes):
            return _with_cell(forged, way, owner, last, value)
    before = owner[last]
    if value == MISSING:
        del owner[last]
    elif value in (TWICE, HALF, EMPTY):
        if not hasattr(before, "__len__") or isinstance(before, dict):
            before = [before]
        half = before[: len(before) // 2]
        owner[last] = {TWICE: before + before, HALF: half, EMPTY: before[:0]}[value]
    else:
        owner[last] = value
    return forged


def _with_cell(forged: Parts, way: list[Any], data: bytes, place: int, value: Any) -> Parts:
    """Another number in a row's head, in every row; of bytes that are no rows, other bytes."""
    number = value if isinstance(value, int | float) else float("nan")
    cells = np.frombuffer(data[: len(data) // 8 * 8], "<f8").copy()
    if len(cells):
        cells[place :: max(len(cells) // 2, 1)] = float(number)
    forged.messages[way[1]]["data"] = cells.tobytes() + (b"abc" if value == HALF else b"")
    return forged


def search(original: Path, scratch: Path, count: int, seed: int) -> Iterator[tuple[Path_, Any]]:
    """Forges and tries so many places by chance (all of them once when 0); yields each before."""
    import touchback as tb

    compile_once()
    parts, chance = take_apart(original), random.Random(seed)
    places = sites(parts)
    for place in places if not count else (chance.choice(places) for _ in range(count)):
        value = chance.choice(NASTY)
        yield place, value
        signal.alarm(SECONDS)
        try:
            put_together(forge(parts, place, value), scratch)
        except (TypeError, AttributeError, LookupError, OverflowError, ValueError, struct.error):
            continue  # MCAP itself has no such file
        for attempt in (lambda: str(tb.open(scratch)), lambda: command("replay", scratch)):
            try:
                attempt()
            except tb.TouchbackError as error:
                assert str(error)
        signal.alarm(0)


def command(*arguments: Any) -> None:
    """The command line in this process; raises what it ran into."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        _commands().main([str(each) for each in arguments], standalone_mode=False)


@cache
def _commands() -> Any:
    """All commands, whose options take longer to list than most recordings to replay."""
    from typer.main import get_command

    from touchback.cli.command_table import app

    return get_command(app)


def compile_once() -> None:
    """A model that wasn't changed is the same system again: the search gets through more cases."""
    replay = import_module("touchback.realtime.live_replay")
    make = replay.model_from_text

    class Made:
        def __init__(self, text: str, suffix: str) -> None:
            self.text, self.suffix = text, suffix

        def compile(self) -> Any:
            return compiled(self.text, self.suffix)

    @cache
    def compiled(text: str, suffix: str) -> Any:
        return make(text, suffix).compile()

    replay.model_from_text = Made


def main(original: str, scratch: str, count: str, seed: str) -> None:
    if "LD_PRELOAD" not in os.environ:  # sanitizers take all addresses for themselves
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    os.environ["TOUCHBACK_CACHE"] = "off"
    for place, value in search(Path(original), Path(scratch), int(count), int(seed)):
        print(f"{'.'.join(map(str, place))} = {value!r}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
