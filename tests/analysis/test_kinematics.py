"""Prescribed motions give the positions, velocities and accelerations of closed forms."""

from typing import Any

import numpy as np
import pytest

import touchback as tb

RADIUS, ROD = 0.1, 0.4
TIMES = np.linspace(0.0, 1.0, 41)


def stroke(angle: np.ndarray, speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration of the slider at constant speed of the crank."""
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(ROD**2 - (RADIUS * s) ** 2)
    slope = -RADIUS * s - RADIUS**2 * s * c / root
    bend = -RADIUS * c - RADIUS**2 * (c * c - s * s) / root - RADIUS**4 * (s * c) ** 2 / root**3
    return RADIUS * c + root, slope * speed, bend * speed**2


@pytest.mark.parametrize("times", [TIMES, TIMES[::10]], ids=["fine", "coarse"])
def test_a_slider_follows_its_crank(slider_crank: Any, times: np.ndarray) -> None:
    """Also over steps of 2.5 rad, which take shorter ones in between to keep the branch."""
    run = tb.kinematics(slider_crank, {"crank": lambda t: 0.3 + 10.0 * t}, times, {"slider": 0.5})
    wanted = stroke(0.3 + 10.0 * times, 10.0)
    for name, values in zip(("slider", "slider rate", "slider acceleration"), wanted):
        assert np.allclose(run[name], values, rtol=1e-10, atol=1e-11), name


def test_long_steps_keep_to_the_branch(four_bar: Any) -> None:
    """Three turns in eight steps give the angles of 400 steps, without flips or whole turns."""
    motion, guess = {"crank": lambda t: 0.2 + 20.0 * t}, {"coupler": -1.0, "rocker": -1.7}
    fine = tb.kinematics(four_bar, motion, np.linspace(0.0, 1.0, 401), guess)
    coarse = tb.kinematics(four_bar, motion, np.linspace(0.0, 1.0, 9), guess)
    for name in ("coupler", "rocker"):
        assert np.abs(np.diff(fine[name])).max() < 0.2
        assert np.allclose(coarse[name], fine[name][::50], atol=1e-10), name


def test_the_guess_chooses_the_branch(slider_crank: Any) -> None:
    run = tb.kinematics(
        slider_crank, {"crank": lambda t: 0.3 + t}, TIMES, {"rod": 3.0, "slider": -0.3}
    )
    assert run["slider"].max() < 0.0


def test_samples_give_the_motion_of_the_function(slider_crank: Any) -> None:
    times = np.linspace(0.0, 1.0, 201)
    motion = 0.5 + 0.4 * np.sin(3.0 * times)
    sampled = tb.kinematics(slider_crank, {"crank": motion}, times, {"slider": 0.5})
    exact = tb.kinematics(
        slider_crank, {"crank": lambda t: 0.5 + 0.4 * np.sin(3.0 * t)}, times, {"slider": 0.5}
    )
    assert np.allclose(sampled["slider"], exact["slider"], atol=1e-10)
    # two derivatives of a quintic spline: (3 · 0.005)⁴ of 4 rad/s², more at the ends
    assert np.allclose(sampled["slider acceleration"], exact["slider acceleration"], atol=1e-5)


def test_three_functions_need_no_tracing(slider_crank: Any) -> None:
    given = (
        lambda t: 0.3 + float(t) ** 2, lambda t: 2.0 * float(t), lambda t: 2.0,
    )  # fmt: skip
    run = tb.kinematics(slider_crank, {"crank": given}, TIMES, {"slider": 0.5})
    traced = tb.kinematics(slider_crank, {"crank": lambda t: 0.3 + t * t}, TIMES, {"slider": 0.5})
    assert np.allclose(run["slider acceleration"], traced["slider acceleration"], atol=1e-12)


def test_driven_coordinates_move_by_themselves() -> None:
    """A model with a drive and no other freedom needs no motion."""
    m = tb.Model("driven")
    a = m.body("a", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.joint("a", tb.Revolute("y"), m.ground, a)
    m.drive("a", tb.Sine(0.5, frequency=2.0))
    run = tb.kinematics(m.compile(), {}, TIMES)
    w = 4.0 * np.pi
    assert np.allclose(run["a"], 0.5 * np.sin(w * TIMES), atol=1e-12)
    assert np.allclose(run["a acceleration"], -0.5 * w * w * np.sin(w * TIMES), atol=1e-9)


def test_velocities_are_the_rates_of_positions_with_quaternions(free_loop: Any) -> None:
    """A ball-jointed arm in a loop can't be prescribed; its freedoms are named."""
    with pytest.raises(tb.InputError, match="freedoms"):
        tb.kinematics(free_loop, {"flap": lambda t: t}, TIMES)
    with pytest.raises(tb.InputError, match=r"'ball\.wx'.*plain"):
        tb.kinematics(free_loop, {"ball.wx": lambda t: t}, TIMES)


def test_a_ball_ended_link_follows_in_space() -> None:
    """A spatial crank-slider whose rod has ball joints; the rod's spin is held by a constraint."""
    m = tb.Model("space")
    crank = m.body("crank", mass=1.0, com=(0.05, 0, 0), inertia=(0.1, 0.1, 0.1))
    rod = m.body("rod", mass=1.0, com=(0.2, 0, 0), inertia=(0.1, 0.1, 0.1))
    slider = m.body("slider", mass=1.0)
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Spherical(), crank.at(0.1, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground.at(0, 0.1, 0), slider)
    m.close("ball", tb.Spherical(), rod.at(0.4, 0, 0), slider)
    m.constrain("no spin", velocity=m.rate("rod", 0))
    run = tb.kinematics(m.compile(), {"crank": lambda t: 0.3 + 6.0 * t}, TIMES, {"slider": 0.45})
    angle = 0.3 + 6.0 * TIMES
    across = 0.4**2 - 0.1**2 - (0.1 * np.sin(angle)) ** 2
    assert np.allclose(run["slider"], 0.1 * np.cos(angle) + np.sqrt(across), atol=1e-11)
    norms = sum(run[f"rod.{part}"] ** 2 for part in ("qw", "qx", "qy", "qz"))
    assert np.allclose(norms, norms[0], atol=1e-12)


def test_a_dead_point_is_explained(slider_crank: Any) -> None:
    guess = {"crank": 0.3, "rod": -0.4, "slider": 0.45}
    with pytest.raises(tb.SolveError, match=r"t = 0\.5.*dead point"):
        tb.kinematics(slider_crank, {"slider": lambda t: 0.45 + 0.1 * t}, TIMES, guess)
    with pytest.raises(tb.SolveError, match="dead point"):
        tb.kinematics(slider_crank, {"slider": 0.5}, [0.0], {"crank": 0.0})


@pytest.mark.parametrize(
    ("path", "start", "when"),
    [(lambda t: 0.5 - 0.2 * t, 0.3, "0"), (lambda t: 0.4 + 0.1 * t, 0.8, "1")],
)
def test_so_is_one_where_the_motion_begins_or_ends(
    slider_crank: Any, path: Any, start: float, when: str
) -> None:
    """Positions are met there, of angles only as well as roots of roundings allow; rates of 1e6
    rad/s had been told of them."""
    with pytest.raises(tb.SolveError, match=rf"t = {when} s: a dead point"):
        tb.kinematics(slider_crank, {"slider": path}, np.linspace(0, 1, 101), {"crank": start})


def test_near_a_dead_point_motions_are_told(slider_crank: Any) -> None:
    """The crank's angle by the law of cosines, a micrometre from where it stretches."""
    run = tb.kinematics(slider_crank, {"slider": 0.5 - 1e-6}, [0.0], {"crank": 0.3})
    x = 0.5 - 1e-6
    angle = np.arccos((0.1**2 + x**2 - 0.4**2) / (2 * 0.1 * x))
    assert abs(run["crank"][0]) == pytest.approx(angle, rel=1e-6)


def test_too_few_coordinates_are_refused_with_those_that_lack(cart_pole: Any) -> None:
    with pytest.raises(tb.InputError, match=r"2 freedoms.*prescribes 'cart'.*also 'pole'"):
        tb.kinematics(cart_pole, {"cart": lambda t: t}, TIMES)


def test_motions_that_contradict_a_constraint_are_refused(slider_crank: Any) -> None:
    with pytest.raises(tb.SolveError, match="'pin"):
        tb.kinematics(slider_crank, {"crank": lambda t: t, "slider": 0.5}, TIMES)


def test_a_function_that_cannot_be_followed_is_explained(slider_crank: Any) -> None:
    import math

    with pytest.raises(tb.InputError, match=r"'crank'.*three functions"):
        tb.kinematics(slider_crank, {"crank": lambda t: math.sin(t)}, TIMES)
