"""A model prints as a tree that a person can read."""

import touchback as tb
from described_models import walker


def test_the_tree_shows_joints_bodies_and_everything_named() -> None:
    m = tb.Model("crane")
    load = m.parameter("load", 100.0, unit="kg", min=0.0, max=500.0)
    wind = m.input("wind", unit="m/s", min=0.0)
    boom = m.body("boom", mass=250.0, com=(2, 0, 0))
    hook = m.body("hook", mass=load + 5)
    m.joint("slew", tb.Revolute("z"), m.ground, boom)
    m.joint("hoist", tb.Prismatic("-z"), boom.at(4, 0, 0), hook)
    m.state("temperature", 20.0, rate=lambda T: (20.0 - T) / 60, unit="K")
    m.force("gust", tb.Wrench(boom, force=(wind, 0, 0)))
    m.sensor("height", tb.Position(hook))
    assert repr(m) == (
        "Model 'crane': 2 bodies, 2 joints, 2 freedoms of the tree\n"
        "ground\n"
        "└─ slew (revolute z) ─ boom, 250 kg\n"
        "   └─ hoist (prismatic -z) ─ hook, load + 5 kg\n"
        "\n"
        "parameters\n"
        "  load  100 kg  0 … 500\n"
        "\n"
        "inputs\n"
        "  wind  m/s  0 …\n"
        "\n"
        "states\n"
        "  temperature  from 20 K  rate 0.016666666666666666 * (20 - temperature)\n"
        "\n"
        "forces\n"
        "  gust  wrench boom\n"
        "\n"
        "sensors\n"
        "  height  position hook  [m]"
    )


def test_constraints_show_what_keeps_them_and_how_they_rub() -> None:
    m = tb.Model("block")
    for name in ("carriage", "block"):
        m.body(name, mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, "carriage")
    m.joint("z", tb.Prismatic("z"), "carriage", "block")
    mu = m.parameter("mu", 0.3)
    m.constrain("floor", m.coordinate("z"), friction=mu, slides=m.rate("x"))
    m.constrain("track", m.coordinate("x"), through="x")
    shown = repr(m)
    assert "  floor  'q:z' = 0  friction mu along 'v:x'" in shown
    assert "  track  'q:x' = 0  through x" in shown


def test_parts_are_shown_where_they_are_joined() -> None:
    lines = repr(walker()).splitlines()
    assert lines[2].startswith("└─ root (free) ─ trunk")
    assert lines[3].startswith("   ├─ left/hip (universal x -y: first, second) ─ left/thigh")
    assert lines[4].startswith("   │  └─ left/knee")


def test_faulty_models_print_too() -> None:
    m = tb.Model("parts")
    m.body("loose", mass=1.0)
    m.joint("a", tb.Revolute(), "x", "y")
    m.joint("b", tb.Revolute(), "y", "x")
    m.joint("c", tb.Revolute(), m.ground, "ghost")
    assert "ghost (not described)" in repr(m)
    assert "not connected to the ground: 'loose'" in repr(m)


def test_long_expressions_are_cut() -> None:
    m = tb.Model("long")
    p = m.parameter("p", 1.0)
    total = p
    for i in range(40):
        total = total * tb.sin(p + i)
    m.sensor("s", tb.Signal(total))
    assert max(map(len, repr(m).splitlines())) < 100


def test_components_of_a_distance_have_their_own_units() -> None:
    m = tb.Model("rope")
    load = m.body("load", mass=1.0)
    m.joint("rail", tb.Prismatic("z"), m.ground, load)
    m.sensor("rope", tb.Distance(m.ground, load.at(0, 0, 1)))
    system = m.compile()
    assert dict(zip(system.output_names, system.output_units)) == {
        "rope.length": "m",
        "rope.rate": "m/s",
    }
    assert "[m, m/s]" in str(m)


def test_a_chain_longer_than_pythons_stack_is_shown() -> None:
    m = tb.Model("chain")
    last = m.ground
    for i in range(1200):
        link = m.body(f"b{i}", mass=1.0)
        m.joint(f"j{i}", tb.Prismatic("x"), last, link)
        last = link
    assert "b1199, 1 kg" in repr(m)


def test_a_reactions_forces_and_moments_have_each_their_unit() -> None:
    m = tb.Model("door")
    m.joint("hinge", tb.Revolute("z"), m.ground, m.body("leaf", mass=20.0, com=(0.4, 0, 0)))
    m.sensor("hold", tb.Reaction("hinge"))
    assert m.compile().output_units == ["N", "N", "N", "N m", "N m", "N m"]
