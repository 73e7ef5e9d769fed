"""A wheel at a kerb or a wall: its carcass gives way, then its rim and what holds it."""

from dataclasses import dataclass

from touchback.contact.contact_laws import Crush
from touchback.model.mechanics import Mechanics
from touchback.spatial.vectors import Scalar, Vector, Vectors
from touchback.symbolic.functions import maximum, minimum, select, sign, sqrt
from touchback.symbolic.scalars import Operators
from touchback.vehicle.numbers import as_numbers, as_scalars
from touchback.vehicle.roads import Kerb
from touchback.vehicle.rubbing import rubbing
from touchback.vehicle.tyres import AnyTyre

_VECTORS = Vectors(Operators())  # of numbers with operators
HALF_WIDTH = 0.27  # of a tyre, in free radii
_CARCASS = 0.3  # of the free radius, as of usual tyres
_STEEPEST = 4e3  # N s/m: a third of a wheel's mass in 1 ms


def carcass(tyre: AnyTyre) -> float:
    """How far a tyre gives way before its rim does [m]."""
    return _CARCASS * tyre.free_radius()


def carried(kerb: Kerb, centre: Vector, tyre: AnyTyre) -> Scalar:
    """1 where a wheel rolls on the kerb's top as on a road, else 0: then the kerb pushes it, also
    from below while it is deeper than its carcass, on its way up."""
    return kerb.carries(centre, tyre.free_radius() - carcass(tyre))


@dataclass(frozen=True)
class WheelAtKerb:
    """A `tyre` under `pressure` [Pa] on a wheel at an instant, as numbers with operators: its
    centre, velocity, turning and axle; the law of its `rim` and of what holds it, and how deep
    that was ever pressed in, `dent` [m]."""

    mechanics: Mechanics
    tyre: AnyTyre
    pressure: Scalar
    wheel: list[Vector]
    rim: Crush
    dent: Scalar

    def push(self, kerb: Kerb) -> tuple[Vector, Vector]:
        """Force and torque about its centre with which a kerb's face or edge pushes the wheel."""
        dot, scale, add = _VECTORS.dot, _VECTORS.scale, _VECTORS.add
        centre, velocity, turning, axle = self.wheel
        spin, half = dot(turning, axle), HALF_WIDTH * self.tyre.free_radius()
        radius = self.tyre.radius(spin)
        depth, out = self._depth(kerb)
        inside = dot(out, axle)
        flat = _VECTORS.sub(out, scale(inside, axle))
        length = sqrt(maximum(dot(flat, flat), 1e-12))
        arm = add(scale(-radius / length, flat), scale(-half * sign(inside), axle))
        rim = add(velocity, _VECTORS.cross(turning, arm))
        closing = -dot(out, add(velocity, _VECTORS.cross(self._carried(), arm)))
        normal = maximum(self._normal(depth, closing, spin), 0.0)
        normal = select(depth > 0.0, select(carried(kerb, centre, self.tyre), 0.0, normal), 0.0)
        slip = _VECTORS.sub(rim, scale(dot(out, rim), out))
        force = add(scale(normal, out), rubbing(kerb.friction, normal, slip, _STEEPEST))
        return force, _VECTORS.cross(arm, force)

    def denting(self, kerbs: tuple[Kerb, ...]) -> Scalar:
        """How fast the dent deepens [m/s]."""
        k, rate = self.mechanics.k, 0.0
        for kerb in kerbs:
            beyond = self._depth(kerb)[0] - carcass(self.tyre)
            (depth,) = as_scalars(k, [select(carried(kerb, self.wheel[0], self.tyre), 0.0, beyond)])
            (found,) = as_numbers(k, [self.rim.deepening(self.mechanics, depth, self._own())])
            rate = maximum(rate, found)
        return rate

    def _depth(self, kerb: Kerb) -> tuple[Scalar, Vector]:
        """How far a drum as large as the wheel is in the kerb [m], and the way out."""
        centre, _, turning, axle = self.wheel
        radius = self.tyre.radius(_VECTORS.dot(turning, axle))
        gap, out = kerb.gap(centre, axle, radius, HALF_WIDTH * self.tyre.free_radius())
        return -gap, out

    def _normal(self, depth: Scalar, closing: Scalar, spin: Scalar) -> Scalar:
        """Carcass and rim, one behind the other: the tyre is pressed against what is left of the
        rim, and that only by a tyre which is flat."""
        k, tyre = self.mechanics.k, self.tyre
        (left,) = as_numbers(k, [self.rim.remaining(self.mechanics, self._own())])
        pressed = minimum(depth - left, carcass(self.tyre))
        soft = tyre.load(pressed, spin, 0.0, self.pressure) + tyre.damping() * closing
        (beyond,) = as_scalars(k, [depth - carcass(self.tyre)])
        (rim,) = as_numbers(k, [self.rim.force(self.mechanics, beyond, 0, self._own())])
        return select(pressed > 0.0, maximum(soft, 0.0), 0.0) + rim

    def _own(self) -> dict[str, Scalar]:
        return {"deepest": as_scalars(self.mechanics.k, [self.dent])[0]}

    def _carried(self) -> Vector:
        """The turning of what carries the wheel: without its spin."""
        _, _, turning, axle = self.wheel
        return _VECTORS.sub(turning, _VECTORS.scale(_VECTORS.dot(turning, axle), axle))
