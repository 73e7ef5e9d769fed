"""An instance that becomes no number keeps its memories, too, as they were at its last good
state."""

from collections.abc import Callable

import numpy as np
import pytest

import touchback as tb

STEP = 1e-3


def _runaway(m: tb.Model) -> None:
    """A mass whose force grows with the cube of its distance, and what is remembered of it."""
    m.joint("away", tb.Prismatic("x"), m.ground, m.body("mass", mass=1.0), position=1.0)
    distance = m.coordinate("away")
    m.force("push", tb.JointEffort("away", 1e3 * distance * distance * distance))
    m.memory("ticks", update=lambda before: before + 1.0)
    m.memory("seen", update=distance)


def tree() -> tb.Model:
    m = tb.Model("runaway")
    _runaway(m)
    return m


def tied() -> tb.Model:
    """A second mass is kept beside the first."""
    m = tree()
    m.joint("beside", tb.Prismatic("x"), m.ground, m.body("other", mass=1.0), position=1.0)
    m.constrain("together", m.coordinate("away") - m.coordinate("beside"), unit="m")
    return m


def with_modes() -> tb.Model:
    """Beyond 5 m it is called far."""
    m = tree()
    m.mode("near")
    m.mode("far")
    m.transition("leaves", "near", "far", when=5.0 - m.coordinate("away"))
    return m


@pytest.mark.parametrize("on", ["cpu", "gpu"])
@pytest.mark.parametrize("make", [tree, tied, with_modes])
@pytest.mark.parametrize("method", ["rk4", "euler"])
@pytest.mark.parametrize("ticks", [1, 3, 10])
@pytest.mark.usefixtures("card")
def test_memories_stop_with_their_instance(
    make: Callable[[], tb.Model], method: str, on: str, ticks: int
) -> None:
    """One of three instances runs away within 0.1 s; there is a tick each so many steps."""
    system = make().compile()
    x = np.tile(system.assemble().x, (3, 1))
    for name in {"away", "beside"}.intersection(system.state_names):
        x[[0, 2], system.state_names.index(name)] = 0.0
    grid = {"step": STEP, "rate": 1.0 / (ticks * STEP), "method": method}
    ran = system.batch(3).run(x, 0.12, on=on, **grid)
    with pytest.raises(tb.RunFailed) as failed:
        tb.simulate(system, x[1], 0.12, **grid)
    alone = failed.value.run
    assert list(ran.failed) == [1] and ran.ended[1] == alone.time[-1] < 0.1
    assert dict(zip(system.state_names, ran.x[1], strict=True)) == {
        name: alone[name][-1] for name in system.state_names
    }
    steps = round(alone.time[-1] / STEP)
    assert alone["ticks"][-1] == -(-steps // ticks)
    assert ran.x[0, list(system.state_names).index("ticks")] == -(-120 // ticks)
