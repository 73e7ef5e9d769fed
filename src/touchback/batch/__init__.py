"""`tb.batch`: many instances of a model at once, in vector registers, on threads and on a GPU."""

from touchback.batch.batch import Batch
from touchback.batch.batch_run import BatchInterrupted, BatchRun

__all__ = ["Batch", "BatchInterrupted", "BatchRun"]
