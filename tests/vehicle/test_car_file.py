"""Vehicle files: the same car back, and complaints that name the place."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from command import touchback
from touchback.errors import ModelError
from touchback.vehicle import (
    BUGGY_TYRE,
    SMALL_CAR,
    BrushTyre,
    Car,
    MacPherson,
    MagicFormula,
    RigidAxle,
    TrailingArm,
    read_car,
    save_car,
)


def test_the_shipped_car_is_the_template_itself() -> None:
    assert read_car(SMALL_CAR) == Car(name="small car")


@pytest.mark.parametrize(
    "car",
    [
        Car(front=MacPherson(camber=-0.01), rear=TrailingArm(), front_tyre=BrushTyre()),
        Car(rear=RigidAxle(bar=3e3), rear_tyre=MagicFormula.read(BUGGY_TYRE), driven="all"),
    ],
    ids=["struts", "rigid"],
)
def test_a_car_comes_back_as_it_was_written(car: Car, tmp_path: Path) -> None:
    save_car(car, tmp_path / "car.yaml")
    assert read_car(tmp_path / "car.yaml") == car


def test_tyres_are_read_from_files_beside_the_car_s(tmp_path: Path) -> None:
    (tmp_path / "own.tir").write_bytes(Path(BUGGY_TYRE).read_bytes())
    (tmp_path / "car.json").write_text('{"vehicle": 1, "front_tyre": "own.tir"}')
    assert read_car(tmp_path / "car.json").front_tyre == MagicFormula.read(BUGGY_TYRE)


@pytest.mark.parametrize(
    "text, told",
    [
        ("touchback: 1\n", r"a vehicle file begins with `vehicle: 1`, got nothing"),
        ("wheelbas: 3\n", r"line 2, wheelbas: there is no such key here; did you mean 'wheelbase'"),
        ("front: {kind: wishbone}\n", r"line 2, front.kind: there is no kind 'wishbone'"),
        ("rear: {kind: trailing-arm, arm_mas: 3}\n", r"line 2, rear.arm_mas: .* 'arm_mass'"),
        (
            "front: {kind: macpherson, lower_ball: [1, 2]}\n",
            r"front.lower_ball: a list of length 3",
        ),
        ("chassis: {mass: -3}\n", r"line 2, chassis: Chassis: its mass is -3"),
        ("front: {kind: trailing-arm}\n", r"Car 'car': its front axle, a TrailingArm, has no tie"),
        (
            "front_tyre: ../own.tir\n",
            r"line 2, front_tyre: '../own.tir' leads out of the vehicle's",
        ),
        ("rear_tyre: own.tir\n", r"line 2, rear_tyre: there is no file 'own.tir' beside it"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_place(
    text: str, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "car.yaml"
    file.write_text(text if text.startswith("touchback") else f"vehicle: 1\n{text}")
    with pytest.raises(ModelError, match=told):
        read_car(file)


def test_the_command_measures_an_axle_of_a_file(tmp_path: Path) -> None:
    curves, picture = tmp_path / "curves.csv", tmp_path / "curves.png"
    done = touchback("axle", SMALL_CAR, "--end", "rear", "--csv", curves, "--plot", picture)
    assert done.returncode == 0 and "roll centre" in done.stdout, done.stderr
    assert picture.stat().st_size > 10_000
    table = np.loadtxt(curves, delimiter=",", skiprows=1)
    assert table.shape == (33, 12) and table[0, 0] == pytest.approx(-0.08)
    wrong = touchback("axle", "wishbones")
    assert wrong.returncode != 0 and "nor such a kind of axle" in wrong.stderr


def test_commands_take_a_vehicle_file_as_a_model() -> None:
    run = ("--duration", "0.02", "--method", "rk4", "--step", "0.001")
    done = touchback("simulate", SMALL_CAR, *run)
    assert done.returncode == 0 and "front left strut" in done.stdout, done.stderr
    assert tb.vehicle.is_car_file(SMALL_CAR)
