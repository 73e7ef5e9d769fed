"""Tiny systems made by hand, interpreted: what a compiled system shows to `simulate`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from touchback.model import Model
from touchback.model.parameters_and_signals import Input, Parameter
from touchback.native import Interpreter
from touchback.symbolic import Tape, lower
from touchback.system import State, System
from touchback.system.compiled_function import FunctionSet
from touchback.system.derivation_plan import Plan
from touchback.system.dynamics_kinds import DynamicsKind, Key
from touchback.system.signal_layout import Layout

HandMadeSystem = System
GRAVITY, LENGTH = 9.81, 0.7


class HandMade(DynamicsKind):
    """A motion of given functions of x, u = [t, inputs…] and raw parameters."""

    one = None

    def __init__(
        self, name: str, layout: Layout, x0: list[float], **functions: Interpreter
    ) -> None:
        nowhere = np.zeros(0, dtype=np.int64)
        plan = Plan(False, str, False, False, False, True, nowhere, nowhere)
        super().__init__(Model(name), plan, "interpreter")
        self.layout, self._x0, self._functions = layout, x0, functions

    def compiled(self, key: Key, name: str) -> Interpreter:
        return self._functions[name]

    def block(self, key: Key, values: np.ndarray, stiffness: bool = False) -> np.ndarray:
        return values

    def on_blocks(self, key: Key, values: np.ndarray) -> list[tuple[FunctionSet, np.ndarray]]:
        return []  # nothing of it switches by time

    def rate_jacobian(self, key: Key) -> None:
        return None

    def initial(self, parameters: Mapping[str, float]) -> State:
        sizes = len(self.layout.q), len(self.layout.q) + len(self.layout.v)
        return State(*np.split(np.array(self._x0), sizes))

    def text(self, system: System) -> str:
        return self.name


def make_pendulum(output: str = "energy") -> HandMadeSystem:
    """m = 1: l² θ̈ = τ − g l sin θ; its output is the energy l² ω²/2 + g l (1 − cos θ)."""
    tape = Tape()
    angle, speed, torque, length = (tape.symbol(name) for name in ("θ", "ω", "τ", "l"))
    places = {angle: ("x", 0), speed: ("x", 1), torque: ("u", 1), length: ("p", 0)}
    weight = tape.mul(tape.const(GRAVITY), length)
    inertia = tape.mul(length, length)
    effort = tape.sub(torque, tape.mul(weight, tape.sin(angle)))
    kinetic = tape.mul(tape.const(0.5), tape.mul(inertia, tape.mul(speed, speed)))
    energy = tape.add(kinetic, tape.mul(weight, tape.sub(1, tape.cos(angle))))
    layout = Layout(
        ("angle",), ("speed",), (), ("torque",), ("length",), (output,), ("rad",), ("rad/s",), (),
        ("J",), ("N m",), (0.0,), (Input(unit="N m"),), (Parameter(LENGTH),), (), (),
    )  # fmt: skip
    rate = Interpreter(lower(tape, [speed, tape.div(effort, inertia)], places))
    outputs = Interpreter(lower(tape, [energy], places))
    return System(HandMade("pendulum", layout, [1.0, 0.0], rate=rate, outputs=outputs))


def make_first_order(name: str, rate: Any) -> HandMadeSystem:
    """ż = rate(tape, z) from z = 1."""
    tape = Tape()
    z = tape.symbol("z")
    program = lower(tape, [rate(tape, z)], {z: ("x", 0)})
    layout = Layout((), (), ("level",), *([()] * 5), ("m",), *([()] * 7))
    return System(HandMade(name, layout, [1.0], rate=Interpreter(program)))
