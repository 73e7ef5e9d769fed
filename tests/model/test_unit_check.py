"""Units of a model are what they are used for, through all expressions, and numbers in other units
than SI are converted."""

import math
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import mujoco
import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.errors import ModelError, UnitNotice
from touchback.interop import generate
from touchback.model.io import model_from_text, to_text
from touchback.model.unit_check import assumed_gains, check_units

Use = Callable[[tb.Model, tb.Expr], object]


def arm(m: tb.Model) -> None:
    """A pendulum and a slider, with an idle joint of their own each."""
    m.joint(
        "pivot", tb.Revolute("y"), m.ground, m.body("arm", 1.0, (0.3, 0, 0), (0.01, 0.02, 0.02))
    )
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("slider", 1.0, inertia=(0.1, 0.1, 0.1)))


USES: dict[str, tuple[str, Use]] = {
    "mass": ("kg", lambda m, p: m.body("b", p)),
    "com[1]": ("m", lambda m, p: m.body("b", 1.0, (0, p / 2, 0))),
    "inertia[0]": ("kg m²", lambda m, p: m.body("b", 1.0, inertia=(p, p, p))),
    "parent.at[0]": ("m", lambda m, p: m.joint("j", tb.Revolute(), m.ground.at(p, 0, 0), "arm")),
    "parent.turn[0]": (
        "rad", lambda m, p: m.joint("j", tb.Revolute(), m.ground.at(0, 0, 0, ("x", p)), "arm"),
    ),
    "spring[0]": ("N m/rad", lambda m, p: m.joint("j", tb.Revolute(), "arm", "b", spring=p)),
    "damping[0]": ("N s/m", lambda m, p: m.joint("j", tb.Prismatic(), "arm", "b", damping=p)),
    "limits[0][1]": ("rad", lambda m, p: m.joint("j", tb.Revolute(), "arm", "b", limits=(-1, p))),
    "armature[0]": ("kg m²", lambda m, p: m.joint("j", tb.Revolute(), "arm", "b", armature=p)),
    "effort": ("N m", lambda m, p: m.force("f", tb.JointEffort("pivot", p))),
    "stiffness": ("N/m", lambda m, p: m.force("f", tb.SpringDamper("arm", "slider", p))),
    "stiffness[2]": (
        "N/m", lambda m, p: m.force("f", tb.Bushing("arm", "slider", (1.0, 1.0, p))),
    ),
    "torque[1]": ("N m", lambda m, p: m.force("f", tb.Wrench("arm", torque=(0, p, 0)))),
    "rest": ("m", lambda m, p: m.force("f", tb.TorsionSpring("slide", 1.0, rest=p))),
    "law.stiffness": (
        "N/m^1.5",
        lambda m, p: m.force(
            "f",
            tb.contact.ProfileContact(
                tb.contact.Circle("arm", 0.1), tb.contact.Line("ground"),
                tb.contact.HuntCrossley(p),
            ),
        ),
    ),
    "friction": (
        "1", lambda m, p: m.contact("c", tb.contact.SpherePlaneContact("arm", friction=p)),
    ),
    "radius": ("m/rad", lambda m, p: m.couple("c", tb.Rack("pivot", "slide", p))),
    "length": ("m", lambda m, p: m.close("c", tb.Rod(p), m.ground, "arm")),
    "position": ("m", lambda m, p: m.constrain("c", p * m.coordinate("pivot"), unit="m")),
    "velocity": ("rad/s", lambda m, p: m.drive("pivot", m.time, velocity=p)),
    "rate": ("m/s", lambda m, p: m.state("z", rate=p, unit="m")),
    "update": ("N", lambda m, p: m.memory("z", update=p, unit="N")),
    "expression": ("Pa", lambda m, p: m.sensor("s", tb.Signal(p, "Pa"))),
    "solid.size[2]": ("m", lambda m, p: m.shape("s", "arm", tb.Box((1, 1, p)))),
    "gravity[2]": ("m/s²", lambda m, p: setattr(m, "gravity", (0.0, 0.0, p))),
}  # fmt: skip


@pytest.mark.parametrize("field", USES)
def test_a_unit_is_refused_where_it_cannot_be_what_it_is_used_for(field: str) -> None:
    unit, use = USES[field]
    right = tb.Model("right")
    arm(right)
    use(right, right.parameter("p", 0.5, unit=unit))
    check_units(right)
    wrong = "kg" if unit != "kg" else "mm"
    m = tb.Model("wrong")
    arm(m)
    use(m, m.parameter("p", 0.5, unit=wrong))
    with pytest.raises(ModelError) as error:
        check_units(m)
    said = str(error.value)
    assert f"its {field} is " in said and "'p'" in said and f"in {wrong}" in said
    assert f"{unit} is needed there" in said
    unnamed = tb.Model("no unit")
    arm(unnamed)
    use(unnamed, unnamed.parameter("p", 0.5))
    check_units(unnamed)


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (lambda f, r, w: f * r, ""),
        (lambda f, r, w: f * r * tb.cos(w) + 0.1, ""),
        (lambda f, r, w: tb.sqrt(f * f * r**2) / 2, ""),
        (lambda f, r, w: tb.maximum(f * r, 0.0) * tb.exp(-w), ""),
        (lambda f, r, w: tb.select(r < 0.1, f * r, 0.0), ""),
        (lambda f, r, w: f, "the parameter 'force', in N; N m is needed"),
        (lambda f, r, w: f * r**2, "a quantity in kg m^3/s^2; N m is needed"),
        (lambda f, r, w: f / r, "a quantity in N/m; N m is needed"),
        (lambda f, r, w: f + r, "a quantity in N ('force') and a quantity in m ('arm') are added"),
        (lambda f, r, w: f * r - f, "are subtracted"),
        (lambda f, r, w: tb.select(r < f, f * r, 0.0), "are compared"),
        (lambda f, r, w: tb.select(w < 1, f * r, f), "are alternatives"),
        (lambda f, r, w: tb.minimum(f * r, r), "are compared"),
        (lambda f, r, w: f * r * tb.sin(r), "sin is taken of a quantity in m ('arm')"),
        (lambda f, r, w: f * r * tb.exp(f), "exp is taken of a quantity in N ('force')"),
        (lambda f, r, w: f * r * tb.tanh(w) / tb.cosh(w), ""),
        (lambda f, r, w: f * tb.hypot(r, 2 * r), ""),
        (lambda f, r, w: tb.clip(f * r, -1.0, 1.0), ""),
        (lambda f, r, w: f * r * tb.tanh(f), "tanh is taken of a quantity in N ('force')"),
        (lambda f, r, w: f * tb.hypot(r, f), "are added"),
        (lambda f, r, w: tb.clip(f * r, -f, f), "are compared"),
        (lambda f, r, w: f * r * tb.atan2(r, f), "are two sides of an angle"),
        (lambda f, r, w: 2 * math.pi * f / 3, "a quantity in N; N m is needed"),
    ],
)
def test_dimensions_go_through_expressions(law: Callable[..., tb.Expr], message: str) -> None:
    m = tb.Model("lever")
    arm(m)
    f, r = m.parameter("force", 3.0, "N"), m.parameter("arm", 20.0, "cm")
    w = m.parameter("angle", 10.0, "deg")
    m.force("motor", tb.JointEffort("pivot", law(f, r, w)))
    if not message:
        return check_units(m)
    with pytest.raises(ModelError, match=re.escape(message)):
        check_units(m)


def test_a_unit_that_is_not_known_is_warned_of_once_by_name() -> None:
    """Of parameters, inputs and states, in parts too; what is known or a label is silent."""
    inner = tb.Model("inner")
    inner.parameter("reach", 1.0, unit="cubit")
    m = tb.Model("cart")
    cart = m.body("cart", m.parameter("mass", 2.0, unit="stone"), inertia=(1, 1, 1))
    m.joint("slide", tb.Prismatic("x"), m.ground, cart)
    m.force("push", tb.JointEffort("slide", m.input("force", unit="pond")))
    m.state("heat", rate=1.0, unit="calorie")
    for name, unit in (("volume", "L"), ("gain", "dB"), ("load", "%"), ("key", "note")):
        m.parameter(name, 1.0, unit=unit)
    for name in ("left", "right"):
        m.add(inner, name=name)
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        m.compile()
    assert all(each.category is UnitNotice and each.filename == __file__ for each in met)
    said = sorted(str(each.message) for each in met)
    wanted = (
        "cart: Input 'force': its unit 'pond'", "cart: Parameter 'mass': its unit 'stone'",
        "cart: Part 'right': Parameter 'reach': its unit 'cubit'",
        "cart: State 'heat': its unit 'calorie'",
    )  # fmt: skip
    assert len(said) == len(wanted)
    for told, begin in zip(said, wanted, strict=True):
        assert told.startswith(begin) and "is taken as it is; known are e.g. mm" in told


@pytest.mark.parametrize(("unit", "kilograms"), [("tonne", 2000.0), ("L kg/m³", 0.002)])
def test_a_mass_in_tonnes_weighs_them(unit: str, kilograms: float) -> None:
    m = tb.Model("load")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("load", m.parameter("mass", 2.0, unit)))
    assert m.compile().mass_matrix([0.0])[0, 0] == pytest.approx(kilograms, rel=1e-15)


def test_numbers_in_laws_may_be_quantities_that_nobody_named() -> None:
    """Gains, densities, areas: what hangs on the unit of a number is never refused."""
    m = tb.Model("laws")
    arm(m)
    target, pressure = m.input("target", "rad"), m.state("pressure", unit="Pa")
    a, q, v = m.parameter("edge", 0.1, "m"), m.coordinate("pivot"), m.rate("pivot")
    m.force("gains", tb.JointEffort("pivot", 10 * (target - q) - 2 * v))
    m.force("gains of one", tb.JointEffort("pivot", target - q - v))
    m.force("cubic", tb.JointEffort("pivot", -3 * q**3))
    m.force("cylinder", tb.JointEffort("slide", 1.3e-4 * pressure))
    m.body("cube", mass=2700 * a**3)
    m.body("rod", mass=2 * a)
    m.force("wave", tb.JointEffort("slide", 3.0 * tb.sin(7 * m.coordinate("slide"))))
    check_units(m)


def test_a_frequency_is_no_angular_velocity() -> None:
    m = tb.Model("turns")
    arm(m)
    speed = m.parameter("speed", 2.0, "Hz")
    m.drive("pivot", speed * m.time, velocity=speed)
    with pytest.raises(ModelError, match=r"'speed', in Hz; rad/s is needed there.*2π"):
        m.compile()


def test_parts_are_checked_with_what_binds_and_shares_their_parameters() -> None:
    part = tb.Model("key")
    length = part.parameter("length", 200.0, "mm")
    part.body("key", 1.0, (length, 0, 0), (0.1, 0.1, 0.1))
    part.joint("pin", tb.Revolute("y"), part.ground, "key")
    m = tb.Model("outer")
    mass = m.parameter("mass", 1.0, "kg")
    m.add(part, name="a", bind={"length": mass})
    with pytest.raises(
        ModelError, match=r"Part 'a': its bind.length is the parameter 'mass', in kg"
    ):
        check_units(m)
    m = tb.Model("outer")
    m.parameter("length", 0.2, "kg")
    m.add(part, name="a", share=["length"])
    with pytest.raises(ModelError, match=r"it shares the parameter 'length', which is in kg here"):
        check_units(m)
    m = tb.Model("outer")
    metres = m.parameter("reach", 0.2, "m")
    m.add(part, name="a", bind={"length": metres})
    m.add(part, name="b")
    system = m.compile()
    masses = system.mass_matrix(np.zeros(2))
    assert masses[0, 0] == pytest.approx(0.1 + 0.2**2, rel=1e-14)  # J + m l², both of 0.2 m
    assert masses[1, 1] == pytest.approx(masses[0, 0], rel=1e-14)
    assert system.parameters["b/length"] == 200.0


def pendulum(length: float, torque: str, factor: float) -> tb.System:
    m = tb.Model("pendulum")
    mm = m.parameter("length", length / factor, "m" if factor == 1 else "mm", 0.01 / factor)
    rod = m.body("rod", 0.5, (mm, 0, 0), (0.01, 0.02, 0.02))
    high = m.parameter("stop", 60.0, "deg")
    m.joint("pivot", tb.Revolute("y"), m.ground, rod, limits=(-1.0, high), stop=False)
    m.force("motor", tb.JointEffort("pivot", m.input("torque", torque)))
    m.state("way", 10.0, m.rate("pivot") * mm, "mm")
    return m.compile()


def test_numbers_are_given_in_their_own_unit_and_act_in_si() -> None:
    """The same pendulum in mm and N mm: J + m l² and the torque as in m and N m."""
    si, other = pendulum(0.3, "N m", 1.0), pendulum(0.3, "N mm", 1e-3)
    q, v = np.array([0.2]), np.array([0.4])
    for length, torque in ((0.3, 0.7), (0.45, -0.2)):
        si["length"], other["length"] = length, 1e3 * length
        wanted = si.forward_dynamics(q, v, u={"torque": torque})
        found = other.forward_dynamics(q, v, u={"torque": 1e3 * torque})
        assert found == pytest.approx(wanted, rel=1e-13)
        closed = (torque + 0.5 * 9.81 * length * math.cos(0.2)) / (0.02 + 0.5 * length**2)
        assert found[0] == pytest.approx(closed, rel=1e-13)
    assert other.parameters["length"] == 450.0
    assert other.initial_state().z == pytest.approx([0.01])  # states are in SI, as their rates are
    assert other.model.states["way"].unit == "m"
    run = tb.simulate(other, duration=0.2, inputs={"torque": lambda t: 200.0})
    same = tb.simulate(si, duration=0.2, inputs={"torque": lambda t: 0.2})
    assert run["pivot"][-1] == pytest.approx(same["pivot"][-1], rel=1e-9)
    assert run.units["torque"] == "N mm" and run["torque"][-1] == 200.0


def test_limits_in_degrees_are_those_in_radians() -> None:
    from touchback.model.joint_limits import limit_numbers

    system = pendulum(0.3, "N m", 1.0)
    assert limit_numbers(system.model)["pivot"] == (-1.0, pytest.approx(math.pi / 3, rel=1e-15))


def test_exports_act_as_the_model_does_whatever_its_units(tmp_path: Path) -> None:
    """MuJoCo moves what was described in mm and N mm as we do; to what its file's digits keep."""
    system = pendulum(0.3, "N mm", 1e-3)
    (path,) = generate(system.model, "mjcf", tmp_path / "pendulum.xml")
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    data.qpos[0], data.ctrl[0] = 0.2, 400.0
    mujoco.mj_forward(theirs, data)
    ours = system.forward_dynamics([0.2], [0.0], u={"torque": 400.0})
    assert data.qacc[0] == pytest.approx(ours[0], rel=1e-6)


def test_a_kind_of_ones_own_says_its_units() -> None:
    class Magnet(tb.ForceKind, frozen=True, tag="magnet"):
        UNITS: ClassVar[dict[str, str]] = {"strength": "{effort} {position}"}
        joint: str
        strength: float | tb.Expr

    m = tb.Model("magnet")
    arm(m)
    m.force("magnet", Magnet("slide", m.parameter("strength", 1.0, "N cm")))
    check_units(m)
    m.force("other", Magnet("pivot", m.parameter("wrong", 1.0, "kg")))
    with pytest.raises(ModelError, match=r"Force 'other': its strength .*N m rad is needed there"):
        check_units(m)


FILE = """touchback: 1
name: arm
parameters:
  length: {default: 350, unit: mm, min: 100, max: 500}
bodies:
  arm: {mass: 500 g, com: [length, 0, 0], inertia: [0.01, 0.02, 200 kg cm²]}
joints:
  pivot:
    {kind: revolute, axis: y, parent: ground, child: arm, position: 90 deg, velocity: [10 rpm],
     limits: [-100 deg, 100 deg], damping: 2 N mm s/deg}
forces:
  spring:
    {kind: spring-damper, a: {body: ground, at: [1, 0, 10 cm]}, b: arm, stiffness: 2 N/mm,
     length: 35 mm}
"""


def test_quantities_of_files_are_numbers_in_si() -> None:
    m = model_from_text(FILE)
    body, joint, spring = m.bodies["arm"], m.joints["pivot"], m.forces["spring"]
    assert (body.mass, body.inertia[2]) == pytest.approx((0.5, 0.02))
    assert (joint.position[0], joint.velocity[0]) == pytest.approx((math.pi / 2, math.pi / 3))
    assert joint.damping[0] == pytest.approx(2e-3 * 180 / math.pi)
    assert m.parameters["pivot low"].default == pytest.approx(-100 * math.pi / 180)
    assert isinstance(spring, tb.SpringDamper)
    assert (spring.stiffness, spring.length, spring.a.at[2]) == pytest.approx((2e3, 0.035, 0.1))
    assert to_text(model_from_text(to_text(m))) == to_text(m)
    assert m.compile().mass_matrix([0.0])[0, 0] == pytest.approx(0.02 + 0.5 * 0.35**2, rel=1e-14)


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("500 g", "500 mm", "line 6, bodies.arm.mass", "'500 mm' is a quantity in m; kg is needed"),
        ("90 deg", "90 mm", "joints.pivot.position", "rad is needed"),
        ("35 mm", "35 deg", "forces.spring.length", "'35 deg' is an angle; m is needed"),
        ("10 cm", "0.1 rad", "forces.spring.a.at[2]", "'0.1 rad' is an angle; m is needed"),
        ("unit: mm", "unit: deg", "bodies.arm.com[0]", "'length', in deg; m is needed"),
        ("90 deg", "90 degs", "joints.pivot.position", "'degs' isn't known; did you mean '90 deg'"),
        ("35 mm", "35 milimeter", "forces.spring.length", "'milimeter' isn't known"),
        ("2 N/mm", "2 N mm", "forces.spring.stiffness", "N/m is needed"),
        ("10 cm", "10 s", "forces.spring.a.at[2]", "m is needed"),
        ("[-100 deg", "[-100 N", "joints.pivot.limits", "rad is needed"),
        ("unit: mm", "unit: kg", "bodies.arm.com[0]", "the parameter 'length', in kg; m is needed"),
    ],
)
def test_a_quantity_of_another_dimension_is_refused_at_its_place(
    old: str, new: str, place: str, message: str
) -> None:
    with pytest.raises(ModelError) as error:
        model_from_text(FILE.replace(old, new, 1))
    assert place in str(error.value) and message in str(error.value)


def test_a_coefficient_of_friction_in_a_file_is_no_angle_of_friction() -> None:
    sphere = "contacts: {c: {kind: sphere-plane, frame: arm, radius: 0.1, friction: 30 deg}}\n"
    with pytest.raises(ModelError, match=r"c.friction.*'30 deg' is an angle; 1 is needed"):
        model_from_text(FILE + sphere)
    assert model_from_text(FILE + sphere.replace("30 deg", "30 %")).contacts


def test_the_whole_gallery_has_units_that_are_what_they_are_used_for() -> None:
    for name in gallery.names():
        check_units(gallery.make(name))


def slider_and_lever() -> tb.Model:
    m = tb.Model("both")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("sled", 1.0))
    m.joint("turn", tb.Revolute("y"), m.ground, m.body("lever", 1.0, inertia=(1, 1, 1)))
    return m


def gap(m: tb.Model, expression: Any) -> None:
    m.contact("stop", tb.contact.DescribedContact(expression))


PLACES = {"a gap": gap, "a constraint": lambda m, x: m.constrain("kept", x, unit="m")}


@pytest.mark.parametrize("place", ["a gap", "a constraint"])
@pytest.mark.parametrize(
    "law",
    [
        lambda m: m.coordinate("slide") + m.rate("slide"),
        lambda m: m.rate("slide") - m.coordinate("turn"),
        lambda m: m.coordinate("slide") * (1.0 + m.rate("turn")),
        lambda m: m.rate("slide"),
        lambda m: tb.select(m.time < 1.0, m.coordinate("slide"), m.rate("slide")),
    ],
)
def test_places_take_no_rates(place: str, law: Any) -> None:
    m = slider_and_lever()
    PLACES[place](m, law(m))
    with pytest.raises(ModelError, match=r"m is needed there"):
        check_units(m)


@pytest.mark.parametrize("place", ["a gap", "a constraint"])
@pytest.mark.parametrize(
    "law",
    [
        lambda m: m.coordinate("slide") + m.parameter("radius", 1.0, "m") * m.coordinate("turn"),
        lambda m: m.coordinate("slide") + 0.3 * m.coordinate("turn"),  # a radius of 0.3 m
        lambda m: m.coordinate("slide") + m.coordinate("turn") ** 2,  # nobody can tell
        lambda m: m.coordinate("slide") * (1.0 - m.coordinate("turn") * tb.sin(m.time)),
        lambda m: m.coordinate("slide") + 0.1 * m.rate("slide"),  # 0.1 s ahead
        lambda m: m.coordinate("slide") + m.parameter("ahead", 1.0, "s") * m.rate("slide"),
        lambda m: m.coordinate("slide") - m.time,  # at 1 m/s
        lambda m: m.coordinate("slide") * tb.cos(m.coordinate("turn")) - m.rate("slide") * m.time,
    ],
)
def test_places_take_coordinates_times_and_rates_by_times(place: str, law: Any) -> None:
    m = slider_and_lever()
    PLACES[place](m, law(m))
    check_units(m)


@pytest.mark.parametrize("place", ["a gap", "a constraint"])
@pytest.mark.parametrize(
    "law",
    [
        lambda m: m.coordinate("turn"),
        lambda m: -abs(m.coordinate("turn")) - 1.0,
        lambda m: m.coordinate("slide") + m.coordinate("turn"),
        lambda m: tb.atan2(m.coordinate("slide"), 0.3) - m.coordinate("slide"),
        lambda m: tb.maximum(m.coordinate("slide"), tb.asin(m.coordinate("turn"))),
        lambda m: m.coordinate("slide") - m.parameter("lead", 10.0, "deg"),
    ],
)
def test_lengths_take_no_angles(place: str, law: Any) -> None:
    m = slider_and_lever()
    PLACES[place](m, law(m))
    with pytest.raises(ModelError, match=r"an angle.*m is needed there.*by a radius"):
        check_units(m)


@pytest.mark.parametrize(
    ("law", "right"),
    [
        (lambda m: m.coordinate("slide"), False),
        (lambda m: m.coordinate("turn") - m.coordinate("slide"), False),
        (lambda m: m.parameter("gap", 3.0, "mm"), False),
        (lambda m: m.coordinate("slide") / m.parameter("radius", 0.1, "m"), True),
        (lambda m: m.coordinate("turn") - tb.atan2(m.coordinate("slide"), 0.3), True),
        (lambda m: 5 * m.coordinate("slide"), True),  # by a radius of 0.2 m
        (lambda m: m.time, True),  # at 1 rad/s
    ],
)
def test_angles_take_no_lengths(law: Any, right: bool) -> None:
    m = slider_and_lever()
    m.drive("turn", law(m))
    if right:
        return check_units(m)
    with pytest.raises(ModelError, match="rad is needed there"):
        check_units(m)


LENGTHS_AND_ANGLES = [name for name, (unit, _) in USES.items() if unit in ("m", "rad", "1")]


@pytest.mark.parametrize("field", LENGTHS_AND_ANGLES)
def test_an_angle_is_no_length_and_no_pure_number_and_a_length_no_angle(field: str) -> None:
    unit, use = USES[field]
    wrong = "mm" if unit == "rad" else "deg"
    m = tb.Model("wrong")
    arm(m)
    use(m, m.parameter("p", 0.5, unit=wrong))
    with pytest.raises(ModelError, match=f"'p'.* in {wrong}.*{unit} is needed there"):
        check_units(m)


def test_laws_of_efforts_and_states_may_have_gains_of_one_and_a_check_names_them() -> None:
    """A gain of 1 that is written is no other expression than none: a sweep may pass it."""
    m = slider_and_lever()
    q, v = m.coordinate("slide"), m.rate("slide")
    k = m.parameter("stiffness", 1.0, "N/m")
    m.force("servo", tb.JointEffort("slide", -q - v))
    m.force("spring", tb.JointEffort("slide", -k * q))
    m.force("damper", tb.JointEffort("turn", -0.2 * m.rate("turn")))
    m.force("twist", tb.JointEffort("turn", -m.coordinate("turn")))
    m.state("followed", 0.0, unit="m", rate=q)
    m.state("way", 0.0, unit="m", rate=v)
    check_units(m)
    outer = tb.Model("two")
    outer.add(m, name="inner")
    expected = {
        "Force 'servo': its effort is -('q:slide' + 'v:slide')": "N",
        "Force 'twist': its effort is -'q:turn'": "N m",
        "State 'followed': its rate is 'q:slide'": "m/s",
    }
    for model, prefix in ((m, ""), (outer, "Part 'inner': ")):
        said = list(assumed_gains(model))
        assert len(said) == len(expected)
        for line, (start, unit) in zip(said, expected.items(), strict=True):
            assert line.startswith(prefix + start) and f"where {unit} is needed" in line
