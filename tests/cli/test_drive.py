"""`touchback drive` lists manoeuvres, tells figures, draws and keeps them."""

import math
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest

from command import touchback
from touchback.cli import vehicle_commands
from touchback.errors import InputError
from touchback.model import Model
from touchback.model.joints import Prismatic
from touchback.model.sensors import Signal
from touchback.recording import Run, open_run
from touchback.vehicle.manoeuvres import MANOEUVRES, Figure


@pytest.mark.parametrize(
    ("pedals", "person", "smooth"),
    [(None, True, True), (None, False, False), (["throttle", "brake"], True, False),
     (["throttle"], True, False)],
)  # fmt: skip
def test_the_angles_of_a_page_are_smoothed_and_those_of_a_wheel_or_a_script_are_not(
    pedals: list[str] | None, person: bool, smooth: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page's come in steps; whose wheel has both pedals drives with them."""
    asked: list[dict[str, Any]] = []

    def make(name: str, **given: Any) -> NoReturn:
        asked.append({"name": name, **given})
        raise InputError("enough")

    wheel: Any = pedals and SimpleNamespace(scale=SimpleNamespace(pedals=pedals))
    monkeypatch.setattr(vehicle_commands.tb.gallery, "make", make)
    with ExitStack() as closing, pytest.raises(InputError, match="enough"):
        vehicle_commands._driven(closing, wheel, 0, None, person)
    (made,) = asked
    smoothing = made.pop("smoothing")
    assert smoothing > 1.0 if smooth else smoothing == 0.0
    assert made == {
        "name": "driving-simulator", "person": person, "pedals": pedals == ["throttle", "brake"]
    }  # fmt: skip


def test_without_a_name_the_manoeuvres_are_listed() -> None:
    shown = touchback("drive")
    assert shown.returncode == 0 and all(name in shown.stdout for name in MANOEUVRES)


def test_a_manoeuvre_is_told_drawn_and_kept(tmp_path: Path) -> None:
    picture, kept = tmp_path / "step.png", tmp_path / "step.mcap"
    shown = touchback("drive", "step-steer", "--speed", "72", "--plot", picture, "--save", kept)
    assert shown.returncode == 0 and "step-steer at 72 km/h" in shown.stdout
    assert "response time" in shown.stdout and picture.stat().st_size > 10_000
    assert open_run(kept)["speed"][0] == pytest.approx(20.0)


def test_figures_are_told_in_degrees_and_as_yes_and_no() -> None:
    assert Figure(math.pi, "rad/s").as_text() == ("180", "°/s")
    assert Figure(True).as_text() == ("yes", "") and Figure(False).as_text(3) == ("no", "")
    assert Figure(1.4567).as_text(3) == ("1.46", "")


def test_who_ends_before_the_first_obstacle_is_told_so_and_gets_no_empty_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vehicle_commands.report_drive(Run([0.0], {}), [], tmp_path / "none.png")
    assert "before anything stood on the road" in capsys.readouterr().out
    assert not (tmp_path / "none.png").exists()


def test_of_a_drive_at_a_wheel_inputs_and_sensors_are_kept() -> None:
    """Not the states of tyres and joints, of which the whole car has 138."""
    m = Model("cart")
    m.joint("way", Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    m.sensor("torque", Signal(2.0 * m.input("wheel"), "N m"))
    system = m.compile()
    time = np.arange(3.0)
    names = ["wheel", "way", "way rate", "torque", "flags"]
    run = Run(time, dict.fromkeys(names, time), {"torque": "N m"}, {"seed": 1})
    kept = vehicle_commands.sensed(run, system)
    assert kept.names == ["wheel", "torque"] and kept.units["torque"] == "N m"
    assert kept.metadata == {"seed": 1}


def test_what_is_unknown_is_answered_with_the_nearest() -> None:
    for words, complaint in (
        (("step-stear",), "did you mean 'step-steer'"),
        (("step-steer", "--car", "tricycle"), "single-track"),
        (("all", "--save", "x.csv"), "keeps one run"),
        (("step-steer", "--wheel", "simulated"), "or `--wheel …`"),
        (("step-steer", "--page", "0"), "sudden-obstacle --page 0"),
        (("step-steer", "--peak", "2"), "give --wheel, too"),
        (("sudden-obstacle", "--peak", "2"), "give --wheel, too"),
        (("sudden-obstacle", "--range", "900"), "give --wheel, too"),
        (("sudden-obstacle", "--page", "0", "--peak", "2"), "give --wheel, too"),
        (("sudden-obstacle", "--wheel", "serial:x"), "'evdev:auto', 'evdev:PATH', 'simulated'"),
        (("sudden-obstacle", "--wheel", "simulatd"), "did you mean 'simulated'"),
        (("step-steer", "--speed", "0.01"), "give a number at least 1"),
        (("sudden-obstacle", "--wheel", "simulated", "--peak", "2"), "not the simulated one's"),
    ):
        shown = touchback("drive", *words)
        assert shown.returncode == 2 and complaint in shown.stderr


def test_a_wheel_that_is_not_there_is_said_to_be_missing() -> None:
    shown = touchback("drive", "sudden-obstacle", "--wheel", "evdev:/dev/input/event999")
    assert shown.returncode == 1 and "'/dev/input/event999' can't be opened" in shown.stderr


@pytest.mark.soak
def test_simulated_arms_feel_the_first_peak_grow_with_caster(tmp_path: Path) -> None:
    """Three obstacles against the clock, in a seed's order; all are missed."""
    picture = tmp_path / "trials.png"
    words = ("sudden-obstacle", "--wheel", "simulated", "--seed", "1", "--plot", picture)
    shown = touchback("drive", *words)
    assert shown.returncode == 0 and picture.stat().st_size > 10_000
    rows = [line.split("│")[1:-1] for line in shown.stdout.splitlines() if line.startswith("│")]
    casters, torques, angles, gaps = np.array(sorted(tuple(map(float, row[1:])) for row in rows)).T
    assert len(casters) == 3 and (np.diff(torques) > 0.1).all() and (gaps > 0.0).all()
    assert np.ptp(angles) < 0.1 * angles.mean()
