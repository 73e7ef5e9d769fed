"""The Python face of front/connection_gate.h: a listening socket behind a thread of C."""

from __future__ import annotations

import ctypes
import os
import secrets
import socket
import string
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from touchback.native.shared_library import LIB, address_of

LINES, WEB = LIB.constant("TB_LINES"), LIB.constant("TB_WEB")
GROUPS = LIB.constant("TB_FRONT_GROUPS")
_RUNS = LIB.constant("TB_FRONT_RUNS")
_NUMBER = 8  # bytes of a connection's
_STOP_TEXT = LIB.constant("TB_STOP_TEXT")


@cache
def answered_word() -> bytes:
    """What the front writes in place of the word of a stop that it answered, of this process."""
    letters = (string.ascii_letters + string.digits + string.punctuation).translate(
        {34: "", 92: ""}
    )
    word = "".join(secrets.choice(letters) for _ in range(LIB.constant("TB_MARK"))).encode()
    LIB.tb_scan_choose_mark(address_of(np.frombuffer(word, dtype=np.uint8)))
    return b'"' + word + b'"'


def is_answered_stop(message: bytes) -> bool:
    """Whether a message is an emergency stop that the front has done and answered."""
    return len(message) <= _STOP_TEXT and answered_word() in message


@dataclass(frozen=True)
class FrontCounts:
    """Connections so far; clients and strangers now; strangers who made room for others, and who
    took too long; emergency stops that were done in passing."""

    accepted: int
    trusted: int
    strangers: int
    crowded_out: int
    too_slow: int
    stops: int


class Front(socket.socket):
    """A socket whose `accept` gives connections once their greeting is whole; for servers that
    accept by themselves, as asyncio's do. It owns the listeners that it is made of.

    `greeting` is how many seconds a stranger has for it (0: everybody is trusted at once), and
    `strangers` how many there are at most; clients that were trusted (`trust`) don't count."""

    def __init__(
        self, listeners: Sequence[socket.socket], protocol: int, strangers: int, greeting: float
    ) -> None:
        answered_word()
        ours, theirs = socket.socketpair()
        super().__init__(ours.family, ours.type, ours.proto, fileno=ours.detach())
        files = np.array([each.detach() for each in listeners], dtype=np.intc)
        self._ids: dict[int, int] = {}  # of connections, by their files
        self._lock = threading.Lock()  # nobody asks a front that ends
        self._front: int | None = LIB.tb_front_open(
            address_of(files), len(files), theirs.detach(), protocol, strangers, int(1e9 * greeting)
        )
        if self._front is None:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def listen(self, backlog: int = 0) -> None:
        """Its listeners do already."""

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection; its address isn't known."""
        files: list[int] = []
        while not files:  # one for which there is no file left is gone
            told, files, *_ = socket.recv_fds(self, _NUMBER, 1, socket.MSG_CMSG_CLOEXEC)
            if len(told) < _NUMBER:
                raise OSError("the front has ended")
        self._ids[files[0]] = int.from_bytes(told, sys.byteorder)
        return socket.socket(fileno=files[0]), ("", 0)

    def trust(self, file: int, group: int = 0) -> bool:
        """A connection, by its file, is a client's, whose emergency stops are those of a group;
        whether it is still there."""
        with self._lock:
            return self._front is not None and bool(
                LIB.tb_front_trust(self._front, self._ids.get(file, 0), group)
            )

    def watch(self, runs: Iterable[int], group: int = 0, answers: bool = True) -> None:
        """Which runs (`live.emergency_number`) the clients of a group stop; `answers`: the front
        answers with where the last of them is (see `is_answered_stop`), unless they are more than
        it can stop."""
        known = [*runs]
        numbers = np.array(known[-_RUNS:], dtype=np.int64)
        answers = answers and len(known) == len(numbers)
        with self._lock:
            if self._front is not None:
                LIB.tb_front_watch(self._front, group, address_of(numbers), len(numbers), answers)

    def counts(self) -> FrontCounts:
        """Who came and is there."""
        counts = LIB.struct("tb_front_counts")()
        with self._lock:
            if self._front is not None:
                LIB.tb_front_count(self._front, ctypes.addressof(counts))
        return FrontCounts(*(getattr(counts, name) for name in FrontCounts.__match_args__))

    def close(self) -> None:
        """Ends all connections; further calls do nothing."""
        with self._lock:
            front, self._front = self._front, None
            if front is not None:
                LIB.tb_front_close(front)
        super().close()

    def abandon(self) -> None:
        """Lets go of everything in a child process, which doesn't have the thread."""
        front, self._front = self._front, None
        if front is not None:
            LIB.tb_front_abandon(front)
        super().close()
