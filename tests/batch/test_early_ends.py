"""Instances that end early, wherever a batch runs, stay where a run of their own stays."""

from collections.abc import Callable

import numpy as np
import pytest

import touchback as tb
from tests.batch.host_card import HostCupy
from touchback.batch.gpu.gpu_executor import GpuDevice

pytestmark = pytest.mark.usefixtures("card")
STEP, TICKS, DURATION = 2.0**-7, 3, 1.0
FAR = 1e3  # where and when nothing comes within a run
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
        ticks = ran.last("ticks")
        assert 0 < ticks[i] == np.ceil(ran.ended[i] / STEP / TICKS) < ticks[0]


def test_what_becomes_no_number_on_a_card_is_named_where_modes_are() -> None:
    system, given = with_modes().compile(), {"step": STEP, "rate": 1.0 / STEP}
    strengths = {"strength": np.array(STRENGTHS)}
    ran = system.batch(len(STRENGTHS)).run(None, DURATION, on="gpu", parameters=strengths, **given)
    assert sorted(ran.reasons) == [1, 3]
    for i, why in ran.reasons.items():
        last = f"after {ran.last('x rate')[i]:.6g}; take a shorter step"
        assert why.startswith(f"stopped at t = {ran.ended[i]:.6g} s: 'x rate' stops being")
        assert last in why


def blind() -> tb.Model:
    """Two modes that follow each other, each with a cause that can be read until some time only."""
    m = tb.Model("blind")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0), velocity=1.0)
    m.mode("first")
    m.mode("second")
    m.transition("on", "first", "second", when=0.125 - m.coordinate("x"))
    m.transition("back", "second", "first", when=0.375 - m.time, reset={"q:x": -FAR})
    for mode in ("first", "second"):
        left = m.parameter(f"{mode} seen until", FAR) - m.time
        m.transition(f"{mode} is met", mode, None, when=tb.sqrt(left) + 1.0, reset={"q:x": 0.0})
    # again and again at one instant
    m.transition("stumble", "first", None, when=m.parameter("stumbles at", FAR) - m.time,
                 reset={"v:x": -m.rate("x")})  # fmt: skip
    return m


def test_the_first_cause_that_is_no_number_ends_a_run_wherever_it_is() -> None:
    """Of several the first counts, before what fails later, and in the last state, too, which lies
    between two rows."""
    row, last = 3 * STEP, DURATION - 0.5 * STEP
    given = {
        "first seen until": np.array([FAR, 0.7, 0.05, last, 0.7]),
        "second seen until": np.array([FAR, 0.25, FAR, FAR, FAR]),
        "stumbles at": np.array([FAR, FAR, FAR, FAR, 0.875]),
    }
    told = [(1, "second", 0.25), (2, "first", 0.05), (3, "first", last), (4, "first", 0.7)]
    system, settings = blind().compile(), {"step": STEP, "output_step": row, "parameters": given}
    usual = system.batch(5).run(None, DURATION, **settings)
    with pytest.warns(RuntimeWarning, match="blind: 4 of 5 instances ended early by their modes"):
        ran = system.batch(5).run(None, DURATION, on="gpu", **settings)
    for each in (usual, ran):
        assert list(each.failed) == [1, 2, 3, 4]
        for i, mode, until in told:
            assert f"`when` of transition '{mode} is met' isn't a number" in each.reasons[i]
            assert each.ended[i] == min(np.ceil(until / row) * row, DURATION)
    assert np.array_equal(ran.record, usual.record, equal_nan=True)


class _There(np.ndarray):
    """An array that says that it lies on a card."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


def test_states_on_a_card_in_a_mode_that_is_not_there_are_refused(
    card: GpuDevice, monkeypatch
) -> None:
    if not isinstance(card.cupy, HostCupy):
        pytest.skip("the stand-in's arrays are made up")
    monkeypatch.setattr(HostCupy, "from_dlpack", lambda _, x: np.asarray(x), raising=False)
    system = with_modes().compile()
    x = np.tile(system.initial_state().x, (3, 1))
    x[1, system.state_names.index("mode")] = 2.0
    with pytest.raises(tb.InputError, match="'mode' is 2 in this state; its modes are numbered 0"):
        system.batch(3).run(x.view(_There), DURATION, on="gpu", step=STEP, rate=1.0 / STEP)
