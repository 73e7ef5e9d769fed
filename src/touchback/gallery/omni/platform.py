"""A platform on omni or Mecanum wheels that follows commanded velocities.

Each wheel has a speed servo; its command comes from the inverse kinematics, traced into the model.
The floor is compliant under the roller in contact, with friction: wheels may slip, loads shift."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from touchback.gallery.omni.floor import ContactPoint, RollerContact
from touchback.gallery.omni.kinematics import Mount, wheel_speeds
from touchback.gallery.omni.shape import WheelShape
from touchback.gallery.omni.wheel import add_rollers, total_mass
from touchback.model import Model
from touchback.model.forces import JointEffort
from touchback.model.forces.contact_laws import HuntCrossley
from touchback.model.frame import BodyHandle
from touchback.model.joints import Free, Revolute
from touchback.model.sensors import Direction, Energy, Position, Signal
from touchback.symbolic.functions import atan2

G = 9.81


@dataclass(frozen=True)
class Platform:
    """What a platform is made of. Its wheels' `shape` takes the inclination of each mount.

    Masses [kg]; half extents of the chassis, a uniform box [m]; the floor's stiffness [N/m^1.5] and
    damping [s/m], its friction and the speed u₀ below which friction gives way [m/s]; the servos'
    gain and the damping in rollers' bearings [N m s/rad]."""

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

    def total_mass(self) -> float:
        """[kg]"""
        return self.mass + len(self.mounts) * total_mass(self.disc_mass, self.shape)

    def height(self) -> float:
        """Of the axles where the floor carries the weight evenly [m]."""
        share = self.total_mass() * G / len(self.mounts)
        return self.shape.radius - (share / self.stiffness) ** (2 / 3)


def make_platform(name: str, plan: Platform, commanded_wheels: bool = False) -> Model:
    """Inputs "command vx", "command vy" [m/s], "command turn" [rad/s] along the platform's own
    axes; or, with `commanded_wheels`, "command 1" … [rad/s], the speed of each wheel."""
    m = Model(name, gravity=(0, 0, -G))
    x, y, z = (side**2 for side in plan.half)
    third = plan.mass / 3
    body = m.body("chassis", plan.mass, inertia=(third * (y + z), third * (x + z), third * (x + y)))
    m.joint("platform", Free(), m.ground, body, position=(0, 0, plan.height(), 1, 0, 0, 0))
    if commanded_wheels:
        speeds = [m.input(f"command {i + 1}", unit="rad/s") for i in range(len(plan.mounts))]
    else:
        vx, vy = (m.input(f"command {word}", unit="m/s") for word in ("vx", "vy"))
        turn = m.input("command turn", unit="rad/s")
        speeds = wheel_speeds(plan.mounts, plan.shape.radius, vx, vy, turn)
    for i, (mount, speed) in enumerate(zip(plan.mounts, speeds, strict=True)):
        _add_wheel(m, f"wheel {i + 1}", body, mount, plan, speed)
    m.sensor("position", Position(body.at(0, 0, 0)))
    ahead = m.sensor("ahead", Direction(body.at(0, 0, 0), "x"))
    m.sensor("heading", Signal(atan2(ahead[1], ahead[0]), "rad"))
    m.sensor("energy", Energy())
    return m


def _add_wheel(
    m: Model, name: str, body: BodyHandle, mount: Mount, plan: Platform, speed: Any
) -> None:
    """A driven wheel on the floor."""
    R = 0.9 * plan.shape.off
    across = plan.disc_mass * R**2 / 4
    disc = m.body(name, plan.disc_mass, inertia=(across, 2 * across, across))
    m.joint(name, Revolute("y"), body.at(mount.x, mount.y, 0, turn=("z", mount.heading)), disc)
    shape = replace(plan.shape, inclination=mount.inclination)
    wheel = add_rollers(m, disc, shape, plan.tracker, plan.bearing)
    law = HuntCrossley(plan.stiffness, plan.damping)
    m.force(f"{name} floor", RollerContact(wheel, law, plan.friction, plan.slip_speed))
    m.force(f"{name} servo", JointEffort(name, plan.gain * (speed - m.rate(name))))
    m.sensor(f"{name} contact", ContactPoint(wheel))
