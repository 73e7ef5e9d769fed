"""Axles as linkages, against geometry solved by SciPy and constructions of the drawing board."""

import math
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import touchback as tb
from linkage_peer import NaturalStrut, NaturalWishbone
from touchback.errors import InputError, ModelError, TouchbackError
from touchback.gallery.instrumented_buggy import CAR as BUGGY
from touchback.vehicle import (
    AxleKind,
    AxleLink,
    DoubleWishbone,
    MacPherson,
    Mounts,
    RigidAxle,
    StrutTables,
    TrailingArm,
    add_axle,
    measure_axle,
)
from touchback.vehicle.suspension.axle_report import Rig

AXLES: dict[str, AxleKind] = {
    "double wishbones": DoubleWishbone(bar=12e3), "MacPherson": MacPherson(bar=12e3),
    "trailing arms": TrailingArm(bar=12e3), "rigid axle": RigidAxle(bar=12e3),
}  # fmt: skip
#: Arms whose lines are all along the car, so that they can be drawn from the front.
FLAT = DoubleWishbone(
    upper_front=(0.12, 0.40, 0.42), upper_rear=(-0.12, 0.40, 0.42), upper_ball=(0.0, 0.62, 0.44),
    lower_ball=(0.0, 0.655, 0.185),
)  # fmt: skip
STRUTS = {
    "default": MacPherson(), "with rods": MacPherson(rod_mass=1.5), "of the buggy": BUGGY.rear
}  # fmt: skip


@cache
def rig(name: str) -> Rig:
    return Rig(AXLES[name])


@pytest.mark.parametrize("travel, rack", [(-0.07, 0.0), (-0.02, 0.03), (0.0, -0.05), (0.08, 0.02)])
def test_wishbones_stand_where_points_at_constant_distances_do(travel: float, rack: float) -> None:
    axle = AXLES["double wishbones"]
    assert isinstance(axle, DoubleWishbone)
    peer = NaturalWishbone(axle)
    balls = peer.at(travel, rack)
    stand = rig("double wishbones").at(travel, travel, rack)["left"].stand
    assert_allclose(stand.centre, peer.centre(balls), atol=1e-9)
    assert_allclose(stand.axle, peer.direction(balls), atol=1e-9)


@cache
def strut_rig(name: str) -> Rig:
    return Rig(STRUTS[name])


@pytest.mark.parametrize("name", ["default", "with rods", "of the buggy"])
@pytest.mark.parametrize("travel, rack", [(-0.07, 0.0), (-0.02, 0.03), (0.0, -0.05), (0.08, 0.02)])
def test_struts_stand_where_points_at_constant_distances_do(
    name: str, travel: float, rack: float
) -> None:
    """Whether their rods are bodies or not; the strut is as long as there, too."""
    axle = STRUTS[name]
    peer = NaturalStrut(axle)
    points = peer.at(travel, rack)
    moving = strut_rig(name).at(travel, travel, rack)["left"]
    assert_allclose(moving.stand.centre, peer.centre(points), atol=1e-9)
    assert_allclose(moving.stand.axle, peer.direction(points), atol=1e-9)
    assert moving.stand.strut == pytest.approx(peer.length(points), abs=1e-9)
    h = 1e-4
    low, high = (peer.length(peer.at(travel + s, rack)) for s in (-h, h))
    assert moving.strut == pytest.approx((high - low) / (2 * h), rel=1e-6)


def test_rods_without_weight_change_no_motion_and_others_go_along() -> None:
    """A body of a nanogram on the strut's line moves as nothing would; 5 kg a side go along."""
    accelerated, carried = [], []
    for mass in (0.0, 1e-12, 5.0):
        m = tb.Model("axle")
        m.body("chassis", 300.0, (0.0, 0.0, 0.5), (60.0, 60.0, 90.0))
        m.joint("chassis", tb.Prismatic("z"), m.ground, "chassis")
        add_axle(m, MacPherson(rod_mass=mass), "chassis", "axle")
        system = m.compile()
        x = system.assemble({"axle left lower arm": 0.1}, {"axle left lower arm": 2.0})
        names = system.velocities
        found = dict(zip(names, system.forward_dynamics(x.q, x.v), strict=True))
        accelerated.append([found[name] for name in names if "rod" not in name])
        carried.append(float(system.mass_matrix(x.q)[0, 0]))
    size = np.abs(accelerated[0]).max()
    assert_allclose(accelerated[1], accelerated[0], atol=1e-9 * size)
    assert np.abs(np.subtract(accelerated[2], accelerated[0])).max() > 1e-3 * size
    assert carried[2] - carried[0] == pytest.approx(10.0, rel=1e-9)


def test_rates_of_toe_and_camber_are_slopes_of_that_geometry() -> None:
    axle = AXLES["double wishbones"]
    assert isinstance(axle, DoubleWishbone)
    peer, h = NaturalWishbone(axle), 1e-4
    low, high = (peer.direction(peer.at(0.03 + s)) for s in (-h, h))
    slope = (high - low) / (2 * h)
    moving = rig("double wishbones").at(0.03, 0.03)["left"]
    assert_allclose(np.cross(moving.omega, moving.stand.axle), slope, atol=1e-6)  # h² and rounding
    assert_allclose(moving.camber, -slope[2], rtol=1e-3)


@pytest.mark.parametrize("kind", [DoubleWishbone, MacPherson])
def test_a_rack_steers_by_the_slope_of_that_geometry(
    kind: type[DoubleWishbone] | type[MacPherson],
) -> None:
    """Both wheels alike: the right one is the left one's mirror image with the rack the other way
    round, and at design both have one slope."""
    axle, h = kind(), 1e-5
    peer = NaturalWishbone(axle) if isinstance(axle, DoubleWishbone) else NaturalStrut(axle)
    steers = []
    for rack in (-h, h):
        x, y, _ = peer.direction(peer.at(0.0, rack))
        steers.append(math.atan2(-x, y))
    report = measure_axle(axle, travel=0.02, points=3)
    slope = (steers[1] - steers[0]) / (2 * h)
    assert report.figures["steer of the rack"] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("travel, points", [(0.02, 2), (0.0, 5), (-0.02, 5), (math.inf, 5)])
def test_an_axle_is_measured_over_some_travel_at_three_points_or_more(
    travel: float, points: int
) -> None:
    with pytest.raises(InputError, match="give a positive travel and at least 3 points"):
        measure_axle(TrailingArm(), travel=travel, points=points)


def test_a_pad_bears_the_slope_of_the_potential_energy() -> None:
    """The load is dV/dz of weights and spring, by the same points and a sum over the table."""
    axle = AXLES["double wishbones"]
    assert isinstance(axle, DoubleWishbone)
    peer, h = NaturalWishbone(axle), 1e-3
    for travel in (-0.03, 0.0, 0.04):
        slope = (peer.potential(travel + h, 9.81) - peer.potential(travel - h, 9.81)) / (2 * h)
        load = rig("double wishbones").at(travel, travel)["left"].stand.load
        assert_allclose(load, slope, rtol=1e-5)


def test_the_roll_centre_is_where_the_drawn_lines_meet() -> None:
    """Instant centre of the knuckle: where the arms' lines cross; from there to the contact."""
    (ly, lz), (by, bz) = FLAT.lower_front[1:], FLAT.lower_ball[1:]
    (uy, uz), (cy, cz) = FLAT.upper_front[1:], FLAT.upper_ball[1:]
    crossing = np.linalg.solve([[by - ly, uy - cy], [bz - lz, uz - cz]], [uy - ly, uz - lz])[0]
    y, z = ly + crossing * (by - ly), lz + crossing * (bz - lz)
    track = FLAT.wheel_centre[1]
    drawn = z * track / (track - y)
    report = measure_axle(FLAT, travel=0.02, points=3)
    assert_allclose(report.figures["roll centre"], drawn, rtol=1e-9)
    assert_allclose(report.figures["camber gain"], -1.0 / (track - y), rtol=1e-9)  # 1/swing arm


def test_the_roll_centre_of_a_strut_is_where_its_square_meets_the_arm() -> None:
    arms = MacPherson(
        lower_ball=(0.0, 0.655, 0.185), strut_top=(0.0, 0.55, 0.78), strut_foot=(0.0, 0.59, 0.38),
    )  # fmt: skip
    top, foot = np.array(arms.strut_top[1:]), np.array(arms.strut_foot[1:])
    pivot, ball = np.array(arms.lower_front[1:]), np.array(arms.lower_ball[1:])
    square = np.array([(top - foot)[1], -(top - foot)[0]])
    share = np.linalg.solve(np.column_stack([square, pivot - ball]), pivot - top)[0]
    y, z = top + share * square
    track = arms.wheel_centre[1]
    found = measure_axle(arms, travel=0.02, points=3).figures["roll centre"]
    assert_allclose(found, z * track / (track - y), rtol=1e-9)


def test_a_rigid_axle_rolls_about_its_panhard_rod_and_steers_by_its_links() -> None:
    level = RigidAxle(links=(
        AxleLink(chassis=(0.5, 0.4, 0.2), axle=(0.0, 0.4, 0.2)),
        AxleLink(chassis=(0.5, -0.4, 0.2), axle=(0.0, -0.4, 0.2)),
        AxleLink(chassis=(0.4, 0.0, 0.4), axle=(0.0, 0.0, 0.4)),
        AxleLink(chassis=(-0.1, 0.5, 0.27), axle=(-0.1, -0.5, 0.27)),
    ))  # fmt: skip
    report = measure_axle(level, travel=0.02, points=3)
    toe = report.plot().axes[0].lines[0].get_ydata()
    assert (np.asarray(toe) == 0.0).all()  # a beam's toe is none, not a picture of rounding
    figures = report.figures
    assert_allclose(figures["roll centre"], 0.27, rtol=1e-9)
    assert_allclose([figures["roll steer"], figures["roll camber"]], 0.0, atol=1e-12)
    sloping = measure_axle(RigidAxle(), travel=0.02, points=3).figures
    assert_allclose(sloping["roll steer"], -0.04 / 0.55, rtol=1e-9)  # rise of a link per length


def test_a_trailing_arm_square_to_the_car_keeps_camber_toe_and_track() -> None:
    square = TrailingArm(pivot_inner=(0.4, 0.3, 0.25), pivot_outer=(0.4, 0.58, 0.25))
    report = measure_axle(square, travel=0.06, points=5)
    for name in ("toe", "camber", "track change", "roll centre"):
        assert_allclose(report.curves[name], 0.0, atol=1e-12, err_msg=name)
    assert report.figures["roll camber"] == pytest.approx(-1.0, abs=1e-12)


def test_the_steering_axis_goes_through_the_balls() -> None:
    axle = AXLES["double wishbones"]
    assert isinstance(axle, DoubleWishbone)
    (x, y, z), (u, v, w) = axle.lower_ball, axle.upper_ball
    figures = measure_axle(axle, travel=0.02, points=3).figures
    assert_allclose(np.tan(figures["caster"]), (x - u) / (w - z), rtol=1e-9)
    assert_allclose(np.tan(figures["kingpin"]), (y - v) / (w - z), rtol=1e-9)
    assert_allclose(figures["caster trail"], x + z * (x - u) / (w - z), rtol=1e-9)
    assert_allclose(figures["scrub radius"], 0.70 - (y + z * (y - v) / (w - z)), rtol=1e-8)


@pytest.mark.parametrize("name", ["double wishbones", "MacPherson"])
def test_alignment_is_live_and_moves_nothing_else_at_design(name: str) -> None:
    aligned = Rig(AXLES[name])
    live = aligned.system
    before = aligned.at()["left"].stand
    live["axle caster"], live["axle kingpin"] = 0.15, 0.05
    live["axle toe"], live["axle camber"] = 0.01, -0.02
    bump = aligned.at()["left"]
    held = aligned.at(moving="rack")["left"].with_strut_held(bump)
    assert_allclose(bump.stand.centre, before.centre, atol=1e-12)
    # toe turns about z before camber about x: seen from above the axle points by the toe
    assert_allclose([bump.stand.toe, bump.stand.camber], [0.01, -0.02], atol=1e-12)
    w = held.omega / held.omega[2]
    assert_allclose(-w[:2], np.tan([0.15, 0.05]), rtol=1e-9)
    live["axle pivots raised"] = 0.03
    assert_allclose(aligned.at()["left"].stand.centre, before.centre, atol=1e-12)


UNDAMPED = StrutTables(damping=(0.0,) * 5)


@pytest.mark.parametrize(
    "axle",
    [
        *(type(axle)(strut=UNDAMPED, bar=12e3) for axle in AXLES.values()),
        MacPherson(strut=UNDAMPED, rod_mass=2.0),
        TrailingArm(strut=UNDAMPED, mounts=Mounts(loss=0.0)),
    ],
)
def test_without_dampers_an_axle_keeps_its_energy(axle: AxleKind) -> None:
    m = tb.Model("axle")
    m.body("chassis", 300.0, (0.0, 0.0, 0.5), (60.0, 60.0, 90.0))
    m.joint("chassis", tb.Prismatic("z"), m.ground, "chassis")
    left, right = add_axle(m, axle, "chassis", "axle")
    for side, corner in (("left", left), ("right", right)):
        spring = tb.SpringDamper(
            m.ground.at(0, 0.7, -0.3), corner.carrier, stiffness=5e4, length=0.5
        )
        m.force(f"{side} tyre", spring)
    m.sensor("energy", tb.Energy())
    run = tb.simulate(m.compile(), duration=0.5, rtol=1e-10, atol=1e-11, progress=False)
    assert np.ptp(run["chassis"]) > 0.005  # it does move
    assert np.ptp(run["energy"]) < 1e-6 * abs(run["energy"][0])


def test_a_table_of_the_spring_is_live_knot_by_knot() -> None:
    stiffer, table = Rig(AXLES["double wishbones"]), AXLES["double wishbones"].strut
    before = stiffer.at()["left"]
    stiffer.system["axle spring at 0 mm"] = table.force[table.compression.index(0.0)] + 400.0
    after = stiffer.at()["left"]
    gained = -400.0 * before.strut / before.velocity[2]
    assert_allclose(after.stand.load - before.stand.load, gained, rtol=1e-9)


def test_the_anti_roll_bar_bears_nothing_in_bump_and_its_moment_in_roll() -> None:
    stand, plain = rig("double wishbones"), Rig(DoubleWishbone())
    for ways in ((0.03, 0.03), (0.03, -0.03)):
        with_bar, without = stand.at(*ways), plain.at(*ways)
        apart = with_bar["right"].stand.strut - with_bar["left"].stand.strut
        ratio = -with_bar["left"].strut / with_bar["left"].velocity[2]
        gained = with_bar["left"].stand.load - without["left"].stand.load
        assert_allclose(gained, 12e3 * apart * ratio, rtol=1e-9, atol=1e-8)
    assert gained > 300.0


def test_wheels_beyond_their_reach_are_refused_and_not_found_flipped() -> None:
    """Arms of double wishbones end 0.21 m below design: SciPy's nearest pose there is 2 mm off."""
    with pytest.raises(TouchbackError):
        measure_axle(DoubleWishbone(), travel=0.22, points=3)


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(InputError, match="rack_stiffness is 0"):
        measure_axle(DoubleWishbone(), rack_stiffness=0.0)
    with pytest.raises(InputError, match="a travel of inf"):
        measure_axle(DoubleWishbone(), travel=math.inf)
    with pytest.raises(ModelError, match="DoubleWishbone: its lower_front and lower_rear are both"):
        DoubleWishbone(lower_rear=(0.15, 0.33, 0.20))
    with pytest.raises(ModelError, match="RigidAxle: it has 3 links; four leave it"):
        RigidAxle(links=RigidAxle().links[:3])
    with pytest.raises(ModelError, match=r"in its compression 0 follows 0.1; it must rise"):
        StrutTables(compression=(0.1, 0.0), force=(0.0, 1.0))
    m = tb.Model("car")
    with pytest.raises(ModelError, match="Axle 'rear': a TrailingArm has no tie rods"):
        add_axle(m, TrailingArm(), m.ground, "rear", rack=m.body("rack"))
    with pytest.raises(ModelError, match=r"upper_ball, .*, must be above its lower_ball"):
        DoubleWishbone(upper_ball=(0.0, 0.6, 0.1))
    with pytest.raises(InputError, match=r"doesn't reach left way .* there; ask for less travel"):
        measure_axle(MacPherson(), travel=0.5, points=3)
    with pytest.raises(InputError, match=r"a travel of 0.0 m at 33 points"):
        measure_axle(DoubleWishbone(), travel=0.0)
