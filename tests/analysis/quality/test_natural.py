"""Natural coordinates in the laboratory: the same motion from points and unit vectors."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import touchback as tb
from command import touchback
from natural_mechanisms import FOUR_BAR, MECHANISMS, bar, four_bar, slider_crank
from quality_models import oscillator
from touchback.native import Constrained
from touchback.system import System
from touchback.system.natural_coordinates import NaturalCoordinates

KINDS = {
    "hinge": tb.Revolute((0.2, 1.0, 0.1)),
    "slide": tb.Prismatic((1.0, 0.3, 0.0)),
    "cylinder": tb.Cylindrical("y"),
    "cardan": tb.Universal("x", "y"),
    "ball": tb.Spherical(),
    "plane": tb.Planar("y"),
    "weld": tb.Fixed(),
    "free": tb.Free(),
}


def stacked(state: tb.State) -> np.ndarray:
    return np.concatenate([state.q, state.v, state.z])


def described(made: tuple[System, tb.State]) -> tuple[System, np.ndarray, NaturalCoordinates]:
    system, start = made
    x = stacked(start)
    return system, x, NaturalCoordinates(system, x)


def accelerations(natural: NaturalCoordinates, state: np.ndarray) -> np.ndarray:
    """M a − Jᵀ λ = f, J a = −γ, solved by NumPy (least norm where rows are redundant)."""
    mechanism, n = natural.mechanism, natural.size
    y, v = np.append(1.0, state[:n]), state[n:]
    J = np.array([(Q @ y)[1:] for Q in mechanism.constraints]).reshape(-1, n)
    gamma = np.array([v @ Q[1:, 1:] @ v for Q in mechanism.constraints])
    m = len(J)
    matrix = np.block([[mechanism.M, -J.T], [J, np.zeros((m, m))]])
    right = np.concatenate([mechanism.f, -gamma])
    return np.linalg.lstsq(matrix, right, rcond=1e-12)[0][:n]


def chain(kind: object) -> tuple[System, tb.State]:
    """A hinge, a joint of the kind, and one more body."""
    m = tb.Model("chain", gravity=(1.0, -2.0, -9.0))
    first = m.body("first", **bar(0.4, 1.0))
    second = m.body("second", mass=0.7, com=(0.1, 0.05, 0.02), inertia=(2e-3, 1e-2, 9e-3))
    third = m.body("third", mass=0.4, com=(0.1, 0, 0.03), inertia=(1e-3, 2e-3, 2e-3))
    m.joint("first", tb.Revolute("y"), m.ground.at(0.1, 0, 0.2), first.at(0.05, 0, 0))
    there = first.at(0.4, 0, 0.1, ("z", 0.3)), second.at(0.02, 0, 0, ("x", 0.2))
    m.joint("second", kind, *there)
    m.joint("third", tb.Revolute("z"), second.at(0.3, 0.1, 0), third)
    system = m.compile()
    x = stacked(system.assemble())
    moved = x + 0.4 * np.sin(np.arange(1.0, len(x) + 1.0))
    nq = system.sizes[0]
    return system, tb.State(moved[:nq], moved[nq:], np.zeros(0))


@pytest.mark.parametrize("kind", KINDS)
def test_any_joint_gives_the_same_energy_and_acceleration(kind: str) -> None:
    system, x, natural = described(chain(KINDS[kind]))
    state = natural.states(x[None, :])
    off, rate = natural.violation(state)
    assert max(off[0], rate[0]) < 1e-12  # rounding; the basis of a body may be skew
    nq, nv, _ = system.sizes
    J = np.array([(Q @ np.append(1.0, state[0, : natural.size]))[1:]
                  for Q in natural.mechanism.constraints])  # fmt: skip
    assert natural.size - np.linalg.matrix_rank(J, tol=1e-9) == nv
    kinetic, potential = system.energy(x[:nq], x[nq:])
    found = natural.energies(state)
    assert found[0][0] == pytest.approx(kinetic, rel=1e-12)
    assert found[1][0] == pytest.approx(potential, rel=1e-12)
    # The relative acceleration moves the natural velocities as the natural equations say:
    # central difference of order 2 at 1e-5 s, so about 1e-10 of numbers up to 100.
    rate_of_x = system.state_rate(x[:nq], x[nq:])
    ahead, behind = natural.states(np.array([x + 1e-5 * rate_of_x, x - 1e-5 * rate_of_x]))
    expected = (ahead - behind)[natural.size :] / 2e-5
    assert accelerations(natural, state[0]) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_compiled_terms_are_the_equations() -> None:
    """NumPy's solution of M a − Jᵀ λ = f, J a + γ = 0."""
    _, x, natural = described(MECHANISMS["spatial_slider_crank"]())
    state = natural.states(x[None, :])[0]
    solving = Constrained(natural.functions, "multipliers")
    solving.problem().solved_rows(solving, np.array([0.0]), state[None, :])
    assert solving.accelerations == pytest.approx(accelerations(natural, state), rel=1e-9)


def test_planar_mechanisms_have_the_points_of_the_textbook_and_nothing_else() -> None:
    """Gallo 2012, eq. 2.2–2.5: a four-bar has two moving points and three lengths; a slider has one
    coordinate, along its guide."""
    _, _, natural = described(four_bar())
    assert (natural.size, len(natural.mechanism.rows)) == (4, 3)
    _, _, natural = described(slider_crank())
    assert (natural.size, len(natural.mechanism.rows)) == (3, 2)
    assert [name.split(".")[-1] for name in natural.names[:3]] == ["x", "z", "x"]


def test_the_mass_matrix_of_slender_bars_is_that_of_the_textbook() -> None:
    """m/6 [[2, 1], [1, 2]] for the two ends of a bar (García de Jalón and Bayo 1994, 4.2), here
    with the other end of the crank and of the rocker on the ground."""
    _, _, natural = described(four_bar())
    crank, coupler, rocker = 0.5, 1.0, 0.8
    ends = np.array([[2 * (crank + coupler), coupler], [coupler, 2 * (coupler + rocker)]]) / 6
    expected = np.kron(ends, np.eye(2))
    np.testing.assert_allclose(natural.mechanism.M, expected, atol=1e-14)
    assert sum(FOUR_BAR.values()) > 2 * max(FOUR_BAR.values())  # it closes


@pytest.mark.parametrize("name", MECHANISMS)
def test_natural_coordinates_move_as_relative_ones_do(name: str) -> None:
    """Both against partitioning in relative coordinates at rtol 1e-13; the runs' own tolerance is
    1e-10 a step, and energies are relative to the kinetic energy."""
    system, start = MECHANISMS[name]()
    found = tb.quality(
        system, start, 0.5, steps=(0.01,), tolerances=(1e-10,), natural=True, progress=False,
        formulations=("partitioning", "projection") if system.constraint_names else
        ("dopri5", "partitioning", "projection"),
    )  # fmt: skip
    rows = [row for row in found.rows if row.rtol]
    assert [row.status for row in rows] == ["fine"] * len(rows)
    assert sum(row.candidate.natural for row in rows) == 2
    for row in rows:
        assert row.error is not None and row.error < 1e-8
        assert row.energy is not None and row.energy < 1e-8
        if row.candidate.natural:
            assert row.drift is not None and row.drift < 1e-12


def test_only_relative_coordinates_are_recommended_and_both_are_shown(tmp_path: Path) -> None:
    system, start = slider_crank()
    found = tb.quality(
        system, start, 0.2, steps=(1e-3,), tolerances=(), natural=True, progress=False,
        formulations=("augmented-lagrangian", "projection"),
    )  # fmt: skip
    assert found.labels == [
        "augmented-lagrangian", "projection rk4", "natural augmented-lagrangian",
        "natural projection rk4",
    ]  # fmt: skip
    assert "natural" not in found.recommendation
    text = io.StringIO()
    Console(file=text, width=110).print(found.table())
    assert text.getvalue().count("natural") == 2
    found.save(tmp_path / "a.csv")
    with (tmp_path / "a.csv").open() as file:
        kinds = [record["coordinates"] for record in csv.DictReader(file)]
    assert kinds == ["relative", "relative", "natural", "natural"]


def test_what_isnt_gravity_is_refused_by_name() -> None:
    with pytest.raises(tb.InputError, match=r"gravity alone.*spring of joint 'x'.*relative"):
        tb.quality(oscillator(), [1.0, 0.0], natural=True, progress=False)
    m = tb.Model("blown")
    body = m.body("body", mass=1.0, inertia=(1, 1, 1))
    m.joint("turn", tb.Revolute("y"), m.ground, body)
    m.force("wind", tb.Wrench(body, force=(1.0, 0, 0)))
    with pytest.raises(tb.InputError, match="force 'wind'"):
        tb.quality(m.compile(), natural=True, progress=False)


def test_the_command_measures_natural_coordinates() -> None:
    ended = touchback(
        "quality", "double-pendulum", "--duration", "0.1", "--steps", "0.01", "--natural",
        "--formulations", "rk4,projection",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "natural projection rk4" in ended.stdout
