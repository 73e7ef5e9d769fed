"""The tape and what is done with it: expressions, derivatives, programs, plain evaluation."""

from touchback.symbolic.dual import Dual
from touchback.symbolic.evaluate import evaluate
from touchback.symbolic.expression import Expr
from touchback.symbolic.program import Program, lower
from touchback.symbolic.replay import replay
from touchback.symbolic.scalars import Operators, Scalars
from touchback.symbolic.table import Lookup, Table, Want
from touchback.symbolic.tape import Tape

__all__ = [
    "Dual",
    "Expr",
    "Lookup",
    "Operators",
    "Program",
    "Scalars",
    "Table",
    "Tape",
    "Want",
    "evaluate",
    "lower",
    "replay",
]
