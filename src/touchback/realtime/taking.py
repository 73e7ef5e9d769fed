"""Recording a live run from any tick on, and to any tick."""

from __future__ import annotations

import math
import os
import time
from dataclasses import replace

import numpy as np

from touchback.errors import InputError
from touchback.native.live.layout import ROW_HEAD
from touchback.numbers import number_within
from touchback.realtime.ending import to_its_end
from touchback.realtime.record import describe
from touchback.realtime.restructure import Restructured
from touchback.realtime.take import Beginning, Take, start_of
from touchback.recording.live_about import StartData
from touchback.regular_file import check_output

_PATIENCE = 0.5  # seconds that a structure may take to its first tick


class Taking(Restructured):
    """A run that can be recorded for a while."""

    def record(self, path: str | os.PathLike[str], limit: float = math.inf) -> Take:
        """Records into an MCAP file from the next tick on, until `end_record`, the end of the run,
        or until the file has `limit` bytes, which is looked at when a chunk ends, and noted by the
        run; besides what `record=` keeps. The motion doesn't depend on it, and `tb.replay` gives
        the same bits as of a whole recording."""
        self._check_running()
        check_output(path, (".mcap",), "record")
        sentence = "record: the limit of a file must be a positive number of bytes"
        limit = number_within(sentence, limit, 1.0)
        self._await_a_row()
        with self.keeping:
            row = self._begun() if self._keeper.last_row is None else self._keeper.last_row
            take = Take(
                path, self._beginning(row), self._beginning, lambda: self._loop.note(), limit
            )
            self._keeper.takes.append(take)
        return take

    def _beginning(self, row: np.ndarray, noted: StartData | None = None) -> Beginning:
        """What a recording that begins after the tick of a row says of itself; with what the run
        has `noted` of that tick."""
        start = ROW_HEAD + len(self.system.input_names)
        x = row[start : start + len(self.system.state_names)]
        version = int(row[3])
        known = self._parameters.changes.get(version)
        values = self._parameters.values if known is None else known.values
        plan = replace(self.plan, solver=replace(self.plan.solver, substeps=int(row[5])))
        about = describe(self.system, x, plan, values, start=noted or start_of(self._loop, row))
        return Beginning(row.copy(), about, version)

    def end_record(self, take: Take) -> None:
        """Finishes what `record` began."""
        to_its_end(self._drain)
        with self.keeping:
            if take not in self._keeper.takes:
                raise InputError(f"{take.path} isn't being recorded any more.")
            self._keeper.takes.remove(take)
            take.close()

    def _await_a_row(self) -> None:
        """Until a structure's first tick; not for long: a run that is paused has none."""
        until = time.monotonic() + _PATIENCE
        while self._keeper.last_row is None and time.monotonic() < until:
            to_its_end(self._drain)
            if self.plan.speed is None:
                break
            time.sleep(1e-3)

    def _begun(self) -> np.ndarray:
        """What a structure without a tick begins with; of others the loop's own would be read
        while ticks write it."""
        loop = self._loop
        begun = [loop.struct.tick, loop.struct.run.t0 + loop.struct.run.steps * loop.struct.run.h,
                 0, loop.struct.version, 0, loop.struct.steps_per_tick, 0, 0, 0]  # fmt: skip
        known = np.concatenate([begun, loop.u[1:], loop.x])
        later = int(loop.struct.ring.width) - len(known)  # outputs and energies: a tick's
        return np.concatenate([known, np.full(later, np.nan)])
