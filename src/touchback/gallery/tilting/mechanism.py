"""A narrow vehicle of three wheels that all lean with its body: the mechanism.

Two rear wheels stand on a parallelogram: a beam across, on the tilting shaft under the body, an
upright at either end, and two rods from the uprights' tops to the body. The beam stays level
between its two tyres; body and wheels lean as those of a motorcycle do. Numbers are our own, of a
small-scale demonstrator such as Docquier 2021, section 5.3 shows."""

from dataclasses import dataclass, field
from math import pi

from touchback import Box, Capsule, Cylinder, Frame, Free, Model, Revolute, Rod, Sphere
from touchback.contact import SphereOnPlane
from touchback.errors import ModelError
from touchback.model.frame import BodyHandle
from touchback.model.value import check_positive
from touchback.vehicle.suspension import Wheel
from touchback.vehicle.tyre_on_road import TyreForces, TyreOnRoad
from touchback.vehicle.tyres import AnyTyre, BrushTyre

TILT = "tilt"  # the shaft's joint: how far the body leans to the left [rad]
OUT = 0.24, 0.20  # m: how wide and how high outriggers end, on which it lies once it has fallen
SPINS = ("rear left spin", "rear right spin", "front spin")


def _tyre() -> BrushTyre:
    return BrushTyre(
        unloaded_radius=0.1008, vertical_stiffness=6e4, vertical_damping=60.0, relaxation_x=0.02,
        relaxation_y=0.05, slip_stiffness=1000.0, cornering_stiffness=750.0, nominal_load=50.0,
        friction=1.0, patch=0.01,
    )  # fmt: skip


@dataclass(frozen=True)
class Tilting:
    """Lengths [m], masses [kg], moments about the centres of mass [kg m²]. The origin is on the
    road under the rear axle; wheels' centres are at `radius`, where the beam is too; `link` is how
    far above it the rods are."""

    wheelbase: float = 0.70
    half_track: float = 0.14
    radius: float = 0.10
    link: float = 0.06
    mass: float = 12.0
    com: tuple[float, float, float] = (0.30, 0.0, 0.26)
    inertia: tuple[float, float, float] = (0.15, 0.50, 0.45)
    beam_mass: float = 0.6
    upright_mass: float = 0.3
    fork_mass: float = 0.4
    wheel: Wheel = field(
        default_factory=lambda: Wheel(mass=0.5, spin_inertia=0.004, cross_inertia=0.0022)
    )
    tyre: AnyTyre = field(default_factory=_tyre)

    def __post_init__(self) -> None:
        lengths = {
            name: getattr(self, name) for name in ("wheelbase", "half_track", "radius", "link")
        }
        check_positive("Tilting", **lengths, mass=self.mass)
        if self.com[1] != 0.0:
            raise ModelError(
                f"Tilting: the body's centre of mass is {self.com[1]} m off its middle; it would "
                "not stand upright. Give y = 0."
            )


def add_tilting(model: Model, plan: Tilting, speed: float = 0.0) -> BodyHandle:
    """Put it on the level road z = 0, upright and ahead with `speed` [m/s]: its body. Joints are
    "tilt" of the beam on the body, "steer" of the fork, and the `SPINS`."""
    body = model.body("body", plan.mass, plan.com, plan.inertia)
    model.joint("body", Free(), model.ground, body, velocity=[speed, 0.0, 0.0, 0.0, 0.0, 0.0])
    wide, slim = plan.half_track, plan.link
    across = plan.beam_mass * wide**2 / 3.0
    beam = model.body("beam", plan.beam_mass, inertia=(across, across / 20.0, across))
    shaft = body.at(0.0, 0.0, plan.radius)
    model.joint(TILT, Revolute("x"), shaft, beam, limits=(-0.7, 0.7), stop=(400.0, 4.0))
    spin = speed / plan.radius
    for word, sign in (("left", 1.0), ("right", -1.0)):
        moment = plan.upright_mass * slim**2 / 3.0
        upright = model.body(
            f"{word} upright", plan.upright_mass, inertia=(moment, moment, moment / 10.0)
        )
        model.joint(f"{word} upright", Revolute("x"), beam.at(0.0, sign * wide, 0.0), upright)
        ends = body.at(0.0, 0.0, plan.radius + slim), upright.at(0.0, 0.0, slim)
        model.close(f"{word} rod", Rod(wide), *ends)
        _add_wheel(model, plan, upright.at(0.0, 0.0, 0.0), f"rear {word}", spin)
    fork = model.body("fork", plan.fork_mass, inertia=(1e-3, 1e-3, 4e-4))
    model.joint("steer", Revolute("z"), body.at(plan.wheelbase, 0.0, plan.radius), fork)
    _add_wheel(model, plan, fork.at(0.0, 0.0, 0.0), "front", spin)
    for word, sign in (("left", 1.0), ("right", -1.0)):
        model.force(f"{word} outrigger", SphereOnPlane(
            body.at(plan.com[0], sign * OUT[0], OUT[1]), radius=0.02, stiffness=1e5, damping=2.0,
            friction=0.3, slip_speed=0.05,
        ))  # fmt: skip
    low, length = plan.radius + 0.02, plan.wheelbase
    model.shape("floor", body.at(0.4 * length, 0, low), Box((0.8 * length, 0.12, 0.03)))
    model.shape("steering head", fork.at(0, 0, 0.12), Sphere(0.02))
    model.shape("driver", body.at(plan.com[0] - 0.07, 0, low + 0.2), Capsule(0.05, 0.2))
    return body


def _add_wheel(model: Model, plan: Tilting, hub: Frame, name: str, spin: float) -> None:
    w = plan.wheel
    inertia = (w.cross_inertia, w.spin_inertia, w.cross_inertia)
    wheel = model.body(f"{name} wheel", w.mass, inertia=inertia)
    model.joint(f"{name} spin", Revolute("y"), hub, wheel, velocity=[spin])
    model.force(f"{name} tyre", TyreOnRoad(wheel=wheel.at(0, 0, 0), tyre=plan.tyre))
    model.sensor(name, TyreForces(f"{name} tyre"))
    model.shape(f"{name} wheel", wheel.at(0, 0, 0, turn=("x", pi / 2)), Cylinder(plan.radius, 0.02))
