# ruff: noqa: E501 (expressions of the page read better in one line)
"""A swing whose every number is known, for tests of scopes and sliders on a page."""

from __future__ import annotations

import math

import touchback as tb
from tests.workbench.browser import Seat, until

HERTZ, AMPLITUDE = 5.0, 0.1


def swing() -> tb.Model:
    """A mass on a spring, x = 0.1 cos(2π 5 Hz t), and an input with its echo."""
    m = tb.Model("swing", gravity=(0, 0, 0))
    body = m.body("mass", mass=1.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body, position=AMPLITUDE)
    stiffness = m.parameter(
        "stiffness", (2 * math.pi * HERTZ) ** 2, unit="N/m", min=0.0, max=5000.0
    )
    damping = m.parameter("damping", 0.0, unit="N s/m", min=0.0, max=10.0)
    x, v = m.coordinate("slide"), m.rate("slide")
    m.force("spring", tb.JointEffort("slide", -stiffness * x - damping * v))
    m.sensor("echo", tb.Signal(m.input("push", unit="N"), "N"))
    return m


def until_page(page: Seat, expression: str) -> None:
    until(lambda: page.ask(expression))


def show(page: Seat, kind: str, *signals: str) -> None:
    """One scope, of a kind, with signals."""
    page.ask(
        "([kind, signals]) => { for (const pane of [...bench.scopes.panes]) bench.scopes.remove(pane);"
        "bench.scopes.add({ kind, signals }); }",
        kind, list(signals),
    )  # fmt: skip
