"""The command as users run it, with its exit codes."""

import csv
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from command import touchback
from touchback import gallery
from touchback.gallery import pendulum
from touchback.model import Model
from touchback.symbolic.operation_count import depth


def test_help_names_every_command() -> None:
    shown = touchback("--help")
    assert shown.returncode == 0
    for command in ("play", "list", "show", "simulate", "check", "generate", "bench", "validate"):
        assert command in shown.stdout


def test_list_names_the_whole_gallery() -> None:
    shown = touchback("list")
    assert shown.returncode == 0
    assert all(name in shown.stdout for name in gallery.names())
    assert shown.stdout.endswith("\nTry `touchback show NAME` or `touchback simulate NAME`.\n")


def test_show_draws_and_counts(tmp_path: Path) -> None:
    shown = touchback(
        "show", "cart-pole", "--svg", str(tmp_path / "c.svg"), "--graph", str(tmp_path / "g.svg")
    )
    assert shown.returncode == 0
    function = gallery.make("cart-pole").compile().function("inverse dynamics")
    row = next(line for line in shown.stdout.splitlines() if line.startswith("inverse dynamics"))
    assert row.split()[2] == str(function.counts.flops)
    assert row.split()[4] == str(depth(function.second).steps)
    assert any(0x2800 < ord(character) < 0x2900 for character in shown.stdout)
    assert (tmp_path / "c.svg").read_text().startswith("<svg")
    assert "url(#wrench)" in (tmp_path / "g.svg").read_text()
    said = "".join(shown.stdout.split())  # paths may go on in the next line
    assert f"stickfigure:{tmp_path / 'c.svg'}objectsandports:{tmp_path / 'g.svg'}" in said
    assert "stategraph" not in said  # it has no modes


def test_simulate_shows_keeps_and_repeats_a_run(tmp_path: Path) -> None:
    first = touchback(
        "simulate", "pendulum", "--duration", "2", "--set", "length=0.5", "--set", "pivot=0.3",
        "--method", "rk4", "--step", "0.002", "--csv", "a.csv", "--plot", "a.png", cwd=tmp_path,
    )  # fmt: skip
    assert first.returncode == 0, first.stderr
    assert (tmp_path / "a.png").stat().st_size > 1000
    repeat = next(
        line.removeprefix("reproduce: ")
        for line in first.stdout.splitlines()
        if line.startswith("reproduce: ")
    )
    words = shlex.split(repeat)
    assert words[0] == "touchback"
    second = touchback(*words[1:], "--csv", "b.csv", cwd=tmp_path)
    assert second.returncode == 0, second.stderr
    runs = [list(csv.reader((tmp_path / name).open()))[1:] for name in ("a.csv", "b.csv")]
    assert runs[0] == runs[1]
    row = next(line for line in first.stdout.splitlines() if line.startswith("pivot "))
    assert float(row.split()[3]) == pytest.approx(0.3)


def test_the_command_that_repeats_an_experiment_leaves_its_own_inputs_to_it() -> None:
    """The harpsichord's force over time is part of its experiment and fits into no option."""
    first = touchback("simulate", "harpsichord", "--duration", "0.1", "--signals", "depth")
    words = shlex.split(first.stdout.partition("reproduce: ")[2].splitlines()[0])
    second = touchback(*words[1:], "--signals", "depth")
    assert second.returncode == 0, second.stderr
    assert second.stdout.splitlines()[1] == first.stdout.splitlines()[1]  # the row of the signal


@pytest.mark.parametrize(
    ("model", "transitions"),
    [("harpsichord", ["meets", "plucks", "passes"]), ("bouncing-hammer", ["leaves", "lands"])],
)
def test_simulate_prints_the_energy_balance_through_changes_of_mode(
    model: str, transitions: list[str]
) -> None:
    shown = touchback("simulate", model, "--step", "0.0001")
    assert shown.returncode == 0, shown.stderr
    rows = [line.rsplit(maxsplit=2) for line in shown.stdout.splitlines() if line.endswith(" J")]
    joules = {row[0].strip(): float(row[1]) for row in rows}
    assert joules["work in"] > 0.01
    assert abs(joules["residual"]) < 1e-3 * joules["work in"]
    assert joules.keys() >= {"impacts", *transitions}
    listed = shown.stdout.partition("changes of mode: ")[2].partition("\n\n")[0].splitlines()
    assert int(listed[0]) >= 3 and "time [s]" in listed[1]
    times = [float(line.split()[0]) for line in listed[2:] if "…" not in line]
    assert times == sorted(times) and len(times) == min(int(listed[0]), 16)
    assert listed[2].split()[-1] == "+0" and transitions[0] in listed[2]


def test_a_model_file_is_shown_checked_and_simulated_like_the_gallery() -> None:
    for words in (["show"], ["check"], ["simulate", "--set=pivot=1", "--duration=1"]):
        done = touchback(*words, str(pendulum.FILE))
        assert done.returncode == 0, done.stderr


def test_a_model_with_memories_ticks_at_the_rate_asked_for(tmp_path: Path) -> None:
    m = Model("ticks")
    m.memory("count", update=lambda count: count + 1)
    m.save(tmp_path / "ticks.yaml")
    done = touchback(
        "simulate", "ticks.yaml", "--rate", "100", "--step", "0.005", "--duration", "0.2",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "--step 0.005 --rate 100.0" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.startswith("count "))
    assert float(row.split()[-1]) == 20
    without = touchback("simulate", "ticks.yaml", cwd=tmp_path)
    assert without.returncode != 0
    assert "rate" in without.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "pendulm"], "did you mean 'pendulum'"),
        (["check", "nowhere.yaml"], "There is no file 'nowhere.yaml'"),
        (["simulate", "pendulum", "--set", "lenght=2"], "did you mean 'length'"),
        (["simulate", "pendulum", "--set", "length"], "a name, '=' and a number"),
        (["simulate", "pendulum", "--method", "rk5"], "did you mean 'rk4'"),
        (["simulate", "pendulum", "--set", "length=100"], "outside its range"),
        (["simulate", "pendulum", "--duration", "-1"], "--duration is"),
        (["generate", "pendulum", "--language", "cobol"], "known: 'c', 'python', 'matlab'"),
        (["generate", "pendulum", "--function", "magic"], "no function 'magic'"),
        (["generate", "pendulum", "there", "--to", "cobol"], "--to: "),
        (["generate", "pendulum", "there"], "go with --to"),
        (["generate", "pendulum", "--to", "python"], "--to python: give the file or folder to"),
        (["generate", "pendulum", "a.py", "--to", "python", "-o", "b.py"], "are of a function"),
        (["generate", "pendulum", "a.m", "--to", "matlab", "--function", "bias"], "of a function"),
        (["generate", "pendulum", "there", "--to", "fmu", "--option", "stp=1"], "mean 'step'"),
        (["play", "pianoo"], "There is no 'pianoo' to play; did you mean 'piano'"),
        (["drive", "suden-obstacle", "--page", "0"], "did you mean 'sudden-obstacle'"),
        (["simulate"], "Missing argument"),
        (["dance"], "No such command"),
    ],
)
def test_wrong_use_is_a_message_and_exit_code_2(words: list[str], message: str) -> None:
    done = touchback(*words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_warning_is_a_message_without_a_line_of_our_sources(tmp_path: Path) -> None:
    words = ["generate", "slider-crank", str(tmp_path / "crank.urdf"), "--to", "urdf"]
    done = subprocess.run(  # a process of its own: pytest keeps warnings of this one
        [sys.executable, "-m", "touchback.cli", *words], capture_output=True, text=True
    )
    assert done.stderr.startswith("warning: URDF doesn't say of 'slider-crank':\n")
    assert ".py" not in done.stderr and "1 file, " in done.stderr


def test_a_model_at_fault_is_a_message_and_exit_code_1(tmp_path: Path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(pendulum.FILE.read_text().replace("child: bob", "child: bobby"))
    done = touchback("check", str(file))
    assert done.returncode == 1
    assert "bobby" in done.stderr and "Traceback" not in done.stderr


def test_a_run_that_fails_is_kept_up_to_there(tmp_path: Path) -> None:
    kept = tmp_path / "part.csv"
    done = touchback(
        "simulate", "cart-pole", "--method", "rk4", "--step", "0.5", "--duration", "300",
        "--set", "angle gain=4000", "--csv", str(kept),
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "cart-pole" in done.stderr
    assert kept.exists()


def test_generated_python_computes_what_the_system_computes(tmp_path: Path) -> None:
    """Both stages: live parameters to p, then forward dynamics from x, u and p."""
    names: dict[str, object] = {}
    for extra in ([], ["--parameters"]):
        file = tmp_path / "f.py"
        done = touchback("generate", "pendulum", "--language", "python", "-o", str(file), *extra)
        assert done.returncode == 0, done.stderr
        exec(file.read_text(), names)
    system = gallery.make("pendulum").compile()
    system["length"] = 0.7
    p = names["forward_dynamics_parameters"]([0.7, 1.0])  # type: ignore[operator]
    found = names["forward_dynamics"]([0.4, 0.2], [0.0, 0.3], p)  # type: ignore[operator]
    np.testing.assert_allclose(found, system.forward_dynamics([0.4], [0.2], [0.3]), rtol=1e-14)


def test_generated_c_says_what_its_arrays_hold() -> None:
    text = touchback("generate", "motor-arm", "--function", "rate").stdout
    for line in ("x[0]: shoulder", "x[2]: current", "u[1]: voltage"):
        assert line in text


def test_play_works_without_a_terminal(tmp_path: Path) -> None:
    done = touchback("play", "mechanisms", "--picture", str(tmp_path / "p.svg"))
    assert done.returncode == 0, done.stderr
    assert "t = 0.00 s" in done.stdout and "double-pendulum" in done.stdout
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    assert done.stdout.endswith("next: `touchback list`, `touchback show cart-pole`\n")


BALL = """
touchback: 1
name: ball
bodies:
  ball: {mass: 0.2}
joints:
  z: {kind: prismatic, axis: z, parent: ground, child: ball, position: 0.5}
contacts:
  floor: {kind: sphere-plane, frame: ball, radius: 0.02, restitution: 0.8}
"""


def test_a_model_with_rigid_contacts_runs_from_event_to_event_or_step_by_step(
    tmp_path: Path,
) -> None:
    (tmp_path / "ball.yaml").write_text(BALL)
    located = touchback("simulate", "ball.yaml", "--duration", "1", cwd=tmp_path)
    assert located.returncode == 0, located.stderr
    assert "events: 2" in located.stdout and "0.312825  floor hits" in located.stdout
    stepped = touchback("simulate", "ball.yaml", "--method", "moreau-jean", cwd=tmp_path)
    assert stepped.returncode == 0, stepped.stderr
    assert "--method moreau-jean --step 0.0001" in stepped.stdout
    refused = touchback("simulate", "ball.yaml", "--method", "rk4", cwd=tmp_path)
    assert refused.returncode != 0
    assert "use method='event-driven' or 'moreau-jean'" in " ".join(refused.stderr.split())


def test_printed_dynamics_of_a_mechanism_with_constraints_say_that_they_are_the_trees() -> None:
    text = touchback("generate", "slider-crank").stdout
    assert "of the tree alone: constraints and their friction are in 'terms'" in text
    assert "of the tree alone" not in touchback("generate", "pendulum").stdout


def test_a_film_is_written_though_matplotlib_is_missing_for_the_plot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    asked = ["--plot", "a.png", "--film", "a.svg", "--duration", "0.2"]
    told = touchback("simulate", "pendulum", *asked, cwd=tmp_path)
    assert told.returncode != 0 and "matplotlib" in told.stderr and "film: a.svg" in told.stdout
    assert (tmp_path / "a.svg").stat().st_size > 1000 and not (tmp_path / "a.png").exists()


@pytest.mark.parametrize("command", ["simulate", "quality"])
def test_an_input_beyond_its_range_is_refused_as_a_parameter_is(
    command: str, tmp_path: Path
) -> None:
    m = tb.Model("motor")
    wheel = m.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("axle", tb.Revolute("z"), m.ground, wheel)
    m.force("motor", tb.JointEffort("axle", m.input("torque", unit="N m", min=-12.0, max=12.0)))
    m.save(tmp_path / "motor.yaml")
    words = command, str(tmp_path / "motor.yaml"), "--duration", "0.1", "--input"
    done = touchback(*words, "torque=40")
    assert done.returncode == 2, done.stdout
    said = " ".join(done.stderr.split())
    assert "Input 'torque': 40.0 lies outside its range [-12.0, 12.0] N m" in said
    if command == "simulate":
        assert touchback(*words, "torque=12").returncode == 0


def test_show_draws_no_blank_lines_and_gives_what_sensors_read_at_the_start() -> None:
    """A hanging chain begins level: one line of drawing between the tree and the table."""
    text = touchback("show", "hanging-chain").stdout
    figure = text.partition("energy total")[2].partition("signal ")[0].splitlines()[1:]
    assert [bool(line.strip(" \u2800")) for line in figure] == [False, True, False]
    (row,) = [line for line in text.splitlines() if line.startswith("sensor    end.x ")]
    assert row.split() == ["sensor", "end.x", "m", "1"]
