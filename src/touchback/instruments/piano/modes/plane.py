"""Kinematics of the action in its plane, written in its angles: where points are, and how far a
round surface is from a flat one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from touchback import Model, cos, maximum, select, sin, sqrt
from touchback.instruments.piano.geometry import Placements, Point, Surface

Pair = tuple[Any, Any]  # x and z, numbers or expressions


@dataclass(frozen=True)
class Hinge:
    """A joint at a place of the resting action [m]; its angle counts from x to z (1) or back."""

    joint: str
    at: Point
    sense: float


@dataclass(frozen=True)
class Round:
    """A round surface: a centre on a body, as it rests [m], shifted up by a screw, and a radius."""

    body: str
    centre: Point
    radius: float
    z: Any = 0.0


@dataclass(frozen=True)
class Flat:
    """A flat surface of a body, as it rests, shifted by screws: up, and along its own normal. With
    an `edge` it ends `edge` metres behind its point, in a corner."""

    body: str
    face: Surface
    z: Any = 0.0
    slide: Any = 0.0
    edge: float | None = None


@dataclass(frozen=True)
class Meeting:
    """A round surface over a flat one: distance [m]; `past`, how far the round one's middle is
    beyond the flat one's edge [m]; the normal, towards the round one, and its point that is nearest
    [m]; the speed with which the round surface slides over the other there [m/s]."""

    gap: Any
    past: Any
    normal: Pair
    touch: Pair
    slides: Any


class Plane:
    """The plane of one action."""

    def __init__(self, m: Model, at: Placements) -> None:
        whippen = Hinge("whippen", at.whippen, -1.0)
        self.chains: dict[str, tuple[Hinge, ...]] = {  # the joint nearest to the body first
            "ground": (),
            "key": (Hinge("key", at.key, 1.0),),
            "whippen": (whippen,),
            "jack": (Hinge("jack", at.jack, 1.0), whippen),
            "hammer": (Hinge("hammer", at.hammer, 1.0),),
        }
        joints = {hinge.joint: hinge for chain in self.chains.values() for hinge in chain}
        self._turns = {
            name: (cos(m.coordinate(name)), hinge.sense * sin(m.coordinate(name)))
            for name, hinge in joints.items()
        }
        self._spins = {name: hinge.sense * m.rate(name) for name, hinge in joints.items()}

    def vector(self, body: str, given: Pair) -> Pair:
        """A vector of a body, given as it rests, in the present pose."""
        x, z = given
        for hinge in self.chains[body]:
            c, s = self._turns[hinge.joint]
            x, z = c * x - s * z, s * x + c * z
        return x, z

    def point(self, body: str, given: Pair) -> Pair:
        """A point of a body, given as it rests, in the present pose [m]."""
        return self._carried(self.chains[body], given)

    def _carried(self, chain: Sequence[Hinge], given: Pair) -> Pair:
        x, z = given
        for hinge in chain:
            c, s = self._turns[hinge.joint]
            pin_x, pin_z = map(float, hinge.at)
            x, z = x - pin_x, z - pin_z
            x, z = pin_x + c * x - s * z, pin_z + s * x + c * z
        return x, z

    def velocity(self, body: str, at: Pair) -> Pair:
        """The velocity of a body where it passes a place of the present pose [m/s]."""
        x, z = 0.0, 0.0
        chain = self.chains[body]
        for i, hinge in enumerate(chain):
            pin = self._carried(chain[i + 1 :], _pair(hinge.at))
            (dx, dz), spin = _minus(at, pin), self._spins[hinge.joint]
            x, z = x - spin * dz, z + spin * dx
        return x, z

    def meeting(self, first: Round, second: Flat) -> Meeting:
        """How a round surface is to a flat one."""
        x, z = map(float, first.centre)
        centre = self.point(first.body, (x, z + first.z))
        up = self.vector(second.body, _pair(second.face.normal))
        along = (up[1], -up[0])
        n_x, n_z = _pair(second.face.normal)
        x, z = _pair(second.face.at)
        middle = (x + second.slide * n_x, z + second.z + second.slide * n_z)
        apart = _minus(centre, self.point(second.body, middle))
        height = _dot(apart, up)
        if second.edge is None:
            normal, gap, past = up, height - first.radius, None
        else:
            past = _dot(apart, along) - second.edge
            above, beyond = maximum(height, 0.0), past > 0.0
            corner = sqrt(past * past + above * above)
            share = 1.0 / select(beyond, corner, 1.0)
            normal = (
                select(beyond, share * (past * along[0] + above * up[0]), up[0]),
                select(beyond, share * (past * along[1] + above * up[1]), up[1]),
            )
            gap = select(beyond, corner, height) - first.radius
        touch = _minus(centre, (first.radius * normal[0], first.radius * normal[1]))
        velocities = (self.velocity(body, touch) for body in (first.body, second.body))
        slides = _dot(_minus(*velocities), (normal[1], -normal[0]))
        return Meeting(gap, past, normal, touch, slides)


def _pair(point: Point) -> Pair:
    return float(point[0]), float(point[1])


def _minus(a: Pair, b: Pair) -> Pair:
    return a[0] - b[0], a[1] - b[1]


def _dot(a: Pair, b: Pair) -> Any:
    return a[0] * b[0] + a[1] * b[1]
