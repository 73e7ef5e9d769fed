"""A surface given by any expression of x, y and z."""

from touchback.contact.surfaces.base import Surface, ValueOf
from touchback.errors import ModelError
from touchback.model.value import Value
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.parse import parse
from touchback.symbolic.scalars import Scalars
from touchback.symbolic.tape import Tape

_COORDINATES = ("x", "y", "z")


class Written(Surface, frozen=True, tag="written"):
    """f as a text, such as "x**4 + y**2/b**2 + z**2 - 1", negative inside. Other names than x, y,
    z are `values`: pairs of a name and a number or an expression of the model."""

    equation: str
    values: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        tape = Tape()
        r = [tape.symbol(name) for name in _COORDINATES]
        f = self.level(tape, lambda given: tape.symbol("given"), r, 0)
        if not any(tape.live([f])[symbol] for symbol in r):
            raise ModelError(f"Written: '{self.equation}' uses none of x, y and z.")

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        known = dict(zip(_COORDINATES, r, strict=True))
        given = dict(self.values)

        def symbol(name: str) -> Scalar:
            return known[name] if name in known else value(given[name])

        return parse(self.equation, k, symbol)
