"""A row of copies moves as each of them does alone, to the bit."""

import numpy as np
import pytest

import touchback as tb
from models_with_modes import bouncing_ball
from touchback.errors import InputError, ModelError


def swinging():
    m = tb.Model("swing")
    length = m.parameter("length", 0.5, min=0.1, max=2.0)
    bob = m.body("bob", mass=1.0, com=(0, 0, -length), inertia=(0.01, 0.01, 0.01))
    push = m.input("push", unit="N m", default=0.1)
    m.joint("hinge", tb.Revolute("y"), m.ground, bob, position=0.4, damping=0.05)
    m.force("motor", tb.JointEffort("hinge", push))
    m.state("heat", 0.0, rate=m.rate("hinge") ** 2)
    last = m.memory("last", 0.0, update=m.coordinate("hinge"))
    m.memory("before", 0.1, update=last)
    m.sensor("speed", tb.Signal(m.rate("hinge") * length))
    return m.compile()


def turning():
    m = tb.Model("top")
    top = m.body("top", mass=1.0, com=(0, 0, 0.1), inertia=(0.02, 0.02, 0.01))
    m.joint("ball", tb.Spherical(), m.ground, top, velocity=(1.0, 2.0, 3.0))
    m.sensor("tip", tb.Position(tb.Frame("top")))
    return m.compile()


NAMES = ("left", "middle", "right")


def test_each_copy_moves_as_it_would_alone_with_its_own_parameters_and_inputs():
    one, lengths, pushes = swinging(), (0.3, 0.5, 1.0), (0.0, 0.1, -0.2)
    row = tb.copies(one, NAMES)
    options = {"duration": 0.2, "rate": 1000.0, "step": 1e-3}
    run = tb.simulate(
        row, **options,
        parameters={f"{name}/length": value for name, value in zip(NAMES, lengths)},
        inputs={f"{name}/push": value for name, value in zip(NAMES, pushes)},
    )  # fmt: skip
    for name, length, push in zip(NAMES, lengths, pushes):
        alone = tb.simulate(one, **options, parameters={"length": length}, inputs={"push": push})
        for signal in ("hinge", "hinge rate", "heat", "last", "before", "speed"):
            np.testing.assert_array_equal(run[f"{name}/{signal}"], alone[signal])


@pytest.mark.parametrize("make", [swinging, turning])
@pytest.mark.parametrize("method", ["euler", "rk4"])
@pytest.mark.parametrize("count", [1, 4, 11])  # none, whole and broken groups of lanes
def test_several_copies_at_once_give_the_bits_of_one(make, method, count):
    one, names = make(), [f"c{i}" for i in range(count)]
    live = make is swinging  # which has a parameter and a memory
    row, options = tb.copies(one, names), {"duration": 0.05, "method": method, "step": 1e-3}
    options |= {"rate": 1000.0} if live else {}
    lengths = dict(zip(names, np.linspace(0.3, 1.0, count)))
    run = tb.simulate(
        row, **options,
        parameters={f"{name}/length": value for name, value in lengths.items()} if live else {},
    )  # fmt: skip
    for name, length in lengths.items():
        alone = tb.simulate(one, **options, parameters={"length": length} if live else {})
        for signal in alone.names:
            np.testing.assert_array_equal(run[f"{name}/{signal}"], alone[signal])


def test_a_row_has_positions_velocities_and_states_as_any_system():
    one = swinging()
    row = tb.copies(one, NAMES)
    assert row.sizes == tuple(3 * size for size in one.sizes)
    assert row.state_names[:4] == ["left/hinge", "middle/hinge", "right/hinge", "left/hinge rate"]
    x = np.arange(15.0)
    np.testing.assert_array_equal(row.states_of(x)[1], [1.0, 4.0, 9.0, 10.0, 11.0])


def test_the_energy_of_a_row_is_the_sum_of_its_copies():
    one, lengths = swinging(), (0.3, 0.5, 1.0)
    row = tb.copies(one, NAMES)
    x = np.random.default_rng(4).normal(size=15)
    given = {f"{name}/length": value for name, value in zip(NAMES, lengths)}
    expected = sum(
        one.stored_energy(state, {"length": length})
        for state, length in zip(row.states_of(x), lengths)
    )
    assert row.stored_energy(x, given) == pytest.approx(expected) != 0.0


def test_copies_with_quaternions_and_adaptive_steps():
    one = turning()
    row = tb.simulate(tb.copies(one, NAMES), duration=0.3, rtol=1e-10, atol=1e-12)
    alone = tb.simulate(one, duration=0.3, rtol=1e-10, atol=1e-12)
    for name in row.names:
        if name.startswith("right/"):
            np.testing.assert_allclose(row[name], alone[name.removeprefix("right/")], atol=1e-8)


def test_copies_run_live_and_change_their_parameters_one_by_one():
    one = swinging()
    with tb.live(tb.copies(one, NAMES), rate=1000, speed=None) as live:
        live.run(0.1)
        live["left/length"] = 1.5
        live.run(0.1)
        left, middle = live.read("left/hinge"), live.read("middle/hinge")
    with tb.live(one, rate=1000, speed=None) as live:
        live.run(0.2)
        assert live.read("hinge") == middle != left


def test_a_recording_of_a_row_of_copies_replays_from_its_file(tmp_path):
    row = tb.copies(swinging(), NAMES)
    with tb.live(row, rate=1000, speed=None, record=tmp_path / "row.mcap") as live:
        live.run(0.05)
        live["left/length"] = 1.5
        live["right/push"] = -0.3
        live.run(0.05)
        last = live.read("right/hinge")
    again = tb.replay(tmp_path / "row.mcap")
    assert again.same
    assert again.ticks == 100
    assert again.states[-1][2] == last


def test_events_of_copies_are_found_by_functions_of_the_state():
    row = tb.copies(swinging(), NAMES)
    options = {"duration": 1.0, "rate": 1000.0, "step": 1e-3, "inputs": {"middle/push": 0.5}}
    event = tb.Event("through", lambda t, x: row.states_of(x)[1, 0])
    found = tb.simulate(row, events=[event], **options).events
    alone = tb.simulate(
        row.replica, events=[tb.Event("through", "hinge")], **{**options, "inputs": {"push": 0.5}}
    ).events
    assert [each.time for each in found] == pytest.approx([each.time for each in alone], abs=1e-9)
    assert found


def test_a_copy_s_parameter_has_the_range_of_the_model_s():
    row = tb.copies(swinging(), NAMES)
    with pytest.raises(InputError, match="outside its range"):
        row["left/length"] = 9.0
    row["left/length"] = 1.0
    assert row.parameters["left/length"] == 1.0
    assert row.parameters["middle/length"] == 0.5
    with pytest.raises(InputError, match="left/lenght"):
        row["left/lenght"] = 1.0


def test_what_has_no_copies_is_said():
    one = swinging()
    for names in (["a", "a"], [], None, "abc"):
        with pytest.raises(InputError, match="each once"):
            tb.copies(one, names)
    for name in ("", None, "a/b"):
        with pytest.raises(ModelError, match="Copy"):
            tb.copies(one, ["a", name])
    for other in (one.model, tb.copies(one, NAMES)):
        with pytest.raises(InputError, match="of one mechanism"):
            tb.copies(other, NAMES)
    row = tb.copies(one, NAMES)
    with pytest.raises(ModelError, match=r"functions of `\.replica`"):
        row.mass_matrix(np.zeros(3))
    with pytest.raises(ModelError, match="by Python functions"):
        tb.simulate(row, rate=1000.0, events=[tb.Event("through", "left/hinge")])
    with pytest.raises(ModelError, match="no model of its own"):
        _ = tb.copies(one, NAMES).model
    with pytest.raises(InputError, match="modes"):
        tb.copies(bouncing_ball().compile(), NAMES)
    m = tb.Model("driven")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("mass", mass=1.0))
    m.drive("slide", tb.Sine(0.1))
    with pytest.raises(InputError, match=r"m\.add"):
        tb.copies(m.compile(), NAMES)


@pytest.mark.parametrize("count", [1, 4, 11])
def test_copies_may_share_inputs_and_keep_the_others(count):
    m = tb.Model("cart")
    wind, push = m.input("wind", unit="N", default=0.5), m.input("push", unit="N")
    m.joint("rail", tb.Prismatic("x"), m.ground, m.body("cart", mass=2.0))
    m.force("both", tb.JointEffort("rail", wind + 2.0 * push))
    one, names = m.compile(), [f"c{i}" for i in range(count)]
    row = tb.copies(one, names, shared=["wind"])
    assert row.input_names == ["wind", *(f"{name}/push" for name in names)]
    pushes = dict(zip(names, np.linspace(-1.0, 1.0, count)))
    inputs = {f"{name}/push": value for name, value in pushes.items()}
    run = tb.simulate(row, duration=0.1, step=1e-3, inputs={"wind": 0.25, **inputs})
    for name, own in pushes.items():  # x = (F/m) t²/2, F = wind + 2 push
        due = (0.25 + 2.0 * own) / 2.0 * run.time**2 / 2.0
        np.testing.assert_allclose(run[f"{name}/rail"], due, rtol=1e-9, atol=1e-15)


def test_only_the_first_inputs_can_be_shared():
    one = swinging()
    with pytest.raises(InputError, match=r"can share its first inputs only.*push; got pull"):
        tb.copies(one, NAMES, shared=["pull"])
