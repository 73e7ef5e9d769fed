"""The workbench: a page in a browser, on a live run."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from touchback.errors import InputError
from touchback.model.model import Model
from touchback.realtime import Live, live
from touchback.realtime.control import Desk, Exposed
from touchback.system import System
from touchback.workbench.live_source import LiveSource
from touchback.workbench.source import Source

if TYPE_CHECKING:  # what needs the extra `view`
    from touchback.workbench.hub import Hub
    from touchback.workbench.server import Server

LOOPBACK = "127.0.0.1"


def open(
    shown: System | Live | Source | Model,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    exposed: Exposed | None = None,
    page: str = "index.html",
    rate: float = 1000.0,
    beside: Workbench | None = None,
    name: str = "",
) -> Workbench:
    """A page that shows a live run, or starts one of a system or a model; `url` is its address. A
    context manager; its run, if it started one, ends with it.

    `host` is what the server listens on: this machine alone unless told otherwise; `port` 0 chooses
    a free one. `exposed` says what the page may do to the run. Whoever has the address has its
    token. `beside` another workbench it has the port and the token of that one, and a `name`
    there."""
    own: Live | None = None
    if isinstance(shown, Model):
        shown = shown.compile()
    if isinstance(shown, System):
        shown = own = live(shown, rate=rate)
        own.start()
    try:
        source: Source
        desk: Desk | None = None
        if isinstance(shown, Live):
            desk = Desk(shown, exposed)
            source = LiveSource(shown, desk)
        elif hasattr(shown, "scene"):
            source = shown
        else:
            raise InputError(
                "A workbench shows a model, a system, a live run or a recording, got "
                f"{type(shown).__name__}."
            )
        return Workbench(source, desk, own, host, port, page, beside, name)
    except BaseException:
        if own is not None:
            own.stop()
        raise


class Workbench:
    """What `open` gives: it serves its page until `close`, or the end of its `with` block."""

    def __init__(
        self,
        source: Source,
        desk: Desk | None,
        own: Live | None,
        host: str,
        port: int,
        page: str,
        beside: Workbench | None = None,
        name: str = "",
    ) -> None:
        self.source, self.desk, self._own = source, desk, own
        self._page, self._name = "" if beside is None else page, name
        self.hub = _hub(source)
        self.server: Server = (
            _server(self.hub, host, port, page) if beside is None else beside.server
        )
        if beside is None:
            self.server.start()
        else:
            self.server.add(name, self.hub)

    @property
    def live(self) -> Live:
        """The live run that it shows."""
        if not isinstance(self.source, LiveSource):
            raise InputError(f"'{self.source.title}' isn't a live run: nothing runs here.")
        return self.source.live

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        host = self.server.host
        host = {"0.0.0.0": LOOPBACK, "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
        run = f"&run={quote(self._name)}" if self._page else ""
        return (
            f"http://{host}:{self.server.port}/{self._page}?token={quote(self.server.token)}{run}"
        )

    def close(self) -> None:
        """Ends the page, and the run if it was started for it."""
        if self._page:
            self.server.remove(self._name)
        else:
            self.server.stop()
        if self._own is not None:
            self._own.stop()

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
            f'<iframe src="{self.url}" width="100%" height="640" style="border:0" '
            'allow="fullscreen; midi" title="Touchback"></iframe>'
        )


def _hub(source: Source) -> Hub:
    try:
        import websockets  # noqa: F401
    except ImportError as error:
        raise InputError(
            "The page needs websockets; install it with `pip install touchback[view]`."
        ) from error
    from touchback.workbench.hub import Hub

    return Hub(source)


def _server(hub: Hub, host: str, port: int, page: str) -> Server:
    from touchback.workbench.server import Server

    return Server(hub, host, port, None, page)
