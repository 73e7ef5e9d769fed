"""The tape and what is done with it: expressions, derivatives, text, programs, plain evaluation."""

from touchback.symbolic.differentiate import gradient, jacobian, jvp, vjp
from touchback.symbolic.expression import Expr
from touchback.symbolic.parse import parse
from touchback.symbolic.program import Program, evaluate, lower
from touchback.symbolic.scalars import Operators, Scalars
from touchback.symbolic.table import Lookup, Table, Want
from touchback.symbolic.tape import Tape
from touchback.symbolic.text import to_text
from touchback.symbolic.translate import replay

__all__ = [
    "Expr",
    "Lookup",
    "Operators",
    "Program",
    "Scalars",
    "Table",
    "Tape",
    "Want",
    "evaluate",
    "gradient",
    "jacobian",
    "jvp",
    "lower",
    "parse",
    "replay",
    "to_text",
    "vjp",
]
