"""Progress of runs that take more than a second."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress as Bar,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from touchback.errors import InputError
from touchback.numbers import shown

PATIENCE = 1.0  # seconds before a bar appears
Report = Callable[[float], None]


class Progress:
    """Shows how much of a run is done: a bar on a terminal, or a function of the fraction."""

    def __init__(self, label: str, show: bool | Report) -> None:
        if not (isinstance(show, bool) or callable(show)):
            raise InputError(
                "progress is True for a bar, False for none, or a function of the fraction that is "
                f"done, got {shown(show)}."
            )
        self._label = label
        self._report: Report | None = None if isinstance(show, bool) else show
        self._wanted = show is True
        self._began = time.monotonic()
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def update(self, fraction: float) -> None:
        if self._report is not None:
            self._report(fraction)
        if self._bar is None and self._wanted and time.monotonic() - self._began > PATIENCE:
            self._start()
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=fraction)

    def _start(self) -> None:
        self._wanted = False
        console = Console(stderr=True)
        if console.is_terminal:
            text = TextColumn("{task.description}", markup=False)
            columns = (text, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
            self._bar = Bar(*columns, console=console, transient=True)
            self._bar.add_task(self._label, total=1.0)
            self._bar.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
