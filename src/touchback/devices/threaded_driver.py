"""What drivers have in common whose threads of C serve ports of live runs."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from touchback.errors import DeviceError
from touchback.numbers import shown
from touchback.realtime import DevicePort, DeviceService, PortService

PRIORITY = 69  # of a driver's thread, below that of ticks


_LOOK = 0.02  # seconds between looks at what a thread has to tell


_KEPT = 1000  # sentences


What = TypeVar("What")  # that a port is served with


@dataclass(frozen=True)
class ClockEstimate:
    """The device's clock against ours: drift (1e-6: its second is a millionth shorter than ours),
    and the shortest time on the line, to and fro [s]; the offset is off by half of that at most."""

    drift: float
    round_trip: float
    exchanges: int


class PortDriver(ABC, Generic[What]):
    """Ports of runs that a thread of C serves, and what happened to it, told to each run."""

    def __init__(self) -> None:
        self.events: list[str] = []  # in words, oldest first
        self._served: list[tuple[What, DevicePort]] = []
        self._untold: list[str] = []  # what happened before there was a run to tell
        self._lock, self._ending = threading.Lock(), threading.RLock()
        self._closing = threading.Event()
        self._follower: threading.Thread | None = None

    @abstractmethod
    def _bind(self) -> None:
        """Tells the thread of C which ports it serves, in what structure they are now."""

    @abstractmethod
    def _news(self) -> list[str]:
        """What happened since the last call, in words."""

    @abstractmethod
    def _end(self) -> None:
        """Ends the thread of C; one caller at a time, also once more."""

    def close(self) -> None:
        """Lets go and ends it, also when what it serves is gone."""
        self._closing.set()
        if self._follower is not None and self._follower is not threading.current_thread():
            self._follower.join()
        with self._ending:  # two who close it at once: a thread is joined by one of them
            self._end()

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise DeviceError(f"{type(self).__name__} is closed; open it anew.")

    def add(self, what: What, port: DevicePort) -> DeviceService:
        """Serves a port of a run beside those that it serves already."""
        if self._closing.is_set():
            raise DeviceError(
                f"Port '{port.name}' can't be served: {type(self).__name__} is closed; open it "
                "anew."
            )
        with self._lock:
            self._served.append((what, port))
            self._bind()
        self._follow()
        return PortService(lambda: self._remove(port), self._forget, self._rebind)

    def _remove(self, port: DevicePort) -> None:
        with self._lock:
            self._served = [each for each in self._served if each[1] is not port]
            with contextlib.suppress(ReferenceError):  # nobody holds the run any more
                port.take_with(None)
            self._bind()
        self._tell()

    def _forget(self) -> None:
        self._served, self._follower = [], None

    def _rebind(self) -> None:
        """Follows a run to another structure."""
        with self._lock:
            self._bind()

    def _follow(self) -> None:
        """Looks from now on for what happens, in a thread of its own."""
        if self._follower is None:
            self._follower = threading.Thread(target=self._look, daemon=True)
            self._follower.start()

    def _look(self) -> None:
        while not self._closing.wait(_LOOK):
            self._tell()

    def news(self) -> list[str]:
        """What happened since somebody asked, in words; it is among the `events`, too."""
        with self._lock:
            texts = self._news()
            self.events = [*self.events, *texts][-_KEPT:]
        return texts

    def _tell(self) -> None:
        """The news, to every run that it serves; the first one hears what was before it."""
        texts = self.news()
        with self._lock:
            ports = [port for _, port in self._served]
            texts = [*self._untold, *texts]
            self._untold = [] if ports else texts[-_KEPT:]
        for port in {id(port.run): port for port in ports}.values():
            for text in texts:
                with contextlib.suppress(ReferenceError):  # nobody holds the run any more
                    port.note(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def path_of(kind: str, given: str | os.PathLike[str]) -> str:
    """A path as text. One with a zero byte would be cut there, and name another file."""
    path = os.fspath(given) if isinstance(given, str | os.PathLike) else given
    if not isinstance(path, str) or not path or "\0" in path:
        raise DeviceError(f"{kind}: a path is a text without zero bytes, got {shown(given)}.")
    return path


def explain_open_failure(code: int, mend: str) -> str:
    """Why the system didn't open a file, and what helps: the `mend`, unless there are too many."""
    if code not in (errno.EMFILE, errno.ENFILE):
        return f"{os.strerror(code)}. {mend}"
    whose = "this program may" if code == errno.EMFILE else "the machine can"
    return (
        f"{os.strerror(code)}, as many as {whose} have. Close devices, runs and files that "
        "aren't needed any more, or allow more (`ulimit -n`)."
    )


def text_of(place: ctypes.Array[ctypes.c_ubyte]) -> str:
    """Text that ends with a zero; it may be anybody's, so that a terminal isn't to obey it."""
    text = bytes(place).split(b"\0")[0].decode(errors="replace")
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
