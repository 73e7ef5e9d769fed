"""A model that is written and read again is the same model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import touchback as tb
from described_models import (
    ALL,
    every_force_and_sensor,
    every_joint,
    latch,
    leg,
    loops,
    touching,
    walker,
)
from touchback.interop.import_formats import FORMATS, read
from touchback.model.closures import AnyClosure
from touchback.model.constraint_kinds import AnyCoupling
from touchback.model.forces import AnyForce
from touchback.model.io import model_from_text, to_text
from touchback.model.io.schema import SECTIONS
from touchback.model.joint_limits import limit_numbers
from touchback.model.joints import AnyJoint
from touchback.model.kind_registry import KINDS
from touchback.model.sensors import AnySensor

SUFFIXES = (".yaml", ".json")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("describe", ALL, ids=lambda describe: describe.__name__)
def test_what_is_written_reads_back_and_is_written_alike(
    describe: Callable[[], tb.Model], suffix: str
) -> None:
    text = to_text(describe(), suffix)
    assert to_text(model_from_text(text, suffix), suffix) == text


@pytest.mark.parametrize("describe", ALL, ids=lambda describe: describe.__name__)
def test_yaml_and_json_hold_the_same_model(describe: Callable[[], tb.Model]) -> None:
    from_json = model_from_text(to_text(describe(), ".json"), ".json")
    assert to_text(from_json, ".yaml") == to_text(describe(), ".yaml")


@pytest.mark.parametrize("describe", ALL, ids=lambda describe: describe.__name__)
def test_the_read_model_gives_the_same_bits(describe: Callable[[], tb.Model]) -> None:
    a = describe().compile(backend="interpreter")
    b = model_from_text(to_text(describe())).compile(backend="interpreter")
    assert a.state_names == b.state_names
    assert a.output_names == b.output_names
    assert a.parameters == b.parameters
    start, other = a.initial_state(), b.initial_state()
    assert np.array_equal(start.q, other.q) and np.array_equal(start.v, other.v)
    # A damped, driven state: not one that symmetry makes easy.
    q, v = start.q + 0.05, start.v + 0.1
    rates = [system.forward_dynamics(q, v, t=0.3) for system in (a, b)]
    assert np.array_equal(rates[0], rates[1])
    sensors = [system.sensors(q, v, t=0.3) for system in (a, b)]
    assert str(sensors[0]) == str(sensors[1])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_constraints_are_written_and_read_back(suffix: str) -> None:
    text = to_text(loops(), suffix)
    again = model_from_text(text, suffix)
    assert to_text(again, suffix) == text
    for section in ("closures", "couplings", "constraints", "drives"):
        assert list(getattr(again, section)) == list(getattr(loops(), section))
    pin = again.closures["pin"]
    assert (pin.kind, pin.b) == (tb.Revolute((0.0, 1.0, 0.0)), tb.Frame("bar 1"))
    assert again.constraints["skate"].through == ("pin 5", 0)
    assert str(again.drives["motor"].velocity) == "cos(time)"


def test_the_samples_use_every_kind() -> None:
    """So that a new kind can't be forgotten here."""
    joints = {type(joint.kind) for joint in every_joint().joints.values()}
    cart = every_force_and_sensor()
    assert joints == set(get_args(AnyJoint))
    assert {type(force) for force in cart.forces.values()} == set(
        get_args(AnyForce | tb.contact.SphereOnPlane | tb.contact.ProfileContact)
    )
    sensors = [*cart.sensors.values(), *loops().sensors.values(), *latch().sensors.values()]
    assert {type(sensor) for sensor in sensors} == set(get_args(AnySensor))
    assert {type(coupling) for coupling in loops().couplings.values()} == set(get_args(AnyCoupling))
    closures = {type(closure.kind) for closure in loops().closures.values()}
    assert set(get_args(AnyClosure)) - set(get_args(AnyJoint)) <= closures
    rigid = {type(contact) for contact in touching().contacts.values()}
    assert rigid == set(KINDS["contacts"].values())


def test_described_data_survive_field_by_field() -> None:
    model, again = every_joint(), model_from_text(to_text(every_joint()))
    for name, joint in model.joints.items():
        for field in ("parent", "child", "limits", "position", "velocity", "stop"):
            assert getattr(again.joints[name], field) == getattr(joint, field), (name, field)
    assert again.bodies == model.bodies
    assert again.parameters == model.parameters


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
@pytest.mark.parametrize("given", [{}, {"stop": False}, {"stop": True}, {"stop": (100, 1)}])
def test_a_file_says_what_stops_a_joint(suffix: str, given: dict[str, Any]) -> None:
    m = tb.Model("arm")
    m.body("arm", mass=1.0, inertia=(1, 1, 1))
    m.joint("elbow", tb.Revolute("y"), m.ground, "arm", limits=(-1, 1), **given)
    again = model_from_text(to_text(m, suffix), suffix).joints["elbow"].stop
    assert again == m.joints["elbow"].stop
    assert again == (None if given.get("stop", True) is True else given["stop"])


def test_a_joint_keeps_its_options() -> None:
    model = model_from_text(to_text(leg()))
    knee = model.joints["knee"]
    assert knee.rest == (0.3,)
    assert knee.friction == (0.1,)
    assert knee.friction_speed == 0.01
    assert limit_numbers(model) == {"knee": (0.0, 2.5)}
    assert knee.stop == (100.0, 1.0)
    assert (knee.position, knee.velocity) == ((0.4,), (-0.5,))
    assert str(knee.spring[0]) == "'knee stiffness'"


def test_copies_of_one_part_stand_once_in_the_library() -> None:
    again = model_from_text(to_text(walker()))
    assert again.parts["left"].model is again.parts["right"].model
    assert again.parts["left"].share == ("thigh length",)
    assert str(again.parts["right"].bind["knee stiffness"]) == "30 * ratio"


def test_parts_of_parts_and_parts_of_one_name_are_kept_apart() -> None:
    inner, other = tb.Model("link"), tb.Model("link")
    inner.parameter("a", 1.0)
    other.parameter("b", 2.0)
    middle = tb.Model("middle")
    middle.add(inner, name="first")
    middle.add(other, name="second")
    outer = tb.Model("outer")
    outer.add(middle)
    text = to_text(outer)
    again = model_from_text(text)
    assert to_text(again) == text
    assert list(again.all_parameters()) == ["middle/first/a", "middle/second/b"]
    assert [p.model.name for p in again.parts["middle"].model.parts.values()] == ["link", "link"]


def test_a_table_that_was_never_named_gets_a_name() -> None:
    again = model_from_text(to_text(walker()))
    assert again.tables["table 1"] == tb.Table((-1.0, 1.0), (-2.0, 2.0))


@pytest.mark.parametrize("number", [0.1, 1e-300, -0.0, 1e22, 5e-324, 123456789.0, 2**53 + 1.0])
def test_numbers_survive_bit_by_bit(number: float) -> None:
    model = tb.Model("m")
    model.parameter("p", number)
    for suffix in SUFFIXES:
        again = model_from_text(to_text(model, suffix), suffix).parameters["p"].default
        assert np.float64(again).tobytes() == np.float64(number).tobytes()


def test_inputs_keep_their_ranges() -> None:
    model = tb.Model("m")
    model.input("voltage", unit="V", default=6.0, min=-12.0, max=12.0)
    model.input("light", max=1.0)
    for suffix in SUFFIXES:
        assert model_from_text(to_text(model, suffix), suffix).inputs == model.inputs
    with pytest.raises(tb.ModelError, match=r"inputs\.voltage: its default 6.0 lies outside"):
        model_from_text("{touchback: 1, name: m, inputs: {voltage: {default: 6, max: 5}}}")


def test_an_expression_that_is_a_number_becomes_one() -> None:
    m = tb.Model("m")
    p = m.parameter("p", 3.0)
    m.body("b", mass=p - p + 2)
    assert m.bodies["b"].mass == 2.0
    assert model_from_text("{touchback: 1, name: m, bodies: {b: {mass: 1 + 1}}}").bodies == m.bodies


@pytest.mark.parametrize(
    "name",
    ["no", "1e3", "null", "0x10", "2020-01-01", "ß – µ", "a b", "x.y", "$1", "- x", "#7", "{a}"],
)
def test_names_that_yaml_might_mistake_survive(name: str) -> None:
    model = tb.Model(name)
    parameter = model.parameter(name, 1.0)
    model.body("b", mass=2 * parameter)
    for suffix in SUFFIXES:
        text = to_text(model, suffix)
        again = model_from_text(text, suffix)
        assert (again.name, list(again.parameters)) == (name, [name])
        assert to_text(again, suffix) == text


def test_a_file_may_be_written_briefly_by_hand() -> None:
    model = model_from_text(
        """
        touchback: 1
        name: pendulum
        parameters:
          length: {default: 1e-1, unit: m}    # exponents without a dot are numbers too
        bodies:
          rod: {mass: 2 * length, com: [length / 2, 0, 0], inertia: [0, 1e-3, 1e-3]}
        joints:
          pivot: {kind: revolute, axis: y, parent: ground, child: rod, damping: 1, limits: [-1, 1]}
        """
    )
    assert model.parameters["length"].default == 0.1
    assert model.joints["pivot"].damping == (1.0,)
    assert limit_numbers(model) == {"pivot": (-1.0, 1.0)}
    assert model.bodies["rod"].inertia == (0.0, 1e-3, 1e-3, 0.0, 0.0, 0.0)
    system = model.compile(backend="interpreter")
    # Closed form: M = m l²/4 + I = 0.2 · 0.0025 + 0.001.
    assert system.mass_matrix([0.0])[0, 0] == pytest.approx(0.0015, rel=1e-14)


@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json"])
def test_saving_and_reading_go_by_the_suffix(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"walker{suffix}"
    walker().save(file)
    assert to_text(read(file)) == to_text(walker())


def test_a_format_is_one_line_in_the_table(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setitem(FORMATS, ".thing", lambda path: tb.Model(path.stem))
    assert read(tmp_path / "robot.THING").name == "robot"


def test_every_section_of_the_format_is_in_the_samples() -> None:
    text = to_text(walker()) + to_text(leg()) + to_text(loops()) + to_text(latch())
    text += to_text(touching())
    assert all(f"{section}:" in text for section in SECTIONS)
