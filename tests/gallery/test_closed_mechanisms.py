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
    [("crank-rocker", 1), ("slider-crank", 1), ("four-bars", 1), ("scotch-yoke", 1),
     ("peaucellier", 1), ("scissor-lift", 1), ("jansen-leg", 1), ("geneva-drive", 2),
     ("suspension", 3), ("stewart-platform", 6)],
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


def meet(a: np.ndarray, ra: float, b: np.ndarray, rb: float, side: int) -> np.ndarray:
    """Where circles about points of the complex plane meet, left (1) or right (−1) of a to b."""
    apart = abs(b - a)
    cosine = (ra**2 + apart**2 - rb**2) / (2 * ra * apart)
    return np.asarray(a + ra * np.exp(side * 1j * np.arccos(cosine)) * (b - a) / apart)


def test_the_coupler_point_lies_where_circles_about_crank_and_ground_put_it() -> None:
    _, run = run_of("crank-rocker")
    pin = 0.1 * np.exp(1j * run["crank"])
    end = meet(pin, 0.35, 0.3 + 0 * pin, 0.25, 1)
    expected = pin + (end - pin) / 0.35 * (0.175 + 0.1j)
    found = run["coupler point.x"] + 1j * run["coupler point.z"]
    np.testing.assert_allclose(found, expected, atol=1e-11)


def test_the_rocker_turns_back_where_crank_and_coupler_lie_along_one_line() -> None:
    """Grashof: 0.10 + 0.35 < 0.30 + 0.25. Law of cosines for ground 0.30, rocker 0.25 and the
    stretched or folded 0.35 ± 0.10."""
    _, run = run_of("crank-rocker")
    sides = np.array([0.35 - 0.10, 0.35 + 0.10])
    turns = np.pi - np.arccos((0.30**2 + 0.25**2 - sides**2) / (2 * 0.30 * 0.25))
    # 3 ms between samples at 20 rad/s: at the turn the rocker moves by less than 1e-3 meanwhile
    np.testing.assert_allclose([run["rocker"].max(), run["rocker"].min()], turns, atol=1e-3)


def test_a_scotch_yoke_turned_evenly_goes_to_and_fro_as_a_sine() -> None:
    """x = r cos ω t, and the pin gives yoke and block (0.108 kg) the acceleration −ω² x."""
    m = gallery.make("scotch-yoke")
    del m.forces["motor"]
    m.drive("crank", 3.0 * m.time)
    run = tb.simulate(m.compile(), duration=4.0)
    expected = 0.08 * np.cos(3.0 * run.time)
    np.testing.assert_allclose(run["yoke"], expected, atol=1e-12)
    np.testing.assert_allclose(run["yoke end.x"] - 0.225, expected, atol=1e-12)
    np.testing.assert_allclose(run["pin force.fx"], -0.108 * 9.0 * expected, atol=1e-9)


def test_peaucelliers_pen_moves_on_an_exact_line() -> None:
    """Inversion: |OP| |OB| = L² − l² = 0.1375 m², and P on a circle of 0.16 m through O; the angle
    at O is half of that at the crank's centre."""
    _, run = run_of("peaucellier")
    line = (0.4**2 - 0.15**2) / (2 * 0.16)
    assert run["pen.z"].max() > 0.2 and run["pen.z"].min() < -0.2
    np.testing.assert_allclose(run["pen.x"], line, atol=1e-12)
    np.testing.assert_allclose(run["pen.z"], line * np.tan(run["crank"] / 2), atol=1e-11)
    reach = np.hypot(run["pen.x"], run["pen.z"]) * np.hypot(run["pin.x"], run["pin.z"])
    np.testing.assert_allclose(reach, 0.1375, atol=1e-12)


@pytest.mark.parametrize("stages", [1, 2, 5])
def test_a_scissor_lift_stands_as_high_and_asks_for_as_much_as_virtual_work_says(
    stages: int,
) -> None:
    """h = n L sin θ. The weights W at the top (table and roller) and w of each bar, two a stage:
    F = (n W + n² w)/tan θ."""
    m = gallery.make("scissor-lift", stages=stages)
    system = m.compile()
    for height in (0.35, 0.5, 0.65):
        system["height"], system["stroke"] = height * stages * 0.5, 0.0
        still = tb.equilibrium(system).state
        shown = system.sensors(still.q, still.v)
        angle = still.q[system.coordinates.index("rising 1")]
        assert shown["table.z"] == pytest.approx(stages * 0.5 * np.sin(angle), abs=1e-12)
        top, bar = (m.bodies[each].mass for each in ("table", "rising 1"))
        top += m.bodies["roller"].mass
        force = (stages * top + stages**2 * bar) * G / np.tan(angle)
        assert -shown["jack force"] == pytest.approx(force, rel=1e-8)


HOLY = dict(
    zip("abcdefghijklm", (38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15))
)


def test_jansens_foot_goes_where_his_holy_numbers_take_it_and_stays_level_for_half_a_turn() -> None:
    """Thirteen lengths [cm] (Jansen 2007), each joint where two circles meet."""
    m = gallery.make("jansen-leg")
    del m.forces["motor"], m.sensors["motor torque"]
    m.drive("crank", -2 * np.pi * m.time)
    run = tb.simulate(m.compile(), duration=1.0, output_step=2e-3)
    n = {name: length / 100 for name, length in HOLY.items()}
    pin = n["a"] + 1j * n["l"] + n["m"] * np.exp(1j * run["crank"])
    hip = 0 * pin
    top = meet(hip, n["b"], pin, n["j"], 1)
    back = meet(hip, n["d"], top, n["e"], 1)
    low = meet(hip, n["c"], pin, n["k"], -1)
    knee = meet(back, n["f"], low, n["g"], -1)
    foot = meet(knee, n["h"], low, n["i"], -1)
    found = run["foot.x"] + 1j * run["foot.z"]
    np.testing.assert_allclose(found, foot, atol=1e-10)
    level = np.sort(foot.imag)[: len(foot) // 2]
    stride, lift = np.ptp(foot.real), np.ptp(foot.imag)
    assert np.ptp(level) < 0.03 * stride < lift


def test_a_geneva_wheel_is_taken_on_as_its_closed_form_says_and_rests_in_between() -> None:
    """ψ = π/4 + atan(λ sin θ/(1 − λ cos θ)), λ = sin(π/4), while the pin is in, a quarter of each
    turn; elsewhere the wheel stays. A play of 0.5 mm is an angle of 0.5 mm over the arm: of the pin
    the distance from the wheel's centre, of corners at the rim 0.12 m."""
    _, run = run_of("geneva-drive")
    driver, wheel = run["driver"], -run["wheel"]
    turns = np.floor((driver + np.pi) / (2 * np.pi)) - 1  # begun with the pin away
    theta = np.remainder(driver + np.pi, 2 * np.pi) - np.pi
    share = np.sin(np.pi / 4)
    within = np.abs(theta) < np.pi / 4
    taken = np.pi / 4 + np.arctan2(share * np.sin(theta), 1 - share * np.cos(theta))
    expected = turns * np.pi / 2 + np.where(within, taken, np.where(theta > 0, np.pi / 2, 0.0))
    arm = np.where(within, 0.2 * np.abs(1 - share * np.exp(1j * theta)), 0.12)
    depth = 1e-4  # m: 5 N at 50 kN/m
    assert np.all(np.abs(wheel - expected) < (5e-4 + depth) / arm)
    assert wheel[-1] == pytest.approx(np.pi, abs=5e-3)  # two turns, two quarters
    assert 0.2 < within.mean() < 0.3
    ratio = np.max(-run["wheel rate"] / run["driver rate"])
    assert ratio == pytest.approx(share / (1 - share), rel=0.05)  # it rattles in its play


@pytest.mark.parametrize("stages", [0, 1.5, "3", float("nan"), True, 101])
def test_a_lift_has_a_whole_number_of_stages(stages: object) -> None:
    with pytest.raises(tb.InputError, match=r"stages: a scissor lift has from 1 to 100 .*, got"):
        gallery.make("scissor-lift", stages=stages)


@pytest.mark.parametrize("name", gallery.CLASSICS)
def test_a_started_classic_moves_by_itself_at_a_tick_of_a_millisecond(name: str) -> None:
    model = gallery.make_started(name)
    system = model.compile()
    begun = gallery.entry(name).experiment.start(system)
    np.testing.assert_allclose(system.initial_state().q, begun.q, atol=1e-8)  # nine decimals
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(3.0)
        moved = np.array([live[each] for each in system.coordinates]) - begun.q
        assert np.abs(moved).max() > 0.03 and not live.faults


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
