"""Workers as processes of this machine. One that is killed is replaced, and what it was at is asked
for again; the others go on.

Workers of a dask cluster, which others started and which stays when a sweep ends.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from touchback.errors import InputError, SolveError
from touchback.numbers import shown
from touchback.sweeps.sweep_task import TRIES, Task, carry_function, compute, stopped

if TYPE_CHECKING:
    from distributed import Client, Future


_BEGUN, _DONE = "begun", "done"  # what workers say; all else is an error's words


class _Worker:
    """A process that computes one task after the other."""

    def __init__(self, context: Any) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends when the worker does
        self.task: Task | None = None
        self.begun = False

    def heard(self) -> str | None:
        """What it says, or nothing when it has died."""
        try:
            return str(self.pipe.recv())
        except (EOFError, ConnectionError):
            return None

    def give(self, task: Task) -> None:
        self.task = task
        try:
            self.pipe.send(task)
        except (BrokenPipeError, ConnectionError):
            return  # it has died, which its end of the pipe tells

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self.pipe.close()


@dataclass
class _Unborn:
    """How many workers may die before they begin: of a script that can't be imported all do, and
    none has begun. After one has, somebody killed them."""

    left: int = 0


def run_on_processes(tasks: Sequence[Task], workers: int) -> Iterator[Task]:
    """Each task when it is computed; when nobody asks for the next any more, workers end."""
    if not tasks:
        return
    _check_found(tasks[0])
    todo, deaths = deque(tasks), dict.fromkeys((task.number for task in tasks), 0)
    unborn = _Unborn()
    context = multiprocessing.get_context(_way_to_start())
    crew = [_Worker(context) for _ in range(min(workers, len(tasks)))]
    try:
        while todo or any(worker.task is not None for worker in crew):
            for pipe in wait([worker.pipe for worker in crew]):
                worker = next(each for each in crew if each.pipe is pipe)
                said, task = worker.heard(), worker.task
                if said is None:
                    _count_death(worker, deaths, unborn)
                    todo.extendleft([] if task is None else [task])
                    worker.end()
                    crew[crew.index(worker)] = _Worker(context)
                    continue
                if said not in (_BEGUN, _DONE):
                    raise stopped(said)
                worker.begun, unborn.left = True, TRIES
                worker.task = None
                if todo:
                    worker.give(todo.popleft())
                if task is not None:
                    yield task
    finally:
        for worker in crew:
            worker.end()


def _way_to_start() -> str:
    """Never by forking this process, whose threads and locks a copy would not have."""
    ways = multiprocessing.get_all_start_methods()
    return "forkserver" if "forkserver" in ways else "spawn"


def _check_found(task: Task) -> None:
    try:
        pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"The function of a sweep must be found by other processes ({error}): define it with "
            "`def` in a module or script, not inside another function."
        ) from None


def _count_death(worker: _Worker, deaths: dict[int, int], unborn: _Unborn) -> None:
    """Refuses to go on where each worker dies before it computes anything; deaths in runs are at
    most `TRIES` each, and one that has nothing to do any more is simply replaced."""
    task = worker.task
    unborn.left -= not worker.begun
    if unborn.left < 0:
        raise SolveError(
            "A worker of the sweep ended before it began. A script that sweeps calls tb.sweep "
            'under `if __name__ == "__main__":`, since workers import it.'
        )
    if task is None:
        return
    deaths[task.number] += 1
    if deaths[task.number] > TRIES * (len(task) + 1):
        raise SolveError(
            f"Workers die before they compute runs {task.first} to {task.first + len(task) - 1}: "
            "import the function's module in a fresh Python to see why."
        )


def _serve(pipe: Connection) -> None:
    """In a worker: tasks until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's, who ends workers
    pipe.send(_BEGUN)
    while True:
        try:
            compute(pipe.recv())
            pipe.send(_DONE)
        except (EOFError, ConnectionError):
            return
        except (AttributeError, ImportError) as error:
            pipe.send(f"workers don't find its function, which is to be in a file ({error})")
        except Exception as error:  # not of a run: of the disk
            pipe.send(f"{type(error).__name__}: {error}")


def run_on_dask(tasks: Sequence[Task], cluster: object) -> Iterator[Task]:
    """Each task when it is computed. A task whose workers were killed is asked for again."""
    distributed = _distributed()
    if tasks:  # of one function
        function = carry_function(tasks[0].function)
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
