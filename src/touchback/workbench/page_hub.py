"""The hub: samples a source and serves any number of pages, each at its own pace."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Coroutine, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Annotated, TypeVar, cast

import msgspec
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from touchback.errors import NO_JSON, InputError, TouchbackError
from touchback.native.front.connection_gate import is_answered_stop
from touchback.realtime import words
from touchback.realtime.control import Answer, Message
from touchback.workbench.page_connection import Client, Peek, peek
from touchback.workbench.page_source import PageScene, Source, Values
from touchback.workbench.wire_format import encode_message, pose_frame

RATE = 60.0  # frames a second at most
MOST_CLIENTS = 32
_VALUES = 0.05  # seconds between looks at what was set
_STATUS = 0.25
_REST = 4.0  # of the time that a scene took, before the next of the same structure
_FIRST, _STOP = "stop", b'{"do":"stop"}'  # overtakes everything
_QUICK = frozenset({"set", "pull", "release", "what"})  # wait for nothing: no tick, no file
_DRIVING = frozenset({"pause", "go", "step", "speed", "resume", "seek"})  # may wait for a tick
_LONG = frozenset({"export", "share"})  # one after the other
_BESIDE = _LONG | {"strings"}  # only read, and take long: all else overtakes them
_MOST_BESIDE = 8  # of a page, before its others wait too
_AT_ONCE = frozenset({"set", "pull", "grab", "release", "step", "pose"})  # are seen at once

_AGAIN = 0.25  # seconds after which something that failed may be tried again

Facts = Mapping[str, object]

_Kind = TypeVar("_Kind", bound=Message)


class Watch(Message, frozen=True):
    """How many frames of poses a second a page wants; 0: none."""

    poses: Annotated[float, msgspec.Meta(ge=0.0, le=1000.0)] = RATE


class Hub:
    """One source, the pool of clients that look at it, and the tasks of its thread. Others add
    messages (`add`), what is to be done again and again (`every`) and when a page comes or goes
    (`coming`; `leaving`, from any thread and perhaps more than once); from other threads everything
    is asked for by `call`."""

    def __init__(self, source: Source) -> None:
        self.clients: set[Client] = set()
        self.coming: list[Callable[[Client], None]] = []
        self.leaving: list[Callable[[Client], None]] = []
        self.client_total = 0  # clients so far
        self._chores = deque[tuple[float, Callable[[], None]]]()  # that haven't begun
        # Who asks for what a slow run takes long for keeps neither scenes nor pauses waiting.
        self._workers = ThreadPoolExecutor(2, "touchback-hub")
        self._drawing = ThreadPoolExecutor(2, "touchback-scenes")
        self._driving = ThreadPoolExecutor(2, "touchback-transport")
        self._reading = ThreadPoolExecutor(1, "touchback-reading")
        self._exporting = ThreadPoolExecutor(1, "touchback-exports")  # one after the other
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.source = source
        self._messages: dict[str, tuple[type[Message], Callable[[Message, Client], Facts]]] = {}
        self._answering: dict[str, Callable[[bytes, str], Answer]] = {}
        self._numbers = itertools.count(1)
        self._values: Values = {}
        self._scene = b""
        self._made: PageScene | None = None
        self._structure = 0  # of the scene that was told
        self._preparing = self._wanted = False
        self._nudged = False
        self._pools = dict.fromkeys(_DRIVING, self._driving)
        self._pools |= {"strings": self._reading, **dict.fromkeys(_LONG, self._exporting)}
        self.add(Watch, self._watch)
        self.every(_STATUS, self._tell_status)
        self.every(_VALUES, self._tell_values)

    # ---- what others add ------------------------------------------------------------------------

    def add(self, kind: type[_Kind], handler: Callable[[_Kind, Client], Facts]) -> None:
        """A type of message that the hub answers itself, in its own thread."""
        tag = str(kind.__struct_config__.tag)
        self._messages[tag] = (kind, cast(Callable[[Message, Client], Facts], handler))

    def answer(self, word: str, handler: Callable[[bytes, str], Answer]) -> None:
        """A message that somebody else than the source answers, whatever is shown, one after the
        other in a thread of its own; given as it came, and the client's name."""
        self._answering[word] = handler
        self._pools[word] = ThreadPoolExecutor(1, f"touchback-{word}")

    def show(self, source: Source) -> None:
        """Another source from now on; from any thread."""
        self.call(self._show_soon, source)

    def _show_soon(self, source: Source) -> None:
        self._soon(self._show(source))

    async def _show(self, source: Source) -> None:
        self.source, self._values = source, {}
        while self._preparing:
            await asyncio.sleep(0.01)
        self._scene = b""
        await self._tell_scene()
        self._tell_values()
        self._tell_status()

    # ---- scenes ---------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until it is cancelled."""
        self._loop = asyncio.get_running_loop()
        self._soon(self._frames())
        self._begin_chores()
        try:
            await self._loop.create_future()
        finally:
            self._loop = None
            for task in list(self._tasks):
                task.cancel()
            for pool in {self._workers, self._drawing, *self._pools.values()}:
                pool.shutdown(wait=False, cancel_futures=True)

    async def _frames(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            if self.source.stale():
                await self._prepare()
            self._safely(self._send_frame)
            due = max(due + 1.0 / RATE, loop.time())
            await asyncio.sleep(due - loop.time())

    async def _prepare(self) -> None:
        """Another structure: its scene goes to everybody before its first frame."""
        await self._work(self.source.prepare)
        await self._tell_scene()

    async def _tell_scene(self) -> None:
        """To everybody, where it is another than before; asked for meanwhile, it is made again."""
        self._wanted = True
        if self._preparing:
            return
        self._preparing, loop = True, asyncio.get_running_loop()
        try:
            while self._wanted:
                self._wanted, began = False, loop.time()
                await self._work(self._make_scene)
                if self._made is not None:
                    self._send_scene(msgspec.json.encode(self._made), self._made.structure)
                if self._wanted and not self.source.stale():  # who drags a slider can wait a bit
                    await asyncio.sleep(_REST * (loop.time() - began))
        finally:
            self._preparing = False

    def _make_scene(self) -> None:
        self._made = None
        self._made = self.source.scene()

    def _send_scene(self, scene: bytes, structure: int) -> None:
        if scene != self._scene:
            self._scene = scene
            for client in list(self.clients):
                client.queue_text(scene)
        self._structure = structure

    # ---- what pages see -------------------------------------------------------------------------

    def _send_frame(self, now: bool = False) -> None:
        """A frame to those for whom it is time, or `now` to all who watch."""
        self._nudged = self._nudged and not now
        loop = asyncio.get_running_loop()
        time = loop.time()
        due = [each for each in self.clients if each.poses and (now or each.due <= time)]
        if not due or self.source.structure != self._structure:  # whose scene nobody knows yet
            return
        found = self.source.frame()
        if found is None or self.source.structure != self._structure:  # taken up meanwhile
            return
        time_of, bodies, numbers, size = found
        data = pose_frame(self._structure, bodies, time_of, numbers, size)
        for client in due:
            client.due, client.sent = max(client.due + 1.0 / client.poses, time), time
            client.queue_frame("poses", data)

    def nudge(self) -> None:
        """A frame as soon as a tick took what was just asked for."""
        if not self._nudged:
            self._nudged = True
            self._soon(self._after_a_tick(self.source.ticks()))

    async def _after_a_tick(self, before: int) -> None:
        for _ in range(20):
            await asyncio.sleep(0.0005)
            if self.source.ticks() > before + 1:
                break
        self._safely(lambda: self._send_frame(now=True))

    def _tell_status(self) -> None:
        if self.clients:
            data = encode_message("status", self.source.status())
            for client in self.clients:
                client.queue_latest("status", data)

    def _tell_values(self) -> None:
        values = self.source.values()
        changed = {name: x for name, x in values.items() if self._values.get(name) != x}
        self._values = values
        if changed:
            for client in self.clients:
                client.queue_values(changed)
            if self.clients:
                self._soon(self._tell_scene())

    # ---- a page ---------------------------------------------------------------------------------

    async def serve(self, connection: ServerConnection) -> None:
        """A page, from its connection to its end."""
        client = Client(connection, f"page {next(self._numbers)}")
        while self._preparing:
            await asyncio.sleep(0.01)
        if not self._scene:
            await self._tell_scene()
        self._greet(client)
        self.clients.add(client)
        self.client_total += 1
        client.serving = asyncio.current_task()
        beside = [asyncio.create_task(each) for each in (client.write(), self._answer_all(client))]
        try:
            for function in self.coming:
                function(client)
            async for message in connection:
                data = message.encode() if isinstance(message, str) else message
                peeked = peek(data)
                if is_answered_stop(data):
                    # Again: what was under way may have ended since the front did and answered it.
                    self.source.handle(_STOP, client.name)
                    self._overtake(client, _STOP)
                elif peeked.do == _FIRST:
                    answer = self.source.handle(data, client.name)
                    client.queue_text(encode_message("answer", answer.as_dict()))
                    self._overtake(client, data)
                else:
                    await client.queue_message(peeked, data)
                await client.may_ask()
                if client.closed_reason:  # what it asked before doesn't matter any more
                    break
        except ConnectionClosed:
            pass
        finally:
            self.clients.discard(client)
            for task in beside:
                task.cancel()
            self._part(client)

    def _greet(self, client: Client) -> None:
        client.queue_text(
            self._scene or encode_message("log", {"text": "There is nothing to draw yet."})
        )
        client.queue_values(self.source.values())
        client.queue_latest("status", encode_message("status", self.source.status()))

    def _overtake(self, client: Client, data: bytes) -> None:
        """After a stop, which came at once, whatever else its client asked for: what still waits
        isn't done any more, and nothing that is under way can take the stop back."""
        for peeked in client.drop_messages():
            error = f"An emergency stop came before '{peeked.do}', which wasn't done; ask again."
            client.queue_text(
                encode_message("answer", Answer(peeked.id, False, error=error).as_dict())
            )
        client.stopping = data

    def _stop_again(self, client: Client) -> None:
        """After what was under way: another run may be shown since, or this one be resumed."""
        if client.stopping:
            self.source.handle(client.stopping, client.name)

    async def _answer_all(self, client: Client) -> None:
        """What a page asked, in turn; what only reads and takes long goes on beside it."""
        beside: set[asyncio.Task[None]] = set()
        with client.abort_on_error(beside):
            while True:
                peeked, data = await client.next_message()
                if peeked.do in _BESIDE:
                    while len(beside) >= _MOST_BESIDE:
                        await asyncio.wait(beside, return_when=asyncio.FIRST_COMPLETED)
                    task = self._soon(self._answer_beside(client, peeked, data))
                    beside.add(task)
                    task.add_done_callback(beside.discard)
                    continue
                client.stopping = b""
                await self._answer(client, peeked, data)
                self._stop_again(client)
                client.working = None

    async def _answer_beside(self, client: Client, peeked: Peek, data: bytes) -> None:
        with client.abort_on_error():
            await self._answer(client, peeked, data)

    async def _answer(self, client: Client, peeked: Peek, data: bytes) -> None:
        if peeked.do in self._messages:
            answer = self._own(peeked, data, client)
        elif peeked.do in _QUICK:
            answer = self.source.handle(data, client.name)
        else:
            pool = self._pools.get(peeked.do, self._workers)
            handler = self._answering.get(peeked.do, self.source.handle)
            work = pool.submit(handler, data, client.name)
            if peeked.do not in _BESIDE:
                client.working = work
            answer = await asyncio.wrap_future(work)
        client.queue_text(encode_message("answer", answer.as_dict()))
        if answer.ok and peeked.do in _AT_ONCE:
            self.nudge()

    def _own(self, peeked: Peek, data: bytes, client: Client) -> Answer:
        kind, handler = self._messages[peeked.do]
        try:
            asked = msgspec.json.decode(data, type=kind)
        except NO_JSON as error:
            return Answer(peeked.id, False, error=f"The message can't be read: {error}.")
        try:
            return Answer(peeked.id, True, handler(asked, client))
        except TouchbackError as error:
            return Answer(peeked.id, False, error=str(error))
        except Exception as error:  # of a handler of somebody's own: the page stays connected
            text = f"'{peeked.do}' failed: {type(error).__name__}: {error}."
            return Answer(peeked.id, False, error=text)

    def _watch(self, asked: Watch, client: Client) -> Facts:
        if asked.poses > 10 * RATE:
            raise InputError(f"watch: {asked.poses:g} frames a second; {RATE:g} are made.")
        client.poses = min(asked.poses, RATE)
        if client.poses:
            now = asyncio.get_running_loop().time()
            client.due = max(now, client.sent + 1.0 / client.poses)
        return {"poses": client.poses}

    # ---- clients and tasks ---------------------------------------------------------------------

    def every(self, seconds: float, chore: Callable[[], None]) -> None:
        """Something to do again and again, quickly, in the hub's thread; from any thread."""
        self._chores.append((seconds, chore))
        self.call(self._begin_chores)

    def _begin_chores(self) -> None:
        while self._chores:
            self._soon(self._again(*self._chores.popleft()))

    def call(self, function: Callable[..., None], *arguments: object) -> None:
        """Calls a function in the hub's thread soon; from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(function, *arguments)

    def tell(self, kind: str, facts: Facts) -> None:
        """A text for all clients; in the hub's thread."""
        data = encode_message(kind, facts)
        for client in list(self.clients):
            client.queue_text(data)

    def announce(self, kind: str, facts: Facts) -> None:
        """A text for all clients; from any thread."""
        self.call(self.tell, kind, facts)

    def send(
        self, client_name: str, data: bytes, stream: Hashable = "rows", keep: int = 64
    ) -> None:
        """A binary frame for the client of this name, from any thread: of a stream, whose newest
        few are kept while the client is slow."""
        self.call(self._send, client_name, data, stream, keep)

    def _send(self, client_name: str, data: bytes, stream: Hashable, keep: int) -> None:
        for client in self.clients:
            if client.name == client_name:
                client.queue_frame(stream, data, keep)

    def _part(self, client: Client) -> None:
        """From a page that went away: at once, and again after what a thread still does for it,
        which may hold a body or begin a stream."""

        def late(_: Future[Answer]) -> None:  # in that thread: the hub may have ended
            self.call(self._stop_again, client)
            self._leave(client)

        if client.working is not None:
            client.working.add_done_callback(late)
        self._leave(client)

    def _leave(self, client: Client) -> None:
        for function in self.leaving:
            function(client)

    async def _again(self, seconds: float, chore: Callable[[], None]) -> None:
        while True:
            self._safely(chore)
            await asyncio.sleep(seconds)

    def _soon(self, coroutine: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """A task that is held until it is done: the loop itself wouldn't."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _safely(self, chore: Callable[[], None]) -> None:
        """One that fails is told, and the others go on."""
        try:
            chore()
        except Exception as error:
            self._complain(error)

    async def _work(self, task: Callable[[], None]) -> None:
        """Something slower, in a thread beside."""
        try:
            await asyncio.get_running_loop().run_in_executor(self._drawing, task)
        except Exception as error:  # whatever it is, the others are served
            self._complain(error)
            await asyncio.sleep(_AGAIN)  # it will be asked for again

    def _complain(self, error: Exception) -> None:
        """To all who look on; of what fails again and again the last is enough."""
        data = encode_message("log", {"text": words(error)})
        for client in self.clients:
            client.queue_latest("log", data)
