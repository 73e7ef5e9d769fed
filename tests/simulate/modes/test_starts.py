"""States to start from: refused, warned of, or met."""

import numpy as np
import pytest

import touchback as tb
from faulty_modes import gate
from touchback.simulate.run_failure import RunFailed


@pytest.mark.parametrize("number", [2.0, -1.0, 0.5, 1e300])
def test_a_state_in_no_mode_is_refused(number: float) -> None:
    system = gate().compile()
    said = (
        rf"gate: 'mode' is {number:g} in this state; its modes are numbered 0 to 1\. Name one of "
        r"them: system\.assemble\(mode='shut'\)\."
    )
    said = said.replace("+", r"\+")
    for method in ("dopri5", "radau5", "rk4", "euler"):
        with pytest.raises(tb.InputError, match=said):
            tb.simulate(system, [0.0, 0.0, number], 1.0, method=method)
    with pytest.raises(tb.InputError, match=said):
        tb.live(system, [0.0, 0.0, number], rate=1000, speed=None)


def test_a_run_that_starts_with_its_mode_open_warns() -> None:
    system = gate().compile()
    with pytest.warns(RuntimeWarning, match=r"breaks the constraints by up to 0\.3 m") as caught:
        tb.simulate(system, [0.3, 0.0, 0.0], 0.1)
    assert caught[0].filename == __file__
    tb.simulate(system, [0.3, 0.0, 1.0], 0.1)  # nothing to break in this mode


def test_a_run_that_leaves_the_constraints_of_its_mode_warns() -> None:
    """Accelerations alone let a turning rod grow longer."""
    m = tb.Model("rod", gravity=(0, 0, 0))
    bob = m.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("bob", tb.Planar("y"), m.ground, bob, position=(1.0, 0, 0), velocity=(0, 20.0, 0))
    m.close("rod", tb.Rod(1.0), m.ground, bob)
    m.mode("held", active=["rod"])
    m.mode("cut")
    m.transition("cut", "held", "cut", when=2.0 - m.time)
    system = m.compile()
    with pytest.warns(RuntimeWarning, match=r"'multipliers' left the constraints by") as caught:
        run = tb.simulate(system, None, 1.0, method="rk4", step=1e-2, constraints="multipliers")
    assert caught[0].filename == __file__
    assert "left the constraints" in run.metadata["diagnostics"][0]
    kept = tb.simulate(system, None, 1.0, method="rk4", step=1e-2)
    assert kept.metadata["diagnostics"] == []
    np.testing.assert_allclose(np.hypot(kept["bob.x"], kept["bob.z"]), 1.0, atol=1e-12)


def test_a_mode_may_be_left_at_the_first_instant_and_the_run_end_there() -> None:
    m = gate()
    m.transition("at once", "shut", "open", when=-1.0 - m.time)
    run = tb.simulate(m.compile(), None, 1.0)
    assert [(each.time, each.cause) for each in run.transitions] == [(0.0, "at once")]


def test_a_run_keeps_what_came_before_a_mode_that_cannot_begin() -> None:
    m = gate()
    m.constrain("far bolt", m.coordinate("gate") - 1.0)
    m.mode("both", active=["bolt", "far bolt"])
    m.transition("overshoot", "open", "both", when=0.5 - m.coordinate("gate"))
    system = m.compile()
    start = system.assemble(mode="open", gate=0.1, rates={"gate": 1.0})
    for method in ("dopri5", "rk4"):
        with pytest.raises(RunFailed, match=r"mode 'both' can't begin: .* open by 0\.5 m") as e:
            tb.simulate(system, start, 1.0, method=method)
        assert e.value.run["gate"].max() == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize("method", ["dopri5", "rk4"])
def test_what_is_tried_beyond_a_transition_and_left_again_gives_no_warning(method: str) -> None:
    """A rod of 1 m pulls a slider until it is let go at 0.95 m; steps of 0.1 s try 1.2 m."""
    m = tb.Model("reach", gravity=(0, 0, 0))
    m.joint("cart", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    m.joint("slider", tb.Prismatic("z"), m.ground, m.body("slider", mass=1.0), position=1.0)
    m.drive("cart", 3.0 * m.time)
    x, z = m.coordinate("cart"), m.coordinate("slider")
    m.constrain("rod", x * x + z * z - 1.0)
    m.mode("held", active=["rod"])
    m.mode("free")
    m.transition("let go", "held", "free", when=0.95 - x)
    system = m.compile()
    run = tb.simulate(system, system.assemble(slider=1.0), 0.5, method=method, step=0.1)
    assert [each.time for each in run.transitions] == pytest.approx([0.95 / 3.0], abs=1e-9)
    assert run.metadata["diagnostics"] == [] and run.metadata["statistics"]["largest_h"] < 1e-12
