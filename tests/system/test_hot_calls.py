"""Calls from Python: the straight road into C and the friendly road give the same bits."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import make

METHODS: dict[str, Callable[[tb.System, Any, Any], np.ndarray]] = {
    "inverse_dynamics": lambda system, q, v: system.inverse_dynamics(q, v, v),
    "bias": lambda system, q, v: system.bias(q, v),
    "mass_matrix": lambda system, q, v: system.mass_matrix(q),
    "forward_dynamics": lambda system, q, v: system.forward_dynamics(q, v),
    "forward_dynamics of tau": lambda system, q, v: system.forward_dynamics(q, v, tau=v),
    "joint_efforts": lambda system, q, v: system.joint_efforts(q, v),
    "state_rate": lambda system, q, v: system.state_rate(q, v),
    "momentum": lambda system, q, v: system.momentum(q, v),
    "centre_of_mass": lambda system, q, v: system.centre_of_mass(q),
}


@pytest.fixture(scope="module")
def arm() -> tb.System:
    m = tb.Model("arm", gravity=(0, 0, -9.81))
    upper, fore = m.body("upper", 1.0, (0.2, 0, 0), (0.01, 0.02, 0.02)), m.body("fore", 0.5)
    m.joint("shoulder", tb.Revolute("y"), m.ground, upper, position=(0.3,), velocity=(1.0,))
    m.joint("elbow", tb.Revolute("z"), upper.at(0.5, 0, 0), fore.at(0, 0.1, 0.1))
    m.force("motor", tb.JointEffort("elbow", m.input("torque", unit="N m", default=0.5)))
    return m.compile()


@pytest.fixture(scope="module")
def top() -> tb.System:
    return make("spinning-top").compile()


def state(system: tb.System, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random, (nq, nv, _) = np.random.default_rng(seed), system.sizes
    return random.normal(size=nq), random.normal(size=nv)


def unaligned(array: np.ndarray) -> np.ndarray:
    """The same numbers, a byte off where doubles lie."""
    moved = np.frombuffer(b" " + array.tobytes(), dtype=float, offset=1).reshape(array.shape)
    assert not moved.flags.aligned
    return moved


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", ["arm", "top"])
def test_arrays_lists_and_dicts_give_the_same_bits(
    name: str, kind: str, request: pytest.FixtureRequest
) -> None:
    system: tb.System = request.getfixturevalue(kind)
    call, (q, v) = METHODS[name], state(system)
    first = call(system, q, v)  # the friendly road, for which a C callable takes its place
    method = name.split()[0]
    assert type(system.__dict__[method]).__name__ == "builtin_function_or_method"
    straight = call(system, q, v)
    others = [
        call(system, q.tolist(), v.tolist()),
        call(system, dict(zip(system.coordinates, q)), dict(zip(system.velocities, v))),
        call(system, np.repeat(q, 2)[::2], np.repeat(v, 2)[::2]),  # strided
        call(system, q.astype(">f8"), v.astype(">f8")),  # another byte order
        call(system, q.astype(np.longdouble), v.astype(object)),
        call(system, q.view(np.recarray), np.ma.masked_array(v)),  # subclasses
        call(system, np.asfortranarray(q), memoryview(v)),
        call(system, unaligned(q), unaligned(v)),
        call(system, unaligned(np.stack([q, q])), unaligned(np.stack([v, v])))[1].copy(),
    ]
    frozen_q, frozen_v = q.copy(), v.copy()
    frozen_q.flags.writeable = frozen_v.flags.writeable = False
    others.append(call(system, frozen_q, frozen_v))
    for other in (first, *others):
        assert type(other) is np.ndarray and other.dtype == np.float64
        np.testing.assert_array_equal(other, straight)


def test_every_argument_may_be_named_left_out_or_none(arm: tb.System) -> None:
    q, v = state(arm)
    u = arm.input_defaults
    wanted = arm.inverse_dynamics(q, v, v)
    for given in (
        {"u": None}, {"u": u}, {"t": 0.0}, {"t": 0}, {"t": np.float64(0.0)}, {"z": None},
        {"out": None}, {"t": False},
    ):  # fmt: skip
        np.testing.assert_array_equal(arm.inverse_dynamics(q, v, v, **given), wanted)
    np.testing.assert_array_equal(arm.inverse_dynamics(a=v, v=v, q=q), wanted)
    np.testing.assert_array_equal(arm.inverse_dynamics(q, v=v, **{"".join("a"): v}), wanted)
    np.testing.assert_array_equal(arm.inverse_dynamics(q, v, v, None, 0.0, None, None), wanted)
    start = arm.assemble()
    np.testing.assert_array_equal(arm.bias(None, None), arm.bias(start.q, np.zeros_like(start.v)))


def test_time_inputs_and_states_arrive() -> None:
    m = tb.Model("pushed", gravity=(0, 0, -9.81))
    bob = m.body("bob", mass=2.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, bob)
    push, charge = m.input("push", unit="N", default=3.0), m.state("charge", 5.0, rate=0.0)
    m.force("motor", tb.JointEffort("slide", push + 2.0 * charge + 7.0 * m.time))
    system = m.compile()
    q = v = np.zeros(1)
    for _ in range(2):  # the friendly road, then the straight one
        assert system.forward_dynamics(q, v).item() == (3.0 + 10.0) / 2
        assert system.forward_dynamics(q, v, u=np.array([5.0])).item() == (5.0 + 10.0) / 2
        assert system.forward_dynamics(q, v, z=np.array([1.0])).item() == (3.0 + 2.0) / 2
        assert system.forward_dynamics(q, v, t=2.0).item() == (3.0 + 10.0 + 14.0) / 2
        assert system.forward_dynamics(q, v).item() == (3.0 + 10.0) / 2  # as nothing was given
        assert system.forward_dynamics(q, v, np.array([4.0])).item() == 2.0


@pytest.mark.parametrize("name", METHODS)
def test_results_are_written_to_out(name: str, arm: tb.System) -> None:
    method, tau = name.split()[0], name.endswith("tau")
    q, v = state(arm)
    given: dict[str, Any] = {"q": q}
    if method not in ("mass_matrix", "centre_of_mass"):
        given["v"] = v
    if method == "inverse_dynamics":
        given["a"] = v
    if tau:
        given["tau"] = v
    wanted = getattr(arm, method)(**given)
    for friendly in (False, True):
        out = np.full_like(wanted, np.nan)
        here = {**given, "q": q.tolist()} if friendly else given
        assert getattr(arm, method)(**here, out=out) is out
        np.testing.assert_array_equal(out, wanted)


def test_out_may_be_an_argument_too(arm: tb.System) -> None:
    q, v = state(arm)
    wanted = arm.inverse_dynamics(q, v, v)
    for given in (v.copy(), v.copy()):
        assert arm.inverse_dynamics(q, v, given, out=given) is given
        np.testing.assert_array_equal(given, wanted)
    given = v.copy()
    arm.inverse_dynamics(q.tolist(), v, given, out=given)
    np.testing.assert_array_equal(given, wanted)


def test_an_out_that_does_not_fit_is_refused(arm: tb.System) -> None:
    q, v = state(arm)
    n = len(v)
    frozen = np.zeros(n)
    frozen.flags.writeable = False
    arm.bias(q, v)
    for wrong, told in (
        (np.zeros(n + 1), "shape"), (np.zeros((1, n)), "shape"), (np.zeros(n, "f4"), "float32"),
        (frozen, "writeable"), (np.zeros(2 * n)[::2], "contiguous"), (np.zeros(n, ">f8"), ">f8"),
        ([0.0] * n, "float64"), ("out", "float64"), (3.0, "float64"),
    ):  # fmt: skip
        with pytest.raises(tb.InputError, match=told):
            arm.bias(q, v, out=wrong)
    assert not frozen.any()


def test_wrong_arguments_are_refused_as_kindly_as_before(arm: tb.System) -> None:
    q, v = state(arm)
    arm.inverse_dynamics(q, v, v)
    with pytest.raises(tb.InputError, match="q: 2 numbers are expected"):
        arm.inverse_dynamics(q[:1], v, v)
    with pytest.raises(tb.InputError, match="a: 2 numbers are expected"):
        arm.inverse_dynamics(q, v, np.zeros(3))
    with pytest.raises(tb.InputError, match=r"q: 2 numbers .* shape \(\)"):
        arm.inverse_dynamics(1.0, v, v)
    with pytest.raises(tb.InputError, match="did you mean"):
        arm.inverse_dynamics({arm.coordinates[0] + "x": 1.0}, v, v)
    for bad in (
        lambda: arm.inverse_dynamics(q, v), lambda: arm.inverse_dynamics(q, v, v, *[None] * 6),
        lambda: arm.inverse_dynamics(q, v, v, a=v), lambda: arm.inverse_dynamics(q, v, v, speed=v),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="inverse_dynamics"):
            bad()
    with pytest.raises(tb.InputError, match="parameters: numbers by name"):
        arm.inverse_dynamics(q, v, v, parameters=v)  # type: ignore[arg-type]
    for odd in ("fast", object(), [[1.0], 2.0], {1, 2}, b"12345678" * 2, np.array("x")):
        with pytest.raises((TypeError, ValueError, tb.InputError)):
            arm.inverse_dynamics(odd, v, v)
    for odd in ("now", object(), {1, 2}, np.zeros((2, 3))[:, :0], np.array("x")):
        with pytest.raises((TypeError, ValueError, tb.InputError)):
            arm.inverse_dynamics(np.zeros((3, 2)), v, v, t=odd)


def test_a_changed_parameter_is_in_the_next_call() -> None:
    m = tb.Model("slide", gravity=(0, 0, -9.81))
    mass = m.parameter("mass", 1.0, unit="kg")
    m.joint("slide", tb.Prismatic("z"), m.ground, m.body("bob", mass=mass))
    system, q = m.compile(), np.zeros(1)
    for number in (1.0, 2.0, 5.0):
        system["mass"] = number
        for _ in range(3):
            assert system.mass_matrix(q).item() == number
    held = system.mass_matrix
    other = system.independent_copy()
    other["mass"] = 7.0
    assert (system.mass_matrix(q).item(), other.mass_matrix(q).item()) == (5.0, 7.0)
    assert other.mass_matrix(q).item() == 7.0
    assert held(q).item() == 5.0


def test_a_callable_tells_its_name_and_what_it_does(arm: tb.System) -> None:
    q, v = state(arm)
    arm.bias(q, v)
    assert arm.bias.__name__ == "bias"
    assert arm.bias.__doc__ == tb.System.bias.__doc__
    assert arm.bias.__text_signature__ == (
        "(q, v, u=None, t=0.0, z=None, out=None, parameters=None)"
    )


def test_a_callable_outlives_its_system_and_systems_go() -> None:
    system = make("pendulum").compile()
    q = np.array([0.3])
    wanted = system.mass_matrix(q)
    call, gone = system.mass_matrix, weakref.ref(system)
    del system
    np.testing.assert_array_equal(call(q), wanted)
    np.testing.assert_array_equal(call([0.3]), wanted)
    del call
    gc.collect()
    assert gone() is None


def test_calls_leave_nothing_behind(arm: tb.System) -> None:
    import tracemalloc

    q, v = state(arm)
    out = np.zeros_like(v)
    names = dict(zip(arm.coordinates, q))

    def work() -> None:
        for _ in range(200):
            arm.inverse_dynamics(q, v, v)
            arm.inverse_dynamics(q, v, a=v, out=out)
            arm.bias(names, v)
            arm.bias(q[None].repeat(3, axis=0), v)
            with pytest.raises(tb.InputError):
                arm.bias(q[:1], v)

    work()
    gc.collect()
    tracemalloc.start()
    work()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    work()
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 20_000  # a leak of a small object a call were 50 kB
