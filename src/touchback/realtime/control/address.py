"""Where a control port is: a name, the path of a socket, or host:port."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from touchback.errors import InputError

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
