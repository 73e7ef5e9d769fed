"""Runs that nobody stopped: they end with the interpreter and by signals, and stay their owner's
when the process forks."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn, Protocol

from touchback.errors import InputError

_SIGNALS = (signal.SIGTERM, signal.SIGHUP) if os.name == "posix" else ()
_SLICE = 0.1  # seconds at most between two looks whether the work of another thread is done
_PATIENCE = 1.0  # seconds that a signal keeps the main thread waiting; it may hold a run's lock


def run_uninterrupted(work: Callable[[], None]) -> None:
    """Does work that must not be left half done. Signals interrupt the main thread anywhere: there
    another thread does it, and what a handler raises (KeyboardInterrupt) waits until it is done."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    turn, ended = threading.Lock(), threading.Lock()
    outcome: list[BaseException | None] = []
    begun: list[bool] = []

    def do() -> None:
        begun.append(True)
        with turn:  # two threads, if the start of the first was interrupted
            if not outcome:
                try:
                    work()
                    outcome.append(None)
                except BaseException as error:
                    outcome.append(error)
                ended.release()

    raised: BaseException | None = None
    ended.acquire()
    while True:
        try:
            while not outcome:
                if not begun:
                    _start(do)
                ended.acquire(timeout=_SLICE)
            break
        except BaseException as error:
            raised = error
    if (failure := raised or outcome[0]) is not None:
        raise failure


def _start(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work, name="touchback ending", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # none is to be had: at the interpreter's exit, or at a limit
        work()


@contextmanager
def signals_as_ctrl_c() -> Iterator[None]:
    """SIGTERM and SIGHUP interrupt what is done within as Ctrl-C does, so that it is kept alike;
    then the process dies of them. A second SIGTERM ends it at once; SIGHUP comes twice by itself,
    from the terminal and from the shell."""
    came: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        came.append(number)
        for each in taken:
            signal.signal(each, signal.SIG_DFL if each == signal.SIGTERM else signal.SIG_IGN)
        raise KeyboardInterrupt(signal.Signals(number).name)

    main = threading.current_thread() is threading.main_thread()
    taken = [each for each in _SIGNALS if main and signal.getsignal(each) is signal.SIG_DFL]
    for each in taken:
        signal.signal(each, interrupt)
    fails = False
    try:
        yield
    except Exception:
        fails = True  # that is to be told
        raise
    finally:
        for each in taken:
            signal.signal(each, signal.SIG_DFL)
        if came and not fails:
            os.kill(os.getpid(), came[0])


class Stoppable(Protocol):
    """A run that has something to end."""

    recording_lock: threading.Lock  # held while a recording is written

    def stop(self) -> None: ...

    def abandon_to(self, owner: int) -> None:
        """Lets go of everything without touching it: this process is a child of the owner."""


class OwnedByParent:
    """Stands in a child process for what its parent owns: whoever asks it is told so."""

    def __init__(self, owner: int) -> None:
        self._owner = owner

    def __getattr__(self, name: str) -> NoReturn:
        self.refuse()

    def refuse(self) -> NoReturn:
        """Says whose the run is."""
        raise InputError(
            f"The live run belongs to process {self._owner}, from which this one, {os.getpid()}, "
            "was forked: start a run of its own here, or reach the parent's ports by "
            "live(…, share='name') there and attach('name') here."
        )


class _Shutdown:
    """Everything that is still to be stopped in this process."""

    def __init__(self) -> None:
        self._runs: weakref.WeakSet[Stoppable] = weakref.WeakSet()
        self._hooked = False
        self._forking = threading.Lock()
        self._held: list[Stoppable] = []  # during a fork
        self._owner = 0
        self._mask: set[int] = set()
        self._ender: threading.Thread | None = None

    def add(self, run: Stoppable) -> None:
        """From now on until `remove`."""
        if not self._hooked:
            self._hooked = True
            atexit.register(self._at_exit)
            os.register_at_fork(
                before=self._before_fork, after_in_parent=self._in_parent,
                after_in_child=self._in_child,
            )  # fmt: skip
        self._runs.add(run)
        self._listen()

    def remove(self, run: Stoppable) -> None:
        """It is stopped."""
        self._runs.discard(run)
        self.forget_signals()

    # ---- the end of the process -----------------------------------------------------------------

    def _stop_all(self) -> None:
        for run in list(self._runs):
            try:
                run.stop()
            except BaseException:  # the others are to be stopped too
                traceback.print_exc()

    def _at_exit(self) -> None:
        self._stop_all()
        self.wait()  # the process is to die of its signal, not of its last line

    def wait(self) -> None:
        """Returns at once, unless a signal is ending the process: then never."""
        if self._ender is not None:
            self._ender.join()

    def _listen(self) -> None:
        """Takes signals that would end the process at once; a handler of the user's, or a signal
        that is ignored, stays as it is."""
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, self._on_signal)

    def forget_signals(self) -> None:
        """Leaves signals alone once nothing is to be stopped; only the main thread can."""
        if not self._runs and threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if signal.getsignal(number) == self._on_signal:
                    signal.signal(number, signal.SIG_DFL)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """Stops everything in another thread, for the main one was interrupted anywhere: it may
        hold a lock, or be in the middle of a chunk."""
        signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
        self._ender = threading.Thread(target=self._end_by, args=(number,), daemon=True)
        self._ender.start()
        self._ender.join(_PATIENCE)

    def _end_by(self, number: int) -> None:
        self._stop_all()
        os.kill(os.getpid(), number)

    # ---- fork -----------------------------------------------------------------------------------

    def _before_fork(self) -> None:
        """Lets recordings be whole: what is half written by another thread would stay so in the
        child. Signals wait until the child has its own handlers again: Python would lose them."""
        self._forking.acquire()
        self._mask = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        self._owner, self._held = os.getpid(), list(self._runs)
        for run in self._held:
            run.recording_lock.acquire()

    def _in_parent(self) -> None:
        for run in self._held:
            run.recording_lock.release()
        self._held = []
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        self._forking.release()

    def _in_child(self) -> None:
        for run in self._held:
            run.abandon_to(self._owner)
        self._held, self._ender = [], None
        self._runs.clear()
        self._forking = threading.Lock()
        self.forget_signals()
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)


SHUTDOWN = _Shutdown()
