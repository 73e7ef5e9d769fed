"""Platforms on omni or Mecanum wheels that follow commanded motion: three omni wheels, or four
Mecanum wheels.

Each wheel has a speed servo; its command comes from the inverse kinematics, traced into the model.
The floor is compliant under the roller in contact, with friction: wheels may slip, loads shift.
What the wheels lose on the way is made good: the commanded velocities are integrated to a pose, and
a share of the platform's distance from it is added to them.

Kinematics of platforms on omni and Mecanum wheels: speeds of wheels that roll without slip.

The roller in contact lets its point slide across its axis and holds it along: the velocity of the
platform over the wheel and that of the rim have no difference along i = cos ψ f + sin ψ a, with f
the wheel's forward direction and a its axle. Hence R ω = v·f + tan ψ v·a where v is the velocity of
the platform at the wheel, v_x − y Ω and v_y + x Ω: the textbooks' `wheel_speeds`.

This takes the roller in the middle of its sector. A roller on which the wheel has turned by q
leans, so that it holds along cos q cos ψ f + sin ψ a: R ω = v·f + (tan ψ/cos q) v·a, which is
`rolling_speeds`. It touches τ = R₁ tan q tan ψ along the axle, which on a platform that turns would
take τ Ω off v·f. This is left out: its mean over a sector is nothing, and it jumps at hand-overs,
so that a servo that obeyed it might hang between two rollers, each of which sends it to the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment
from touchback.gallery.omni_wheel import (
    ContactPoint,
    RollerContact,
    WheelShape,
    add_rollers,
    total_mass,
)
from touchback.model import BodyHandle, Triple, Value, check_positive

# ---- kinematics ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mount:
    """A wheel of a platform: where it stands [m], the heading of its forward direction [rad] from
    the platform's x axis, and the inclination ψ of its rollers [rad]."""

    x: float
    y: float
    heading: float
    inclination: float = 0.0

    def over(self, vx: Value, vy: Value, turn: Value) -> tuple[Value, Value]:
        """Velocity of the platform over the wheel [m/s], ahead and along its axle."""
        c, s = math.cos(self.heading), math.sin(self.heading)
        along_x, along_y = vx - self.y * turn, vy + self.x * turn
        return c * along_x + s * along_y, c * along_y - s * along_x

    def rim(self, vx: Value, vy: Value, turn: Value) -> Value:
        """R ω [m/s] with the roller in the middle of its sector."""
        ahead, aside = self.over(vx, vy, turn)
        return ahead + math.tan(self.inclination) * aside

    def row(self) -> Triple:
        """R ω for unit v_x, v_y and Ω."""
        return self.rim(1.0, 0.0, 0.0), self.rim(0.0, 1.0, 0.0), self.rim(0.0, 0.0, 1.0)


def three_mounts(distance: float) -> list[Mount]:
    """Three omni wheels at 60°, 180° and 300°, each rolling around the centre."""
    check_positive("Platform", distance=distance)
    angles = [math.radians(60 + 120 * i) for i in range(3)]
    return [Mount(distance * math.cos(a), distance * math.sin(a), a + math.pi / 2) for a in angles]


def mecanum_mounts(length: float, width: float, inclination: float = math.pi / 4) -> list[Mount]:
    """Four wheels, all forwards: front left, front right, rear left, rear right. One sees their
    upper rollers, whose axes point to the middle; those on the floor lie the other way."""
    check_positive("Platform", length=length, width=width)
    x, y = length / 2, width / 2
    return [
        Mount(x, y, 0.0, -inclination),
        Mount(x, -y, 0.0, inclination),
        Mount(-x, y, 0.0, inclination),
        Mount(-x, -y, 0.0, -inclination),
    ]


def wheel_speeds(
    mounts: Sequence[Mount], radius: float, vx: Value, vy: Value, turn: Value
) -> list[Value]:
    """ω of each wheel [rad/s] for a velocity [m/s] along the platform's axes and a turn rate
    [rad/s]; numbers, arrays or expressions."""
    check_positive("Platform", radius=radius)
    return [mount.rim(vx, vy, turn) / radius for mount in mounts]


def rolling_speeds(
    mounts: Sequence[Mount],
    shape: WheelShape,
    angles: Sequence[Value],
    vx: Value,
    vy: Value,
    turn: Value,
) -> list[Value]:
    """As `wheel_speeds`, for the rollers that carry the wheels where these have turned to `angles`
    [rad]: a platform that doesn't turn rolls without slip all the way, not only in the middle of
    the rollers' sectors."""
    speeds = []
    for mount, angle in zip(mounts, angles, strict=True):
        ahead, aside = mount.over(vx, vy, turn)
        held = math.tan(mount.inclination) / tb.cos(shape.turned(angle))
        speeds.append((ahead + held * aside) / shape.radius)
    return speeds


def platform_velocity(mounts: Sequence[Mount], radius: float, speeds: np.ndarray) -> np.ndarray:
    """(v_x, v_y, Ω) from wheel speeds (…, n) [rad/s]: with more than three wheels, the fit that
    leaves least slip."""
    rows = check_driven(mounts)
    speeds = np.asarray(speeds)
    if speeds.ndim == 0 or speeds.shape[-1] != len(mounts):
        raise tb.InputError(
            f"Platform: it has {len(mounts)} wheels, but speeds or angles of shape {speeds.shape} "
            "are given; their last axis is the wheels."
        )
    return radius * speeds @ np.linalg.pinv(rows).T


def check_driven(mounts: Sequence[Mount]) -> np.ndarray:
    """R ω of each wheel for unit v_x, v_y and Ω, (n, 3), of wheels that determine the motion."""
    rows = np.array([mount.row() for mount in mounts])
    if np.linalg.matrix_rank(rows, tol=1e-9 * max(1.0, float(np.abs(rows).max(initial=0.0)))) < 3:
        raise tb.ModelError(
            f"Platform: its {len(mounts)} wheels don't determine its motion; their rollers leave "
            "a direction in which all of them roll freely."
        )
    return rows


def odometry(
    mounts: Sequence[Mount], radius: float, angles: np.ndarray, start: Sequence[float] = (0, 0, 0)
) -> np.ndarray:
    """Poses (x, y, θ) from wheel angles (T, n) [rad]: each interval is an arc."""
    steps = platform_velocity(mounts, radius, np.diff(angles, axis=0))
    theta = start[2] + np.concatenate([[0.0], np.cumsum(steps[:, 2])])
    half = steps[:, 2] / 2
    chord = np.sinc(half / np.pi)  # of an arc, over its length
    c, s = np.cos(theta[:-1] + half) * chord, np.sin(theta[:-1] + half) * chord
    x = np.cumsum(c * steps[:, 0] - s * steps[:, 1])
    y = np.cumsum(s * steps[:, 0] + c * steps[:, 1])
    place = np.concatenate([[[0.0, 0.0]], np.stack([x, y], axis=1)]) + np.array(start[:2])
    return np.column_stack([place, theta])


# ---- platforms -----------------------------------------------------------------------------------

G = 9.81


@dataclass(frozen=True)
class Platform:
    """What a platform is made of. Its wheels' `shape` takes the inclination of each mount.

    Masses [kg]; half extents of the chassis, a uniform box [m]; the floor's stiffness [N/m^1.5] and
    damping [s/m], its friction and the speed u₀ below which friction gives way [m/s]; the servos'
    gain and the damping in rollers' bearings [N m s/rad]. `correction` [1/s] is how fast distances
    from the commanded pose are made good, as of a robot that is seen from outside; 0 for one that
    only counts its wheels' turns. `textbook` wheel speeds take each roller in its middle."""

    mounts: Sequence[Mount]
    shape: WheelShape
    mass: float = 8.0
    half: tuple[float, float, float] = (0.2, 0.2, 0.05)
    disc_mass: float = 0.4
    stiffness: float = 3e7
    damping: float = 2.0
    friction: float = 0.7
    slip_speed: float = 0.05
    gain: float = 4.0
    bearing: float = 1e-5
    tracker: str = "explicit"
    correction: float = 20.0
    textbook: bool = False

    def __post_init__(self) -> None:
        x, y, z = self.half
        check_positive(
            "Platform", mass=self.mass, disc_mass=self.disc_mass, stiffness=self.stiffness,
            slip_speed=self.slip_speed, gain=self.gain, length=x, width=y, height=z,
        )  # fmt: skip
        check_positive(
            "Platform", zero=True, damping=self.damping, friction=self.friction,
            bearing=self.bearing, correction=self.correction,
        )  # fmt: skip
        if self.tracker == "section":
            raise tb.ModelError(
                "Platform: the tracker 'section' is for wheels that stay upright; a platform leans "
                "on its floor. Take 'explicit' or 'implicit'."
            )
        if len(self.mounts) < 3:
            raise tb.ModelError(
                f"Platform: {len(self.mounts)} wheel(s) can't carry a platform; give 3 or more."
            )

    def total_mass(self) -> float:
        """[kg]"""
        return self.mass + len(self.mounts) * total_mass(self.disc_mass, self.shape)

    def height(self) -> float:
        """Of the axles where the floor carries the weight evenly [m]."""
        share = self.total_mass() * G / len(self.mounts)
        return self.shape.radius - (share / self.stiffness) ** (2 / 3)

    def wheel_speeds(self, m: tb.Model, velocity: Sequence[Value]) -> list[Value]:
        """[rad/s], for a velocity along the platform's axes."""
        check_driven(self.mounts)
        if self.textbook:
            return wheel_speeds(self.mounts, self.shape.radius, *velocity)
        angles = [m.coordinate(f"wheel {i + 1}") for i in range(len(self.mounts))]
        return rolling_speeds(self.mounts, self.shape, angles, *velocity)


def make_platform(name: str, plan: Platform, commanded_wheels: bool = False) -> tb.Model:
    """Inputs "command vx", "command vy" [m/s], "command turn" [rad/s] along the axes of the pose
    that they lead to, "wanted x", "wanted y" [m] and "wanted heading" [rad]; or, with
    `commanded_wheels`, "command 1" … [rad/s], the speed of each wheel."""
    m = tb.Model(name, gravity=(0, 0, -G))
    x, y, z = (side**2 for side in plan.half)
    third = plan.mass / 3
    body = m.body("chassis", plan.mass, inertia=(third * (y + z), third * (x + z), third * (x + y)))
    m.joint("platform", tb.Free(), m.ground, body, position=(0, 0, plan.height(), 1, 0, 0, 0))
    m.sensor("position", tb.Position(body.at(0, 0, 0)))
    ahead = m.sensor("ahead", tb.Direction(body.at(0, 0, 0), "x"))
    m.sensor("heading", tb.Signal(tb.atan2(ahead[1], ahead[0]), "rad"))
    m.sensor("energy", tb.Energy())
    wheels = [_add_wheel(m, i, body, mount, plan) for i, mount in enumerate(plan.mounts)]
    if commanded_wheels:
        speeds: list[Value] = [
            m.input(f"command {i + 1}", unit="rad/s") for i in range(len(wheels))
        ]
    else:
        speeds = plan.wheel_speeds(m, _wanted_velocity(m, plan.correction))
    for wheel, speed in zip(wheels, speeds, strict=True):
        m.force(f"{wheel} servo", tb.JointEffort(wheel, plan.gain * (speed - m.rate(wheel))))
    return m


def _wanted_velocity(m: tb.Model, correction: float) -> list[Value]:
    """v_x, v_y and Ω along the platform's axes: those of the commanded pose, and so much a second
    of the way to it."""
    vx, vy = (m.input(f"command {word}", unit="m/s") for word in ("vx", "vy"))
    turn = m.input("command turn", unit="rad/s")
    heading = m.state("wanted heading", rate=turn, unit="rad")
    c, s = tb.cos(heading), tb.sin(heading)
    rates = c * vx - s * vy, s * vx + c * vy
    place = [m.state(f"wanted {w}", rate=r, unit="m") for w, r in zip("xy", rates, strict=True)]
    if correction == 0.0:
        return [vx, vy, turn]
    away = [place[i] - m.signal(f"position.{axis}") for i, axis in enumerate("xy")]
    f_x, f_y = m.signal("ahead.x"), m.signal("ahead.y")
    to_x, to_y = (rates[i] + correction * away[i] for i in range(2))
    lag = s * f_x - c * f_y  # sine of the angle that it lags
    return [f_x * to_x + f_y * to_y, f_x * to_y - f_y * to_x, turn + correction * lag]


def _add_wheel(m: tb.Model, number: int, body: BodyHandle, mount: Mount, plan: Platform) -> str:
    """A wheel on the floor, by its name."""
    name, R = f"wheel {number + 1}", 0.9 * plan.shape.off
    across = plan.disc_mass * R**2 / 4
    disc = m.body(name, plan.disc_mass, inertia=(across, 2 * across, across))
    m.joint(name, tb.Revolute("y"), body.at(mount.x, mount.y, 0, turn=("z", mount.heading)), disc)
    shape = replace(plan.shape, inclination=mount.inclination)
    wheel = add_rollers(m, disc, shape, plan.tracker, plan.bearing)
    law = tb.contact.HuntCrossley(plan.stiffness, plan.damping)
    m.force(f"{name} floor", RollerContact(wheel, law, plan.friction, plan.slip_speed))
    m.sensor(f"{name} contact", ContactPoint(wheel))
    return name


# ---- three omni wheels ---------------------------------------------------------------------------

THREE_WHEELS_PLAN = Platform(three_mounts(0.195), WheelShape(radius=0.051, rollers=6, off=0.04))


def make_three_wheels(
    plan: Platform = THREE_WHEELS_PLAN, commanded_wheels: bool = False
) -> tb.Model:
    """Wheels 0.195 m from the middle, 51 mm in radius, six rollers each: the size of the robot
    that `validation/test_optiodom_platforms.py` compares with."""
    return make_platform("omni platform", plan, commanded_wheels)


THREE_WHEELS = Entry(
    "omni-platform",
    "three omni wheels carry a platform that drives sideways while it turns",
    make_three_wheels,
    Experiment(
        1.0,
        inputs={"command vx": 0.2, "command vy": 0.2, "command turn": 1.0},
        signals=("position.x", "position.y", "heading"),
        substeps=4,
    ),
    sentences=(
        "Three omni wheels carry a platform that drives in any direction while it turns.",
        "Each wheel pushes along its own rim only; the sum of three is any force and any turn.",
        'Give "command vx", "command vy" and "command turn" values, and see the three wheels '
        "share the work.",
    ),
)
# ---- four Mecanum wheels -------------------------------------------------------------------------

MECANUM_PLAN = Platform(mecanum_mounts(0.3, 0.3), WheelShape(radius=0.05, rollers=9, off=0.037))


def make_mecanum(plan: Platform = MECANUM_PLAN, commanded_wheels: bool = False) -> tb.Model:
    """Wheels at the corners of a square of 0.3 m, 50 mm in radius, nine rollers each."""
    return make_platform("mecanum platform", plan, commanded_wheels)


MECANUM = Entry(
    "mecanum-platform",
    "four Mecanum wheels carry a platform ahead, aside and round at once",
    make_mecanum,
    Experiment(
        1.0,
        inputs={"command vx": 0.1, "command vy": 0.2, "command turn": 0.5},
        signals=("position.x", "position.y", "heading"),
        substeps=4,
    ),
    sentences=(
        "Four Mecanum wheels, with rollers at 45°, carry a platform ahead, aside and round at "
        "once.",
        "Aside it goes because opposite wheels turn against each other and their rollers add up.",
        'Set "command vy" alone and watch which wheels turn back.',
    ),
)
