"""A hand holds a body by a point: what arrives at it, what bounds it, and who may have it."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from manipulated import MASS, Asked, G, Start, chain, floating, four_bar
from touchback import gallery
from touchback.realtime.control import Exposed
from touchback.workbench.manipulate import model_with_hands
from touchback.workbench.manipulate.mouse_hand import input_names
from touchback.workbench.manipulate.state_snapshot import refuse_rows, take_snapshot

T = 1e-3


def test_a_pulled_body_swings_as_a_mass_on_a_spring_does(start: Start) -> None:
    """x = d (1 − cos ω t), to the error of RK4 with ω T = 0.007."""
    run = start(floating())
    run.ask(do="grab", body="block", stiffness=100.0, damping=0.0)
    run.ask(do="pull", to=[0.1, 0, 0])
    run.live.run(0.4)
    omega = np.sqrt(100.0 / MASS)
    assert run.live.read("free.x") == pytest.approx(0.1 * (1 - np.cos(omega * 0.4)), abs=1e-11)
    assert run.live.read("free.z") == 0.0


def test_a_pull_beside_the_centre_of_mass_also_turns(start: Start) -> None:
    """ω̇ = r × F / I at the first tick, to its length."""
    run = start(floating())
    run.ask(do="grab", body="block", point=[0, 0.3, 0], stiffness=50.0, damping=0.0)
    run.ask(do="pull", to=[0.02, 0.3, 0])
    run.live.run(T)
    assert run.live.read("free.vx") == pytest.approx(1.0 / MASS * T, rel=1e-3)
    assert run.live.read("free.wz") == pytest.approx(-0.3 * 1.0 / 0.25 * T, rel=1e-3)


def test_a_held_body_hangs_by_its_weight_over_the_stiffness(start: Start) -> None:
    run = start(floating(G))
    told = run.ask(do="grab", body="block")
    run.live.run(2.0)
    assert run.live.read("free.z") == pytest.approx(-MASS * G / told["stiffness"], rel=1e-9)
    assert told["bound"] == pytest.approx(20 * MASS * G)


def test_a_hand_never_pulls_more_than_its_bound(start: Start) -> None:
    run = start(floating())
    run.live["hand bound"] = 7.0
    run.ask(do="grab", body="block")
    run.ask(do="pull", to=[0, 9e5, 0])
    run.live.run(0.1)
    assert run.live.read("free.vy") == pytest.approx(7.0 / MASS * 0.1, rel=1e-9)


def test_dragging_a_four_bar_keeps_its_loop_closed_and_brings_the_point_along(
    start: Start,
) -> None:
    run = start(four_bar())
    system = run.live.system
    x = np.array(run.ask(do="grab", body="rocker", point=[0.3, 0, 0])["to"])
    pivot, worst = np.array([0.5, 0, 0]), 0.0
    for step in range(1, 41):
        turn = -0.01 * step
        c, s = np.cos(turn), np.sin(turn)
        to = pivot + np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ (x - pivot)
        run.ask(do="pull", to=to.tolist())
        run.live.run(0.02)
        q = np.array([run.live.read(name) for name in system.coordinates])
        worst = max(worst, np.abs(system.constraint_error(q)).max())
    run.live.run(0.5)
    assert worst < 1e-9
    q = np.array([run.live.read(name) for name in system.coordinates])
    R, p = system.pose(tb.Frame("rocker"), q)
    reached = p + R @ [0.3, 0, 0]
    assert np.linalg.norm(reached - to) < 0.01  # what its weight leaves
    assert np.linalg.norm(reached - x) > 0.1


def test_what_a_hand_does_is_booked_as_its_work() -> None:
    """W = Δ(T + V) of a body that a hand lifts, nothing unexplained."""
    system = model_with_hands(floating(G)).compile()
    inputs = {"hand grip": 1.0, "hand to z": 0.5, "hand stiffness": 300.0, "hand damping": 20.0}
    run = tb.simulate(system, duration=1.0, inputs=inputs, energy_balance=True, method="dopri5",
                      rtol=1e-10, progress=False)  # fmt: skip
    gained = MASS * G * run["free.z"][-1] + 0.5 * MASS * run["free.vz"][-1] ** 2
    assert gained > 3.0
    assert run.energy_balance.work["hand"] == pytest.approx(gained, rel=1e-8)
    assert abs(run.energy_balance.residual) < 1e-8


@pytest.mark.parametrize("rate", [200.0, 1000.0])
@pytest.mark.parametrize("name", ["hanging-chain", "slider-crank", "stewart-platform", "pendulum"])
def test_the_usual_spring_is_stable_at_the_rate_of_the_run(
    name: str, rate: float, start: Start
) -> None:
    """Whatever was held and thrown about: when the target rests, the energy of the mechanism and
    of the hand's spring only falls."""
    run = start(gallery.make(name), rate=rate)
    body = list(run.live.system.model.bodies)[-1]
    told = run.ask(do="grab", body=body, point=[0, 0, -0.02])
    x = np.array(told["to"])
    for side in (1.0, -1.0, 0.0):
        run.ask(do="pull", to=(x + side * np.array([0.02, 0.0, 0.01])).tolist())
        run.live.run(0.2)
    energies = []
    for _ in range(6):
        now = take_snapshot(run.live)
        away = np.linalg.norm(now.point(body, np.array([0, 0, -0.02])) - x)
        stored = now.system.stored_energy(np.concatenate([now.q, now.v, now.z]), now.parameters)
        energies.append(stored + 0.5 * told["stiffness"] * away**2)
        assert told["stiffness"] * away < told["bound"]
        run.live.run(0.1)
    assert run.live.faults == ()
    assert np.diff(energies).max() < 1e-9 * abs(energies[0])


def test_a_light_part_of_a_heavy_mechanism_is_held_as_softly_as_it_needs(start: Start) -> None:
    """A bead of 10 g on a cart of 100 kg at 200 Hz: its own mass counts, k T²/m = 0.04, and it
    comes to where it is pulled, at rest."""
    m = tb.Model("bead", gravity=(0, 0, 0))
    cart, bead = m.body("cart", 100.0), m.body("bead", 0.01)
    m.joint("cart", tb.Prismatic("x"), m.ground, cart)
    m.joint("bead", tb.Prismatic("x"), cart, bead)
    run = start(m, rate=200.0)
    told = run.ask(do="grab", body="bead")
    assert told["stiffness"] == pytest.approx(0.01 * (0.2 * 200.0) ** 2, rel=1e-3)
    run.ask(do="pull", to=[0.1, 0, 0])
    run.live.run(1.0)
    assert run.live.faults == ()
    assert run.live.read("bead") == pytest.approx(0.1, abs=1e-3)
    assert abs(run.live.read("bead rate")) < 1e-3


def test_a_hand_of_fifty_bodies_stays_cheap() -> None:
    """An input and a selection or so for each number: 45 % more operations; the spring is there
    once."""
    bare, with_hand = chain(50), model_with_hands(chain(50))
    counts = [model.compile().counts("forward dynamics") for model in (bare, with_hand)]
    assert counts[1].flops < 1.5 * counts[0].flops
    assert counts[1].flops - counts[0].flops < 50 * 150
    assert len(with_hand.inputs) == len(input_names("hand")) == 9


def test_a_grab_needs_no_other_structure_and_the_next_one_moves_nothing(start: Start) -> None:
    run = start(floating(G))
    run.ask(do="grab", body="block")
    run.live.run(0.5)
    z = run.live.read("free.z")
    run.ask(do="grab", body="block", point=[0, 0, 0.1])
    run.live.run(T)
    assert run.live.read("free.z") == pytest.approx(z, abs=1e-5)  # its weight for a tick
    assert not run.live.structures


# ---- who may ------------------------------------------------------------------------------------


def held(run: Asked) -> float:
    run.live.run(T)
    return run.live["hand grip"]


def test_a_client_who_is_gone_lets_go(start: Start) -> None:
    run = start(floating())
    run.ask("gone", do="grab", body="block")
    assert held(run) == 1.0
    run.manipulators.leave("somebody else")
    assert held(run) == 1.0
    run.manipulators.leave("gone")
    assert held(run) == 0.0


def test_a_hand_is_its_holders_until_it_lets_go(start: Start) -> None:
    run = start(floating())
    run.ask("first", do="grab", body="block")
    for message in ({"do": "grab", "body": "block"}, {"do": "pull", "to": [0, 0, 0]},
                    {"do": "release"}):  # fmt: skip
        assert "somebody else holds 'block'" in run.refused("second", **message)
    run.ask("first", do="release")
    run.ask("second", do="grab", body="block")


def test_what_can_not_be_held_is_refused_in_words(start: Start) -> None:
    run = start(floating(), exposed=Exposed(hands=["other"]))
    assert "did you mean 'block'" in run.refused(do="grab", body="blok")
    assert "isn't among the hands" in run.refused(do="grab", body="block")
    assert "holds nothing" in run.refused(do="pull", to=[0, 0, 0])
    assert "model_with_hands(model)" in start(floating(), hand=False).refused(
        do="grab", body="block"
    )
    run = start(floating())
    assert "at most" in run.refused(do="grab", body="block", stiffness=1e9)
    run.ask(do="grab", body="block")
    assert "can't be read" in run.refused(do="pull", to=[1e300, 0, 0])
    with pytest.raises(tb.InputError, match="'empty': it has no body that a hand could hold"):
        model_with_hands(tb.Model("empty"))


def test_a_row_of_copies_is_neither_put_nor_changed() -> None:
    row = tb.copies(floating().compile(), ["left", "right"])
    with pytest.raises(tb.InputError, match=r"a row of 2 copies, which can't be taken in hand"):
        refuse_rows(row)


def test_what_a_hand_did_replays_to_the_same_bits(start: Start, tmp_path: Path) -> None:
    run = start(four_bar(), record=tmp_path / "run.mcap")
    run.ask(do="grab", body="coupler", point=[0.2, 0, 0])
    for x in (0.3, 0.25, 0.2):
        run.ask(do="pull", to=[x, 0, 0.1])
        run.live.run(0.05)
    run.ask(do="release")
    run.live.run(0.05)
    run.live.stop()
    again = tb.replay(tmp_path / "run.mcap")
    assert again.same and len(again.states) == 200
    recorded = tb.open(tmp_path / "run.mcap")
    assert set(recorded["hand grip"]) == {0.0, 2.0}


def test_two_hands_hold_two_bodies_each_on_its_own() -> None:
    m = tb.Model("two", gravity=(0, 0, 0))
    for name in ("a", "b"):
        m.joint(name, tb.Prismatic("x"), m.ground, m.body(name, 1.0))
    system = model_with_hands(m, ["left", "right"]).compile()
    with tb.live(system, rate=1000, speed=None) as live:
        run = Asked(live)
        for hand, body, x in (("left", "a", 0.1), ("right", "b", -0.2)):
            run.ask(hand, do="grab", hand=hand, body=body, stiffness=100.0, damping=20.0)
            run.ask(hand, do="pull", hand=hand, to=[x, 0, 0])
        live.run(3.0)
        assert live.read("a") == pytest.approx(0.1, abs=1e-9)
        assert live.read("b") == pytest.approx(-0.2, abs=1e-9)
        assert "'middle'" in run.refused(do="grab", hand="middle", body="a")
