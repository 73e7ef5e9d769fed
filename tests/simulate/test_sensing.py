"""Inputs and sensors in runs with rigid contacts: what they show, and what can't be measured."""

import numpy as np
import pytest

import touchback as tb

G, MASS, FRICTION = 9.81, 2.0, 0.3
METHODS = ("event-driven", "moreau-jean")
OF_STATES = {
    "place": 3, "speed": 3, "turn": 3, "axis": 3, "span": 2, "stored": 1, "twice": 1, "motor": 1
}  # fmt: skip


def sled() -> tb.Model:
    """A mass on rails above a floor, pushed along x, with every kind of sensor."""
    m = tb.Model("sled", gravity=(0, 0, -G))
    push = m.input("push", unit="N")
    cart, load = m.body("cart"), m.body("load", MASS)
    m.joint("x", tb.Prismatic("x"), m.ground, cart)
    m.joint("z", tb.Prismatic("z"), cart, load)
    m.force("motor", tb.JointEffort("x", push))
    m.sensor("place", tb.Position(load))
    m.sensor("speed", tb.Velocity(load))
    m.sensor("turn", tb.AngularVelocity(load))
    m.sensor("axis", tb.Direction(load))
    m.sensor("span", tb.Distance(m.ground, load.at(0.0, 0.0, 1.0)))
    m.sensor("stored", tb.Energy("total"))
    m.sensor("twice", tb.Signal(2.0 * push))
    m.sensor("motor", tb.Effort("x"))
    m.sensor("felt", tb.Acceleration(load))
    m.sensor("all", tb.TotalForce(load))
    m.sensor("bearing", tb.Reaction("x"))
    return m


def floor(m: tb.Model, height: float = 0.0) -> dict[str, tb.contact.ContactKind]:
    return {
        "floor": tb.contact.DescribedContact(
            m.coordinate("z") - height, m.rate("x"), friction=FRICTION
        )
    }


def test_a_pushed_sled_shows_its_push_and_the_acceleration_that_friction_leaves() -> None:
    m = sled()
    run = tb.simulate(m.compile(), duration=1.0, contacts=floor(m), inputs={"push": 10.0})
    a = 10.0 / MASS - FRICTION * G
    np.testing.assert_array_equal(run["push"], 10.0)
    np.testing.assert_array_equal(run["twice"], 20.0)
    np.testing.assert_allclose(run["felt.x"], a, rtol=1e-12)
    np.testing.assert_allclose(run["felt.z"], 0.0, atol=1e-12)
    np.testing.assert_allclose(run["all.x"], MASS * a, rtol=1e-12)
    np.testing.assert_allclose(run["speed.x"], a * run.time, atol=1e-9)
    np.testing.assert_allclose(run["stored"], 0.5 * MASS * (a * run.time) ** 2, atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_sensors_show_what_the_system_says_of_recorded_states(method: str) -> None:
    m = sled()
    system = m.compile()
    inputs = {"push": lambda t: 10.0 * np.sin(20.0 * t)}
    run = tb.simulate(
        system, system.assemble(z=0.05), 0.3, method=method, contacts=floor(m), inputs=inputs
    )
    np.testing.assert_allclose(run["push"], 10.0 * np.sin(20.0 * run.time), atol=1e-12)
    q, v = (np.column_stack([run[x], run[y]]) for x, y in (("x", "z"), ("x rate", "z rate")))
    shown = system.sensors(q, v, run["push"][:, None], run.time)
    names = [x for x in system.output_names if x.partition(".")[0] in OF_STATES]
    assert len(names) == sum(OF_STATES.values())
    for name in names:
        label = f"{name} (output)" if f"{name} (output)" in run.names else name
        np.testing.assert_allclose(run[label], shown[name], atol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("method", "missing"),
    [("event-driven", ["bearing"]), ("moreau-jean", ["felt", "all", "bearing"])],
)
def test_what_cant_be_measured_is_said_by_name(method: str, missing: list[str]) -> None:
    m = sled()
    run = tb.simulate(m.compile(), duration=0.01, method=method, contacts=floor(m))
    said = [each for each in run.metadata["diagnostics"] if each.startswith("Sensor")]
    assert [each.split("'")[1] for each in said] == missing
    assert not any(name.partition(".")[0] in missing for name in run.names)


def test_a_reaction_is_recorded_where_no_contact_acts_beyond_its_joint() -> None:
    """The rod of a pendulum on the sled: the sled is what touches."""
    m = tb.Model("pendulum on a sled", gravity=(0, 0, -G))
    load, bob = m.body("load", MASS), m.body("bob", 1.0, com=(0, 0, -0.5))
    m.joint("z", tb.Prismatic("z"), m.ground, load)
    m.joint("swing", tb.Revolute("y"), load, bob, position=0.4)
    for joint in ("z", "swing"):
        m.sensor(joint + " reaction", tb.Reaction(joint))
    m.contact("floor", tb.contact.SpherePlaneContact(load, m.ground, tangents="x"))
    run = tb.simulate(m.compile(), duration=0.2)
    (said,) = run.metadata["diagnostics"]
    assert "'z reaction'" in said
    theta, omega = run["swing"], run["swing rate"]
    along = G * np.cos(theta) + 0.5 * omega**2  # of the rod: a point mass of 1 kg
    np.testing.assert_allclose(run["swing reaction.fz"], along, rtol=1e-7)


def test_a_run_in_which_an_imported_rating_counts_reads_its_inputs() -> None:
    m = sled()
    m.imported["ratings"] = {"x": {"effort": 5.0}}
    run = tb.simulate(m.compile(), duration=0.1, contacts=floor(m), inputs={"push": 10.0})
    assert any("rated for effort 5 N" in each for each in run.metadata["diagnostics"])


def test_a_run_that_can_not_begin_shows_no_acceleration() -> None:
    m = sled()
    walls = floor(m, 0.1) | {"ceiling": tb.contact.DescribedContact(-m.coordinate("z"))}
    with pytest.raises(tb.SolveError) as raised:
        tb.simulate(m.compile(), duration=0.1, contacts=walls)
    run = raised.value.run  # type: ignore[attr-defined]
    assert np.isnan(run["felt.x"]).all() and run["place.z"] == 0.0
