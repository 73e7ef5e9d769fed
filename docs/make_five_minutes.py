"""The walk-through of docs/five_minutes.md, done step by step with a clock, and its pictures.

`PYTHONPATH=. python docs/make_five_minutes.py` takes the model from the page itself, works in
an empty folder with the command `touchback`, and uses the page in Chromium as a person does. It
prints the seconds that each step took.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from docs.chromium import launched

HERE = Path(__file__).parent
PICTURES = HERE / "pictures" / "workbench"
MODEL = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = [sys.executable, "-u", "-m", "touchback.cli"]
SIZE = {"width": 1360, "height": 800}


class Walk:
    """A person at the page, and a clock."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder = page, folder

    def until(self, text: str) -> None:
        """Waits for something in the page."""
        end = time.monotonic() + 60.0
        while not self.page.evaluate(f"Boolean({text})"):
            if time.monotonic() > end:
                raise SystemExit(f"It didn't happen: {text}")
            time.sleep(0.02)

    def keep(self, name: str) -> None:
        """A picture of the page, in few colours."""
        shot = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        shot.quantize(96, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)

    def place(self, body: str) -> tuple[float, float]:
        """Where a body's frame is on the screen."""
        x, y = self.page.evaluate(
            "body => { const box = bench.view.canvas.getBoundingClientRect();"
            "const [x, y] = bench.view.pixel(bench.world.at(body, [0, 0, 0]));"
            "return [box.left + x, box.top + y]; }",
            body,
        )
        return float(x), float(y)

    def see(self, address: str) -> None:
        self.page.goto(address)
        self.until("document.documentElement.dataset.ready && bench.view.painted > 0.1")

    def farther(self) -> None:
        """Farther away by the wheel: room to draw."""
        self.page.mouse.move(668, 220)
        for _ in range(3):
            self.page.mouse.wheel(0, 120)
        self.page.wait_for_timeout(300)

    def drag(self) -> None:
        x, y = self.place("head")
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x, self.place("beam")[1] + 30, steps=6)
        self.page.wait_for_timeout(800)
        self.keep("own_drag")
        self.page.mouse.up()

    def slide(self) -> None:
        slider = self.page.get_by_label("counterweight [kg]")
        slider.focus()
        slider.press("Home")
        self.until("bench.values['counterweight'] === 0.1")
        self.page.wait_for_timeout(1500)  # the head pulls the crank round, and it stays there
        self.page.get_by_label("Undo", exact=True).click()
        self.until("bench.values['counterweight'] === 2")

    def push(self) -> None:
        self.page.keyboard.press("f")  # wherever the focus is
        self.until("bench.view.tool === 'force'")
        x, y = self.place("head")
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x, y + 60, steps=6)
        self.page.mouse.up()
        self.until("bench.scene.icons?.length === 1 && bench.selected?.kind === 'icon'")
        self.page.wait_for_timeout(700)
        self.keep("own_force")

    def scope(self) -> None:
        self.page.get_by_text("+ scope").click()
        field = self.page.get_by_label("Signal or expression")
        field.type("1000 * 'head.z'")
        field.press("Enter")
        self.until(
            "bench.scopes.panes.length === 2 && bench.scopes.panes[1].scope.data?.count > 10"
        )

    def record(self) -> None:
        button = self.page.get_by_label("Record", exact=True)
        button.click()
        self.until("bench.status.recording_to")
        self.page.wait_for_timeout(3000)
        self.keep("own_scope")
        self.page.locator("button.record").click()
        self.until("!bench.status.recording_to")

    def film(self) -> None:
        (made,) = (self.folder / "recordings").glob("*.mcap")
        words = [*COMMAND, "export", str(made), "pump.html"]
        subprocess.run(words, cwd=self.folder, check=True)
        assert (self.folder / "pump.html").stat().st_size > 10_000


def timed(name: str, step: Callable[[], None]) -> None:
    start = time.monotonic()
    step()
    print(f"{name:30} {time.monotonic() - start:5.1f} s", flush=True)


def walk(folder: Path, address: str) -> None:
    with sync_playwright() as started:
        browser = launched(started)
        person = Walk(browser.new_page(viewport=SIZE), folder)  # type: ignore[arg-type]
        timed("the page shows it moving", lambda: person.see(address))
        timed("wheel", person.farther)
        timed("drag", person.drag)
        timed("slider, and undo", person.slide)
        timed("force", person.push)
        timed("scope", person.scope)
        timed("recording of 3 s", person.record)
        timed("film", person.film)
        browser.close()


def main() -> None:
    found = MODEL.search((HERE / "five_minutes.md").read_text(encoding="utf-8"))
    assert found is not None
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pump.yaml").write_text(found[1], encoding="utf-8")
        check = [*COMMAND, "check", "pump.yaml"]
        timed("touchback check", lambda: subprocess.run(check, cwd=folder, check=True) and None)
        start = time.monotonic()
        view = [*COMMAND, "view", "pump.yaml"]
        with subprocess.Popen(view, cwd=folder, stdout=subprocess.PIPE, text=True) as run:
            try:
                said = ""
                while not (address := re.search(r"http://\S+", said)):
                    said += run.stdout.readline()  # type: ignore[union-attr]
                print(f"{'touchback view: its address':30} {time.monotonic() - start:5.1f} s")
                walk(folder, address[0])
            finally:
                run.terminate()


if __name__ == "__main__":
    main()
