"""The front of servers finds emergency stops in what clients send, and does them without Python."""

import ctypes
import json
import os
import resource
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, strategies as st

import touchback as tb
from page_client import Page, on_page
from touchback import gallery, workbench
from touchback.native.front.connection_gate import LINES, WEB, Front, answered_word
from touchback.native.shared_library import LIB
from touchback.realtime.control.control_messages import Set, Stop
from waiting import PATIENCE, until

STOPS = [
    '{"do":"stop"}', '{"do": "stop"}', ' { "id" : 7 , "do" : "stop" } ', '{"do":"stop","id":null}',
    '{"id":"a\\"b","do":"stop"}', '{"do":"stop","id":-1.5e3}', '\t{"do":"stop","id":"{,}"}\r',
]  # fmt: skip
OTHERS = [
    "", "{", "{}", "stop", '"stop"', '{"do":"stop"', '{"do":"stop"}}', '{"do":"stopp"}',
    '{"do":"set","name":"stop"}', '{"do":"set","name":"do","value":1}', '{"do":"stop","more":1}',
    '["do","stop"]', '{"a":{"do":"stop"}}', '{"id":{"do":"stop"}}', '{"id":"\\","do":"stop"}',
    '{"id":["do","stop"]}', '{"do" "stop"}', '{"do":"stop",}', '{"do":"stop"} x', '{"do":stop}',
    '{"id":"do":"stop"}', '{"do":"set","do":"stop"}', '{"do":"stop","do":"set"}',
]  # fmt: skip


def is_stop(text: str) -> bool:
    data = text.encode()
    return bool(LIB.tb_is_stop(data, len(data), None))


def test_a_stop_is_a_stop_with_and_without_an_id() -> None:
    assert all(map(is_stop, STOPS))
    assert not any(map(is_stop, OTHERS))


@given(st.text('{}[]",:\\ dostpiu71e-', max_size=40), st.sampled_from(STOPS + OTHERS), st.data())
def test_what_the_desk_reads_as_another_message_is_no_stop(
    text: str, base: str, data: st.DataObject
) -> None:
    """By msgspec, which reads messages for the command server."""
    cut = data.draw(st.integers(0, len(base)))
    for each in (text, base[:cut] + text + base[cut:]):
        if not is_stop(each):
            continue
        try:
            found = msgspec.json.decode(each, type=Stop | Set)
        except msgspec.DecodeError:
            continue  # not quite JSON: then stopping is the safe side
        assert isinstance(found, Stop)


def frame(payload: bytes, kind: int = 0x81, mask: bytes = b"\x01\xfe\x37\xa5") -> bytes:
    """A client's frame as RFC 6455, section 5.2, has it."""
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", kind, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", kind, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", kind, 0x80 | 127, size)
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


def scanned(protocol: int, data: bytes, cuts: list[int]) -> int:
    """Stops in a stream that comes in pieces."""
    scan = LIB.struct("tb_scan")()
    scan.protocol, found = protocol, 0
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        while start < end:
            start += LIB.tb_scan_take(ctypes.addressof(scan), data[start:end], end - start)
            found += scan.stops
    return found


MESSAGES = st.lists(st.sampled_from([*STOPS, *OTHERS, "x" * 300, "y" * 70_000]), max_size=8)
CUTS = st.lists(st.integers(0, 100_000), max_size=12)


@given(MESSAGES, CUTS)
def test_stops_are_counted_in_lines_however_they_are_cut(
    messages: list[str], cuts: list[int]
) -> None:
    data = b"".join(each.replace("\r", " ").encode() + b"\n" for each in messages)
    assert scanned(LINES, data, cuts) == sum(each in STOPS for each in messages)


@given(MESSAGES, CUTS)
def test_stops_are_counted_in_frames_however_they_are_cut(
    messages: list[str], cuts: list[int]
) -> None:
    data = b"GET /wire HTTP/1.1\r\nHost: x\r\n\r\r\n\r\n"[:27] + b"\r\n\r\n"
    data += b"".join(frame(b"ping", 0x89) + frame(each.encode()) for each in messages)
    assert scanned(WEB, data, cuts) == sum(each in STOPS for each in messages)


PLAIN = [each for each in STOPS if not set("\\.") & set(each)]  # whose ids C can repeat


@given(MESSAGES, CUTS, st.sampled_from([LINES, WEB]))
def test_a_server_is_told_of_answered_stops_and_gets_all_else_as_it_was(
    messages: list[str], cuts: list[int], protocol: int
) -> None:
    """However the stream is cut: what comes before the end of a stop is held back until then."""
    answered_word()  # chosen before a stop is marked

    def stream(word: str) -> bytes:
        told = [each.replace('"stop"', f'"{word}"') if each in PLAIN else each for each in messages]
        if protocol == LINES:
            return b"".join(each.replace("\r", " ").encode() + b"\n" for each in told)
        return b"\r\n\r\n" + b"".join(frame(each.encode()) for each in told)

    sent = stream("stop")
    data = np.frombuffer(sent, np.uint8).copy()
    scan = LIB.struct("tb_scan")()
    scan.protocol, relayed = protocol, b""
    places = sorted({0, len(sent), *(cut % (len(sent) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        while start < end:
            at = data.ctypes.data + start
            start += LIB.tb_scan_take(ctypes.addressof(scan), at, end - start)
            if scan.stops and scan.stop.word >= 0:
                LIB.tb_scan_mark_answered(ctypes.addressof(scan), data.ctypes.data + start)
        held = LIB.tb_scan_pending(ctypes.addressof(scan))
        relayed += data[len(relayed) : end - held].tobytes()
    assert relayed == stream(answered_word().decode().strip('"'))
    assert LIB.tb_scan_is_between(ctypes.addressof(scan)) or not sent


def test_a_stop_in_pieces_of_a_message_is_left_to_the_server() -> None:
    data = b"\r\n\r\n" + frame(b'{"do":', 0x01) + frame(b'"stop"}', 0x80) + frame(b"", 0x8A)
    assert scanned(WEB, data + frame(b'{"do":"stop"}'), []) == 1


@pytest.fixture(scope="module")
def system() -> tb.System:
    return gallery.make("pendulum").compile()


@pytest.fixture
def undisturbed() -> Iterator[None]:
    """No other Python thread gets the interpreter unless it is given away."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(before)


class Watched(ctypes.Structure):
    """A pollfd of C."""

    _fields_ = (("fd", ctypes.c_int), ("events", ctypes.c_short), ("seen", ctypes.c_short))


def held_while_it_is_sent(
    live: tb.Live, client: socket.socket, data: bytes, longest: float = 10.0
) -> tuple[int, bytes]:
    """Sends something and holds the interpreter until something comes, or for `longest` [s], and
    0.2 s more: the stops that ticks took, and what the client was told, meanwhile."""
    c = ctypes.PyDLL(None)  # whose functions keep the interpreter to themselves
    told = ctypes.create_string_buffer(1000)
    while c.recv(client.fileno(), told, 1000, socket.MSG_DONTWAIT) > 0:
        pass  # what came before
    sent = c.send(client.fileno(), data, len(data), 0)
    c.poll(ctypes.byref(Watched(client.fileno(), select.POLLIN, 0)), 1, int(1000 * longest))
    c.usleep(200_000)  # a page may be told something else first
    taken = int(live._loop.commands.halts_taken)
    count = c.recv(client.fileno(), told, 1000, socket.MSG_DONTWAIT)
    assert sent == len(data)
    return taken, told.raw[: max(count, 0)]


def test_a_client_s_stop_is_done_and_answered_while_the_interpreter_is_busy(
    system: tb.System, undisturbed: None
) -> None:
    with tb.live(system, rate=1000) as live:
        port = live.open_control("127.0.0.1:0")
        place = (port.where.host, port.where.port)
        token = port.address.split("token=")[1]
        with socket.create_connection(place, timeout=PATIENCE) as client:
            client.sendall(json.dumps({"do": "hello", "token": token}).encode() + b"\n")
            assert b"true" in client.recv(100)
            taken, told = held_while_it_is_sent(live, client, b'{"do":"stop","id":"now"}\n')
            answer = json.loads(told)
            assert taken == 1 and told.endswith(b"\n") and 0 < answer.pop("tick") <= live.ticks
            assert answer.pop("time") == pytest.approx(live.read("time"), abs=0.3)
            assert answer == {"id": "now", "ok": True, "state": "running"}
            taken, told = held_while_it_is_sent(live, client, b'{"do":"stop"}\n')  # in its turn
            assert taken == 2 and json.loads(told)["id"] is None
            client.sendall(b'{"do":"read","id":2}\n')  # no stop is answered twice
            assert json.loads(client.makefile().readline())["id"] == 2
        with socket.create_connection(place, timeout=PATIENCE) as stranger:
            assert held_while_it_is_sent(live, stranger, b'{"do":"stop"}\n', 0.2) == (2, b"")
        assert live.stops == 2


def test_a_stop_without_an_id_is_answered_after_what_was_asked_before(
    system: tb.System, tmp_path: Path
) -> None:
    with tb.live(system, rate=1000) as live, socket.socket(socket.AF_UNIX) as client:
        port = live.open_control(str(tmp_path / "rig"))
        client.connect(port.where.path)
        asked = b'{"do":"read","id":1}\n' * 200 + b'{"do":"stop"}\n{"do":"stop","id":"x"}\n'
        client.sendall(asked)
        with client.makefile() as lines:
            ids = [json.loads(lines.readline())["id"] for _ in range(202)]
        assert [each for each in ids if each != "x"] == [1] * 200 + [None] and "x" in ids
        until(lambda: live.faults == ("stopped",))


@pytest.mark.parametrize("ids", ["-1.5e3", '"\\n"', '"é"', "1" * 17, "abc", '"' + 65 * "i" + '"'])
def test_a_stop_whose_id_python_must_read_is_done_at_once_and_answered_once(
    ids: str, system: tb.System, tmp_path: Path
) -> None:
    with tb.live(system, rate=1000) as live, socket.socket(socket.AF_UNIX) as client:
        port = live.open_control(str(tmp_path / "rig"))
        client.connect(port.where.path)
        with client.makefile() as lines:
            client.sendall(f'{{"do":"stop","id":{ids}}}\n'.encode() + b'{"do":"read","id":1}\n')
            answer = json.loads(lines.readline())
            assert answer["ok"] == (ids in ('"\\n"', '"é"'))
            assert answer["id"] == (json.loads(ids) if answer["ok"] else None)
            assert json.loads(lines.readline())["id"] == 1
        assert live.stops == 1 + answer["ok"]  # by C, and what Python can read by Python


def test_a_stop_that_comes_in_pieces_is_answered_once(system: tb.System, tmp_path: Path) -> None:
    text = b'{"do":"stop","id":1}\n'
    with tb.live(system, rate=1000) as live, socket.socket(socket.AF_UNIX) as client:
        client.connect(live.open_control(str(tmp_path / "rig")).where.path)
        with client.makefile() as lines:
            for cut in range(1, len(text)):
                client.sendall(text[:cut])
                time.sleep(0.005)  # so that the front takes it by itself
                client.sendall(text[cut:] + b'{"do":"read","id":2}\n')
                assert [json.loads(lines.readline())["id"] for _ in range(2)] == [1, 2]
        assert live.stops == len(text) - 1


def test_no_client_can_write_what_marks_an_answered_stop(system: tb.System, tmp_path: Path) -> None:
    """Such lines had no answer, and none of the limits that lines have."""
    with tb.live(system, rate=1000) as live, socket.socket(socket.AF_UNIX) as client:
        client.connect(live.open_control(str(tmp_path / "rig")).where.path)
        with client.makefile() as lines:
            for word in ("\x18\x18\x18\x18", "\x00\x00\x00\x00", "stop"):
                client.sendall(json.dumps({"do": "set", "name": word}).encode() + b"\n")
                client.sendall(f'{{"do":"set","name":"{word}"}}\n'.encode())
                assert not any(json.loads(lines.readline())["ok"] for _ in range(2))
    assert len(answered_word()) == 6 and answered_word().isascii()


def test_a_stop_of_a_run_that_ended_is_answered_by_its_server(system: tb.System) -> None:
    with workbench.open(system) as bench:
        bench.live.stop()

        async def ask(page: Page) -> None:
            stopped = await page.send(do="stop")
            assert not stopped["ok"] and "The live run is stopped" in str(stopped["error"])

        on_page(bench, ask)


@pytest.mark.parametrize("name", [7, "i" * 64])  # answers shorter and longer than 126 bytes
def test_a_page_s_stop_is_done_and_answered_while_the_interpreter_is_busy(
    name: int | str, system: tb.System, undisturbed: None
) -> None:
    """In a frame with the shortest length that there is (RFC 6455, 5.2), as browsers insist on."""
    with workbench.open(system) as bench:
        live, address = bench.live, bench.url.split("/")[2].split(":")
        query = bench.url.split("?")[1]
        request = (
            f"GET /wire?{query} HTTP/1.1\r\nHost: {':'.join(address)}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        with socket.create_connection((address[0], int(address[1])), timeout=PATIENCE) as client:
            client.sendall(request.encode())
            assert b"101" in client.recv(1000)
            front = bench.server._front
            assert front is not None and front.counts().trusted == 1  # from its first message on
            asked = json.dumps({"do": "stop", "id": name}).encode()
            taken, told = held_while_it_is_sent(live, client, frame(asked))
            assert taken == 1 and told[:1] == b"\x81"
            long = told[1] == 126
            head, count = (4, int.from_bytes(told[2:4])) if long else (2, told[1])
            assert long == (count >= 126) == (name != 7)
            answer = json.loads(told[head : head + count])
            assert answer["tell"] == "answer" and answer["id"] == name and answer["ok"]
        until(lambda: live.faults == ("stopped",))


def test_the_number_of_a_run_that_ended_stops_nothing(system: tb.System) -> None:
    with tb.live(system, speed=None) as live:
        number = live.emergency_number
        assert number > 0 and LIB.tb_emergency_stop(number) == 1
        live.run(0.01)
        assert live.faults == ("stopped",)
    assert LIB.tb_emergency_stop(number) == 0
    with tb.live(system, speed=None) as other:
        assert other.emergency_number > number
        assert np.isfinite(other.read("time"))


# ---- its files and memory -----------------------------------------------------------------------


def opened(strangers: int = 64) -> tuple[Front, tuple[str, int]]:
    """A front of lines, and where it listens."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    place: tuple[str, int] = listener.getsockname()
    return Front([listener], LINES, strangers, PATIENCE), place


def files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_is_forked_while_strangers_come_and_go_closes_what_it_has() -> None:
    """A connection that just ended was freed in the child again."""
    front, place = opened(4)
    over = threading.Event()

    def come_and_go() -> None:
        while not over.is_set():
            with ExitStack() as held, suppress(OSError):
                for _ in range(20):
                    held.enter_context(socket.create_connection(place, timeout=PATIENCE))

    thread = threading.Thread(target=come_and_go)
    thread.start()
    until(lambda: front.counts().accepted > 20)
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        child = os.fork()
        if child == 0:
            front.abandon()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    over.set()
    thread.join()
    front.close()


@pytest.mark.parametrize("how", ["close", "abandon"])
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_connections_that_nobody_accepted_are_closed_with_the_front(how: str) -> None:
    before = files()
    front, place = opened()
    with ExitStack() as held:
        clients = [held.enter_context(socket.create_connection(place)) for _ in range(20)]
        for client in clients:
            client.sendall(b"hello\n")
        until(lambda: files() >= before + 2 + 3 * 20)  # theirs, and both of the front's
        if how == "abandon":
            child = os.fork()
            if child == 0:
                front.abandon()
                os._exit(files() - before)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) <= 20  # the clients
            accepted, _ = front.accept()  # which the child took nothing of
            assert accepted.recv(10) == b"hello\n"
            accepted.close()
        front.close()
    assert files() == before


def test_strangers_leave_most_files_to_the_process_and_make_room_where_none_is_left() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = files() + 120
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        front, place = opened(1000)
        with ExitStack() as held:
            for k in range(limit // 12 + 4):
                held.enter_context(socket.create_connection(place))
                until(lambda k=k: front.counts().accepted == k + 1)  # type: ignore[misc]
            assert front.counts().strangers == limit // 12
            last = held.enter_context(socket.create_connection(place))
            until(lambda: front.counts().accepted == limit // 12 + 5)
            crowded_out = front.counts().crowded_out
            with ExitStack() as taken:
                with suppress(OSError):
                    while True:
                        taken.callback(os.close, os.dup(0))
                last.sendall(b"hello\n")
                until(lambda: front.counts().crowded_out == crowded_out + 2)  # a pair's files
            front.settimeout(PATIENCE)
            accepted, _ = front.accept()
            with accepted:
                assert accepted.recv(10) == b"hello\n"
        front.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
