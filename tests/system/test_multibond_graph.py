"""Multibond graphs against the equations of motion: a solver that reads only the graph finds the
same accelerations, multipliers and wrenches in joints."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest

import touchback as tb
from touchback import draw, gallery
from touchback.dynamics.bond_graph import Node
from touchback.dynamics.multibond_graph import MultibondGraph


def pendulum() -> tb.Model:
    m = tb.Model("pendulum")
    rod = m.body("rod", mass=1.2, com=(0.1, 0.0, -0.8), inertia=(0.02, 0.03, 0.04, 0.002, 0.0, 0.0))
    m.joint("hinge", tb.Revolute((0.1, 1.0, 0.2)), m.ground, rod, position=0.7, damping=0.05,
            spring=2.0, rest=0.1, armature=0.01)  # fmt: skip
    return m


def spatial_double_pendulum(moving: bool = False) -> tb.Model:
    """Joints of two and three freedoms, a spring and a damper across, drag, and what isn't along
    its own axes; the ground may move."""
    m = tb.Model("spatial double pendulum")
    if moving:
        m.move_base(position=(0.1 * tb.sin(3.0 * m.time), 0.0, 0.0), turn=("z", 0.5 * m.time))
    upper = m.body(
        "upper", mass=1.0, com=(0.05, 0, -0.25), inertia=(0.02, 0.03, 0.02, 1e-3, 0, 2e-3)
    )
    lower = m.body("lower", mass=0.7, com=(0, 0.02, -0.3), inertia=(0.02, 0.03, 0.012))
    m.joint("shoulder", tb.Universal("y", "x"), m.ground.at(0, 0, 1), upper, position=(0.5, 0.2))
    m.joint("elbow", tb.Spherical(), upper.at(0, 0, -0.5, turn=("z", 0.3)), lower.at(0, 0, 0.05))
    m.force("across", tb.SpringDamper(m.ground.at(0.4, 0, 0), lower.at(0, 0, -0.6), 30, 0.3, 0.4))
    m.force("air", tb.Drag(lower.at(0.1, 0, 0.1), area=0.5, flow=(-3.0, 0.5, 0.0)))
    m.force("motor", tb.JointEffort("shoulder", 0.3 * m.input("motor", default=1.0), index=1))
    return m


def driven_four_bar() -> tb.Model:
    """Redundant rows of spatial pins in a plane; the crank is driven, the coupler has a glued
    load."""
    m = tb.Model("four-bar")
    crank = m.body("crank", mass=0.3, com=(0.1, 0, 0), inertia=(1e-4, 1e-3, 1e-3))
    coupler = m.body("coupler", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 3e-3, 3e-3))
    rocker = m.body("rocker", mass=0.4, com=(0.15, 0, 0), inertia=(1e-4, 2e-3, 2e-3))
    m.joint("crank", tb.Revolute("y"), m.ground, crank, position=-1.2)
    m.joint("coupler", tb.Revolute("y"), crank.at(0.2, 0, 0), coupler, position=0.9)
    m.joint("rocker", tb.Revolute("y"), m.ground.at(0.4, 0, 0), rocker, position=-1.4)
    m.joint("glue", tb.Fixed(), coupler.at(0.1, 0.2, 0.3), m.body("load", mass=0.1))
    m.close("pin", tb.Revolute("y"), coupler.at(0.45, 0, 0), rocker.at(0.3, 0, 0))
    m.drive("crank", -1.2 + 2.0 * m.time + 0.3 * tb.sin(5.0 * m.time))
    return m


def geared_slide() -> tb.Model:
    """A relation between coordinates, a rolling disc and a rod of constant length."""
    m = tb.Model("geared slide")
    slide, screw = (m.body(x, mass=1.0, com=(0.1, 0, 0.2), inertia=(0.1, 0.12, 0.15)) for x in "ab")
    disc = m.body("disc", mass=1.5, inertia=(0.03, 0.06, 0.03))
    m.joint("slide", tb.Prismatic((1.0, 0.5, 0.0)), m.ground, slide)
    m.joint("screw", tb.Screw("z", pitch=0.05), slide, screw)
    m.joint("free", tb.Free(), m.ground, disc, position=(0.1, 2.0, 0.35, 1.0, 0.15, 0.05, 0.3))
    m.couple("gear", tb.Gear("slide", "screw", ratio=3.0))
    m.close("slope", tb.Rolling(0.3), m.ground.at(0, 0, 0, ("y", 0.1)), disc)
    return m


MODELS: dict[str, Callable[[], tb.Model]] = {
    "pendulum": pendulum,
    "spatial double pendulum": spatial_double_pendulum,
    "on a moving ground": partial(spatial_double_pendulum, True),
    "driven four-bar": driven_four_bar,
    "geared slide": geared_slide,
    **{
        name: partial(gallery.make, name)
        for name in ("slider-crank", "crank-rocker", "omni-wheel", "suspension", "cart-pole")
    },
}


class Solved:
    """Flows, their rates and efforts of all bonds, by numbers and laws of the graph's nodes alone
    and, of the state, the flows at 1-junctions of joints."""

    def __init__(self, graph: MultibondGraph, rates: dict[str, np.ndarray]) -> None:
        self.graph = graph
        self.starts = np.concatenate([[0], np.cumsum([bond.size for bond in graph.bonds])])
        self.count = int(self.starts[-1])
        self.at: dict[Node, list[tuple[int, int]]] = {node: [] for node in graph.nodes}
        for k, bond in enumerate(graph.bonds):
            self.at[bond.tail].append((k, -1))
            self.at[bond.head].append((k, 1))
        self.flows = self._flows(rates)
        self.flow_rates, self.efforts = self._motion()

    def of(self, values: np.ndarray, bond: int) -> np.ndarray:
        return values[self.starts[bond] : self.starts[bond + 1]]

    def _picked(self, bond: int, count: int = 1, second: bool = False) -> np.ndarray:
        """The rows that take a bond's components, of `count` kinds of unknowns the second."""
        start, size = self.starts[bond], self.graph.bonds[bond].size
        rows = np.zeros((size, count * self.count))
        rows[:, int(second) * self.count + start :][:, :size] = np.eye(size)
        return rows

    def _kinematics(self, count: int, rates: bool) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """What junctions, transformers and flow sources say of flows, or of their rates."""
        left: list[np.ndarray] = []
        right: list[np.ndarray] = []
        for node, ends in self.at.items():
            values, flow = self.graph.values.get(node), partial(self._picked, count=count)
            found: list[tuple[np.ndarray, np.ndarray | float]] = []
            if node.kind == "1":
                found = [(flow(k) - flow(ends[0][0]), 0.0) for k, _ in ends[1:]]
            elif node.kind == "0":
                found = [(sum(sign * flow(k) for k, sign in ends), 0.0)]
            elif node.kind == "MTF":
                into, out = sorted(ends, key=lambda end: -end[1])
                known = values.rate @ self.of(self.flows, into[0]) if rates else 0.0
                found = [(flow(out[0]) - values.matrix @ flow(into[0]), known)]
            elif node.kind == "Sf":
                found = [(flow(ends[0][0]), values.flow_rate if rates else values.flow)]
            for rows, known in found:
                left.append(rows)
                right.append(np.broadcast_to(known, len(rows)))
        return left, right

    def _flows(self, rates: dict[str, np.ndarray]) -> np.ndarray:
        left, right = self._kinematics(1, False)
        for joint, rate in rates.items():
            if len(rate) and Node("1", joint) in self.at:
                left.append(self._picked(self.at[Node("1", joint)][0][0]))
                right.append(rate)
        return solve(left, right)

    def _motion(self) -> tuple[np.ndarray, np.ndarray]:
        left, right = self._kinematics(2, True)
        for node, ends in self.at.items():
            values, effort = (
                self.graph.values.get(node),
                partial(self._picked, count=2, second=True),
            )
            first = ends[0][0]
            if node.kind == "0":
                left += [effort(k) - effort(first) for k, _ in ends[1:]]
            elif node.kind == "1":
                left.append(sum(sign * effort(k) for k, sign in ends))
            elif node.kind == "MTF":
                into, out = sorted(ends, key=lambda end: -end[1])
                left.append(effort(into[0]) - values.matrix.T @ effort(out[0]))
            elif node.kind == "I":
                left.append(effort(first) - values.matrix @ self._picked(first, 2))
            elif node.kind == "EJS":
                left.append(effort(first))
                right.append(values.matrix @ self.of(self.flows, first))
            elif node.kind in ("Se", "C", "R"):
                left.append(effort(first))
                right.append(values.effort)
            while len(right) < len(left):
                right.append(np.zeros(len(left[len(right)])))
        return tuple(np.split(solve(left, right), 2))


def solve(left: list[np.ndarray], right: list[np.ndarray]) -> np.ndarray:
    """The one solution of equations that agree, refined: inertias of rollers are some 1e-7."""
    A, b = np.concatenate(left), np.concatenate(right)
    Q, R = np.linalg.qr(A)
    assert np.abs(np.diag(R)).min() > 1e-10
    x = np.zeros(len(R))
    for _ in range(3):
        lacking = (b - A.astype(np.longdouble) @ x).astype(float)
        x = x + np.linalg.solve(R, Q.T @ lacking)
    np.testing.assert_allclose(A @ x, b, atol=1e-12 * max(1.0, np.abs(b).max()))
    return x


@pytest.fixture(scope="module", params=MODELS)
def solved(request: pytest.FixtureRequest) -> tuple[tb.System, np.ndarray, Solved, float]:
    """At a random state that meets the constraints, at 0.3 s."""
    system, t = MODELS[request.param]().compile(), 0.3
    start = system.assemble(t=t) if system.constrained else system.initial_state()
    nq, nv, _ = system.sizes
    if request.param == "omni-wheel":  # on the floor, where it came by rolling
        begun = system.assemble(rates={"wheel.vx": 0.3, "wheel.vy": 0.2, "wheel.wy": 12.0})
        run = tb.simulate(system, begun, 0.05, inputs={"axle torque": 0.05}, progress=False)
        x = np.array([run[name][-1] for name in system.state_names])
    else:
        x = start.x.copy()
        x[: nq + nv] += np.random.default_rng(3).normal(scale=0.1, size=nq + nv)
        x = system.consistent(x, t=t)[0] if system.constrained else x
    names = system.model.joints
    own = np.split(x[nq : nq + nv], np.cumsum([joint.kind.nv for joint in names.values()])[:-1])
    return system, x, Solved(tb.bond_graph(system, x, t=t), dict(zip(names, own, strict=True))), t


def test_the_graph_alone_gives_accelerations_multipliers_and_wrenches_in_joints(
    solved: tuple[tb.System, np.ndarray, Solved, float],
) -> None:
    system, x, found, t = solved
    q, v, z = np.split(x, np.cumsum(system.sizes)[:2])
    wanted = system.state_rate(q, v, z=z, t=t)[len(q) : len(q) + len(v)]
    junctions = [Node("1", name) for name, each in system.model.joints.items() if each.kind.nv]
    accelerations = [found.of(found.flow_rates, found.at[node][0][0]) for node in junctions]
    np.testing.assert_allclose(np.concatenate(accelerations), wanted, rtol=1e-9, atol=1e-9)
    if system.constrained and system.freedoms(q).redundant:
        return  # forces are one choice of many
    if system.constrained:
        sources = [name for name in system.model.constraint_rows() if Node("Sf", name) in found.at]
        forces = [-found.of(found.efforts, found.at[Node("Sf", name)][0][0]) for name in sources]
        known, rows = system.multipliers(q, v, z=z, t=t), system.model.constraint_rows()
        multipliers = [known[row] for name in sources for row in rows[name]]
        np.testing.assert_allclose(np.concatenate(forces), multipliers, rtol=1e-9, atol=1e-9)
    for port in tb.ports(system, x, t=t).bodies:
        kind, _, joint = port.owner.partition(" ")
        if kind == "joint" and system.model.joints[joint].child.body == port.body:
            for word, wanted in (("v", port.force), ("ω", port.torque)):
                bond = found.at[Node("0", f"{joint} {word}")][0][0]
                effort = found.of(found.efforts, bond)
                np.testing.assert_allclose(effort, wanted, rtol=1e-9, atol=1e-9)


def test_power_is_kept_by_every_junction_transformer_and_gyrator_and_by_the_whole(
    solved: tuple[tb.System, np.ndarray, Solved, float],
) -> None:
    _, _, found, _ = solved
    powers = [
        found.of(found.flows, k) @ found.of(found.efforts, k) for k in range(len(found.graph.bonds))
    ]
    flowing = sum(map(abs, powers))
    assert flowing > 0.0
    elements = 0.0
    for node, ends in found.at.items():
        balance = sum(sign * powers[k] for k, sign in ends)
        if node.kind in ("1", "0", "MTF", "EJS"):
            assert abs(balance) < 1e-12 * flowing
        else:
            elements += balance
    assert abs(elements) < 1e-11 * flowing


def test_every_component_has_a_stroke_that_keeps_the_rules_and_as_many_states_as_freedoms(
    solved: tuple[tb.System, np.ndarray, Solved, float],
) -> None:
    system, x, found, _ = solved
    graph = found.graph
    freedoms = (
        system.freedoms(x[: system.sizes[0]]).freedoms
        if system.constrained
        else len(system.layout.v)
    )
    assert sum(name.startswith("I ") for name in graph.integral) == freedoms
    assert graph.conflicts == ()
    for node, ends in found.at.items():
        bonds = [graph.bonds[k] for k, _ in ends]
        for i in range(bonds[0].size):
            strokes = sum(bond.strokes[i] == node for bond in bonds if i < bond.size)
            if node.kind == "1":
                assert strokes == len(bonds) - 1
            elif node.kind == "0":
                assert strokes == 1
            elif node.kind in ("Se", "Sf", "EJS"):
                assert strokes == (node.kind == "Sf")


def test_a_body_has_newtons_and_eulers_equations_behind_its_rotation() -> None:
    graph = tb.bond_graph(pendulum().compile())
    sizes = {(str(bond.tail), str(bond.head)): bond.size for bond in graph.bonds}
    assert sizes["1 rod ω", "MTF rod axes"] == sizes["1 rod ω in own axes", "EJS rod gyration"] == 3
    assert sizes["1 hinge", "MTF hinge to hinge ω"] == 1
    rotation = graph.values[Node("MTF", "rod axes")].matrix
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)
    gyration = graph.values[Node("EJS", "rod gyration")].matrix
    np.testing.assert_array_equal(gyration, -gyration.T)
    arm = graph.values[Node("MTF", "rod ω at hinge v")].matrix  # ω × r of r to the hinge
    np.testing.assert_allclose(np.linalg.norm(arm), np.sqrt(2 * (0.1**2 + 0.8**2)))
    assert graph.integral == ("I hinge rotor", "C hinge spring")


def test_a_multibond_graph_is_read_as_text_and_as_words_and_drawn() -> None:
    graph = tb.bond_graph(gallery.make("slider-crank").compile())
    assert "1 rod v ⇉3 I rod mass: derivative, derivative, derivative" in str(graph).splitlines()
    words = json.loads(json.dumps(graph.as_dict()))
    (gyration,) = (x["matrix"] for x in words["nodes"] if x["name"] == "rod gyration")
    assert np.shape(gyration) == (3, 3)
    assert sum(bond["size"] == 3 for bond in words["bonds"]) > 10
    svg = ElementTree.fromstring(draw.bond_graph_svg(graph))
    assert len(svg.findall(".//{*}polyline[@class='multibond']")) == len(graph.bonds)


@pytest.mark.parametrize("word", ["servo", "fluid"])
def test_what_isnt_a_bond_is_refused_by_name(word: str) -> None:
    if word == "fluid":
        system, said = gallery.make("buoy").compile(), "fluid move along"
    else:
        m = pendulum()
        m.joint("wheel", tb.Revolute("y"), "rod", m.body("wheel", mass=1.0, inertia=(1, 1, 1)))
        m.constrain("upright", m.coordinate("hinge") - 0.5, through="wheel")
        system, said = m.compile(), "constraint 'upright' isn't a bond"
    with pytest.raises(tb.ModelError, match=said):
        tb.bond_graph(system)
    assert tb.bond_graph(system, vectors=False).bonds
