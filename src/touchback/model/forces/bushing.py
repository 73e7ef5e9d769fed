"""A bushing: springs and dampers in six directions between two frames."""

from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces
from touchback.model.value import Triple
from touchback.spatial import transpose


class Bushing(ForceKind, frozen=True, tag="bushing"):
    """Along the axes of `a`: force −K x − C ẋ on `b` [N] for the displacement x of b's origin seen
    from a, and torque −K_θ θ − C_θ ω with θ the axial part of R_ab, (R_32 − R_23, R_13 − R_31, R_21
    − R_12)/2: sin of the angle times the axis, so the rotation for small angles. The reaction on
    `a` acts at b's origin: nothing is lost to a lever."""

    a: Frame
    b: Frame
    stiffness: Triple = (0.0, 0.0, 0.0)
    damping: Triple = (0.0, 0.0, 0.0)
    torsion: Triple = (0.0, 0.0, 0.0)
    torsion_damping: Triple = (0.0, 0.0, 0.0)

    def apply(self, mechanics: Forces) -> None:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        R_Wa, R_Wb = mechanics.rotation(self.a), mechanics.rotation(self.b)
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
        R_ab = vectors.product(transpose(R_Wa), R_Wb)
        half = k.const(0.5)
        theta = [
            k.mul(half, k.sub(R_ab[2][1], R_ab[1][2])),
            k.mul(half, k.sub(R_ab[0][2], R_ab[2][0])),
            k.mul(half, k.sub(R_ab[1][0], R_ab[0][1])),
        ]
        force = [
            -k.add(k.mul(value(self.stiffness[i]), x[i]), k.mul(value(self.damping[i]), x_rate[i]))
            for i in range(3)
        ]
        torque = [
            -k.add(
                k.mul(value(self.torsion[i]), theta[i]),
                k.mul(value(self.torsion_damping[i]), omega[i]),
            )
            for i in range(3)
        ]
        force_W, torque_W = vectors.apply(R_Wa, force), vectors.apply(R_Wa, torque)
        mechanics.push(self.b, force_W, torque_W)
        lever = vectors.cross(r, force_W)
        mechanics.push(self.a, vectors.neg(force_W), vectors.neg(vectors.add(torque_W, lever)))
