"""Models inside models."""

import numpy as np
import pytest

import touchback as tb

G = 9.81


def leg() -> tb.Model:
    """A leg with a live length, a motor, a sensor, an extra state and a controller."""
    m = tb.Model("leg", gravity=(0, 0, -G))
    length = m.parameter("length", 0.4, min=0.1, max=1.0)
    thigh = m.body("thigh", 1.1, (0, 0, -length / 2), (0.01, 0.012, 0.003))
    shin = m.body("shin", 0.6, (0, 0, -0.2), (0.01, 0.01, 0.002))
    m.joint(
        "hip", tb.Universal("x", "y"), m.ground.at(0, 0.1, 0, turn=("x", 0.2)), thigh, damping=0.1
    )
    m.joint("knee", tb.Revolute("y"), thigh.at(0, 0, -length), shin)
    motor = m.input("motor")
    heat = m.state("heat", rate=lambda T: motor * motor - 0.1 * T)
    foot = m.sensor("foot", tb.Position(shin.at(0, 0, -0.4)))
    m.force("motor", tb.JointEffort("knee", motor * (1 - heat) + foot[2]))
    m.force("tendon", tb.SpringDamper(m.ground.at(0.1, 0, 0), shin, stiffness=30, length=0.3))
    m.control("hold", lambda q: -5 * q, of=["q:knee"], to="motor")
    return m


def by_hand(places: list[tuple[float, float]], lengths: list[float]) -> tb.Model:
    """The same legs written out under a body."""
    m = tb.Model("walker", gravity=(0, 0, -G))
    trunk = m.body("trunk", 5.0, inertia=(0.1, 0.2, 0.3))
    m.joint("trunk", tb.Free(), m.ground, trunk)
    for i, ((x, turn), length) in enumerate(zip(places, lengths)):
        thigh = m.body(f"thigh {i}", 1.1, (0, 0, -length / 2), (0.01, 0.012, 0.003))
        shin = m.body(f"shin {i}", 0.6, (0, 0, -0.2), (0.01, 0.01, 0.002))
        c, s = np.cos(turn), np.sin(turn)
        hip = trunk.at(x - 0.1 * s, 0.1 * c, 0, turn=[("z", turn), ("x", 0.2)])
        anchor = trunk.at(x + 0.1 * c, 0.1 * s, 0)
        m.joint(f"hip {i}", tb.Universal("x", "y"), hip, thigh, damping=0.1)
        m.joint(f"knee {i}", tb.Revolute("y"), thigh.at(0, 0, -length), shin)
        heat = m.state(f"heat {i}")
        motor = -5 * m.coordinate(f"knee {i}")
        m.set_rate(f"heat {i}", motor * motor - 0.1 * heat)
        foot = m.sensor(f"foot {i}", tb.Position(shin.at(0, 0, -0.4)))
        m.force(f"motor {i}", tb.JointEffort(f"knee {i}", motor * (1 - heat) + foot[2]))
        m.force(f"tendon {i}", tb.SpringDamper(anchor, shin, stiffness=30, length=0.3))
    return m


PLACES = [(0.3, 0.0), (0.0, 1.0), (-0.3, 2.5)]


def walker(**options: object) -> tb.Model:
    m = tb.Model("walker", gravity=(0, 0, -G))
    trunk = m.body("trunk", 5.0, inertia=(0.1, 0.2, 0.3))
    m.joint("trunk", tb.Free(), m.ground, trunk)
    part = leg()
    for i, (x, turn) in enumerate(PLACES):
        m.add(part, at=trunk.at(x, 0, 0, turn=("z", turn)), name=f"leg {i}", **options)
    return m


def state(system: tb.System) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    nq, nv, nz = system.sizes
    return rng.standard_normal(nq), rng.standard_normal(nv), rng.standard_normal(nz)


def test_copies_equal_the_model_written_by_hand() -> None:
    parts, hand = walker().compile(), by_hand(PLACES, [0.4] * 3).compile()
    q, v, z = state(hand)
    assert parts.sizes == hand.sizes
    expected = hand.state_rate(q, v, z=z)
    np.testing.assert_allclose(
        parts.state_rate(q, v, z=z), expected, rtol=1e-12, atol=1e-13 * np.abs(expected).max()
    )
    np.testing.assert_allclose(parts.mass_matrix(q), hand.mass_matrix(q), rtol=1e-13, atol=1e-14)
    shown, by_name = parts.sensors(q, v), hand.sensors(q, v)
    assert shown["leg 1/foot.x"] == pytest.approx(by_name["foot 1.x"], rel=1e-13)


def test_each_copy_has_its_own_parameters_unless_they_are_shared() -> None:
    own, shared = walker().compile(), walker(share=["length"]).compile()
    assert set(own.parameters) == {f"leg {i}/length" for i in range(3)}
    assert set(shared.parameters) == {"length"}
    own["leg 1/length"] = 0.7
    q, _, _ = state(own)
    expected = by_hand(PLACES, [0.4, 0.7, 0.4]).compile().mass_matrix(q)
    np.testing.assert_allclose(own.mass_matrix(q), expected, rtol=1e-13, atol=1e-14)
    shared["length"] = 0.7
    expected = by_hand(PLACES, [0.7, 0.7, 0.7]).compile().mass_matrix(q)
    np.testing.assert_allclose(shared.mass_matrix(q), expected, rtol=1e-13, atol=1e-14)


def test_a_copys_parameter_can_be_bound_to_an_expression_of_the_outer_model() -> None:
    m = tb.Model("walker", gravity=(0, 0, -G))
    trunk = m.body("trunk", 5.0, inertia=(0.1, 0.2, 0.3))
    m.joint("trunk", tb.Free(), m.ground, trunk)
    size = m.parameter("size", 0.25)
    part = leg()
    for i, (x, turn) in enumerate(PLACES):
        at = trunk.at(x, 0, 0, turn=("z", turn))
        m.add(part, at=at, name=f"leg {i}", bind={"length": size * (i + 1)})
    system = m.compile()
    assert set(system.parameters) == {"size"}
    q, _, _ = state(system)
    expected = by_hand(PLACES, [0.25, 0.5, 0.75]).compile().mass_matrix(q)
    np.testing.assert_allclose(system.mass_matrix(q), expected, rtol=1e-13, atol=1e-14)


def test_parts_nest() -> None:
    """A herd of two walkers of three legs each: names and numbers go two levels down."""
    herd = tb.Model("herd", gravity=(0, 0, -G))
    one = walker(share=["length"])
    for name in ("ann", "bob"):
        herd.add(one, at=herd.ground.at(0, 0, 1.0), name=name)
    system = herd.compile()
    assert set(system.parameters) == {"ann/length", "bob/length"}
    assert "bob/leg 2/knee" in system.coordinates
    system["bob/length"] = 0.6
    hands = [by_hand(PLACES, [length] * 3).compile() for length in (0.4, 0.6)]
    q, v, z = state(hands[0])
    expected = [hand.state_rate(q, v, z=z) for hand in hands]
    # the tendons are tied to the trunk, so lifting the ground by one metre changes nothing else;
    # feet are higher by it: their height is in the motor's law
    nq, nv, _ = hands[0].sizes
    found = system.mass_matrix(np.r_[q, q])
    np.testing.assert_allclose(found[:nv, :nv], hands[0].mass_matrix(q), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found[nv:, nv:], hands[1].mass_matrix(q), rtol=1e-12, atol=1e-13)
    assert np.all(found[:nv, nv:] == 0.0)
    lifted = q.copy()
    lifted[2] -= 1.0
    both = system.state_rate(np.r_[lifted, lifted], np.r_[v, v], z=np.r_[z, z])
    rates = both[2 * nq : 2 * nq + 2 * nv]
    size = np.abs(expected).max()
    for i in range(2):
        own = expected[i][nq : nq + nv]
        np.testing.assert_allclose(rates[i * nv : (i + 1) * nv], own, atol=1e-12 * size)


def test_a_part_may_carry_another() -> None:
    """A chain of three links: each copy hangs from the last body of the one before."""
    link = tb.Model("link", gravity=(0, 0, -G))
    bar = link.body("bar", 0.5, (0, 0, -0.1), (1e-3, 1e-3, 1e-4))
    link.joint("pin", tb.Revolute("y"), link.ground, bar)
    chain = tb.Model("chain", gravity=(0, 0, -G))
    at: object = chain.ground
    for i in range(3):
        chain.add(link, at=at, name=f"{i}")
        at = tb.Frame(f"{i}/bar", (0, 0, -0.2))
    hand = tb.Model("chain", gravity=(0, 0, -G))
    above: object = hand.ground
    for i in range(3):
        bar = hand.body(f"bar {i}", 0.5, (0, 0, -0.1), (1e-3, 1e-3, 1e-4))
        hand.joint(f"pin {i}", tb.Revolute("y"), above, bar)
        above = bar.at(0, 0, -0.2)
    q, v = [0.3, -0.5, 0.9], [1.0, -2.0, 0.5]
    np.testing.assert_array_equal(
        chain.compile().forward_dynamics(q, v), hand.compile().forward_dynamics(q, v)
    )
