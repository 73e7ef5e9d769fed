"""Arrays of states: leading dimensions broadcast, and each state has the bits of a call alone."""

import threading

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import make
from touchback.system.dynamics_kinds import At


@pytest.fixture(scope="module")
def arm() -> tb.System:
    return make("seven-joint-arm").compile()


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 255, 256, 257, 4999])
def test_any_number_of_states_gives_the_bits_of_single_calls(arm: tb.System, count: int) -> None:
    q, v, a = numbers(3, count, 7)
    for found, one in (
        (arm.inverse_dynamics(q, v, a), lambda k: arm.inverse_dynamics(q[k], v[k], a[k])),
        (arm.forward_dynamics(q, v, a), lambda k: arm.forward_dynamics(q[k], v[k], a[k])),
        (arm.forward_dynamics(q, v), lambda k: arm.forward_dynamics(q[k], v[k])),
        (arm.mass_matrix(q), lambda k: arm.mass_matrix(q[k])),
    ):
        assert found.shape[0] == count and found.flags.c_contiguous
        for k in {0, 1, 2, 3, count // 2, count - 2, count - 1} & set(range(count)):
            np.testing.assert_array_equal(found[k], one(k))


def test_threads_share_many_states_without_changing_a_bit(
    arm: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    q, v, a = numbers(3, 1003, 7)
    wanted = arm.inverse_dynamics(q, v, a)
    monkeypatch.setattr("touchback.system.compiled_function._A_THREAD", 1)
    for cores in (1, 2, 3, 7, 100):
        monkeypatch.setattr("os.sched_getaffinity", lambda _, cores=cores: range(cores))
        np.testing.assert_array_equal(arm.inverse_dynamics(q, v, a), wanted)


@pytest.mark.parametrize(
    ("name", "function", "count"),
    [("pendulum", "bias", 1_000_000), ("slider-crank", "motion", 100_000)],
)
def test_other_threads_run_while_a_call_computes_many_states(
    name: str, function: str, count: int
) -> None:
    """One of them sees the first result when the last is still to come."""
    system = make(name).compile()
    start, seen, done = system.assemble(), threading.Event(), threading.Event()
    at = At(np.tile(start.q, (count, 1)), start.v)
    out = np.empty((count, *system.calls.by_name(function).shape))

    def watch() -> None:
        while not done.is_set() and not seen.is_set():
            if not np.isnan(out[0, 0]) and np.isnan(out[-1, 0]):
                seen.set()

    for _ in range(50):  # a thread may be late
        out.fill(np.nan)
        done.clear()
        watching = threading.Thread(target=watch)
        watching.start()
        system.call_by_name(function, at, out=out)
        done.set()
        watching.join()
        if seen.is_set():
            return
    pytest.fail("a call kept Python's lock")


def test_leading_dimensions_broadcast_as_numpy_does(arm: tb.System) -> None:
    q, v, a = numbers(4, 1, 7), numbers(3, 7), numbers(7)
    found = arm.inverse_dynamics(q, v, a, t=np.zeros((2, 1, 1)))
    assert found.shape == (2, 4, 3, 7)
    for i in range(4):
        for j in range(3):
            wanted = arm.inverse_dynamics(q[i, 0], v[j], a)
            np.testing.assert_array_equal(found[:, i, j], [wanted, wanted])
    many = np.linspace(0.0, 1.0, 5)
    by_name = arm.mass_matrix({arm.coordinates[0]: many})
    assert by_name.shape == (5, 7, 7)
    np.testing.assert_array_equal(by_name[3], arm.mass_matrix({arm.coordinates[0]: many[3]}))
    with pytest.raises(tb.InputError, match=r"leading dimensions \(4,\), \(3,\) don't go together"):
        arm.bias(numbers(4, 7), v)
    with pytest.raises(tb.InputError, match=r"7 numbers .* shape \(7, 4\)"):
        arm.bias(numbers(4, 7).T, v)


def test_out_takes_arrays_of_states_even_when_it_is_an_argument(arm: tb.System) -> None:
    q, v, a = numbers(3, 600, 7)
    wanted = arm.inverse_dynamics(q, v, a)
    out = np.empty((600, 7))
    assert arm.inverse_dynamics(q, v, a, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    whole = np.concatenate([a, numbers(1, 7)])
    np.testing.assert_array_equal(arm.inverse_dynamics(q, v, whole[:-1], out=whole[1:]), wanted)
    with pytest.raises(tb.InputError, match="shape"):
        arm.inverse_dynamics(q, v, a, out=np.empty((599, 7)))


def test_a_mass_matrix_by_a_loop_takes_arrays_too() -> None:
    chain = make("hanging-chain", links=60).compile()
    assert chain.plan.loop_mass_matrix
    q = numbers(2, len(chain.coordinates))
    out = np.empty((2, q.shape[1], q.shape[1]))
    assert chain.mass_matrix(q, out=out) is out
    np.testing.assert_array_equal(out, [chain.mass_matrix(q[0]), chain.mass_matrix(q[1])])


def test_parameters_may_have_the_leading_dimensions_too() -> None:
    m = tb.Model("slide", gravity=(0, 0, -9.81))
    mass = m.parameter("mass", 1.0, unit="kg", min=0.1, max=100.0)
    m.parameter("length", 2.0, unit="m")
    m.joint("slide", tb.Prismatic("z"), m.ground, m.body("bob", mass=mass))
    system, q = m.compile(), np.zeros(1)
    masses = np.linspace(1.0, 50.0, 600)
    found = system.mass_matrix(q, parameters={"mass": masses})
    np.testing.assert_array_equal(found[:, 0, 0], masses)
    efforts = system.inverse_dynamics(np.zeros((2, 1, 1)), q, q, parameters={"mass": masses})
    assert efforts.shape == (2, 600, 1)
    for number in (3.0, 7.0):
        wanted = system.independent_copy()
        wanted["mass"] = number
        one = system.inverse_dynamics(q, q, q, parameters={"mass": number})
        np.testing.assert_array_equal(one, wanted.inverse_dynamics(q, q, q))
    assert system.mass_matrix(q).item() == system["mass"] == 1.0  # as they were
    with pytest.raises(tb.InputError, match=r"Parameter 'mass': 101.0 lies outside"):
        system.mass_matrix(q, parameters={"mass": np.array([1.0, 101.0])})
    with pytest.raises(tb.InputError, match="did you mean 'mass'"):
        system.mass_matrix(q, parameters={"mas": 1.0})


def test_parameters_of_constrained_systems_may_too() -> None:
    system = make("slider-crank").compile()
    radii = np.array([0.09, 0.1, 0.11])
    starts = []
    for radius in radii:
        system["crank radius"] = float(radius)
        start = system.assemble(crank=0.4)
        starts.append((start.q, start.v, system.forward_dynamics(start.q, start.v)))
    system["crank radius"] = 0.1
    q, v, wanted = (np.stack(each) for each in zip(*starts))
    found = system.forward_dynamics(q, v, parameters={"crank radius": radii})
    np.testing.assert_array_equal(found, wanted)
    tau = np.ones(system.sizes[1])
    both = system.forward_dynamics(q, v, tau, parameters={"crank radius": radii})
    np.testing.assert_array_equal(both[1], system.forward_dynamics(q[1], v[1], tau))


@pytest.mark.parametrize("name", ["pendulum", "slider-crank"])
def test_leading_dimensions_may_be_of_any_argument_alone(name: str) -> None:
    system = make(name).compile()
    q, rows = system.assemble().q, len(system.constraint_names)
    parameter, number = next(iter(system.parameters.items()))
    several = {parameter: np.full((3, 1), number)}
    assert system.constraint_error(q, t=np.zeros(4)).shape == (4, rows)
    assert system.constraint_error(q, parameters=several).shape == (3, 1, rows)
    assert system.constraint_error(q, t=np.zeros(4), parameters=several).shape == (3, 4, rows)
    assert system.constraint_error(np.stack([q, q])).shape == (2, rows)
    u = np.zeros((5, len(system.input_names)))
    assert system.constraint_error(q, u=u).shape == (5, rows)
    with pytest.raises(tb.InputError, match="don't go together"):
        system.constraint_error(np.stack([q, q]), t=np.zeros(3))
