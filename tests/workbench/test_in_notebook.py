"""The page inside a notebook: another origin of this machine holds it in a frame, as Jupyter."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

import touchback as tb
from tests.workbench.browser import until
from touchback import gallery
from touchback.workbench import Workbench

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Frame, Page

#: What Jupyter's server sends with a notebook.
POLICY = "frame-ancestors 'self'; report-uri /api/security/csp-report"
Show = Callable[[str], str]


@pytest.fixture(scope="module")
def notebook() -> Iterator[Show]:
    """A server that shows an output in a notebook's page, at the address it gives."""
    cells: dict[str, str] = {}

    class Jupyter(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = cells.get(self.path)
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write((found or "").encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Jupyter)
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def show(output: str) -> str:
        path = f"/notebooks/{len(cells)}.ipynb"
        cells[path] = output_cell(output)
        return f"http://localhost:{server.server_port}{path}"

    yield show
    server.shutdown()
    server.server_close()


def output_cell(output: str) -> str:
    return f"<!doctype html><div class='jp-OutputArea-output jp-RenderedHTML'>{output}</div>"


@pytest.fixture
def in_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a notebook's kernel ran this."""
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1100, "height": 800})
    yield context.new_page()
    context.close()


def framed(page: Page, address: str) -> Frame:
    """The workbench in a notebook, once it shows a run."""
    page.goto(address)
    frame = until(lambda: page.frames[1] if len(page.frames) > 1 else None)
    until(
        lambda: frame.evaluate(
            "Boolean(document.documentElement.dataset.ready && bench.view.painted > 0)"
        )
    )
    return frame


@pytest.mark.usefixtures("in_kernel")
def test_a_systems_view_is_the_page_itself_and_can_be_dragged(
    page: Page, notebook: Show, capsys: pytest.CaptureFixture[str]
) -> None:
    system = gallery.make("slider-crank").compile()
    with system.view() as shown:
        assert capsys.readouterr().out == ""  # the cell shows the page: no address is printed
        frame = framed(page, notebook(shown._repr_html_()))
        assert frame.evaluate("bench.scene.title") == shown.source.title
        live, bodies = shown.live, list(shown.live.system.model.bodies)

        def pulled() -> bool:
            """Takes the slider where it is now; a person tries again if it had moved on."""
            box = page.locator("iframe").bounding_box()
            assert box is not None
            x, y = frame.evaluate(
                "(() => { const box = bench.view.canvas.getBoundingClientRect();"
                "const [x, y] = bench.view.pixel(bench.world.at('slider', [0, 0, 0]));"
                "return [box.left + x, box.top + y]; })()"
            )
            page.mouse.move(box["x"] + x, box["y"] + y)
            page.mouse.down()
            page.mouse.move(box["x"] + x + 40, box["y"] + y - 60, steps=5)
            page.wait_for_timeout(1000)
            if live["hand grip"] == bodies.index("slider") + 1:
                return True
            page.mouse.up()
            return False

        until(pulled)
        until(lambda: live["hand to x"] > 0.01)
        page.mouse.up()
        until(lambda: live["hand grip"] == 0.0)


def test_a_live_runs_view_goes_on_with_that_run(page: Page, notebook: Show) -> None:
    run = tb.live(gallery.make("pendulum").compile(), rate=1000.0)
    run.start()
    try:
        with run.view() as shown:
            frame = framed(page, notebook(shown._repr_html_()))
            before = run.read("time")
            until(lambda: frame.evaluate("bench.view.painted") > before)
        assert run.state == "running"  # closing the page ends the page alone
    finally:
        run.stop()


def test_a_foreign_sites_page_gets_no_frame_and_no_wire(
    page: Page, bench: Workbench, notebook: Show
) -> None:
    """Another name, though of this machine: browsers themselves keep the internet's pages out."""
    foreign = notebook(bench._repr_html_()).replace("localhost", "elsewhere.localhost")
    clients = bench.hub.client_total
    with page.expect_console_message(lambda said: "frame-ancestors" in said.text):
        page.goto(foreign)
    assert bench.hub.client_total == clients
    assert refused_wire(page, bench)


def test_the_notebooks_own_page_has_no_wire_but_through_the_frame(
    page: Page, bench: Workbench, notebook: Show
) -> None:
    page.goto(notebook("nothing"))
    assert refused_wire(page, bench)


def refused_wire(page: Page, bench: Workbench) -> bool:
    """Whether a page can't connect to the run though it knows the token."""
    address = bench.url.replace("http:", "ws:").replace("/?", "/wire?")
    return page.evaluate(
        "address => new Promise(done => { const wire = new WebSocket(address);"
        "wire.onopen = () => done(false); wire.onerror = () => done(true); })",
        address,
    )
