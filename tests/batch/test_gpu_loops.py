"""Long functions of chains on a graphics card run in loops, with the bits of the processor."""

import copy

import numpy as np
import pytest

from benchmarks.mechanisms import make
from touchback.batch.gpu import gpu_executor, kernels
from touchback.batch.gpu.gpu_executor import GpuDevice
from touchback.batch.gpu.kernels import Shared, evaluation, evaluation_in_loops

pytestmark = pytest.mark.usefixtures("card")
COUNT = 300  # two blocks and a bit


@pytest.fixture(scope="module")
def chain():
    return make("chain", 17).model().compile()


def kernel_of(system, function: str):
    n = len(system.layout.v)
    sizes = 2 * n, 1, n
    return evaluation_in_loops(
        system.function(function), sizes, Shared(True, True, further=False), "double"
    )


def evaluated(system, function, x, further) -> tuple[np.ndarray, np.ndarray]:
    return tuple(
        system.batch(len(x)).evaluate(function, x, further=further, on=on) for on in ("gpu", "cpu")
    )


def test_forward_dynamics_have_the_bits_of_the_processor(chain) -> None:
    assert kernel_of(chain, "forward dynamics") is not None
    draw = np.random.default_rng(1)
    x, tau = draw.normal(size=(COUNT, 34)), draw.normal(size=(COUNT, 17))
    there, here = evaluated(chain, "forward dynamics", x, tau)
    assert np.array_equal(there, here)
    there, here = evaluated(chain, "forward dynamics", x, tau[0])  # one for all
    assert np.array_equal(there, here)


def test_angles_of_any_size_have_their_sines(chain) -> None:
    """Beyond 2^30 they are the library's, whose last bit may differ on a card; neighbours in the
    same warp don't notice."""
    draw = np.random.default_rng(2)
    x, tau = draw.normal(size=(COUNT, 34)), np.zeros((COUNT, 17))
    x[5, 3], x[6, 0], x[140, 16] = 2.0**30, 3e9, -1e15
    x[7, 2], x[8, 16] = np.nan, np.inf
    there, here = evaluated(chain, "forward dynamics", x, tau)
    beyond = [6, 140]
    others = np.delete(np.arange(COUNT), beyond)
    assert np.array_equal(there[others], here[others], equal_nan=True)
    assert np.allclose(there[beyond], here[beyond], rtol=1e-9)
    assert np.isnan(here[[7, 8]]).all() and np.isfinite(here[5]).all()


def test_threads_take_instances_beyond_the_last_block(chain, monkeypatch) -> None:
    monkeypatch.setattr(kernels, "_BLOCKS", 1)
    evaluation_in_loops.cache_clear()
    draw = np.random.default_rng(3)
    x, tau = draw.normal(size=(COUNT, 34)), draw.normal(size=(COUNT, 17))
    there, here = evaluated(chain, "forward dynamics", x, tau)
    evaluation_in_loops.cache_clear()
    assert np.array_equal(there, here)


def test_inverse_dynamics_of_long_chains_run_in_loops_too() -> None:
    chain = make("chain", 30).model().compile()
    assert kernel_of(chain, "inverse dynamics") is not None
    draw = np.random.default_rng(4)
    x, a = draw.normal(size=(5, 60)), draw.normal(size=(5, 30))
    there, here = evaluated(chain, "inverse dynamics", x, a)
    assert np.array_equal(there, here)


def test_trees_and_short_programs_stay_straight(chain) -> None:
    assert kernel_of(make("tree", 20).model().compile(), "forward dynamics") is None
    assert kernel_of(make("chain", 7).model().compile(), "forward dynamics") is None
    function, sizes = chain.function("forward dynamics"), (34, 1, 17)
    assert evaluation_in_loops(function, sizes, Shared(True, True), "float") is None


def test_cards_with_less_memory_compute_the_same(chain, card, monkeypatch) -> None:
    """Of an RTX card a block may share 99 kB, of others 64: more of the arrays lie far."""
    draw = np.random.default_rng(5)
    x, tau = draw.normal(size=(5, 34)), draw.normal(size=(5, 17))
    for memory in (101_376, 65_536):
        smaller = replace_memory(card, memory)
        monkeypatch.setattr(gpu_executor, "find_device", lambda smaller=smaller: smaller)
        there, here = evaluated(chain, "forward dynamics", x, tau)
        assert np.array_equal(there, here)
        wanted = chain.function("forward dynamics"), (34, 1, 17), Shared(True, True, further=False)
        for kernel in (evaluation_in_loops(*wanted, "double", memory),
                       evaluation(*wanted, "double", memory)):  # fmt: skip
            assert kernel is not None and 0 < kernel.shared_bytes <= memory


def replace_memory(card: GpuDevice, memory: int) -> GpuDevice:
    other = copy.copy(card)
    object.__setattr__(other, "memory", memory)
    return other
