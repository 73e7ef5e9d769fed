"""Other processes reach a live run through its control port, and can't do it any harm."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.realtime.control import Exposed, Port, control_port as port_module
from waiting import PATIENCE, until

SECOND = """
import sys
import touchback as tb
with tb.control(sys.argv[1]) as rig:
    rig.set("force", 2.5)
    rig["stiffness"] = 12.0
    rig.pause()
    rig.step(3)
    rig.go()
    rig.speed(2.0)
    try:
        rig.set("mass", 1e9)
    except tb.InputError as error:
        print("refused:", error)
    print(rig.what()["model"], sorted(rig.read("slide", "time")))
"""


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "rig")


@pytest.fixture
def live(cart: tb.System, tmp_path: Path) -> Iterator[tb.Live]:
    with tb.live(cart, rate=500, record=tmp_path / "run.mcap") as run:
        yield run


def connected(port: Port) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.connect(port.address)
    made.settimeout(PATIENCE)
    return made


def answer(made: socket.socket) -> dict[str, object]:
    text = b""
    while not text.endswith(b"\n"):
        data = made.recv(1 << 16)
        if not data:
            return {}
        text += data
    return dict(json.loads(text.splitlines()[0]))


def test_a_second_process_does_all_that_and_the_recording_replays(
    cart: tb.System, place: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=500, record=path) as live:
        port = live.open_control(place)
        done = subprocess.run(
            [sys.executable, "-c", SECOND, port.address], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert "refused: " in done.stdout
        assert "outside its range" in done.stdout
        assert "cart ['slide', 'time']" in done.stdout
        assert live["stiffness"] == 12.0
        assert live.spec.speed == 2.0
        live.run(0.05)
    run = tb.open(path)
    assert run["force"][-1] == 2.5
    assert tb.replay(path).same


def test_a_socket_is_its_users_alone_and_goes_with_the_run(cart: tb.System, place: str) -> None:
    with tb.live(cart, rate=500) as live:
        live.open_control(place)
        assert stat.S_IMODE(os.stat(place).st_mode) == 0o600
        with pytest.raises(tb.InputError, match="open at"):
            live.open_control(place)
        client = tb.control(place)
    assert not os.path.exists(place)
    with pytest.raises(tb.DeviceError, match="control port"):
        client.set("force", 1.0)
    with pytest.raises(tb.DeviceError, match="Does the run go on"):
        tb.control(place)


def test_a_socket_that_a_killed_run_left_is_taken_but_no_other_file(
    live: tb.Live, place: str, tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(place)
    live.open_control(place)
    assert tb.control(place).what()["model"] == "cart"
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(tb.InputError, match="no socket"):
        live.open_control(str(other))
    assert other.read_text() == "mine"


def test_only_what_is_exposed_is_reached(live: tb.Live, place: str) -> None:
    live.open_control(place, exposed=Exposed(inputs=["force"], parameters=False, transport=False))
    with tb.control(place) as rig:
        rig.set("force", 1.0)
        for refused in (lambda: rig.set("stiffness", 1.0), rig.pause, rig.reset):
            with pytest.raises(tb.InputError, match="exposes"):
                refused()
    assert live.state == "running"


def test_tcp_is_open_to_this_machine_and_to_others_by_a_token(live: tb.Live) -> None:
    port = live.open_control("127.0.0.1:0")
    assert tb.control(port.address).what()["model"] == "cart"
    with pytest.raises(tb.InputError, match="give a token"):
        live.open_control("0.0.0.0:0")
    guarded = live.open_control("127.0.0.1:0", token="sesame")
    with pytest.raises(tb.InputError, match="token"):
        tb.control(guarded.address, token="simsalabim")
    with pytest.raises(tb.InputError, match="token"):
        tb.control(guarded.address).set("force", 7.0)
    tb.control(guarded.address, token="sesame").set("force", 1.0)
    assert live["force"] == 1.0


def test_who_says_nothing_makes_room_and_its_next_call_connects_anew(
    live: tb.Live, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_module, "_SILENCE", 0.1)
    port = live.open_control(place)
    held = [tb.control(place) for _ in range(port_module.MOST_CLIENTS)]
    assert until(lambda: port.connected == port_module.MOST_CLIENTS)
    time.sleep(0.15)
    with tb.control(place) as late:
        assert late.what()["model"] == "cart"
    for each in held:
        assert each.what()["model"] == "cart"
        each.close()


def test_bad_bytes_are_answered_and_a_line_without_end_is_let_go(live: tb.Live, place: str) -> None:
    port = live.open_control(place)
    with connected(port) as bad:
        bad.sendall(b'\xff\x00{"do":\n')
        assert "can't be read" in str(answer(bad)["error"])
        bad.sendall(b'{"do":"set","name":"force","value":2}\n')
        assert answer(bad)["ok"]
        with suppress(OSError):  # it may be let go already
            bad.sendall(b"x" * 200_000)
        assert "at most 65536" in str(answer(bad)["error"])
        assert until(lambda: port.connected == 0)
    assert live["force"] == 2.0
    assert live.faults == ()


def test_who_sends_nothing_but_rubbish_is_let_go(live: tb.Live, place: str) -> None:
    port = live.open_control(place)
    with connected(port) as bad:
        bad.sendall(b"rubbish\n" * port_module._BAD)
        assert until(lambda: port.connected == 0)


def test_a_flood_is_slowed_down_refused_in_part_and_costs_no_tick(
    live: tb.Live, place: str
) -> None:
    port = live.open_control(place)
    flood = b"".join(b'{"do":"set","name":"force","value":%d}\n' % k for k in range(3000))
    with connected(port) as bad:
        taken = threading.Thread(target=lambda: _read_all(bad), daemon=True)
        taken.start()
        begun = time.monotonic()
        bad.sendall(flood)
        bad.shutdown(socket.SHUT_WR)
        taken.join(PATIENCE)
        lasted = time.monotonic() - begun
    with tb.control(place) as good:
        good.set("force", 1.0)
    assert live["force"] == 1.0
    # of 3000 at once 500 are taken, and 1000 a second while the rest is read at 4000 a second
    assert live.report().ports["force"]["messages"] <= 502 + 1000 * lasted
    before = live.ticks
    live.run(0.02)
    assert live.ticks > before
    assert live.report().counts["lost_rows"] == 0


def _read_all(made: socket.socket) -> None:
    while made.recv(1 << 16):
        pass


def test_a_client_that_reads_nothing_is_let_go(
    live: tb.Live, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_module, "_PATIENCE", 0.2)
    port = live.open_control(place)
    with connected(port) as deaf:
        deaf.setblocking(False)

        def gone() -> bool:
            with suppress(OSError):
                deaf.send(b'{"do":"what"}\n' * 100)
            return port.connected == 0

        until(gone)
    assert tb.control(place).what()["model"] == "cart"


def test_a_killed_client_leaves_nothing(live: tb.Live, place: str) -> None:
    port = live.open_control(place)
    script = (
        "import socket, sys, time\n"
        "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
        's.sendall(b\'{"do":"set","name":"force","value":4}\\n{"do":\')\n'
        "print(s.recv(1000), flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, place], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert b"true" in process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert until(lambda: port.connected == 0)
    assert live["force"] == 4.0  # as it was set; a watched input would have grown stale
    assert live.faults == ()


def test_a_storm_of_connections_leaves_no_threads_and_no_files(live: tb.Live, place: str) -> None:
    port = live.open_control(place)
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for _ in range(150):  # more than are welcomed at once
        connected(port).close()
    held = [connected(port) for _ in range(port_module.MOST_CLIENTS + 3)]
    told = [answer(each) for each in held[-1:]]
    assert "clients already" in str(told[0].get("error"))
    assert port.connected <= port_module.MOST_CLIENTS
    for each in held:
        each.close()
    assert until(lambda: port.connected == 0)
    assert until(lambda: threading.active_count() <= threads)
    assert until(lambda: len(os.listdir("/proc/self/fd")) <= files)
    assert tb.control(place).what()["model"] == "cart"
    assert len(port.commands.rates) < 5000


def test_a_name_is_a_socket_in_the_users_own_folder(
    live: tb.Live, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    port = live.open_control("rig")
    assert port.address == str(tmp_path / "touchback" / "rig.sock")
    assert stat.S_IMODE(os.stat(tmp_path / "touchback").st_mode) == 0o700
    assert tb.control("rig").what()["model"] == "cart"
    os.chmod(tmp_path / "touchback", 0o777)
    with pytest.raises(tb.InputError, match="nobody else"):
        tb.control("rig")
    for wrong in ("", "x" * 200, "a\0b"):
        with pytest.raises(tb.InputError):
            live.open_control(wrong)


def test_a_client_s_reset_lets_a_model_go_on_that_its_state_holds(
    cart: tb.System, place: str
) -> None:
    with tb.live(cart, [0.1, 0.0], rate=1000, max_speed=1e3) as live:
        live.open_control(place)
        with tb.control(place) as rig:
            live.set_state([0.1, 2e3])
            until(lambda: live.faults == ("diverged",))
            rig.reset()
            until(lambda: not live.faults)


def test_what_the_desk_did_is_what_a_replay_does(
    slider_crank: tb.System, turning: tb.State, place: str, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(slider_crank, turning, rate=1000, record=path) as live:
        live.open_control(place)
        with tb.control(place) as rig:
            rig.set("crank radius", 0.11)
            rig.pause()
            rig.set("crank radius", 0.12)
            rig.step(5)
            rig.reset()
            rig.go()
            live.run(0.02)
            rig.switch(deactivate=["pin"])
            live.run(0.02)
    again = tb.replay(path)
    assert again.same
    assert len(again.parts) == 2
    assert np.isfinite(again.parts[1]).all()


def test_a_stop_waits_for_no_answer_that_another_thread_waits_for(
    live: tb.Live, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, may_end = threading.Event(), threading.Event()

    def slowly() -> None:
        began.set()
        assert may_end.wait(PATIENCE)

    monkeypatch.setattr(live, "reset", slowly)
    port = live.open_control(place)
    with tb.control(port.address) as rig:
        waiting = threading.Thread(target=rig.reset)
        waiting.start()
        assert began.wait(PATIENCE)
        rig.stop()
        assert until(lambda: "stopped" in live.faults) and waiting.is_alive()
        may_end.set()
        waiting.join(PATIENCE)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("x", "'force' must be a number, got 'x'"),
        (None, "'force' must be a number, got None"),
        (float("nan"), "'force' must be a finite number, got nan"),
        (-float("inf"), "'force' must be a finite number, got -inf"),
    ],
)
def test_what_is_no_number_is_refused_by_the_clients_words(
    live: tb.Live, place: str, value: float, said: str
) -> None:
    live.open_control(place)
    with tb.control(place) as rig:
        with pytest.raises(tb.InputError, match=said):
            rig["force"] = value
        rig["force"] = np.float32(2.5)
        assert until(lambda: live["force"] == 2.5)


@pytest.mark.parametrize("tcp", [False, True])
def test_a_port_that_finds_no_thread_for_a_client_takes_the_next(
    live: tb.Live, place: str, tcp: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = live.open_control("127.0.0.1:0" if tcp else place)
    start, refused = threading.Thread.start, list[str]()

    def no_thread(thread: threading.Thread) -> None:
        if "_serve" not in thread.name or len(refused) == 3:
            start(thread)
        else:
            refused.append(thread.name)
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    for _ in range(3):
        with socket.socket(socket.AF_INET if tcp else socket.AF_UNIX) as client:
            client.settimeout(PATIENCE)
            client.connect((port.where.host, port.where.port) if tcp else place)
            client.sendall(b'{"do": "hello", "token": ""}\n')
            with suppress(ConnectionResetError):
                assert client.recv(100) == b""
    assert len(refused) == 3 and port.connected == 0
    with tb.control(port.address) as rig:
        assert rig.what()["model"] == "cart"
