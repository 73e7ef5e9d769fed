"""`tb.fleet`: many at once, batches of instances in vector registers and on threads."""

from touchback.fleet.batch import Batch
from touchback.fleet.batch_run import BatchInterrupted, BatchRun

__all__ = ["Batch", "BatchInterrupted", "BatchRun"]
