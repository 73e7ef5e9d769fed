"""The control port: the command server of a live run for other processes, over a Unix socket or
TCP.

A message is a line of JSON, and so is its answer. A thread of C (native/front) accepts clients,
holds strangers to their greeting and does emergency stops as they pass by. Each client has a thread
besides, outside the tick, that reads no faster than messages may come, so that one who floods waits
in its own socket. Nothing is kept for a client but what it is writing.
"""

from __future__ import annotations

import hmac
import ipaddress
import os
import re
import secrets
import socket
import stat
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from touchback.errors import NO_JSON, InputError
from touchback.native.front.connection_gate import LINES, Front, is_answered_stop
from touchback.realtime.control.command_server import CommandServer
from touchback.realtime.control.control_messages import LONGEST, Answer
from touchback.realtime.control.permissions import Rate, Rates

_LONGEST_PATH = 100  # bytes that every Unix takes for a socket


@dataclass(frozen=True)
class Address:
    """Of a Unix socket (`path`) or of TCP (`host`, `port`)."""

    path: str = ""
    host: str = ""
    port: int = 0
    token: str = field(default="", repr=False)  # that an address of TCP came with

    @staticmethod
    def of(text: str) -> Address:
        """From words: "rig" is a socket of that name in the user's own folder, "/tmp/rig.sock" one
        at a path, "127.0.0.1:9100" TCP, as told by a port with "?token=…"."""
        tcp = re.fullmatch(r"\[?([^\[\]/?]*?)\]?:([^:/?]*)(?:\?token=([\w-]+))?", text)
        if tcp:
            if not re.fullmatch("[0-9]{1,5}", tcp[2]) or int(tcp[2]) > 65_535:
                raise InputError(
                    f"A control port at {text!r}: a port is 0 to 65535, got {tcp[2]!r}; the name "
                    "of a socket has no colon."
                )
            return Address("", tcp[1] or "127.0.0.1", int(tcp[2]), tcp[3] or "")
        path = text if "/" in text else os.fspath(own_folder() / f"{text}.sock")
        if not text or "\0" in text or len(os.fsencode(path)) > _LONGEST_PATH:
            raise InputError(
                f"A control port is at a name (rig), a path of at most {_LONGEST_PATH} bytes "
                f"(/tmp/rig.sock) or host:port, got {text!r}."
            )
        return Address(path=path)

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.path or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def family(self) -> socket.AddressFamily:
        """Of its socket."""
        if self.path:
            return socket.AF_UNIX
        return socket.AF_INET6 if ":" in self.host else socket.AF_INET

    @property
    def target(self) -> str | tuple[str, int]:
        """As sockets take it."""
        return self.path or (self.host, self.port)

    def __str__(self) -> str:
        return self.path or f"{self.host}:{self.port}"


def own_folder() -> Path:
    """The folder of this user's sockets, which nobody else can enter."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    usable = bool(runtime) and os.access(runtime or "", os.W_OK)
    if usable:
        folder = Path(runtime or "", "touchback")
    else:
        folder = Path(tempfile.gettempdir(), f"touchback-{os.getuid()}")
    with suppress(FileExistsError):  # a link that leads nowhere, too
        folder.mkdir(mode=0o700, parents=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise InputError(
            f"{folder} must be a folder of yours that nobody else can enter (mode 0700); remove "
            "it, or give a path of your own."
        )
    return folder


def listening(address: Address) -> socket.socket:
    """A socket that listens there. A file that a killed run left is taken; a Unix socket is its
    user's alone (mode 0600)."""
    made = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        if address.path:
            _clear(address)
            made.bind(address.path)
            os.chmod(address.path, 0o600)  # nobody can connect before it listens
        else:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(address.target)
        made.listen(128)
    except OSError as error:
        made.close()
        raise InputError(
            f"A control port can't be opened at {address}: {error.strerror}."
        ) from None
    return made


def _clear(address: Address) -> None:
    """Removes a socket that nobody listens at; refuses to take another run's, or another file."""
    try:
        kind = os.lstat(address.path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise InputError(f"{address} is a file and no socket; choose another place.")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(address.path)
        except ConnectionRefusedError:
            os.unlink(address.path)
            return
        except OSError:
            pass  # busy, so somebody is there
    raise InputError(f"A control port is open at {address} already; choose another name.")


MOST_CLIENTS = 16  # at a time, of those who gave the token


STRANGERS = 64  # at a time, of those who haven't yet: the oldest makes room


GREETING = 5.0  # seconds from a connection on in which the token must have come


_LINES = Rate(4000.0, 2000)  # messages of one client, of whatever kind


_CALLS = Rate(50.0, 100)  # new clients


_PATIENCE = 5.0  # seconds for a client to take its answer


_SILENCE = 30.0  # seconds without a message, after which a client makes room for another


_BAD = 50  # messages in a row that can't be read, after which a client is let go


class Hello(msgspec.Struct, tag="hello", tag_field="do", forbid_unknown_fields=True):
    """The first message where a token is asked for."""

    token: str


class Port:
    """An open control port; `address` tells where."""

    def __init__(self, commands: CommandServer, address: Address, token: str | None = None) -> None:
        if not address.local and not token:
            raise InputError(
                f"A control port at {address} can be reached from other machines: give a token."
            )
        own = "" if address.path or token else secrets.token_urlsafe(24)
        self.commands, self._token, self._rates = commands, token or own or None, Rates()
        listener = listening(address)
        if not address.path:
            address = Address("", address.host, listener.getsockname()[1])
        greeting = 0.0 if self._token is None else GREETING
        self._front = Front([listener], LINES, STRANGERS, greeting)
        self._front.watch([commands.live.emergency_number])
        self._told = f"?token={own}" if own else ""
        self.where, self.clients = address, 0  # how many there ever were
        self._lock, self._open = threading.Lock(), dict[socket.socket, float]()  # heard when
        self._closing = threading.Event()
        self._front.settimeout(0.1)
        self._thread = threading.Thread(target=self._accept, name="touchback port", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """As `tb.control` takes it. Of TCP, which every program of the machine reaches and any page
        in its browser can send lines to, with a token, unless one was given."""
        return f"{self.where}{self._told}"

    @property
    def connected(self) -> int:
        """How many clients there are."""
        return len(self._open)

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                client, _ = self._front.accept()
            except TimeoutError:
                continue
            except OSError:
                if self._closing.wait(0.05):
                    return
                continue
            client.settimeout(_PATIENCE)
            name = self._welcome(client) if self._token is None else ""
            if self._token is None and not name:
                client.close()
                continue
            try:
                threading.Thread(target=self._serve, args=(client, name), daemon=True).start()
            except RuntimeError:  # the system has no thread left; the next may find one
                with self._lock:
                    self._open.pop(client, None)
                client.close()
                self._closing.wait(0.05)

    def _welcome(self, client: socket.socket) -> str:
        """The name of a client who gave the token, or who needs none; empty where there is no
        room."""
        self._closing.wait(self._rates.take("", "call", _CALLS))
        with self._lock:
            self._make_room()
            full = len(self._open) >= MOST_CLIENTS or self._closing.is_set()
            if not full:
                self._open[client] = time.monotonic()
                self.clients += 1
                return f"{self.where} {self.clients}"
        told = f"This run has {MOST_CLIENTS} clients already; let one of them go first."
        _send(client, Answer(None, False, error=told))
        return ""

    def _make_room(self) -> None:
        """Where it is full, whoever said nothing for longest goes, if that is long."""
        if len(self._open) < MOST_CLIENTS:
            return
        silent = min(self._open, key=lambda each: self._open[each])
        if time.monotonic() - self._open[silent] > _SILENCE:
            del self._open[silent]
            with suppress(OSError):
                silent.shutdown(socket.SHUT_RDWR)

    def _heard(self, client: socket.socket) -> None:
        with self._lock:
            if client in self._open:
                self._open[client] = time.monotonic()

    def _serve(self, client: socket.socket, name: str) -> None:
        """A client of a name; without one it must give the token first."""
        try:
            with client:
                lines = _Lines(client)
                if not name and self._knows(client, lines):
                    self._front.trust(client.fileno())
                    if name := self._welcome(client):
                        _send(client, Answer(None, True))
                if name:
                    client.settimeout(None)
                    self._answer(client, lines, name)
        except (OSError, _TooLong):
            pass  # it went away, or was let go
        finally:
            with self._lock:
                self._open.pop(client, None)

    def _knows(self, client: socket.socket, lines: _Lines) -> bool:
        """Whether it gives the token, in its first message, which is here as it is."""
        try:
            given = msgspec.json.decode(lines.next() or b"", type=Hello).token
        except NO_JSON:
            given = ""
        right = hmac.compare_digest(given.encode(), (self._token or "").encode())
        if not right:
            self._closing.wait(0.1)  # whoever guesses
            told = "The control port asks for its token first."
            _send(client, Answer(None, False, error=told))
        return right

    def _answer(self, client: socket.socket, lines: _Lines, name: str) -> None:
        bad = 0
        while (line := lines.next()) is not None:
            self._heard(client)
            if is_answered_stop(line):
                continue
            wait = self._rates.take(name, "line", _LINES)
            if self._closing.wait(wait) if wait else self._closing.is_set():
                return
            answer = self.commands.handle(line, name)
            bad = 0 if answer.ok or "can't be read" not in answer.error else bad + 1
            client.settimeout(_PATIENCE)
            if not _send(client, answer) or bad >= _BAD:
                return
            client.settimeout(None)

    def close(self) -> None:
        """Lets all clients go and frees the address."""
        self._closing.set()
        with self._lock:
            clients = list(self._open)
        for client in clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=2.0)
        if self.where.path:
            with suppress(OSError):
                os.unlink(self.where.path)
        self._front.close()

    def abandon(self) -> None:
        """Lets go of everything in a child process, which doesn't have the threads."""
        self._front.abandon()
        for client in self._open:
            client.close()


class _TooLong(Exception):
    """A line beyond what a message may have."""


class _Lines:
    """Lines as they arrive, and never more than one message of them in memory."""

    def __init__(self, client: socket.socket) -> None:
        self._client, self._buffer = client, bytearray()

    def next(self) -> bytes | None:
        """The next one; None at the end."""
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > LONGEST:
                told = f"A message has at most {LONGEST} bytes; the connection ends here."
                _send(self._client, Answer(None, False, error=told))
                raise _TooLong
            data = self._client.recv(16_384)
            if not data:
                return None
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line


def _send(client: socket.socket, answer: Answer) -> bool:
    """Whether it took it in time."""
    try:
        client.sendall(answer.encode() + b"\n")
    except OSError:
        return False
    return True
