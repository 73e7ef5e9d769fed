"""A mechanism as a multibond graph: bonds of vectors between bodies and constraints, from the ports
at which these meet (Kosenko 2015, §2.3; Breedveld 1984, Physical Systems Theory in Terms of Bond
Graphs, and Bos and Tiernego 1985, for Eulerian junction structures).

Every body has three 1-junctions of three flows each: the velocity of its centre of mass and its
angular velocity along world axes, and the latter along its own axes, behind the rotation, with its
inertia and the gyrator of Euler's equations ω × J ω. A joint is two 0-junctions of the body that it
carries, the one that carries it and the rates of its coordinates. Elements of what constraints
forbid, forces and springs hang on 0-junctions of the velocities that they meet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from touchback.dynamics.bond_graph import (
    EFFORT,
    FLOW,
    INERTIA,
    ONE,
    RESISTOR,
    SPRING,
    STORES,
    TRANSFORMER,
    ZERO,
    ForceRecorder,
    Node,
    assign_causality,
)
from touchback.dynamics.constraint_row import Row
from touchback.dynamics.forward_dynamics import configuration_rate
from touchback.dynamics.mechanism_instant import Instant, passive_effort
from touchback.errors import ModelError
from touchback.model import GROUND, Frame, Joint, SpringDamper, is_zero, line_between
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import skew
from touchback.symbolic import Tape, jvp

MODULATED, GYRATOR = "MTF", "EJS"
JUNCTIONS = (ONE, ZERO, MODULATED)
_NOTHING = 1e-9  # of an entry: a flow that makes none of another


@dataclass(frozen=True)
class NodeValues:
    """What a node is at a state; along world axes but for inertias, which stand along those of
    their body. Flows and efforts are those of its bond, along which power counts into the element.

    `matrix` is T of an MTF, f_head = T f_tail and e_tail = Tᵀ e_head, with its `rate`; M of an I,
    e = M ḟ; G of an EJS, e = G f and G = −Gᵀ. `effort` is that of Se, C and R, `flow` that of Sf,
    with its `flow_rate`."""

    matrix: np.ndarray | None = None
    rate: np.ndarray | None = None
    effort: np.ndarray | None = None
    flow: np.ndarray | None = None
    flow_rate: np.ndarray | None = None


@dataclass(frozen=True)
class Multibond:
    """A bond of `size` flows and efforts along which power counts positive from `tail` to `head`.
    `strokes` has for each component the end that tells the other its flow and takes the effort."""

    tail: Node
    head: Node
    strokes: tuple[Node, ...]

    @property
    def size(self) -> int:
        """How many flows it has."""
        return len(self.strokes)

    @property
    def element(self) -> Node | None:
        """The element at its head."""
        return None if self.head.kind in JUNCTIONS else self.head

    @property
    def causality(self) -> tuple[str, ...]:
        """Of each component: "integral" or "derivative" at a store, else "flow" or "effort": what
        the tail gives."""
        if self.head.kind in STORES:
            inertia = self.head.kind == INERTIA
            return tuple(
                "integral" if (end == self.head) is inertia else "derivative"
                for end in self.strokes
            )
        return tuple("flow" if end == self.tail else "effort" for end in self.strokes)


@dataclass(frozen=True)
class MultibondGraph:
    """Nodes, vector bonds with the causality of each component, and what the nodes are at a state:
    `values`. `loops` and `conflicts` are as in a `BondGraph`."""

    nodes: tuple[Node, ...]
    bonds: tuple[Multibond, ...]
    values: Mapping[Node, NodeValues]
    loops: tuple[str, ...]
    conflicts: tuple[str, ...]

    @property
    def integral(self) -> tuple[str, ...]:
        """Components of stores with states of their own."""
        return self._stores("integral")

    @property
    def derivative(self) -> tuple[str, ...]:
        """Components of stores without: their efforts follow from rates of the others' states."""
        return self._stores("derivative")

    def _stores(self, word: str) -> tuple[str, ...]:
        return tuple(
            str(_component(bond.head, bond.size, i))
            for bond in self.bonds
            for i, own in enumerate(bond.causality)
            if own == word and self._is_stored(bond.head, i)
        )

    def _is_stored(self, node: Node, i: int) -> bool:
        matrix = self.values[node].matrix
        return matrix is None or bool(matrix[i].any())

    def as_dict(self) -> dict[str, object]:
        """All of it as lists of words and numbers, for JSON."""
        return {
            "nodes": [
                {"kind": node.kind, "name": node.name}
                | {
                    word: given.tolist()
                    for word, given in vars(self.values.get(node, NodeValues())).items()
                    if given is not None
                }
                for node in self.nodes
            ],
            "bonds": [
                {
                    "from": str(x.tail), "to": str(x.head), "size": x.size,
                    "strokes": [str(end) for end in x.strokes], "causality": list(x.causality),
                }
                for x in self.bonds
            ],
            "integral": list(self.integral), "derivative": list(self.derivative),
            "loops": list(self.loops), "conflicts": list(self.conflicts),
        }  # fmt: skip

    def __str__(self) -> str:
        """A line for each bond with its size and, of each component, the end of its stroke: "1 cart
        v ⇉3 I cart mass: integral, derivative, derivative"."""
        lines = [f"{x.tail} ⇉{x.size} {x.head}: {', '.join(x.causality)}" for x in self.bonds]
        for word in ("integral", "derivative", "loops", "conflicts"):
            lines.append(f"{word}: {', '.join(getattr(self, word)) or 'none'}")
        return "\n".join(lines)


@dataclass
class MultibondLayout:
    """A graph over a tape: bonds with their sizes, and the entries of what nodes are."""

    bonds: list[tuple[Node, Node, int]] = field(default_factory=list)
    parts: dict[tuple[Node, str], Matrix] = field(default_factory=dict)

    def scalars(self) -> list[Scalar]:
        """All entries in a row."""
        return [x for part in self.parts.values() for row in part for x in row]

    def graph(self, numbers: np.ndarray, stirred: np.ndarray) -> MultibondGraph:
        """The graph at a state, of its entries there; its causality is that of positions where
        nothing vanishes by chance, `stirred`."""
        pattern = self._values(stirred)
        pairs, origin, owner = _expanded(self.bonds, pattern)
        found = assign_causality(pairs)
        strokes: dict[tuple[int, int], bool] = {}
        for bond, at in zip(found.bonds, origin, strict=True):
            if at is not None:
                strokes[at] = bond.stroke == bond.tail
        bonds = tuple(
            Multibond(tail, head, tuple(tail if strokes[k, i] else head for i in range(size)))
            for k, (tail, head, size) in enumerate(self.bonds)
        )
        nodes = tuple(dict.fromkeys(x for tail, head, _ in self.bonds for x in (tail, head)))
        told = (
            tuple(dict.fromkeys(owner[name] for name in names))
            for names in (found.loops, found.conflicts)
        )
        return MultibondGraph(nodes, bonds, self._values(numbers), *told)

    def _values(self, numbers: np.ndarray) -> dict[Node, NodeValues]:
        found: dict[Node, dict[str, np.ndarray]] = {}
        place = 0
        for (node, word), part in self.parts.items():
            shape = len(part), len(part[0])
            own = numbers[place : place + shape[0] * shape[1]].reshape(shape)
            place += own.size
            found.setdefault(node, {})[word] = own if word in ("matrix", "rate") else own[0]
        return {node: NodeValues(**own) for node, own in found.items()}


def _component(node: Node, size: int, i: int) -> Node:
    """A component as a node of scalars: "x", "y" or "z" of three, else its number."""
    if size == 1:
        return node
    return Node(node.kind, f"{node.name} {'xyz'[i] if size == 3 else i + 1}")


Scalars = list[tuple[Node, Node]]


def _expanded(
    bonds: Sequence[tuple[Node, Node, int]], values: Mapping[Node, NodeValues]
) -> tuple[Scalars, list[tuple[int, int] | None], dict[str, str]]:
    """Scalar bonds, of each the multibond and component that it is, and the vector nodes of scalar
    ones by their texts. A transformer's entries are scalar transformers between 1-junctions of what
    goes in and 0-junctions of what comes out; what has no inertia, and gyrators, are efforts."""
    pairs: Scalars = []
    origin: list[tuple[int, int] | None] = []
    owner: dict[str, str] = {}

    def end(node: Node, size: int, i: int, word: str) -> Node:
        matrix = None if node not in values else values[node].matrix
        made = _component(node, size, i)
        if node.kind == MODULATED:
            made = Node(ONE if word == "in" else ZERO, f"{node.name} {word} {i + 1}")
        elif node.kind == GYRATOR or (
            node.kind == INERTIA and matrix is not None and not matrix[i].any()
        ):
            made = Node(EFFORT, f"{made}")
        owner[str(made)] = str(node)
        return made

    for k, (tail, head, size) in enumerate(bonds):
        for i in range(size):
            pairs.append((end(tail, size, i, "out"), end(head, size, i, "in")))
            origin.append((k, i))
    for node, own in values.items():
        if node.kind != MODULATED or own.matrix is None:
            continue
        for i, j in np.argwhere(np.abs(own.matrix) > _NOTHING):
            scalar = Node(TRANSFORMER, f"{node.name} {i + 1} {j + 1}")
            owner[str(scalar)] = str(node)
            sides = end(node, 0, int(j), "in"), end(node, 0, int(i), "out")
            pairs += [(sides[0], scalar), (scalar, sides[1])]
            origin += [None, None]
    return pairs, origin, owner


def multibond_layout(
    tape: Tape, instant: Instant, rows: Mapping[str, Sequence[Row]]
) -> MultibondLayout:
    """The graph at an instant over a tape whose rigid joints are kept; `rows` has of every
    constraint those that add something to the others."""
    return _Builder(tape, instant).layout(rows)


class _Builder:
    """Adds bonds in the order in which causality is tried."""

    def __init__(self, tape: Tape, instant: Instant) -> None:
        if instant.fluids:
            raise ModelError(
                "Bond graph: bodies that let fluid move along have no inertia of their own axes; "
                "take tb.bond_graph(system, vectors=False)."
            )
        self.tape, self.instant, self.made = tape, instant, MultibondLayout()
        self.flow = dict(zip(instant.at.q, configuration_rate(instant), strict=True))
        self.flow |= {instant.at.time: 1}
        bodies = instant.model.bodies
        self.centres = {name: Frame(name, body.com) for name, body in bodies.items()}
        self.centres[GROUND] = Frame(GROUND)
        self.freedoms = {
            instant.freedom(name, i): (name, i)
            for name, joint in instant.model.joints.items()
            for i in range(joint.kind.nv)
        }

    def layout(self, rows: Mapping[str, Sequence[Row]]) -> MultibondLayout:
        for name, own in rows.items():
            self._add_constraint(name, own)
        for name, joint in self.instant.model.joints.items():
            self._add_joint(name, joint)
        self._add_ground()
        for name in self.instant.model.bodies:
            self._add_body(name)
        for name, kind in self.instant.model.forces.items():
            if isinstance(kind, SpringDamper):
                self._add_spring(name, kind)
            else:
                met = ForceRecorder(self.instant)
                kind.apply(met)
                self._add_force(name, met)
        return self.made

    # ---- pieces ---------------------------------------------------------------------------------

    def _bond(self, tail: Node, head: Node, size: int) -> None:
        self.made.bonds.append((tail, head, size))

    def _element(self, junction: Node, kind: str, name: str, size: int, **parts: Matrix) -> None:
        element = Node(kind, name)
        self._bond(junction, element, size)
        for word, part in parts.items():
            self.made.parts[element, word] = part

    def _transform(self, tail: Node, head: Node, name: str, matrix: Matrix) -> None:
        """A modulated transformer from one junction to another; none where all of it is zero."""
        if not any(x for row in matrix for x in row):
            return
        node = Node(MODULATED, name)
        self._bond(tail, node, len(matrix[0]))
        self._bond(node, head, len(matrix))
        self.made.parts[node, "matrix"] = matrix
        self.made.parts[node, "rate"] = [self._rate(row) for row in matrix]

    def _rate(self, nodes: Sequence[Scalar]) -> list[Scalar]:
        return list(jvp(self.tape, [int(x) for x in nodes], self.flow))

    def _turning(self, body: str) -> Node:
        return Node(ONE, f"{body} ω")

    def _moving(self, body: str) -> Node:
        return Node(ONE, f"{body} v")

    def _arm(self, body: str, point: Vector) -> list[list[Scalar]]:
        """From the centre of mass to a point, as r̃."""
        r = self.instant.vectors.sub(point, self.instant.position(self.centres[body]))
        return skew(r)

    def _add_velocity(self, junction: Node, body: str, point: Vector, sign: int = 1) -> None:
        """The velocity of a body's point, v + ω × r, into a 0-junction, or out of it (−1)."""
        ends = (self._moving(body), junction)
        self._bond(*(ends if sign > 0 else ends[::-1]), 3)
        arm = [[-sign * int(x) for x in row] for row in self._arm(body, point)]
        self._transform(self._turning(body), junction, f"{body} ω at {junction.name}", arm)

    def _add_rates(self, junction: Node, name: str, nodes: Sequence[Scalar]) -> None:
        """What the rates of a joint's coordinates make of flows, into a 0-junction."""
        joint, v = self.instant.model.joints[name], self.instant.at.v
        columns = [
            jvp(self.tape, [int(x) for x in nodes], {v[self.instant.freedom(name, i)]: 1})
            for i in range(joint.kind.nv)
        ]
        matrix = [list(row) for row in zip(*columns, strict=True)]
        if columns:
            self._transform(Node(ONE, name), junction, f"{name} to {junction.name}", matrix)

    # ---- objects --------------------------------------------------------------------------------

    def _add_constraint(self, name: str, rows: Sequence[Row]) -> None:
        """A source of the flows that are forbidden or prescribed; its efforts are −λ."""
        for row in rows:
            if row.through or row.friction is not None:
                what = "a motor elsewhere keeps" if row.through else "rubs by its own force"
                raise ModelError(
                    f"Bond graph: constraint '{row.name}' isn't a bond, since {what}"
                    f"{' it' if row.through else ''}; take tb.bond_graph(system, vectors=False)."
                )
        junction = Node(ZERO, name)
        if rows[0].actions:
            self._add_actions(junction, rows)
            given: list[Scalar] = [0] * len(rows)
        else:
            given = [row.b for row in rows]
            for joint in self.instant.model.joints:
                own = [i for i, (other, _) in self.freedoms.items() if other == joint]
                matrix = [[row.J.get(i, 0) for i in own] for row in rows]
                self._transform(Node(ONE, joint), junction, f"{joint} to {name}", matrix)
        self._element(junction, FLOW, name, len(rows), flow=[given], flow_rate=[self._rate(given)])

    def _add_actions(self, junction: Node, rows: Sequence[Row]) -> None:
        """What a closure does to bodies is, transposed, what they make of its flows."""
        instant, vectors, k = self.instant, self.instant.vectors, self.instant.k
        forces: dict[str, list[Vector]] = {}
        moments: dict[str, list[Vector]] = {}
        for i, row in enumerate(rows):
            for action in row.actions:
                R = instant.link_pose(action.common)[0]
                body = action.frame.body
                force, torque = (vectors.apply(R, x) for x in (action.force, action.torque))
                arm = vectors.sub(
                    instant.position(action.frame), instant.position(self.centres[body])
                )
                moment = vectors.add(torque, vectors.cross(arm, force))
                for found, part in ((forces, force), (moments, moment)):
                    own = found.setdefault(body, [[0, 0, 0] for _ in rows])
                    own[i] = [k.add(x, y) for x, y in zip(own[i], part, strict=True)]
        for body in forces:
            self._transform(
                self._moving(body), junction, f"{body} v to {junction.name}", forces[body]
            )
            self._transform(
                self._turning(body), junction, f"{body} ω to {junction.name}", moments[body]
            )

    def _add_joint(self, name: str, joint: Joint) -> None:
        """ω_B = ω_A + S_ω q̇ and, at the child's frame, v_B = v_A + S_v q̇: their efforts are the
        moment and the force on B there."""
        instant, carrier, carried = self.instant, joint.parent.body, joint.child.body
        here, k = Node(ONE, name), instant.k
        turn, move = Node(ZERO, f"{name} ω"), Node(ZERO, f"{name} v")
        at = instant.position(joint.child)
        size = joint.kind.nv
        own = [instant.freedom(name, i) for i in range(size)]
        rotors = instant.armature()
        if any(rotors[i] for i in own):
            matrix = [[rotors[i] if i == j else 0 for j in own] for i in own]
            self._element(here, INERTIA, f"{name} rotor", size, matrix=matrix)
        self._bond(self._turning(carrier), turn, 3)
        self._add_rates(turn, name, instant.angular_velocity(joint.child))
        self._bond(turn, self._turning(carried), 3)
        self._add_velocity(move, carrier, at)
        self._add_rates(move, name, instant.velocity(joint.child))
        self._add_velocity(move, carried, at, -1)
        passive = [-int(passive_effort(instant, name, joint, i)) for i in range(size)]
        springs: list[Scalar] = [0] * size
        if joint.spring and not all(map(is_zero, joint.spring)):
            rests = joint.rest or (0.0,) * size
            stretch = [
                k.sub(instant.coordinate(name, i), instant.value(rests[i])) for i in range(size)
            ]
            springs = [k.mul(instant.value(x), y) for x, y in zip(joint.spring, stretch)]
            self._element(here, SPRING, f"{name} spring", size, effort=[springs])
        left = [k.sub(x, y) for x, y in zip(passive, springs, strict=True)]
        if any(left):
            self._element(here, RESISTOR, f"{name} friction", size, effort=[left])

    def _add_ground(self) -> None:
        instant, ground = self.instant, Frame(GROUND)
        for junction, word, given in (
            (self._turning(GROUND), "ω", instant.angular_velocity(ground)),
            (self._moving(GROUND), "v", instant.velocity(ground)),
        ):
            used = any(junction in (tail, head) for tail, head, _ in self.made.bonds)
            if used:
                rate = [self._rate(given)]
                name = f"{GROUND} {word}"
                self._element(junction, FLOW, name, 3, flow=[given], flow_rate=rate)

    def _add_body(self, name: str) -> None:
        instant, vectors, body = self.instant, self.instant.vectors, self.instant.model.bodies[name]
        tensor = [[instant.value(x) for x in row] for row in body.tensor()]
        if any(x for row in tensor for x in row):
            R, own = instant.rotation(Frame(name)), Node(ONE, f"{name} ω in own axes")
            columns = [list(row) for row in zip(*R, strict=True)]
            self._transform(self._turning(name), own, f"{name} axes", columns)
            self._element(own, INERTIA, f"{name} inertia", 3, matrix=tensor)
            omega = vectors.apply_transposed(R, instant.angular_velocity(Frame(name)))
            momentum = vectors.apply(tensor, omega)
            gyration = [[-int(x) for x in row] for row in skew(momentum)]
            self._element(own, GYRATOR, f"{name} gyration", 3, matrix=gyration)
        mass = instant.value(body.mass)
        if mass:
            here = self._moving(name)
            matrix = [[mass if i == j else 0 for j in range(3)] for i in range(3)]
            self._element(here, INERTIA, f"{name} mass", 3, matrix=matrix)
            weight = [-int(instant.k.mul(mass, x)) for x in instant.gravity()]
            if any(weight):
                self._element(here, EFFORT, f"{name} weight", 3, effort=[weight])

    def _add_spring(self, name: str, kind: SpringDamper) -> None:
        """Along the line between its points; C k (l − l₀) and R c l̇."""
        instant, k, junction = self.instant, self.instant.k, Node(ZERO, name)
        length, rate, direction = line_between(instant, kind.a, kind.b)
        along = Node(ONE, f"{name} length")
        self._add_velocity(junction, kind.b.body, instant.position(kind.b))
        self._add_velocity(junction, kind.a.body, instant.position(kind.a), -1)
        self._transform(junction, along, f"{name} line", [direction])
        if not is_zero(kind.stiffness):
            stretch = k.sub(length, instant.value(kind.length))
            pull = k.mul(instant.value(kind.stiffness), stretch)
            self._element(along, SPRING, name, 1, effort=[[pull]])
        if not is_zero(kind.damping):
            drag = k.mul(instant.value(kind.damping), rate)
            self._element(along, RESISTOR, name, 1, effort=[[drag]])

    def _add_force(self, name: str, met: ForceRecorder) -> None:
        """Sources of effort at the points and in the coordinates where it acts."""
        for number, (frame, force, torque) in enumerate(met.pushes):
            word = f"{name} on {frame.body}" + (f" {number + 1}" if number else "")
            if any(force):
                junction = Node(ZERO, word)
                self._add_velocity(junction, frame.body, self.instant.position(frame))
                self._element(junction, EFFORT, word, 3, effort=[[-int(x) for x in force]])
            if torque is not None and any(torque):
                moment = [-int(x) for x in torque]
                turning = self._turning(frame.body)
                self._element(turning, EFFORT, f"{word}, moment", 3, effort=[moment])
        efforts: dict[str, list[Scalar]] = {}
        for freedom, effort in met.efforts:
            joint, i = self.freedoms[freedom]
            own = efforts.setdefault(joint, [0] * self.instant.model.joints[joint].kind.nv)
            own[i] = self.instant.k.sub(own[i], effort)
        for joint, own in efforts.items():
            word = f"{name} in {joint}" if met.pushes or len(efforts) > 1 else name
            self._element(Node(ONE, joint), EFFORT, word, len(own), effort=[own])


def rows_by_constraint(
    model_rows: Mapping[str, Sequence[str]], rows: Sequence[Row], left_out: Sequence[str]
) -> Iterator[tuple[str, list[Row]]]:
    """Constraints with those of their rows that aren't left out, if any."""
    known = {row.name: row for row in rows}
    for name, own in model_rows.items():
        kept = [known[row] for row in own if row in known and row not in left_out]
        if kept:
            yield name, kept
