"""One port on which play pages and mechanisms of the gallery open, a few at a time, and what
stands between a board and its pages; the virtual wall's board, and tables of strings.

On the wall's page a pointer pushes, and controller, stiffness and rate are chosen. Tables of
strings are what a synthesiser of modes needs to sound as `instruments.sound` does: a mode is a sine
that fades; a hammer, a plectrum or wind decides how much of each there is. The page's audio worklet
adds them up sample by sample, so that a note starts within one audio block."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict, cast

import msgspec
import numpy as np

import touchback as tb
from touchback import Live, live
from touchback.errors import NO_JSON, InputError
from touchback.haptics import RENDERED, TICKS, rendered_wall, rendering
from touchback.instruments import (
    DAMPER_DECAY,
    String,
    StringMotion,
    piano_string,
    pluck,
    struck_strings,
)
from touchback.names import suggestion
from touchback.realtime import Report, flag_names
from touchback.realtime.control import Answer, CommandServer, Exposed
from touchback.realtime.control.command_server import OFTEN, SELDOM
from touchback.realtime.control.control_messages import Facts
from touchback.workbench.live_source import LiveSource, feed
from touchback.workbench.manipulate import model_with_hands
from touchback.workbench.page_source import PageScene, PoseFrame, Source, Values
from touchback.workbench.play import play_messages as asked
from touchback.workbench.play.piano_page import PianoPage, Tell, nobody
from touchback.workbench.play.play_messages import About, Clock, Strings, Visit, Zoo
from touchback.workbench.play.trial_pages import ForcedChoicePage, IdentificationPage
from touchback.workbench.wire_format import ROWS, frame
from touchback.workbench.workbench import LOOPBACK, Workbench, open

if TYPE_CHECKING:
    from touchback.workbench.page_connection import Client
    from touchback.workbench.page_hub import Hub


SPEEDS = (0.15, 0.3, 0.6, 1.0, 1.6, 2.5, 4.0, 6.5)  # m/s of hammers, between which is interpolated


MOST_MODES = 96  # of a string, the loudest: what ten strings of a tablet can do at once


PLUCK = 1.0  # N


STOPS = (1.0, 0.55, 0.32, 0.22, 0.12, 0.1, 0.05, 0.04)  # of an organ's principal, by harmonic


SPEAKING = 25.0  # 1/s at which a pipe begins and ends to speak


@lru_cache(maxsize=256)
def string_table(note: int, kind: str = "struck") -> dict[str, object]:
    """The modes of a note: pulsation [rad/s], decay [1/s], and for each of `speeds` [m/s] what the
    modes bring to the bridge: cosine and sine amplitudes of its force [N]."""
    if kind not in KINDS:
        raise InputError(f"There is no string '{kind}'; there are {', '.join(KINDS)}.")
    return KINDS[kind](note)


def _struck(note: int, una_corda: bool = False) -> dict[str, object]:
    """With hammers shifted or not the same modes, so that a string goes on when struck again."""
    usual, motions = (
        [struck_strings(note, speed, shifted) for speed in SPEEDS] for shifted in (False, una_corda)
    )
    return _table(piano_string(note), motions, SPEEDS, usual)


def _plucked(note: int) -> dict[str, object]:
    string = piano_string(note)
    return _table(string, [pluck(string, PLUCK)], (PLUCK,))


def _blown(note: int) -> dict[str, object]:
    """A pipe speaks as long as its pallet is open: harmonics that don't fade by themselves."""
    first = 2.0 * np.pi * piano_string(note).frequency
    count = sum(first * (k + 1) < 2.0 * np.pi * 16_000.0 for k in range(len(STOPS)))
    return {
        "pulsation": [float(first * (k + 1)) for k in range(count)],
        "decay": [0.0] * count,
        "speeds": [1.0],
        "cosine": [[0.0] * count],
        "sine": [[float(each) for each in STOPS[:count]]],
        "damper": SPEAKING,
        "attack": SPEAKING,
    }


KINDS: dict[str, Callable[[int], dict[str, object]]] = {
    "struck": _struck,
    "una corda": partial(_struck, una_corda=True),
    "plucked": _plucked,
    "blown": _blown,
}


def _table(
    string: String,
    motions: list[StringMotion],
    speeds: tuple[float, ...],
    usual: list[StringMotion] | None = None,
) -> dict[str, object]:
    """Modes by their force on the bridge, those of them that are the loudest in usual motions."""
    omega = np.sqrt(string.pulsation**2 - string.decay**2)
    cosine, sine = np.array([each.bridge_amplitudes() for each in motions]).swapaxes(0, 1)
    power = [np.sum(np.square(each.bridge_amplitudes()), axis=0) for each in usual or motions]
    loudest = np.sort(np.argsort(-np.max(power, axis=0))[:MOST_MODES])
    return {
        "pulsation": omega[loudest].tolist(),
        "decay": string.decay[loudest].tolist(),
        "speeds": list(speeds),
        "cosine": cosine[:, loudest].tolist(),
        "sine": sine[:, loudest].tolist(),
        "damper": DAMPER_DECAY,
        "attack": 0.0,
    }


RATES = (250.0, 500.0, 1000.0, 2000.0, 4000.0)


SUBSTEPS = 2


REST = 0.01  # m outside, where the hand begins


SHOWN = ("time", "handle", "wall force", "wall gave", "hand followed")  # s, m, N, J, m


class WallPage:
    """A handle, a hand and a wall, live, with a command server; a context manager like the
    piano's."""

    def __init__(self, rate: float = 1000.0, speed: float | None = 1.0) -> None:
        self.controller, self.stiffness, self.rate = "standard", 2000.0, rate
        self.tell: Tell = nobody
        self.shown = lambda row: None
        system = rendered_wall().compile()
        self.live: Live = live(
            system, system.assemble({"handle": REST}), rate=TICKS, substeps=SUBSTEPS, speed=speed,
            parameters=rendering(self.controller).parameters(system.model, self.stiffness, rate),
        )  # fmt: skip
        self.commands = CommandServer(
            self.live, Exposed(inputs=False, parameters=False, hands=False, structure=False)
        )
        self._changing = threading.Lock()
        self.commands.add(asked.Push, self._push, OFTEN)
        self.commands.add(asked.Wall, self._change, OFTEN)

    def __enter__(self) -> WallPage:
        self.live.start()
        self.live.tap(self._rows)
        return self

    def __exit__(self, *error: object) -> None:
        self.live.stop()

    def _push(self, message: asked.Push, client: str) -> Facts:
        self.live["hand"] = message.to
        return {"tick": self.live.ticks}

    def _change(self, message: asked.Wall, client: str) -> Facts:
        """Another wall; without anything given, only what there is."""
        with self._changing:
            name = message.controller or self.controller
            chosen = rendering(name)
            stiffness = message.stiffness or self.stiffness
            rate = TICKS / round(TICKS / (message.rate or self.rate))
            if (name, stiffness, rate) != (self.controller, self.stiffness, self.rate):
                model = self.live.system.model
                self.live.change(chosen.parameters(model, stiffness, rate))
                self.controller, self.stiffness, self.rate = name, stiffness, rate
                self.tell("wall", self._facts())
            return self._facts()

    def _facts(self) -> Facts:
        return {
            "controllers": tuple(RENDERED), "controller": self.controller,
            "stiffness": self.stiffness, "rates": RATES, "rate": self.rate, "columns": SHOWN,
            "felt": rendering(self.controller).felt(self.stiffness, self.rate),
            "bound": rendering(self.controller).passive_bound(self.rate),
        }  # fmt: skip

    def _rows(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        """A row a sample of the wall: between them it only holds."""
        every = round(TICKS / self.rate)
        ticks = np.rint(TICKS * rows[:, columns.index("time")])
        kept = rows[ticks % every == 0.0]
        if len(kept):
            self.shown(kept[:, [columns.index(name) for name in SHOWN]])


KEYS, ROW = 1, 2  # subscriptions of frames: all keys, and (with 256 × note) rows of one


_WAITING = 240  # frames of rows that may wait, four seconds: a stroke is to be drawn whole


class Publish(Protocol):
    """What a board calls with what pages must know."""

    def __call__(self, kind: str, facts: Facts) -> None: ...


class PlaySource:
    """A board that draws itself: no scene and no poses, its command server answers. Nothing that
    can be set is told as such: what pages may know they are told by the board."""

    structure = 1

    def __init__(self, title: str, live: Live, commands: CommandServer) -> None:
        self.title, self.live, self.commands = title, live, commands

    def stale(self) -> bool:
        return False

    def prepare(self) -> None:
        pass

    def scene(self) -> PageScene:
        return empty_scene(self.title)

    def frame(self) -> PoseFrame | None:
        return None

    def ticks(self) -> int:
        return self.live.ticks

    def values(self) -> Values:
        return {}

    def status(self) -> Mapping[str, object]:
        live = self.live
        report = live.report()
        return {
            "time": live.read("time"), "tick": live.ticks, "state": live.state,
            "held": "held" in flag_names(int(live.read("flags"))), "speed": live.spec.speed,
            "rate": live.spec.rate, "faults": list(live.faults), "late": report.counts["late"],
            "said": [each["text"] for each in report.faults[-3:]],
            "lateness": report.histograms["lateness"].summary(),
            "step time": report.histograms["step_time"].summary(),
        }  # fmt: skip

    def handle(self, message: bytes, client: str) -> Answer:
        return self.commands.handle(message, client)


def empty_scene(title: str) -> PageScene:
    """A scene in which nothing is to be drawn."""
    return PageScene(
        structure=1, title=title, flat=None, bodies=[], shapes=[], joints=[], loops=[], springs=[],
        arrows=[], sensors=[], bounds=[[0.0] * 3, [0.0] * 3],
    )  # fmt: skip


class PageBroadcast:
    """Carries what a board tells, in whatever thread, to the pages of a hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        hub.add(Clock, self._clock)

    def tell(self, kind: str, facts: Facts) -> None:
        """A text for all pages, with the time at which it is sent."""
        self._hub.call(self._tell, kind, dict(facts))

    def _tell(self, kind: str, facts: dict[str, object]) -> None:
        self._hub.tell(kind, {**facts, "sent": time.monotonic_ns()})

    def show(self, row: np.ndarray, keys: np.ndarray | None = None, note: int = 0) -> None:
        """Rows of what is in focus (a key's `note`), time [s] first, and numbers of all keys."""
        if self._hub.clients:
            self._hub.call(self._show, row, keys, note)

    def _show(self, row: np.ndarray, keys: np.ndarray | None, note: int) -> None:
        since = float(row[0, 0])
        shifted = row.copy()
        shifted[:, 0] -= since
        for client in self._hub.clients:
            client.queue_frame("row", _frame(ROW + (note << 8), since, shifted), _WAITING)
            if keys is not None:
                client.queue_frame("keys", _frame(KEYS, float(row[-1, 0]), keys))

    def _clock(self, message: Clock, client: Client) -> Facts:
        return {"ns": time.monotonic_ns()}


def _frame(subscription: int, time: float, numbers: np.ndarray) -> bytes:
    number = np.array([subscription], dtype="<u4").view("<f4")
    flat = np.concatenate([number, numbers.ravel().astype("<f4")])
    return frame(ROWS, 1, len(numbers), time, flat)


MOST = 3  # runs at a time, beside the first: what two cores can keep in time


ZOO, GALLERY = "zoo", "gallery/"  # GALLERY + name is a mechanism


#: Play pages by what they show: their titles, files and a line about each.
PAGES = {
    "piano": ("Piano", "play/piano.html", "Keys that push back: see the action, hear the strings."),
    "wall": ("Virtual wall", "play/wall.html",
             "Push a wall that a computer makes, until it chatters."),
    "trial": ("Blind trial", "play/trial.html", "Press a key and say what is behind it."),
}  # fmt: skip


Board = PianoPage | IdentificationPage | ForcedChoicePage


class ZooSource:
    """The list of what can be visited, which needs no run."""

    structure, title = 1, "Mechanisms"

    def __init__(self, server: PlayServer) -> None:
        self._server = server
        self._decoder = msgspec.json.Decoder(Zoo | Visit)

    stale = staticmethod(lambda: False)
    prepare = staticmethod(lambda: None)
    frame = cast(Callable[[], PoseFrame | None], staticmethod(lambda: None))
    ticks = staticmethod(lambda: 0)
    values = cast(Callable[[], Values], staticmethod(dict))
    status = cast(Callable[[], Mapping[str, object]], staticmethod(lambda: {"state": "running"}))

    def scene(self) -> object:
        return empty_scene(self.title)

    def handle(self, message: bytes, client: str) -> Answer:
        try:
            asked = self._decoder.decode(message)
        except NO_JSON as error:
            return Answer(None, False, error=f"The message can't be read: {error}.")
        try:
            done = self._server.zoo if isinstance(asked, Zoo) else self._server.visit
            return Answer(asked.id, True, done(asked, client))
        except InputError as error:
            return Answer(asked.id, False, error=str(error))


class _Where(TypedDict, total=False):
    beside: Workbench
    name: str
    host: str
    port: int


@dataclass
class OpenPage:
    """A run with its page, and what ends it."""

    bench: Workbench
    ending: ExitStack
    board: object = None


class PlayServer:
    """Opens `what` on a port, and on the same port whatever its visitors ask for; a context
    manager. With a ready `board` that one is shown."""

    def __init__(
        self,
        what: str = "piano",
        board: Board | None = None,
        host: str = LOOPBACK,
        port: int = 0,
        answers: Path | None = None,
    ) -> None:
        self._host, self._port, self._answers = host, port, answers
        self._pages: OrderedDict[str, OpenPage] = OrderedDict()  # the first, then the latest last
        self._opening = threading.Lock()
        self.first = self._open(what, board)
        self._pages[what] = self.first

    @property
    def url(self) -> str:
        """The address of the first page."""
        return self.first.bench.url

    @property
    def clients(self) -> int:
        """Pages that look on, of all runs."""
        return sum(len(page.bench.hub.clients) for page in list(self._pages.values()))

    @property
    def client_total(self) -> int:
        """Pages that came so far."""
        return sum(page.bench.hub.client_total for page in list(self._pages.values()))

    @property
    def last_seen(self) -> float:
        """When somebody was here last, by `time.monotonic`: a page that looks on or is being
        loaded, or somebody for whom a run is being opened."""
        here = self.clients or self._opening.locked()
        return time.monotonic() if here else self.first.bench.server.request_handler.asked

    def reports(self) -> list[Report]:
        """Of the runs that are open, that of the first page first."""
        sources = [page.bench.source for page in list(self._pages.values())]
        return [each.live.report() for each in sources if isinstance(each, PlaySource | LiveSource)]

    def close(self) -> None:
        """Ends everything, the first run last."""
        with self._opening:
            while self._pages:
                self._pages.popitem()[1].ending.close()

    def __enter__(self) -> PlayServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # ---- what visitors ask ----------------------------------------------------------------------

    def visit(self, asked: Visit, client: str) -> Facts:
        """Where to find what they want, which is opened unless it is open."""
        with self._opening:
            if asked.what not in self._pages:
                self._close_oldest()
                self._pages[asked.what] = self._open(asked.what, None)
            page = self._pages[asked.what]
            if page is not self.first:
                self._pages.move_to_end(asked.what)
        return {"what": asked.what, "url": page.bench.url}

    def _close_oldest(self) -> None:
        """Ends the run that was asked for least recently, of those where nobody is if there are."""
        others = [name for name, page in self._pages.items() if page is not self.first]
        if len(others) >= MOST:
            empty = [name for name in others if not self._pages[name].bench.hub.clients]
            self._pages.pop((empty or others)[0]).ending.close()

    def zoo(self, asked: Zoo, client: str) -> Facts:
        """Everything that can be visited."""
        return {
            "pages": [
                {"what": what, "title": title, "about": about}
                for what, (title, _, about) in PAGES.items()
            ],
            "mechanisms": [
                {
                    "what": GALLERY + each.name,
                    "name": each.name,
                    "about": each.about,
                    "category": tb.gallery.category(each.name),
                    "sentences": each.sentences,
                }
                for each in map(tb.gallery.entry, tb.gallery.names())
            ],
            "open": list(self._pages),
        }

    # ---- how each is opened ---------------------------------------------------------------------

    def _open(self, what: str, board: Board | None) -> OpenPage:
        with ExitStack() as steps:
            if what == ZOO:
                bench = self._bench(cast(Source, ZooSource(self)), what, "play/zoo.html")
                steps.callback(bench.close)
                return OpenPage(bench, steps.pop_all())
            if what.startswith(GALLERY):
                return self._mechanism(tb.gallery.entry(what.removeprefix(GALLERY)), steps)
            if what not in PAGES:
                known = [*PAGES, ZOO, *(GALLERY + name for name in tb.gallery.names())]
                raise InputError(
                    f"There is nothing to play called '{what}'; {suggestion(what, known)}"
                )
            made = board or self._board(what)
            steps.enter_context(made)
            title, page, _ = PAGES[what]
            bench = self._bench(PlaySource(title, made.live, made.commands), what, page)
            steps.callback(bench.close)
            stage = PageBroadcast(bench.hub)
            made.tell, made.shown = stage.tell, stage.show
            self._welcome(made.commands)
            return OpenPage(bench, steps.pop_all(), made)

    def _board(self, what: str) -> PianoPage | IdentificationPage | WallPage:
        if what == "wall":
            return WallPage()
        return IdentificationPage(self._answers) if what == "trial" else PianoPage()

    def _mechanism(self, entry: tb.gallery.Entry, steps: ExitStack) -> OpenPage:
        experiment = entry.on_page.experiment
        system = model_with_hands(entry.on_page.make()).compile()
        bench = open(
            system, x0=experiment.start(system), substeps=experiment.substeps, page="index.html",
            **self._where(GALLERY + entry.name),
        )  # fmt: skip
        steps.callback(bench.close)
        feed(bench.live, experiment)
        commands = cast(CommandServer, bench.commands)
        about = {"name": entry.name, "sentences": entry.sentences}
        commands.add(About, lambda asked, client: about, any_time=True)
        self._welcome(commands)
        return OpenPage(bench, steps.pop_all())

    def _bench(self, source: Source, name: str, page: str) -> Workbench:
        return open(source, page=page, **self._where(name))

    def _where(self, name: str) -> _Where:
        """On the port of the first page, if there is one."""
        if self._pages:
            return {"beside": self.first.bench, "name": name}
        return {"host": self._host, "port": self._port}

    def _welcome(self, commands: CommandServer) -> None:
        """What every page can ask for."""
        commands.add(Visit, self.visit, SELDOM, any_time=True)
        commands.add(Zoo, self.zoo, any_time=True)
        commands.add(Strings, _strings, any_time=True)


def _strings(asked: Strings, client: str) -> Facts:
    return string_table(asked.note, asked.kind)
