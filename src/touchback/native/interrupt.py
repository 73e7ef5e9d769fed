"""Ctrl-C within loops of the C library (interrupt.h): what they have computed is kept."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from touchback.native.shared_library import LIB


def stop_asked() -> bool:
    """Whether Ctrl-C was pressed while this thread listens."""
    return bool(LIB.tb_stop_asked())


class Stop:
    """A flag for threads other than the main one, which get no signals: loops of those that heed it
    end early once it is asked for, as at Ctrl-C."""

    def __init__(self) -> None:
        self._flag = ctypes.c_long(0)

    def ask(self) -> None:
        """Ends loops that heed it, and those that begin later."""
        self._flag.value = 1

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Within it this thread's loops heed the flag."""
        LIB.tb_stop_by(ctypes.addressof(self._flag))
        try:
            yield
        finally:
            LIB.tb_stop_by(None)


class Listening:
    """Within it Ctrl-C raises nothing: loops in C end early, with their usual results, and `asked`
    becomes true. Only the main thread gets signals, and a handler of somebody else's keeps them:
    there `asked` stays false, and Python answers between two calls of C, as everywhere."""

    _anybody = False

    def __init__(self) -> None:
        self._listens = False
        self._heard = False

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()
        ours = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if ours and not Listening._anybody:
            try:
                self._listens = Listening._anybody = bool(LIB.tb_listen())
            except KeyboardInterrupt:  # pressed just before
                self._leave()
                raise
        return self

    @property
    def asked(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._heard or stop_asked()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._heard = self._leave() if self._listens else stop_asked()
        if self._heard and self._listens and kind is not None:  # else nobody would answer
            signal.raise_signal(signal.SIGINT)

    def _leave(self) -> bool:
        Listening._anybody = False
        return bool(LIB.tb_unlisten())
