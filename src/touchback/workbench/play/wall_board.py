"""The virtual wall behind its page: a pointer pushes; controller, stiffness and rate are chosen."""

from __future__ import annotations

import threading

import numpy as np

from touchback import Live, live
from touchback.haptics.wall.passivity import BENCH_DEVICE
from touchback.haptics.wall.wall_mechanism import RENDERED, TICKS, rendered_wall, rendering
from touchback.realtime.control import CommandServer, Exposed
from touchback.realtime.control.command_server import OFTEN
from touchback.realtime.control.control_messages import Facts
from touchback.workbench.play import play_messages as asked
from touchback.workbench.play.piano_board import Tell, nobody

RATES = (250.0, 500.0, 1000.0, 2000.0, 4000.0)
SUBSTEPS = 2
REST = 0.01  # m outside, where the hand begins
SHOWN = ("time", "handle", "wall force", "wall gave", "hand followed")  # s, m, N, J, m


class WallBoard:
    """A handle, a hand and a wall, live, with a desk; a context manager like the piano's."""

    def __init__(self, rate: float = 1000.0, speed: float | None = 1.0) -> None:
        self.controller, self.stiffness, self.rate = "standard", 2000.0, rate
        self.tell: Tell = nobody
        self.shown = lambda row: None
        system = rendered_wall().compile()
        self.live: Live = live(
            system, system.assemble({"handle": REST}), rate=TICKS, substeps=SUBSTEPS, speed=speed,
            parameters=rendering(self.controller).parameters(system.model, self.stiffness, rate),
        )  # fmt: skip
        self.desk = CommandServer(
            self.live, Exposed(inputs=False, parameters=False, hands=False, structure=False)
        )
        self._changing = threading.Lock()
        self.desk.add(asked.Push, self._push, OFTEN)
        self.desk.add(asked.Wall, self._change, OFTEN)

    def __enter__(self) -> WallBoard:
        self.live.start()
        self.live.tap(self._rows)
        return self

    def __exit__(self, *error: object) -> None:
        self.live.stop()

    def _push(self, message: asked.Push, client: str) -> Facts:
        self.live["hand"] = message.to
        return {"tick": self.live.ticks}

    def _change(self, message: asked.Wall, client: str) -> Facts:
        """Another wall; without anything given, only what there is."""
        with self._changing:
            name = message.controller or self.controller
            chosen = rendering(name)
            stiffness = message.stiffness or self.stiffness
            rate = TICKS / round(TICKS / (message.rate or self.rate))
            if (name, stiffness, rate) != (self.controller, self.stiffness, self.rate):
                model = self.live.system.model
                self.live.change(chosen.parameters(model, stiffness, rate))
                self.controller, self.stiffness, self.rate = name, stiffness, rate
                self.tell("wall", self._facts())
            return self._facts()

    def _facts(self) -> Facts:
        return {
            "controllers": tuple(RENDERED), "controller": self.controller,
            "stiffness": self.stiffness, "rates": RATES, "rate": self.rate, "columns": SHOWN,
            "felt": rendering(self.controller).felt(self.stiffness, self.rate),
            "colgate": 2.0 * BENCH_DEVICE.damping * self.rate,
        }  # fmt: skip

    def _rows(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        """A row a sample of the wall: between them it only holds."""
        every = round(TICKS / self.rate)
        ticks = np.rint(TICKS * rows[:, columns.index("time")])
        kept = rows[ticks % every == 0.0]
        if len(kept):
            self.shown(kept[:, [columns.index(name) for name in SHOWN]])
