"""Scopes: signals, and expressions of them, of live runs and recordings, decimated honestly."""

from touchback.workbench.scopes.buckets import Buckets, bucketed
from touchback.workbench.scopes.history import History
from touchback.workbench.scopes.pairs import thinned
from touchback.workbench.scopes.recorded import Recorded
from touchback.workbench.scopes.spectrum import Spectrum, spectrum
from touchback.workbench.scopes.stream import Stream
from touchback.workbench.scopes.traces import check_traces, values_of

__all__ = [
    "Buckets",
    "History",
    "Recorded",
    "Spectrum",
    "Stream",
    "bucketed",
    "check_traces",
    "spectrum",
    "thinned",
    "values_of",
]
