"""The tape and what is done with it: expressions, derivatives, text, programs, plain evaluation."""

from touchback.symbolic.differentiate import gradient, jacobian, jvp, vjp
from touchback.symbolic.dimensional_analysis import (
    UNKNOWN as UNKNOWN,
    Dimensions as Dimensions,
    Quantity as Quantity,
    quantity_of as quantity_of,
)
from touchback.symbolic.expression import Expr
from touchback.symbolic.expression_parser import parse
from touchback.symbolic.expression_text import (
    FUNCTIONS as FUNCTIONS,
    LOOKUPS as LOOKUPS,
    NUMBERS as NUMBERS,
    Notation as Notation,
    quoted as quoted,
    to_text,
)
from touchback.symbolic.fma_chains import fuse_sums as fuse_sums
from touchback.symbolic.lookup_table import Lookup, Table, Want
from touchback.symbolic.math_functions import (
    atan2 as atan2,
    cos as cos,
    select as select,
    sin as sin,
)
from touchback.symbolic.operation_count import (
    Counts as Counts,
    Depth as Depth,
    count_tape as count_tape,
    depth as depth,
)
from touchback.symbolic.operator_overloading import call as call
from touchback.symbolic.ops import (
    ADD as ADD,
    COMMUTES as COMMUTES,
    CONST as CONST,
    COS as COS,
    DIV as DIV,
    EQ as EQ,
    FMA as FMA,
    FMS as FMS,
    FNMA as FNMA,
    INPUT as INPUT,
    LOOKUP1 as LOOKUP1,
    LOOKUP2 as LOOKUP2,
    MUL as MUL,
    SIN as SIN,
    SQRT as SQRT,
    SUB as SUB,
)
from touchback.symbolic.parameter_stages import split as split, split_many as split_many
from touchback.symbolic.program import ARRAYS as ARRAYS, Place as Place, Program, evaluate, lower
from touchback.symbolic.program_listing import (
    listing as listing,
    name_values as name_values,
    number_tables as number_tables,
    operands as operands,
)
from touchback.symbolic.scalars import Operators, Scalars
from touchback.symbolic.sincos import (
    COS_COEFFICIENTS as COS_COEFFICIENTS,
    LIMIT as LIMIT,
    MAGIC as MAGIC,
    PI_HALF as PI_HALF,
    SIN_COEFFICIENTS as SIN_COEFFICIENTS,
    TWO_OVER_PI as TWO_OVER_PI,
)
from touchback.symbolic.switching_times import (
    PositionCells as PositionCells,
    Switches as Switches,
    cells_in as cells_in,
    kinks as kinks,
    parameters_in_time as parameters_in_time,
    switches_in as switches_in,
)
from touchback.symbolic.tape import Alike as Alike, Tape
from touchback.symbolic.tape_replay import Translator as Translator, replay
from touchback.symbolic.time_nonlinearity import is_nonlinear_in_time as is_nonlinear_in_time

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "loop_rolling",
    "operation_count",
)

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
