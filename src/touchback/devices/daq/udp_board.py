"""Blocks as datagrams."""

from __future__ import annotations

import select
import socket

from touchback.devices.daq.layout import BlockLayout, check_layout
from touchback.devices.daq.packets import PacketFeed
from touchback.errors import DeviceError, InputError
from touchback.numbers import positive_number, whole_within

_ROOM = 1 << 20  # bytes that wait in the kernel while this process isn't run


class UdpBoard(PacketFeed):
    """A board that sends a datagram a block (`pack_block`) to a port of ours; port 0 is any free
    one, see `port`. It listens on loopback unless told otherwise: who can send to it can steer."""

    def __init__(
        self, layout: BlockLayout, port: int = 0, host: str = "127.0.0.1", patience: float = 0.5
    ) -> None:
        whole_within("UdpBoard: its port must be 0 (any) to 65535", port, 0, 65535)
        if not isinstance(host, str):
            raise InputError(f"UdpBoard: its host is a name or an address, got {host!r}.")
        check_layout("UdpBoard", layout)
        positive_number("UdpBoard: its patience [s]", patience)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _ROOM)
            self._socket.bind((host, port))
        except (OSError, ValueError, TypeError) as error:  # also of names that are none
            self._socket.close()
            raise DeviceError(
                f"UDP {host!r}:{port} can't be listened to: "
                f"{getattr(error, 'strerror', None) or error}; is another board there?"
            ) from None
        self._socket.setblocking(False)
        self.port = int(self._socket.getsockname()[1])
        super().__init__(f"UDP {host}:{self.port}", layout, patience)
        self.start()

    def take(self, seconds: float) -> bool:
        if select.select([self._socket], [], [], seconds)[0]:
            while not self.closing:  # however fast they come
                try:
                    self.take_packet(self._socket.recv(1 << 16))
                except BlockingIOError:
                    break
        return True

    def shut(self) -> None:
        self._socket.close()
