"""Scopes: signals, and expressions of them, of live runs and recordings, decimated honestly."""

from touchback.workbench.scopes.decimation import Buckets, bucketed
from touchback.workbench.scopes.scope_port import Spectrum, Stream, spectrum, thinned
from touchback.workbench.scopes.signal_history import History, Recorded
from touchback.workbench.scopes.trace_expressions import check_traces, values_of

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
