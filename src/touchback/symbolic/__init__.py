"""The tape and what is done with it: simplification, programs, evaluation."""

from touchback.symbolic.evaluate import evaluate
from touchback.symbolic.program import Program, lower
from touchback.symbolic.table import Lookup, Table, Want
from touchback.symbolic.tape import Tape

__all__ = ["Lookup", "Program", "Table", "Tape", "Want", "evaluate", "lower"]
