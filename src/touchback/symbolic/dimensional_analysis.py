"""Dimensional analysis of a tape: which dimension each expression has, by those of its symbols.

Numbers that are written in an expression have no unit of their own. Beside a quantity, as in a sum
or a comparison, a number has the quantity's. As a factor it may be a plain number (`r/2`) or a
quantity that nobody named (a gain, a density): so an expression with such factors is *certain* only
where it is made of parameters alone and the factor is a simple fraction or a multiple of π. What is
not certain is never refused. Nor is a law that adds positions and velocities, or lengths and
angles: its gains are 1; but it is *doubtful*, and refused where a place is meant, which has no
gains. Nor are lengths and times with a factor where a mass is meant: 2 may be that of a metre.

An angle has no dimension, so that r φ is a length. What certainly is an angle and nothing else (φ,
φ + 1, atan2(y, x), but not 2 φ, where 2 may be a radius) is known as such.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from touchback.symbolic import ops
from touchback.symbolic.tape import Tape
from touchback.units import NONE, Dimension, same_dimension, text_of

Source = Literal["parameter", "input", "motion"]
_SIMPLE = 4, 12  # numerators and denominators up to these are plain numbers
_KG, _S = 0, 2  # the places of mass and time among the bases
_LENGTH: Dimension = (0.0, 1.0, *NONE[2:])
_SAME_AS_OPERAND = (ops.NEG, ops.ABS, ops.FLOOR)
_PURE_ARGUMENT = (
    ops.SIN, ops.COS, ops.ASIN, ops.ACOS, ops.EXP, ops.LOG, ops.SINH, ops.COSH, ops.TANH,
)  # fmt: skip
_SUMS = {
    ops.ADD: "added", ops.SUB: "subtracted", ops.MIN: "compared", ops.MAX: "compared",
    ops.LT: "compared", ops.LE: "compared", ops.EQ: "compared", ops.ATAN2: "two sides of an angle",
}  # fmt: skip


@dataclass(frozen=True)
class Quantity:
    """What is known of an expression: its `dimension` (None: nothing), the symbols with a declared
    unit that it is made of, what it depends on, its factors that are numbers, what is wrong, and
    what is wrong of a place."""

    dimension: Dimension | None = None
    names: tuple[str, ...] = ()
    still: bool = True  # made of parameters alone
    moving: bool = False  # depends on coordinates, states, sensors or time
    factors: int = 0  # 0: none, 1: plain numbers, 2: others
    is_number: bool = False
    problem: str = ""
    doubt: str = ""
    angle: bool = False  # certainly one, and nothing else

    @property
    def certain(self) -> bool:
        """Whether its dimension doesn't hang on what the numbers in it mean."""
        return self.dimension is not None and (
            self.factors == 0 or (self.factors == 1 and self.still)
        )

    @property
    def kinematic(self) -> bool:
        """Whether it is of lengths, angles and times that move: its gains may be 1."""
        return self.moving and self.dimension is not None and _of_motion(self)

    def contradicts(self, wanted: Dimension) -> bool:
        """Whether it certainly is no quantity of this dimension."""
        if self.dimension is None or not (self.names and self.certain):
            return False
        gain = self.moving or self.factors  # which may be a mass by length, or a stiffness
        if gain and wanted[_KG] and _of_motion(self):
            return False
        return not same_dimension(self.dimension, wanted)

    @property
    def is_rate(self) -> bool:
        """Whether it certainly is of velocities, and so no place."""
        return (
            self.moving and self.certain and _of_motion(self) and (self.dimension or NONE)[_S] < 0
        )

    @property
    def is_length(self) -> bool:
        """Whether it certainly is a length, and so no angle."""
        return self.dimension == _LENGTH and self.certain

    def assumes_gains(self, wanted: Dimension) -> bool:
        """Whether it is of positions and rates alone where something else is meant, so that their
        gains are 1 in units that nobody named."""
        if self.doubt or self.dimension is None:
            return bool(self.doubt)
        return self.kinematic and self.certain and not same_dimension(self.dimension, wanted)


NUMBER = Quantity(is_number=True)
UNKNOWN = Quantity()


def quantity_of(
    name: str, source: Source, dimension: Dimension | None, declared: bool, angle: bool
) -> Quantity:
    """That of a symbol."""
    named = (name,) if declared and dimension is not None else ()
    return Quantity(dimension, named, source == "parameter", source == "motion", angle=angle)


class Dimensions:
    """The quantities of a tape's nodes, each found once; `symbol` gives that of a name."""

    def __init__(self, tape: Tape, symbol: Callable[[Hashable], Quantity]) -> None:
        self._tape, self._symbol = tape, symbol
        self._known: dict[int, Quantity] = {}

    def __call__(self, node: int) -> Quantity:
        """That of a signed node."""
        tape, known, stack = self._tape, self._known, [abs(node)]
        while stack:
            top = stack[-1]
            waiting = [operand for operand in tape.operands(top) if operand not in known]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            if top not in known:
                known[top] = self._found(top)
        return known[abs(node)]

    def _found(self, node: int) -> Quantity:
        tape = self._tape
        op = tape.op[node]
        if op == ops.CONST:
            return NUMBER
        if op == ops.INPUT:
            return self._symbol(tape.names[node])
        operands = tape.operands(node)
        given = [self._known[operand] for operand in operands]
        wrong = next((each.problem for each in given if each.problem), "")
        if wrong:
            return Quantity(problem=wrong)
        if op in (ops.MUL, ops.DIV):
            return self._product(operands, -1.0 if op == ops.DIV else 1.0)
        if op in (ops.FMA, ops.FNMA, ops.FMS):
            return _sum(self._product(operands[:2], 1.0), given[2], "added")
        if op == ops.SELECT:
            return _sum(given[1], given[2], "alternatives")
        if op in _SUMS:
            found = _sum(given[0], given[1], _SUMS[op])
            if op in (ops.LT, ops.LE, ops.EQ, ops.ATAN2):
                return replace(
                    found, dimension=NONE, names=(), factors=0, is_number=False, doubt="",
                    angle=op == ops.ATAN2,
                )  # fmt: skip
            return found
        if op in _SAME_AS_OPERAND:
            return given[0]
        if op in _PURE_ARGUMENT:
            return _function(op, given[0])
        if op == ops.SQRT:
            return _raised(given[0], 0.5)
        if op == ops.POW:
            exponent = tape.value(operands[1])
            return _mixed(given) if exponent is None else _raised(given[0], exponent)
        return _mixed(given)  # tables, whose values have no unit

    def _product(self, operands: tuple[int, ...], power: float) -> Quantity:
        """a b, or a/b."""
        (a, b), one, other = operands, self._known[operands[0]], self._known[operands[1]]
        if one.is_number and other.is_number:
            return NUMBER
        if one.is_number:
            return _scaled(_raised(other, power), self._tape.value(a))
        if other.is_number:
            return _scaled(one, self._tape.value(b))
        found = _mixed([one, other])
        if one.dimension is None or other.dimension is None:
            return found
        total = tuple(x + power * y for x, y in zip(one.dimension, other.dimension, strict=True))
        return replace(found, dimension=total)


def _mixed(given: list[Quantity]) -> Quantity:
    """Of unknown dimension, made of these."""
    return Quantity(
        None,
        tuple(dict.fromkeys(name for each in given for name in each.names)),
        all(each.still for each in given),
        any(each.moving for each in given),
        max(each.factors for each in given),
        all(each.is_number for each in given),
        doubt=next((each.doubt for each in given if each.doubt), ""),
    )


def _scaled(quantity: Quantity, number: float | None) -> Quantity:
    """A quantity times a number."""
    if number is not None and abs(number) == 1.0:
        return quantity
    level = 1 if number is not None and _is_simple(number) else 2
    return replace(quantity, factors=max(level, quantity.factors), angle=False)


def _is_simple(number: float) -> bool:
    """Whether a number is a fraction of small whole numbers, or a multiple of π by one."""
    for size in (abs(number), abs(number) / math.pi, abs(number) * math.pi):
        if 1e-3 < size < 1e3:
            near = Fraction(size).limit_denominator(_SIMPLE[1])
            if near.numerator <= _SIMPLE[0] and abs(size - float(near)) < 1e-12 * size:
                return True
    return False


def _raised(quantity: Quantity, power: float) -> Quantity:
    if quantity.dimension is None or power == 1.0:
        return quantity
    raised = tuple(power * x for x in quantity.dimension)
    return replace(quantity, dimension=raised, angle=False)


def _function(op: int, argument: Quantity) -> Quantity:
    """sin, exp, …: a pure number of a pure number; an angle counts as one, and asin gives one."""
    name = ops.NAME[op]
    if argument.is_number:
        return NUMBER
    if argument.contradicts(NONE) and not argument.kinematic:
        return Quantity(
            problem=f"{name} is taken of {_shown(argument)}; it takes an angle or a pure number"
        )
    angle = op in (ops.ASIN, ops.ACOS)
    return replace(argument, dimension=NONE, names=(), factors=0, angle=angle)


def _sum(one: Quantity, other: Quantity, verb: str) -> Quantity:
    """What is added to, compared with, or an alternative to another has its dimension; a number has
    the other's."""
    if one.is_number or other.is_number:
        return other if one.is_number else one
    mixed = _mixed([one, other])
    if one.dimension is None or other.dimension is None:
        known = other if one.dimension is None else one
        return replace(mixed, dimension=known.dimension, factors=known.factors)
    if same_dimension(one.dimension, other.dimension):
        factors = min(each.factors for each in (one, other))
        angle = one.angle and other.angle
        return replace(mixed, dimension=one.dimension, factors=factors, angle=angle)
    if one.certain != other.certain:
        known = one if one.certain else other
        return replace(mixed, dimension=known.dimension, factors=known.factors)
    gains = (one.moving or other.moving) and _of_motion(one) and _of_motion(other)
    if (
        gains
        and one.certain
        and (_places_and_rates(one.dimension, other.dimension) or _length_and_angle(one, other))
    ):
        return replace(mixed, doubt=mixed.doubt or f"{_shown(one)} and {_shown(other)} are {verb}")
    if not one.certain or gains or not mixed.names:
        return mixed
    return Quantity(problem=f"{_shown(one)} and {_shown(other)} are {verb}")


def _places_and_rates(one: Dimension, other: Dimension) -> bool:
    """Whether one of two dimensions is of a rate, and neither of time, whose factor may be a rate
    of 1."""
    return one[_S] != other[_S] and max(one[_S], other[_S]) <= 0.0


def _length_and_angle(one: Quantity, other: Quantity) -> bool:
    return (one.is_length and other.angle) or (one.angle and other.is_length)


def _of_motion(quantity: Quantity) -> bool:
    dimension = quantity.dimension or NONE
    return not any(x for i, x in enumerate(dimension) if i not in (1, 2))


def _shown(quantity: Quantity) -> str:
    """A quantity by its unit and what it is made of."""
    unit = text_of(quantity.dimension or NONE)
    pure = "an angle" if quantity.angle else "a pure number"
    what = pure if unit == "1" else f"a quantity in {unit}"
    named = " and ".join(f"'{name}'" for name in quantity.names[:3])
    return f"{what} ({named})" if named else what
