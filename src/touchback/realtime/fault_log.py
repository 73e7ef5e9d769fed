"""Faults of a live run in words: what flags of ticks can't say."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np

from touchback.native import BAD_NUMBER, DIVERGED, OPEN_LOOP, OVERLOADED, ROW_HEAD
from touchback.native.live.live_loop import LiveLoop
from touchback.recording import FaultData
from touchback.system import System

_REMEMBERED = 1000  # faults, for the report
_LONGEST = 500  # characters of one: its text may be anybody's


@dataclass(frozen=True)
class Fault:
    """What went wrong, and the last tick [and the model's time, s] before it was noticed."""

    tick: int
    time: float
    text: str

    def as_dict(self) -> FaultData:
        """Plain data."""
        return {"tick": self.tick, "time": self.time, "text": self.text}


class Faults:
    """The faults of one run, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._new: list[Fault] = []
        self._flags = 0  # of the last tick that was seen
        self.latest: list[Fault] = []

    def note(self, tick: int, time: float, text: str) -> None:
        """A fault; the same one that comes again and again is one."""
        text = _printable(text)
        with self._lock:
            if not self.latest or self.latest[-1].text != text:
                fault = Fault(tick, time, text)
                self._new.append(fault)
                self.latest = [*self.latest, fault][-_REMEMBERED:]

    def see(self, rows: np.ndarray, system: System, loop: LiveLoop) -> None:
        """Says why a run is held, or its outputs are safe, since one of these ticks."""
        flags = rows[:, 2].astype(int)
        begun = flags & ~np.append(self._flags, flags[:-1])
        if len(flags):
            self._flags = int(flags[-1])
        for flag, text in (
            (DIVERGED, _diverged), (BAD_NUMBER, _not_finite), (OPEN_LOOP, _open),
            (OVERLOADED, _overloaded),
        ):  # fmt: skip
            for row in rows[(begun & flag) != 0]:
                self.note(int(row[0]), float(row[1]), text(row, system, loop))

    def take(self) -> list[Fault]:
        """Those since the last call."""
        with self._lock:
            taken, self._new = self._new, []
        return taken


def _diverged(row: np.ndarray, system: System, loop: LiveLoop) -> str:
    place, bound = int(loop.struct.diverged_place), float(loop.struct.max_speed)
    reached = f"{loop.struct.diverged_value:.3g} {system.state_units[place]}".rstrip()
    return (
        f"diverged: '{system.state_names[place]}' would have become {reached}, and the model is "
        "held where it was; take shorter steps (substeps, rate), or raise "
        f"max_speed={bound:g} if a mechanism can be that fast"
    )


def _not_finite(row: np.ndarray, system: System, loop: LiveLoop) -> str:
    return (
        "not finite: a state or an output would have become no number, and the model is held where "
        f"it was; {_mend(row, system)}"
    )


def _open(row: np.ndarray, system: System, loop: LiveLoop) -> str:
    return (
        "loop open: no state that meets the constraints was found, and the model is held where it "
        f"was; {_mend(row, system)}"
    )


def _overloaded(row: np.ndarray, system: System, loop: LiveLoop) -> str:
    pace = loop.pace
    return (
        f"overloaded: the run leaves out more periods than max_slip={pace.max_slip:g} s allows, so "
        "that the model isn't in real time, and guarded outputs are safe; lower the rate "
        f"({pace.rate:g} a second) or the substeps ({int(row[5])}), and resume"
    )


def _mend(row: np.ndarray, system: System) -> str:
    """Names the largest input, where there are any."""
    given = row[ROW_HEAD : ROW_HEAD + len(system.input_names)]
    if not given.any():
        return "take shorter steps (substeps, rate), and resume"
    place = int(np.argmax(np.abs(given)))
    largest = f"{given[place]:g} {system.input_units[place]}".rstrip()
    return (
        f"set the input '{system.input_names[place]}' to less than {largest}, or take shorter "
        "steps (substeps, rate), and resume"
    )


def words(error: BaseException) -> str:
    """An exception's name and text."""
    try:
        text = str(error)
    except BaseException as another:  # a device's own class may fail in any way, here too
        text = f"(its text raised {type(another).__name__})"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _printable(text: str) -> str:
    """What any file and terminal takes: no lone surrogates, and no more than a few lines."""
    whole = text[: _LONGEST + 1].encode("utf-8", "backslashreplace").decode()
    return whole if len(whole) <= _LONGEST else whole[: _LONGEST - 1] + "…"
