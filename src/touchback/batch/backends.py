"""The back ends of batches: each says what it can run, and runs it."""

from __future__ import annotations

from typing import Protocol

from touchback.batch.batch_run import BatchRun
from touchback.batch.batch_spec import BatchSpec
from touchback.batch.gpu.gpu_executor import GpuBatch
from touchback.batch.native_per_thread import ConstrainedBatch, ContactBatch
from touchback.batch.simd import SimdBatch
from touchback.batch.threaded_simulate import ThreadedSimulate
from touchback.progress import Progress


class Backend(Protocol):
    """A way to run many instances of a system. It holds nothing of a run."""

    def can(self, spec: BatchSpec) -> str | None:
        """Why it can't run this; None where it can."""

    def run(self, spec: BatchSpec, shown: Progress) -> BatchRun:
        """All instances, each as a run of its own would be. `shown` gets the fraction done;
        raises `BatchInterrupted`, with what is done, after Ctrl-C."""


GPU = GpuBatch()

#: The first that can run a batch does: what is quick before what can do everything.
BACKENDS: tuple[Backend, ...] = (
    GPU,
    SimdBatch(),
    ConstrainedBatch(),
    ContactBatch(),
    ThreadedSimulate(),
)


def backend_for(spec: BatchSpec) -> Backend:
    """The first of the table that can run it; the last runs whatever the processor can."""
    return next(each for each in BACKENDS if each.can(spec) is None)
