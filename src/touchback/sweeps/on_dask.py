"""Workers of a dask cluster, which others started and which stays when a sweep ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from touchback.errors import InputError
from touchback.numbers import shown
from touchback.sweeps.carried import carried
from touchback.sweeps.task import TRIES, Task, compute, stopped

if TYPE_CHECKING:
    from distributed import Client, Future


def finished(tasks: Sequence[Task], cluster: object) -> Iterator[Task]:
    """Each task when it is computed. A task whose workers were killed is asked for again."""
    distributed = _distributed()
    if tasks:  # of one function
        function = carried(tasks[0].function)
        tasks = [replace(task, function=function) for task in tasks]
    client = cluster if isinstance(cluster, distributed.Client) else _connected(cluster)
    asked: dict[Any, Task] = {}
    losses = dict.fromkeys((task.number for task in tasks), 0)
    try:
        asked = {_submitted(client, task, 0): task for task in tasks}
        arriving = distributed.as_completed(list(asked))
        for future in arriving:
            task = asked.pop(future)
            if _lost(future):
                losses[task.number] += 1
                if losses[task.number] > TRIES * (len(task) + 1):
                    raise stopped(f"its workers die, at run {task.first} or after")
                again = _submitted(client, task, losses[task.number])
                asked[again] = task
                arriving.add(again)
                continue
            yield task
    finally:
        client.cancel(list(asked))
        if client is not cluster:
            client.close()


def _submitted(client: Client, task: Task, losses: int) -> Future[None]:
    key = f"touchback-sweep-{task.sweep}-{task.call}-{task.number}-{losses}"
    return client.submit(compute, task, key=key, pure=False)


def _lost(future: Any) -> bool:
    """Whether workers were killed at it; raises what else went wrong."""
    from distributed import KilledWorker

    if future.status == "finished":
        return False
    if future.status != "error":
        raise stopped(f"the cluster gave a part of it up ({future.status})")
    error = future.exception()
    if isinstance(error, KilledWorker):
        return True
    raise stopped(f"{type(error).__name__}: {error}")


def _connected(cluster: object) -> Client:
    """A client of a cluster, or of a scheduler at an address."""
    try:
        return _distributed().Client(cluster)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            "cluster is a distributed.Client, a cluster of dask, or the address of a scheduler "
            f"such as 'tcp://host:8786', got {shown(cluster)}: {error}"
        ) from None


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError(
            "A sweep on a cluster needs dask.distributed; install it with "
            "`pip install touchback[cluster]`."
        ) from None
    return distributed
