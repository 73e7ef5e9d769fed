"""Tiny systems made by hand, interpreted: what a compiled system shows to `simulate`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from touchback.native import Interpreter
from touchback.symbolic import Tape, lower

GRAVITY, LENGTH = 9.81, 0.7


@dataclass
class HandMadeState:
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray

    @property
    def x(self) -> np.ndarray:
        return np.concatenate([self.q, self.v, self.z])


@dataclass
class HandMadeSystem:
    name: str
    sizes: tuple[int, int, int]
    rate: Interpreter
    x0: list[float]
    state_names: list[str]
    state_units: list[str]
    input_names: list[str] = field(default_factory=list)
    input_units: list[str] = field(default_factory=list)
    input_defaults: np.ndarray = field(default_factory=lambda: np.zeros(0))
    configuration_rate: Interpreter | None = None
    outputs: Interpreter | None = None
    output_names: list[str] = field(default_factory=list)
    output_units: list[str] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)

    def parameter_block(self, overrides: Mapping[str, Any] | None = None) -> np.ndarray:
        return np.array(list({**self.parameters, **(overrides or {})}.values()))

    def initial_state(self) -> HandMadeState:
        q, v, z = np.split(np.array(self.x0), np.cumsum(self.sizes)[:2])
        return HandMadeState(q, v, z)


def make_pendulum() -> HandMadeSystem:
    """m = 1: l² θ̈ = τ − g l sin θ; its output is the energy l² ω²/2 + g l (1 − cos θ)."""
    tape = Tape()
    angle, speed, torque, length = (tape.symbol(name) for name in ("θ", "ω", "τ", "l"))
    places = {angle: ("x", 0), speed: ("x", 1), torque: ("u", 1), length: ("p", 0)}
    weight = tape.mul(tape.const(GRAVITY), length)
    inertia = tape.mul(length, length)
    effort = tape.sub(torque, tape.mul(weight, tape.sin(angle)))
    kinetic = tape.mul(tape.const(0.5), tape.mul(inertia, tape.mul(speed, speed)))
    energy = tape.add(kinetic, tape.mul(weight, tape.sub(1, tape.cos(angle))))
    return HandMadeSystem(
        "pendulum",
        (1, 1, 0),
        Interpreter(lower(tape, [speed, tape.div(effort, inertia)], places)),
        [1.0, 0.0],
        ["angle", "speed"],
        ["rad", "rad/s"],
        ["torque"],
        ["N m"],
        np.zeros(1),
        outputs=Interpreter(lower(tape, [energy], places)),
        output_names=["energy"],
        output_units=["J"],
        parameters={"length": LENGTH},
    )


def make_first_order(name: str, rate: Any) -> HandMadeSystem:
    """ż = rate(tape, z) from z = 1."""
    tape = Tape()
    z = tape.symbol("z")
    program = lower(tape, [rate(tape, z)], {z: ("x", 0)})
    return HandMadeSystem(name, (0, 0, 1), Interpreter(program), [1.0], ["level"], ["m"])
