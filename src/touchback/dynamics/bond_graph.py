"""A mechanism as a bond graph over the rates of its joints' coordinates: twists of bodies and what
constraints forbid are flows that these rates make through transformers (Kosenko 2015, §2.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from touchback.dynamics.bond_graph_causality import (
    EFFORT,
    FLOW,
    INERTIA,
    ONE,
    RESISTOR,
    SPRING,
    TRANSFORMER,
    ZERO,
    BondGraph,
    Node,
    assign_causality,
)
from touchback.dynamics.mechanism_instant import Instant
from touchback.dynamics.numeric_instant import float_instant
from touchback.model import Frame, Model, SpringDamper, is_zero, line_between
from touchback.numbers import Scalar, Vector

_NOTHING = 1e-9  # of a transformer: a rate that makes no flow


def bond_graph_of(
    model: Model, q: Sequence[float], rows: Mapping[str, Sequence[float]]
) -> BondGraph:
    """The graph of a flat model at positions q where no flow vanishes by chance; `rows` has of each
    row of a constraint what the coordinates' rates make of it, J."""
    return assign_causality(_Builder(model, q, rows).bonds())


class _Builder:
    """Every coordinate is a 1-junction, every other flow what its transformers make of them."""

    def __init__(
        self, model: Model, q: Sequence[float], rows: Mapping[str, Sequence[float]]
    ) -> None:
        self.model, self.rows = model, rows
        at = float_instant(model, q)
        self.instant = Instant(at.model, at.k, at.at, merge_fixed=False)
        self.coordinates = [
            Node(ONE, full)
            for name, joint in model.joints.items()
            for full in joint.velocity_names(name)
        ]

    def bonds(self) -> Iterator[tuple[Node, Node]]:
        """Tails and heads, in the order in which causality is tried: rotors and bodies as they were
        described."""
        yield from self._constraint_bonds()
        yield from self._coordinate_bonds()
        yield from self._body_bonds()
        yield from self._force_bonds()

    def _constraint_bonds(self) -> Iterator[tuple[Node, Node]]:
        """A constraint gives a flow, zero or one that is prescribed."""
        for name, J in self.rows.items():
            made = {j: float(x) for j, x in enumerate(J) if abs(x) > _NOTHING}
            yield from self._flow_bonds(name, made, [Node(FLOW, name)])

    def _coordinate_bonds(self) -> Iterator[tuple[Node, Node]]:
        place = 0
        for name, joint in self.model.joints.items():
            for i, full in enumerate(joint.velocity_names(name)):
                here = self.coordinates[place]
                place += 1
                for kind, word, given in (
                    (INERTIA, "rotor", joint.armature), (SPRING, "spring", joint.spring),
                    (RESISTOR, "damping", joint.damping), (RESISTOR, "friction", joint.friction),
                ):  # fmt: skip
                    if i < len(given) and not is_zero(given[i]):
                        yield here, Node(kind, f"{full} {word}")

    def _body_bonds(self) -> Iterator[tuple[Node, Node]]:
        instant = self.instant
        gravity = [float(x) for x in instant.gravity()]
        for name, body in self.model.bodies.items():
            mass = float(instant.value(body.mass))
            tensor = np.array([[float(instant.value(x)) for x in row] for row in body.tensor()])
            x, y, z = (float(instant.value(each)) for each in body.com)
            at = Frame(name, (x, y, z))
            for i, axis in enumerate("xyz"):
                if tensor[i].any():
                    made = self._angular_velocity_ratios(at, i)
                    inertia = Node(INERTIA, f"{name} inertia {axis}")
                    yield from self._flow_bonds(f"{name} turn {axis}", made, [inertia])
            for i, axis in enumerate("xyz"):
                if mass > 0.0:
                    elements = [Node(INERTIA, f"{name} mass {axis}")]
                    if gravity[i]:
                        elements.append(Node(EFFORT, f"{name} weight {axis}"))
                    made = self._velocity_ratios(at, i)
                    yield from self._flow_bonds(f"{name} {axis}", made, elements)

    def _force_bonds(self) -> Iterator[tuple[Node, Node]]:
        """Springs between points store along their line; other forces are sources of effort in the
        coordinates that they act in."""
        for name, kind in self.model.forces.items():
            if isinstance(kind, SpringDamper):
                made = self._length_rate_ratios(kind)
                elements = [
                    Node(element, name)
                    for element, given in ((SPRING, kind.stiffness), (RESISTOR, kind.damping))
                    if not is_zero(given)
                ]
                yield from self._flow_bonds(name, made, elements)
                continue
            met = _ForceRecorder(self.instant)
            kind.apply(met)
            for place in sorted(self._coordinates_acted_on(met)):
                here = self.coordinates[place]
                yield here, Node(EFFORT, f"{name} in {here.name}" if met.frames else name)

    def _coordinates_acted_on(self, met: _ForceRecorder) -> set[int]:
        """The coordinates in which something acts."""
        found = set(met.freedoms)
        for frame in met.frames:
            for i in range(3):
                found |= self._velocity_ratios(frame, i).keys()
                found |= self._angular_velocity_ratios(frame, i).keys()
        return found

    def _velocity_ratios(self, at: Frame, i: int) -> dict[int, float]:
        """A velocity along an axis of the world."""
        return self._transformer_ratios(lambda now: now.velocity(at)[i])

    def _angular_velocity_ratios(self, at: Frame, i: int) -> dict[int, float]:
        """An angular velocity about one."""
        return self._transformer_ratios(lambda now: now.angular_velocity(at)[i])

    def _length_rate_ratios(self, spring: SpringDamper) -> dict[int, float]:
        """The rate of a spring's length."""
        return self._transformer_ratios(lambda now: line_between(now, spring.a, spring.b)[1])

    def _transformer_ratios(self, flow: Callable[[Instant], Scalar]) -> dict[int, float]:
        """What each coordinate's rate makes of a flow, where it makes any."""
        still = float(flow(self._unit_rate_instants[-1]))
        made = (float(flow(now)) - still for now in self._unit_rate_instants[:-1])
        return {j: x for j, x in enumerate(made) if abs(x) > _NOTHING}

    @cached_property
    def _unit_rate_instants(self) -> list[Instant]:
        """The mechanism with one rate of 1 after the other; at last at rest."""
        n, at = len(self.coordinates), self.instant.at
        rates = [*np.eye(n).tolist(), [0.0] * n]
        return [
            Instant(self.instant.model, self.instant.k, replace(at, v=rate), merge_fixed=False)
            for rate in rates
        ]

    def _flow_bonds(
        self, name: str, made: dict[int, float], elements: Sequence[Node]
    ) -> Iterator[tuple[Node, Node]]:
        """Elements at a flow: on the coordinate's own junction where it is that rate, else behind
        transformers, whose flows a 0-junction adds up."""
        if not made or not elements:
            return
        sides = [(self.coordinates[j], abs(abs(x) - 1.0) < _NOTHING) for j, x in made.items()]
        if len(sides) == 1 and sides[0][1]:
            yield from ((sides[0][0], element) for element in elements)
            return
        junction = Node(ONE, f"{name} flow") if elements[1:] else elements[0]
        target = Node(ZERO, name) if sides[1:] else junction
        for coordinate, same in sides:
            if same and target.kind == ZERO:
                yield coordinate, target
                continue
            transformer = Node(TRANSFORMER, f"{coordinate.name} to {name}")
            yield coordinate, transformer
            yield transformer, target
        if target != junction:
            yield target, junction
        if elements[1:]:
            yield from ((junction, element) for element in elements)


class _ForceRecorder:
    """The mechanism as a force sees it, which notes where the force acts."""

    def __init__(self, instant: Instant) -> None:
        self._instant = instant
        self.frames: list[Frame] = []
        self.freedoms: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instant, name)

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """Notes a body that is pushed."""
        self.frames.append(frame)

    def add_effort(self, joint: str, index: int, effort: Scalar) -> None:
        """Notes a coordinate."""
        self.freedoms.append(self._instant.freedom(joint, index))
