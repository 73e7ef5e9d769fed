"""Modes on a graphics card: the processor's own C code, compiled for the card, finds and takes the
transitions of each instance within its steps. Without a card texts are compiled as C++
(`host_card`). One yard serves most tests, so that its kernel is compiled once."""

import re

import numpy as np
import pytest

import touchback as tb
from models_with_modes import bead_on_dome, block_on_belt, pegged_pendulum, striking_rods
from tests.batch.yard import COUNT, STEP, assert_closed_forms, drawn, ending, made, run
from touchback.batch.gpu import gpu_executor

pytestmark = pytest.mark.usefixtures("card")


@pytest.fixture(autouse=True)
def short_launches(monkeypatch) -> None:
    """Of 16 steps: what an instance remembers comes along from one to the next."""
    monkeypatch.setattr(gpu_executor, "_A_PART", 0.0)


@pytest.fixture(scope="module")
def yard() -> tb.System:
    return made().compile()


def test_each_instance_has_the_bits_of_a_run_of_its_own(yard) -> None:
    ran, usual = (run(yard, on, **drawn()) for on in ("gpu", "cpu"))
    assert ran.card and ran.whole.all() and usual.whole.all()
    assert np.array_equal(ran.record, usual.record) and np.array_equal(ran.x, usual.x)
    assert len(np.unique(ran.x[:, -3:], axis=0)) > 3  # they end in different modes


def test_heights_stops_and_ways_are_those_of_closed_forms(yard) -> None:
    assert_closed_forms(drawn(), run(yard, **drawn()))


def test_a_cause_may_be_met_exactly_at_a_step_and_twice_within_one(yard) -> None:
    """Of 1/4 m, at 1 m/s every 32nd step, and at 64 m/s in the middle and at the end of each."""
    speeds = np.where(np.arange(COUNT) % 2, 1.0, 64.0)
    ran = run(yard, duration=0.5, **{"mark/s rate": speeds})
    assert np.array_equal(ran["mark/s"][1], ran.time % 0.25)
    turns = ran["mark/s"][0] / 0.25  # bounces of the ball part its steps, which rounds
    assert np.abs(turns - np.round(turns)).max() < 1e-12 and np.abs(turns).max() < 1.0 + 1e-12
    assert np.array_equal(ran["mark/s rate"], np.broadcast_to(speeds[:, None], ran["mark/s"].shape))


def test_instances_that_modes_end_are_told_of_and_the_others_do_not_notice(yard) -> None:
    given = ending()
    with pytest.warns(RuntimeWarning, match="yard: 4 of 12 instances ended early by"):
        ran = run(yard, **given)
    usual = run(yard, "cpu", **given)
    assert list(ran.failed) == [1, 2, 3, 4] == list(usual.failed)
    assert np.array_equal(ran.record, usual.record, equal_nan=True)
    assert np.array_equal(ran.x, usual.x) and np.array_equal(ran.ended, usual.ended)
    # crowds, 64 within 16 steps, are looked for every 64 steps; 0.05 s / (1 − 1/1.2) are 38.4 steps
    assert ran.ended[1] == 64 * STEP and ran.ended[4] == 38 * STEP
    told = ("times within", "mode '.*mark/hooked.*' can't begin.* by 0.01 m",
            "`when` of transition 'mark/tire' isn't a number", "times within")  # fmt: skip
    for i, why in enumerate(told, 1):
        assert re.search(why, ran.reasons[i]) and re.search(why, usual.reasons[i])


def test_a_mode_that_is_not_there_is_refused(yard) -> None:
    with pytest.raises(tb.InputError, match="'block/mode' is 2 in this state"):
        run(yard, **{"block/mode": np.where(np.arange(COUNT) == 7, 2.0, 0.0)})


def test_a_pendulum_winds_on_its_peg_by_semi_implicit_steps_with_a_memory() -> None:
    """Which coordinate depends on the other changes on the way and is remembered from launch to
    launch. The string is long on one side and short on the other, whatever the method."""
    m = pegged_pendulum()
    m.memory("ticks", update=lambda before: before + 1.0)
    system, given = m.compile(), {"step": 1e-3, "rate": 500.0, "method": "euler"}
    given["record"] = [z, x, mode] = ["bob.z", "bob.x", "mode"]
    first = [system.assemble({z: -0.28, x: -0.96}).x, system.assemble({z: -0.8, x: -0.6}).x]
    ran, usual = (system.batch(2).run(first, 1.5, on=on, **given) for on in ("gpu", "cpu"))
    assert ran.card and np.array_equal(ran.x, usual.x) and np.array_equal(ran.record, usual.record)
    short = ran[mode] == 1.0
    assert np.array_equal(short, ran[x] > 0.0) and 100 < short[0].sum() < 1400
    ends = np.where(short, np.hypot(ran[x], ran[z] + 0.4) - 0.6, np.hypot(ran[x], ran[z]) - 1.0)
    assert np.abs(ends).max() < 1e-12
    assert np.array_equal(ran.last("ticks"), [750.0, 750.0])


@pytest.mark.parametrize("on", ["gpu", "cpu"])
def test_the_instance_that_leaves_its_constraints_farthest_is_told_of(on) -> None:
    """A string that is kept in its second derivative only, by long steps: of a bob that swings far
    and one that hardly moves, in either order, the warning is that of the former's own run."""
    system = pegged_pendulum().compile()
    far, still = (
        system.assemble({"bob.z": z, "bob.x": -np.sqrt(1.0 - z**2)}).x for z in (-0.8, -0.9999)
    )
    grid = {"method": "rk4", "step": 2e-2, "constraints": "multipliers"}
    with pytest.warns(RuntimeWarning) as own:
        tb.simulate(system, far, 2.0, **grid)
    for x in ([far, still], [still, far]):
        with pytest.warns(RuntimeWarning) as told:
            ran = system.batch(2).run(np.array(x), 2.0, on=on, **grid)
        assert ran.whole.all() and bool(ran.card) == (on == "gpu")
        assert [str(each.message) for each in told] == [str(each.message) for each in own]


def test_modes_that_no_thread_has_room_for_run_on_the_processor(yard, monkeypatch) -> None:
    monkeypatch.setattr(gpu_executor, "MOST_BYTES", 1000)
    with pytest.warns(RuntimeWarning, match="its modes need .* kB of memory an instance"):
        assert not run(yard, duration=STEP).card


@pytest.mark.soak
@pytest.mark.parametrize(
    ("model", "constraints"),
    [
        (striking_rods("newton"), "partitioning"), (striking_rods("poisson"), "partitioning"),
        (bead_on_dome(), "multipliers"), (bead_on_dome(), "baumgarte"),
        (block_on_belt(), "projection"),
    ],
    ids=lambda each: getattr(each, "name", each),
)  # fmt: skip
def test_laws_of_impact_and_ways_to_keep_constraints_are_those_of_the_processor(
    model, constraints
) -> None:
    system, given = model.compile(), {"step": 1e-3, "constraints": constraints}
    ran, usual = (system.batch(2).run(None, 0.8, on=on, **given) for on in ("gpu", "cpu"))
    assert ran.card and np.array_equal(ran.record, usual.record)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["bouncing-hammer", "harpsichord", "omni-wheel", "piano-modes"])
def test_every_mechanism_with_modes_of_the_gallery_runs_on_the_card(name) -> None:
    """Its sensors are read from where a step left it, on the processor from all steps' end. The
    piano's laws have an exponential and an arc sine, which a card rounds in its own way."""
    system, step = tb.gallery.make(name).compile(), 2e-4
    ran, usual = (system.batch(2).run(None, 400 * step, on=on, step=step) for on in ("gpu", "cpu"))
    assert np.allclose(ran.x, usual.x, rtol=1e-9, atol=1e-9)
    assert name == "piano-modes" or np.array_equal(ran.x, usual.x)
    assert np.allclose(ran.record, usual.record, rtol=1e-9, atol=1e-9)
