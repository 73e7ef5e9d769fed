"""Rows of closures, written recursively in the axes of the closest common body."""

from collections.abc import Callable

from touchback.dynamics.instant import Instant
from touchback.dynamics.loops import Seen, between, common_link, seen_from
from touchback.dynamics.rolling import grip, still, touch
from touchback.dynamics.row import Action, Effect, Row
from touchback.errors import ModelError
from touchback.model.closure_equations import (
    Along,
    Apart,
    DiscOnPlane,
    Equation,
    Grip,
    Meet,
    Square,
    Still,
)
from touchback.model.closures import Closure
from touchback.model.frame import GROUND, Frame
from touchback.spatial.vectors import IDENTITY, ZERO, Scalar, Vector


def closure_rows(instant: Instant, name: str, closure: Closure) -> list[Row]:
    """The rows of a closure."""
    first, second = instant.attachment(closure.a).link, instant.attachment(closure.b).link
    if first == second:
        raise ModelError(
            f"Closure '{name}': both its frames are on the same rigid link ('{closure.a.body}' and "
            f"'{closure.b.body}'); it closes nothing."
        )
    common = common_link(instant.tree, first, second)
    A, B = seen_from(instant, closure.a, common), seen_from(instant, closure.b, common)
    equations = closure.kind.equations()
    many = len(equations) > 1
    rows = []
    for i, equation in enumerate(equations):
        row, on_a, on_b = _write(instant, f"{name}.{i + 1}" if many else name, equation, A, B)
        row.actions = [
            Action(closure.a, common, *on_a),
            Action(closure.b, common, *on_b),
        ]
        if isinstance(equation, Meet):
            # its direction turns with the common body, which so takes the couple of the two forces
            couple = instant.vectors.cross(on_b[0], between(instant, A, B))
            row.actions.insert(0, Action(_carrier(instant, common), common, ZERO, couple))
        rows.append(row)
    return rows


def _carrier(instant: Instant, link: int) -> Frame:
    """A frame on a link that carries others."""
    if link < 0:
        return Frame(GROUND)
    return Frame(instant.model.joints[instant.tree.links[link].joint].child.body)


def _write(
    instant: Instant, name: str, equation: Equation, A: Seen, B: Seen
) -> tuple[Row, Effect, Effect]:
    return _WRITERS[type(equation)](instant, name, equation, A, B)


def _opposite(instant: Instant, force: Vector) -> tuple[Effect, Effect]:
    """A force on B at its origin, and its opposite on A at A's."""
    return (instant.vectors.neg(force), ZERO), (force, ZERO)


def _meet(
    instant: Instant, name: str, equation: Meet, A: Seen, B: Seen
) -> tuple[Row, Effect, Effect]:
    k, i = instant.k, equation.axis
    J = _entries(instant, A, B, lambda ang, lin: lin[i])
    row = Row(name, "m", between(instant, A, B)[i], J, 0, k.sub(B.a[i], A.a[i]))
    return row, *_opposite(instant, IDENTITY[i])


def _along(
    instant: Instant, name: str, equation: Along, A: Seen, B: Seen
) -> tuple[Row, Effect, Effect]:
    """h = s·d, d = p_B − p_A, s = R_A e: ḣ = s·(ḋ − ω_A × d)."""
    k, vectors = instant.k, instant.vectors
    s = vectors.apply(A.R, [k.const(x) for x in equation.direction])
    d, d_rate = between(instant, A, B), vectors.sub(B.v, A.v)
    turning = vectors.cross(d, s)  # s·(ω × d) = ω·(d × s)
    J = {freedom: vectors.dot(s, lin) for freedom, (_, lin) in B.columns.items()}
    for freedom, (ang, lin) in A.columns.items():
        J[freedom] = -k.add(vectors.dot(s, lin), vectors.dot(ang, turning))
    s_rate, s_bias = _turned(instant, A, s)
    gamma = k.add(
        k.add(
            vectors.dot(s, vectors.sub(B.a, A.a)), k.mul(k.const(2.0), vectors.dot(s_rate, d_rate))
        ),
        vectors.dot(s_bias, d),
    )
    row = Row(name, "m", vectors.dot(s, d), J, 0, gamma)
    return row, (vectors.neg(s), vectors.neg(turning)), (s, ZERO)


def _square(
    instant: Instant, name: str, equation: Square, A: Seen, B: Seen
) -> tuple[Row, Effect, Effect]:
    """h = s·t: ḣ = (ω_A − ω_B)·(s × t)."""
    k, vectors = instant.k, instant.vectors
    s = vectors.apply(A.R, [k.const(x) for x in equation.of_a])
    t = vectors.apply(B.R, [k.const(x) for x in equation.of_b])
    across = vectors.cross(s, t)
    J = {freedom: vectors.dot(ang, across) for freedom, (ang, _) in A.columns.items()}
    for freedom, (ang, _) in B.columns.items():
        J[freedom] = -vectors.dot(ang, across)
    s_rate, s_bias = _turned(instant, A, s)
    t_rate, t_bias = _turned(instant, B, t)
    gamma = k.add(
        k.add(vectors.dot(s_bias, t), vectors.dot(s, t_bias)),
        k.mul(k.const(2.0), vectors.dot(s_rate, t_rate)),
    )
    row = Row(name, "-", vectors.dot(s, t), J, 0, gamma)
    return row, (ZERO, across), (ZERO, vectors.neg(across))


def _apart(
    instant: Instant, name: str, equation: Apart, A: Seen, B: Seen
) -> tuple[Row, Effect, Effect]:
    """h = (d·d − L²)/(2 L): ḣ = d·ḋ/L."""
    k, vectors = instant.k, instant.vectors
    length = instant.value(equation.length)
    inverse = k.div(1, length)
    d, d_rate = between(instant, A, B), vectors.sub(B.v, A.v)
    n = vectors.scale(inverse, d)
    J = _entries(instant, A, B, lambda ang, lin: vectors.dot(n, lin))
    h = k.mul(k.mul(k.const(0.5), inverse), k.sub(vectors.dot(d, d), k.mul(length, length)))
    gamma = k.add(
        k.mul(inverse, vectors.dot(d_rate, d_rate)), vectors.dot(n, vectors.sub(B.a, A.a))
    )
    return Row(name, "m", h, J, 0, gamma), *_opposite(instant, n)


_WRITERS: dict[type, Callable[..., tuple[Row, Effect, Effect]]] = {
    Meet: _meet,
    Along: _along,
    Square: _square,
    Apart: _apart,
    Still: still,
    DiscOnPlane: touch,
    Grip: grip,
}


def _entries(
    instant: Instant, A: Seen, B: Seen, entry: Callable[[Vector, Vector], Scalar]
) -> dict[int, Scalar]:
    """Entries of a row that takes the difference of B and A."""
    J = {freedom: -entry(*column) for freedom, column in A.columns.items()}
    J.update({freedom: entry(*column) for freedom, column in B.columns.items()})
    return J


def _turned(instant: Instant, seen: Seen, s: Vector) -> tuple[Vector, Vector]:
    """Rate ω × s of a direction fixed in a frame, and its bias acceleration α × s + ω × (ω × s)."""
    vectors = instant.vectors
    rate = vectors.cross(seen.omega, s)
    return rate, vectors.add(vectors.cross(seen.alpha, s), vectors.cross(seen.omega, rate))
