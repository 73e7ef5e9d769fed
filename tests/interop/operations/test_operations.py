"""Rollouts and dynamics inside jax, torch and casadi: their own checks of derivatives, and each
against what it wraps."""

import sys

import numpy as np
import pytest

import touchback as tb
from complex_steps import laws
from touchback.errors import InputError


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
WEIGHTS = np.random.default_rng(1).normal(size=(7, 4))


def test_jax_differentiates_a_rollout_that_is_compiled_and_mapped(rollout: tb.Rollout) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    states = tb.to_jax(rollout)

    def cost(x0: object, u: object, p: object) -> object:
        return jax.numpy.sum(WEIGHTS * jax.numpy.sin(states(x0, u, p)))

    found = jax.jit(jax.grad(cost, argnums=(0, 1, 2)))(X0, U, P)
    wanted = rollout.adjoint(WEIGHTS * np.cos(rollout.states(X0, U, P)), X0, U, P)
    for ours, theirs in zip(wanted, found, strict=True):
        np.testing.assert_allclose(theirs, ours, rtol=1e-12)
    several = jax.vmap(states, in_axes=(0, None, None))(np.array([X0, -X0]), U, P)
    np.testing.assert_array_equal(several[1], rollout.states(-X0, U, P))


def test_jax_differentiates_forward_dynamics_of_many(system: tb.System) -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    a = tb.to_jax(system)
    q, v, tau = np.random.default_rng(2).normal(size=(3, 5, 2))
    found = jax.vmap(jax.jacrev(a, argnums=(0, 1, 2)))(q, v, tau)
    wanted = system.forward_dynamics_derivatives(q, v, tau)
    np.testing.assert_allclose(np.stack(found, axis=1), wanted, rtol=1e-12, atol=1e-14)


def test_torch_finds_derivatives_of_rollouts_and_dynamics_right(
    system: tb.System, rollout: tb.Rollout
) -> None:
    """By its own differences, `gradcheck`; leading dimensions are summed over."""
    torch = pytest.importorskip("torch")
    given = [torch.tensor(each, requires_grad=True) for each in (X0, U, P)]
    assert torch.autograd.gradcheck(tb.to_torch(rollout), given)
    states = torch.tensor(np.random.default_rng(3).normal(size=(3, 2)), requires_grad=True)
    one = torch.tensor([0.2, -0.4], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(tb.to_torch(system), [states, one, one])
    whole = tb.to_torch(system)([0, 0], [0, 1], [1, 0])  # results aren't cut to whole numbers
    np.testing.assert_allclose(whole, system.forward_dynamics([0, 0], [0, 1], [1, 0]))


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_casadi_has_rollouts_as_expressions_of_its_own(system: tb.System, method: str) -> None:
    casadi = pytest.importorskip("casadi")
    rollout = tb.rollout(system, 6, step=0.05, method=method)
    function = tb.to_casadi(rollout)
    np.testing.assert_allclose(
        np.array(function(X0, U.T, P)).T, rollout.states(X0, U, P), rtol=1e-12
    )
    x0, u, p = (casadi.MX.sym(name, *shape) for name, *shape in (("x", 4), ("u", 1, 6), ("p", 1)))
    end = function(x0, u, p)[:, -1]
    slopes = casadi.Function("slopes", [x0, u, p], [casadi.jacobian(end, x) for x in (x0, u, p)])
    wanted = rollout.jacobian(X0, U, P)
    for ours, theirs in zip(wanted, slopes(X0, U.T, P), strict=True):
        np.testing.assert_allclose(np.array(theirs), ours.reshape(4, -1), rtol=1e-10, atol=1e-13)


def test_casadi_has_functions_by_name_and_rollouts_of_loops() -> None:
    """With a ball joint, a stop and live parameters; a slider-crank by its own elimination."""
    pytest.importorskip("casadi")
    lawful = laws().compile()
    q = lawful.initial_state().q + 0.1
    v, tau = np.random.default_rng(4).normal(size=(2, 5))
    found = tb.to_casadi(lawful, parameters=["mass"])(
        q=q, v=v, tau=tau, p=3.0, t=0.2, z=[0.5], u=[0.3]
    )["result"]
    lawful["mass"] = 3.0
    wanted = lawful.forward_dynamics(q, v, tau, u=[0.3], t=0.2, z=[0.5])
    np.testing.assert_allclose(np.array(found).ravel(), wanted, rtol=1e-11)
    matrix = tb.to_casadi(lawful, "mass matrix")(q=q)["result"]
    np.testing.assert_allclose(np.array(matrix), lawful.mass_matrix(q), rtol=1e-12, atol=1e-14)
    crank = tb.gallery.make("slider-crank").compile()
    rollout = tb.rollout(crank, 5, parameters=[])
    start = crank.assemble().x
    held = np.zeros((len(crank.input_names), 5))
    states = tb.to_casadi(rollout)(start, held, np.zeros(0))
    np.testing.assert_allclose(np.array(states).T, rollout.states(start), rtol=1e-9, atol=1e-12)


def test_what_can_not_be_wrapped_is_refused_by_name(
    system: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wrap, library in ((tb.to_jax, "jax"), (tb.to_torch, "torch"), (tb.to_casadi, "casadi")):
        with monkeypatch.context() as without:
            without.setitem(sys.modules, library, None)
            with pytest.raises(InputError, match=rf"needs {library}.*touchback\[{library}\]"):
                wrap(system)
    pytest.importorskip("casadi")
    with pytest.raises(InputError, match=r"energie.*energy"):
        tb.to_casadi(system, "energie")
    with pytest.raises(InputError, match=r"parameters: names are expected, as \['mass'\]"):
        tb.to_casadi(system, parameters="mass")
    pytest.importorskip("torch")
    with pytest.raises(InputError, match="quaternions"):
        tb.to_torch(laws().compile())


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_an_argument_left_out_is_told(rollout: tb.Rollout, library: str) -> None:
    """With it left out derivatives by it were missed only on the way back."""
    pytest.importorskip(library)
    with pytest.raises(InputError, match=r"takes x0, inputs, parameters, got 2 arguments"):
        getattr(tb, f"to_{library}")(rollout)(X0, U)


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_wrong_shapes_are_told_before_a_callback_hides_them(
    rollout: tb.Rollout, system: tb.System, library: str
) -> None:
    pytest.importorskip(library)
    wrap, n = getattr(tb, f"to_{library}"), len(system.layout.v)
    states, dynamics = wrap(rollout), wrap(system)
    parameters, q = np.ones(len(rollout.parameters)), np.zeros(n)
    for call, words in (
        (lambda: states(X0[:-1], U, parameters), r"x0: real numbers of shape \("),
        (lambda: states(X0, U[:-1], parameters), "inputs: real numbers of shape"),
        (lambda: states(X0, U, "x"), "parameters: .* got 'x'"),
        (lambda: states(X0 * 1j, U, parameters), "x0: real numbers"),
        (lambda: dynamics(np.zeros(n + 1), q, q), rf"q: .*\(…, {n}\) are expected"),
        (lambda: dynamics(np.zeros((4, n)), np.zeros((3, n)), q), "don't go together"),
    ):
        with pytest.raises(InputError, match=words):
            call()
