"""Axles give way to forces at their wheels as balances of forces and least work say."""

from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.testing import assert_allclose
from scipy.optimize import brentq, minimize
from scipy.spatial.transform import Rotation

import touchback as tb
from linkage_peer import LeastWork, Twist
from touchback.vehicle import (
    AxleKind,
    Car,
    DoubleWishbone,
    MacPherson,
    Mounts,
    RigidAxle,
    StrutTables,
    TrailingArm,
    Wheel,
    add_axle,
    add_car,
    measure_axle,
)
from touchback.vehicle.suspension.axle_report import COMPLIANCES, LoadRig

Peer = Callable[..., LeastWork]  # of an axle and the stiffness of half its rack
RACK = 1.5e6  # N/m
RUBBER = Mounts(radial=3e6, axial=5e5, torsion=70.0, conical=300.0)
SPRING = 30e3  # N/m
SLACK = StrutTables(
    compression=(-1.0, 1.0), force=(0.0, 0.0), speed=(-1.0, 1.0), damping=(0.0, 0.0)
)
#: Neither weight nor preload, which would stiffen it by far less than a percent.
LIGHT = {
    "wheel": Wheel(mass=1e-3, spin_inertia=1e-5, cross_inertia=1e-5),
    "strut": StrutTables(compression=(-1.0, 1.0), force=(-SPRING, SPRING)),
    "mounts": RUBBER,
}
LIGHT_KNUCKLE = LIGHT | {
    "lower_mass": 1e-3, "knuckle_mass": 1e-3, "knuckle_inertia": (1e-6, 1e-6, 1e-6)
}  # fmt: skip


def way(a: object, b: object) -> np.ndarray:
    """The direction between two points."""
    d = np.asarray(b, float) - np.asarray(a, float)
    return np.asarray(d / np.linalg.norm(d))


def arm(held: LeastWork, axle: AxleKind, name: str, *feet: tuple[float, ...]) -> None:
    for foot in feet:
        held.rubber(name, foot, way(*feet), axle.mounts)


def stiffer(gain: float) -> Mounts:
    """The same rubber, so many times as stiff."""
    return Mounts(
        radial=gain * RUBBER.radial, axial=gain * RUBBER.axial, torsion=gain * RUBBER.torsion,
        conical=gain * RUBBER.conical,
    )  # fmt: skip


def tie_rod(held: LeastWork, axle: DoubleWishbone | MacPherson, rack: float) -> None:
    """Its inner end goes sideways with half of the rack's stiffness, or not at all."""
    along = way(axle.tie_inner, axle.tie_outer)
    held.tie(None, "knuckle", axle.tie_outer, along, along[1] ** 2 / rack)


def wishbones(axle: DoubleWishbone, rack: float) -> LeastWork:
    held = LeastWork("lower", "upper", "knuckle")
    arm(held, axle, "lower", axle.lower_front, axle.lower_rear)
    arm(held, axle, "upper", axle.upper_front, axle.upper_rear)
    held.ball("lower", "knuckle", axle.lower_ball)
    held.ball("upper", "knuckle", axle.upper_ball)
    held.tie(None, "lower", axle.strut_foot, way(axle.strut_top, axle.strut_foot), 1 / SPRING)
    tie_rod(held, axle, rack)
    return held


def macpherson(axle: MacPherson, rack: float) -> LeastWork:
    held = LeastWork("lower", "knuckle")
    arm(held, axle, "lower", axle.lower_front, axle.lower_rear)
    held.ball("lower", "knuckle", axle.lower_ball)
    line = way(axle.strut_foot, axle.strut_top)
    across = np.cross(line, [1.0, 0.0, 0.0])
    for square in (across, np.cross(line, across)):
        held.tie(None, "knuckle", axle.strut_top, square)
    held.tie(None, "knuckle", axle.strut_foot, line, 1 / SPRING)
    tie_rod(held, axle, rack)
    return held


def trailing(axle: TrailingArm, rack: float) -> LeastWork:
    held = LeastWork("arm")
    arm(held, axle, "arm", axle.pivot_inner, axle.pivot_outer)
    held.tie(None, "arm", axle.strut_foot, way(axle.strut_top, axle.strut_foot), 1 / SPRING)
    return held


def beam(axle: RigidAxle, rack: float) -> LeastWork:
    held = LeastWork("beam")
    for link in axle.links:
        held.tie(None, "beam", link.axle, way(link.chassis, link.axle), 1 / axle.mounts.radial)
    for sign in (1.0, -1.0):
        top, foot = ((x, sign * y, z) for x, y, z in (axle.strut_top, axle.strut_foot))
        held.tie(None, "beam", foot, way(top, foot), 1 / SPRING)
    return held


CASES: dict[str, tuple[AxleKind, Peer]] = {
    "double wishbones": (DoubleWishbone(upper_mass=1e-3, **LIGHT_KNUCKLE), wishbones),
    "MacPherson": (MacPherson(**LIGHT_KNUCKLE), macpherson),
    "trailing arms": (TrailingArm(arm_mass=1e-3, **LIGHT), trailing),
    "rigid axle": (RigidAxle(mass=1e-3, inertia=(1e-4, 1e-4, 1e-4), **LIGHT), beam),
}


def least_work(axle: AxleKind, peer: Peer) -> dict[str, float]:
    """The six figures, from the carrier's motion under each load."""
    centre = np.array(axle.wheel_centre)
    contact, none = centre * [1, 1, 0], np.zeros(3)

    def carried(at: np.ndarray, force: object, moment: object, rack: float) -> Twist:
        held = peer(axle, rack)
        body = held.bodies[-1]
        load = {body: (tuple(at), force, moment)}
        sides = (1.0, -1.0) if isinstance(axle, RigidAxle) else (1.0,)
        for sign in sides:
            held.tie(None, body, tuple(centre * [1, sign, 1]), [0.0, 0.0, 1.0])
        if len(sides) == 2:  # both wheels' loads on one body, with their moment about the middle
            middle = at * [1, 0, 1]
            load = {body: (tuple(middle), 2 * np.asarray(force), 2 * np.asarray(moment))}
        moved: Twist = held.moved(load)[body]
        return moved

    # both racks' ends push alike to the side, and against each other when both wheels are braked
    side = carried(contact, [0, 1, 0], none, RACK / 2)
    brake = carried(contact, [-1, 0, 0], none, np.inf)
    push = carried(centre, [-1, 0, 0], none, np.inf)
    turn = carried(centre, none, [0, 0, 1], RACK / 2)
    found = (side.turn[2], -side.turn[0], side.at(contact)[1], -brake.turn[2], -push.at(centre)[0],
             turn.turn[2])  # fmt: skip
    return dict(zip(COMPLIANCES, found, strict=True))


@pytest.mark.parametrize("name", CASES)
def test_an_axle_gives_way_by_the_least_work_of_its_forces(name: str) -> None:
    """Whatever the live gain of its rubber."""
    axle, peer = CASES[name]
    rig = LoadRig(axle, RACK)
    for gain in (1.0, 0.2, 6.0):
        rig.system["axle mount stiffness"] = gain
        found, expected = rig.at(0.0), least_work(replace(axle, mounts=stiffer(gain)), peer)
        for figure, value in expected.items():
            close = {"rtol": 1e-5, "atol": 1e-12}  # 9.81 N/kg
            assert_allclose(found[figure], value, **close, err_msg=f"{figure}, gain {gain}")


@pytest.mark.parametrize("name", ["trailing arms", "rigid axle"])
def test_rubber_damps_in_proportion_to_its_stiffness_whatever_its_live_gain(name: str) -> None:
    """Where rubber is all that acts, a rate v is met as a displacement `loss` · v is: of the
    linearised motion, −M⁻¹C is loss times −M⁻¹K, and both grow with the gain."""
    axle = replace(CASES[name][0], strut=SLACK)
    model = tb.Model("axle", gravity=(0.0, 0.0, 0.0))
    add_axle(model, axle, model.ground, "axle")
    system = model.compile()
    before = np.zeros(0)
    for gain in (1.0, 0.2, 6.0):
        system["axle mount stiffness"] = gain
        A = tb.linearise(system, system.initial_state()).A
        n = len(A) // 2
        stiff, damped = A[n:, :n], A[n:, n:]
        assert np.abs(stiff).max() > 1e6
        assert_allclose(damped, RUBBER.loss * stiff, atol=1e-9 * np.abs(damped).max())
        before = before if before.size else stiff
        assert_allclose(stiff, gain * before, atol=1e-9 * np.abs(stiff).max())


def test_a_trailing_arm_pushed_by_four_kilonewtons_lies_where_its_energy_is_least() -> None:
    """SciPy moves a rigid arm in its rubber, with rotations of its own, while its wheel's centre
    keeps its height."""
    axle, force = CASES["trailing arms"][0], 4e3
    centre, feet = np.array(axle.wheel_centre), np.array([axle.pivot_inner, axle.pivot_outer])
    x = way(*feet)
    y = np.cross([0.0, 0.0, 1.0], x)
    axes = np.array([x, y / np.linalg.norm(y), np.cross(x, y) / np.linalg.norm(y)])
    stiffness = np.array([RUBBER.axial, RUBBER.radial, RUBBER.radial])
    torsion = np.array([RUBBER.torsion, RUBBER.conical, RUBBER.conical])
    top, foot = np.array(axle.strut_top), np.array(axle.strut_foot)
    origin = feet.mean(axis=0)

    def placed(pose: np.ndarray, point: np.ndarray) -> np.ndarray:
        turned = Rotation.from_rotvec(pose[3:] * 1e-3).apply(point - origin)
        return np.asarray(origin + 1e-3 * pose[:3] + turned)

    def energy(pose: np.ndarray) -> float:
        strained = (placed(pose, feet) - feet) @ axes.T
        twisted = axes @ pose[3:] * 1e-3
        strut = np.linalg.norm(placed(pose, foot) - top) - np.linalg.norm(foot - top)
        stored = 0.5 * (strained**2 @ stiffness).sum() + twisted**2 @ torsion
        work = force * (centre[0] - placed(pose, centre)[0])
        return float(stored + 0.5 * SPRING * strut**2 - work)

    level = {"type": "eq", "fun": lambda pose: 1e3 * (placed(pose, centre)[2] - centre[2])}
    found = minimize(energy, np.zeros(6), method="SLSQP", constraints=[level],
                     options={"ftol": 1e-13, "maxiter": 300})  # fmt: skip
    rig = LoadRig(axle, RACK)
    rest = tb.equilibrium(rig.system, u={"push": force})
    seen = rig.system.sensors(rest.state.q, u={"push": force})
    moved = np.array([seen[f"centre.{i}"] for i in "xyz"]) - centre
    assert moved[0] < -1e-3  # it gives way by millimetres
    assert_allclose(moved, placed(found.x, centre) - centre, atol=-1e-4 * moved[0])
    turned = Rotation.from_rotvec(found.x[3:] * 1e-3).as_matrix()[:, 1]
    assert_allclose([seen[f"axle.{i}"] for i in "xyz"], turned, atol=1e-6)


@pytest.mark.parametrize("travel", [-0.06, 0.06])
def test_a_raised_arm_gives_way_by_the_least_work_where_it_stands(travel: float) -> None:
    """The arm is turned about its pivots, by SciPy's rotation, until its wheel is there. Rubber
    that is twisted by that preloads it by less than 1e-3 of what it bears."""
    axle = replace(CASES["trailing arms"][0], strut=SLACK)
    centre, feet = np.array(axle.wheel_centre), np.array([axle.pivot_inner, axle.pivot_outer])
    along = way(*feet)

    def turned(angle: float) -> np.ndarray:
        return np.asarray(feet[0] + Rotation.from_rotvec(angle * along).apply(centre - feet[0]))

    there = turned(brentq(lambda angle: turned(angle)[2] - centre[2] - travel, -0.4, 0.4))
    contact = there - [0.0, 0.0, centre[2]]
    found = LoadRig(axle, RACK).at(travel)
    names = list(COMPLIANCES)
    for at, force, figure, seen in (
        (contact, [0.0, 1.0, 0.0], names[2], lambda moved: moved.at(contact)[1]),
        (there, [-1.0, 0.0, 0.0], names[4], lambda moved: -moved.at(there)[0]),
    ):
        held = LeastWork("arm")
        arm(held, axle, "arm", *map(tuple, feet))
        held.tie(None, "arm", tuple(there), [0.0, 0.0, 1.0])
        moved = held.moved({"arm": (tuple(at), force, np.zeros(3))})["arm"]
        assert_allclose(found[figure], seen(moved), rtol=2e-3, err_msg=figure)


def test_stiff_rubber_is_a_bearing_and_its_stiffness_is_live() -> None:
    axle = CASES["trailing arms"][0]
    soft, off = LoadRig(axle, RACK), []
    for gain in (1.0, 50.0):
        soft.system["axle mount stiffness"] = gain
        off.append(list(soft.at(0.0).values()))
    assert LoadRig(replace(axle, mounts=None), RACK).at(0.0) == dict.fromkeys(COMPLIANCES, 0.0)
    assert_allclose(50.0 * np.array(off[1]), off[0], rtol=0.02)  # the strut is not stiffer


def test_the_report_has_compliance_over_travel_where_something_gives_way() -> None:
    report = measure_axle(TrailingArm(mounts=Mounts()), travel=0.04, points=5)
    assert report.figures.keys() >= COMPLIANCES.keys() <= report.units.keys()
    assert report.curves["lateral compliance"][2] == report.figures["lateral compliance"]
    told = {name: (value, unit) for name, value, unit in report.lines()}
    assert told["longitudinal compliance"][1] == "mm/kN"
    assert told["aligning compliance steer"][1] == "°/100 N m"
    bearings = measure_axle(TrailingArm(), travel=0.04, points=5)
    assert not bearings.figures.keys() & COMPLIANCES.keys()
    for name, value in bearings.figures.items():
        assert_allclose(report.figures[name], value, atol=1e-12, err_msg=name)  # kinematics: rigid


def test_a_car_on_rubber_settles_on_its_wheels() -> None:
    """Loads carry the weight; 500 Hz of arms in rubber take steps of 0.5 ms."""
    rubber = Mounts()
    car = Car(front=MacPherson(mounts=rubber), rear=TrailingArm(mounts=rubber))
    model = tb.Model("car on rubber")
    add_car(model, car)
    run = tb.simulate(model.compile(), duration=1.0, method="rk4", step=5e-4, progress=False)
    ends = [f"{end} {side}" for end in ("front", "rear") for side in ("left", "right")]
    loads = sum(run[f"{end}.load"][-200:].mean() for end in ends)
    assert loads == pytest.approx(car.balance()[0] * 9.81, rel=2e-2)
