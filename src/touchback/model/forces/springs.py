"""Springs and dampers between points and frames, and any other law of a distance."""

from typing import ClassVar

from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame, FrameField
from touchback.model.mechanics_protocol import Forces, Mechanics
from touchback.model.value_or_expression import Triple, Value
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import transpose


class SpringDamper(ForceKind, frozen=True, tag="spring-damper"):
    """Tension k (l − l₀) + c l̇ [N] along the line between the origins of `a` and `b`, l their
    distance."""

    UNITS: ClassVar[dict[str, str]] = {"stiffness": "N/m", "damping": "N s/m", "length": "m"}
    a: FrameField
    b: FrameField
    stiffness: Value = 0.0
    damping: Value = 0.0
    length: Value = 0.0

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        distance, speed, direction = line_between(mechanics, self.a, self.b)
        stretch = k.sub(distance, mechanics.value(self.length))
        tension = k.add(
            k.mul(mechanics.value(self.stiffness), stretch),
            k.mul(mechanics.value(self.damping), speed),
        )
        pull_together(mechanics, self.a, self.b, tension, direction)

    def potential(self, mechanics: Mechanics) -> Scalar:
        k = mechanics.k
        distance, _, _ = line_between(mechanics, self.a, self.b)
        x = k.sub(distance, mechanics.value(self.length))
        return k.mul(k.mul(k.const(0.5), mechanics.value(self.stiffness)), k.mul(x, x))


class LinkForce(ForceKind, frozen=True, tag="link-force"):
    """Any tension [N] along the line between `a` and `b`: an expression, as of a Distance
    sensor."""

    UNITS: ClassVar[dict[str, str]] = {"tension": "N"}
    a: FrameField
    b: FrameField
    tension: Value

    def apply(self, mechanics: Forces) -> None:
        _, _, direction = line_between(mechanics, self.a, self.b)
        pull_together(mechanics, self.a, self.b, mechanics.value(self.tension), direction)


def line_between(mechanics: Mechanics, a: Frame, b: Frame) -> tuple[Scalar, Scalar, Vector]:
    """Distance l of b from a, its rate, and the unit vector from a to b (zero where the points
    coincide)."""
    k, vectors = mechanics.k, mechanics.vectors
    r = vectors.sub(mechanics.position(b), mechanics.position(a))
    v = vectors.sub(mechanics.velocity(b), mechanics.velocity(a))
    distance = vectors.norm(r)
    apart = k.less(0, distance)
    inverse = k.select(apart, k.div(1, k.select(apart, distance, 1)), 0)
    direction = vectors.scale(inverse, r)
    return distance, vectors.dot(direction, v), direction


def pull_together(
    mechanics: Forces, a: Frame, b: Frame, tension: Scalar, direction: Vector
) -> None:
    """Equal and opposite forces along the line."""
    pull = mechanics.vectors.scale(tension, direction)
    mechanics.push(a, pull)
    mechanics.push(b, mechanics.vectors.neg(pull))


class TorsionSpring(ForceKind, frozen=True, tag="torsion-spring"):
    """Effort −k (q − rest) − c v + preload on coordinate `index` of a joint."""

    UNITS: ClassVar[dict[str, str]] = {
        "stiffness": "{effort}/{position}",
        "damping": "{effort} s/{position}",
        "rest": "{position}",
        "preload": "{effort}",
    }
    joint: str
    stiffness: Value = 0.0
    damping: Value = 0.0
    rest: Value = 0.0
    preload: Value = 0.0
    index: int = 0

    def apply(self, mechanics: Forces) -> None:
        k, value = mechanics.k, mechanics.value
        stretch = k.sub(mechanics.coordinate(self.joint, self.index), value(self.rest))
        spring = k.mul(value(self.stiffness), stretch)
        damper = k.mul(value(self.damping), mechanics.rate(self.joint, self.index))
        effort = k.sub(value(self.preload), k.add(spring, damper))
        mechanics.add_effort(self.joint, self.index, effort)

    def potential(self, mechanics: Mechanics) -> Scalar:
        k, value = mechanics.k, mechanics.value
        q = mechanics.coordinate(self.joint, self.index)
        x = k.sub(q, value(self.rest))
        stored = k.mul(k.mul(k.const(0.5), value(self.stiffness)), k.mul(x, x))
        return k.sub(stored, k.mul(value(self.preload), q))


class Bushing(ForceKind, frozen=True, tag="bushing"):
    """Along the axes of `a`: force −K x − C ẋ on `b` [N] for the displacement x of b's origin seen
    from a, and a torque [N m] that is −K_θ θ − C_θ ω for a small rotation θ. The reaction on `a`
    acts at b's origin: nothing is lost to a lever.

    The springs store ½ x·K x + Σ c_i (1 − R_ii) with R = R_ab, c_x = (K_y + K_z − K_x)/2 and so on:
    whatever the rotation, they give back what they take. The torque is the derivative of that,
    τ_x = c_z R_23 − c_y R_32; with equal stiffnesses, K times the sine of the angle."""

    UNITS: ClassVar[dict[str, str]] = {
        "stiffness": "N/m",
        "damping": "N s/m",
        "torsion": "N m/rad",
        "torsion_damping": "N m s/rad",
    }
    a: FrameField
    b: FrameField
    stiffness: Triple = (0.0, 0.0, 0.0)
    damping: Triple = (0.0, 0.0, 0.0)
    torsion: Triple = (0.0, 0.0, 0.0)
    torsion_damping: Triple = (0.0, 0.0, 0.0)

    def apply(self, mechanics: Forces) -> None:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        R_Wa = mechanics.rotation(self.a)
        r = vectors.sub(mechanics.position(self.b), mechanics.position(self.a))
        omega_a = mechanics.angular_velocity(self.a)
        seen_velocity = vectors.sub(
            vectors.sub(mechanics.velocity(self.b), mechanics.velocity(self.a)),
            vectors.cross(omega_a, r),
        )
        x = vectors.apply_transposed(R_Wa, r)
        x_rate = vectors.apply_transposed(R_Wa, seen_velocity)
        relative = vectors.sub(mechanics.angular_velocity(self.b), omega_a)
        omega = vectors.apply_transposed(R_Wa, relative)
        spring = self._spring_torque(mechanics, self._rotation(mechanics))
        force = [
            -k.add(k.mul(value(self.stiffness[i]), x[i]), k.mul(value(self.damping[i]), x_rate[i]))
            for i in range(3)
        ]
        torque = [
            k.sub(spring[i], k.mul(value(self.torsion_damping[i]), omega[i])) for i in range(3)
        ]
        force_W, torque_W = vectors.apply(R_Wa, force), vectors.apply(R_Wa, torque)
        mechanics.push(self.b, force_W, torque_W)
        lever = vectors.cross(r, force_W)
        mechanics.push(self.a, vectors.neg(force_W), vectors.neg(vectors.add(torque_W, lever)))

    def potential(self, mechanics: Mechanics) -> Scalar:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        r = vectors.sub(mechanics.position(self.b), mechanics.position(self.a))
        x = vectors.apply_transposed(mechanics.rotation(self.a), r)
        R, c = self._rotation(mechanics), self._coefficients(mechanics)
        total: Scalar = 0
        for i in range(3):
            half = k.mul(k.const(0.5), value(self.stiffness[i]))
            total = k.add(total, k.mul(half, k.mul(x[i], x[i])))
            total = k.add(total, k.mul(c[i], k.sub(1, R[i][i])))
        return total

    def _rotation(self, mechanics: Mechanics) -> Matrix:
        """R_ab."""
        R_Wa, R_Wb = mechanics.rotation(self.a), mechanics.rotation(self.b)
        return mechanics.vectors.product(transpose(R_Wa), R_Wb)

    def _coefficients(self, mechanics: Mechanics) -> Vector:
        """c_x = (K_y + K_z − K_x)/2, …"""
        k = mechanics.k
        K = [mechanics.value(given) for given in self.torsion]
        total = k.add(k.add(K[0], K[1]), K[2])
        half = k.const(0.5)
        return [k.mul(half, k.sub(total, k.mul(k.const(2.0), K[i]))) for i in range(3)]

    def _spring_torque(self, mechanics: Mechanics, R: Matrix) -> Vector:
        """τ_x = c_z R_23 − c_y R_32, …"""
        k, c = mechanics.k, self._coefficients(mechanics)
        torque = []
        for i in range(3):
            y, z = (i + 1) % 3, (i + 2) % 3
            torque.append(k.sub(k.mul(c[z], R[y][z]), k.mul(c[y], R[z][y])))
        return torque
