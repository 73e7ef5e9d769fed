"""The runs behind a page, all of which its emergency stop reaches."""

from __future__ import annotations

from collections.abc import Callable

from touchback.realtime import Live

Mark = tuple[int, dict[int, int]]
"""How often everything, and each run by itself, was stopped before."""


class Runs:
    """The run that a page shows or goes back to, those whose place forks took, and a fork that is
    being made. From any thread, without a lock: nobody may be kept from stopping."""

    def __init__(self) -> None:
        self._runs: tuple[Live, ...] = ()
        self._stops = 0
        self.changed: Callable[[list[int]], None] = lambda numbers: None
        """Told of the `emergency_number` of each, whenever there are others."""

    def add(self, live: Live) -> None:
        """One more; none twice."""
        self._runs = (*(each for each in self._runs if each is not live), live)
        self.changed(self.numbers)

    def remove(self, live: Live) -> None:
        """One that is the page's no more."""
        self._runs = tuple(each for each in self._runs if each is not live)
        self.changed(self.numbers)

    @property
    def numbers(self) -> list[int]:
        """By which they are stopped without Python."""
        return [live.emergency_number for live in self._runs]

    def stop(self) -> bool:
        """An emergency stop of all that run; whether there are any."""
        self._stops += 1  # first: a fork that isn't among them yet looks at it afterwards
        found = [live for live in self._runs if runs(live)]
        for live in found:
            live.emergency_stop()
        return bool(found)

    def mark(self) -> Mark:
        """What to compare with later."""
        return self._stops, {id(live): live.stops for live in self._runs if runs(live)}

    def stopped_since(self, mark: Mark) -> bool:
        """Whether a stop came, by a page, or by whoever else holds one of the runs."""
        stops, each = self.mark()
        return stops != mark[0] or any(each.get(key, n) != n for key, n in mark[1].items())


def runs(live: Live) -> bool:
    """Whether it was started and hasn't ended."""
    return live.state in ("running", "paused")
