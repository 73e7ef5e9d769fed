"""Projects of C: they compile without a warning and compute what `tb.simulate` does."""

import subprocess

import numpy as np
import pytest

import touchback as tb
from c_projects import (
    ANOTHER,
    compiled,
    driven_slider_crank,
    largest_difference,
    needs_compiler,
    run_of,
    sampled_slider,
    table,
    whirling_arm,
)
from models_with_modes import bouncing_ball
from touchback import gallery
from touchback.contact.compliant_contacts import SurfaceContact
from touchback.contact.surfaces import Ball, Plane
from touchback.interop.export_targets import generate


@needs_compiler
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["0.01", "1", "rail height=1"], 1, "can't be met from the initial state"),
        (["0.3", "1", "crank radius=0.9"], 1, "didn't close"),  # beyond the rod's 0.4 m
        (["half"], 2, "usage"),
        (["-1"], 2, "usage"),
        (["1e300"], 2, "usage"),
        (["0.1", "0"], 2, "usage"),
        (["0.1", "1", "crank radius=0.1m"], 2, "a number are expected: crank radius=0.1m"),
        (["0.1", "1", "crank radius=nan"], 2, "a number are expected"),
        (["0.1", "1", "crank radius"], 2, "a number are expected"),
        (["0.1", "1", "crank=1"], 2, "no input or parameter of this name: crank=1"),
    ],
)
def test_a_program_says_what_it_can_not_do(program, words, code, said) -> None:
    done = subprocess.run([program, *words], capture_output=True, text=True)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr


@needs_compiler
def test_a_driven_slider_crank_compiles_without_a_warning_and_has_the_bits_of_simulate(
    program,
) -> None:
    run = run_of(driven_slider_crank(), 1e-3, 300)
    found = table(subprocess.check_output([program, "0.3"], text=True))
    for name in driven_slider_crank().compile().state_names:
        assert np.array_equal(found[name], run[name]), name
    assert largest_difference(found, run) < 1e-12
    assert np.ptp(found["effort"]) > 1.0  # the drive works


def hung_plate() -> tb.Model:
    """A free plate on a rod, whose first guess is far from closed."""
    m = tb.Model("hung plate")
    length = m.parameter("length", 0.5, unit="m", min=0.1, max=2.0)
    plate = m.body("plate", mass=1.0, inertia=(0.02, 0.03, 0.04))
    m.joint("free", tb.Free(), m.ground, plate, position=(0.1, 0.2, -0.3, 1, 0, 0, 0))
    m.close("rope", tb.Rod(length), m.ground.at(0, 0, 0.2), plate.at(0.1, 0.05, 0.02))
    return m


def latched_arm() -> tb.Model:
    """Two links that are tied in the first mode only."""
    m = tb.Model("latched arm")
    reach = m.parameter("reach", 0.3, unit="m")
    arm = m.body("arm", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
    link = m.body("link", mass=0.3, com=(0.1, 0, 0), inertia=(0.002, 0.002, 0.002))
    m.joint("arm", tb.Revolute("y"), m.ground, arm, position=0.4)
    m.joint("link", tb.Revolute("y"), arm.at(reach, 0, 0), link, position=0.6)
    m.close("tie", tb.Rod(0.6), link.at(0.2, 0, 0), m.ground.at(0.9, 0, 0.1))
    m.mode("tied", active=["tie"])
    m.mode("free")
    m.transition("let go", "tied", "free", when=0.01 - m.time)
    return m


@needs_compiler
@pytest.mark.parametrize(
    ("make", "parameters", "method"),
    [
        (driven_slider_crank, {"crank radius": 0.15, "rail height": 0.05}, "rk4"),
        (driven_slider_crank, {"crank radius": 0.06}, "linear-implicit"),
        (hung_plate, {"length": 0.9}, "rk4"),
        (latched_arm, {"reach": 0.25}, "rk4"),
    ],
)
def test_a_program_with_other_parameters_starts_where_simulate_does(
    make, parameters, method, tmp_path
) -> None:
    """Assembled again from the state that the model describes, not from the defaults' one."""
    model, step = make(), 1e-3
    generate(model, "c-project", tmp_path, step=step, method=method)
    words = ["0.02", "1", *(f"{name}={value!r}" for name, value in parameters.items())]
    found = table(subprocess.check_output([compiled(tmp_path, "-O0"), *words], text=True))
    run = tb.simulate(
        model.compile(), duration=0.02, method=method, step=step, parameters=parameters,
        progress=False,
    )  # fmt: skip
    for name in model.compile().state_names:
        assert np.array_equal(found[name], run[name]), name


def ball_on_a_plane() -> tb.Model:
    """Its nearest points are found where it starts, which its height moves and its mass doesn't."""
    m = tb.Model("ball on a plane")
    height = m.parameter("height", 0.2, unit="m")
    ball = m.body("ball", mass=m.parameter("mass", 1.0, unit="kg", min=0.1), inertia=(1, 1, 1))
    m.joint("slide", tb.Prismatic("z"), m.ground.at(0, 0, height), ball)
    law = tb.contact.HuntCrossley(2000.0)
    m.force("floor", SurfaceContact(m.ground, Plane(), ball, Ball(0.05), law=law))
    return m


@needs_compiler
def test_points_that_contacts_find_at_the_start_are_those_of_the_numbers_or_refused(
    tmp_path,
) -> None:
    model = ball_on_a_plane()
    generate(model, "c-project", tmp_path)
    program = compiled(tmp_path, "-O0")
    done = subprocess.run([program, "0.01", "1", "height=0.3"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "Where contacts begin was found with the default" in done.stderr
    subprocess.run([program, "0.01", "1", "mass=2"], check=True, capture_output=True)
    run = tb.simulate(
        model.compile(), duration=1e-3, method="rk4", step=1e-3, parameters={"height": 0.3},
        progress=False,
    )  # fmt: skip
    assert run["floor.bz"][0] == pytest.approx(0.25)  # the lowest point of the ball
    assert run["floor.az"][0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("make", "method", "compiler"),
    [
        (sampled_slider, "euler", "gcc"),
        (lambda: bouncing_ball(rest=True), "rk4", "gcc"),
        (driven_slider_crank, "trapezoidal", "gcc"),
        (whirling_arm, "variational", "gcc"),
        (driven_slider_crank, "augmented-lagrangian", ANOTHER),
    ],
    ids=["memories", "modes", "implicit", "momenta", "constraints by another compiler"],
)
@needs_compiler
def test_memories_modes_and_implicit_steps_have_the_bits_of_simulate(
    tmp_path, make, method, compiler
) -> None:
    generate(make(), "c-project", tmp_path, step=2e-3, method=method)
    words = [compiled(tmp_path, "-O0", "-DTOUCHBACK_SMALL", compiler=compiler), "0.5"]
    found = table(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    run = run_of(make(), 2e-3, 250, method)
    for name in make().compile().state_names:
        assert np.array_equal(found[name], run[name]), name
    assert largest_difference(found, run) < 1e-12
    moved = [np.ptp(found[name]) for name in make().compile().state_names]
    assert max(moved) > 1e-3


def test_memory_and_use_of_a_model_are_written_as_the_golden_file_has_them(
    tmp_path, matches_golden
) -> None:
    generate(gallery.entry("pendulum").make(), "c-project", tmp_path)
    matches_golden((tmp_path / "model.c").read_text(), "pendulum_model.c")


def test_names_of_signals_are_no_trigraphs(tmp_path) -> None:
    m = tb.Model("m")
    m.joint("a??)", tb.Prismatic("x"), m.ground, m.body("b", mass=1.0))
    generate(m, "c-project", tmp_path)
    assert r'"a\?\?)"' in (tmp_path / "model.c").read_text()  # standard C reads ??) as ]


def test_a_place_that_is_no_folder_is_refused(tmp_path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name, said in (("a\0", "zero bytes"), ("a" * 300, "255 bytes"), ("link", "leads nowhere")):
        with pytest.raises(tb.InputError, match=said):
            generate(gallery.entry("pendulum").make(), "c-project", tmp_path / name)


def test_what_has_no_fixed_step_is_refused_with_its_name(tmp_path) -> None:
    with pytest.raises(tb.InputError, match="chooses its steps"):
        generate(driven_slider_crank(), "c-project", tmp_path / "a", method="dopri5")
    with pytest.raises(tb.InputError, match=r"c-project: step is in seconds.*1e\+300"):
        generate(driven_slider_crank(), "c-project", tmp_path / "a", step=1e300)
    with pytest.raises(tb.InputError, match="no option 'stepp'"):
        generate(driven_slider_crank(), "c-project", tmp_path / "a", stepp=1)
    assert not list(tmp_path.iterdir())


@pytest.mark.soak
@needs_compiler
@pytest.mark.parametrize("name", gallery.names())
def test_every_model_of_the_gallery_is_refused_or_has_the_bits_of_simulate(name, tmp_path) -> None:
    model, step = gallery.entry(name).make(), 1e-4
    try:
        run = run_of(model, step, 300)
    except tb.TouchbackError as error:
        with pytest.raises(tb.TouchbackError):
            generate(model, "c-project", tmp_path, step=step)
        pytest.skip(str(error))
    generate(model, "c-project", tmp_path, step=step)
    words = [compiled(tmp_path, "-O1"), str(300 * step)]
    found = table(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert largest_difference(found, run) < 1e-12
