"""The workbench: a page in a browser, on a live run."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from numpy.typing import ArrayLike

from touchback import Live, Model, Run, State, System, live, read
from touchback.errors import InputError
from touchback.native import Formulation
from touchback.numbers import shown as as_text
from touchback.realtime import WatchedInput, read_rate
from touchback.realtime.control import CommandServer, Exposed
from touchback.recording import Recording
from touchback.workbench.drawing import Drawing
from touchback.workbench.live_source import LiveSource
from touchback.workbench.manipulate import Manipulators, model_for_page, system_for_page
from touchback.workbench.manipulate.state_snapshot import StateSnapshot, take_snapshot
from touchback.workbench.page_source import Source
from touchback.workbench.playback import PageRecordings, Playback, RecordingFolder, track_of
from touchback.workbench.wire_format import File, encode_message

if TYPE_CHECKING:
    from touchback.workbench.page_connection import Client
    from touchback.workbench.page_hub import Hub
    from touchback.workbench.web_server import Server


_LOOK = 0.1  # seconds between looks


class Changes:
    """Follows the changes of the live run that a hub shows."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._live: Live | None = None
        self._known = 0
        hub.every(_LOOK, self._look)

    def _look(self) -> None:
        source = self._hub.source
        live = source.live if isinstance(source, LiveSource) else None
        if live is not self._live:
            self._live, self._known = live, len(live.structures) if live is not None else 0
        if live is not None:
            for change in live.structures[self._known :]:
                if change.state == "waiting":  # its report is being written
                    break
                self._known += 1
                self._hub.tell("structure", change.as_dict())


LOOPBACK = "127.0.0.1"


_OFFERED = 16  # files for download that stay


_OPEN: set[Workbench] = set()  # those that nobody else needs to hold


def open(
    shown: System | Live | Source | Model | Run | Recording,
    *,
    x0: State | ArrayLike | None = None,
    rate: float = 1000.0,
    substeps: int | None = None,
    constraints: str | Formulation | None = None,
    inputs: Mapping[str, WatchedInput] | None = None,
    exposed: Exposed | None = None,
    host: str = LOOPBACK,
    port: int = 0,
    page: str = "index.html",
    beside: Workbench | None = None,
    name: str = "",
    model: Model | None = None,
    recordings: str | os.PathLike[str] = "recordings",
    hold: bool = True,
) -> Workbench:
    """A page that shows a live run, or starts one of a system or a model, or plays a run or a
    recording (`open_recording(path)`); `url` is its address. A context manager; its run, if it
    started one, ends with it.

    The run begins at `x0`; `rate`, `substeps`, `constraints` and `inputs` are as of `tb.live`.
    `host` is what the server listens on: this machine alone by default; `port` 0 chooses
    a free one.
    `exposed` says what the page may do to the run. Whoever has the address has its token. `beside`
    another workbench it has the port and the token of that one, and a `name` there. `model` is the
    mechanism of a run that doesn't know it. What the page records is kept in the folder
    `recordings`, which is made when it is needed; what is there can be opened and laid over.
    A robot that was read from a file holds its pose, unless `hold` is False or its model has a
    controller."""
    own: Live | None = None
    step = 1.0 / (rate * (substeps or 1)) if isinstance(rate, float | int) and rate > 0 else 1e-3
    if isinstance(shown, Model):
        shown = model_for_page(shown, step, hold, x0).compile()
    if isinstance(shown, System):
        shown = own = live(
            system_for_page(shown, step, hold, x0), x0, rate=rate, substeps=substeps,
            constraints=constraints, inputs=inputs,
        )  # fmt: skip
        own.start()
    try:
        source: Source
        commands: CommandServer | None = None
        if isinstance(shown, Live):
            commands = CommandServer(shown, exposed)
            source = LiveSource(shown, commands, Manipulators(commands))
        elif isinstance(shown, Run | Recording):
            source = Playback(track_of(shown, model), name)
        elif hasattr(shown, "scene"):
            source = shown
        else:
            raise InputError(
                "A workbench shows a model, a system, a live run or a recording, got "
                f"{type(shown).__name__}."
            )
        folder = RecordingFolder(Path(recordings))
        return Workbench(source, commands, own, host, port, page, beside, name, folder, exposed)
    except BaseException:
        if own is not None:
            own.stop()
        raise


def open_drawing(
    shown: str | os.PathLike[str] | Model | None = None,
    *,
    space: bool | None = None,
    folder: str | os.PathLike[str] | None = None,
    rate: float = 1000.0,
    exposed: Exposed | None = None,
    host: str = LOOPBACK,
    port: int = 0,
    recordings: str | os.PathLike[str] = "recordings",
) -> Workbench:
    """A page on which a mechanism is drawn: an empty one, or a model (or its file) to be edited.

    It is drawn in the x–z plane, or in `space`; without a word about it a model that stays in that
    plane is drawn in it. Files are opened and saved in `folder`: "drawings", or where the file is.
    *Play* starts a live run at `rate`, *Rest* goes back to the drawing, `workbench.drawing`."""
    from touchback.workbench.drawing.drawing_source import (
        DrawingPage,
        DrawingSource,
        RestingCommands,
    )

    read_rate(rate)
    file, content = "", None
    if isinstance(shown, Model) or shown is None:
        model, where = shown, Path("drawings")
    else:
        path = Path(shown)
        model, where, file = read(path), path.parent, path.name
        content = path.read_bytes()  # lest another file of this name in `folder` is taken for it
    drawing = Drawing(model, Path(folder or where), space, file, content)
    source = DrawingSource(drawing, RestingCommands())
    bench = Workbench(
        source, None, None, host, port, "index.html", None, "", RecordingFolder(Path(recordings)),
        exposed,
    )  # fmt: skip
    bench.drawing = drawing
    DrawingPage(bench, drawing, rate)
    return bench


class Workbench:
    """What `open` gives: it serves its page until `close`, or the end of its `with` block.
    `commands` is the command server of the live run, None while a recording is shown."""

    def __init__(
        self,
        source: Source,
        commands: CommandServer | None,
        own: Live | None,
        host: str,
        port: int,
        page: str,
        beside: Workbench | None = None,
        name: str = "",
        folder: RecordingFolder | None = None,
        exposed: Exposed | None = None,
    ) -> None:
        self.source, self.commands = source, commands
        self.drawing: Drawing | None = None  # of a page on which a mechanism is drawn
        self._own = [] if own is None else [own]  # runs that end with the page
        if not isinstance(exposed, Exposed | None):
            raise InputError(f"`exposed` is an `Exposed(…)` or None, got {as_text(exposed)}.")
        self.exposed = Exposed() if exposed is None else exposed
        self._made = deque[str]()
        self._page, self._name = "" if beside is None else page, name
        self.hub = _hub(source)
        Changes(self.hub)
        self.page_recordings = PageRecordings(self, folder or RecordingFolder(Path("recordings")))
        self.hub.leaving.append(self._leave)
        if isinstance(source, LiveSource):
            self.page_recordings.join_live(source.live, source, source.commands)
        elif isinstance(source, Playback):
            self.page_recordings.join_playback(source)
        self.server: Server = (
            _server(self.hub, host, port, page) if beside is None else beside.server
        )
        if beside is not None:
            self.server.add(name, self.hub)
        live = getattr(source, "live", None)
        if isinstance(live, Live):
            self.page_recordings.runs.add(live)
        self.page_recordings.runs.changed = self._watch
        self._watch(self.page_recordings.runs.numbers)
        if beside is None:
            self.server.start()

    @property
    def running(self) -> bool:
        """Whether it shows a live run."""
        return isinstance(self.source, LiveSource)

    @property
    def live(self) -> Live:
        """The live run that it shows."""
        if not isinstance(self.source, LiveSource):
            raise InputError(f"'{self.source.title}' isn't a live run: nothing runs here.")
        return self.source.live

    @property
    def playback(self) -> Playback:
        """The recording that it shows: `seek(time)`, `go()`, `pause()`, `events()`."""
        if not isinstance(self.source, Playback):
            raise InputError(f"'{self.source.title}' isn't a recording: there is nothing to play.")
        return self.source

    def snapshot(self) -> StateSnapshot:
        """State, inputs and parameters at the instant that is shown, of a live run or a recording,
        and the system whose functions take them."""
        return take_snapshot(self.live) if self.running else self.playback.snapshot()

    def signals(self) -> dict[str, float]:
        """Numbers by name at the instant that is shown: states and sensors, with all else that a
        live run publishes or a recording holds."""
        return self.live.snapshot() if self.running else self.playback.signals()

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        host = self.server.host
        host = {"0.0.0.0": LOOPBACK, "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        run = f"&run={quote(self._name)}" if self._page else ""
        return (
            f"http://{host}:{self.server.port}/{self._page}?token={quote(self.server.token)}{run}"
        )

    def _leave(self, client: Client) -> None:
        """A page went away: its hand lets go, its scopes end."""
        self.page_recordings.forget(client.name)

    def _watch(self, runs: list[int]) -> None:
        """What the page's emergency stop reaches. A recording that is shown is to be paused by
        it, too, and answers for itself."""
        answers = not isinstance(self.source, Playback)
        self.server.watch(self._name if self._page else "", runs, answers)

    # ---- what the recordings ask for ------------------------------------------------------------

    def turn_to(self, source: Source) -> None:
        """Shows something else on the page."""
        self.source = source
        self._watch(self.page_recordings.runs.numbers)
        if isinstance(source, LiveSource):
            self.commands = source.commands
        self.hub.show(source)

    def send(self, client: str, frame: bytes) -> None:
        """Rows of a scope for a client; from any thread."""
        number = int.from_bytes(frame[16:20], "little")
        self.hub.send(client, frame, ("rows", number))

    def offer(self, path: str, file: Callable[[], File]) -> None:
        """A file that may be downloaded; the last few stay."""
        made = self.server.request_handler.generated_files
        made[path] = file
        self._made.append(path)
        while len(self._made) > _OFFERED:
            made.pop(self._made.popleft(), None)

    def publish(self, kind: str, facts: Callable[[], Mapping[str, object]]) -> Callable[[], None]:
        """Tells facts of a kind to each page that comes, and to all pages whenever what is returned
        is called; from any thread."""
        self.hub.coming.append(lambda client: client.queue_text(encode_message(kind, facts())))
        return lambda: self.hub.announce(kind, facts())

    def begin(self, live: Live) -> Source:
        """A run that was forked, and ends with the page."""
        commands = CommandServer(live, self.exposed)
        manipulators = Manipulators(commands)
        manipulators.find_icons()
        source = LiveSource(live, commands, manipulators, self.source.structure)
        self.page_recordings.join_live(live, source, commands)
        self._own.append(live)
        return source

    def let_go(self, live: Live) -> bool:
        """Ends a run that would end with the page."""
        if live not in self._own:
            return False
        self._own.remove(live)
        live.stop()
        return True

    def wait(self, seconds: float | None = None) -> None:
        """Until Ctrl-C, or for so many seconds; a run that ends by itself ends it too."""
        end = None if seconds is None else time.monotonic() + seconds
        try:
            while end is None or time.monotonic() < end:
                time.sleep(0.1 if end is None else min(0.1, max(end - time.monotonic(), 0.0)))
                if isinstance(self.source, LiveSource) and self.live.state == "stopped":
                    return
        except KeyboardInterrupt:
            return

    def wait_for_page(self) -> None:
        """Until somebody has opened it."""
        while not self.hub.clients:
            time.sleep(0.05)

    def close(self) -> None:
        """Ends the page, and the run if it was started for it."""
        _OPEN.discard(self)
        self.page_recordings.close()
        if self._page:
            self.server.remove(self._name)
        else:
            self.server.stop()
        for own in self._own:
            own.stop()

    def show(self) -> Self:
        """In a notebook it shows itself, elsewhere it prints the address; it stays until `close`,
        or the end of the process."""
        _OPEN.add(self)
        if "ipykernel" not in sys.modules:
            print(f"page: {self.url}", flush=True)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return (
            f'<iframe src="{self.url}" width="100%" height="720" style="border:0" '
            f'allow="autoplay; fullscreen; midi" title="{escape(self.source.title)}"></iframe>'
        )


def _hub(source: Source) -> Hub:
    try:
        import websockets  # noqa: F401
    except ImportError as error:
        raise InputError(
            "The page needs websockets; install it with `pip install touchback[view]`."
        ) from error
    from touchback.workbench.page_hub import Hub

    return Hub(source)


def _server(hub: Hub, host: str, port: int, page: str) -> Server:
    from touchback.workbench.web_server import Server

    return Server(hub, host, port, None, page)
