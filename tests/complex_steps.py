"""A mechanism with laws of every kind, and dynamics over complex numbers, whose imaginary parts are
derivatives without a difference."""

from collections.abc import Callable
from typing import Any

import numpy as np

import touchback as tb
from touchback.dynamics import Coordinates, Instant
from touchback.dynamics.forward_dynamics import configuration_rate
from touchback.model.flatten_submodels import flatten
from touchback.symbolic.scalars import Operators

STEP = 1e-30  # of complex numbers: what it squares to is nothing beside 1


def laws() -> tb.Model:
    """A ball joint, a slide with a spring and a stop, a locked axis, rotors, damping, a spring
    between bodies, an input and an extra state, on a ground that moves and turns."""
    m = tb.Model("laws")
    m.move_base(position=(0, 0.3 * m.time * m.time, 0), turn=(("x", 0.2 + 0.7 * m.time),))
    mass, rate = m.parameter("mass", 2.0, unit="kg", min=0.1), m.parameter("stiffness", 30.0)
    body = m.body("body", mass=mass, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
    arm = m.body("arm", mass=1.0, com=(0.3, 0, 0.1), inertia=(0.02, 0.03, 0.04))
    slider = m.body("slider", mass=0.5, com=(0, 0.1, 0))
    m.joint("ball", tb.Spherical(), m.ground.at(0.1, 0, 0.2), body.at(0, 0, 0.1))
    m.joint("lock", tb.Fixed(), body.at(0.2, 0, 0, turn=("x", 0.3)), m.body("box", mass=0.4))
    m.joint("arm", tb.Revolute("y"), body.at(0.3, 0, 0), arm, damping=0.2, armature=0.05)
    above = arm.at(0.2, 0, 0, turn=("y", 0.4))
    m.joint("slide", tb.Prismatic("z"), above, slider, spring=9.0, limits=(-0.1, 0.1))
    push = m.input("push", unit="N m")
    lag = m.state("lag", 0.5, rate=push)
    m.force("motor", tb.JointEffort("arm", push + lag * m.time))
    m.force(
        "spring",
        tb.SpringDamper(m.ground.at(1, 0, 0), slider, stiffness=rate, damping=2, length=0.5),
    )
    return m


class ByNumbers:
    """Dynamics of a model over complex numbers: no tape, no code, and articulated bodies."""

    def __init__(self, system: tb.System, seed: int = 3) -> None:
        self.system, self.model = system, flatten(system.model)
        random, start = np.random.default_rng(seed), system.initial_state()
        self.q = start.q + 0.3 * random.normal(size=start.q.size)
        self.v, self.given = random.normal(size=(2, start.v.size))

    def instant(
        self, q: Any = None, v: Any = None, z: Any = None, u: Any = None, t: float = 0.0,
        **parameters: Any,
    ) -> Instant:  # fmt: skip
        layout = self.system.layout
        start = self.system.initial_state().z
        at = Coordinates(
            list(self.q if q is None else q), list(self.v if v is None else v),
            dict(zip(layout.z, start if z is None else z, strict=True)),
            dict(zip(layout.inputs, layout.input_defaults if u is None else u, strict=True)), t,
            {**self.system.parameters, **parameters},
        )  # fmt: skip
        return Instant(self.model, Operators(), at)

    def slopes(self, result: Callable[[Instant], Any]) -> list[np.ndarray]:
        """By increments of positions, by velocities, by parameters."""
        n = self.v.size
        increments = [configuration_rate(self.instant(v=unit)) for unit in np.eye(n)]
        instants = (
            [self.instant(q=self.q + 1j * STEP * np.array(x, float)) for x in increments],
            [self.instant(v=self.v + 1j * STEP * unit) for unit in np.eye(n)],
            [self.instant(**{k: p + 1j * STEP}) for k, p in self.system.parameters.items()],
        )
        found = [
            [np.imag(np.array(result(each), complex)) / STEP for each in some] for some in instants
        ]
        return [np.array(columns).reshape(-1, n).T for columns in found]
