"""The company of a workbench: its clients, and what is done again and again beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from touchback.realtime.control import Answer
from touchback.realtime.faults import words
from touchback.workbench.client import Client
from touchback.workbench.wire import told

_AGAIN = 0.25  # seconds after which something that failed may be tried again

Facts = Mapping[str, object]


class Company:
    """Clients, chores and tasks of one thread. Other rooms add what is to be done again and again
    (`every`) and when a page comes or goes (`coming`; `leaving`, from any thread and perhaps more
    than once); from other threads everything is asked for by `call`."""

    def __init__(self) -> None:
        self.clients: set[Client] = set()
        self.coming: list[Callable[[Client], None]] = []
        self.leaving: list[Callable[[Client], None]] = []
        self.served = 0  # clients so far
        self._chores: list[tuple[float, Callable[[], None]]] = []
        # Who asks for what a slow run takes long for keeps neither scenes nor pauses waiting.
        self._workers = ThreadPoolExecutor(2, "touchback-hub")
        self._drawing = ThreadPoolExecutor(2, "touchback-scenes")
        self._driving = ThreadPoolExecutor(2, "touchback-transport")
        self._reading = ThreadPoolExecutor(1, "touchback-reading")
        self._exporting = ThreadPoolExecutor(1, "touchback-exports")  # one after the other
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def every(self, seconds: float, chore: Callable[[], None]) -> None:
        """Something to do again and again, quickly, in the hub's thread; before it runs."""
        self._chores.append((seconds, chore))

    def call(self, function: Callable[..., None], *arguments: object) -> None:
        """Calls a function in the hub's thread soon; from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(function, *arguments)

    def tell(self, kind: str, facts: Facts) -> None:
        """A text for all clients; in the hub's thread."""
        data = told(kind, facts)
        for client in list(self.clients):
            client.text(data)

    def announce(self, kind: str, facts: Facts) -> None:
        """A text for all clients; from any thread."""
        self.call(self.tell, kind, facts)

    def send(self, name: str, data: bytes, stream: Hashable = "rows", keep: int = 64) -> None:
        """A binary frame for the client of this name, from any thread: of a stream, whose newest
        few are kept while the client is slow."""
        self.call(self._send, name, data, stream, keep)

    def _send(self, name: str, data: bytes, stream: Hashable, keep: int) -> None:
        for client in self.clients:
            if client.name == name:
                client.stream(stream, data, keep)

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

    def _stop_again(self, client: Client) -> None:
        """After what was under way for a client."""

    async def run(self) -> None:
        """Until it is cancelled."""
        self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.TaskGroup() as tasks:
                for seconds, chore in self._chores:
                    tasks.create_task(self._again(seconds, chore))
        finally:
            self._loop = None
            for task in list(self._tasks):
                task.cancel()
            slow = self._reading, self._exporting
            for pool in (self._workers, self._drawing, self._driving, *slow):
                pool.shutdown(wait=False, cancel_futures=True)

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
        data = told("log", {"text": words(error)})
        for client in self.clients:
            client.latest("log", data)
