"""Functions for sweeps, in a module that workers import; each run tells a log when it begins."""

import os
import signal
import time
from collections import Counter
from pathlib import Path

from waiting import until

KILLED, CRASHING, RAISING, WORDY = 7, 21, 33, 50  # runs with a fate of their own


def logged(index: float, log: str, rest: float = 0.002) -> dict[str, float]:
    """Tells its number and process, rests, and gives the square."""
    with open(log, "ab", buffering=0) as file:  # one write, so that lines stay whole
        file.write(f"{index:.0f} {os.getpid()}\n".encode())
    time.sleep(rest)
    return {"square": index * index}


def fated(index: float, log: str) -> dict[str, float]:
    """The same, but some runs end their process, once or always, or give no numbers."""
    found = logged(index, log, 0.0)
    if index == CRASHING or (index == KILLED and begun(log)[KILLED] == 1):
        os.kill(os.getpid(), signal.SIGKILL)
    if index == RAISING:
        raise ValueError("a spring can't pull")
    return {"square": "large"} if index == WORDY else found  # type: ignore[dict-item]


def lines(log: str | Path) -> list[tuple[int, int]]:
    """Numbers and processes of the runs that began so far."""
    text = Path(log).read_text() if Path(log).exists() else ""
    return [(int(n), int(pid)) for n, pid in (row.split() for row in text.splitlines())]


def begun(log: str | Path) -> Counter[int]:
    """How often each run began."""
    return Counter(index for index, _ in lines(log))


def last_of(log: str | Path, process: int) -> int:
    """Which run a process began last."""
    return [index for index, pid in lines(log) if pid == process][-1]


def waiting(index: float, done: str, go: str) -> dict[str, float]:
    """The first waits for a file `go`; the other says in `done` which process it was."""
    if index == 0.0:
        until(Path(go).exists)
    else:
        Path(done).write_text(str(os.getpid()))
    return {"y": index}


def half_letters(index: float) -> dict[str, float]:
    """A name, and words, that no text can be made of."""
    if index == 0.0:
        return {"\ud800": 1.0}
    raise ValueError("\ud800")
