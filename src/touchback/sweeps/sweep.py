"""Many runs of a function: computed by workers, kept as they end, gone on with when broken off."""

from __future__ import annotations

import inspect
import os
import secrets
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from touchback.errors import InputError
from touchback.numbers import shown, whole_within
from touchback.safe_files import path_of
from touchback.sweeps import sweep_folder, sweep_workers
from touchback.sweeps.sweep_designs import Design
from touchback.sweeps.sweep_table import Sweep, columns_of
from touchback.sweeps.sweep_task import Function, Task

if TYPE_CHECKING:
    from touchback.progress import Report

_PARTS, _LARGEST = 500, 1000  # of a sweep, and runs of each: few files, and all workers busy
_MOST_WORKERS = 1024


def sweep(
    function: Function,
    design: Design,
    *,
    out: str | os.PathLike[str],
    workers: int | None = None,
    cluster: object = None,
    progress: bool | Report = True,
) -> Sweep:
    """Runs `function(**point)` at every point of a design; each gives numbers by name.

    The runs are computed by `workers` processes of this machine (as many as it has cores), or by
    those of `cluster`: a `distributed.Client`, a cluster of dask, or the address of a scheduler.
    What each run gave is in the folder `out` (which all workers share, under the same path) as soon
    as it ends. Called again with the same function, design and folder, it computes only what isn't
    there: a run is begun again only if its process ended while it was in it. A run that raises is
    kept as failed, with its words; so is one that ended its process three times.
    """
    from touchback.progress import Progress  # slow to import, which workers needn't

    _check(function, design)
    folder = path_of(out).absolute()
    name = sweep_folder.open_folder(folder, function, design)
    tasks = _tasks(function, design, folder, name)
    missing = [task for task in tasks if len(task.stored()) < len(task)]
    count = len(design) - sum(map(len, missing))
    with (
        Progress(f"{len(design)} runs", progress) as bar,
        closing(_finished(missing, workers, cluster)) as each,
    ):
        try:
            for task in each:
                count += len(task)
                bar.update(count / len(design))
        except KeyboardInterrupt as stop:
            ended = sum(len(task.stored()) for task in tasks)
            stop.add_note(
                f"{ended} of {len(design)} runs are kept in {folder}; the same call goes on."
            )
            raise
    kept = (each for task in tasks for each in task.stored().items())
    table = Sweep(design, columns_of(design, kept), folder)
    file = folder / "runs.parquet"
    if missing or not file.exists():  # one that is done may lie where nothing can be written
        try:
            table.to_parquet(file)
        except OSError as error:
            error.add_note(f"All runs are kept in {folder}; make room, and the same call goes on.")
            raise
    return table


def _finished(
    tasks: list[Task], workers: int | None, cluster: object
) -> Generator[Task, None, None]:
    if cluster is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        sentence = f"workers must be a whole number from 1 to {_MOST_WORKERS}"
        given = (cores or 1) if workers is None else workers
        yield from sweep_workers.run_on_processes(
            tasks, whole_within(sentence, given, 1, _MOST_WORKERS)
        )
    elif workers is not None:
        raise InputError("Give workers or a cluster: a cluster has the workers that it has.")
    else:
        yield from sweep_workers.run_on_dask(tasks, cluster)


def _tasks(function: Function, design: Design, folder: Path, name: str) -> list[Task]:
    """The runs, some in a row each."""
    points, call = design.points(), secrets.token_hex(4)
    size = min(-(-len(points) // _PARTS), _LARGEST)
    return [
        Task(function, str(folder), name, call, number, first, design.names, rows)
        for number, first in enumerate(range(0, len(points), size))
        if len(rows := points[first : first + size])
    ]


def _check(function: object, design: object) -> None:
    if not isinstance(design, Design):
        raise InputError(
            "design is a Grid, LatinHypercube, Sobol, MonteCarlo or Saltelli of tb.sweeps, got "
            f"{shown(design)}."
        )
    if not callable(function):
        raise InputError(
            f"function is what is called at each point, with its parameters by name, got "
            f"{shown(function)}."
        )
    try:
        inspect.signature(function).bind(**dict.fromkeys(design.names, 0.0))
    except (TypeError, ValueError) as error:
        names = ", ".join(map(repr, design.names))
        raise InputError(f"function can't be called with the design's {names}: {error}.") from None
