"""Causality of bond graphs against textbooks: Karnopp, Margolis, Rosenberg, System Dynamics, ch. 5
(assignment), and as many integral inertias as a mechanism has freedoms."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import touchback as tb
from touchback import draw, gallery
from touchback.dynamics.bond_graph import CausalBond, Node, assign_causality


def one_mass(**joint: float) -> tb.Model:
    m = tb.Model("mass, spring and damper", gravity=(0, 0, 0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0), **joint)
    m.force("push", tb.JointEffort("x", m.input("push", unit="N")))
    return m


def causality(graph: tb.BondGraph) -> dict[str, str]:
    return {str(x.element): x.causality for x in graph.bonds if x.element is not None}


def test_a_mass_on_a_spring_and_damper_has_two_states_at_one_junction() -> None:
    graph = tb.bond_graph(one_mass(spring=4.0, damping=0.3).compile(), vectors=False)
    assert [node for node in graph.nodes if node.kind == "1"] == [Node("1", "x")]
    found = causality(graph)
    assert found["I cart mass x"] == "integral"
    assert found["C x spring"] == "integral"
    assert found["R x damping"] == "resistance"  # its flow is the mass's: it answers by effort
    assert found["Se push"] == "flow"  # the junction tells it the flow
    assert (graph.derivative, graph.loops, graph.conflicts) == ((), (), ())


def test_two_masses_that_move_together_have_one_state() -> None:
    m = one_mass()
    m.joint("rigid", tb.Fixed(), "cart", m.body("load", mass=2.0))
    graph = tb.bond_graph(m.compile(), vectors=False)
    assert graph.integral == ("I cart mass x",)
    assert graph.derivative == ("I load mass x",)


def test_a_mass_that_a_drive_moves_has_none() -> None:
    m = one_mass(spring=4.0)
    m.drive("x", tb.sin(m.time))
    graph = tb.bond_graph(m.compile(), vectors=False)
    assert graph.derivative == ("I cart mass x",)
    assert graph.integral == ("C x spring",)
    assert causality(graph)["Sf x"] == "effort"  # the source tells the flow


def test_a_pendulum_of_a_point_mass_has_one_of_two_inertias_in_derivative_causality() -> None:
    m = tb.Model("pendulum")
    bob = m.body("bob", mass=1.0, com=(0, 0, -1.0))
    m.joint("hinge", tb.Revolute("y"), m.ground, bob, position=0.3)
    graph = tb.bond_graph(m.compile(), vectors=False)
    assert graph.integral == ("I bob mass x",)
    assert graph.derivative == ("I bob mass z",)
    kinds = [node.kind for node in graph.nodes]
    assert kinds.count("TF") == 2  # l cos θ and l sin θ


def test_a_slider_crank_has_one_integral_inertia_and_names_the_dependent_ones() -> None:
    graph = tb.bond_graph(gallery.make("slider-crank").compile(), vectors=False)
    assert graph.integral == ("I crank inertia y", "C spring")
    assert set(graph.derivative) == {
        "I crank mass x", "I crank mass z", "I rod inertia y", "I rod mass x", "I rod mass z",
        "I slider mass x",
    }  # fmt: skip
    assert not graph.conflicts
    assert not graph.loops  # the crank gives the rod's rate, both the slider's: one after the other


def test_rates_of_a_four_bar_that_only_follow_together_are_a_named_loop() -> None:
    graph = tb.bond_graph(gallery.make("crank-rocker").compile(), vectors=False)
    assert graph.loops == ("TF coupler to pin.1",)


def test_resistors_without_a_store_between_them_close_an_algebraic_loop() -> None:
    source, first, second = Node("Se", "u"), Node("R", "1"), Node("R", "2")
    one, zero = Node("1", "a"), Node("0", "b")
    bonds = [(source, one), (one, first), (one, zero), (zero, second)]
    assert assign_causality(bonds).loops == ("R 1",)
    capacitor = assign_causality([*bonds, (zero, Node("C", "c"))])
    assert capacitor.loops == ()
    assert causality(capacitor)["R 1"] == "conductance"
    assert causality(capacitor)["R 2"] == "conductance"  # both get their effort from C


def test_sources_that_contradict_each_other_are_named() -> None:
    one = Node("1", "a")
    graph = assign_causality([(one, Node("Sf", "first")), (one, Node("Sf", "second"))])
    assert graph.conflicts == ("Sf second",)


@pytest.mark.parametrize(
    "name", ["double-pendulum", "cart-pole", "crank-rocker", "suspension", "stewart-platform",
             "four-bars", "omni-wheel"],
)  # fmt: skip
def test_mechanisms_have_as_many_integral_inertias_as_freedoms_and_keep_all_junctions_rules(
    name: str,
) -> None:
    system = gallery.make(name).compile()
    graph = tb.bond_graph(system, vectors=False)
    freedoms = system.freedoms().freedoms if system.constrained else system.sizes[1]
    assert sum(x.startswith("I ") for x in graph.integral) == freedoms
    assert not graph.conflicts
    at: dict[Node, list[CausalBond]] = {}
    for bond in graph.bonds:
        for node in (bond.tail, bond.head):
            at.setdefault(node, []).append(bond)
    for node, bonds in at.items():
        strokes = sum(bond.stroke == node for bond in bonds)
        if node.kind in ("1", "0", "TF"):
            assert strokes == (len(bonds) - 1 if node.kind == "1" else 1)
        elif node.kind in ("Se", "Sf"):
            assert strokes == (node.kind == "Sf")


def test_a_graph_is_read_as_text_and_as_words_and_drawn_with_a_stroke_for_each_bond() -> None:
    graph = tb.bond_graph(gallery.make("slider-crank").compile(), vectors=False)
    assert "1 crank ⇀| I crank inertia y: integral" in str(graph).splitlines()
    words = json.loads(json.dumps(graph.as_dict()))
    assert words["bonds"][0] == {
        "from": "1 crank", "to": "TF crank to pin.1", "stroke": "1 crank", "causality": "flow",
    }  # fmt: skip
    assert words["derivative"] == list(graph.derivative)
    svg = ElementTree.fromstring(draw.bond_graph_svg(graph))
    strokes = svg.findall(".//{*}line[@class='stroke']")
    assert len(strokes) == len(graph.bonds)
