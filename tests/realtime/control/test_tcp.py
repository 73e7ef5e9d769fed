"""A control port on TCP, which every program of the machine reaches."""

import socket
from collections.abc import Iterator

import pytest

import touchback as tb
from waiting import PATIENCE


@pytest.fixture
def live(cart: tb.System) -> Iterator[tb.Live]:
    with tb.live(cart, rate=500) as run:
        yield run


def test_a_page_of_any_site_cannot_drive_a_port_of_this_machine(live: tb.Live) -> None:
    """A browser sends forms to whatever port a page names: headers, then any lines."""
    port = live.open_control("127.0.0.1:0")
    body = b'\n{"do":"set","name":"force","value":5}\n{"do":"stop"}\n'
    with socket.create_connection((port.where.host, port.where.port), timeout=PATIENCE) as page:
        page.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n" + body)
        assert "token" in page.makefile().readline()
        assert page.recv(1) == b""  # and is let go
    assert live["force"] == 0.0 and not live.faults
    with pytest.raises(tb.InputError, match="token"):
        tb.control(str(port.where)).set("force", 5.0)


@pytest.mark.parametrize("port", ["99999", "65536", "http", "", "-1", "١٢"])
def test_a_port_that_is_none_is_no_name_of_a_socket(live: tb.Live, port: str) -> None:
    with pytest.raises(tb.InputError, match="0 to 65535"):
        live.open_control(f"127.0.0.1:{port}")
