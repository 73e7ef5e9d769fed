"""A surface given by any expression of x, y and z."""

from touchback.contact.surfaces.base import Surface, ValueOf
from touchback.errors import ModelError
from touchback.numbers import shown
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.parse import parse
from touchback.symbolic.scalars import Scalars
from touchback.symbolic.tape import Tape

_COORDINATES = ("x", "y", "z")


class Written(Surface, frozen=True, tag="written"):
    """f as a text of x, y, z [m], such as "x**4 + y**2/4 + z**2 - 1"; negative inside. A surface
    with live parameters is a subclass of `Surface`."""

    equation: str

    def __post_init__(self) -> None:
        if not isinstance(self.equation, str):
            raise ModelError(f"Written: its equation is a text, got {shown(self.equation)}.")
        tape = Tape()
        r = [tape.symbol(name) for name in _COORDINATES]
        f = self.level(tape, lambda _: 0, r, 0)  # no value stands in a text
        if not any(tape.live([f])[symbol] for symbol in r):
            raise ModelError(f"Written: '{self.equation}' uses none of x, y and z.")

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        known = dict(zip(_COORDINATES, r, strict=True))
        return parse(self.equation, k, lambda name: known[name])
