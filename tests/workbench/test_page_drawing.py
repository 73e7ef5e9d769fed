"""Mechanisms drawn on an empty page by mouse and keyboard alone, then run: asserted are freedoms
that the page shows, loops closed to 1e-9, and the motion of the Python text that it wrote."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from tests.workbench.browser import Seat, seat, until
from touchback import workbench
from touchback.workbench import Workbench
from touchback.workbench.drawing import Drawing

FOCUSED = "document.activeElement === bench.view.canvas"  # keys are the view's, not a button's
Point = Sequence[float]  # x, z of the plane, or x, y, z of space [m]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with workbench.open_drawing(folder=tmp_path_factory.mktemp("drawings")) as opened:
        yield opened


@pytest.fixture(scope="module")
def page(chromium: object, run: Workbench) -> Iterator[Seat]:
    size = {"width": 1280, "height": 720}
    with seat(chromium, run, viewport=size) as found:  # type: ignore[arg-type]
        found.until("bench.drawing")
        yield found


class Pen:
    """Draws on the page: keys choose tools, points are typed or clicked."""

    def __init__(self, page: Seat, run: Workbench) -> None:
        assert run.drawing is not None
        self.page, self.run, self.keys = page, run, page.page.keyboard
        self.drawing: Drawing = run.drawing
        self.page.ask("() => bench.view.canvas.focus()")

    def begin(self, space: bool) -> None:
        """An empty page, by the button."""
        self.page.page.locator('[data-drawing="new"]').click()
        with self.change():
            self.page.press("new space" if space else "new plane")
        self.page.see_structure()
        self.page.until(FOCUSED)

    def change(self) -> Change:
        return Change(self)

    def key(self, key: str) -> None:
        """A key that changes the drawing."""
        with self.change():
            self.keys.press(key)

    def type(self, **numbers: float) -> None:
        """The next point, by numbers in the strip."""
        self.keys.press("Tab")
        for name, value in numbers.items():
            self.page.page.locator(f'[data-type="{name}"]').fill(repr(value))
        self.keys.press("Enter")

    def point(self, p: Point) -> None:
        self.type(**dict(zip("xz" if len(p) == 2 else "xyz", p, strict=True)))

    def place(self, tool: str, *points: Point) -> None:
        """A thing with so many points."""
        self.keys.press(tool)
        for p in points[:-1]:
            self.point(p)
        with self.change():
            self.point(points[-1])

    def outline(self, *points: Point) -> None:
        self.keys.press("o")
        for p in points:
            self.point(p)
        self.key("Enter")

    def verified(self) -> dict[str, str]:
        """The Verify panel, once it shows what the drawing is now."""
        self.page.until(f"bench.drawing.drawing.told.revision === {self.drawing.revision}")
        rows = self.page.ask(
            "[...document.querySelectorAll('[data-verify]')]"
            ".map(each => [each.dataset.verify, each.textContent])"
        )
        return dict(rows)  # type: ignore[call-overload]

    def undo_all(self) -> None:
        while self.drawing.undo_words:
            self.key("Control+z")

    # ---- what was drawn moves -------------------------------------------------------------------

    def plays(self, seconds: float, coordinate: str) -> None:
        """Plays so long, by the space bar: loops stay closed, and a run of the Python text that the
        page shows comes to the same positions. Then it rests again."""
        text = self.python()
        self.keys.press(" ")
        until(lambda: self.drawing.playing and self.run.running)
        live = self.run.live
        until(lambda: live.ticks > 1000 * seconds)
        self.page.until("!document.documentElement.dataset.drawing.includes('rest')")
        live.pause()
        now, message = live.published()
        assert message.number
        system = live.system
        q = np.array([now[name] for name in system.state_names[: system.sizes[0]]])
        assert float(np.abs(system.constraint_error(q)).max()) < 1e-9  # m, rad
        names = dict[str, object]()
        exec(text, names)
        model = next(each for each in names.values() if isinstance(each, tb.Model))
        twin = model.compile()
        assert twin.coordinates == system.coordinates
        with tb.live(twin, rate=1000, speed=None) as other:
            other.run(round(now["time"] * 1000) / 1000)
            then, _ = other.published()
        assert abs(now[coordinate] - system.initial_state().q[0]) > 1e-3  # it did move
        for name in twin.coordinates:  # the page adds hands, whose zeros may round otherwise
            assert then[name] == pytest.approx(now[name], abs=1e-8)
        self.keys.press("Control+Enter")
        until(lambda: not self.drawing.playing)
        self.page.until("document.documentElement.dataset.drawing === 'rest'")

    def python(self) -> str:
        """What the dialog shows as Python."""
        self.page.page.locator('[data-drawing="text"]').click()
        self.page.press("python")
        box = self.page.page.locator("textarea.source")
        until(lambda: "import touchback" in box.input_value())
        text = box.input_value()
        self.keys.press("Escape")
        assert text == self.drawing.text("python")
        self.page.until(FOCUSED)
        return text


class Change:
    """Waits at its end for one more document."""

    def __init__(self, pen: Pen) -> None:
        self.pen, self.before = pen, pen.drawing.revision

    def __enter__(self) -> None:
        pass

    def __exit__(self, *failed: object) -> None:
        if failed[0] is None:
            drawing, before = self.pen.drawing, self.before
            until(lambda: drawing.revision == before + 1)
            self.pen.page.until(f"bench.drawing.drawing.told.revision === {before + 1}")
            self.pen.page.see_structure()


def test_a_four_bar_is_drawn_by_mouse_and_keys_runs_and_is_undone(
    page: Seat, run: Workbench
) -> None:
    pen = Pen(page, run)
    empty = pen.drawing.text()
    # the crank by the mouse: its end snaps to 15° and to the grid
    middle = page.ask(
        "(() => { const box = bench.view.canvas.getBoundingClientRect();"
        "return [[0, 0, 0], [0, 0, 0.1]].map(p => { const [x, y] = bench.view.pixel(p);"
        "return [box.left + x + 2, box.top + y + 2]; }); })()"
    )
    (x0, y0), (x1, y1) = middle  # type: ignore[misc]
    mouse = page.page.mouse
    pen.keys.press("b")
    mouse.click(x0, y0)
    mouse.move(x1, y1)
    with pen.change():
        mouse.click(x1, y1)
    (crank,) = pen.drawing.facts()["bodies"]  # type: ignore[misc]
    assert [0, 0, 0] in crank["points"] and [0, 0, 0.1] in crank["points"]
    # the others by keys: a point that is there, numbers, a length with an angle, arrows
    pen.keys.press("b")
    pen.point((0, 0.1))
    with pen.change():
        pen.point((0.35, 0.2))
    pen.point((0.3, 0))
    with pen.change():
        pen.type(length=math.hypot(0.05, 0.2), angle=math.degrees(math.atan2(0.2, 0.05)))
    pen.place("j", (0, 0))
    pen.place("j", (0, 0.1))
    pen.place("j", (0.35, 0.2))
    assert pen.verified()["freedoms"] == "3"
    pen.place("j", (0.3, 0))  # one body and the ground: it closes the loop by itself
    pen.place("t", (0.175, 0.15))
    shown = pen.verified()
    assert shown["freedoms"] == "1" and shown["loops"] == "1" and shown["redundant"] == "none"
    assert pen.drawing.document["closures"]["revolute 4"]["kind"] == "point-in-plane"
    pen.keys.press("Escape")
    pen.plays(0.5, "revolute 1")
    path = page.page.locator("#view svg path[d^=M]")
    assert path.count() > 0  # the coupler curve
    # a scope has signals from the first Play on, and no word of the drawing at rest
    assert page.ask("bench.scopes.panes[0].layout.signals")[0] == "revolute 1"  # type: ignore[index]
    assert page.page.locator(".scope .bad").count() == 0
    drawn, words = pen.drawing.text(), page.ask("JSON.stringify(bench.drawing.drawing.told)")
    page.come()  # nothing of it lives in the page alone
    page.until("bench.drawing?.drawing.told")
    assert page.ask("JSON.stringify(bench.drawing.drawing.told)") == words
    pen = Pen(page, run)
    pen.undo_all()
    assert pen.drawing.text() == empty
    while pen.drawing.redo_words:
        pen.key("Control+y")
    assert pen.drawing.text() == drawn


def meet(a: Point, ra: float, b: Point, rb: float, left: bool) -> tuple[float, float]:
    """Where circles about two points meet, left or right of the way from a to b."""
    way, far = np.subtract(b, a), math.dist(a, b)
    along = (ra**2 - rb**2 + far**2) / (2 * far)
    high = math.sqrt(ra**2 - along**2) * (1 if left else -1)
    x, z = np.asarray(a) + along * way / far + high * np.array([-way[1], way[0]]) / far
    return round(float(x), 6), round(float(z), 6)  # as somebody types it


def test_a_jansen_leg_is_drawn_and_walks(page: Seat, run: Workbench) -> None:
    """Theo Jansen's numbers, in centimetres."""
    pen = Pen(page, run)
    pen.begin(space=False)
    centre, fixed, pin = (0.38, 0.078), (0.0, 0.0), (0.53, 0.078)
    top = meet(fixed, 0.415, pin, 0.5, True)
    left = meet(fixed, 0.401, top, 0.558, True)
    low = meet(fixed, 0.393, pin, 0.619, False)
    knee = meet(left, 0.394, low, 0.367, False)
    foot = meet(knee, 0.657, low, 0.49, False)
    for a, b in ((centre, pin), (pin, top), (pin, low), (fixed, low), (left, knee)):
        pen.place("b", a, b)
    pen.outline(fixed, top, left)
    pen.outline(knee, low, foot)
    pen.place("g", centre)
    for joint in (pin, pin, top, left, knee, low, low, fixed):  # three bodies: two joints
        pen.place("j", joint)
    pen.place("g", fixed)
    shown = pen.verified()
    assert (shown["bodies"], shown["loops"], shown["freedoms"]) == ("7", "3", "1")
    assert shown["redundant"] == "none" and not pen.drawing.state.verify["problems"]
    pen.keys.press("Escape")
    # It begins near an unstable balance: the crank leaves it by 0.1 mrad in 0.3 s, 10 in 1.2 s.
    pen.plays(1.2, str(next(iter(pen.drawing.document["joints"]))))


def test_a_bennett_linkage_is_drawn_in_space_and_moves(page: Seat, run: Workbench) -> None:
    """Four skew axes at the corners of a tetrahedron: three bodies, four revolutes, and yet one
    freedom, with three equations that repeat others (Bennett 1903)."""
    pen = Pen(page, run)
    pen.begin(space=True)
    corners = ((0.2, 0.0, 0.1), (0.0, 0.2, -0.1), (-0.2, 0.0, 0.1), (0.0, -0.2, -0.1))
    axes = ("-1 0 1", "0 1 1", "1 0 1", "0 -1 1")  # across both bars of a corner
    for a, b in pairwise(corners):
        pen.place("b", a, b)
    for tool, corner, axis in zip("gjjg", corners, axes, strict=True):
        pen.keys.press(tool)
        field = page.page.locator('[data-option="axis"]')
        field.fill(axis)
        field.press("Enter")
        with pen.change():
            pen.point(corner)
    shown = pen.verified()
    assert (shown["bodies"], shown["loops"], shown["freedoms"]) == ("3", "1", "1")
    assert shown["redundant"] != "none"
    pen.keys.press("Escape")
    pen.plays(0.3, str(next(iter(pen.drawing.document["joints"]))))
    assert Path(pen.drawing.folder).is_dir()


def test_the_ten_steps_of_the_teachers_path_lead_to_what_they_say(
    page: Seat, run: Workbench
) -> None:
    """docs/exercises.md, in its order and with its numbers."""
    pen = Pen(page, run)

    def freedoms() -> tuple[str, str]:
        shown = pen.verified()
        return shown["freedoms"], shown["loops"]

    def plays() -> None:
        pen.keys.press("Escape")
        pen.keys.press(" ")
        until(lambda: pen.drawing.playing and run.running)
        until(lambda: run.live.ticks > 300)
        assert not run.live.faults
        pen.keys.press("Control+Enter")
        until(lambda: not pen.drawing.playing)
        page.until("document.documentElement.dataset.drawing === 'rest'")

    pen.begin(space=False)
    pen.place("b", (0, 0), (0.4, 0))  # 1
    assert freedoms() == ("3", "0")
    pen.place("g", (0, 0))  # 2
    assert freedoms() == ("1", "0")
    plays()
    pen.place("n", (0.4, 0), (0.4, 0.3))  # 3
    plays()
    pen.key("Control+z")
    pen.place("b", (0.4, 0), (0.8, 0))  # 4
    pen.place("j", (0.4, 0))
    assert freedoms() == ("2", "0")
    plays()
    pen.begin(space=False)  # 5
    for bar in (((0, 0), (0, 0.1)), ((0, 0.1), (0.35, 0.2)), ((0.3, 0), (0.35, 0.2))):
        pen.place("b", *bar)
    for joint in ((0, 0), (0, 0.1), (0.35, 0.2), (0.3, 0)):
        pen.place("j", joint)
    pen.place("t", (0.175, 0.15))
    assert freedoms() == ("1", "1")
    pen.place("w", (0, 0))  # 6
    assert freedoms() == ("0", "1") and not pen.drawing.state.verify["problems"]
    plays()
    assert page.page.locator("#view svg path[d^=M]").count() > 0
    pen.begin(space=False)  # 7
    pen.place("b", (0, 0), (0.06, 0.08))
    pen.place("b", (0.06, 0.08), (0.4, 0))
    pen.place("k", (0.38, -0.02), (0.46, 0.02))
    for joint in ((0, 0), (0.06, 0.08), (0.4, 0)):
        pen.place("j", joint)
    pen.keys.press("g")
    page.page.locator('[data-option="kind"]').select_option("prismatic")
    page.ask("() => bench.view.canvas.focus()")
    pen.keys.press("x")
    with pen.change():
        pen.point((0.46, 0))
    assert freedoms() == ("1", "1")
    plays()
    pen.begin(space=False)  # 8
    for x in (0, 0.2, 0.4):
        pen.place("b", (x, 0), (x, 0.2))
    pen.place("b", (0, 0.2), (0.4, 0.2))
    for x in (0, 0.2, 0.4):
        pen.place("g", (x, 0))
        pen.place("j", (x, 0.2))
    assert freedoms() == ("1", "2") and pen.verified()["redundant"] != "none"
    pen.keys.press("Escape")
    for name in ("jansen-leg", "geneva-drive"):  # 9, 10
        page.page.locator('[data-drawing="new"]').click()
        with pen.change():
            page.page.locator(f'[data-classic="{name}"]').click()
        page.until(f"bench.drawing.drawing.told.name === '{name}' && bench.world.ready")
        page.until(FOCUSED)
        plays()
    assert freedoms() == ("2", "0")


def test_what_is_chosen_is_copied_mirrored_repeated_and_grouped_by_keys(
    page: Seat, run: Workbench
) -> None:
    pen = Pen(page, run)
    pen.begin(space=False)
    empty = pen.drawing.text()
    pen.keys.press("Shift+M")  # nothing is chosen: refused
    assert page.ask("bench.drawing.session.name") == "select"
    assert page.page.locator(".note", has_text="Choose first").count() == 1
    for _ in range(3):
        pen.keys.press("Control+y")
    page.until("document.querySelector('#notes').textContent.includes('(3 times)')")
    assert page.page.locator(".note", has_text="nothing to do again").count() == 1
    notes, actions = (
        page.page.locator(each).bounding_box() for each in ("#notes", "#view .actions")
    )
    assert notes is not None and actions is not None
    assert notes["y"] >= actions["y"] + actions["height"]
    sight = (
        "() => (bench.view.paint(), [[0, 0, 0], [0.1, 0, 0.1]].flatMap(p => bench.view.pixel(p)))"
    )
    before = page.ask(sight)
    pen.keys.press("b")
    pen.point((0, 0))
    pen.keys.press("0")  # nothing is there but a first point: the extent of an empty page
    assert page.ask(sight) == pytest.approx(before)
    with pen.change():
        pen.point((0.2, 0.1))
    pen.keys.press("j")
    box = page.page.locator("canvas.stage:not([hidden])").bounding_box()
    corner = [0.2 - 0.015 * math.sqrt(0.2), 0, 0.1 + 0.015 * math.sqrt(0.8)]  # half the width aside
    ends = page.ask(f"[[0.2, 0, 0.1], {corner}].map(p => bench.view.pixel(p))")
    (x, y, _), (cx, cy, _) = ends  # type: ignore[misc]
    assert box is not None and 2 < math.hypot(cx - x, cy - y) < 15  # px: a pointer means both
    page.page.mouse.move(box["x"] + x + 0.7 * (cx - x), box["y"] + y + 0.7 * (cy - y))
    assert page.ask("bench.drawing.session.cursor.point") == [0.2, 0, 0.1]
    pen.place("g", (0, 0))
    pen.keys.press("Escape")
    pen.keys.press("Control+a")
    pen.place("Shift+M", (0.5, 0), (0.5, 0.2))  # an upright mirror line
    facts = pen.drawing.facts()
    by_name = {each["name"]: each for each in facts["bodies"]}  # type: ignore[attr-defined]
    assert by_name["bar 2"]["at"] == [0.9, 0, 0.05]
    pen.keys.press("Escape")
    pen.keys.press("Control+a")
    pen.key("Control+d")
    assert len(pen.drawing.document["bodies"]) == 4
    assert pen.verified()["freedoms"] == "4"
    pen.key("Control+z")
    pen.keys.press("Control+a")
    pen.key("Control+g")
    assert list(pen.drawing.document["parts"]) == ["group 1"]
    assert pen.verified()["bodies"] == "2" and pen.verified()["freedoms"] == "2"
    chosen = "bench.drawing.drawing.chosen.map(each => each.name).sort()"
    assert page.ask(chosen) == ["group 1/bar 1", "group 1/bar 2"]
    pen.keys.press(",")  # chooses one body of the group
    assert page.ask(chosen) in (["group 1/bar 1"], ["group 1/bar 2"])
    pen.key("ArrowRight")
    assert pen.drawing.document["parts"]["group 1"]["at"]["at"][0] > 0.0
    pen.keys.press("0")
    page.until("bench.drawing.isWhole()")  # what is seen whole at rest stays so
    pen.keys.press(" ")
    page.until(
        "document.documentElement.dataset.drawing === 'play'"
        " && bench.world.ready && bench.drawing.isWhole()"
    )
    pen.keys.press("b")
    page.until("document.body.textContent.includes('Drawing tools rest while it plays')")
    pen.keys.press("Control+Enter")
    page.until("document.documentElement.dataset.drawing === 'rest'")
    pen.key("Control+Shift+g")
    assert list(pen.drawing.document["bodies"]) == ["bar 1", "bar 2"]
    pen.keys.press("m")
    field = page.page.locator('[data-option="coordinate"]')
    assert field.count() == 1
    while pen.drawing.text() != empty:
        pen.key("Control+z")


RUNNING = "document.documentElement.dataset.drawing === 'play' && bench.world.ready"


def test_keys_of_the_run_act_also_where_the_view_has_the_focus(page: Seat, run: Workbench) -> None:
    pen = Pen(page, run)
    pen.begin(space=False)
    pen.place("b", (0, 0), (0.4, 0))
    pen.place("g", (0, 0))
    pen.keys.press("Escape")
    box = page.page.locator("canvas.stage:not([hidden])").bounding_box()
    assert box is not None
    pen.keys.press(" ")
    page.until(RUNNING)
    page.page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.2 * box["height"])
    page.until(FOCUSED)
    live = run.live
    for paused in (True, False, True):
        pen.keys.press(" ")
        page.until(f"bench.status.paused === {str(paused).lower()}")
        assert page.ask(FOCUSED)
    ticks = until(lambda: live.ticks)
    pen.keys.press(".")
    until(lambda: live.ticks == ticks + 1)
    pen.keys.press("Control+Enter")
    page.until("document.documentElement.dataset.drawing === 'rest'")


def strip(page: Seat, name: str) -> str:
    return page.page.locator(f'[data-type="{name}"]').input_value()


@pytest.mark.parametrize(
    ("typed", "to"),
    [
        ("0.35,0.2", (0.35, 0.2)),
        ("0,3 0,2", (0.3, 0.2)),
        ("1;2", (1.0, 2.0)),
        ("-20 cm, 0, 0.1", (-0.2, 0.1)),
    ],
)
def test_a_point_that_is_typed_into_one_field_fills_x_and_z(
    page: Seat, run: Workbench, typed: str, to: Point
) -> None:
    pen = Pen(page, run)
    pen.begin(space=False)
    pen.keys.press("b")
    pen.keys.press("Tab")  # x
    pen.keys.type("0,0.1")
    pen.keys.press("Enter")
    pen.keys.press("Tab")  # the length
    pen.keys.type(typed)
    with pen.change():
        pen.keys.press("Enter")
    (bar,) = pen.drawing.facts()["bodies"]  # type: ignore[misc]
    for x, z in ((0, 0.1), to):
        assert min(math.dist(each, (x, 0, z)) for each in bar["points"]) < 1e-9


@pytest.mark.parametrize("typed", ["hello", "1e400", "0.1,x", "1 2 3", "1, 2, 3, 4"])
def test_what_is_no_point_is_refused_by_name_and_stays(
    page: Seat, run: Workbench, typed: str
) -> None:
    pen = Pen(page, run)
    pen.begin(space=False)
    pen.keys.press("b")
    for key in ("Enter", "Tab"):
        pen.keys.press("Tab")
        pen.keys.type(typed)
        pen.keys.press(key)
        page.until(
            f"document.querySelector('#notes').textContent.includes(\"x: '{typed}' is no \")"
        )
        assert strip(page, "x") == typed and page.ask("bench.drawing.session.points.length") == 0
        pen.keys.press("Escape")
        assert strip(page, "x") == ""
    assert not pen.drawing.document.get("bodies")


def test_a_number_that_is_not_finite_is_refused_by_name(page: Seat, run: Workbench) -> None:
    pen = Pen(page, run)
    pen.begin(space=False)
    pen.place("b", (0, 0), (0.4, 0))
    text = pen.drawing.text()
    for field in ("bodies/bar 1/mass", "shapes/bar 1/solid/size/0"):
        number = page.page.locator(f'[data-path="{field}"]')
        number.fill("1e400")
        number.press("Enter")
        page.until(
            "document.querySelector('.refusal')?.textContent.includes(\"'1e400' is no fin\")"
        )
        page.ask("document.querySelector('.refusal').remove()")
    assert pen.drawing.text() == text


def test_the_inspector_lists_what_is_chosen_still_after_undo(page: Seat, run: Workbench) -> None:
    pen = Pen(page, run)
    pen.begin(space=False)
    pen.place("b", (0, 0), (0.4, 0))
    pen.place("b", (0, 0.1), (0.4, 0.1))
    pen.keys.press("Escape")
    page.ask(
        "bench.drawing.drawing.choose(['bar 2', 'bar 1'].map(name => ({section: 'bodies', name})))"
    )
    page.until("document.querySelector('#inspector, #right').textContent.includes('and bar 2')")
    pen.key("Control+z")
    page.until("!document.querySelector('#inspector, #right').textContent.includes('and bar 2')")
    assert page.ask("bench.drawing.drawing.chosen.map(each => each.name)") == ["bar 1"]


def test_an_outline_that_is_refused_keeps_its_corners_to_be_mended(
    page: Seat, run: Workbench
) -> None:
    pen = Pen(page, run)
    pen.begin(space=False)
    pen.keys.press("o")
    for p in ((0, -0.2), (0.2, -0.3), (0, -0.3), (0.2, -0.2)):
        pen.point(p)
    pen.keys.press("Enter")
    page.until("document.querySelector('#notes').textContent.includes('crosses itself')")
    page.until("bench.drawing.session.points.length === 4")
    pen.keys.press("Backspace")
    pen.keys.press("Backspace")
    for p in ((0.2, -0.2),):
        pen.point(p)
    pen.key("Enter")
    assert list(pen.drawing.document["bodies"]) == ["outline 1"]


def test_another_drawing_is_replaced_when_asked_twice_and_notes_lie_over_the_dialog(
    page: Seat, run: Workbench
) -> None:
    pen = Pen(page, run)
    for name, radius in (("one.yaml", 0.1), ("two.yaml", 0.2)):
        pen.begin(space=False)
        pen.place("d", (0, 0), (radius, 0))
        (pen.drawing.folder / name).unlink(missing_ok=True)
        pen.keys.press("Control+s")
        page.page.locator("dialog input").fill(name)
        page.press("save")
        page.until("!document.querySelector('dialog')")
        assert pen.drawing.file == name
    kept = (pen.drawing.folder / "one.yaml").read_text()
    pen.keys.press("Control+s")
    file = page.page.locator("dialog input")
    assert file.input_value() == "two.yaml"
    file.fill("one.yaml")
    page.press("save")
    page.until("document.querySelector('dialog').textContent.includes('Replace one.yaml')")
    assert (pen.drawing.folder / "one.yaml").read_text() == kept
    page.press("save")
    page.until("!document.querySelector('dialog')")
    assert (pen.drawing.folder / "one.yaml").read_text() == pen.drawing.text() != kept
    page.until("document.querySelector('body > #notes').textContent.includes('Saved one.yaml')")
    (pen.drawing.folder / "rubbish.yaml").write_text("no: drawing\n")
    pen.keys.press("Control+o")
    page.page.locator('[data-file="rubbish.yaml"]').click()
    note = page.page.locator("dialog #notes .note.bad")
    note.wait_for()
    close = note.locator("button")
    box = close.bounding_box()
    assert box is not None
    assert page.ask(  # else it takes no pointer
        "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('.note'))",
        box["x"] + box["width"] / 2, box["y"] + box["height"] / 2,
    )  # fmt: skip
    close.click()
    pen.keys.press("Escape")
    page.until("!document.querySelector('dialog') && document.querySelector('body > #notes')")
    (pen.drawing.folder / "rubbish.yaml").unlink()
