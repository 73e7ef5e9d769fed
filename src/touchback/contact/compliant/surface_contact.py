"""A compliant contact of two implicit surfaces whose nearest points are states of the model."""

from dataclasses import astuple
from functools import partial
from typing import ClassVar

from touchback.contact.compliant.base import CompliantContact
from touchback.contact.laws import (
    AnyLaw,
    ContactLaw,
    HuntCrossley,
    regularised_coulomb,
)
from touchback.contact.start import find_nearest, numbers
from touchback.contact.surfaces import AnySurface
from touchback.contact.surfaces.base import Surface, has_hidden
from touchback.contact.tracking import Nearest, Side, Tracking, Twist
from touchback.errors import ModelError
from touchback.model.forces.base import InternalState
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces, Mechanics
from touchback.model.shapes import Shapes
from touchback.model.value import Value, check_positive, is_zero, triple
from touchback.spatial.vectors import Scalar, Vector

_NAMES = ("ax", "ay", "az", "bx", "by", "bz", "ratio", "reach", "hidden a", "hidden b")
_UNITS = ("m",) * 6 + ("",) * 4


class SurfaceContact(CompliantContact, frozen=True, tag="surface-contact"):
    """`surface_a` in the axes of frame `a` against `surface_b` in those of `b`.

    The nearest points are tracked by Kosenko's differential system (7–8): they are states, found by
    `find_nearest` wherever a state is assembled, from `guess`, a point [m] in the axes of `b` near
    to where they touch (None: half-way between the frames), or given as `start`, the ten `numbers`
    of a `Nearest` along world axes. `correction` [1/s] draws them towards the algebraic system (5),
    by which they don't drift; 0 leaves (7–8) alone. The normal force is that of `law`, friction is
    −μ N u/√(u² + u₀²)."""

    UNITS: ClassVar[dict[str, str]] = {"friction": "1", "slip_speed": "m/s", "correction": "1/s"}
    a: Frame
    surface_a: AnySurface
    b: Frame
    surface_b: AnySurface
    start: tuple[float, ...] = ()
    law: AnyLaw = HuntCrossley(1e6)
    friction: Value = 0.0
    slip_speed: Value = 1e-3
    correction: Value = 100.0
    guess: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        for word, given in (("surface_a", self.surface_a), ("surface_b", self.surface_b)):
            if not isinstance(given, Surface):
                raise ModelError(
                    f"SurfaceContact: its {word} is {given!r}; a surface such as Ball(0.1) is "
                    "expected."
                )
        if not isinstance(self.law, ContactLaw):
            raise ModelError(
                f"SurfaceContact: its law is {self.law!r}; one such as "
                "tb.contact.HuntCrossley(1e6) is expected."
            )
        check_positive("SurfaceContact", slip_speed=self.slip_speed)
        check_positive(
            "SurfaceContact", zero=True, friction=self.friction, correction=self.correction
        )
        if len(self.start) not in (0, len(_NAMES)):
            raise ModelError(
                f"SurfaceContact: its start has {len(self.start)} numbers, {len(_NAMES)} are "
                "expected: `start=numbers(find_nearest(side_a, side_b, guess))`. Leave it out to "
                "have them found."
            )
        if self.guess is not None:
            triple("SurfaceContact: guess", self.guess)

    def shapes(self) -> Shapes:
        pairs = ((self.a, self.surface_a.shape()), (self.b, self.surface_b.shape()))
        return [(frame, shape) for frame, shape in pairs if shape is not None]

    def normal_law(self) -> ContactLaw:
        return self.law

    def states(self) -> dict[str, InternalState]:
        own = {
            name: InternalState(
                float(self.start[i]) if self.start else 0.0, partial(self._rate, i), _UNITS[i]
            )
            for i, name in self._tracked().items()
        }
        return {**own, **super().states()}

    def begin(self, mechanics: Mechanics) -> dict[str, float]:
        if self.start:
            return {}
        found = numbers(find_nearest(*self._sides(mechanics), self._guess(mechanics),
                                     value=mechanics.value))  # fmt: skip
        return {name: float(found[i]) for i, name in self._tracked().items()}

    def _guess(self, mechanics: Mechanics) -> Vector:
        """The guess along world axes."""
        vectors = mechanics.vectors
        p_a, p_b = mechanics.position(self.a), mechanics.position(self.b)
        if self.guess is None:
            return [0.5 * (x + y) for x, y in zip(p_a, p_b, strict=True)]
        return vectors.add(p_b, vectors.apply(mechanics.rotation(self.b), list(self.guess)))

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

    def shown_at(self, mechanics: Mechanics) -> Vector:
        return self._nearest(mechanics).on_b

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
        return Tracking(mechanics.k, mechanics.value, *self._sides(mechanics))

    def _sides(self, mechanics: Mechanics) -> tuple[Side, Side]:
        a, b = (
            Side(surface, mechanics.rotation(frame), mechanics.position(frame))
            for surface, frame in ((self.surface_a, self.a), (self.surface_b, self.b))
        )
        return a, b

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
