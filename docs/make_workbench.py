"""Pictures of docs/workbench.md that show the page: `PYTHONPATH=. python docs/make_workbench.py`.

`joint`: the weld of a crank is taken back; `space`: a platform on six legs.
"""

import io
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from docs.chromium import launched
from tests.workbench.table import table
from touchback import gallery, workbench

PICTURES = Path(__file__).parent / "pictures" / "workbench"
PATIENCE = 60_000  # ms


def keep(page: Page, name: str) -> None:
    """A picture of the page, in few colours."""
    shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shot.quantize(128, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def see(page: Page, address: str) -> None:
    """Opens a page and waits until it has run a little."""
    page.goto(address)
    while not page.evaluate("document.documentElement.dataset.ready && bench.view.painted > 0.5"):
        page.wait_for_timeout(50)


def joint(page: Page) -> None:
    with workbench.open(table()) as bench:
        see(page, bench.url)
        page.locator('[data-part="joint crank"]').click()
        page.locator('[data-act="weld"]').click()
        page.locator('[data-fact="freedoms"]', has_text="2 → 1").wait_for(timeout=PATIENCE)
        page.locator('[data-act="undo"]').click()
        page.locator('[data-fact="freedoms"]', has_text="1 → 2").wait_for(timeout=PATIENCE)
        page.locator('[data-act="undo"]').scroll_into_view_if_needed()
        page.wait_for_timeout(3000)  # some seconds in the scope
        keep(page, "joint")


def space(page: Page) -> None:
    with workbench.open(gallery.make("stewart-platform")) as bench:
        see(page, bench.url)
        page.locator('[data-part="body plate"]').click()
        page.wait_for_timeout(2000)
        keep(page, "space")


if __name__ == "__main__":
    with sync_playwright() as started:
        browser = launched(started)
        for picture, size in ((joint, (1360, 800)), (space, (1360, 800))):
            opened = browser.new_context(viewport={"width": size[0], "height": size[1]})
            picture(opened.new_page())
            opened.close()
        browser.close()
