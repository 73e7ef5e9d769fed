"""Each mechanism is measured once."""

import pytest

import touchback as tb
from quality_models import engine, looped_pendulum, oscillator


@pytest.fixture(scope="session")
def oscillator_quality() -> tb.Quality:
    return tb.quality(oscillator(), [1.0, 0.0], 5.0, steps=(0.01, 0.005, 0.002), progress=False)


@pytest.fixture(scope="session")
def loop_quality() -> tb.Quality:
    system = looped_pendulum()
    start = system.assemble(x=0.6, guess={"z": -0.8})
    return tb.quality(system, start, 4.0, steps=(0.02, 0.01, 0.005), progress=False)


@pytest.fixture(scope="session")
def engine_quality() -> tb.Quality:
    system = engine()
    start = system.assemble(crank=0.5, rates={"crank": 100.0})
    return tb.quality(system, start, 0.5, steps=(1e-3, 5e-4, 2e-4), progress=False)
