"""Plans for a live run: a thread beside the tick plans anew from where the model is, and the inputs
follow the newest plan; the tick takes their last values from its mailboxes, as those of any device.
"""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import TouchbackError
from touchback.planning.plan import Plan
from touchback.realtime import Live

if TYPE_CHECKING:
    from touchback.planning.mppi import MPPI

_FEED = 250.0  # values a second that an input gets, at most


class Driving:
    """Plans until it is closed, as a context manager or by `close()`. An input whose plan has run
    out gets nothing more: watch it (`WatchedInput`), and it becomes safe. What the planner raises
    is a fault of the run. `plans` counts, `seconds` has how long each took."""

    def __init__(self, planner: MPPI, live: Live) -> None:
        self._planner, self._live = planner, live
        self._plan: Plan | None = None
        self.seconds: list[float] = []
        self.oldest = 0.0  # s of the model's time: the age of the oldest plan that was used
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="touchback planner", daemon=True)
        self._thread.start()
        rate = min(_FEED, live.plan.rate)
        self._feeds = [live.connect(name, _Feed(self, name), rate) for name in planner.names]

    @property
    def plans(self) -> int:
        """How many were made."""
        return len(self.seconds)

    def value(self, name: str) -> float | None:
        """An input now; None before the first plan and after the end of the last."""
        plan, now = self._plan, self._live.read("time")
        if plan is None or now > plan.times[-1]:
            return None
        self.oldest = max(self.oldest, now - float(plan.times[0]))
        return plan.at(now)[name]

    def close(self) -> None:
        """Ends the planning; the inputs stay where they are, or become safe."""
        self._closing.set()
        self._thread.join()
        self._plan = None
        for feed in self._feeds:
            feed.close()

    def __enter__(self) -> Driving:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __str__(self) -> str:
        if not self.seconds:
            return "no plan yet"
        middle, worst = np.percentile(self.seconds, [50, 100])
        return (
            f"{self.plans} plans, {1e3 * middle:.1f} ms each (the longest {1e3 * worst:.1f} ms); "
            f"the oldest that was followed was {1e3 * self.oldest:.0f} ms old"
        )

    def _work(self) -> None:
        names = self._planner.system.state_names
        while not self._closing.is_set():
            known, message = self._live.latest()
            at = dict(zip(known, message.values.tolist(), strict=True))
            began = time.perf_counter()
            try:
                self._plan = self._planner.plan(np.array([at[n] for n in names]), at["time"])
            except TouchbackError as error:
                self._live.fail(f"The planner: {error}")
                return
            self.seconds.append(time.perf_counter() - began)


class _Feed:
    """A device that reads an input from the newest plan."""

    def __init__(self, driving: Driving, name: str) -> None:
        self._driving, self._name = driving, name

    def read(self) -> float | None:
        """As devices do."""
        return self._driving.value(self._name)
