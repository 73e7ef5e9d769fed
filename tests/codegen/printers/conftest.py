"""The program that golden files show."""

import pytest

from touchback.symbolic import Program, Table, Tape, lower


@pytest.fixture
def pendulum() -> Program:
    """A pendulum's q̇ and v̇ = −(g/l) sin q − friction(v) + u, and its energy; p = (l, g)."""
    tape = Tape()
    q, v, torque, length, g = (tape.symbol(name) for name in ("q", "v", "torque", "length", "g"))
    friction = tape.lookup(Table(x=(-1.0, 0.0, 1.0), values=(-0.5, 0.0, 0.5)), v)
    s, c = tape.sincos(q)
    a = tape.sub(tape.sub(torque, tape.mul(tape.div(g, length), s)), friction)
    height = tape.mul(length, tape.sub(1, c))
    energy = tape.add(tape.mul(g, height), tape.mul(tape.const(0.5), tape.mul(v, v)))
    stopped = tape.select(tape.less(torque, v), a, -a)
    places = {q: ("x", 0), v: ("x", 1), torque: ("u", 0), length: ("p", 0), g: ("p", 1)}
    return lower(tape, [v, stopped, -energy], places)
