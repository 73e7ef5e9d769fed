"""Whatever clients do, the live run goes on, others are served, and memory stays bounded."""

import asyncio
import gc
import json
import select
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

import touchback as tb
from page_client import Page, connect, on_page, run_async, wire_of
from touchback import gallery, workbench
from touchback.realtime.control.permissions import NOTHING
from touchback.workbench import Workbench, page_connection, web_server
from touchback.workbench.page_connection import Client, Peek, peek
from waiting import PATIENCE, until


@pytest.fixture(autouse=True)
def the_run_goes_on(bench: Workbench) -> Iterator[None]:
    """Each test of this file ends with a page that is served and a run that ticks."""
    before = bench.live.ticks
    yield
    until(lambda: bench.live.ticks > before)
    assert not bench.live.faults
    assert on_page(bench, lambda page: page.send(do="watch", poses=1))["ok"]


def resident() -> int:
    """Memory of this process [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def deaf(bench: Workbench) -> socket.socket:
    """A socket that takes a few kilobytes and no more."""
    at = urlsplit(bench.url)
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.connect((at.hostname, at.port))
    made.setblocking(False)
    return made


def asleep(bench: Workbench, then: Callable[[ClientConnection], Awaitable[None]]) -> None:
    """A client that reads nothing."""

    async def run() -> None:
        url = wire_of(bench)
        async with asyncio.timeout(2 * PATIENCE):
            wire = await connect(url, sock=deaf(bench), max_queue=1, compression=None)
            try:
                await then(wire)
            finally:
                wire.transport.abort()

    run_async(run())


NONSENSE = [
    "", "{", "null", "[]", '"set"', "7", "{}", '{"do": 7}', '{"do": "no such thing"}',
    '{"do": "set"}', '{"do": "set", "name": "crank radius", "value": "0.1"}',
    '{"do": "set", "name": "crank radius", "value": NaN}',
    '{"do": "set", "name": "crank radius", "value": 1e999}',
    '{"do": "set", "name": "crank radius", "value": 0.1, "and": "more"}',
    '{"do": "set", "name": "__class__", "value": 0.1}', '{"do": "watch", "poses": -1}',
    '{"do": "watch", "poses": 1e308}', '{"do": "watch", "id": {}}', "[" * 60_000,
    '{"do": "what", "id": ' + "[" * 30_000 + "}", '{"do": "watch", "poses": "all"}',
]  # fmt: skip


def test_every_message_that_cannot_be_read_is_answered(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        for text in NONSENSE:
            await page.wire.send(text)
            answer = await page.told("answer")
            assert not answer["ok"] and len(answer["error"]) < 1000, text
        await page.wire.send(b"\xff\xfe\x00binary")
        assert not (await page.told("answer"))["ok"]
        assert bench.live["crank radius"] == 0.1

    on_page(bench, play)


def test_what_is_no_text_ends_its_own_connection_only(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        page.wire.transport.write(b"\x81\x84\x00\x00\x00\x00\xff\xfe\xff\xfe")  # not UTF-8
        with pytest.raises(ConnectionClosed):
            while True:
                await page.wire.recv()

    on_page(bench, play)


def test_a_huge_message_ends_its_connection_and_is_not_kept(bench: Workbench) -> None:
    async def run() -> None:
        wire = await connect(wire_of(bench), compression=None)
        before = resident()
        with pytest.raises(ConnectionClosed):
            await wire.send("x" * (8 << 20))
            while True:
                await wire.recv()
        assert resident() - before < 40 << 20  # our own copies of it, not the server's

    run_async(run())


def test_a_slow_client_gets_the_newest_poses_and_delays_nobody(bench: Workbench) -> None:
    async def sleepy(wire: ClientConnection) -> None:
        await wire.send(json.dumps({"do": "watch", "poses": 60}))
        slow = await asyncio.to_thread(lambda: _watching(bench))
        assert await asyncio.to_thread(lambda: until(lambda: slow.dropped > 10))
        waiting = sum(len(each) for each in slow._streams.values())
        assert waiting <= 1 and slow.queued_bytes < page_connection.CROWDED

        async with connect(wire_of(bench), compression=None) as other:
            page = Page(other)
            await page.send(do="watch", poses=60)
            times = [(await page.frame())[3] for _ in range(5)]
            assert times == sorted(times)

    # frames that fill the kernel's buffers soon
    whole = bench.source.frame
    bench.source.frame = lambda: _large(whole())  # type: ignore[method-assign]
    try:
        asleep(bench, sleepy)
    finally:
        bench.source.frame = whole  # type: ignore[method-assign]


def _watching(bench: Workbench) -> page_connection.Client:
    assert until(lambda: any(each.poses for each in bench.hub.clients))
    return next(each for each in bench.hub.clients if each.poses)


def _large(found: workbench.PoseFrame | None) -> workbench.PoseFrame | None:
    """As of a mechanism with ten thousand arrows."""
    return found and found._replace(numbers=np.concatenate([found.numbers, np.zeros(60_000)]))


def test_a_client_that_takes_nothing_is_let_go(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_connection, "PATIENCE", 0.2)

    async def sleepy(wire: ClientConnection) -> None:
        await asyncio.to_thread(lambda: until(lambda: bool(bench.hub.clients)))
        for _ in range(20):
            bench.hub.announce("log", {"text": "x" * 50_000})
        gone = await asyncio.to_thread(lambda: until(lambda: not bench.hub.clients))
        assert gone

    asleep(bench, sleepy)


def test_a_client_who_was_let_go_is_owed_nothing_more() -> None:
    """Of what waited for it nothing is kept, of whatever kind it was."""

    async def let_go() -> Client:
        ended: Any = SimpleNamespace(transport=SimpleNamespace(abort=lambda: None))
        client = Client(ended, "gone")
        client.queue_text(b"1")
        client.queue_values({"mass": 2.0})
        client.queue_latest("status", b"3")
        client.queue_frame("poses", b"4")
        waiting = [client._next()[0] for _ in range(4)]
        assert waiting[0] == b"1" and b"mass" in waiting[1] and waiting[2:] == [b"3", b"4"]
        client.queue_text(b"1")
        client.queue_values({"mass": 2.0})
        client.queue_latest("status", b"3")
        client.queue_frame("poses", b"4")
        client.abort("it took nothing")
        client.abort("closed")
        client.queue_text(b"5")
        client.queue_frame("poses", b"6")
        return client

    client = run_async(let_go())
    assert client._next() == (b"", False) and client.queued_bytes == 0
    assert client.closed_reason == "it took nothing"  # the first reason


def test_a_client_who_is_owed_too_much_is_let_go(bench: Workbench) -> None:
    seen: list[int] = []

    async def sleepy(wire: ClientConnection) -> None:
        await asyncio.to_thread(lambda: until(lambda: bool(bench.hub.clients)))
        slow = next(iter(bench.hub.clients))
        for _ in range(200):
            bench.hub.announce("log", {"text": "x" * 50_000})
            seen.append(slow.queued_bytes)
        await asyncio.to_thread(lambda: until(lambda: not bench.hub.clients))
        assert "waited" in slow.closed_reason and slow.queued_bytes == 0

    asleep(bench, sleepy)
    assert max(seen) <= page_connection.MOST_QUEUED + 51_000


def test_who_does_not_take_what_it_is_told_is_not_read_any_more(bench: Workbench) -> None:
    async def sleepy(wire: ClientConnection) -> None:
        await asyncio.to_thread(lambda: until(lambda: bool(bench.hub.clients)))
        slow = next(iter(bench.hub.clients))
        for _ in range(20):
            bench.hub.announce("log", {"text": "x" * 50_000})
        assert await asyncio.to_thread(
            lambda: until(lambda: slow.queued_bytes > page_connection.CROWDED)
        )
        await wire.send(json.dumps({"do": "watch", "poses": 7}))  # this one is read already
        for value in (0.5, 0.6):
            await wire.send(json.dumps({"do": "set", "name": "motor torque", "value": value}))
        await asyncio.sleep(0.3)
        assert bench.live["motor torque"] != 0.6

    asleep(bench, sleepy)


def test_rapid_messages_are_refused_and_the_others_are_served_meanwhile(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        count = 1000  # of a kind that is taken 50 times a second, and 100 at once
        text = json.dumps({"do": "resume"})

        async def flood() -> None:
            for _ in range(count):
                await page.wire.send(text)

        async def listen() -> tuple[int, int]:
            fine = refused = 0
            while fine + refused < count:
                answer = await page.told("answer")
                fine, refused = fine + answer["ok"], refused + (not answer["ok"])
            return fine, refused

        flooding = asyncio.create_task(flood())
        listening = asyncio.create_task(listen())
        async with connect(wire_of(bench), compression=None) as other:
            assert (await Page(other).send(do="set", name="motor torque", value=0.2))["ok"]
        await flooding
        fine, refused = await listening
        assert fine >= 100 and refused > 0, (fine, refused)

    on_page(bench, play)


def test_a_storm_of_connections_leaves_nothing_behind(bench: Workbench) -> None:
    async def storm(count: int) -> None:
        async def once(number: int) -> None:
            wire = await connect(wire_of(bench), compression=None)
            if number % 2:
                wire.transport.abort()
            else:
                await wire.close()

        for start in range(0, count, 10):
            await asyncio.gather(*(once(start + each) for each in range(10)))

    run_async(storm(50))
    assert until(lambda: not bench.hub.clients)
    before, threads = resident(), threading.active_count()
    run_async(storm(100))
    assert until(lambda: not bench.hub.clients)
    assert until(lambda: not bench.server._loop or len(asyncio.all_tasks(bench.server._loop)) < 12)
    assert threading.active_count() <= threads
    assert resident() - before < 16 << 20  # with what scopes remember of the run meanwhile
    gc.collect()
    left = [
        each
        for each in gc.get_objects()
        if isinstance(each, page_connection.Client | ServerConnection)
    ]
    assert len(left) <= 2  # the last ones, which a frame of the loop may still hold


def test_so_many_pages_look_on_and_no_more(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "MOST_CLIENTS", 2)

    async def play(page: Page) -> None:
        async with connect(wire_of(bench), compression=None):
            with pytest.raises(Exception, match="503"):
                await connect(wire_of(bench), compression=None)

    on_page(bench, play)


def strangers(bench: Workbench, count: int, first: bytes) -> list[socket.socket]:
    """Connections that say the beginning of something, and no more."""
    made = [deaf(bench) for _ in range(count)]
    for each in made:
        until(lambda each=each: each in select.select([], [each], [], 0.0)[1])
        if first:
            with suppress(OSError):
                each.send(first)
    return made


@pytest.mark.parametrize(
    "first",
    [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET /wire?token=x HTTP/1.1\r\n", b"\x16\x03\x01"],
    ids=["nothing", "half a request", "half a wire", "another protocol"],
)
def test_however_many_strangers_there_are_every_new_page_gets_in(first: bytes) -> None:
    """256 silent sockets kept 49 of 53 pages out, and every stop that they would have sent."""
    with workbench.open(gallery.make("pendulum").compile()) as other:
        silent = strangers(other, 2 * web_server.STRANGERS, first)
        for _ in range(5):
            assert on_page(other, lambda page: page.send(do="watch", poses=0))["ok"]
            silent += strangers(other, 20, first)
        front = other.server._front
        assert front is not None and front.counts().strangers <= web_server.STRANGERS
        for each in silent:
            each.close()


def test_strangers_crowd_out_strangers_and_never_a_page(bench: Workbench) -> None:
    async def play(page: Page) -> None:
        for _ in range(3):
            held = await asyncio.to_thread(strangers, bench, web_server.STRANGERS, b"GET ")
            assert (await page.send(do="watch", poses=0))["ok"]
            for each in held:
                each.close()

    on_page(bench, play)


def test_a_request_that_comes_byte_by_byte_is_let_go_when_its_time_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deadline is that of the whole, however often something comes."""
    monkeypatch.setattr(web_server, "GREETING", 0.3)
    with workbench.open(gallery.make("pendulum").compile()) as other:
        slow = deaf(other)
        slow.setblocking(True)
        slow.settimeout(PATIENCE)
        began = time.monotonic()
        with pytest.raises(OSError):
            for _ in range(int(PATIENCE / 0.05)):
                slow.send(b"x")
                time.sleep(0.05)
        assert time.monotonic() - began > 0.25
        slow.close()
        front = other.server._front
        assert front is not None and front.counts().too_slow == 1


LOOKING = {
    "what", "read", "joint", "laws", "scope", "past", "pairs", "spectra", "signals", "graph",
    "recordings", "export", "share",
}  # fmt: skip
ASKED: dict[str, dict[str, object]] = {
    "set": {"name": "crank radius", "value": 0.12},
    "choose": {"control": "crank", "alternative": "other"},
    "switch": {"deactivate": ["pin"]},
    "step": {"ticks": 1},
    "speed": {"value": 0.5},
    "grab": {"body": "rod", "point": [0, 0, 0]},
    "pull": {"to": [1, 0, 0]},
    "icon": {"name": "push", "kind": "force", "on": "rod", "at": [0, 0, 0], "value": [9, 0, 0]},
    "remove": {"icon": "push"},
    "keyframe": {"name": "home"},
    "pose": {"body": "rod", "point": [0, 0, 0], "to": [1, 0, 0]},
    "edit": {"change": "weld", "joint": "crank"},
    "law": {"control": "motor", "text": "1.0"},
    "record": {"on": True},
    "open": {"recording": "run.mcap"},
}


def test_nothing_that_is_not_exposed_can_be_changed(tmp_path: Path) -> None:
    with tb.live(gallery.make("pendulum").compile(), speed=None, record=tmp_path / "run.mcap") as a:
        a.run(0.1)
    system = gallery.make("slider-crank").compile()
    with workbench.open(system, exposed=NOTHING, recordings=tmp_path) as shut:
        kinds = {str(kind.__struct_config__.tag) for kind in shut.commands._known}  # type: ignore[union-attr]

        async def play(page: Page) -> None:
            for kind in sorted(kinds - LOOKING - {"stop", "release", "undo"}):
                answer = await page.send(do=kind, **ASKED.get(kind, {}))
                assert not answer["ok"] and "can't be read" not in answer["error"], (kind, answer)
            what = await page.send(do="what")
            assert what["ok"] and not what["inputs"] and not what["parameters"]

        on_page(shut, play)
        live = shut.live
        assert live["motor torque"] == 0.0 and live["crank radius"] == 0.1
        assert live.system.active == ("pin",) and not live.structures
        assert live.state == "running" and shut.running and live.spec.speed == 1.0


@pytest.mark.parametrize("message", [b'{"do": "\xff"}', b"[" * 100_000, b"\x00", b"9" * 5000])
def test_bytes_that_are_no_json_are_a_message_of_no_kind(message: bytes) -> None:
    assert peek(message) == Peek()
