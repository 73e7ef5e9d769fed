"""Many states of a constrained system: as many at once as a vector register holds, each with a
choice of dependent coordinates of its own, with the bits of each state alone."""

from collections.abc import Callable

import numpy as np
import pytest

import touchback as tb
from featured_models import compiled as featured
from touchback.codegen import native_lanes
from touchback.gallery import make
from touchback.native.constrained.acceleration_at_state import LANES
from touchback.system.constrained_accelerations import SolvedMotion

pytestmark = pytest.mark.skipif(native_lanes() == 1, reason="no code for several lanes here")

FEATURES = (
    "closures", "couplings", "written constraints", "velocity constraints", "servo constraints",
    "friction of constraints", "drives",
)  # fmt: skip


@pytest.fixture(autouse=True)
def always_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("touchback.system.compiled_function._WIDE_FROM", 1)


def ball_on_rod() -> tb.System:
    """Quaternions, and an extra state whose input pushes."""
    m = tb.Model("ball on a rod")
    rod = m.body("rod", mass=m.parameter("mass", 1.5), com=(0.2, 0.1, 0), inertia=(0.1, 0.2, 0.3))
    m.joint("free", tb.Free(), m.ground, rod)
    m.close("socket", tb.Spherical(), m.ground, rod.at(0.4, 0, 0))
    lag = m.state("lag", 0.5, rate=m.input("push") - 2.0)
    m.force("thrust", tb.Wrench(rod, force=(lag, 0, 0)))
    return m.compile()


MODELS: dict[str, Callable[[], tb.System]] = {
    name: lambda name=name: featured(name) for name in FEATURES
}
for piece in ("slider-crank", "crank-rocker", "stewart-platform", "suspension", "four-bars"):
    MODELS[piece] = lambda piece=piece: make(piece).compile()
MODELS["ball"] = ball_on_rod


def anywhere(system: tb.System, count: int) -> tuple[np.ndarray, np.ndarray]:
    """States all over: neighbours have different choices."""
    start, random = system.assemble(), np.random.default_rng(11)
    q = start.q + random.normal(size=(count, start.q.size))
    return q, start.v + random.normal(size=(count, start.v.size))


@pytest.mark.parametrize("name", MODELS)
def test_states_side_by_side_have_the_bits_of_each_alone(name: str) -> None:
    system, count = MODELS[name](), 4 * LANES + 1
    Q, V = anywhere(system, count)
    tau = np.random.default_rng(12).normal(size=V.shape)
    for efforts in (np.full(count, None), tau):
        alone = [system.forward_dynamics(q, v, e) for q, v, e in zip(Q, V, efforts, strict=True)]
        rows = [system.multipliers(q, v, e) for q, v, e in zip(Q, V, efforts, strict=True)]
        given = None if efforts[0] is None else tau
        assert system.forward_dynamics(Q, V, given).tobytes() == np.stack(alone).tobytes()
        for row, numbers in system.multipliers(Q, V, given).items():
            assert numbers.tobytes() == np.array([each[row] for each in rows]).tobytes()
    rates = np.stack([system.state_rate(q, v) for q, v in zip(Q, V, strict=True)])
    assert system.state_rate(Q, V).tobytes() == rates.tobytes()


def test_each_state_has_parameters_inputs_and_extra_states_of_its_own() -> None:
    system, count = ball_on_rod(), 2 * LANES + 1
    Q, V = anywhere(system, count)
    mass, push = np.linspace(1.0, 2.0, count), np.linspace(-1.0, 1.0, count)[:, None]
    Z = np.linspace(3.0, 4.0, count)[:, None]
    alone = [
        system.state_rate(Q[k], V[k], push[k], z=Z[k], parameters={"mass": mass[k]})
        for k in range(count)
    ]
    whole = system.state_rate(Q, V, push, z=Z, parameters={"mass": mass})
    assert whole.tobytes() == np.stack(alone).tobytes()
    np.testing.assert_array_equal(whole[:, -1], push[:, 0] - 2.0)


def slide() -> tb.System:
    """Two blocks a gap apart, one of which can fall."""
    m = tb.Model("slide", gravity=(0, 0, -10.0))
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=2.0))
    m.joint("z", tb.Prismatic("z"), m.ground, m.body("other", mass=m.parameter("mass", 1.0)))
    gap = m.parameter("gap", 0.5)
    m.constrain("line", m.coordinate("x") - (1.0 + gap) * m.coordinate("z") - gap)
    return m.compile()


def test_efforts_in_place_of_the_own_ones_go_with_parameters_of_each_state() -> None:
    system, count = slide(), 2 * LANES + 1
    mass, gap = np.linspace(1.0, 3.0, count), np.linspace(0.1, 2.0, count)
    tau = np.random.default_rng(13).normal(size=(count, 2))
    given = {"mass": mass, "gap": gap}
    found = system.forward_dynamics(np.ones(2), np.ones(2), tau, parameters=given)
    ratio = 1.0 + gap  # x follows z
    wanted = (ratio * tau[:, 0] + tau[:, 1] - 10.0 * mass) / (2.0 * ratio**2 + mass)
    np.testing.assert_allclose(found, np.stack([ratio * wanted, wanted], axis=1), rtol=1e-12)


def test_a_gap_that_is_no_number_leaves_no_answer() -> None:
    """Nothing but h has it: the accelerations would look like an answer."""
    system = slide()
    Q, V = np.ones((LANES, 2)), np.ones((LANES, 2))
    Q[-1] = 1e308, -1.5e308
    found = system.forward_dynamics(Q, V)
    assert np.isnan(found[-1]).all() and np.isfinite(found[:-1]).all()
    np.testing.assert_array_equal(system.forward_dynamics(Q[-1], V[-1]), found[-1])


def apart(system: tb.System) -> int:
    """How many groups of states were solved one after the other so far."""
    motion = system.calls.by_name("motion")
    assert isinstance(motion, SolvedMotion)
    return motion.serial_call_count


def test_only_states_out_of_the_ordinary_are_solved_one_after_the_other() -> None:
    system = make("slider-crank").compile()
    Q, V = anywhere(system, 8 * LANES)
    wanted = system.state_rate(Q, V)
    assert apart(system) == 0  # whatever they choose
    for lane in range(LANES):
        broken = Q.copy()
        broken[3 * LANES + lane, 1] = np.nan
        found = system.state_rate(broken, V)
        assert apart(system) == lane + 1  # one group each time
        others = np.arange(len(Q)) != 3 * LANES + lane
        assert found[others].tobytes() == wanted[others].tobytes()
        assert np.isnan(found[3 * LANES + lane, 3:]).all()


def test_a_singular_position_among_others_is_solved_as_alone() -> None:
    """A parallelogram that lies flat: its rows say the same there."""
    m = tb.Model("parallelogram")
    names = ("left", "coupler", "right")
    left, coupler, right = (m.body(name, mass=1.0, com=(0.5, 0, 0)) for name in names)
    m.joint("left", tb.Revolute("y"), m.ground, left)
    m.joint("coupler", tb.Revolute("y"), left.at(1, 0, 0), coupler)
    m.joint("right", tb.Revolute("y"), m.ground.at(1, 0, 0), right)
    m.close("pin", tb.PointInPlane("xz"), coupler.at(1, 0, 0), right.at(1, 0, 0))
    system = m.compile()
    turn = np.linspace(-1.0, 1.0, 4 * LANES + 1)
    Q = np.stack([turn, -turn, turn], axis=1)
    Q[2 * LANES + 1] = 0.0  # in the middle, and not first in its group
    V = np.tile([1.0, -1.0, 1.0], (len(Q), 1))
    alone = np.stack([system.state_rate(q, v) for q, v in zip(Q, V, strict=True)])
    assert system.state_rate(Q, V).tobytes() == alone.tobytes()
    assert 1 <= apart(system) <= 2 and np.isfinite(alone).all()
