"""Implicit surfaces f(r) = 0, and what tracking asks of them: value, gradient, Hessian.

Derivatives are those of the tape: a surface states its equation once, over any scalar, and is
traced onto a tape of its own, whose derivatives are replayed where they are needed."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache

from touchback.model.mechanics import ValueOf
from touchback.model.shapes import AnyShape
from touchback.model.value import Data, Value
from touchback.spatial.vectors import Matrix, Scalar, Vector
from touchback.symbolic.differentiate import jacobian, jvp
from touchback.symbolic.expression import Expr
from touchback.symbolic.replay import replay
from touchback.symbolic.scalars import Scalars
from touchback.symbolic.tape import Tape

_POINT = ("x", "y", "z", "hidden")


class Surface(Data, frozen=True, tag_field="kind"):
    """A surface f(r) = 0 in the axes of a frame; f is negative inside, so that its gradient points
    out of the body."""

    def level(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
        """f at the point r [m]."""
        raise NotImplementedError(type(self).__name__)

    def shape(self) -> AnyShape | None:
        """What pictures show of it, if it is simple."""
        return None

    def hidden(self, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar | None:
        """e(r, w), whose zero is the hidden coordinate w that f may use besides r: the parameter
        of a profile that has no equation of its own. None where f needs none."""
        return None


@dataclass(frozen=True)
class Shape:
    """A surface at a point: f, its gradient and Hessian (w following r), and ∂w/∂r."""

    f: Scalar
    gradient: Vector
    hessian: Matrix
    hidden_slope: Vector


@dataclass(frozen=True)
class _Traced:
    """The equation of a surface and its derivatives on a tape; `given` are the expressions that
    the surface was described with."""

    tape: Tape
    shape: list[int]  # f, gradient (3), Hessian (upper triangle, 6), ∂w/∂r (3)
    correction: int | None  # e/(∂e/∂w): a Newton step of the hidden coordinate
    given: tuple[Expr, ...]


def shape_at(surface: Surface, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Shape:
    """f, gradient and Hessian over the scalars `k`, in the surface's axes."""
    traced = _trace(surface)
    out = replay(traced.tape, traced.shape, k, _environment(traced, value, r, hidden))
    xx, xy, xz, yy, yz, zz = out[4:10]
    return Shape(out[0], out[1:4], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], out[10:13])


def refined(surface: Surface, k: Scalars, value: ValueOf, r: Vector, hidden: Scalar) -> Scalar:
    """The hidden coordinate after a step of Newton's method at r; itself where there is none."""
    traced = _trace(surface)
    if traced.correction is None:
        return hidden
    environment = _environment(traced, value, r, hidden)
    return k.sub(hidden, replay(traced.tape, [traced.correction], k, environment)[0])


def has_hidden(surface: Surface) -> bool:
    """Whether the surface needs a hidden coordinate."""
    return _trace(surface).correction is not None


def _environment(
    traced: _Traced, value: ValueOf, r: Vector, hidden: Scalar
) -> dict[Hashable, Scalar]:
    environment: dict[Hashable, Scalar] = dict(zip(_POINT, [*r, hidden], strict=True))
    environment.update({("given", i): value(x) for i, x in enumerate(traced.given)})
    return environment


@lru_cache(maxsize=256)
def _trace(surface: Surface) -> _Traced:
    tape = Tape()
    x, y, z, w = (tape.symbol(name) for name in _POINT)
    given: list[Expr] = []

    def value(item: Value) -> int:
        if not isinstance(item, Expr):
            return tape.const(float(item))
        if item not in given:
            given.append(item)
        return tape.symbol(("given", given.index(item)))

    f = surface.level(tape, value, [x, y, z], w)
    e = surface.hidden(tape, value, [x, y, z], w)
    *gradient, f_w = jacobian(tape, [f], [x, y, z, w])[0]
    slope, correction = [0, 0, 0], None
    if e is not None:
        *e_r, e_w = jacobian(tape, [e], [x, y, z, w])[0]
        slope = [-tape.div(component, e_w) for component in e_r]
        gradient = [tape.add(g, tape.mul(f_w, s)) for g, s in zip(gradient, slope, strict=True)]
        correction = tape.div(e, e_w)
    rows = [jvp(tape, gradient, {axis: 1, w: s}) for axis, s in zip((x, y, z), slope, strict=True)]
    upper = [rows[i][j] for i in range(3) for j in range(i, 3)]
    return _Traced(tape, [f, *gradient, *upper, *slope], correction, tuple(given))
