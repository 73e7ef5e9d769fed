"""Constraints on a graphics card: the processor's own C code, compiled for the card. `test_gpu.py`
has each kind of constraint; without a card texts are compiled as C++ (`host_card`)."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from featured_models import TIP, cart_and_pendulum, compiled
from studies.piano.many_strikes import Laboratory, gestures
from touchback.batch import Batch, BatchRun
from touchback.batch.gpu import constrained_kernel, gpu_executor, modes_kernel

pytestmark = pytest.mark.usefixtures("card")
TIED_IN_THE_GALLERY = (
    "crank-rocker", "slider-crank", "four-bars", "suspension", "stewart-platform", "piano",
    "tilting-vehicle", "mini-baja", "buggy", "driving-simulator",
)  # fmt: skip


@pytest.mark.parametrize("constraints", ["multipliers", "baumgarte", "projection"])
def test_each_way_to_keep_constraints_is_that_of_the_processor(constraints) -> None:
    """With samples of each, spread over the run wherever it starts; a card finds their place in a
    cell by a product, which rounds otherwise. Half a step is left out at the end."""
    rod, push = compiled("closures"), np.random.default_rng(7).normal(size=(3, 5))
    given = {"inputs": {"push": push}, "start": 0.5, "step": 1e-3, "method": "euler"}
    given["constraints"] = constraints
    ran, usual = (rod.batch(3).run(None, 0.0205, on=on, **given) for on in ("gpu", "cpu"))
    assert ran.card and np.abs(ran.x - usual.x).max() < 1e-15
    assert np.array_equal(ran.time, usual.time) and np.allclose(ran.ended, usual.ended)


@pytest.mark.parametrize("constraints", ["partitioning", "projection"])
def test_a_start_that_breaks_constraints_is_moved_onto_them_there_too(
    constraints,
) -> None:
    """Speeds of one coordinate alone, which the others follow from the first row on; and a position
    that leaves a gap, of which both warn."""
    rod = compiled("closures")
    x = np.tile(rod.assemble().x, (3, 1))
    x[:, rod.sizes[0]] += [0.3, 0.0, -1.0]
    x[1, 0] += 0.01
    ran, usual = (_with_a_gap(rod.batch(3), x, on, constraints) for on in ("gpu", "cpu"))
    assert np.abs(ran.record - usual.record).max() < 1e-13 and np.array_equal(ran.x, usual.x)
    assert np.abs(usual.record[0, 0, : x.shape[1]] - x[0]).max() > 0.01


def _with_a_gap(batch: Batch, x: np.ndarray, on: str, constraints: str) -> BatchRun:
    with pytest.warns(RuntimeWarning, match=r"initial state breaks the constraints by up to 0\.0"):
        return batch.run(x, 0.02, step=1e-3, on=on, constraints=constraints)


def test_a_bead_on_a_circle_chooses_anew_on_the_card(monkeypatch) -> None:
    """Across and along depend on each other by turns, and the bead goes round evenly. Launches are
    of 16 steps: what a mechanism remembers comes along from one to the next."""
    monkeypatch.setattr(gpu_executor, "_A_PART", 0.0)
    m = tb.Model("bead")
    carriage, bead = m.body("carriage"), m.body("bead", mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, carriage, position=0.5)
    m.joint("y", tb.Prismatic("y"), carriage, bead, velocity=2.0)
    m.close("rod", tb.Rod(0.5), m.ground, bead)
    system, given = m.compile(), {"step": 2e-3, "output_step": 0.1}
    one = tb.simulate(system, None, 3.0, method="rk4", **given)
    assert one.metadata["statistics"]["choices"] > 6  # of two turns
    ran = system.batch(2).run(None, 3.0, on="gpu", **given)
    for name in system.state_names:
        assert np.array_equal(ran[name][1], one[name])
    error = np.abs(ran["x"] - 0.5 * np.cos(4.0 * ran.time)).max()
    assert error < 5e-8  # (ω h)⁴ ω t, of the method


def test_the_files_that_a_card_compiles_are_installed() -> None:
    root = Path(__file__).parents[2]
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]
    there = set()
    for pattern in patterns["package-data"]["touchback"]:
        there |= set((root / "src/touchback").glob(pattern))
    sources = (*constrained_kernel.SOURCES, *modes_kernel.SOURCES)
    assert {root / "src/touchback/native" / path for path in sources} <= there


@pytest.mark.soak
@pytest.mark.parametrize("name", TIED_IN_THE_GALLERY)
def test_every_tied_mechanism_of_the_gallery_runs_on_the_card(name) -> None:
    """Beyond 20 freedoms the processor eliminates sparsely, which rounds otherwise."""
    system = tb.gallery.make(name).compile()
    step = 1e-4 if name == "piano" else 1e-3
    given = {"step": step, **({"rate": 1.0 / step} if system.layout.memories else {})}
    ran, usual = (system.batch(2).run(None, 40 * step, on=on, **given) for on in ("gpu", "cpu"))
    assert np.allclose(ran.x, usual.x, rtol=1e-9, atol=1e-10)
    assert np.allclose(ran.record, usual.record, rtol=1e-8, atol=1e-8)


def test_gestures_strike_as_in_runs_of_their_own(card) -> None:
    """Felts, memories and a driven key with parameters of each; exp and pow of a card may differ in
    the last bit, which felts hardly amplify."""
    laboratory, given = Laboratory(), gestures(4)
    given["touch speed"][0] = 3.0
    struck = laboratory.strike(given, duration=0.06)
    assert struck.run.card == card.name and struck.run.whole.all()
    singles = [laboratory.single(given, i, duration=0.06) for i in range(4)]
    assert np.allclose(struck.speeds, singles, rtol=1e-9, atol=0.0)
    assert 2.0 < struck.speeds[0] < 6.0  # m/s: fortissimo


def test_one_that_becomes_no_number_stops_where_it_was() -> None:
    rod = compiled("closures")
    x = np.tile(rod.assemble().x, (3, 1))
    x[1, 2:] *= 1e180
    ran, usual = (rod.batch(3).run(x, 0.02, step=1e-3, on=on) for on in ("gpu", "cpu"))
    assert list(ran.failed) == [1] == list(usual.failed) and ran.ended[1] == usual.ended[1]
    assert np.array_equal(ran.x, usual.x)


def test_constraints_that_cannot_be_kept_are_told_of() -> None:
    m = cart_and_pendulum("pulled apart")
    m.close("rod", tb.Rod(0.7), m.ground.at(0.6, 0, -0.4), TIP)
    m.drive("x", lambda t: 40.0 * t)
    with pytest.warns(RuntimeWarning, match="position constraints could not be solved"):
        m.compile().batch(2).run(None, 0.1, step=1e-3, on="gpu")


def test_single_precision_is_too_coarse_for_constraints() -> None:
    with pytest.warns(RuntimeWarning, match="computed in double precision: its constraints"):
        ran = compiled("drives").batch(2).run(None, 0.01, step=1e-3, on="gpu", precision="single")
    assert ran.record.dtype == np.float64
