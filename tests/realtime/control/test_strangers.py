"""Who doesn't have the token of a control port keeps nobody out who has it."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

import touchback as tb
from touchback.realtime.control import Port, control_port as port_module
from waiting import PATIENCE, until


@pytest.fixture
def live(cart: tb.System) -> Iterator[tb.Live]:
    with tb.live(cart, rate=500) as run:
        yield run


def stranger(port: Port, says: bytes = b"") -> socket.socket:
    made = socket.create_connection((port.where.host, port.where.port), timeout=PATIENCE)
    with suppress(OSError):
        made.sendall(says)
    return made


@pytest.mark.parametrize(
    "says",
    [b"", b"{", b'{"do": "hello", "token": "guess"}\n', b'{"do": "stop"}\n', b"x" * 60_000],
    ids=["nothing", "a beginning", "a guess", "a stop", "a long line"],
)
def test_strangers_take_no_place_of_a_client(live: tb.Live, says: bytes) -> None:
    """Sixteen of them refused 60 of 80 stops."""
    port = live.open_control("127.0.0.1:0")
    with ExitStack() as held:
        for _ in range(2):
            for _ in range(port_module.STRANGERS):
                held.enter_context(stranger(port, says))
            for _ in range(8):
                with tb.control(port.address) as rig:
                    assert rig.what()["model"] == "cart"
        assert not live.faults  # a stop without the token is none
        with tb.control(port.address) as rig:
            rig.stop()
        until(lambda: live.faults == ("stopped",))
        assert port._front.counts().strangers <= port_module.STRANGERS


def test_a_client_with_the_token_is_never_crowded_out(live: tb.Live) -> None:
    port = live.open_control("127.0.0.1:0")
    with tb.control(port.address) as rig, ExitStack() as held:
        for _ in range(2 * port_module.STRANGERS):
            held.enter_context(stranger(port))
        until(lambda: port._front.counts().crowded_out >= port_module.STRANGERS)
        rig.set("force", 1.5)
    assert live["force"] == 1.5 and port.clients == 1


def test_the_oldest_stranger_makes_room(live: tb.Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_module, "STRANGERS", 4)
    port = live.open_control("127.0.0.1:0")
    with ExitStack() as held:
        made = []
        for k in range(6):
            made.append(held.enter_context(stranger(port)))
            until(lambda k=k: port._front.counts().accepted == k + 1)
        for each in made[:2]:
            with suppress(ConnectionResetError):
                assert each.recv(1) == b""
        for each in made[2:]:
            each.settimeout(0.0)
            with pytest.raises(BlockingIOError):
                each.recv(1)


@pytest.mark.parametrize("drips", [b" ", b"x"])
def test_a_greeting_has_a_deadline_however_often_a_byte_of_it_comes(
    live: tb.Live, monkeypatch: pytest.MonkeyPatch, drips: bytes
) -> None:
    """A byte every two seconds held a place for ever."""
    monkeypatch.setattr(port_module, "GREETING", 0.3)
    port = live.open_control("127.0.0.1:0")
    with stranger(port) as slow:
        began = time.monotonic()
        with pytest.raises(OSError):
            for _ in range(int(PATIENCE / 0.05)):
                slow.sendall(drips)
                time.sleep(0.05)
        assert time.monotonic() - began > 0.25
    with tb.control(port.address) as rig:
        time.sleep(0.4)
        assert rig.what()["model"] == "cart"  # a client has no deadline


def test_a_first_message_and_its_token_may_come_in_pieces_and_together(live: tb.Live) -> None:
    port = live.open_control("127.0.0.1:0", token="sésame")
    hello = json.dumps({"do": "hello", "token": "sésame"}).encode()
    with stranger(port, hello[:9]) as client:
        client.sendall(hello[9:] + b'\n{"do":"set","id":7,"name":"force","value":2.5}\n{"do":')
        client.sendall(b'"what","id":8}\n')
        answers = client.makefile()
        told = [json.loads(answers.readline()) for _ in range(3)]
    assert [each["id"] for each in told] == [None, 7, 8] and all(each["ok"] for each in told)
    assert live["force"] == 2.5
