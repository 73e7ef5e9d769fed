"""A compiled model is held against what is usually meant: what is doubtful is a warning."""

import math
from pathlib import Path
from typing import Any

import pytest

import touchback as tb
from command import touchback

PLANES = ("xy", "xz", "yz")


def slider_crank(
    normal: str = "y", plane: str = "xz", rod: float = 0.5, at: float = 0.3
) -> tb.Model:
    """In the plane square to `normal`, closed in `plane`."""
    m = tb.Model("slider-crank")
    forward = "x" if normal != "x" else "y"
    along = {"x": (1, 0, 0), "y": (0, 1, 0)}[forward]
    moments = (1e-3, 1e-3, 1e-3)
    crank = m.body("crank", 1.0, [0.05 * x for x in along], moments)
    link = m.body("rod", rod, [0.2 * x for x in along], moments if rod else (0, 0, 0))
    slider = m.body("slider", 0.8)
    m.joint("crank", tb.Revolute(normal), m.ground, crank, position=at)
    m.joint("rod", tb.Revolute(normal), crank.at(*(0.1 * x for x in along)), link)
    m.joint("slider", tb.Prismatic(forward), m.ground, slider, position=0.5)
    m.close("pin", tb.PointInPlane(plane), link.at(*(0.4 * x for x in along)), slider)
    return m


def warnings_of(m: tb.Model) -> list[str]:
    return [str(each) for each in tb.check(m).warnings]


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("normal", "xyz")
def test_a_closure_in_the_wrong_plane_is_told_with_the_right_one(normal: str, plane: str) -> None:
    """A crank has one freedom (Grübler: 3 − 2); closed in another plane it has two."""
    right = "".join(axis for axis in "xyz" if axis != normal)
    found = tb.check(slider_crank(normal, plane))
    rows = found.rows
    if plane == right:
        assert found.fine
        assert rows["freedoms"].startswith("1 of 3 velocities, 2 constraint rows of rank 2")
        assert rows["redundant constraints"] == "none"
    else:
        (said,) = map(str, found.warnings)
        assert "Closure 'pin'" in said and f"in the plane {plane}, but they move apart" in said
        assert f"tb.PointInPlane('{right}')" in said
        assert rows["freedoms"].startswith("2 of 3 velocities, 2 constraint rows of rank 1")
        assert "'pin." in rows["redundant constraints"]


def test_redundant_rows_that_are_meant_are_named_and_no_warning() -> None:
    """A pin in space closes a planar loop with three rows too many."""
    m = slider_crank()
    m.closures.clear()
    m.close("pin", tb.Spherical(), tb.Frame("rod", (0.4, 0, 0)), tb.Frame("slider"))
    found = tb.check(m)
    assert found.fine
    assert "'pin.2'" in found.rows["redundant constraints"]


def test_a_mechanism_that_cannot_move_is_told() -> None:
    m = slider_crank()
    m.closures.clear()
    m.close("pin", tb.Revolute("z"), tb.Frame("rod", (0.4, 0, 0)), tb.Frame("slider"))
    (said,) = [each for each in warnings_of(m) if "freedom" in each]
    assert said.startswith("No freedom is left")
    driven = slider_crank()
    driven.drive("crank", driven.time)
    assert warnings_of(driven) == []


def test_a_link_without_mass_is_told() -> None:
    (said,) = warnings_of(slider_crank(rod=0.0))
    assert said.startswith("Body 'rod' moves and has neither mass nor inertia")


def arm(**options: object) -> tb.Model:
    m = tb.Model("arm")
    body = m.body("arm", 1.0, (0.2, 0, 0), (0.01, 0.02, 0.02))
    m.joint("pivot", tb.Revolute("y"), m.ground, body, **options)  # type: ignore[arg-type]
    m.sensor("tip", tb.Position(body.at(0.4, 0, 0)))
    return m


@pytest.mark.parametrize("angle", [90.0, -45.0, 30.0, 180.0])
def test_degrees_for_radians_are_told_wherever_an_angle_stands(angle: float) -> None:
    for m, word in (
        (arm(position=angle), "begins at"),
        (arm(spring=1.0, rest=angle), "rest"),
        (arm(limits=(-abs(angle), abs(angle)), stop=False), "limits"),
    ):
        (said,) = warnings_of(m)
        assert word in said and f"{math.radians(abs(angle)):.6g}" in said, said
    turned = arm()
    turned.joint("hand", tb.Revolute(), turned.ground.at(0, 0, 0, ("x", angle)),
                 turned.body("hand", 1.0, inertia=(0.1, 0.1, 0.1)))  # fmt: skip
    (said,) = warnings_of(turned)
    assert "Joint 'hand': its turn" in said
    assert warnings_of(arm(position=math.radians(angle), limits=(-math.pi, math.pi))) == []


def test_a_slide_may_go_far_and_a_wheel_may_turn_often() -> None:
    m = tb.Model("train")
    m.joint("rail", tb.Prismatic("x"), m.ground, m.body("train", 1e5), position=90.0)
    assert warnings_of(m) == []


@pytest.mark.parametrize("kind", ["spring", "link"])
def test_ends_that_coincide_are_told(kind: str) -> None:
    def force(m: tb.Model, a: tb.Frame, b: tb.Frame, length: float) -> None:
        law = tb.SpringDamper(a, b, 100.0, length=length) if kind == "spring" else tb.LinkForce(
            a, b, lambda distance, rate: 100.0 * (distance - length)
        )  # fmt: skip
        m.force("spring", law)

    m = arm()
    force(m, m.ground.at(0, 0, 0), m.bodies["arm"].at(0, 0, 0), 0.0)
    (said,) = warnings_of(m)
    assert "Force 'spring'" in said and "coincide however the mechanism moves" in said
    m = arm()
    force(m, m.ground.at(0.3, 0, 0), m.bodies["arm"].at(0.3, 0, 0), 0.1)
    (said,) = warnings_of(m)
    assert "coincide at the initial position" in said
    m = arm()
    force(m, m.ground.at(0.3, 0, 0), m.bodies["arm"].at(0.2, 0, 0), 0.1)
    assert warnings_of(m) == []


def test_a_spring_of_no_length_may_begin_unstretched() -> None:
    """Its force k r has no direction to lose."""
    m = arm()
    ends = m.ground.at(0.3, 0, 0), m.bodies["arm"].at(0.3, 0, 0)
    m.force("spring", tb.SpringDamper(*ends, 100.0))
    assert warnings_of(m) == []


def test_a_start_beyond_limits_is_told() -> None:
    (said,) = warnings_of(arm(position=1.2, limits=(-1.0, 1.0)))
    assert "'pivot' begins at 1.2, beyond its limits, -1 to 1" in said


def test_ends_of_ranges_at_which_nothing_works_are_told() -> None:
    """Two arms meet 0.3 m apart: 0.2 m and 5 cm don't."""
    m = tb.Model("triangle")
    length = m.parameter("length", 20.0, "cm", min=5.0, max=30.0)
    moments = (0.01, 0.01, 0.01)
    left, right = (m.body(name, 1.0, inertia=moments) for name in ("left", "right"))
    m.joint("left", tb.Revolute("y"), m.ground, left, position=-0.7)
    m.joint("right", tb.Revolute("y"), m.ground.at(0.3, 0, 0), right, position=0.7)
    m.close("pin", tb.PointInPlane("xz"), left.at(0.2, 0, 0), right.at(-length, 0, 0))
    told = [each for each in warnings_of(m) if "Parameter 'length': at its " in each]
    assert [each.partition("at its ")[2][:9] for each in told] == ["min, 5 cm"]
    assert "the model can't work" in told[0]
    m = tb.Model("bob")
    mass = m.parameter("mass", 1.0, "kg", min=-1.0)
    m.joint("pivot", tb.Revolute(), m.ground, m.body("bob", mass, (0.1, 0, 0), (0.1, 0.1, 0.1)))
    (said,) = warnings_of(m)
    assert "Parameter 'mass': at its min, -1 kg, the model can't work" in said
    assert "must not be negative" in said


def test_moments_and_places_in_millimetres_are_told() -> None:
    m = tb.Model("arm")
    body = m.body("arm", 1.0, (0.2, 0, 0), (1e4, 2e4, 2e4))  # kg mm²
    m.joint("pivot", tb.Revolute("y"), m.ground, body)
    m.sensor("tip", tb.Position(body.at(0.4, 0, 0)))
    (said,) = warnings_of(m)
    assert "radius of gyration √(I/m) is 141 m" in said and "0.4 m apart" in said
    m = tb.Model("arm")
    body = m.body("arm", 1.0, (200.0, 0, 0), (0.01, 0.02, 0.02))
    m.joint("pivot", tb.Revolute("y"), m.ground, body)
    m.sensor("tip", tb.Position(body.at(0.4, 0, 0)))
    (said,) = warnings_of(m)
    assert "its centre of mass lies 200 m from" in said


def test_masses_are_summed_and_far_ones_told() -> None:
    m = arm()
    m.joint("far", tb.Prismatic(), m.ground, m.body("crumb", 1e-9))
    (said,) = warnings_of(m)
    assert "Body 'arm' has 1 kg" in said and "'crumb'" in said


def test_a_singular_start_is_told() -> None:
    """A crank in its dead point has one row that adds nothing there, and does beside it."""
    m = tb.Model("parallelogram")
    left = m.body("left", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    bar = m.body("bar", 1.0, (0.2, 0, 0), (0.01, 0.01, 0.01))
    right = m.body("right", 1.0, (0.1, 0, 0), (0.01, 0.01, 0.01))
    m.joint("left", tb.Revolute("y"), m.ground, left)
    m.joint("bar", tb.Revolute("y"), left.at(0.2, 0, 0), bar)
    m.joint("right", tb.Revolute("y"), m.ground.at(0.4, 0, 0), right)
    m.close("pin", tb.PointInPlane("xz"), bar.at(0.4, 0, 0), right.at(0.2, 0, 0))
    assert any("The initial position is singular" in each for each in warnings_of(m))


def codes(m: tb.Model | tb.System, **options: float) -> list[tuple[str, str]]:
    return [(each.code, each.item) for each in tb.check(m, **options).warnings]


def cart(**options: object) -> tb.Model:
    """On a rail, so that its coordinate is a length."""
    m = tb.Model("cart")
    m.joint("rail", tb.Prismatic("x"), m.ground, m.body("cart", 1.0), **options)  # type: ignore[arg-type]
    return m


def test_a_check_is_data_for_programs_and_a_table_for_people() -> None:
    m = arm(position=90.0)
    found = tb.check(m)
    (doubt,) = found.warnings
    assert (doubt.code, doubt.item) == ("degrees", "pivot") and not found.fine
    assert str(doubt).startswith("Joint coordinate 'pivot' begins at 90 rad")
    assert found.rows["masses"] == "1 kg"
    shown = str(found).splitlines()
    assert shown[0] == found.verdict and shown[0].startswith("arm: 1 warning. 1 body, 1 joint")
    assert "masses                 1 kg" in shown
    assert " ".join(str(doubt).split()) in " ".join(str(found).split())
    assert max(map(len, shown)) <= 100


def test_a_check_takes_a_model_or_its_system_at_any_state() -> None:
    m = arm(position=0.5)
    system = m.compile()
    assert str(tb.check(m)) == str(tb.check(system)) == str(tb.check(system, system.assemble()))
    beyond = tb.check(m, lambda compiled: compiled.assemble(pivot=90.0))
    assert [each.code for each in beyond.warnings] == ["degrees"]
    assert str(beyond) == str(tb.check(system, [90.0, 0.0]))


def test_a_check_refuses_what_cannot_work_as_compiling_does() -> None:
    m = tb.Model("arm")
    m.joint("pivot", tb.Revolute(), m.ground, m.body("arm", 0.0))
    with pytest.raises(tb.ModelError, match="nothing resists its motion"):
        tb.check(m)


def test_a_check_has_what_compiling_warns_of() -> None:
    """A pin in space closes a planar loop with rows too many: its forces are open."""
    m = slider_crank()
    m.closures.clear()
    m.close("pin", tb.Spherical(), tb.Frame("rod", (0.4, 0, 0)), tb.Frame("slider"))
    m.sensor("force", tb.Multiplier("pin.2"))
    (doubt,) = tb.check(m).warnings
    assert doubt.code == "model" and "force" in str(doubt)


@pytest.mark.parametrize(
    "jump",
    [
        lambda t: tb.select(t < 0.5, 0.0, 1.0),
        lambda t: tb.floor(2.0 * t),
        lambda t: tb.sign(t - 0.5) / 2.0,
        lambda t: t - tb.floor(2.0 * t),
    ],
)
def test_a_drive_whose_position_jumps_is_told_with_the_time_and_the_unit(jump: Any) -> None:
    """As the run refuses it."""
    for m, joint, unit in ((arm(), "pivot", "rad"), (cart(), "rail", "m")):
        m.drive(joint, jump(m.time))
        (doubt,) = tb.check(m, duration=0.8).warnings
        assert (doubt.code, doubt.item) == ("position-jump", joint)
        assert f"its position jumps by 1 {unit} at t = 0.5 s" in str(doubt)
        with pytest.raises(tb.InputError, match=r"jumps by 1 .* at t = 0\.5 s"):
            tb.simulate(m.compile(), duration=0.8)


def test_a_constraint_that_jumps_is_told_as_a_drive_is() -> None:
    m = cart()
    m.joint("other", tb.Prismatic("y"), m.ground, m.body("other", 1.0))
    m.constrain("step", position=m.coordinate("rail") - tb.select(m.time < 0.5, 0.0, 1.0))
    assert codes(m) == [("position-jump", "step")]


def test_a_drive_that_jumps_after_the_time_that_is_looked_at_is_not_told() -> None:
    m = cart()
    m.drive("rail", tb.select(m.time < 5.0, 0.0, 1.0))
    assert codes(m, duration=4.0) == []
    assert codes(m, duration=6.0) == [("position-jump", "rail")]


def test_a_drive_whose_rate_jumps_is_a_row_and_no_warning() -> None:
    """A ramp may begin: an impulse acts."""
    m = cart()
    m.drive("rail", tb.maximum(m.time - 0.5, 0.0))
    found = tb.check(m)
    assert found.fine
    assert "rates jump 1 time, first at t = 0.5 s, where an impulse acts" in found.rows["drives"]
    still = cart()
    still.drive("rail", tb.sin(still.time))
    assert tb.check(still).rows["drives"] == "1 coordinate driven"


def ball(height: float) -> tb.Model:
    m = tb.Model("ball", gravity=(0, 0, -9.81))
    body = m.body("ball", 0.2, inertia=(8e-5, 8e-5, 8e-5))
    m.joint("free", tb.Free(), m.ground, body, position=(0, 0, height, 1, 0, 0, 0))
    return m


RIGID = {
    "sphere-plane": lambda m: tb.contact.SpherePlaneContact(tb.Frame("ball"), radius=0.1),
    "disc-plane": lambda m: tb.contact.DiscPlaneContact(
        tb.Frame("ball", (0, 0, 0), (("x", 1.0),)), radius=0.1 / math.sin(1.0)
    ),
    "sphere-sphere": lambda m: tb.contact.SphereSphereContact(
        m.ground.at(0, 0, -0.3), tb.Frame("ball"), 0.3, 0.1
    ),
    "described": lambda m: tb.contact.DescribedContact(m.coordinate("free", 2) - 0.1),
}


@pytest.mark.parametrize("kind", RIGID)
def test_rigid_contacts_that_overlap_at_the_start_are_told_with_the_depth(kind: str) -> None:
    for height, depth in ((0.07, "0.03 m"), (0.1, ""), (0.5, "")):
        m = ball(height)
        m.contact("floor", RIGID[kind](m))
        doubts = tb.check(m).warnings
        assert [(each.code, each.item) for each in doubts] == [("overlap", "floor")] * bool(depth)
        assert all(f"overlaps by {depth} at the start" in str(each) for each in doubts)


def test_compliant_contacts_that_begin_deep_inside_are_told_and_resting_ones_not() -> None:
    for height, told in ((-0.5, [("overlap", "floor")]), (0.0995, []), (0.2, [])):
        m = ball(height)
        m.force("floor", tb.contact.SphereOnPlane(tb.Frame("ball"), radius=0.1))
        assert codes(m) == told


NEGATIVE = {
    "negative-stiffness": {
        "spring": lambda m, a, b: tb.SpringDamper(a, b, -100.0),
        "torsion spring": lambda m, a, b: tb.TorsionSpring("pivot", -1.0),
        "bushing": lambda m, a, b: tb.Bushing(a, b, (10.0, -10.0, 10.0)),
        "turned bushing": lambda m, a, b: tb.Bushing(a, b, torsion=(1.0, 1.0, -1.0)),
        "by a parameter": lambda m, a, b: tb.SpringDamper(a, b, m.parameter("k", -5.0)),
    },
    "negative-damping": {
        "damper": lambda m, a, b: tb.SpringDamper(a, b, 100.0, -1.0),
        "torsion damper": lambda m, a, b: tb.TorsionSpring("pivot", 1.0, -1.0),
        "bushing": lambda m, a, b: tb.Bushing(a, b, damping=(1.0, -1.0, 1.0)),
        "turned bushing": lambda m, a, b: tb.Bushing(a, b, torsion_damping=(-1.0, 1.0, 1.0)),
    },
}


@pytest.mark.parametrize(
    ("code", "make"), [(code, make) for code, own in NEGATIVE.items() for make in own.values()]
)
def test_negative_stiffness_and_damping_of_a_force_are_told(code: str, make: Any) -> None:
    m = arm()
    m.force("pad", make(m, m.ground.at(0.5, 0, 0), m.bodies["arm"].at(0.2, 0, 0)))
    assert codes(m) == [(code, "pad")]


@pytest.mark.parametrize("word", ["spring", "damping", "friction"])
def test_negative_coefficients_of_a_joint_that_a_parameter_gives_are_told(word: str) -> None:
    m = tb.Model("arm")
    given = m.parameter("given", -0.5)
    body = m.body("arm", 1.0, (0.2, 0, 0), (0.01, 0.02, 0.02))
    m.joint("pivot", tb.Revolute("y"), m.ground, body, **{word: given})  # type: ignore[arg-type]
    (doubt,) = tb.check(m).warnings
    sort = "stiffness" if word == "spring" else word
    assert (doubt.code, doubt.item) == (f"negative-{sort}", "pivot")
    assert f"its {word} 0 is -0.5 N m" in str(doubt) and "at the start" in str(doubt)


IDLE = {
    "spring": lambda m, a, b: tb.SpringDamper(a, b, length=0.2),
    "torsion spring": lambda m, a, b: tb.TorsionSpring("pivot", rest=0.3),
    "bushing": lambda m, a, b: tb.Bushing(a, b),
    "link": lambda m, a, b: tb.LinkForce(a, b, 0.0),
    "wrench": lambda m, a, b: tb.Wrench(b),
    "motor": lambda m, a, b: tb.JointEffort("pivot", 0.0),
    "spring on one body": lambda m, a, b: tb.SpringDamper(b, tb.Frame("arm", (0.3, 0, 0)), 10.0),
    "link on the ground": lambda m, a, b: tb.LinkForce(a, m.ground, 5.0),
    "bushing on one body": lambda m, a, b: tb.Bushing(b, tb.Frame("arm"), (1.0, 1.0, 1.0)),
    "spring at the pivot": lambda m, a, b: tb.SpringDamper(m.ground, b, 10.0),
}


@pytest.mark.parametrize("make", IDLE.values(), ids=IDLE)
def test_forces_without_any_effect_are_told(make: Any) -> None:
    m = arm()
    m.force("pad", make(m, m.ground.at(0.5, 0, 0), m.bodies["arm"].at(0.2, 0, 0)))
    assert codes(m) == [("no-effect", "pad")]


def test_a_rest_without_a_spring_is_told() -> None:
    assert codes(arm(rest=0.3)) == [("no-effect", "pivot")]
    assert codes(arm(rest=0.3, spring=1.0)) == []


def test_a_force_that_a_parameter_can_turn_on_may_begin_without_effect() -> None:
    m = arm()
    ends = m.ground.at(0.5, 0, 0), m.bodies["arm"].at(0.2, 0, 0)
    m.force("spring", tb.SpringDamper(*ends, m.parameter("k", 0.0, unit="N/m")))
    m.force("motor", tb.JointEffort("pivot", m.input("torque")))
    assert codes(m) == []


@pytest.mark.parametrize("normal", "xyz")
def test_a_closure_whose_points_are_apart_along_its_normal_is_told(normal: str) -> None:
    plane = "".join(axis for axis in "xyz" if axis != normal)
    m = slider_crank(normal, plane)
    rod, slider = m.closures["pin"].a, m.closures["pin"].b
    shift = [0.05 if axis == normal else 0.0 for axis in "xyz"]
    m.closures.clear()
    m.close("pin", tb.PointInPlane(plane), rod, tb.Frame(slider.body, tuple(shift)))
    (doubt,) = tb.check(m).warnings
    assert (doubt.code, doubt.item) == ("apart-along-normal", "pin")
    assert f"its points are 0.05 m apart along {normal}" in str(doubt)


def test_check_prints_the_table_and_says_fine_only_where_nothing_is_doubtful(
    tmp_path: Path,
) -> None:
    arm(position=90.0).save(tmp_path / "bad.yaml")
    bad = touchback("check", str(tmp_path / "bad.yaml"))
    assert bad.returncode == 0 and "fine" not in bad.stdout
    assert "arm: 1 warning. 1 body" in bad.stdout
    assert "warning: Joint coordinate 'pivot' begins at 90 rad" in " ".join(bad.stdout.split())
    arm(position=0.5).save(tmp_path / "good.yaml")
    good = touchback("check", str(tmp_path / "good.yaml"))
    assert "arm: fine. 1 body" in good.stdout and "warning" not in good.stdout
    for row in ("freedoms", "redundant constraints", "singularities", "ranges", "masses",
                "inertias", "ports"):  # fmt: skip
        assert any(line.startswith(row) for line in good.stdout.splitlines()), row


def test_strict_checks_end_with_code_1_where_there_are_warnings(tmp_path: Path) -> None:
    """What the table shows stays the same."""
    for position, code in ((90.0, 1), (0.5, 0)):
        arm(position=position).save(tmp_path / "arm.yaml")
        plain = touchback("check", str(tmp_path / "arm.yaml"))
        strict = touchback("check", str(tmp_path / "arm.yaml"), "--strict")
        assert (plain.returncode, strict.returncode) == (0, code)
        assert plain.stdout == strict.stdout and not strict.stderr


def test_the_command_shows_what_the_function_returns(tmp_path: Path) -> None:
    m = arm(position=90.0)
    m.save(tmp_path / "arm.yaml")
    shown = " ".join(touchback("check", str(tmp_path / "arm.yaml")).stdout.split())
    found = tb.check(m)
    for text in (found.verdict, *found.rows.values(), *(f"warning: {w}" for w in found.warnings)):
        assert " ".join(text.split()).rstrip(".") in shown


def test_check_names_units_that_are_not_known_and_passes_over_labels(tmp_path: Path) -> None:
    m = arm()
    m.parameter("load", 2.0, unit="stone")
    m.input("volume", unit="dB")
    m.save(tmp_path / "arm.yaml")
    found = touchback("check", str(tmp_path / "arm.yaml"))
    told = " ".join(found.stdout.split())
    assert found.returncode == 0 and "arm: 1 warning." in told and "dB" not in told
    assert "not known, so taken as they are: 'load' in stone" in told
    assert "warning: Parameter 'load': its unit 'stone' isn't known" in told
    assert "stone" not in found.stderr


def test_check_names_gains_of_one_that_nobody_wrote(tmp_path: Path) -> None:
    m = arm(position=0.5)
    m.force("servo", tb.JointEffort("pivot", -m.coordinate("pivot") - m.rate("pivot")))
    m.save(tmp_path / "arm.yaml")
    told = " ".join(touchback("check", str(tmp_path / "arm.yaml")).stdout.split())
    assert "arm: 1 warning." in told
    assert "warning: Force 'servo': its effort is -('q:pivot' + 'v:pivot')" in told
