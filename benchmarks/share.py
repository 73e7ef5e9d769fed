"""Shared files: how large they are, and what a step costs in the browser and in this process."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import touchback as tb
from benchmarks.report import Section
from touchback import gallery, workbench

if TYPE_CHECKING:
    from playwright.sync_api import Page

MODELS = ("pendulum", "slider-crank", "crank-rocker", "stewart-platform")
_SECONDS, _STEP, _ROUNDS, _STEPS = 5.0, 1e-3, 20, 1000
_TIMED = f"""async () => {{
  await bench.send({{ do: "pause" }}); await bench.send({{ do: "fork" }}); await bench.send({{ do: "pause" }});
  const found = [];
  for (let k = 0; k < {_ROUNDS}; k++) {{
    await bench.send({{ do: "reset" }});
    const began = performance.now();
    bench.model.exports.step({_STEPS});
    found.push(1e3 * (performance.now() - began) / {_STEPS});
  }}
  return found;
}}"""  # noqa: E501


def run() -> Section:
    """Of some mechanisms of the gallery five seconds of a run."""
    section = Section(
        "Shared files (5 s of a run, a step of 1 ms by rk4)",
        ["model", "file", "packed run", "module", "µs a step, browser", "native"],
    )
    if not all(map(shutil.which, ("chromium", "clang", "wasm-ld"))):
        section.remark("Skipped: Chromium, clang or wasm-ld isn't installed.")
        return section
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started, tempfile.TemporaryDirectory() as place:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name in MODELS:
            row = _measured(browser.new_page(), name, Path(place))
            section.rows.append([name, *(f"{each / 1e3:.0f} kB" for each in row[:3]),
                                 *(f"{each:.1f}" for each in row[3:])])  # fmt: skip
            section.records.append({"model": name, **dict(zip(section.columns[1:], row))})
        browser.close()
    section.remark(f"Least of {_ROUNDS} rounds; the page draws nothing meanwhile.")
    return section


def _measured(page: Page, name: str, folder: Path) -> list[float]:
    entry = gallery.entry(name)
    system = entry.make().compile()
    start = entry.experiment.start(system)

    def computed(output_step: float) -> tb.Run:
        return tb.simulate(
            system, start, _SECONDS, method="rk4", step=_STEP, output_step=output_step,
            inputs=dict(entry.experiment.inputs), progress=False,
        )  # fmt: skip

    native = []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        computed(_SECONDS)
        native.append(1e6 * (time.perf_counter() - began) * _STEP / _SECONDS)
    run = computed(_STEP)
    sizes = []
    for runs in (False, True):
        path = folder / f"{name}.html"
        workbench.share(run, path, runs=runs)
        sizes.append(path.stat().st_size)
    page.goto(path.as_uri())
    page.wait_for_function("document.documentElement.dataset.ready")
    module = page.evaluate("bench.part('model').byteLength")
    page_alone = path.read_text().index('id="content">')
    browser = min(page.evaluate(_TIMED))
    return [sizes[1], sizes[0] - page_alone, module, browser, min(native)]
