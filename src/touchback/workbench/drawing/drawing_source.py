"""A drawing on a page: its scene and poses while it rests, its live run while it plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from touchback import LinkForce, Model, SpringDamper, live
from touchback.draw import Watched
from touchback.errors import InputError
from touchback.model import GROUND
from touchback.realtime.control import Answer, CommandServer
from touchback.realtime.control.command_server import SELDOM
from touchback.realtime.control.control_messages import Describe, Facts, Resume, Stop
from touchback.simulate import RIGID, simulate
from touchback.system import size_of
from touchback.system.body_poses import quaternions
from touchback.workbench.drawing.drawing import Drawing, DrawnState
from touchback.workbench.live_source import LiveSource
from touchback.workbench.manipulate import model_for_page
from touchback.workbench.page_scene import resting_scene
from touchback.workbench.page_source import PageScene, PoseFrame, Source, Values
from touchback.workbench.playback import RunTrack
from touchback.workbench.playback.page_recordings import Share, is_stopped
from touchback.workbench.wire_format import encode_message

if TYPE_CHECKING:
    from touchback.workbench.page_connection import Client
    from touchback.workbench.workbench import Workbench

_LAST = 19_000  # numbers of structures: those of recordings begin above
_FLAT = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
_OPENING = 0.4  # m: how far an empty page shows to each side


class DrawingSource:
    """Scenes and poses of a drawing at rest (a workbench's source). `first` is the number before
    that of its first structure."""

    def __init__(self, drawing: Drawing, commands: CommandServer, first: int = 0) -> None:
        self.drawing, self.commands = drawing, commands
        self._number, self._state = first % _LAST, drawing.state
        self.is_held: Callable[[], bool] = lambda: False  # by an emergency stop
        self.prepare()

    @property
    def structure(self) -> int:
        return self._number

    def stale(self) -> bool:
        return self.drawing.state is not self._state

    def prepare(self) -> None:
        self._state = self.drawing.state
        self.title = str(self._state.document["name"])
        self._frame, self._lines = _frame(self._state)
        self._number = self._number % _LAST + 1

    def scene(self) -> PageScene:
        number, state = self._number, self._state
        q = np.array(state.instant.at.q, dtype=float)
        found = resting_scene(state.flat, self.title, q, number, *self._lines)
        found.flat = None if state.space else _FLAT
        low, high = np.array(found.bounds)
        if float(np.ptp([low, high], axis=0).max()) < 1e-9:
            ends = np.array([low - _OPENING, high + _OPENING])
            if not state.space:
                ends[:, 1] = low[1]
            found.bounds = ends.tolist()
        return found

    def frame(self) -> PoseFrame | None:
        return self._frame

    def ticks(self) -> int:
        return self.drawing.revision

    def values(self) -> Values:
        return {name: each.default for name, each in self._state.flat.parameters.items()}

    def status(self) -> Mapping[str, object]:
        told = {"time": 0.0, "tick": 0, "state": "drawing", "paused": True, "drawing": True}
        held = self.is_held()
        return {**told, "held": held, "faults": ["stopped"] if held else []}

    def handle(self, message: bytes, client: str) -> Answer:
        return self.commands.handle(message, client)


def _frame(state: DrawnState) -> tuple[PoseFrame, tuple[list[str], list[str]]]:
    """Poses of bodies, springs and arrows, as `Poses.at` gives them, and the names of those."""
    names = [GROUND, *state.flat.bodies]
    places = np.array([state.poses[name][1] for name in names])
    turns = quaternions(np.array([state.poses[name][0] for name in names]))
    instant = Watched(state.flat, state.instant.k, state.instant.at)
    lines, springs = list[float](), list[str]()
    for name, force in state.flat.forces.items():
        if isinstance(force, SpringDamper | LinkForce):
            springs.append(name)
            a, b = (np.array(instant.position(end), dtype=float) for end in (force.a, force.b))
            lines += [*a, *(b - a)]
    pushes = instant.act()
    for point, push in pushes.values():
        lines += [*map(float, point), *map(float, push)]
    numbers = np.concatenate([np.column_stack([places, turns]).reshape(-1), np.array(lines)])
    frame = PoseFrame(0.0, len(names), numbers, size_of(state.instant) or 0.1)
    return frame, (springs, list(pushes))


class RestingCommands(CommandServer):
    """Answers what a page asks while nothing runs."""

    def __init__(self) -> None:
        from touchback.realtime.control import Exposed
        from touchback.realtime.control.permissions import Rates

        self.exposed, self.rates = Exposed(), Rates()
        self._known = {}
        self.add(Describe, lambda asked, client: self.what(), any_time=True)

    def what(self) -> Facts:
        """Nothing can be set but by drawing."""
        nothing: list[str] = []
        kinds = dict.fromkeys(("inputs", "parameters", "controls", "constraints"), nothing)
        return {"model": "", "drawing": True, **kinds}

    def _unknown(self, word: str) -> InputError:
        return InputError(f"'{word}' is for a mechanism that runs; this one is drawn: press Play.")


class DrawingPage:
    """Answers the messages of a drawing's pages, and lets it run on them."""

    def __init__(self, bench: Workbench, drawing: Drawing, rate: float) -> None:
        self.bench, self.drawing, self.rate = bench, drawing, rate
        self._held = False  # by an emergency stop: the next run begins stopped
        self._stops = bench.page_recordings.runs.stops  # of them, those read have this count
        self._read = self._stops.count
        self._stops.answer_alone()
        self._told = drawing.revision
        self._data = encode_message("drawing", drawing.facts())
        drawing.runner = self
        self._rested(bench.source)
        bench.hub.answer("draw", self.handle)
        bench.hub.coming.append(self._greet)

    def handle(self, message: bytes, client: str) -> Answer:
        """What comes of a message; every page is told what the drawing is then."""
        exposed = self.bench.exposed
        if exposed.structure is not True:
            return Answer(None, False, error="This page's structure isn't exposed for drawing.")
        answer = self.drawing.handle(message)
        if self.drawing.revision != self._told:
            self.tell()
        return answer

    def tell(self) -> None:
        """Tells all pages what the drawing is; of several in a row the last is enough."""
        self._look()
        self.bench.hub.call(self._queue, self._data)

    def _look(self) -> None:
        self._told = self.drawing.revision
        self._data = encode_message("drawing", self.drawing.facts())

    def _queue(self, data: bytes) -> None:
        for client in list(self.bench.hub.clients):
            client.queue_latest("drawing", data)

    def _greet(self, client: Client) -> None:
        """What a new page is told in the hub's thread, which waits for no edit: what comes of one
        under way is told to all."""
        if self._told != self.drawing.revision and self.drawing.lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self.drawing.lock.release()
        client.queue_latest("drawing", self._data)

    # ---- running --------------------------------------------------------------------------------

    def play(self, model: Model) -> Mapping[str, object]:
        """Begins a live run from the drawn state; stopped, if an emergency stop came at rest, while
        it was made, or to the run before, and wasn't taken back."""
        runs = self.bench.page_recordings.runs
        mark = runs.mark()
        system = model_for_page(model, 1.0 / self.rate, hold=False).compile()
        run = live(system, rate=self.rate)
        runs.add(run)  # from now on a stop reaches it
        try:
            if self.is_held() or runs.stopped_since(mark):
                run.emergency_stop()
            run.start()
            source = self.bench.begin(run)
        except BaseException:
            runs.remove(run)
            run.stop()
            raise
        self.bench.turn_to(source)
        if runs.stopped_since(mark):
            run.emergency_stop()
        return {"model": system.name, "rate": self.rate}

    def swap(self, model: Model, sets: Mapping[str, float]) -> None:
        """The run goes on as another model; what manipulators changed stays changed."""
        source = self.bench.source
        if not isinstance(source, LiveSource):
            raise InputError(
                "A recording is shown; go back to the run (or rest) before you draw on."
            )
        shown = model_for_page(model, 1.0 / self.rate, hold=False)
        if source.manipulators is None:
            source.live.swap(shown)
        else:
            source.manipulators.reshape.rebase(shown)
        for name, value in sets.items():
            if name in source.live.system.parameters:
                source.live[name] = value

    def rest(self) -> None:
        """Ends the run, and shows the drawing; whoever stopped it has stopped the next one, too."""
        before, recordings = self.bench.source, self.bench.page_recordings
        mark = recordings.runs.mark()
        held = any(map(is_stopped, recordings.runs.running()))
        recordings.leave_live()
        self._read = self._stops.count
        self._held = held or recordings.runs.stopped_since(mark)
        commands = RestingCommands()
        number = before.structure
        source = DrawingSource(self.drawing, commands, number)
        self._rested(source)
        self.bench.turn_to(source)

    def _rested(self, source: Source) -> None:
        """Lets pages share the drawing while it rests, and stop what will run."""
        if isinstance(source, DrawingSource):
            commands, source.is_held = source.commands, self.is_held
            commands.exposed = self.bench.exposed
            commands.add(Share, lambda asked, _: self._share(asked), SELDOM, any_time=True)
            commands.add(Stop, lambda asked, _: self._hold(), None, any_time=True)
            commands.add(Resume, lambda asked, _: self._let_go(source), any_time=True)

    def is_held(self) -> bool:
        """Whether an emergency stop holds the next run, also one that nobody has read yet."""
        return self._held or self._stops.count != self._read

    def _hold(self) -> Facts:
        self._held = True
        self.bench.page_recordings.runs.stop()  # one that is being made, too
        self._read = self._stops.count
        return {"state": "drawing", "held": True}

    def _let_go(self, source: DrawingSource) -> Facts:
        source.commands.check("transport", "resume")
        count = self._stops.count  # once: a stop that comes from now on is unread
        unread, self._read = count != self._read, count
        if unread:
            self._held = True
            raise InputError("An emergency stop came meanwhile; ask again to resume.")
        self._held = False
        return {"state": "drawing", "held": False}

    def _share(self, asked: Share) -> Facts:
        """A file of a run from the drawn state."""
        model = self.drawing.model
        if not model.bodies and not model.parts:
            raise InputError("There is nothing to share yet; draw a body.")
        system = model.compile()
        method = "moreau-jean" if RIGID.names(system) else "rk4"
        step = 1.0 / self.rate
        run = simulate(system, None, asked.seconds, method=method, step=step, progress=False)
        return self.bench.page_recordings.share(RunTrack(run, None, system), asked.scopes)


__all__ = ["DrawingPage", "DrawingSource", "RestingCommands"]
