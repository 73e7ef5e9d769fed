"""The scopes of a live run: its rows are tapped from when its page was opened to its end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from touchback.draw.state_graph import state_graph_svg
from touchback.realtime import Live
from touchback.realtime.control import Desk, Message
from touchback.recording.live_about import HEAD_UNITS
from touchback.system import System
from touchback.workbench.scopes.history import History
from touchback.workbench.scopes.port import Facts, ScopePort, Source


class Graph(Message, frozen=True):
    """Asks for the state graph as SVG, and the modes of each group by the state that has their
    number."""


class LiveScopes:
    """Joins the scopes to a run's desk. `send(client, frame, stream)` gives a page a frame."""

    def __init__(
        self,
        live: Live,
        desk: Desk,
        send: Callable[[str, bytes], None],
        recordings: Callable[[str], Source] | None = None,
    ) -> None:
        self.live, self.history = live, History(live.plan.rate)
        self.history.expect(live.columns, units_of(live.system))
        self.port = ScopePort(self.history, send, recordings)
        self.port.join(desk)
        desk.add(Graph, lambda asked, client: graph_facts(live.system), any_time=True)
        self._columns: tuple[str, ...] = ()
        self._units: dict[str, str] = {}
        self._tap = live.tap(self._take)

    def _take(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        if columns != self._columns:
            self._columns, self._units = columns, units_of(self.live.system)
        self.history.take(columns, rows, self._units)

    def close(self) -> None:
        """Ends the tap."""
        self._tap.close()


def units_of(system: System) -> dict[str, str]:
    """The units of a run's columns."""
    found = dict(HEAD_UNITS)
    for names, units in (
        (system.input_names, system.input_units),
        (system.state_names, system.state_units),
        (system.output_names, system.output_units),
    ):
        found |= dict(zip(names, units))
    return found


def graph_facts(system: System) -> Facts:
    """The picture of a system's modes; nothing where it has none."""
    if system.names or not system.modes:
        return {"svg": "", "groups": {}}
    groups = {state: list(modes) for state, modes in system.modes.items()}
    return {"svg": state_graph_svg(system.model), "groups": groups}
