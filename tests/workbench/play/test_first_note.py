"""From `touchback play` to a note: the command in a process of its own, its page in Chromium."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.workbench.browser import until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SOUNDS = (
    "(() => { const a = play.sound.analyser; if (!a) return false;"
    "const s = new Float32Array(a.fftSize); a.getFloatTimeDomainData(s);"
    "return s.some(x => Math.abs(x) > 1e-3); })()"
)


def test_the_first_touch_is_heard_and_the_run_ends_when_nobody_is_there(chromium: Browser) -> None:
    command = [sys.executable, "-u", "-m", "touchback.cli", "play", "--patience", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        try:
            said = ""
            while not (found := re.search(r"http://\S+", said)):
                said += run.stdout.readline()
                assert run.poll() is None, said
            page = chromium.new_page()
            page.goto(found.group(0))
            until(lambda: page.evaluate("Boolean(window.play?.keys && play.playing === false)"))
            until(lambda: page.evaluate("Boolean(play.sound.tables.get('struck 64')?.ready)"))
            assert not page.evaluate("play.sound.on")
            box = page.locator('[data-note="64"]').bounding_box()
            assert box is not None
            page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.7 * box["height"])
            page.mouse.down()  # once: it turns the sound on, and plays
            until(lambda: page.evaluate(SOUNDS))
            page.mouse.up()
            page.close()
            said += run.communicate(timeout=60)[0]
        finally:
            run.kill()
    assert run.returncode == 0
    assert "Live run of '13 ×" in said and "lateness" in said
    # the passage, of which a machine that stands still for a while loses some, and the touch
    notes = re.findall(r"\d s +([A-G]\S+) ", said)
    assert len(notes) >= 13 and notes[-1] == "E4" and f"{len(notes)} notes were heard" in said
