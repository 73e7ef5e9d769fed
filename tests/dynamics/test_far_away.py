"""Far from where the world begins: what a mechanism weighs and how it moves doesn't depend on where
its base has travelled to, down to the last bit."""

from collections.abc import Callable

import numpy as np
import pytest

import touchback as tb

FAR = 5e6  # m: how far north of the equator maps count


def _free(m: tb.Model, base: tb.Body) -> list[str]:
    m.joint("base", tb.Free(), m.ground, base)
    return ["base.x", "base.y", "base.z"]


def _planar(m: tb.Model, base: tb.Body) -> list[str]:
    m.joint("base", tb.Planar("z"), m.ground.at(0, 0, 0, turn=("x", 0.4)), base)
    return ["base.x", "base.y"]


def _gantry(m: tb.Model, base: tb.Body) -> list[str]:
    """Slides askew to each other; what turns hangs on the second and on the third."""
    rail, cart, lift = (m.body(name, mass=2.0) for name in ("rail", "cart", "lift"))
    m.joint("along", tb.Prismatic((1, 0.2, 0)), m.ground, rail)
    m.joint("across", tb.Prismatic("y"), rail.at(0, 0, 0, turn=("z", 0.3)), cart)
    m.joint("up", tb.Prismatic("z"), cart.at(0.1, 0, 0), lift)
    m.joint("base", tb.Revolute("z"), lift, base)
    m.joint("flag", tb.Revolute("x"), cart, m.body("flag", 0.3, (0, 0.1, 0.2), (0.1, 0.1, 0.1)))
    return ["along", "across", "up"]


def _chain(mount: Callable[[tb.Model, tb.Body], list[str]], links: int) -> tuple[tb.System, list]:
    """A chain on a base that travels."""
    m = tb.Model("traveller", gravity=(0.3, 0, -9.81))
    link = m.body("base", 100.0, (0, 0.1, 0.2), (3.0, 4.0, 5.0))
    places = mount(m, link)
    for i in range(links):
        above, link = link, m.body(f"link {i}", 0.5, (0.1, 0, 0.02), (0.01, 0.02, 0.02))
        m.joint(f"joint {i}", tb.Revolute("xyz"[i % 3]), above.at(0.2, 0, 0.1), link)
    return m.compile(), places


def _here_and_there(system: tb.System, places: list[str]) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    here = rng.normal(size=system.sizes[0])
    for k, name in enumerate(system.coordinates):
        if name.endswith(".qw"):
            here[k : k + 4] /= np.linalg.norm(here[k : k + 4])
    there = here.copy()
    at = [list(system.coordinates).index(name) for name in places]
    there[at] = FAR * np.array([1.0, -0.7, 0.3])[: len(at)]
    return [here, there]


@pytest.mark.parametrize("links", [3, 24, 60])
@pytest.mark.parametrize("mount", [_free, _planar, _gantry])
def test_nothing_but_places_depends_on_where_a_base_is(
    mount: Callable[[tb.Model, tb.Body], list[str]], links: int
) -> None:
    """Of mass matrices entry by entry, by products and by a loop, and of derivatives."""
    system, places = _chain(mount, links)
    here, there = _here_and_there(system, places)
    n = system.sizes[1]
    v, tau = np.random.default_rng(6).normal(size=(2, n))
    assert np.array_equal(system.mass_matrix(here), system.mass_matrix(there))
    for function in (
        system.forward_dynamics, system.inverse_dynamics,
        system.forward_dynamics_derivatives, system.inverse_dynamics_derivatives,
    ):  # fmt: skip
        assert np.array_equal(function(here, v, tau), function(there, v, tau)), function.__name__


@pytest.mark.parametrize("links", [3, 24])
@pytest.mark.parametrize("mount", [_free, _planar, _gantry])
def test_how_points_move_does_not_depend_on_where_a_base_is(
    mount: Callable[[tb.Model, tb.Body], list[str]], links: int
) -> None:
    """Jacobians and velocities of points beside their bodies, and J v is the velocity, to
    rounding."""
    system, places = _chain(mount, links)
    here, there = _here_and_there(system, places)
    v = np.random.default_rng(6).normal(size=system.sizes[1])
    for body in system.model.bodies:
        frame = tb.Frame(body, (0.1, 0.3, -0.2))
        J = system.jacobian(frame, there)
        assert np.array_equal(J, system.jacobian(frame, here))
        velocity = system.velocity(frame, there, v)
        assert np.array_equal(velocity, system.velocity(frame, here, v))
        assert np.abs(J @ v - velocity).max() < 1e-13 * np.abs(J).max() * np.abs(v).sum()


@pytest.mark.parametrize("links", [24, 60])
@pytest.mark.parametrize("mount", [_free, _planar, _gantry])
def test_columns_of_a_mass_matrix_are_efforts_of_unit_accelerations(
    mount: Callable[[tb.Model, tb.Body], list[str]], links: int
) -> None:
    """By the recursion from link to link, which knows no other place: to rounding."""
    system, places = _chain(mount, links)
    for q in _here_and_there(system, places):
        n = system.sizes[1]
        rest = np.zeros(n)
        columns = [system.inverse_dynamics(q, rest, unit) for unit in np.eye(n)]
        wanted = np.array(columns) - system.inverse_dynamics(q, rest, rest)
        assert np.abs(system.mass_matrix(q) - wanted.T).max() < 1e-12 * np.abs(wanted).max()


def _mounted(far: float, kinds: str, links: int) -> tb.System:
    """A chain whose first axis is askew to the ground's, so that it passes by the world's origin
    far from the chain."""
    m, above = tb.Model("robot in a hall", gravity=(0.3, 0, -9.81)), None
    for i in range(links):
        link = m.body(f"link {i}", 1.0, (0.1, 0.03, 0.02), (0.01, 0.02, 0.02))
        kind = tb.Revolute if kinds[i % len(kinds)] == "R" else tb.Prismatic
        at = far * np.array([1.0, -0.7, 0.3])
        place = m.ground.at(*at, turn=("x", 0.7)) if above is None else above.at(0.2, 0.05, 0.1)
        m.joint(f"joint {i}", kind("zxy"[i % 3]), place, link)
        above = link
    return m.compile()


@pytest.mark.parametrize("links", [3, 8, 24])
@pytest.mark.parametrize("kinds", ["R", "RRP", "PR", "PPR"])
def test_derivatives_do_not_depend_on_where_on_the_ground_a_mechanism_is(
    kinds: str, links: int
) -> None:
    """A frame that went along its axis to the world's origin had inertias of m r² there. Slides
    carry places of their own on, to rounding."""
    here, there = _mounted(0.0, kinds, links), _mounted(FAR, kinds, links)
    q, v, a = np.random.default_rng(7).normal(size=(3, links))
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        near, far = (getattr(system, name)(q, v, a) for system in (here, there))
        for wanted, found in zip(near, far, strict=True):
            assert np.abs(found - wanted).max() < 1e-11 * np.abs(wanted).max(), name
