"""A mechanism as a bond graph over the rates of its joints' coordinates: twists of bodies and what
constraints forbid are flows that these rates make through transformers (Kosenko 2015, §2.3). Its
causality is found by the sequential procedure (Karnopp, Margolis, Rosenberg, System Dynamics, ch.
5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from touchback.dynamics.mechanism_instant import Instant
from touchback.dynamics.numeric_instant import float_instant
from touchback.model import Frame, Model, SpringDamper, is_zero, line_between
from touchback.numbers import Scalar, Vector

_NOTHING = 1e-9  # of a transformer: a rate that makes no flow
INERTIA, SPRING, RESISTOR, EFFORT, FLOW = "I", "C", "R", "Se", "Sf"
ONE, ZERO, TRANSFORMER = "1", "0", "TF"
_JUNCTIONS = (ONE, ZERO, TRANSFORMER)
STORES = (INERTIA, SPRING)


@dataclass(frozen=True)
class Node:
    """A junction ("1": one flow, "0": one effort), a transformer "TF" or an element: "I", "C", "R",
    "Se" (effort source), "Sf" (flow source)."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True)
class CausalBond:
    """A bond along which power counts positive from `tail` to `head`. The causal stroke stands at
    `stroke`, the end that tells the other its flow and takes the effort."""

    tail: Node
    head: Node
    stroke: Node

    @property
    def element(self) -> Node | None:
        """The element at one end."""
        return next((x for x in (self.head, self.tail) if x.kind not in _JUNCTIONS), None)

    @property
    def causality(self) -> str:
        """ "integral" or "derivative" at a store, "resistance" or "conductance" at a resistor, else
        "flow" or "effort": what the tail gives."""
        element = self.element
        told = element is not None and self.stroke == element
        if element is not None and element.kind in STORES:
            return "integral" if told is (element.kind == INERTIA) else "derivative"
        if element is not None and element.kind == RESISTOR:
            return "conductance" if told else "resistance"
        return "flow" if self.stroke == self.tail else "effort"


@dataclass(frozen=True)
class BondGraph:
    """Nodes and bonds with their causality. `derivative` are the stores whose state follows from
    others (inertias that move with those of another), `loops` are the bonds or resistors whose
    causality had to be chosen: each closes an algebraic loop. `conflicts` are the nodes of which
    the rules can't be kept: constraints that contradict or repeat each other."""

    nodes: tuple[Node, ...]
    bonds: tuple[CausalBond, ...]
    loops: tuple[str, ...]
    conflicts: tuple[str, ...]

    @property
    def integral(self) -> tuple[str, ...]:
        """Stores with states of their own."""
        return self._stores("integral")

    @property
    def derivative(self) -> tuple[str, ...]:
        """Stores without: their efforts follow from rates of the others' states."""
        return self._stores("derivative")

    def _stores(self, word: str) -> tuple[str, ...]:
        return tuple(str(x.element) for x in self.bonds if x.causality == word)

    def as_dict(self) -> dict[str, object]:
        """All of it as lists of words, for JSON."""
        return {
            "nodes": [{"kind": x.kind, "name": x.name} for x in self.nodes],
            "bonds": [
                {
                    "from": str(x.tail), "to": str(x.head), "stroke": str(x.stroke),
                    "causality": x.causality,
                }
                for x in self.bonds
            ],
            "integral": list(self.integral), "derivative": list(self.derivative),
            "loops": list(self.loops), "conflicts": list(self.conflicts),
        }  # fmt: skip

    def __str__(self) -> str:
        """A line for each bond, its stroke as "|": "1 cart ⇀| I cart mass x: integral"."""
        lines = [
            f"{x.tail} {'|⇀' if x.stroke == x.tail else '⇀|'} {x.head}"
            + (f": {x.causality}" if x.element is not None and x.element.kind in "ICR" else "")
            for x in self.bonds
        ]
        for word in ("integral", "derivative", "loops", "conflicts"):
            lines.append(f"{word}: {', '.join(getattr(self, word)) or 'none'}")
        return "\n".join(lines)


class _Strokes:
    """A stroke at one end of every bond, so that the rules of all junctions are kept: at a
    1-junction all but one have it, at a 0-junction and a transformer one. Elements leave it open
    until it is fixed. A stroke is moved by moving others along a path, which keeps the rules
    between its ends; so it is known of each whether the others leave it a choice."""

    def __init__(self, pairs: list[tuple[Node, Node]]) -> None:
        self.pairs, self.fixed = pairs, set[int]()
        self.at: dict[Node, list[int]] = {}
        for i, pair in enumerate(pairs):
            for node in pair:
                self.at.setdefault(node, []).append(i)
        self.ends: list[Node] = [head for _, head in pairs]
        self.broken = [node for node in self.at if not self._balance(node)]

    def other(self, bond: int, node: Node) -> Node:
        tail, head = self.pairs[bond]
        return head if node == tail else tail

    def put(self, bond: int, end: Node) -> bool:
        """Fixes a stroke at an end; false where the others don't allow it, and all stay."""
        if self.ends[bond] != end and not self._turn(bond):
            return False
        self.fixed.add(bond)
        return True

    def is_chosen(self, bond: int) -> bool:
        """Whether it could be at the other end as well."""
        kept = list(self.ends)
        free = self._turn(bond)
        self.ends = kept
        return free

    def _turn(self, bond: int) -> bool:
        kept, here = list(self.ends), self.ends[bond]
        there = self.other(bond, here)
        self.ends[bond] = there
        self.fixed.add(bond)
        found = self._balance(here) and self._balance(there)
        self.fixed.discard(bond)
        if not found:
            self.ends = kept
        return found

    def _excess(self, node: Node) -> int:
        """How many strokes a junction has too many; elements take what comes."""
        wanted = {ONE: len(self.at[node]) - 1, ZERO: 1, TRANSFORMER: 1}.get(node.kind)
        if wanted is None:
            return 0
        return sum(self.ends[i] == node for i in self.at[node]) - wanted

    def _balance(self, node: Node) -> bool:
        """Moves strokes along paths until a node's rule is kept: those too many to nodes that lack
        one, or to elements; those that lack, from there."""
        while excess := self._excess(node):
            if not self._shift(node, excess > 0):
                return False
        return True

    def _shift(self, start: Node, away: bool) -> bool:
        came: dict[Node, tuple[int, Node]] = {}
        waiting, seen = deque([start]), {start}
        while waiting:
            node = waiting.popleft()
            for i in self.at[node]:
                beside = self.other(i, node)
                if i in self.fixed or beside in seen or (self.ends[i] == node) is not away:
                    continue
                came[beside] = (i, node)
                seen.add(beside)
                missing = -self._excess(beside) if away else self._excess(beside)
                if beside.kind not in _JUNCTIONS or missing > 0:
                    while beside != start:
                        i, node = came[beside]
                        self.ends[i] = beside if away else node
                        beside = node
                    return True
                waiting.append(beside)
        return False


def assign_causality(pairs: Iterable[tuple[Node, Node]]) -> BondGraph:
    """The sequential procedure: sources first, then stores in integral causality where all that is
    fixed before allows it, then resistors and bonds that are left open. A choice is taken only
    where the rules of all junctions can still be kept."""
    found = _Strokes(list(pairs))
    loops: list[str] = []
    conflicts = [str(node) for node in found.broken]
    for kinds in ((FLOW, EFFORT), STORES, (RESISTOR,), _JUNCTIONS):
        for i, (tail, head) in enumerate(found.pairs):
            own = next((x for x in (head, tail) if x.kind in kinds), None)
            if own is None or i in found.fixed:
                continue
            beside = found.other(i, own)
            if own.kind in (FLOW, EFFORT):
                if not found.put(i, own if own.kind == FLOW else beside):
                    conflicts.append(str(own))
            elif own.kind in STORES:
                first, second = (own, beside) if own.kind == INERTIA else (beside, own)
                if not found.put(i, first):
                    found.put(i, second)
            else:
                if found.is_chosen(i):
                    loops.append(str(own))
                found.fixed.add(i)
    bonds = tuple(CausalBond(*pair, end) for pair, end in zip(found.pairs, found.ends, strict=True))
    nodes = tuple(dict.fromkeys(node for pair in found.pairs for node in pair))
    return BondGraph(nodes, bonds, tuple(dict.fromkeys(loops)), tuple(dict.fromkeys(conflicts)))


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
            met = ForceRecorder(self.instant)
            kind.apply(met)
            for place in sorted(self._coordinates_acted_on(met)):
                here = self.coordinates[place]
                yield here, Node(EFFORT, f"{name} in {here.name}" if met.pushes else name)

    def _coordinates_acted_on(self, met: ForceRecorder) -> set[int]:
        """The coordinates in which something acts."""
        found = {freedom for freedom, _ in met.efforts}
        for frame, *_ in met.pushes:
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


class ForceRecorder:
    """The mechanism as a force sees it, which notes what the force does: wrenches at frames, and
    efforts in coordinates."""

    def __init__(self, instant: Instant) -> None:
        self._instant = instant
        self.pushes: list[tuple[Frame, Vector, Vector | None]] = []
        self.efforts: list[tuple[int, Scalar]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._instant, name)

    def push(self, frame: Frame, force: Vector, torque: Vector | None = None) -> None:
        """Notes a wrench on a body."""
        self.pushes.append((frame, force, torque))

    def add_effort(self, joint: str, index: int, effort: Scalar) -> None:
        """Notes an effort in a coordinate."""
        self.efforts.append((self._instant.freedom(joint, index), effort))
