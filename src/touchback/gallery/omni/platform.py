"""A platform on omni or Mecanum wheels that follows commanded motion.

Each wheel has a speed servo; its command comes from the inverse kinematics, traced into the model.
The floor is compliant under the roller in contact, with friction: wheels may slip, loads shift.
What the wheels lose on the way is made good: the commanded velocities are integrated to a pose, and
a share of the platform's distance from it is added to them."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from touchback import (
    Direction,
    Energy,
    Free,
    JointEffort,
    Model,
    Position,
    Revolute,
    Signal,
    atan2,
    cos,
    sin,
)
from touchback.contact.contact_laws import HuntCrossley
from touchback.errors import ModelError
from touchback.gallery.omni.floor import ContactPoint, RollerContact
from touchback.gallery.omni.kinematics import Mount, check_driven, rolling_speeds, wheel_speeds
from touchback.gallery.omni.shape import WheelShape
from touchback.gallery.omni.wheel import add_rollers, total_mass
from touchback.model.frame import BodyHandle
from touchback.model.value import Value, check_positive

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
            raise ModelError(
                "Platform: the tracker 'section' is for wheels that stay upright; a platform leans "
                "on its floor. Take 'explicit' or 'implicit'."
            )
        if len(self.mounts) < 3:
            raise ModelError(
                f"Platform: {len(self.mounts)} wheel(s) can't carry a platform; give 3 or more."
            )

    def total_mass(self) -> float:
        """[kg]"""
        return self.mass + len(self.mounts) * total_mass(self.disc_mass, self.shape)

    def height(self) -> float:
        """Of the axles where the floor carries the weight evenly [m]."""
        share = self.total_mass() * G / len(self.mounts)
        return self.shape.radius - (share / self.stiffness) ** (2 / 3)

    def wheel_speeds(self, m: Model, velocity: Sequence[Value]) -> list[Value]:
        """[rad/s], for a velocity along the platform's axes."""
        check_driven(self.mounts)
        if self.textbook:
            return wheel_speeds(self.mounts, self.shape.radius, *velocity)
        angles = [m.coordinate(f"wheel {i + 1}") for i in range(len(self.mounts))]
        return rolling_speeds(self.mounts, self.shape, angles, *velocity)


def make_platform(name: str, plan: Platform, commanded_wheels: bool = False) -> Model:
    """Inputs "command vx", "command vy" [m/s], "command turn" [rad/s] along the axes of the pose
    that they lead to, "wanted x", "wanted y" [m] and "wanted heading" [rad]; or, with
    `commanded_wheels`, "command 1" … [rad/s], the speed of each wheel."""
    m = Model(name, gravity=(0, 0, -G))
    x, y, z = (side**2 for side in plan.half)
    third = plan.mass / 3
    body = m.body("chassis", plan.mass, inertia=(third * (y + z), third * (x + z), third * (x + y)))
    m.joint("platform", Free(), m.ground, body, position=(0, 0, plan.height(), 1, 0, 0, 0))
    m.sensor("position", Position(body.at(0, 0, 0)))
    ahead = m.sensor("ahead", Direction(body.at(0, 0, 0), "x"))
    m.sensor("heading", Signal(atan2(ahead[1], ahead[0]), "rad"))
    m.sensor("energy", Energy())
    wheels = [_add_wheel(m, i, body, mount, plan) for i, mount in enumerate(plan.mounts)]
    if commanded_wheels:
        speeds: list[Value] = [
            m.input(f"command {i + 1}", unit="rad/s") for i in range(len(wheels))
        ]
    else:
        speeds = plan.wheel_speeds(m, _wanted_velocity(m, plan.correction))
    for wheel, speed in zip(wheels, speeds, strict=True):
        m.force(f"{wheel} servo", JointEffort(wheel, plan.gain * (speed - m.rate(wheel))))
    return m


def _wanted_velocity(m: Model, correction: float) -> list[Value]:
    """v_x, v_y and Ω along the platform's axes: those of the commanded pose, and so much a second
    of the way to it."""
    vx, vy = (m.input(f"command {word}", unit="m/s") for word in ("vx", "vy"))
    turn = m.input("command turn", unit="rad/s")
    heading = m.state("wanted heading", rate=turn, unit="rad")
    c, s = cos(heading), sin(heading)
    rates = c * vx - s * vy, s * vx + c * vy
    place = [m.state(f"wanted {w}", rate=r, unit="m") for w, r in zip("xy", rates, strict=True)]
    if correction == 0.0:
        return [vx, vy, turn]
    away = [place[i] - m.signal(f"position.{axis}") for i, axis in enumerate("xy")]
    f_x, f_y = m.signal("ahead.x"), m.signal("ahead.y")
    to_x, to_y = (rates[i] + correction * away[i] for i in range(2))
    lag = s * f_x - c * f_y  # sine of the angle that it lags
    return [f_x * to_x + f_y * to_y, f_x * to_y - f_y * to_x, turn + correction * lag]


def _add_wheel(m: Model, number: int, body: BodyHandle, mount: Mount, plan: Platform) -> str:
    """A wheel on the floor, by its name."""
    name, R = f"wheel {number + 1}", 0.9 * plan.shape.off
    across = plan.disc_mass * R**2 / 4
    disc = m.body(name, plan.disc_mass, inertia=(across, 2 * across, across))
    m.joint(name, Revolute("y"), body.at(mount.x, mount.y, 0, turn=("z", mount.heading)), disc)
    shape = replace(plan.shape, inclination=mount.inclination)
    wheel = add_rollers(m, disc, shape, plan.tracker, plan.bearing)
    law = HuntCrossley(plan.stiffness, plan.damping)
    m.force(f"{name} floor", RollerContact(wheel, law, plan.friction, plan.slip_speed))
    m.sensor(f"{name} contact", ContactPoint(wheel))
    return name
