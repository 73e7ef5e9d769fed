"""How the ground moves: its pose in the world as described, and what follows from it.

Rates are derived on the model's own tape, so that they are known over any scalars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.dynamics.constant_pose import frame_pose
from touchback.errors import ModelError
from touchback.model import AXES, GROUND, BaseMotion, Frame, Model, Value, ValueOf
from touchback.numbers import Matrix, Vector
from touchback.spatial import IDENTITY, ZERO, Turn, Vectors
from touchback.symbolic import Expr, Scalars, Tape, jvp


@dataclass
class Ground:
    """R_WG and p_WG; velocity and acceleration of the origin along world axes; ω and ω̇ along the
    ground's."""

    R: Matrix = IDENTITY
    p: Vector = ZERO
    velocity: Vector = ZERO
    acceleration: Vector = ZERO
    omega: Vector = ZERO
    alpha: Vector = ZERO

    @property
    def moves(self) -> bool:
        """Whether it has a velocity anywhere."""
        return any(self.velocity) or any(self.omega)


def ground_of(model: Model, k: Scalars, value: ValueOf) -> Ground:
    """The ground of a flat model; ω grows from turn to turn, ω ← Rᵀ ω + θ̇ e."""
    base = model.base
    if base == BaseMotion():
        return Ground()
    vectors = Vectors(k)
    motion = [*base.position, *(angle for _, angle in base.turn)]
    rates = _rates(model, motion)
    curvatures = _rates(model, rates)
    first, second = [value(x) for x in rates], [value(x) for x in curvatures]
    omega: Vector = ZERO
    alpha: Vector = ZERO
    for (name, angle), rate, curvature in zip(base.turn, first[3:], second[3:], strict=True):
        axis = AXES[name]
        turn = Turn(axis, *k.sincos(value(angle)))
        spin = vectors.scale(rate, IDENTITY[axis])
        carried = turn.down(k, omega)
        alpha = vectors.add(turn.down(k, alpha), vectors.cross(carried, spin))
        alpha = vectors.add(alpha, vectors.scale(curvature, IDENTITY[axis]))
        omega = vectors.add(carried, spin)
    pose = frame_pose(k, Frame(GROUND, base.position, base.turn), value)
    return Ground(
        pose.rotation(k).times(k, IDENTITY), pose.scalars(k), first[:3], second[:3], omega, alpha
    )


def _rates(model: Model, given: Sequence[Value]) -> list[Expr]:
    """Rates of values by time and by the states that they use."""
    tape = model.tape
    nodes = [x.id if isinstance(x, Expr) else tape.const(x) for x in given]
    flow = {tape.symbol("time"): 1}
    for name in sorted(names_in(tape, nodes)):
        state = model.states.get(name)
        if state is not None and state.update is None:
            rate = state.rate
            flow[tape.symbol(name)] = rate.id if isinstance(rate, Expr) else tape.const(rate)
        elif name != "time" and name not in model.parameters:
            raise ModelError(
                f"Moving base: its motion uses '{name}', whose rate isn't known; it is a function "
                "of time, parameters and states, twice differentiable. (A motion known by its "
                "acceleration is a state whose rate is a state.)"
            )
    return [Expr(tape, node) for node in jvp(tape, nodes, flow)]


def names_in(tape: Tape, nodes: Sequence[int]) -> set[str]:
    """The names of all symbols that nodes are made of."""
    seen = {abs(node) for node in nodes}
    waiting = list(seen)
    while waiting:
        fresh = {abs(operand) for operand in tape.operands(waiting.pop())} - seen
        seen |= fresh
        waiting += fresh
    return {str(tape.names[node]) for node in seen if node in tape.names}
