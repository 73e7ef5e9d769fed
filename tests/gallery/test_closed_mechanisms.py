"""The closed mechanisms of the gallery move as closed forms and other descriptions say."""

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.gallery import planar_linkages, quarter_car, stewart_platform

G = 9.81


def run_of(name: str) -> tuple[tb.System, tb.Run]:
    entry = gallery.entry(name)
    system = entry.make().compile()
    return system, entry.experiment.run(system)


@pytest.mark.parametrize("name", ["crank-rocker", "four-bars"])
def test_what_nobody_drives_keeps_its_energy(name: str) -> None:
    _, run = run_of(name)
    assert np.ptp(run["energy"]) < 1e-5


@pytest.mark.parametrize(
    ("name", "freedoms"),
    [("crank-rocker", 1), ("slider-crank", 1), ("four-bars", 1), ("suspension", 3),
     ("stewart-platform", 6)],
)  # fmt: skip
def test_freedoms_are_those_of_the_textbook(name: str, freedoms: int) -> None:
    found = gallery.make(name).compile().freedoms()
    assert (found.freedoms, found.redundant, found.singular) == (freedoms, (), ())


def test_the_rocker_follows_freudenstein() -> None:
    """Freudenstein 1954: k₁ cos φ − k₂ cos θ + k₃ = cos(θ − φ) for crank θ and rocker φ."""
    _, run = run_of("crank-rocker")
    d, a, b, c = (getattr(planar_linkages, bar) for bar in ("GROUND", "CRANK", "COUPLER", "ROCKER"))
    theta, phi = run["crank"], run["rocker"]
    k1, k2, k3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)
    np.testing.assert_allclose(
        k1 * np.cos(phi) - k2 * np.cos(theta) + k3, np.cos(theta - phi), atol=1e-11
    )
    assert theta[-1] - theta[0] > 4 * np.pi  # round and round
    assert np.ptp(phi) < np.pi  # and to and fro


def test_the_slider_stands_where_trigonometry_puts_it() -> None:
    _, run = run_of("slider-crank")
    theta, r = run["crank"], 0.1
    expected = r * np.cos(theta) + np.sqrt(planar_linkages.ROD**2 - (r * np.sin(theta)) ** 2)
    np.testing.assert_allclose(run["slider position.x"], expected, atol=1e-12)


def test_the_pin_force_accelerates_the_slider() -> None:
    """Newton for the slider alone: m ẍ = pin + spring, whatever the loop does."""
    system, run = run_of("slider-crank")
    for i in (0, 300, 700):
        q, v = (np.array([run[name][i] for name in names]) for names in
                (system.coordinates, [f"{x} rate" for x in system.velocities]))  # fmt: skip
        a = system.forward_dynamics(q, v, u={"motor torque": 0.5})
        spring = 200 * ((1 - q[2]) - 0.5) - 2 * v[2]
        assert run["pin force.fx"][i] + spring == pytest.approx(0.8 * a[2], abs=1e-6)


def test_four_bars_swing_as_one_pendulum() -> None:
    """θ̈ = (m g l / I) sin θ with I = (N + 1)/3 + N and m g l = ((N + 1)/2 + N) g."""
    system = gallery.make("four-bars", loops=7).compile()
    angle = 2.2
    start = system.assemble(
        guess={name: -angle if "coupler" in name else angle for name in system.coordinates},
        **{"crank 0": angle},
    )
    a = system.forward_dynamics(start.q, start.v)
    expected = (4 + 7) * G / (8 / 3 + 7) * np.sin(angle)
    np.testing.assert_allclose(a[:8], expected, rtol=1e-11)


def test_a_row_without_loops_is_refused() -> None:
    with pytest.raises(tb.InputError, match="at least one loop, got 0"):
        gallery.make("four-bars", loops=0)


def test_a_dropped_quarter_car_comes_to_rest_on_its_tyre() -> None:
    """At rest the tyre carries everything: its compression is the weight over its stiffness."""
    _, run = run_of("suspension")
    weight = (300 + 3 + 4 + 12 + 15) * G
    centre = quarter_car.RADIUS * np.cos(quarter_car.CAMBER) - weight / quarter_car.TYRE
    assert run["wheel centre.z"][-1] == pytest.approx(centre, abs=1e-4)  # still settling


def test_a_resting_platform_stands_on_six_equal_legs() -> None:
    """By symmetry each leg bears a sixth of the weight along its slope, less its own halves'."""
    system = gallery.make("stewart-platform").compile()
    found = tb.equilibrium(system)
    q = dict(zip(system.coordinates, found.state.q, strict=True))
    lengths = [q[f"leg {i}"] for i in range(1, 7)]
    np.testing.assert_allclose(lengths, lengths[0], rtol=1e-9)
    assert q["plate.z"] < stewart_platform.HEIGHT
