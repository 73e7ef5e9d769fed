"""Tells pages of each change of structure, whoever asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from touchback.realtime import Live
from touchback.workbench.live_source import LiveSource

if TYPE_CHECKING:
    from touchback.workbench.hub import Hub

_LOOK = 0.1  # seconds between looks


class Changes:
    """Follows the changes of the live run that a hub shows."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._live: Live | None = None
        self._known = 0
        hub.every(_LOOK, self._look)

    def _look(self) -> None:
        source = self._hub.source
        live = source.live if isinstance(source, LiveSource) else None
        if live is not self._live:
            self._live, self._known = live, len(live.structures) if live is not None else 0
        if live is not None:
            for change in live.structures[self._known :]:
                if change.state == "waiting":  # its report is being written
                    break
                self._known += 1
                self._hub.tell("structure", change.as_dict())
