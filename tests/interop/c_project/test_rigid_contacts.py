"""Rigid contacts in projects of C: the bits of `tb.simulate` by Moreau and Jean's steps."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from c_projects import (
    ANOTHER,
    compiled,
    emulated,
    largest_difference,
    needs_compiler,
    needs_emulator,
    run_of,
    table,
)
from touchback.interop.export_targets import generate


def falling_balls() -> tb.Model:
    """A ball falls on another, and both bounce, slip and roll on a floor: friction in the plane of
    contact, which sweeps solve."""
    m = tb.Model("falling balls")
    mu = m.parameter("friction", 0.4)
    shape = tb.contact.SpherePlaneContact, tb.contact.SphereSphereContact
    balls = [m.body(f"ball {i}", mass=1.0 + i, inertia=(0.004, 0.004, 0.004)) for i in range(2)]
    for i, ball in enumerate(balls):
        m.joint(
            f"fall {i}", tb.Free(), m.ground, ball, velocity=(0.3, 0, 0, 0, 5.0 * i, 0),
            position=(0.02 * i, 0, 0.12 + 0.25 * i, 1, 0, 0, 0),
        )  # fmt: skip
        m.contact(f"floor {i}", shape[0](ball, m.ground, 0.1, friction=mu, restitution=0.5))
    m.contact("balls", shape[1](*balls, 0.1, 0.1, friction=mu, restitution=0.3))
    m.sensor("place", tb.Position(balls[1]))
    return m


def dragging_crank() -> tb.Model:
    """A crank drags a load on two feet over a floor: a loop, and friction in a line, which pivoting
    solves. How the rod pulls isn't known within a step."""
    m = tb.Model("dragging crank")
    r = m.parameter("crank radius", 0.1, unit="m")
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    load = m.body("load", mass=0.8, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("crank", tb.Revolute("y"), m.ground.at(0, 0, 0.1), crank, velocity=4.0)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("load", tb.Planar("y"), m.ground, load, position=(0.1, 0.5, 0.0))  # z, x, turn
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), load)
    given = {"friction": 0.3, "restitution": 0.4, "tangents": "x"}
    for i, x in enumerate((-0.1, 0.1)):
        m.contact(f"foot {i}", tb.contact.SpherePlaneContact(load.at(x, 0, -0.06), **given))
    m.sensor("pull", tb.Multiplier("pin.1"))
    m.sensor("place", tb.Position(load))
    return m


@pytest.fixture(scope="module")
def programs(tmp_path_factory) -> dict[str, Path]:
    """Both, compiled by two compilers."""
    found = {}
    for make, compiler in ((falling_balls, "gcc"), (dragging_crank, ANOTHER)):
        folder = tmp_path_factory.mktemp(make.__name__)
        generate(make(), "c-project", folder)
        found[make.__name__] = compiled(folder, "-O0", "-DTOUCHBACK_SMALL", compiler=compiler)
    return found


@needs_compiler
@pytest.mark.parametrize("make", [falling_balls, dragging_crank])
def test_bounces_slips_and_loops_have_the_bits_of_simulate(make, programs) -> None:
    words = [programs[make.__name__], "0.5"]
    found = table(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    run = run_of(make(), 1e-3, 500, "moreau-jean")
    for name in make().compile().state_names:
        assert np.array_equal(found[name], run[name]), name
    assert largest_difference(found, run) < 1e-12
    shown = [name for name in found if name.startswith(("place", "pull"))]
    assert shown == ["place.x", "place.y", "place.z"]
    for name in make().contacts:
        impulses = run[f"{name} impulse"]
        assert (impulses > 0.0).any()  # it touches,
        assert (impulses == 0.0).any()  # and flies


@pytest.mark.soak
@needs_emulator
@pytest.mark.parametrize("make", [falling_balls, dragging_crank])
def test_contacts_have_the_same_bits_on_a_cortex_m7(make, tmp_path) -> None:
    generate(make(), "c-project", tmp_path)
    numbers, _ = emulated(tmp_path, 300)
    run = run_of(make(), 1e-3, 300, "moreau-jean")
    for column, name in zip(numbers.T[1:], make().compile().state_names, strict=False):
        assert np.array_equal(column, run[name]), name


@needs_compiler
def test_other_parameters_begin_on_the_constraints(programs) -> None:
    """A longer crank leaves the loop open by 20 mm, which the start closes."""
    words = [programs["dragging_crank"], "0.01", "1", "crank radius=0.12"]
    found = table(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    q = [found[name][0] for name in ("crank", "rod", "load.z", "load.x")]
    x = 0.12 * np.cos(q[0]) + 0.4 * np.cos(q[0] + q[1])
    z = 0.1 - 0.12 * np.sin(q[0]) - 0.4 * np.sin(q[0] + q[1])
    assert np.allclose([z, x], q[2:], rtol=0.0, atol=1e-12)


def test_methods_that_know_no_contacts_are_refused_by_their_names(tmp_path) -> None:
    with pytest.raises(tb.InputError, match=r"rigid contacts 'floor 0'.*'moreau-jean'"):
        generate(falling_balls(), "c-project", tmp_path / "a", method="rk4")
    with pytest.raises(tb.InputError, match="chooses its steps"):
        generate(falling_balls(), "c-project", tmp_path / "a", method="event-driven")
    with pytest.raises(tb.InputError, match="enforces constraints in its own way"):
        generate(dragging_crank(), "c-project", tmp_path / "a", constraints="projection")
    assert not list(tmp_path.iterdir())
