"""One port for play pages and mechanisms, asked as pages ask."""

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from page_client import Page, on_page
from touchback import gallery
from touchback.workbench.play.play_server import MOST, PlayServer, WallPage
from touchback.workbench.play.trial_pages import IdentificationPage, is_pressed
from waiting import PATIENCE, until


@pytest.fixture(scope="module")
def hall() -> Iterator[PlayServer]:
    with PlayServer("zoo") as opened:
        yield opened


def visit(hall: PlayServer, what: str) -> dict[str, object]:
    async def play(page: Page) -> dict[str, object]:
        return await page.send(do="visit", what=what)

    return on_page(hall.first.bench, play)


def test_the_zoo_tells_of_every_mechanism_in_three_sentences(hall: PlayServer) -> None:
    async def play(page: Page) -> dict[str, object]:
        return await page.send(do="zoo")

    zoo = on_page(hall.first.bench, play)
    assert [each["name"] for each in zoo["mechanisms"]] == gallery.names()
    assert all(len(each["sentences"]) == 3 for each in zoo["mechanisms"])
    assert [each["what"] for each in zoo["pages"]] == ["piano", "wall", "trial"]


def test_a_mechanism_opens_on_the_same_port_moves_and_says_what_it_is(hall: PlayServer) -> None:
    answer = visit(hall, "gallery/pendulum")
    assert answer["ok"] and "/index.html?" in answer["url"]
    assert answer["url"].split("/")[2] == hall.url.split("/")[2]

    async def play(page: Page) -> None:
        assert (await page.told("scene"))["title"] == "pendulum"
        about = await page.send(do="about")
        assert about["sentences"] == list(gallery.entry("pendulum").sentences)

    room = hall._pages["gallery/pendulum"]
    on_page(room.bench, play)
    assert room.bench.live.state == "running"


def test_only_a_few_run_at_a_time_and_the_first_goes_on(hall: PlayServer) -> None:
    for name in ("pendulum", "double-pendulum", "spinning-top", "gyroscope", "cart-pole"):
        assert visit(hall, f"gallery/{name}")["ok"]
    names = list(hall._pages)
    assert len(names) == 1 + MOST
    assert names[0] == "zoo" and names[-1] == "gallery/cart-pole"
    assert "gallery/pendulum" not in names


def test_what_is_not_there_is_refused_with_the_nearest(hall: PlayServer) -> None:
    assert "did you mean 'gallery/pendulum'" in visit(hall, "gallery/pendulm")["error"] or (
        "did you mean 'pendulum'" in visit(hall, "gallery/pendulm")["error"]
    )
    assert "nothing to play called 'pianow'" in visit(hall, "pianow")["error"]


def asked(board: WallPage | IdentificationPage, do: str, **fields: object) -> dict[str, object]:
    return board.commands.handle(json.dumps({"do": do, **fields}).encode(), "a test").as_dict()


def test_the_wall_takes_another_rate_and_law_while_it_is_pushed() -> None:
    with WallPage() as board:
        assert asked(board, "push", to=-0.01)["ok"]
        board.live.run(0.3)
        assert board.live.read("handle") < 0.0 < board.live.read("wall force")
        answer = asked(board, "wall", rate=500.0, controller="z-plane", stiffness=5000.0)
        assert answer["ok"] and board.live["wall rate"] == answer["rate"] == 500.0
        board.live.run(1.2)  # swings fade with c/2m = 7.4 1/s: to a ten-thousandth
        now = board.live.snapshot()
        # At rest the wall bears what the finger's spring of 257 N/m lacks in way.
        due = 257.0 * (now["handle"] - now["hand followed"])
        assert now["wall force"] == pytest.approx(due, rel=1e-3)
        assert asked(board, "wall", rate=900.0)["rate"] == 1000.0  # every fourth of 4000 ticks
        refused = asked(board, "wall", controller="deadbeet")
        assert "There is no wall 'deadbeet' to push" in refused["error"]


def touch(board: IdentificationPage) -> None:
    """A press of the key, felt and over."""
    assert asked(board, "press", note=60, depth=0.025)["ok"]
    until(lambda: board._felt)
    assert asked(board, "press", note=60, depth=0.0)["ok"]
    until(lambda: not is_pressed(board._last[None])[0])  # type: ignore[index]


def test_a_trial_hides_its_voice_until_all_is_answered(tmp_path: object) -> None:
    board = IdentificationPage(tmp_path / "trial.jsonl", ("organ", "wall"), repeats=1)  # type: ignore[operator]
    with board:
        felt = []
        for count in range(2):
            hidden = board.trials.hidden
            told = asked(board, "trial")
            assert told["answered"] == count and "table" not in told
            assert set(told) == {"id", "ok", "note", "question", "choices", "answered", "count",
                                 "done", "firm", "label"}  # fmt: skip
            for message in ({"do": "board"}, {"do": "instrument", "name": "wall"}, {"do": "last"}):
                assert not asked(board, **message)["ok"]
            assert asked(board, "what")["parameters"] == asked(board, "what")["inputs"] == []
            voice = {"organ": 2.0, "wall": 4.0}[hidden]
            assert board.live["C4/voice"] == voice  # it is what is felt
            felt.append(hidden)
            touch(board)
            assert asked(board, "reply", text=hidden, trial=count + 1)["ok"]
        told = asked(board, "trial")
    assert sorted(felt) == ["organ", "wall"]
    assert told["table"] == {"organ": {"organ": 1}, "wall": {"wall": 1}}


def test_a_trial_is_answered_once_and_only_after_it_was_felt(tmp_path: Path) -> None:
    """A double click, or a second page, answers no trial that nobody felt."""
    board = IdentificationPage(tmp_path / "trial.jsonl", ("organ", "wall"), repeats=1)
    with board, ThreadPoolExecutor(2) as pages:
        refused = asked(board, "reply", text="organ", trial=1)
        assert "Trial 1 wasn't felt yet: press the key" in refused["error"]
        assert not asked(board, "reply", text="organ")["ok"]  # of which trial?
        assert asked(board, "press", note=60, depth=0.025)["ok"]
        until(lambda: board._felt)
        assert (
            "mm down: let go of it first" in asked(board, "reply", text="organ", trial=1)["error"]
        )
        touch(board)
        both = list(pages.map(lambda x: asked(board, "reply", text=x, trial=1), ("organ", "wall")))
        assert [each["answered"] for each in both] == [1, 1]
        assert asked(board, "reply", text="wall", trial=1)["answered"] == 1
        assert len(board.trials.answers) == 1
        assert "Trial 3 isn't at hand" in asked(board, "reply", text="wall", trial=3)["error"]
        assert "Trial 2 wasn't felt" in asked(board, "reply", text="wall", trial=2)["error"]


def test_pages_get_a_row_of_every_sample(hall: PlayServer) -> None:
    assert visit(hall, "wall")["ok"]

    async def play(page: Page) -> list[float]:
        times: list[float] = []
        while len(times) < 100:
            kind, _, count, since, numbers = await page.frame()
            if kind == 2:
                rows = numbers[1:].reshape(count, -1)
                times += [since + float(t) for t in rows[:, 0]]
        await asyncio.sleep(0)
        return times

    times = on_page(hall._pages["wall"].bench, play)
    steps = [b - a for a, b in pairwise(times)]
    assert steps == pytest.approx([1e-3] * len(steps), abs=1e-6)


def test_a_push_overtakes_the_table_of_a_string(
    hall: PlayServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose tables take until the push is answered."""
    pushed, tables = threading.Event(), []

    def slow(note: int, kind: str) -> dict[str, object]:
        tables.append(pushed.wait(PATIENCE))
        return {"note": note}

    monkeypatch.setattr("touchback.workbench.play.play_server.string_table", slow)
    assert visit(hall, "wall")["ok"]

    async def play(page: Page) -> None:
        asked = [json.dumps({"do": "strings", "note": 60, "id": number}) for number in (-1, -2)]
        for message in (*asked, json.dumps({"do": "push", "to": 0.0, "id": -3})):
            await page.wire.send(message)
        order = [(await page.told("answer"))["id"]]
        pushed.set()
        order += [(await page.told("answer"))["id"] for _ in asked]
        assert order == [-3, -1, -2]

    on_page(hall._pages["wall"].bench, play)
    assert tables == [True, True]
