"""A car's body at walls: a box whose corners crumple, stay dented, and rub along."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

import touchback as tb
from touchback import ForceKind, InternalState, maximum, select
from touchback.model import Forces, FrameField, Mechanics, Operators, Vectors, check_positive
from touchback.numbers import Scalar, Vector
from touchback.vehicle.car_part import FromZero, Part, Positive, Size
from touchback.vehicle.roads import Kerb
from touchback.vehicle.roads.base import rubbing
from touchback.vehicle.scalar_operators import as_numbers, as_scalars

_VECTORS = Vectors(Operators())  # of numbers with operators
_STEEPEST = 1e5  # N s/m of friction: below a corner's mass, some 150 kg, in 1 ms
_CORE = 12.0  # how much stiffer a body is behind what crumples: engine, firewall, sills; assumed
_SHEARED = 0.5  # m, far more than a car comes on while a dent follows, in 1 ms
_SIDES = {"left": 1.0, "right": -1.0}


class Body(Part, frozen=True, kw_only=True):
    """The box of a car: how far it reaches before and behind the axles (`overhang`), its `width`,
    and from where to where above the road it crumples (`low`, `high`) [m].

    A `stiffness` [N/m] that a flat wall finds at front and rear, and the `crumple` length [m],
    behind which the body is thirteen times as stiff; at the sides it is stiffer, and crumples less,
    as the box is longer than wide. With 400 kN/m a car of 1 t at 56 km/h is crushed by
    0.7 m with up to 35 g and leaves with 0.15 of its speed (`restitution`), as cars do in
    full-width tests against a rigid barrier."""

    UNITS: ClassVar[dict[str, str]] = {
        "overhang": "m",
        "width": "m",
        "low": "m",
        "high": "m",
        "stiffness": "N/m",
        "restitution": "1",
        "crumple": "m",
    }

    overhang: FromZero = 0.6
    width: Size = 1.6
    low: Size = 0.25
    high: Size = 0.75
    stiffness: Positive = 4e5
    restitution: Annotated[float, Meta(gt=0.0, le=1.0)] = 0.15
    crumple: Size = 0.75

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise self.wrong(
                "high", f"it reaches from {self.low} m up to {self.high} m; give the lower first."
            )

    def below(self, top: float) -> float:
        """The share of it below a wall's top at design height."""
        return min(max((top - self.low) / (self.high - self.low), 0.0), 1.0)

    def law(self) -> tb.contact.Crush:
        """Of one of the two corners that meet a flat wall."""
        each = 0.5 * self.stiffness
        return tb.contact.Crush(each, self.restitution, self.crumple, _CORE * each)


@dataclass(frozen=True)
class _Touch:
    """A corner at a wall, as numbers with operators: how deep it would be in the wall if it were
    whole, and by how much it was pressed in along that way [m]; the way into the wall along the
    body's axes, and how much stiffer it is that way than ahead; the share of its edge that the
    wall meets; where it is from the body's frame, and its velocity, along world axes."""

    wall: Kerb
    depth: Scalar
    dent: Scalar
    way: Vector
    stiffer: Scalar
    share: Scalar
    arm: Vector
    velocity: Vector


class BodyAtWalls(ForceKind, frozen=True, kw_only=True, tag="body-at-walls"):
    """A `body` on the chassis at whose frame `chassis` (the middle of its front axle on the road, x
    ahead) it hangs, with the rear axle `wheelbase` [m] behind, at upright `walls`.

    Each of its four upright edges is pushed out of a wall by `Crush`, times the share of it that
    is below the wall's top at design height, and rubs along it. What is pressed in stays: each
    edge has two states, how far it was moved along the body's x and y [m]; a wall from another
    side finds it there."""

    UNITS: ClassVar[dict[str, str]] = {"wheelbase": "m"}
    TOUCHES: ClassVar[bool] = True

    chassis: FrameField
    wheelbase: float
    walls: tuple[Kerb, ...]
    body: Body = Body()

    def __post_init__(self) -> None:
        check_positive("BodyAtWalls", wheelbase=self.wheelbase)

    def states(self) -> dict[str, InternalState]:
        return {
            f"{name} {axis}": InternalState(0.0, self._moving(name, i), "m")
            for name in self._corners()
            for i, axis in enumerate("xy")
        }

    def apply(self, mechanics: Forces) -> None:
        add, scale = _VECTORS.add, _VECTORS.scale
        force: Vector = [0.0, 0.0, 0.0]
        torque: Vector = [0.0, 0.0, 0.0]
        for touch in self._touches(mechanics):
            out, normal = touch.wall.out(), self._normal(mechanics, touch)
            slip = _VECTORS.sub(touch.velocity, scale(_VECTORS.dot(out, touch.velocity), out))
            push = add(scale(normal, out), rubbing(touch.wall.friction, normal, slip, _STEEPEST))
            force, torque = add(force, push), add(torque, _VECTORS.cross(touch.arm, push))
        k = mechanics.k
        mechanics.push(self.chassis, as_scalars(k, force), as_scalars(k, torque))

    def potential(self, mechanics: Mechanics) -> Scalar:
        k, stored = mechanics.k, 0.0
        for touch in self._touches(mechanics):
            depth, own = self._asked(mechanics, touch)
            (found,) = as_numbers(k, [self.body.law().energy(mechanics, depth, own)])
            stored = stored + touch.share * found / touch.stiffer
        return as_scalars(k, [stored])[0]

    def gap(self, mechanics: Mechanics) -> Scalar:
        """Distance of the undented body from the nearest wall [m]."""
        depths = [touch.depth for touch in self._touches(mechanics)]
        deepest = depths[0]
        for depth in depths[1:]:
            deepest = maximum(deepest, depth)
        return as_scalars(mechanics.k, [-deepest])[0]

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        """Of all corners and walls together [N]."""
        total: Scalar = 0.0
        for touch in self._touches(mechanics):
            total = total + self._normal(mechanics, touch)
        return as_scalars(mechanics.k, [total])[0]

    def _corners(self) -> dict[str, tuple[float, float]]:
        """Where the upright edges are on the body, whole [m]."""
        box = self.body
        ends = {"front": box.overhang, "rear": -self.wheelbase - box.overhang}
        return {
            f"{end} {side}": (x, sign * 0.5 * box.width)
            for end, x in ends.items()
            for side, sign in _SIDES.items()
        }

    def _touches(self, mechanics: Mechanics) -> Iterator[_Touch]:
        return (
            self._touch(mechanics, name, wall) for name in self._corners() for wall in self.walls
        )

    def _touch(self, mechanics: Mechanics, name: str, wall: Kerb) -> _Touch:
        k, (x, y), box = mechanics.k, self._corners()[name], self.body
        place, velocity, turning = (
            as_numbers(k, ask(self.chassis))
            for ask in (mechanics.position, mechanics.velocity, mechanics.angular_velocity)
        )
        R = [as_numbers(k, row) for row in mechanics.rotation(self.chassis)]
        moved = as_numbers(k, [mechanics.state(self, f"{name} {axis}") for axis in "xy"])
        below = box.below(wall.top)
        height = box.low + 0.5 * below * (box.high - box.low)
        foot = place[2] + _VECTORS.apply(R, [x, y, box.low])[2]
        whole = _VECTORS.add(place, _VECTORS.apply(R, [x, y, height]))
        depth = wall.reached(whole)[0]
        arm = _VECTORS.apply(R, [x + moved[0], y + moved[1], height])
        into = _VECTORS.apply_transposed(R, _VECTORS.scale(-1.0, wall.out()))
        dent = -(into[0] * moved[0] + into[1] * moved[1])
        # One that is behind the face without a dent came over the top, or was sheared off.
        share = select(depth - dent > _SHEARED, 0.0, select(foot < wall.top, below, 0.0))
        return _Touch(
            wall, depth, dent, into, self._stiffer(into), share, arm,
            _VECTORS.add(velocity, _VECTORS.cross(turning, arm)),
        )  # fmt: skip

    def _asked(self, mechanics: Mechanics, touch: _Touch) -> tuple[Scalar, dict[str, Scalar]]:
        """Depth and state as the law takes them: a body that is σ times as stiff and crumples over
        1/σ of the length has the force of the law at σ times the depth."""
        asked = [touch.stiffer * touch.depth, touch.stiffer * maximum(touch.dent, 0.0)]
        depth, dent = as_scalars(mechanics.k, asked)
        return depth, {"deepest": dent}

    def _stiffer(self, way: Vector) -> Scalar:
        """σ: 1 at front and rear, length over width at the sides."""
        box = self.body
        slender = (self.wheelbase + 2.0 * box.overhang) / box.width
        return 1.0 + (slender - 1.0) * way[1] * way[1]

    def _normal(self, mechanics: Mechanics, touch: _Touch) -> Scalar:
        depth, own = self._asked(mechanics, touch)
        (force,) = as_numbers(mechanics.k, [self.body.law().force(mechanics, depth, 0, own)])
        return touch.share * force

    def _moving(self, name: str, axis: int) -> Callable[[Mechanics], Scalar]:
        """The rate of a state: the corner is moved out of the wall, against the way into it."""

        def rate(mechanics: Mechanics) -> Scalar:
            k, total = mechanics.k, 0.0
            for wall in self.walls:
                touch = self._touch(mechanics, name, wall)
                depth, own = self._asked(mechanics, touch)
                (found,) = as_numbers(k, [self.body.law().deepening(mechanics, depth, own)])
                total = total - touch.share * found / touch.stiffer * touch.way[axis]
            return as_scalars(k, [total])[0]

        return rate
