"""Instances that end early, wherever a batch runs, stay where a run of their own stays."""

from collections.abc import Callable

import numpy as np
import pytest

import touchback as tb

pytestmark = pytest.mark.usefixtures("card")
STEP, TICKS, DURATION = 2.0**-7, 3, 1.0
STRENGTHS = (0.0, 1e4, 0.0, 1e2)  # N/m³: the second runs away at once, the fourth later


def runaway() -> tb.Model:
    """It is pushed the more the farther it is, and counts ticks."""
    m = tb.Model("runaway")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0), velocity=1.0)
    x, strength = m.coordinate("x"), m.parameter("strength", 0.0)
    m.force("push", tb.JointEffort("x", strength * x * x * x))
    m.memory("ticks", update=lambda before: before + 1.0)
    return m


def tied() -> tb.Model:
    m = runaway()
    m.joint("y", tb.Prismatic("y"), m.ground, m.body("follower", mass=0.1), velocity=1.0)
    m.constrain("tie", m.coordinate("y") - m.coordinate("x"))
    return m


def with_modes() -> tb.Model:
    m = runaway()
    m.mode("slow")
    m.mode("fast")
    m.transition("faster", "slow", "fast", when=1.5 - m.rate("x"))
    return m


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("on", ["cpu", "gpu"])
@pytest.mark.parametrize("model", [runaway, tied, with_modes])
def test_memories_of_an_instance_that_ends_early_are_those_of_its_last_good_state(
    model: Callable[[], tb.Model], on: str
) -> None:
    """Ticks of the step that fails, and those that others still make, aren't counted."""
    system, given = model().compile(), {"step": STEP, "rate": 1.0 / (TICKS * STEP)}
    strengths = {"strength": np.array(STRENGTHS)}
    ran = system.batch(len(STRENGTHS)).run(None, DURATION, on=on, parameters=strengths, **given)
    assert list(ran.failed) == [1, 3]
    for i in ran.failed:
        with pytest.raises(tb.RunFailed) as failed:
            own = {"strength": STRENGTHS[i]}
            tb.simulate(system, None, DURATION, method="rk4", parameters=own, **given)
        alone = failed.value.run
        assert ran.ended[i] == alone.time[-1]
        assert np.array_equal(ran.x[i], [alone[name][-1] for name in system.state_names])
        assert (
            0 < ran.last("ticks")[i] == np.ceil(ran.ended[i] / STEP / TICKS) < ran.last("ticks")[0]
        )
