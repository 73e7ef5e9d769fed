"""Files go out in pieces, as fast as they are taken: none waits whole in memory, none is read where
others are served, and nobody who is slow keeps others waiting."""

import http.client
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import numpy as np
import pytest

from touchback import gallery, workbench
from touchback.model.solids.visual_mesh import Mesh
from touchback.workbench import Workbench, web_server
from touchback.workbench.page_scene import MESHES, mesh_file, number_of
from waiting import PATIENCE, until

LARGE = 32 << 20  # bytes, of zeros that a disk doesn't hold


@pytest.fixture
def large(bench: Workbench, tmp_path: Path) -> Iterator[str]:
    """The address of a large file on the page's server, with its token."""
    path = tmp_path / "large.bin"
    with path.open("wb") as file:
        file.truncate(LARGE)
    bench.server.request_handler.generated_files["/large.bin"] = lambda: (
        "application/octet-stream",
        path,
    )
    yield f"/large.bin?token={bench.server.token}"
    del bench.server.request_handler.generated_files["/large.bin"]


def asking(bench: Workbench, path: str) -> socket.socket:
    """A connection that asked for a file and takes little of what comes."""
    at = urlsplit(bench.url)
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(PATIENCE)
    made.connect((at.hostname, at.port))
    made.sendall(f"GET {path} HTTP/1.1\r\nHost: {at.netloc}\r\n\r\n".encode())
    return made


def fetched(bench: Workbench, path: str) -> tuple[int, bytes]:
    """The status, and what came."""
    at = urlsplit(bench.url)
    wire = http.client.HTTPConnection(at.hostname or "", at.port or 0, timeout=PATIENCE)
    try:
        wire.request("GET", path)
        answer = wire.getresponse()
        return answer.status, answer.read()
    finally:
        wire.close()


def rest(wire: socket.socket) -> bytes:
    """All that comes until the end."""
    found = bytearray()
    while data := wire.recv(1 << 16):
        found += data
    return bytes(found)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_a_file_arrives_as_it_is(bench: Workbench, tmp_path: Path) -> None:
    content = np.random.default_rng(1).bytes(5 * web_server.PIECE + 17)
    (tmp_path / "some.bin").write_bytes(content)
    made = bench.server.request_handler.generated_files
    made["/some.bin"] = lambda: ("application/octet-stream", tmp_path / "some.bin")
    made["/same.bin"] = lambda: ("application/octet-stream", content)
    for name in ("/some.bin", "/same.bin"):
        assert fetched(bench, f"{name}?token={bench.server.token}") == (200, content)


@pytest.mark.parametrize("name", ["groß.html", "my run.csv", "50%.csv", "a#b?c%41.csv", "振り子"])
def test_a_file_is_found_by_any_name(bench: Workbench, name: str) -> None:
    made = bench.server.request_handler.generated_files
    made[f"/export/0/{name}"] = lambda: ("application/octet-stream", name.encode())
    address = f"/export/0/{quote(name)}"
    try:
        assert fetched(bench, f"{address}?token={bench.server.token}") == (200, name.encode())
        assert fetched(bench, address)[0] == 401
    finally:
        del made[f"/export/0/{name}"]


def test_an_address_is_decoded_once_and_leads_to_no_other_file(bench: Workbench) -> None:
    token = f"?token={bench.server.token}"
    made = bench.server.request_handler.generated_files
    made["/export/0/a b"] = lambda: ("application/octet-stream", b"")
    try:
        assert fetched(bench, f"/export/0/a%2520b{token}")[0] == 404
        assert fetched(bench, f"/export/0/%FF{token}")[0] == 400  # no UTF-8
        assert fetched(bench, f"/export/0/..%2F..%2Fetc%2Fpasswd{token}")[0] == 404
        assert fetched(bench, f"/export/0/a%20b{token}")[0] == 200
    finally:
        del made["/export/0/a b"]


def test_what_nobody_takes_does_not_wait_in_memory(bench: Workbench, large: str) -> None:
    count, before = web_server.DOWNLOADS, resident()
    with ExitStack() as held:
        for _ in range(count):
            wire = held.enter_context(asking(bench, large))
            assert wire.recv(12) == b"HTTP/1.1 200"
        time.sleep(0.1)  # in which the files would be read
        assert resident() - before < LARGE  # of one of the sixteen
        assert fetched(bench, large)[0] == 503
        assert fetched(bench, "/")[0] == 200
    assert until(lambda: fetched(bench, large)[0] == 200)


def test_who_is_slow_gets_all_of_a_file_however_long_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        web_server, "_SILENCE", 1.0
    )  # in which a request must come, not its answer go
    path = tmp_path / "large.bin"
    path.write_bytes(bytes(LARGE // 4))
    with workbench.open(gallery.make("pendulum").compile()) as other:
        other.server.request_handler.generated_files["/large.bin"] = lambda: (
            "application/octet-stream",
            path,
        )
        with asking(other, f"/large.bin?token={other.server.token}") as wire:
            first = wire.recv(12)
            time.sleep(1.3)
            assert len((first + rest(wire)).split(b"\r\n\r\n", 1)[1]) == LARGE // 4


def test_who_takes_nothing_is_let_go(
    bench: Workbench, large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "PATIENCE", 0.1)
    with asking(bench, large) as wire:
        with suppress(ConnectionResetError):  # before a busy machine looked
            assert wire.recv(12) == b"HTTP/1.1 200"
        assert until(lambda: not bench.server.request_handler._fetching)


def test_a_page_closes_while_somebody_fetches_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_server, "PATIENCE", 10 * PATIENCE)
    path = tmp_path / "large.bin"
    path.write_bytes(bytes(LARGE // 4))
    with workbench.open(gallery.make("pendulum").compile()) as other:
        other.server.request_handler.generated_files["/large.bin"] = lambda: (
            "application/octet-stream",
            path,
        )
        wire = asking(other, f"/large.bin?token={other.server.token}")
        assert wire.recv(12) == b"HTTP/1.1 200"
        began = time.monotonic()
    assert time.monotonic() - began < PATIENCE  # not when it has taken all
    wire.close()


def test_a_file_that_is_cut_meanwhile_does_not_look_whole(bench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes(bytes(LARGE // 4))
    bench.server.request_handler.generated_files["/cut.bin"] = lambda: (
        "application/octet-stream",
        path,
    )
    with asking(bench, f"/cut.bin?token={bench.server.token}") as wire:
        assert wire.recv(12) == b"HTTP/1.1 200"
        os.truncate(path, 10)
        found = 0
        try:
            while data := wire.recv(1 << 16):
                found += len(data)
        except ConnectionError:
            pass
        assert found < LARGE // 4


def test_a_file_that_is_gone_is_told_in_words(bench: Workbench, tmp_path: Path) -> None:
    bench.server.request_handler.generated_files["/gone.bin"] = lambda: (
        "text/plain",
        tmp_path / "gone.bin",
    )
    status, text = fetched(bench, f"/gone.bin?token={bench.server.token}")
    assert status == 404 and b"gone" in text


def test_a_disk_that_is_slow_keeps_nobody_waiting(bench: Workbench, tmp_path: Path) -> None:
    slow = tmp_path / "slow.js"
    os.mkfifo(slow)  # opening it waits for who writes
    bench.server.request_handler.files["/slow.js"] = slow
    with asking(bench, "/slow.js") as wire:
        assert fetched(bench, "/")[0] == 200
        slow.write_bytes(b"")
        assert rest(wire).startswith(b"HTTP/1.1 200")
    del bench.server.request_handler.files["/slow.js"]


def test_a_mesh_is_made_once_for_all_who_fetch_it_and_beside_the_server(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = Mesh.of(np.eye(3), np.array([[0, 1, 2]]))
    path = f"{MESHES}{number_of(mesh)}.bin"
    one, other = mesh_file(path)[1], mesh_file(path)[1]
    assert isinstance(one, memoryview) and isinstance(other, memoryview) and one.obj is other.obj
    makers: list[str] = []

    def watched(asked: str) -> tuple[str, memoryview | bytes | Path]:
        makers.append(threading.current_thread().name)
        return mesh_file(asked)

    monkeypatch.setattr(web_server, "mesh_file", watched)
    status, body = fetched(bench, f"{path}?token={bench.server.token}")
    assert status == 200 and np.array_equal(np.frombuffer(body, "<f4"), np.eye(3).ravel())
    assert makers and "touchback-page" not in makers
