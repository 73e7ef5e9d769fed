"""Icons of a recording are icons again in a fork of it: seen, changed, removed, governed."""

from pathlib import Path

import pytest

import touchback as tb
from page_client import Page, on_page
from touchback import workbench
from touchback.realtime.control import Exposed
from waiting import until

pytest.importorskip("websockets")


def arm() -> tb.Model:
    m = tb.Model("arm", gravity=(0, 0, 0))
    body = m.body("arm", 2.0, com=(0, 0, -0.5), inertia=(0.01, 0.02, 0.01))
    m.joint("hinge", tb.Revolute("y"), m.ground, body, damping=1.0)
    other = m.body("wheel", 1.0, inertia=(0.01, 0.02, 0.01))
    m.joint("axle", tb.Revolute("y"), m.ground, other, damping=0.1)
    return m


def test_icons_come_back_in_a_fork_and_are_governed(tmp_path: Path) -> None:
    with workbench.open(arm(), recordings=tmp_path) as bench:

        async def play(page: Page) -> None:
            push = {"do": "icon", "name": "push", "kind": "force", "on": "arm", "at": [0, 0, -1],
                    "end": "tail"}  # fmt: skip
            assert (await page.send(**push, value=[0.5, 0, 0], frame="body"))["ok"]
            twist = {"do": "icon", "name": "twist", "kind": "torque", "on": "arm"}
            assert (await page.send(**twist, value=[0, 0.1, 0]))["ok"]
            turn = {"do": "icon", "name": "turn", "kind": "motion", "on": "axle"}
            assert (await page.send(**turn, value=1.5))["ok"]
            before = bench.source.scene().icons
            assert len(before) == 3 and before[0]["end"] == "tail"
            name = (await page.send(do="record"))["name"]
            bench.live.run(0.05)
            await page.send(do="record", on=False)
            await page.send(do="open", recording=name)
            assert (await page.send(do="fork", time=1e6))["ok"]
            assert bench.source.scene().icons == before  # the very same
            system = bench.live.system
            assert (await page.send(**push, value=[0.7, 0, 0], frame="body"))["ok"]
            until(lambda: bench.live["push x"] == 0.7)
            assert bench.live.system is system  # other numbers only
            for icon in ("turn", "push"):
                assert (await page.send(do="remove", icon=icon))["ok"]
            left = [each for each in bench.live.system.input_names if "hand" not in each]
            assert left == ["twist x", "twist y", "twist z"]
            until(lambda: abs(bench.live.read("hinge rate") - 0.1) < 1e-3)  # torque over damping
            assert (await page.send(**push, value=[0.1, 0, 0]))["ok"]  # its name is free again
            assert bench.commands is not None
            bench.commands.exposed = Exposed(structure=False)
            for number in ("push x", "twist y"):
                refused = await page.send(do="set", name=number, value=99.0)
                assert "isn't among the structure" in refused["error"]

        on_page(bench, play)
