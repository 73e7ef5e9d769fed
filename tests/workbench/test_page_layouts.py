"""Panels and scopes of the page are moved, resized, folded, kept under a name, and shared by a link
that reproduces view, scopes and parameters; links that were altered change nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.workbench.browser import Seat, seat, until
from touchback import gallery, workbench
from touchback.workbench import Workbench

SIZE = {"width": 1440, "height": 900}
LOOK = "import('./look_link.js').then(m => m.lookOf(bench))"


@pytest.fixture(scope="module")
def run() -> Iterator[Workbench]:
    with workbench.open(gallery.make("slider-crank").compile()) as opened:
        yield opened


@pytest.fixture
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    with seat(chromium, run, viewport=SIZE) as found:  # type: ignore[arg-type]
        found.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        found.until("bench.scopes?.mechanism && bench.sliders?.found")
        yield found


def again(page: Seat) -> None:
    page.page.reload()
    page.until("bench.scopes?.mechanism && bench.sliders?.found && bench.view.painted >= 0")


def width(page: Seat, selector: str) -> float:
    box = page.page.locator(selector).bounding_box()
    assert box is not None
    return box["width"]


def place(page: Seat, panel: str) -> list[object]:
    """The side of a panel, and where it is among the others."""
    return page.ask(  # type: ignore[return-value]
        "([id]) => { const own = document.getElementById(id).parentElement,"
        "side = own.parentElement; return [side.id, [...side.children].indexOf(own)]; }",
        panel,
    )


def test_a_side_is_as_wide_as_its_edge_was_dragged_also_after_reloading(page: Seat) -> None:
    edge = page.page.locator('[data-edge="left"]')
    box = edge.bounding_box()
    assert box is not None and width(page, "#left") == 288.0
    page.drag((box["x"] + 3, 400.0), (60.0, 0.0))
    assert width(page, "#left") == pytest.approx(348.0, abs=1.0)
    edge.focus()
    page.page.keyboard.press("ArrowRight")
    wide = width(page, "#left")
    assert wide == pytest.approx(364.0, abs=1.0)
    again(page)
    assert width(page, "#left") == wide
    page.drag((wide, 400.0), (900.0, 0.0))
    assert width(page, "#left") <= 0.45 * 1440 + 1.0  # the mechanism keeps most of the page
    edge.dblclick()
    assert width(page, "#left") == 288.0


def test_a_panel_is_moved_by_its_grip_and_by_keys_and_is_there_after_reloading(page: Seat) -> None:
    assert place(page, "tree") == ["left", 1]
    page.page.locator("#left summary", has_text="Parts").focus()
    page.page.keyboard.press("Alt+ArrowUp")
    assert place(page, "tree") == ["left", 0]
    grip = page.page.locator("#left summary", has_text="Parts").locator(".grip").bounding_box()
    target = page.page.locator("#right summary", has_text="Inspector").bounding_box()
    assert grip is not None and target is not None
    way = (target["x"] + 40 - grip["x"], target["y"] + 4 - grip["y"])
    page.drag((grip["x"] + 3, grip["y"] + 5), way)
    assert place(page, "tree")[0] == "right"
    page.page.locator("#left summary", has_text="Parameters").click()
    again(page)
    assert place(page, "tree")[0] == "right"
    assert not page.page.locator("#parameters").is_visible()  # folded
    assert page.page.locator('[data-part="joint crank"]').is_visible()


def test_scopes_are_moved_folded_and_made_wider(page: Seat) -> None:
    page.ask("() => bench.scopes.add({ kind: 'xy', signals: ['crank', 'crank rate'] })")
    kinds = "bench.scopes.panes.map(pane => pane.layout.kind)"
    page.page.get_by_label("Move this scope").nth(1).focus()
    page.page.keyboard.press("ArrowLeft")
    assert page.ask(kinds) == ["xy", "time"]
    first = page.page.locator(".scope").first.bounding_box()
    assert first is not None
    page.drag((first["x"] + first["width"] + 3, first["y"] + 60), (-120.0, 0.0))
    narrow = page.page.locator(".scope").first.bounding_box()
    assert narrow is not None
    assert narrow["width"] == pytest.approx(first["width"] - 120.0, abs=3.0)
    again(page)
    assert page.ask(kinds) == ["xy", "time"]
    kept = page.page.locator(".scope").first.bounding_box()
    assert kept is not None and kept["width"] == pytest.approx(narrow["width"], abs=3.0)
    page.page.get_by_label("Fold this scope").nth(1).click()
    until(lambda: page.ask("bench.scopes.panes[1].element.offsetWidth") == 44)
    page.page.get_by_label("Unfold this scope").click()
    until(lambda: float(str(page.ask("bench.scopes.panes[1].element.offsetWidth"))) > 200)
    page.ask("() => bench.scopes.take(null)")


def test_a_layout_kept_under_a_name_comes_back(page: Seat) -> None:
    page.ask("() => { bench.layout.resize('right', 400); bench.view.eye.zoom(0.5); }")
    page.ask("() => bench.scopes.add({ kind: 'spectrum', signals: ['rod'] })")
    before = page.until(LOOK)
    page.page.get_by_label("Layouts and links").click()
    page.page.get_by_label("Name of the layout").fill("mine")
    page.page.keyboard.press("Enter")
    page.page.get_by_role("button", name="As at first").click()
    until(lambda: page.ask("bench.scopes.panes.length") == 1)
    assert width(page, "#right") == 312.0
    page.page.get_by_label("Layouts and links").click()
    page.page.locator('[data-layout="mine"]').click()
    until(lambda: page.ask(LOOK) == before)
    assert width(page, "#right") == 400.0


def test_on_a_tablet_one_side_is_open_and_hides_nothing(page: Seat) -> None:
    page.page.set_viewport_size({"width": 820, "height": 1180})
    page.until("document.documentElement.dataset.left === 'closed'")
    for name, other in (("left", "right"), ("right", "left")):
        page.page.locator(f'[data-panel="{name}"]').click()
        assert page.ask(f"document.documentElement.dataset.{other}") == "closed"
        assert (
            page.ask(
                "() => bench.view.element.offsetWidth + document.querySelector("
                f"'#{name}').offsetWidth"
            )
            == 820
        )


# ---- links --------------------------------------------------------------------------------------


def test_a_link_reproduces_view_scopes_and_parameters_in_another_browser(
    chromium: object, run: Workbench, page: Seat
) -> None:
    live, radius = run.live, run.live["crank radius"]
    page.ask("() => bench.sliders.rows.get('crank radius').commit(0.12)")
    until(lambda: live["crank radius"] == 0.12)
    page.ask("() => { bench.view.turn(false); bench.view.eye.orbit(0.3, 0.1); }")
    page.ask("() => { bench.view.eye.pan(0.1, -0.2); bench.view.eye.zoom(0.6); }")
    page.ask("() => bench.scopes.add({ kind: 'xy', signals: ['crank', 'crank rate'], trail: 2 })")
    page.page.get_by_label("Layouts and links").click()
    page.page.locator('[data-act="copy link"]').click()
    link = str(page.until("navigator.clipboard.readText()"))
    address, fragment = link.split("#look=")
    assert address == run.url
    look = base64.urlsafe_b64decode(fragment + "=" * (-len(fragment) % 4)).decode()
    assert run.server.token not in look
    corner = "[...bench.view.eye.project([0.3, 0.1, 0.2])]"
    wanted = page.ask(LOOK), page.until(f"bench.view.eye.last && {corner}")
    live["crank radius"] = radius
    with seat(chromium, run, viewport=SIZE) as other:  # type: ignore[arg-type]
        assert other.ask("bench.view.flat")
        other.page.goto("about:blank")
        other.page.goto(link)
        until(lambda: live["crank radius"] == 0.12)
        until(lambda: other.ask("bench.scopes.panes.length") == 2)
        until(lambda: other.ask(LOOK) == wanted[0])
        assert not other.ask("bench.view.flat")
        assert other.ask(corner) == pytest.approx(wanted[1], abs=1e-9)
        assert other.ask("location.hash") == ""  # a reload changes nothing a second time
        other.page.get_by_label("Layouts and links").click()
        other.page.locator('[data-layout="before the link"]').click()
        until(lambda: other.ask("bench.scopes.panes.length") == 1)
    live["crank radius"] = radius


def encoded(look: object) -> str:
    text = look if isinstance(look, str) else json.dumps(look)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def good(**other: Any) -> dict[str, Any]:
    eye = {
        "flat": True, "middle": [0, 0, 0], "turn": 0, "rise": 0, "distance": 1, "radius": 1,
    }  # fmt: skip
    return {"v": 1, "of": "slider-crank", "eye": eye, "scopes": [], **other}


BAD = {
    "cut": encoded(good())[:-9],
    "no text": "%%%",
    "empty": "",
    "no json": encoded("{"),
    "no set": encoded([1, 2]),
    "another version": encoded(good(v=2)),
    "too long": "A" * 20_000,
    "an eye at no place": encoded(good(eye={**good()["eye"], "middle": [0, None, 0]})),
    "an eye too far": encoded(good(eye={**good()["eye"], "distance": 1e300})),
    "a scope of no kind": encoded(good(scopes=[{"kind": "constructor", "signals": []}])),
    "many scopes": encoded(good(scopes=[{"kind": "time", "signals": ["crank"]}] * 7)),
    "traces that are none": encoded(good(scopes=[{"kind": "time", "signals": [{"a": 1}]}])),
    "a value that is none": encoded(good(values={"crank radius": "0.2"})),
    "an endless value": encoded(json.dumps(good(values={"a": 17})).replace("17", "1e999")),
    "panels that are none": encoded(good(panels={"order": {"left": "tree"}})),
}  # fmt: skip


def test_what_a_link_names_and_nobody_knows_is_told_and_the_rest_is_done(page: Seat) -> None:
    """A trace that is a text of HTML stays a text; a parameter of another mechanism isn't set."""
    look = good(
        scopes=[{"kind": "time", "signals": ["<img src=x onerror=alert(1)>"]}],
        values={"__proto__": 1.0, "wings": 2.0},
    )
    page.ask("([text]) => { location.hash = `look=${text}`; }", encoded(look))
    told = page.page.locator("#notes")
    until(lambda: "'wings' can't be set by a link" in told.inner_text())
    assert page.ask("bench.scopes.panes.length") == 1
    assert page.ask("document.querySelectorAll('img').length") == 0
    assert page.ask("bench.view.eye.distance") == 1
    other = encoded({**good(), "of": "another", "panels": {"sizes": {"left": 250}}})
    page.ask("([text]) => { location.hash = `look=${text}`; }", other)
    until(lambda: "It is of 'another'" in told.inner_text())
    assert width(page, "#left") == 250.0
    page.ask("() => bench.scopes.take(null)")


def test_a_link_sets_nothing_that_copy_link_would_not_store(page: Seat, run: Workbench) -> None:
    """A motor's torque would move the mechanism of whoever opens the link; nor does it leave the
    range that a parameter's slider has."""
    live, radius = run.live, run.live["crank radius"]
    page.ask("() => { bench.sliders.rows.get('crank radius').fact.max = 0.13; }")
    told = page.page.locator("#notes")
    for asked, found in ((0.12, 0.12), (0.14, 0.12)):
        page.ask("() => document.querySelector('#notes').replaceChildren()")
        text = encoded(good(values={"motor torque": 50.0, "crank radius": asked}))
        page.ask("([text]) => { location.hash = `look=${text}`; }", text)
        until(lambda: "'motor torque' can't be set by a link" in told.inner_text())
        refused = "'crank radius' can't have the value of the link" in told.inner_text()
        assert refused == (asked != found) and live["crank radius"] == found
        assert live["motor torque"] == 0.0
    live["crank radius"] = radius
    page.ask("() => bench.scopes.take(null)")


@pytest.fixture(scope="module")
def unchanged(chromium: object, run: Workbench) -> Iterator[Seat]:
    """A page for all links that change nothing."""
    with seat(chromium, run, viewport=SIZE) as found:  # type: ignore[arg-type]
        found.until("bench.scopes?.mechanism && bench.sliders?.found")
        yield found


@pytest.mark.parametrize("kind", BAD)
def test_a_link_that_is_not_as_it_should_be_changes_nothing_and_is_told(
    unchanged: Seat, kind: str
) -> None:
    before = unchanged.ask(LOOK)
    unchanged.ask("() => document.querySelector('#notes').replaceChildren()")
    unchanged.ask("([text]) => { location.hash = `look=${text}`; }", BAD[kind])
    told = unchanged.page.locator("#notes")
    until(lambda: "The link's view can't be used: " in told.inner_text())
    assert unchanged.ask(LOOK) == before and unchanged.ask("location.hash") == ""


KEPT = {
    "scopes": ("localStorage", "touchback scopes slider-crank", [
        "[null]", '[{"kind": "constructor", "signals": ["crank"]}]',
        '[{"kind": "xy", "signals": [1]}]',
        '[{"kind": "time", "signals": "crank"}]', '[{"kind": "time", "signals": [], "span": -1}]',
    ]),
    "presets": ("localStorage", "touchback slider-crank presets", ['{"x": null}', '{"x": 5}']),
    "A and B": ("localStorage", "touchback slider-crank AB", ['{"on": "A"}', "[]"]),
    "undo": ("sessionStorage", "touchback slider-crank undo", [
        "{}", '{"done": [null], "undone": 5}',
    ]),
    "layouts": ("localStorage", "touchback layouts", ['{"x": null}', '{"x": 5}', "[1]"]),
    "panels": ("localStorage", "touchback layout", ['{"open": 5}', '{"order": {"left": 5}}']),
}  # fmt: skip


@pytest.mark.parametrize("what", KEPT)
def test_what_the_browser_kept_wrongly_is_forgotten_with_a_note_and_every_panel_works(
    page: Seat, what: str
) -> None:
    """Another page of the address, or an older version, may have written anything there."""
    where, key, others = KEPT[what]
    told = page.page.locator("#notes")
    for text in ("{", "5", '"x"', *others):
        page.ask("([where, key, text]) => window[where].setItem(key, text)", where, key, text)
        again(page)
        page.until("bench.scopes.panes.length && document.querySelector('.slider-bar .presets')")
        page.page.get_by_label("Layouts and links").click()
        until(lambda: f"kept as '{key}' can't be read" in told.inner_text())
        page.page.keyboard.press("Escape")
        assert "This panel failed" not in page.page.locator("main").inner_text(), text
        assert page.ask("([w, k]) => window[w].getItem(k)", where, key) != text


def test_a_browser_that_is_full_keeps_what_changes_until_the_page_closes(page: Seat) -> None:
    page.ask(
        "() => { let size = 1 << 20, n = 0; while (size) {"
        "try { localStorage.setItem(`x${n++}`, 'a'.repeat(size)); } catch { size >>= 1; } } }"
    )
    again(page)
    page.ask("() => bench.scopes.add({ kind: 'xy', signals: ['crank', 'crank rate'] })")
    page.page.get_by_label("Keep these values as a preset").click()
    page.page.get_by_label("Name of the preset").fill("mine")
    page.page.keyboard.press("Enter")
    until(lambda: "keeps nothing more" in page.page.locator("#notes").inner_text())
    assert page.ask("[...document.querySelectorAll('.presets option')].at(-1).value") == "mine"
    page.ask("() => localStorage.clear()")
