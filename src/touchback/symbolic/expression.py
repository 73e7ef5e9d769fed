"""Expressions: nodes of a tape, written with Python's operators and NumPy's functions."""

from touchback.errors import InputError
from touchback.symbolic.expression_text import to_text
from touchback.symbolic.lookup_table import Table, Want
from touchback.symbolic.operator_overloading import Operand
from touchback.symbolic.tape import Tape


class _NoNumberYet(InputError, TypeError):
    """Where Python wants a number of an expression; a TypeError, as whoever tries expects it."""


class Expr(Operand):
    """A value on a tape. Arithmetic gives expressions; comparisons give conditions for `select`.

    `==` asks whether two expressions are the same node, so that expressions can be keys and frozen
    data that holds them can be compared; `a.equals(b)` is the condition that the values are equal.
    """

    __slots__ = ("id", "tape")

    def __init__(self, tape: Tape, id: int) -> None:
        self.tape = tape
        self.id = id

    def apply(self, name: str, *operands: object) -> "Expr":
        """The named method of the tape on these operands; numbers become constants."""
        return Expr(self.tape, getattr(self.tape, name)(*map(self._lift, operands)))

    def _lift(self, operand: object) -> object:
        if isinstance(operand, Expr):
            if operand.tape is not self.tape:
                raise InputError(
                    f"{self} and {operand} belong to different models: "
                    "an expression can only use parameters, inputs and coordinates of one model."
                )
            return operand.id
        if operand is None or isinstance(operand, Table | Want):
            return operand
        if not hasattr(operand, "__float__"):
            raise InputError(f"{operand!r} can't be combined with {self}: it is no number.")
        return self.tape.const(float(operand))

    def equals(self, other: float | Operand) -> "Expr":
        """The condition that the values are equal."""
        return self.apply("equal", self, other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expr) and self.tape is other.tape and self.id == other.id

    def __hash__(self) -> int:
        return hash((id(self.tape), self.id))

    def __bool__(self) -> bool:
        raise InputError(
            f"{self} has no truth value: it is only known when the model runs. "
            "Use tb.select(condition, yes, no), `&`, `|`, `~`, tb.minimum, tb.maximum and tb.clip "
            "instead of `if`, `and`, `or`, `not`, `min` and `max`, also on arrays of expressions."
        )

    def __float__(self) -> float:
        raise _NoNumberYet(
            f"{self} is no number yet: it is only known when the model runs. Use tb.sin, tb.sqrt "
            "and their like, or NumPy's functions, instead of those of `math`."
        )

    @property
    def value(self) -> float | None:
        """The number, where the expression is a constant; else None."""
        return self.tape.value(self.id)

    def __str__(self) -> str:
        definitions, texts = to_text(self.tape, [self.id], table=lambda _: "table")
        shared = ", ".join(f"{name} = {text}" for name, text in definitions.items())
        text = f"{texts[0]} where {shared}" if shared else texts[0]
        return text if len(text) <= 200 else f"{text[:199]}…"

    def __repr__(self) -> str:
        return f"Expr({self})"
