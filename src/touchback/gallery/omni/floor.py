"""A wheel on the floor: what it feels and what friction does to it."""

from touchback import ForceKind, Frame, SensorKind
from touchback.contact.compliant_contacts import CompliantContact
from touchback.contact.contact_laws import HuntCrossley, regularised_coulomb
from touchback.errors import ModelError
from touchback.gallery.omni.footing import TRACKERS, Floor, Footing, sector_over
from touchback.gallery.omni.shape import WheelShape
from touchback.model.mechanics import Forces, Mechanics
from touchback.model.sensors.base import XYZ
from touchback.model.value import Data, Value, check_positive
from touchback.names import suggestion
from touchback.numbers import Scalar, Vector

TOUCHING = 1e-7  # m: a gap that is less is none


class RollerPlace(Data, frozen=True):
    """The joint on which a roller spins, and the frame in its centre."""

    joint: str
    frame: Frame


class WheelOnFloor(Data, frozen=True):
    """A disc whose axle is the y axis of `disc`, its rollers in the order of their angles (the
    first at −z), and the x-y plane of `floor`. `tracker`: "explicit", "section" or "implicit"."""

    disc: Frame
    rollers: tuple[RollerPlace, ...]
    shape: WheelShape
    floor: Frame = Frame("ground")
    tracker: str = "explicit"

    def __post_init__(self) -> None:
        if self.tracker not in TRACKERS:
            hint = suggestion(str(self.tracker), TRACKERS)
            raise ModelError(f"WheelOnFloor: there is no tracker {self.tracker!r}; {hint}")
        if len(self.rollers) != self.shape.rollers:
            raise ModelError(
                f"WheelOnFloor: its shape has {self.shape.rollers} rollers, but "
                f"{len(self.rollers)} are given."
            )

    def plane(self, mechanics: Mechanics) -> Floor:
        """The floor."""
        return Floor(mechanics.rotation(self.floor), mechanics.position(self.floor))

    def footing(self, mechanics: Mechanics) -> Footing:
        """Where it stands."""
        floor = self.plane(mechanics)
        R, wheel = mechanics.rotation(self.disc), mechanics.position(self.disc)
        sector = sector_over(mechanics, self.shape, R, wheel, floor)
        return TRACKERS[self.tracker](mechanics, self.shape, sector, floor)

    def masks(self, mechanics: Mechanics, footing: Footing) -> list[Scalar]:
        """1 for the roller in contact, 0 for the others."""
        k = mechanics.k
        return [k.equal(footing.sector.index, k.const(float(i))) for i in range(len(self.rollers))]

    def velocity(self, mechanics: Mechanics, footing: Footing) -> Vector:
        """Velocity of the roller's point P relative to the floor, along the floor's axes [m/s]."""
        k, vectors, at = mechanics.k, mechanics.vectors, footing.sector
        spin: Scalar = 0
        for place, mask in zip(self.rollers, self.masks(mechanics, footing), strict=True):
            spin = k.add(spin, k.mul(mask, mechanics.rate(place.joint)))
        lever = vectors.sub(footing.point, at.wheel)
        own = vectors.cross(mechanics.angular_velocity(self.disc), lever)
        own = vectors.add(mechanics.velocity(self.disc), own)
        arm = vectors.sub(footing.point, at.centre)
        own = vectors.add(own, vectors.scale(spin, vectors.cross(at.axis, arm)))
        from_floor = vectors.sub(footing.point, mechanics.position(self.floor))
        turn = vectors.cross(mechanics.angular_velocity(self.floor), from_floor)
        carried = vectors.add(mechanics.velocity(self.floor), turn)
        return vectors.apply_transposed(mechanics.rotation(self.floor), vectors.sub(own, carried))

    def push(self, mechanics: Forces, footing: Footing, force: Vector) -> None:
        """Apply a force, along the floor's axes, to the roller in contact at P, and its opposite
        to the floor."""
        vectors = mechanics.vectors
        F = vectors.apply(mechanics.rotation(self.floor), force)
        arm = vectors.sub(footing.point, footing.sector.centre)
        moment = vectors.cross(arm, F)
        for place, mask in zip(self.rollers, self.masks(mechanics, footing), strict=True):
            mechanics.push(place.frame, vectors.scale(mask, F), vectors.scale(mask, moment))
        lever = vectors.sub(footing.point, mechanics.position(self.floor))
        back = vectors.neg(F)
        mechanics.push(self.floor, back, vectors.cross(lever, back))


class RollerFriction(ForceKind, frozen=True, tag="roller-friction"):
    """Friction of the roller in contact under a known `load` [N]: −μ N u/√(u² + u₀²); none where
    the load is less than 0, or the roller is off the floor."""

    wheel: WheelOnFloor
    load: Value
    friction: Value = 0.3
    slip_speed: Value = 1e-2

    def __post_init__(self) -> None:
        check_positive("RollerFriction", slip_speed=self.slip_speed)
        check_positive("RollerFriction", zero=True, friction=self.friction, load=self.load)

    def apply(self, mechanics: Forces) -> None:
        footing = self.wheel.footing(mechanics)
        self.wheel.push(mechanics, footing, self.force(mechanics, footing))

    def shown_at(self, mechanics: Mechanics) -> Vector:
        return self.wheel.footing(mechanics).point

    def force(self, mechanics: Mechanics, footing: Footing) -> Vector:
        """On the roller, along the floor's axes [N]."""
        slip = self.wheel.velocity(mechanics, footing)[:2]
        k = mechanics.k
        touches = k.less(footing.gap, k.const(TOUCHING))
        load = k.mul(touches, k.maximum(0, mechanics.value(self.load)))
        return [*regularised_coulomb(mechanics, self.friction, self.slip_speed, load, slip), 0]


class RollerContact(CompliantContact, frozen=True, tag="roller-contact"):
    """A compliant floor under the roller in contact, by Hunt and Crossley's law, with friction
    −μ N u/√(u² + u₀²)."""

    wheel: WheelOnFloor
    law: HuntCrossley
    friction: Value = 0.6
    slip_speed: Value = 1e-2

    def __post_init__(self) -> None:
        check_positive("RollerContact", slip_speed=self.slip_speed)
        check_positive("RollerContact", zero=True, friction=self.friction)

    def apply(self, mechanics: Forces) -> None:
        footing = self.wheel.footing(mechanics)
        self.wheel.push(mechanics, footing, self.force(mechanics, footing))

    def shown_at(self, mechanics: Mechanics) -> Vector:
        return self.wheel.footing(mechanics).point

    def force(self, mechanics: Mechanics, footing: Footing) -> Vector:
        """On the roller, along the floor's axes [N]."""
        u_x, u_y, u_z = self.wheel.velocity(mechanics, footing)
        N = self.law.force(mechanics, -footing.gap, -u_z, {})
        drag = regularised_coulomb(mechanics, self.friction, self.slip_speed, N, [u_x, u_y])
        return [*drag, N]

    def normal_law(self) -> HuntCrossley:
        return self.law

    def gap(self, mechanics: Mechanics) -> Scalar:
        return self.wheel.footing(mechanics).gap

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        return self.force(mechanics, self.wheel.footing(mechanics))[2]


class RollerInContact(SensorKind, frozen=True, tag="omni-roller"):
    """The number of the roller over the floor, from 0."""

    wheel: WheelOnFloor

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [self.wheel.footing(mechanics).sector.index]


class ContactPoint(SensorKind, frozen=True, tag="omni-contact"):
    """P from the floor's origin along its axes, and the gap under it [m]."""

    wheel: WheelOnFloor

    def components(self) -> tuple[str, ...]:
        return ("x", "y", "z", "gap")

    def unit(self) -> str:
        return "m"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        vectors, floor = mechanics.vectors, self.wheel.floor
        footing = self.wheel.footing(mechanics)
        away = vectors.sub(footing.point, mechanics.position(floor))
        return [*vectors.apply_transposed(mechanics.rotation(floor), away), footing.gap]


class ContactSlip(SensorKind, frozen=True, tag="omni-slip"):
    """Velocity of the roller's point P relative to the floor, along its axes [m/s]."""

    wheel: WheelOnFloor

    def components(self) -> tuple[str, ...]:
        return XYZ

    def unit(self) -> str:
        return "m/s"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(self.wheel.velocity(mechanics, self.wheel.footing(mechanics)))
