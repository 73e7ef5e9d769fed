"""What jax and torch are given, through stand-ins that do of them what is used: a function with its
way back. Where the libraries are installed, test_operations.py has them themselves."""

import math
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import touchback as tb
from complex_steps import laws
from touchback.errors import InputError
from touchback.interop.operations.casadi_function import _FUNCTIONS, rk4_step
from touchback.interop.operations.differentiable_operation import operation_of


@pytest.fixture(scope="module")
def system() -> tb.System:
    """A cart with a pole, pushed."""
    m = tb.Model("cart-pole", gravity=(0, 0, -9.81))
    length = m.parameter("length", 0.4, unit="m", min=0.1)
    cart, pole = m.body("cart", mass=1.0), m.body("pole", mass=0.2, com=(0, 0, length))
    m.joint("x", tb.Prismatic("x"), m.ground, cart, damping=0.3)
    m.joint("turn", tb.Revolute("y"), cart, pole)
    m.force("push", tb.JointEffort("x", m.input("push", unit="N")))
    return m.compile()


@pytest.fixture(scope="module")
def rollout(system: tb.System) -> tb.Rollout:
    return tb.rollout(system, 6, step=0.05)


X0, P = np.array([0.1, 0.7, -0.2, 0.4]), np.array([0.5])
U = np.random.default_rng(0).normal(size=(6, 1))
W = np.random.default_rng(1).normal(size=(7, 4))


class Tensor:
    """An array as torch has it, of a kind and a device."""

    def __init__(self, array: object, dtype: object = None, device: str = "cpu") -> None:
        self.array = np.asarray(array, dtype=dtype)
        self.dtype, self.device, self.shape = self.array.dtype, device, self.array.shape

    def is_floating_point(self) -> bool:
        return self.dtype.kind == "f"

    def double(self) -> "Tensor":
        return Tensor(self.array, np.float64, self.device)

    def detach(self) -> "Tensor":
        return self

    def cpu(self) -> "Tensor":
        return Tensor(self.array)

    def numpy(self) -> np.ndarray:
        return self.array

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        return self.array


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What of torch is used; `apply` keeps the last context, for the way back."""

    class Function:
        @classmethod
        def apply(cls, *given: Tensor) -> Tensor:
            context = SimpleNamespace()
            context.save_for_backward = lambda *kept: setattr(context, "saved_tensors", kept)
            made.back = lambda weight: cls.backward(context, weight)  # type: ignore[attr-defined]
            return cls.forward(context, *given)  # type: ignore[attr-defined]

    made = ModuleType("torch")
    made.as_tensor = lambda x, dtype=None, device="cpu": (  # type: ignore[attr-defined]
        x if isinstance(x, Tensor) and dtype is None else Tensor(x, dtype, device)
    )
    function = SimpleNamespace(once_differentiable=lambda way: way)
    made.autograd = SimpleNamespace(Function=Function, function=function)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", made)
    return made


def test_torch_gets_states_and_derivatives_of_its_own_kinds(
    torch: ModuleType, rollout: tb.Rollout, system: tb.System
) -> None:
    states = tb.to_torch(rollout)
    given = [Tensor(X0, np.float32, "card"), Tensor(U, np.float64), Tensor(P, np.float32)]
    found = states(*given)
    exact = [each.array.astype(float) for each in given]
    np.testing.assert_array_equal(found.array, rollout.states(*exact).astype(np.float32))
    assert found.device == "card" and found.dtype == np.float32
    slopes = torch.back(Tensor(W))
    for theirs, ours, each in zip(slopes, rollout.adjoint(W, *exact), given, strict=True):
        np.testing.assert_array_equal(theirs.array, ours.astype(each.dtype))
        assert (theirs.dtype, theirs.device) == (each.dtype, each.device)
    whole = tb.to_torch(system)([0, 0], [0, 1], [1, 0])
    np.testing.assert_array_equal(whole.array, system.forward_dynamics([0, 0], [0, 1], [1, 0]))
    with pytest.raises(InputError, match=r"tb.to_torch: the function takes x0.*got 2 arguments"):
        states(*given[:2])
    with pytest.raises(InputError, match=r"tb.to_torch: a rollout .* is expected, got 3"):
        tb.to_torch(3)  # type: ignore[arg-type]


@pytest.fixture
def jax(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What of jax is used, in single precision; `defvjp` keeps the ways there and back."""
    made = ModuleType("jax")

    class Differentiated:
        def __init__(self, function: object) -> None:
            self.function = function

        def __call__(self, *given: object) -> object:
            return self.function(*given)  # type: ignore[operator]

        def defvjp(self, forward: object, reverse: object) -> None:
            made.forward, made.reverse = forward, reverse  # type: ignore[attr-defined]

    def callback(function, shapes, *given, vmap_method):  # type: ignore[no-untyped-def]
        found = function(*given)
        made.method = vmap_method  # type: ignore[attr-defined]
        several = isinstance(shapes, tuple)
        for one, shape in zip(found if several else [found], shapes if several else [shapes]):
            assert (one.shape, one.dtype) == (shape.shape, shape.dtype)
        return found

    made.custom_vjp = Differentiated  # type: ignore[attr-defined]
    made.pure_callback = callback  # type: ignore[attr-defined]
    made.ShapeDtypeStruct = lambda shape, dtype: SimpleNamespace(  # type: ignore[attr-defined]
        shape=shape, dtype=dtype
    )
    made.numpy = SimpleNamespace(  # type: ignore[attr-defined]
        result_type=lambda kind: np.dtype(np.float32), asarray=np.asarray
    )
    monkeypatch.setitem(sys.modules, "jax", made)
    return made


def test_jax_gets_values_and_the_way_back(
    jax: ModuleType, rollout: tb.Rollout, system: tb.System
) -> None:
    states = tb.to_jax(rollout)
    found = states(X0, U, P)
    np.testing.assert_array_equal(found, rollout.states(X0, U, P).astype(np.float32))
    assert jax.method == "sequential"
    value, kept = jax.forward(X0, U.astype(np.float32), P)
    assert value.shape == (7, 4) and len(kept) == 3
    slopes = jax.reverse(kept, W)
    ours = rollout.adjoint(W, X0, U.astype(np.float32).astype(float), P)
    for theirs, wanted, each in zip(slopes, ours, kept, strict=True):
        np.testing.assert_array_equal(theirs, wanted.astype(np.float32))
        assert theirs.dtype == each.dtype
    many = np.random.default_rng(2).normal(size=(5, 2))
    a = tb.to_jax(system)(many, many[0], many[1])
    expected = system.forward_dynamics(many, many[0], many[1])
    np.testing.assert_array_equal(a, expected.astype(np.float32))
    assert jax.method == "broadcast_all" and a.shape == (5, 2)
    with pytest.raises(InputError, match=r"tb.to_jax: .* got 2 arguments"):
        states(X0, U)
    with pytest.raises(InputError, match=r"tb\.to_jax: a rollout"):
        tb.to_jax("x")  # type: ignore[arg-type]


def test_operations_say_their_shapes_and_sum_over_what_was_the_same(
    rollout: tb.Rollout, system: tb.System
) -> None:
    rolled, dynamics = operation_of("call", rollout), operation_of("call", system)
    assert rolled.sizes == ((4,), (6, 1), (1,)) and rolled.shape() == (7, 4)
    assert dynamics.sizes == ((2,), (2,), (2,))
    assert dynamics.shape((5, 2), (1, 2), (2,)) == (5, 2)
    rng = np.random.default_rng(5)
    q, v, tau = rng.normal(size=(5, 2)), rng.normal(size=(1, 2)), rng.normal(size=2)
    weight, h = rng.normal(size=(5, 2)), 1e-6
    found = dynamics.back(weight, q, v, tau)
    assert [each.shape for each in found] == [(5, 2), (1, 2), (2,)]
    for k, given in enumerate((q, v, tau)):
        for place in np.ndindex(given.shape):
            moved = [q.copy(), v.copy(), tau.copy()]
            ends = []
            for sign in (h, -h):
                moved[k][place] = given[place] + sign
                ends.append((weight * dynamics.value(*moved)).sum())
            slope = (ends[0] - ends[1]) / (2 * h)
            assert found[k][place] == pytest.approx(slope, rel=1e-6, abs=1e-7)
    dynamics.check("call", (q, v, tau))
    rolled.check("call", (X0, U, P))
    for given, words in (
        ((X0[:3], U, P), r"call: x0: real numbers of shape \(4,\) are expected, got shape \(3,\)"),
        ((X0, U.T, P), r"inputs: real numbers of shape \(6, 1\) are expected, got shape \(1, 6\)"),
        ((X0, U, P * 1j), "parameters: real numbers"), ((X0, U, None), "got None"),
        ((X0, U, [[1], [1, 2]]), "parameters"), ((X0, U), "takes x0, inputs, parameters, got 2"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            rolled.check("call", given)
    with pytest.raises(InputError, match=r"q: .*shape \(…, 2\) are expected, got shape \(5, 3\)"):
        dynamics.check("call", (np.zeros((5, 3)), v, tau))
    with pytest.raises(InputError, match=r"don't go together: \(5, 2\), \(4, 2\), \(2,\)"):
        dynamics.check("call", (q, np.zeros((4, 2)), tau))
    with pytest.raises(InputError, match="quaternions"):
        operation_of("call", laws().compile())


def test_a_step_of_rk4_is_that_of_its_tableau() -> None:
    def rate(t: float, x: float) -> float:
        return math.sin(3.0 * t) - x * t**2 + 0.2 * x**2

    h, t, x = 0.3, 0.7, 1.1
    k1 = rate(t, x)
    k2 = rate(t + 0.15, x + 0.15 * k1)
    k3 = rate(t + 0.15, x + 0.15 * k2)
    k4 = rate(t + 0.3, x + 0.3 * k3)
    expected = x + 0.05 * k1 + 0.1 * k2 + 0.1 * k3 + 0.05 * k4
    assert rk4_step(rate, h, t, x) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    "function", ["forward dynamics", "inverse dynamics", "mass matrix", "rate"]
)
def test_casadi_has_each_function_of_a_system(function: str) -> None:
    pytest.importorskip("casadi")
    system = laws().compile()
    q = system.initial_state().q + 0.1
    rng = np.random.default_rng(4)
    v, further = rng.normal(size=(2, 5))
    word = _FUNCTIONS[function]
    given = {"q": q, "v": v, "u": [0.3], "t": 0.2, "z": [0.5]} | ({word: further} if word else {})
    found = np.array(tb.to_casadi(system, function)(**given)["result"])
    at = {"u": [0.3], "t": 0.2, "z": [0.5]}
    wanted = {
        "forward dynamics": lambda: system.forward_dynamics(q, v, further, **at),
        "inverse dynamics": lambda: system.inverse_dynamics(q, v, further, **at),
        "mass matrix": lambda: system.mass_matrix(q),
        "rate": lambda: system.state_rate(q, v, **at),
    }[function]()
    np.testing.assert_allclose(found.reshape(wanted.shape), wanted, rtol=1e-10, atol=1e-12)


def test_casadi_takes_every_operation_of_a_tape() -> None:
    pytest.importorskip("casadi")
    m = tb.Model("operations", gravity=(0, 0, 0))
    body = m.body("body", mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, body)
    a = m.input("a")
    laws_of = (
        tb.sin(a) + tb.cos(a) * tb.exp(-a), tb.sqrt(a * a + 1.0) - tb.log(a * a + 2.0),
        tb.minimum(a, 0.3) + 2.0 * tb.maximum(a, -0.2), tb.select(a < 0.1, a, 3.0 * a),
        tb.select(a <= 0.25, 1.0, 0.0), abs(a) - 2.0 * tb.tanh(a), tb.atan2(a, 2.0),
        tb.sinh(a) + 2.0 * tb.cosh(a), tb.asin(0.5 * a) - 2.0 * tb.acos(0.5 * a),
        (a * a + 0.5) ** 1.7, tb.floor(3.0 * a), a / (a * a + 3.0),
    )  # fmt: skip
    for i, law in enumerate(laws_of):
        m.sensor(f"s{i}", tb.Signal(law))
    system = m.compile()
    function = tb.to_casadi(system, "outputs")
    for value in (-0.7, 0.1, 0.25, 0.9):
        found = np.array(function(q=[0.0], v=[0.0], u=[value])["result"]).ravel()
        ours = list(system.sensors([0.0], [0.0], u=[value]).values())
        np.testing.assert_allclose(found, ours, rtol=1e-13, atol=1e-15)
