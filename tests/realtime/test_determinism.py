"""The same inputs give the same bits: as `simulate`, as another live run, as the recording."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback import gallery

STEP = 1e-3


def differing(ours: tb.Run, reference: tb.Run) -> list[str]:
    """Signals that differ in any bit; a live run's first row is the end of its first tick."""
    shared = [name for name in reference.names if name in ours]
    assert len(shared) >= 4
    return [name for name in shared if not np.array_equal(ours[name], reference[name][1:])]


@pytest.mark.parametrize("method", ["rk4", "euler", "implicit-euler", "trapezoidal"])
def test_an_unclocked_run_has_the_bits_of_simulate(cart: tb.System, method: str) -> None:
    with tb.live(cart, rate=1 / STEP, speed=None, method=method, record=True) as live:
        live["force"] = 0.7
        live.run(0.5)
    reference = tb.simulate(cart, None, 0.5, method=method, step=STEP, inputs={"force": 0.7})
    assert np.array_equal(live.recorded().time, reference.time[1:])
    assert differing(live.recorded(), reference) == []


@pytest.mark.parametrize(
    "constraints",
    [
        "partitioning",
        "projection",
        "multipliers",
        "baumgarte",
        "linear-implicit",
        "augmented-lagrangian",
    ],
)
def test_so_has_every_way_to_keep_constraints(
    slider_crank: tb.System, turning: tb.State, constraints: str
) -> None:
    own_step = constraints in ("linear-implicit", "augmented-lagrangian")
    with tb.live(
        slider_crank, turning, rate=1000, speed=None, constraints=constraints, record=True
    ) as live:
        live["motor torque"] = 0.3
        live.run(0.8)  # two turns: dependent coordinates are chosen anew on the way
    reference = tb.simulate(
        slider_crank, turning, 0.8, method=None if own_step else "rk4", step=STEP,
        constraints=constraints, inputs={"motor torque": 0.3},
    )  # fmt: skip
    # `simulate` measures after the run, with the dependent coordinates chosen last: multipliers
    # then differ by rounding.
    assert set(differing(live.recorded(), reference)) <= {"pin force"}
    force = reference["pin force"][1:]
    assert live.recorded()["pin force"] == pytest.approx(force, rel=1e-9, abs=1e-9)


def test_substeps_are_shorter_steps(cart: tb.System) -> None:
    with tb.live(cart, rate=250, substeps=4, speed=None, record=True) as live:
        live.run(0.2)
    reference = tb.simulate(cart, None, 0.2, method="rk4", step=STEP, output_step=4 * STEP)
    assert differing(live.recorded(), reference) == []


def test_substeps_change_at_a_tick_and_time_goes_on(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None, record=True) as live:
        live.run(0.1)
        live.set_substeps(10)
        live.run(0.1)
    run = live.recorded()
    assert run.time == pytest.approx(np.arange(1, 21) / 100, abs=1e-14)
    assert list(run["substeps"]) == [1] * 10 + [10] * 10
    # m ẍ = −k x from 0.1 m: the steps of RK4 err by about (ω h)⁴ = 1.6e-7 of it
    assert run["slide"] == pytest.approx(0.1 * np.cos(2.0 * run.time), abs=1e-8)


def test_a_clocked_run_has_the_bits_of_an_unclocked_one(cart: tb.System) -> None:
    runs = []
    for speed in (None, 20.0):
        with tb.live(cart, rate=1000, speed=speed, record=True) as live:
            live.run(0.2)
        runs.append(live.recorded())
    assert len(runs[1]) >= 200
    assert np.array_equal(runs[0]["slide"], runs[1]["slide"][:200])


def test_a_clocked_recording_replays_bit_for_bit(
    slider_crank: tb.System, turning: tb.State, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(slider_crank, turning, rate=2000, speed=2.0, record=path) as live:
        live["motor torque"] = 0.4
        live.run(0.15)
        live["crank radius"] = 0.12
        live.run(0.1)
        live.set_substeps(3)
        live["motor torque"] = -1.0  # NaN: the model is held
        live.run(0.05)
        live["motor torque"] = 0.2
        live.resume()
        live.run(0.1)
        live.emergency_stop()
        live.run(0.05)
        live.resume()
        live.run(0.1)
    again = tb.replay(path)
    assert len(again.states) >= 1100
    assert again.first_difference is None
    versions = again.recording.column("version")
    assert set(versions) == {0.0, 1.0}


def test_an_implicit_method_takes_new_parameters_into_its_jacobian(
    cart: tb.System, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=100, speed=None, method="trapezoidal", record=path) as live:
        live.run(0.05)
        live["stiffness"] = 1e6  # ω h = 7: Newton's method with the old Jacobian diverges
        live.run(0.05)
        assert live.faults == ()
    assert tb.replay(path).same
    # one linear system: with the right Jacobian one iteration solves, another confirms
    assert live._loop.newton is not None
    assert live._loop.newton.statistics["iterations_most"] <= 2


def test_a_replay_sees_a_recording_that_was_changed(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live["force"] = 1.0
        live.run(0.1)
    data = bytearray(path.read_bytes())
    place = data.index(np.array([50.0, 0.05]).tobytes())  # the row of tick 50
    force = place + 9 * 8
    assert np.frombuffer(data[force : force + 8])[0] == 1.0
    data[force : force + 8] = np.array([1.5]).tobytes()
    chunk_without_its_checksum = _forget_checksums(data)
    path.write_bytes(chunk_without_its_checksum)
    assert tb.replay(path).first_difference == 50


def _forget_checksums(data: bytearray) -> bytearray:
    """Zero means that a chunk has no checksum (MCAP's specification, "Chunk")."""
    place = 8
    while place < len(data) - 8:
        kind, length = data[place], int.from_bytes(data[place + 1 : place + 9], "little")
        if kind == 6:  # chunk: start, end, uncompressed size, then the checksum
            data[place + 9 + 24 : place + 9 + 28] = bytes(4)
        place += 9 + length
    return data


def test_an_action_with_long_expressions_replays_from_its_own_description(tmp_path: Path) -> None:
    """Its constraints were written in another order than that of the file; to the last bit, what
    they give depends on what they say."""
    path = tmp_path / "action.mcap"
    with tb.live(gallery.make("piano-modes").compile(), rate=4000, speed=None, record=path) as a:
        a.run(0.1)
    assert tb.replay(path).same


def test_a_solver_with_its_options_runs_as_its_name_with_them_does(
    slider_crank: tb.System, tmp_path: Path
) -> None:
    file = tmp_path / "run.mcap"
    ends = []
    ways: list[dict[str, Any]] = [
        {"method": "rk4", "substeps": 4},
        {"method": tb.RK4(substeps=4)},
        {"method": tb.Trapezoidal(rtol=1e-3, atol=1e-3)},
        {"method": tb.Trapezoidal()},
    ]
    for way in ways:
        with tb.live(slider_crank, speed=None, record=file, **way) as live:
            live["motor torque"] = 1.0
            live.run(0.2)
            ends.append(live.read("crank"))
        assert tb.replay(file).same
    assert ends[0] == ends[1]
    assert ends[2] != ends[3]  # how far Newton's method goes is replayed, too


def test_options_that_the_clock_decides_are_refused(slider_crank: tb.System) -> None:
    with pytest.raises(tb.InputError, match="`substeps` steps in each; leave step of RK4"):
        tb.live(slider_crank, method=tb.RK4(step=1e-4))
    with pytest.raises(tb.InputError, match="has its own options; give 'substeps' there"):
        tb.live(slider_crank, method=tb.RK4(), substeps=2)
    with pytest.raises(tb.InputError, match="can't run against a clock; use method='rk4'"):
        tb.live(slider_crank, method=tb.Dopri5())
    with pytest.raises(tb.InputError, match="offline give `step`"):
        tb.simulate(slider_crank, method=tb.RK4(substeps=2))
