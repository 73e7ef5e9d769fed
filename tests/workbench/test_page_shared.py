# ruff: noqa: E501 (expressions of the page read better in one line)
"""A shared file in a browser, opened from the disk: it plays the run and runs the model without a server."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from tests.workbench.browser import seat, until
from touchback import gallery, workbench
from touchback.workbench.page_scene import Poses

needs_web_compiler = pytest.mark.skipif(
    not (shutil.which("clang") and shutil.which("wasm-ld")), reason="there is no clang or wasm-ld"
)


@pytest.fixture(scope="module")
def run() -> tb.Run:
    """Two seconds of a slider-crank under its motor."""
    return tb.simulate(gallery.make("slider-crank").compile(), None, 2.0, method="rk4", step=1e-3)


class Opened:
    """The file in a browser, with what it asked of anybody and what went wrong in it."""

    def __init__(self, browser: object, path: Path, size: tuple[int, int] = (1280, 800)) -> None:
        self.context = browser.new_context(viewport=dict(zip(("width", "height"), size)))  # type: ignore[attr-defined]
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda each: self.asked.append(each.url))
        self.page.on("pageerror", lambda each: self.errors.append(str(each)))
        self.page.on(
            "console", lambda each: self.errors.append(each.text) if each.type == "error" else None
        )
        self.page.goto(path.as_uri())
        self.until("document.documentElement.dataset.ready && bench.view.painted >= 0")
        self.ask("() => bench.send({ do: 'pause' })")

    def ask(self, expression: str, *arguments: object) -> object:
        return self.page.evaluate(expression, list(arguments) if arguments else None)

    def until(self, expression: str) -> object:
        return until(lambda: self.ask(expression))


@pytest.fixture(scope="module")
def page(
    chromium: object, run: tb.Run, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    path = tmp_path_factory.mktemp("shared") / "crank.html"
    workbench.share(run, path, signals=[["crank"], ["slider"]])
    found = Opened(chromium, path)
    yield found
    assert found.errors == []
    assert [each for each in found.asked if not each.startswith("data:")] == [path.as_uri()]
    found.context.close()


def poses_of(run: tb.Run, row: int) -> np.ndarray:
    """The numbers of a picture as the server would tell them."""
    system = gallery.make("slider-crank").compile()
    x = np.array([run[name][row] for name in system.state_names])
    return Poses(system).at(x, run.time[row], system.input_defaults, system.parameters)


@pytest.mark.browser
def test_a_file_from_the_disk_plays_the_run(page: Opened, run: tb.Run) -> None:
    assert page.page.title() == "slider-crank · Touchback"
    for time in (0.0, 0.77, 2.0):
        page.ask("([at]) => bench.send({ do: 'seek', time: at })", time)
        shown = page.ask("bench.world.time")
        assert 0.0 <= time - shown < 2e-3  # 1200 pictures of 2001 instants
        row = int(np.searchsorted(run.time, shown - 1e-9))
        numbers = np.array(page.ask("[...bench.world.numbers]"))
        assert (
            np.abs(numbers - poses_of(run, row)).max() < 1e-6 * 200.0
        )  # float32: metres, and newtons
    page.ask("() => bench.send({ do: 'reset' }).then(() => bench.send({ do: 'go' }))")
    page.until("bench.at > 0.2 && !bench.status.paused")
    page.ask("() => bench.send({ do: 'speed', value: 5 })")
    page.until("bench.at === 2 && bench.status.paused")  # it stands at its end


@pytest.mark.browser
def test_its_scopes_show_the_signals_that_were_chosen(page: Opened, run: tb.Run) -> None:
    page.until(
        "bench.scopes.panes.length === 2 && bench.scopes.panes.every(each => each.scope.data.count > 100)"
    )
    data = page.ask(
        "bench.scopes.panes.map(({ scope: { data } }) => [...data.low.slice(0, data.count), ...data.high.slice(0, data.count)])"
    )
    for values, name in zip(data, ("crank", "slider"), strict=True):  # type: ignore[call-overload]
        assert (
            abs(min(values) - run[name].min()) < 1e-6 and abs(max(values) - run[name].max()) < 1e-6
        ), name
    page.ask("() => bench.send({ do: 'seek', time: 1 })")
    at_one = run["crank"][int(np.searchsorted(run.time, page.ask("bench.world.time") - 1e-9))]
    page.until(
        f"Math.abs(Number(document.querySelector('.scope output').textContent.replace('−', '-')) - {at_one}) < 1e-5"
    )
    refused = page.ask(
        "() => bench.send({ do: 'past', signals: ['2 * crank'], start: 0, end: 1 }).catch(error => error.message)"
    )
    assert "no signal '2 * crank'" in str(refused)


@pytest.mark.browser
@needs_web_compiler
def test_its_model_goes_on_as_the_run_did_to_the_bit(page: Opened, run: tb.Run) -> None:
    page.ask("() => bench.running && bench.send({ do: 'back' })")
    page.ask("() => bench.send({ do: 'seek', time: 0 })")
    page.page.click("#turn")
    page.until("bench.running && !bench.recorded")
    page.ask("() => bench.send({ do: 'pause' }).then(() => bench.send({ do: 'reset' }))")
    system = gallery.make("slider-crank").compile()
    for row in (500, 1000, 2000):
        page.ask(
            "([steps]) => bench.send({ do: 'step', ticks: steps - Math.round(bench.model.time / 1e-3) })",
            row,
        )
        state = np.array(page.ask("[...bench.model.array('state')]"))
        assert np.array_equal(state, [run[name][row] for name in system.state_names])
    page.until("bench.world.time === bench.model.time")
    assert (
        np.abs(np.array(page.ask("[...bench.world.numbers]")) - poses_of(run, 2000)).max()
        < 1e-6 * 200.0
    )
    page.ask("() => bench.send({ do: 'go' })")
    page.until("bench.model.time > 2.3 && bench.scopes.panes[0].scope.data.end > 2.2")


@pytest.mark.browser
@needs_web_compiler
def test_a_slider_changes_the_model_and_what_is_drawn(page: Opened) -> None:
    if not page.ask("bench.running"):
        page.page.click("#turn")
    page.ask("() => bench.send({ do: 'pause' }).then(() => bench.send({ do: 'reset' }))")
    page.until("document.querySelector('[data-name=\"crank radius\"]')")
    page.page.locator('[data-name="crank radius"] input[type=number]').fill("0.14")
    page.page.keyboard.press("Enter")
    page.until("bench.model.values['crank radius'] === 0.14")
    page.ask("() => bench.send({ do: 'reset' }).then(() => bench.send({ do: 'step', ticks: 600 }))")
    system = gallery.make("slider-crank").compile()
    changed = tb.simulate(
        system, None, 0.6, method="rk4", step=1e-3, parameters={"crank radius": 0.14}
    )
    state = np.array(page.ask("[...bench.model.array('state')]"))
    assert np.abs(state - [changed[name][-1] for name in system.state_names]).max() < 1e-12
    long = page.ask(
        "bench.scene.shapes.filter(each => each.body === 'crank' && each.kind === 'line').map(({ numbers: n }) => Math.hypot(n[3] - n[0], n[4] - n[1], n[5] - n[2]))"
    )
    assert abs(max(long) - 0.14) < 1e-6  # type: ignore[type-var]
    page.ask(
        "() => bench.send({ do: 'set', name: 'crank radius', value: 0.1 }).then(() => bench.send({ do: 'back' }))"
    )
    page.until("bench.recorded")


@pytest.mark.browser
def test_hostile_names_run_nothing_in_the_file(
    chromium: object, run: tb.Run, tmp_path: Path
) -> None:
    evil = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
    other = tb.Run(run.time, {evil: run.time, **run.signals}, {evil: evil}, run.metadata)
    path = tmp_path / "evil.html"
    workbench.share(other, path, runs=False, model=run.model, signals=[[evil]])
    found = Opened(chromium, path)
    found.until("document.querySelector('.chip .name')?.textContent.includes('window.hacked')")
    assert found.ask("window.hacked") is None and found.errors == []
    found.context.close()


@pytest.mark.browser
def test_the_page_gives_the_file_that_it_shows(
    chromium: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # without a compiler: it only plays
    with (
        workbench.open(gallery.make("pendulum").compile(), recordings=tmp_path) as bench,
        seat(chromium, bench) as person,
    ):  # type: ignore[arg-type]
        until(lambda: bench.live.read("time") > 0.5)
        with person.page.expect_download() as given:
            person.page.locator('#transport [data-name="share"]').click()
        person.until(
            "[...document.querySelectorAll('.note')].some(each => /plays without a server/.test(each.textContent) && /wasm-ld/.test(each.textContent))"
        )
        path = tmp_path / given.value.suggested_filename
        given.value.save_as(path)
    assert path.name == "pendulum.html"
    found = Opened(chromium, path)
    assert found.ask("bench.times.length") > 10 and found.ask(
        "document.querySelector('#turn').hidden"
    )
    assert "wasm-ld" in str(found.ask("document.querySelector('#about').textContent"))
    found.context.close()
