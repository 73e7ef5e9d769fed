"""The browser that pictures of pages are taken with."""

import shutil

from playwright.sync_api import Browser, Playwright


def launched(started: Playwright) -> Browser:
    """Chromium without a graphics card, which paints all but WebGL without GL: fastest so."""
    return started.chromium.launch(
        executable_path=shutil.which("chromium"),
        args=[
            "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
            "--disable-gpu-compositing", "--disable-gpu-rasterization",
            "--disable-accelerated-2d-canvas",
        ],
    )  # fmt: skip
