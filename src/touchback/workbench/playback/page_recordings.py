"""What a page does with recordings: makes, lists, downloads, opens and forks them; and the runs
behind a page, all of which its emergency stop reaches."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Protocol

import msgspec

from touchback import Live, Run, live as live_run
from touchback.errors import InputError
from touchback.native.live.live_loop import StopCounter
from touchback.realtime import ActiveRecording, Fork as ForkedRun, fork
from touchback.realtime.control import CommandServer, Exposed, Message
from touchback.realtime.control.command_server import SELDOM
from touchback.realtime.control.control_messages import Stop
from touchback.workbench.live_source import LiveSource
from touchback.workbench.page_source import Source
from touchback.workbench.playback.playback import Playback, Record
from touchback.workbench.playback.playback_track import (
    RecordedTrack,
    RunTrack,
    Track,
    track_of,
)
from touchback.workbench.playback.recording_folder import RecordingFolder, file_of
from touchback.workbench.playback.shared_page import Layouts
from touchback.workbench.scopes.scope_port import Facts, LiveScopes, ScopePort, Texts
from touchback.workbench.wire_format import File

_A_TICK = 0.05  # s that a tick may be waited for

Mark = tuple[int, dict[int, int]]
"""How often everything, and each run by itself, was stopped before."""


class StoppableRuns:
    """The run that a page shows or goes back to, those whose place forks took, and a fork that is
    being made. From any thread, without a lock: nobody may be kept from stopping. `stops` counts
    the stops of the page, also while nothing runs, and before Python has read them."""

    def __init__(self) -> None:
        self._runs: tuple[Live, ...] = ()
        self.stops = StopCounter()
        self.changed: Callable[[list[int]], None] = lambda numbers: None
        """Told of the `emergency_number` of each, whenever there are others."""

    def add(self, live: Live) -> None:
        """One more; none twice."""
        self._runs = (*(each for each in self._runs if each is not live), live)
        self.changed(self.numbers)

    def remove(self, live: Live) -> None:
        """One that is the page's no more."""
        self._runs = tuple(each for each in self._runs if each is not live)
        self.changed(self.numbers)

    @property
    def numbers(self) -> list[int]:
        """By which they are stopped, and stops are counted, without Python."""
        return [self.stops.number, *(live.emergency_number for live in self._runs)]

    def running(self) -> list[Live]:
        """Those that were started and haven't ended."""
        return [live for live in self._runs if is_running(live)]

    def stop(self) -> bool:
        """An emergency stop of all that run; whether there are any."""
        self.stops.stop()  # first: a fork that isn't among them yet looks at it afterwards
        found = self.running()
        for live in found:
            live.emergency_stop()
        return bool(found)

    def mark(self) -> Mark:
        """What to compare with later."""
        return self.stops.count, {id(live): live.stops for live in self._runs if is_running(live)}

    def stopped_since(self, mark: Mark) -> bool:
        """Whether a stop came, by a page, or by whoever else holds one of the runs."""
        stops, each = self.mark()
        return stops != mark[0] or any(each.get(key, n) != n for key, n in mark[1].items())


def is_running(live: Live) -> bool:
    """Whether it was started and hasn't ended."""
    return live.state in ("running", "paused")


def is_stopped(live: Live) -> bool:
    """Whether an emergency stop holds a run, also one that waits for its tick."""
    before, end = live.ticks, time.monotonic() + _A_TICK
    if live.stop_waits:
        return True
    while live.ticks < before + 2 and time.monotonic() < end:  # one that was just taken
        time.sleep(5e-4)
    return "stopped" in live.faults


def forked_at(track: Track, time: float, rate: float) -> ForkedRun:
    """Of a recording, or of a run that was computed, at a rate [Hz]; not yet started."""
    if isinstance(track, RecordedTrack):
        return fork(track.recording, time)
    return _fork_run(track, time, rate)


def _fork_run(track: Track, time: float, rate: float) -> ForkedRun:
    """A live run that begins as a run was at an instant. A run that was computed offline has steps
    of its own, so that nothing can be compared to the bit."""
    at = track.at(time)
    system = track.system(at.structure)
    rate = min(max(round(rate), 100.0), 10_000.0)
    made = live_run(system, at.state, rate=rate, parameters=dict(at.parameters))
    for name, value in zip(system.input_names, at.inputs, strict=True):
        made[name] = float(value)
    method = track.run.metadata.get("method", "another program")
    why = (
        f"It goes on live from {at.time:g} s of the run, at time 0; its steps are those of a clock "
        f"({rate:g} Hz, {made.spec.solver.word}), the run's were {method}'s: the bits may differ."
    )
    return ForkedRun(made, 0, at.time, 0, False, why)


LONGEST_RECORDING = 2 * 2**30  # bytes: one that is begun on a page and forgotten ends there


_ABOVE = 20_000  # numbers of structures from which on those of recordings begin


_EACH = 100  # numbers for one


LONGEST_SHARED = 60.0  # s: of a live run more isn't kept at full rate


MOST_SCOPES = 6  # of a page


class Recordings(Message, frozen=True):
    """Asks which recordings there are."""


class Export(Message, frozen=True):
    """Asks for a recording as a kind of file; the answer tells its path on this server."""

    recording: str
    kind: str


class Share(Message, frozen=True):
    """Asks for one HTML file that plays by itself: of a run its last `seconds`, of a recording all,
    of a drawing so many from its start. `scopes` are the signals that each of them shows at first;
    the answer is as of an export."""

    seconds: Annotated[float, msgspec.Meta(gt=0.0, le=LONGEST_SHARED)] = 10.0
    scopes: Annotated[tuple[Texts, ...], msgspec.Meta(max_length=MOST_SCOPES)] = ()


class Open(Message, frozen=True):
    """Shows a recording on the page."""

    recording: str


class Back(Message, frozen=True):
    """Shows the run again that was shown before a recording; or, in place of a fork, the run that
    isn't the page's own and was shown before it."""


class Fork(Message, frozen=True):
    """Goes on live from an instant of the recording that is shown; from the one shown, where no
    time is given."""

    time: float | None = None


class Page(Protocol):
    """What the recordings ask of a workbench."""

    exposed: Exposed

    def turn_to(self, source: Source) -> None:
        """Shows something else."""

    def send(self, client: str, frame: bytes) -> None:
        """A frame for a client; from any thread."""

    def offer(self, path: str, file: Callable[[], File]) -> None:
        """A file that may be downloaded."""

    def begin(self, live: Live) -> Source:
        """A source of a run that is to be shown and to end with the page, with its command
        server."""

    def let_go(self, live: Live) -> bool:
        """Ends a run where it would end with the page; whether it did."""


class PageRecordings:
    """One workbench's recordings, and which of them is shown."""

    def __init__(self, page: Page, folder: RecordingFolder) -> None:
        self.page, self.folder = page, folder
        self.port: ScopePort | None = None  # of what is shown
        self.take: ActiveRecording | None = None
        self._live: tuple[Live, LiveSource, LiveScopes] | None = None
        self._theirs: LiveSource | None = None  # of a run that isn't the page's own, behind a fork
        self._playback: Playback | None = None
        self.runs = StoppableRuns()
        self._numbers = itertools.count()
        self._lock = threading.RLock()

    # ---- what is shown --------------------------------------------------------------------------

    def join_live(self, live: Live, source: LiveSource, commands: CommandServer) -> None:
        """A live run: its scopes, its recordings."""
        scopes = LiveScopes(live, commands, self.page.send, self.folder.traces)
        self._live, self.port = (live, source, scopes), scopes.port
        self.runs.add(live)
        source.recording_to = lambda: self.recording_to
        source.recording_size = lambda: self.recording_size
        commands.add(Stop, lambda asked, client: self._stop(live), None, any_time=True)
        commands.add(Back, lambda asked, client: self._back_from_fork(commands), any_time=True)
        commands.add(Record, lambda asked, client: self._record(commands, asked.on))
        commands.add(
            Share, lambda asked, _: self.share(self._newest(asked.seconds), asked.scopes), SELDOM
        )
        self._join(commands)

    def join_playback(self, shown: Playback) -> None:
        """A recording: its scopes, the way back and the way on."""
        shown.commands.exposed = self.page.exposed
        port = shown.scopes(self.page.send, self.folder.traces)
        add = shown.commands.add
        add(Stop, lambda asked, client: self._stop_behind(shown), None, any_time=True)
        add(Back, lambda asked, client: self._back(shown.commands), any_time=True)
        add(Share, lambda asked, _: self.share(shown.track, asked.scopes), SELDOM, any_time=True)
        add(Fork, lambda asked, _: self._fork(shown, asked.time), SELDOM, any_time=True)
        self._join(shown.commands)
        if self.port is not None:
            self.port.forget()
        self.port, self._playback = port, shown

    def _join(self, commands: CommandServer) -> None:
        commands.add(Recordings, lambda asked, client: self._listing(), any_time=True)
        commands.add(Export, lambda asked, _: self._export(asked), SELDOM, any_time=True)
        commands.add(
            Open, lambda asked, _: self._open(commands, asked.recording), SELDOM, any_time=True
        )

    def _stop(self, live: Live) -> Facts:
        if not self.runs.stop():
            raise InputError(f"The live run is {live.state}; nothing can be asked of it.")
        return {"state": live.state, "tick": int(live.read("tick")), "time": live.read("time")}

    def _stop_behind(self, shown: Playback) -> Facts:
        """A recording stands, and what runs behind it stops."""
        found = self.runs.stop()
        shown.pause()
        return {"time": shown.at, "state": "paused", "stopped": found}

    def forget(self, client: str) -> None:
        """A page that went away: its scopes end, its hands let go, also of a run that goes on
        while a recording is shown."""
        live = self._live
        if live is not None:
            live[2].port.forget(client)
            if live[1].manipulators is not None:
                live[1].manipulators.leave(client)
        if self.port is not None:
            self.port.forget(client)

    def close(self) -> None:
        """Ends taps and recordings; files stay."""
        with self._lock:
            if self._live is not None:
                self._live[2].close()
                if self.take is not None and self._live[0].state != "stopped":
                    self._live[0].end_record(self.take)
            self.take = None
        self.folder.close()

    # ---- recordings -----------------------------------------------------------------------------

    @property
    def recording_to(self) -> str | None:
        """The name of the file that is being written; None once its disk is full."""
        take = self.take
        return Path(take.path).name if take is not None and take.failure is None else None

    @property
    def recording_size(self) -> Facts | None:
        """Bytes of the file that is being written, and how many more it may have."""
        take = self.take
        if take is None or take.failure is not None:
            return None
        return {"bytes": take.bytes, "room": take.room}

    def _record(self, commands: CommandServer, on: bool) -> Facts:
        commands.check("transport", "record")
        with self._lock:
            if self._live is None:
                raise InputError("There is no live run to record.")
            live, source, _ = self._live
            if on:
                if self.take is not None and self.take.failure is not None:
                    take, self.take = self.take, None
                    live.end_record(take)
                if self.take is not None:
                    raise InputError(f"The run is being recorded into {self.recording_to} already.")
                self.take = live.record(self.folder.fresh(source.title), LONGEST_RECORDING)
                return {"on": True, "name": self.recording_to}
            if self.take is None:
                raise InputError("The run isn't being recorded.")
            take, self.take = self.take, None
            live.end_record(take)
        if take.failure is not None:
            raise InputError(f"{take.early_end}.")
        return {"on": False, "name": Path(take.path).name, "ticks": take.ticks}

    def _listing(self) -> Facts:
        going = self.recording_to
        listed = [{**each, "open": each["name"] == going} for each in self.folder.listing()]
        shown = self._playback.name if self._playback is not None else None
        facts: Facts = {"recordings": listed, "kinds": self.folder.kinds}
        behind = self._theirs.title if self._theirs is not None else None
        return {**facts, "shown": shown, "live": self._live is not None, "behind": behind}

    def _export(self, asked: Export) -> Facts:
        return self._offered(*self.folder.export(asked.recording, asked.kind))

    def share(self, shown: Track, scopes: Layouts) -> Facts:
        """Offers a file that plays a track."""
        return self._offered(*self.folder.share(shown, scopes))

    def _newest(self, seconds: float) -> Track:
        """The last seconds of the live run, with its parameters as they are now."""
        if self._live is None:
            raise InputError("There is no live run to share.")
        live, _, scopes = self._live
        columns, rows = scopes.history.newest(seconds)
        if len(rows) < 2:
            raise InputError("There is nothing to share yet; let the run go on for a moment.")
        signals = dict(zip(columns, rows.T, strict=True))
        system, spec = live.system, live.spec
        parameters = dict(zip(system.parameters, live.taken()[1].tolist()))
        told = {
            "method": spec.solver.word, "step": 1.0 / (spec.rate * spec.substeps),
            "rate": spec.rate, "parameters": parameters, "constraints": spec.run.constraints,
        }  # fmt: skip
        return RunTrack(Run(signals.pop("time"), signals, scopes.history.units, told), None, system)

    def _offered(self, path: Path, diagnostics: list[str]) -> Facts:
        address = f"/export/{next(self._numbers)}/{path.name}"
        self.page.offer(address, lambda: file_of(path))
        size = path.stat().st_size
        return {"path": address, "name": path.name, "bytes": size, "diagnostics": diagnostics}

    def _open(self, commands: CommandServer, name: str) -> Facts:
        commands.check("transport", "open")  # everybody sees it then
        track = track_of(self.folder.opened(name))
        playback = Playback(track, name, _ABOVE + _EACH * next(self._numbers))
        self.join_playback(playback)
        self.page.turn_to(playback)
        return {"name": name, "start": playback.start, "end": playback.end}

    def _back(self, commands: CommandServer) -> Facts:
        commands.check("transport", "open")  # as for the way there
        if self._live is None:
            raise InputError("Only the recording is there; fork it to go on live.")
        _, source, scopes = self._live
        if self.port is not None:
            self.port.forget()
        self.port, self._playback = scopes.port, None
        source.prepare()  # under another number, so that pages draw it anew
        self.page.turn_to(source)
        return {"title": source.title}

    # ---- forks ----------------------------------------------------------------------------------

    def _fork(self, playback: Playback, at: float | None) -> Facts:
        playback.commands.check("transport", "fork")  # it takes the place of the run that there is
        mark = self.runs.mark()
        held = any(map(is_stopped, self.runs.running()))
        instant = playback.instant.time if at is None else at
        forked = forked_at(playback.track, instant, playback.rate)
        live = forked.live
        with self._lock:
            self._end_take()
            before = self._live
            try:
                self.runs.add(live)  # from now on a stop reaches it
                if held or self.runs.stopped_since(mark):
                    live.emergency_stop()
                live.start()
                source = self.page.begin(live)
            except BaseException:
                self.runs.remove(live)
                live.stop()
                raise
            self.page.turn_to(source)
            self._playback = None
            if self.runs.stopped_since(mark):  # also by a script that holds the run before
                live.emergency_stop()
            if before is not None:
                self._take_leave(before)
        told = {"same": forked.same, "compared": forked.compared, "why": forked.why}
        return {"time": forked.time, "tick": forked.tick, **told}

    def leave_live(self) -> None:
        """Of the run that is shown, or stands behind a recording: nothing runs any more."""
        with self._lock:
            self._end_take()
            before, self._live = self._live, None
            self._playback = self.port = None
            if before is not None:
                self._take_leave(before)

    def _take_leave(self, before: tuple[Live, LiveSource, LiveScopes]) -> None:
        """Of a run whose place another took: it ends if it is the page's, else it goes on, within
        reach."""
        live, source, scopes = before
        scopes.close()
        if self.page.let_go(live):
            self.runs.remove(live)
        else:
            self._theirs = source

    def _back_from_fork(self, commands: CommandServer) -> Facts:
        commands.check("transport", "fork")  # as for the way there
        with self._lock:
            source, shown = self._theirs, self._live
            if source is None or shown is None:
                raise InputError("The page shows its live run; there is none to go back to.")
            if not is_running(source.live):
                raise InputError(f"The run '{source.title}' before the fork has ended.")
            self._end_take()
            self._theirs = None
            self.join_live(source.live, source, source.commands)
            source.prepare()  # under another number, so that pages draw it anew
            self.page.turn_to(source)
            self._take_leave(shown)
        return {"title": source.title}

    def _end_take(self) -> None:
        if self._live is not None and self.take is not None:
            take, self.take = self.take, None
            self._live[0].end_record(take)
