"""Vehicle files: the same car back, and complaints that name the place."""

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from command import touchback
from touchback.errors import ModelError
from touchback.model.io import model_from_text
from touchback.model.io.yaml_json import dotted, read_yaml, scalar, yaml_text
from touchback.units import unit_of
from touchback.vehicle import (
    BUGGY_TYRE,
    SMALL_CAR,
    Brakes,
    BrushTyre,
    Car,
    Chassis,
    LinearTyre,
    MacPherson,
    MagicFormula,
    Mounts,
    RigidAxle,
    TrailingArm,
    TyreOnRoad,
    add_car,
    read_car,
    save_car,
)
from touchback.vehicle.car_part import Part


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
        (
            "rear:\n  kind: trailing-arm\n  mounts: {radal: 1e6}\n",
            r"line 4, rear.mounts.radal: there is no such key here; did you mean 'radial'",
        ),
        ("front: {kind: wishbone}\n", r"line 2, front.kind: there is no kind 'wishbone'"),
        ("rear: {kind: trailing-arm, arm_mas: 3}\n", r"line 2, rear.arm_mas: .* 'arm_mass'"),
        (
            "front: {kind: macpherson, lower_ball: [1, 2]}\n",
            r"front.lower_ball: a list of length 3",
        ),
        ("chassis: {mass: -3}\n", r"line 2, chassis.mass: a number > 0.0 is expected, got -3"),
        ("front: {kind: trailing-arm}\n", r"line 2, front: .* a TrailingArm, has no tie rods"),
        (
            "chassis:\n  mass: 900\n  inertia: [1, 1, 3]\n",
            r"line 4, chassis.inertia: .* 1, 1 and 3 kg m² break the triangle inequality",
        ),
        (
            "rear:\n  kind: double-wishbone\n  wheel: {spin_inertia: 0.95}\n",
            r"line 4, rear.wheel.spin_inertia: .* break the triangle inequality",
        ),
        (
            "front:\n  kind: macpherson\n  camber: 2\n",
            r"line 4, front.camber: a number <= 0.785\d* is expected, got 2",
        ),
        ("driven: back\n", r"driven: 'rear' or 'front' or 'all' is expected, got 'back'"),
        ("gear: 7\n", r"line 2, gear: Car: its gear is 7, its gearbox has 1 to 3"),
        ("brakes: {radius: -0.1}\n", r"brakes.radius: a number > 0.0 is expected, got -0.1"),
        (
            "rear:\n  kind: trailing-arm\n  wheel_centre: [0, 0.7, -0.3]\n",
            r"line 4, rear.wheel_centre\[2\]: a number > 0.0 is expected, got -0.3",
        ),
        (
            "front:\n  kind: macpherson\n  tie_outer: [-0.12, 0.345, 0.23]\n",
            r"line 4, front.tie_outer: .* its tie_inner and tie_outer are both .*; move one",
        ),
        (
            "rear:\n  kind: rigid-axle\n  strut_foot: [0.05, 0.45, 0.62]\n",
            r"line 4, rear.strut_foot: .* its strut_top and strut_foot are both .*; move one",
        ),
        (
            "rear:\n  kind: trailing-arm\n  wheel_centre: [0.52, 1.28, 0.25]\n",
            r"line 4, rear.wheel_centre: .* lies on the line through its pivot_inner and",
        ),
        (
            "front:\n  kind: double-wishbone\n  upper_ball: [0, 0.6, 0.1]\n",
            r"line 4, front.upper_ball: .* must be above its lower_ball",
        ),
        (
            "rear:\n  kind: trailing-arm\n  strut: {speed: [-1, 0, 1], damping: [-9, 0, -9]}\n",
            r"line 4, rear.strut.damping\[2\]: .* its damping at 1 m/s is -9 N, along the motion",
        ),
        (
            "rear_tyre: {kind: magic-formula, numbers: {FNOMIN: .nan}}\n",
            r"line 2, rear_tyre.numbers.FNOMIN: MagicFormula: its FNOMIN is nan; give a finite",
        ),
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


def leaves(data: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Paths of all numbers and words of a file."""
    items = data.items() if isinstance(data, dict) else enumerate(data)  # type: ignore
    for key, item in items:
        if isinstance(item, (dict, list)):
            yield from leaves(item, (*path, key))
        else:
            yield (*path, key)


@pytest.mark.parametrize("wrong", [".nan", ".inf", "-.inf", "1.0e+300", "word", "null", "[]", "-"])
def test_every_field_of_the_shipped_file_refuses_what_it_cannot_be(
    wrong: str, tmp_path: Path
) -> None:
    """By file, line, field and value. "-" turns the sign, which some fields may have: then the car
    can be built."""
    file = tmp_path / "car.yaml"
    shipped: Any = read_yaml(SMALL_CAR.read_text(), "").data
    for path in leaves(shipped):
        if path[-1] in ("vehicle", "name", "kind") or path[0] == "rear":  # like the front
            continue
        changed = {"vehicle": 1, path[0]: copy.deepcopy(shipped[path[0]])}
        inner: Any = changed
        for step in path[:-1]:
            inner = inner[step]
        old = inner[path[-1]]
        if wrong == "-" and (isinstance(old, str) or old == 0.0):
            continue
        inner[path[-1]] = -old if wrong == "-" else scalar(wrong) if wrong != "[]" else []
        file.write_text(yaml_text(changed))
        try:
            car = read_car(file)
        except ModelError as error:
            told = re.match(r".*car.yaml, line (\d+), (\S+): (.*)", str(error))
            assert told is not None, error
            if wrong != "-":
                line = read_yaml(file.read_text(), "").lines[path]
                assert (told[1], told[2]) == (str(line), dotted(path)), error
                assert ("nothing" if wrong == "null" else str(inner[path[-1]])) in told[3]
        else:
            assert wrong == "-", f"{dotted(path)}: {wrong}"
            add_car(tb.Model("car"), car)


def test_a_part_made_by_a_program_is_held_to_the_same() -> None:
    with pytest.raises(ModelError, match=r"Chassis: its com\[1\]: a number .* got nan"):
        Chassis(com=(0.0, np.float64("nan"), 0.5))
    assert Chassis(mass=np.float32(900.0)).mass == 900.0


def test_the_command_measures_an_axle_of_a_file(tmp_path: Path) -> None:
    curves, picture = tmp_path / "curves.csv", tmp_path / "curves.png"
    done = touchback("axle", SMALL_CAR, "--end", "rear", "--csv", curves, "--plot", picture)
    assert done.returncode == 0 and "roll centre" in done.stdout, done.stderr
    said = "".join(done.stdout.split())  # paths may go on in the next line
    assert said.endswith(f"curves:{curves}plot:{picture}") and picture.stat().st_size > 10_000
    table = np.loadtxt(curves, delimiter=",", skiprows=1)
    assert table.shape == (33, 12) and table[0, 0] == pytest.approx(-0.08)
    wrong = touchback("axle", "wishbones")
    assert wrong.returncode != 0 and "nor such a kind of axle" in wrong.stderr


def test_commands_take_a_vehicle_file_as_a_model() -> None:
    run = ("--duration", "0.02", "--method", "rk4", "--step", "0.001")
    done = touchback("simulate", SMALL_CAR, *run)
    assert done.returncode == 0 and "front left strut" in done.stdout, done.stderr
    assert tb.vehicle.is_car_file(SMALL_CAR)


CARS = [
    Car(
        front=MacPherson(camber=-0.01, mounts=Mounts()),
        rear=TrailingArm(),
        front_tyre=BrushTyre(sliding_friction=0.8),
        brakes=Brakes(rear_share=0.6),
    ),
    Car(rear=RigidAxle(bar=3e3), front_tyre=LinearTyre(), rear_tyre=BrushTyre()),
]
#: Another unit for each, and one of another dimension.
OTHERS = {
    "m": ("mm", "deg"), "m²": ("cm²", "mm"), "m/s": ("km/h", "rpm"), "kg": ("g", "N"),
    "kg m²": ("g mm²", "kg"), "N": ("kN", "kg"), "N m": ("N cm", "N"), "N/m": ("N/mm", "N mm"),
    "N s/m": ("kN s/m", "N/mm"), "rad": ("deg", "mm"), "m/rad": ("mm/deg", "kg"), "1": ("%", "deg"),
    "N m/rad": ("N m/deg", "N"), "N m s/rad": ("N m s/deg", "N s"), "N/rad": ("kN/rad", "mm"),
    "1/rad": ("1/deg", "1/m"), "s": ("ms", "Hz"), "rpm": ("1/s", "m/s"), "N m/rpm": ("N m s", "N"),
}  # fmt: skip


def numbers_with_units(item: Part) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The places of a car's numbers, each with its unit."""
    for name in item.__struct_fields__:
        inner = getattr(item, name)
        unit = item.field_units().get(name, "")
        listed = inner if isinstance(inner, tuple) else (inner,)
        for i, each in enumerate(listed):
            place = (name, i) if listed is inner else (name,)
            if isinstance(each, Part):
                yield from (((*place, *rest), found) for rest, found in numbers_with_units(each))
            elif isinstance(each, float):
                yield place, unit


@pytest.mark.parametrize("car", CARS, ids=["struts", "rigid"])
def test_every_number_of_a_car_may_have_a_unit_of_its_dimension(car: Car, tmp_path: Path) -> None:
    file, without = tmp_path / "car.yaml", {("engine", "full")}
    save_car(car, file)
    plain = read_yaml(file.read_text(), "").data
    shared = copy.deepcopy(plain)
    for place, unit in numbers_with_units(car):
        if place[:2] in without:  # coefficients of a polynomial in rpm
            continue
        parent: Any = shared
        for step in place[:-1]:
            parent = parent[step]
        other = unit_of(OTHERS[unit][0])
        assert other is not None
        number = unit_of(unit).in_si(parent[place[-1]]) / other.factor
        parent[place[-1]] = f"{number!r} {OTHERS[unit][0]}"
    file.write_text(yaml_text(shared))
    found, expected = read_car(file), dict(numbers_with_units(car))
    assert dict(numbers_with_units(found)) == expected
    for place in expected:
        ours, theirs = (at(each, place) for each in (found, car))
        assert ours == pytest.approx(theirs, rel=1e-14), place


def at(item: Any, place: tuple[str | int, ...]) -> Any:
    for step in place:
        item = item[step] if isinstance(step, int) else getattr(item, step)
    return item


@pytest.mark.parametrize("car", CARS, ids=["struts", "rigid"])
def test_every_number_of_a_car_refuses_a_unit_of_another_dimension(
    car: Car, tmp_path: Path
) -> None:
    file = tmp_path / "car.yaml"
    save_car(car, file)
    plain, met = read_yaml(file.read_text(), "").data, set()
    for place, unit in numbers_with_units(car):
        kind = tuple(step for step in place if isinstance(step, str))
        if kind in met:
            continue
        met.add(kind)
        data = copy.deepcopy(plain)
        parent: Any = data
        for step in place[:-1]:
            parent = parent[step]
        parent[place[-1]] = f"3 {OTHERS[unit][1]}" if unit else "3 N"
        file.write_text(yaml_text(data))
        with pytest.raises(ModelError) as error:
            read_car(file)
        said = str(error.value)
        assert re.escape(dotted(place)) in re.escape(said) and "'3 " in said
        assert f"{unit} is needed there" in said if unit else "a plain number is needed" in said


def test_tyres_and_roads_of_model_files_may_have_units() -> None:
    text = """
touchback: 1
name: wheel
bodies: {hub: {mass: 20, inertia: [1, 1, 1]}}
joints: {up: {kind: prismatic, axis: z, parent: ground, child: hub}}
forces:
  tyre:
    kind: tyre-on-road
    wheel: hub
    tyre: {kind: linear-tyre, unloaded_radius: 300 mm, cornering_coefficient: 0.5 1/deg}
    road:
      kind: plane-road
      slope_x: 2 %
      bumps: [{start: 1, length: 50 cm, height: 35 mm}]
      kerbs: [{at: [10, 20 ft], top: 12 cm, towards: 90 deg}]
"""
    force = model_from_text(text).forces["tyre"]
    assert isinstance(force, TyreOnRoad) and isinstance(force.tyre, LinearTyre)
    assert force.tyre.unloaded_radius == pytest.approx(0.3, rel=1e-15)
    assert force.tyre.cornering_coefficient == pytest.approx(90.0 / np.pi, rel=1e-14)
    road = force.road
    assert (road.slope_x, road.bumps[0].length, road.bumps[0].height) == (0.02, 0.5, 0.035)
    assert road.kerbs[0].at == pytest.approx((10.0, 6.096)) and road.kerbs[0].top == 0.12
    assert road.kerbs[0].towards == pytest.approx(np.pi / 2)
    for old, new, told in (
        ("2 %", "2 deg", r"slope_x: '2 deg' is an angle; 1 is needed there"),
        ("35 mm", "35 deg", r"bumps\[0\].height: '35 deg' is an angle; m is needed there"),
        ("35 mm", "35 mmm", "the unit 'mmm' isn't known"),
        ("35 mm", "high", "a number is expected, got 'high'"),
    ):
        with pytest.raises(ModelError, match=told):
            model_from_text(text.replace(old, new))
