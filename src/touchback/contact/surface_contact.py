"""A compliant contact of two implicit surfaces whose nearest points are states of the model."""

from dataclasses import astuple
from functools import partial

from touchback.contact.surfaces.base import Surface, has_hidden
from touchback.contact.tracking import Nearest, Side, Tracking, Twist
from touchback.errors import ModelError
from touchback.model.forces.base import InternalState
from touchback.model.forces.compliant_contact import CompliantContact
from touchback.model.forces.contact_laws import (
    AnyLaw,
    ContactLaw,
    HuntCrossley,
    regularised_coulomb,
)
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces, Mechanics
from touchback.model.value import Value, is_zero
from touchback.spatial.vectors import Scalar, Vector

_NAMES = ("ax", "ay", "az", "bx", "by", "bz", "ratio", "reach", "hidden a", "hidden b")
_UNITS = ("m",) * 6 + ("",) * 4


class SurfaceContact(CompliantContact, frozen=True, tag="surface-contact"):
    """`surface_a` in the axes of frame `a` against `surface_b` in those of `b`.

    The nearest points are tracked by Kosenko's differential system (7–8): they are states, whose
    initial values `start` come from `find_nearest` at the initial position. `correction` [1/s]
    draws them towards the algebraic system (5), by which they don't drift; 0 leaves (7–8) alone.
    The normal force is that of `law`, friction is −μ N u/√(u² + u₀²)."""

    a: Frame
    surface_a: Surface
    b: Frame
    surface_b: Surface
    start: tuple[float, ...]
    law: AnyLaw = HuntCrossley(1e6)
    friction: Value = 0.0
    slip_speed: Value = 1e-3
    correction: Value = 100.0

    def __post_init__(self) -> None:
        if len(self.start) != len(_NAMES):
            raise ModelError(
                f"SurfaceContact: its start has {len(self.start)} numbers, {len(_NAMES)} are "
                "expected; give `start=numbers(find_nearest(side_a, side_b, guess))`."
            )

    def normal_law(self) -> ContactLaw:
        return self.law

    def states(self) -> dict[str, InternalState]:
        own = {
            name: InternalState(float(self.start[i]), partial(self._rate, i), _UNITS[i])
            for i, name in self._tracked().items()
        }
        return {**own, **super().states()}

    def gap(self, mechanics: Mechanics) -> Scalar:
        return self._tracking(mechanics).normal(self._nearest(mechanics))[1]

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        return self._force(mechanics)[1]

    def apply(self, mechanics: Forces) -> None:
        """The force acts on both bodies at the nearest point of B."""
        vectors = mechanics.vectors
        force, _ = self._force(mechanics)
        point = self._nearest(mechanics).on_b
        for frame, push in ((self.a, force), (self.b, vectors.neg(force))):
            lever = vectors.sub(point, mechanics.position(frame))
            mechanics.push(frame, push, vectors.cross(lever, push))

    def _force(self, mechanics: Mechanics) -> tuple[Vector, Scalar]:
        """On A along world axes, and its normal part."""
        vectors = mechanics.vectors
        at = self._nearest(mechanics)
        normal, gap = self._tracking(mechanics).normal(at)
        velocity = vectors.sub(
            self._carried(mechanics, self.a, at.on_b), self._carried(mechanics, self.b, at.on_b)
        )
        speed = vectors.dot(normal, velocity)
        N = self.law.force(mechanics, -gap, -speed, self._own(mechanics))
        slip = vectors.sub(velocity, vectors.scale(speed, normal))
        drag = regularised_coulomb(mechanics, self.friction, self.slip_speed, N, slip)
        return vectors.add(vectors.scale(N, normal), drag), N

    def _rate(self, index: int, mechanics: Mechanics) -> Scalar:
        k = mechanics.k
        tracking, at = self._tracking(mechanics), self._nearest(mechanics)
        rates = tracking.rates(at, self._twist(mechanics, self.a), self._twist(mechanics, self.b))
        rate = _flat(rates)[index]
        if is_zero(self.correction):
            return rate
        off = k.sub(_flat(tracking.newton(at))[index], _flat(at)[index])
        return k.add(rate, k.mul(mechanics.value(self.correction), off))

    def _tracked(self) -> dict[int, str]:
        """The states by their place; hidden coordinates only where there are any."""
        hidden = (has_hidden(self.surface_a), has_hidden(self.surface_b))
        return {i: name for i, name in enumerate(_NAMES) if i < 8 or hidden[i - 8]}

    def _nearest(self, mechanics: Mechanics) -> Nearest:
        known = self._tracked()
        x = [mechanics.state(self, known[i]) if i in known else 0 for i in range(len(_NAMES))]
        return Nearest(x[0:3], x[3:6], *x[6:])

    def _tracking(self, mechanics: Mechanics) -> Tracking:
        a, b = (
            Side(surface, mechanics.rotation(frame), mechanics.position(frame))
            for surface, frame in ((self.surface_a, self.a), (self.surface_b, self.b))
        )
        return Tracking(mechanics.k, mechanics.value, a, b)

    def _twist(self, mechanics: Mechanics, frame: Frame) -> Twist:
        return Twist(mechanics.angular_velocity(frame), mechanics.velocity(frame))

    def _carried(self, mechanics: Mechanics, frame: Frame, point: Vector) -> Vector:
        vectors = mechanics.vectors
        lever = vectors.sub(point, mechanics.position(frame))
        spin = vectors.cross(mechanics.angular_velocity(frame), lever)
        return vectors.add(mechanics.velocity(frame), spin)


def _flat(at: Nearest) -> list[Scalar]:
    on_a, on_b, *others = astuple(at)
    return [*on_a, *on_b, *others]
