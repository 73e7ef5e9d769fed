"""Drag on a box in a fluid, as MuJoCo takes bodies for boxes of the same inertia."""

from math import pi
from typing import ClassVar

from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces
from touchback.model.value import Triple, Value, check_positive, triple
from touchback.spatial.vectors import Scalar


class BoxDrag(ForceKind, frozen=True, tag="box-drag"):
    """Along and about the axes of `frame`, for a box of the lengths b = `sizes` [m] about its
    origin, u its velocity less `flow` (world axes) and ω its angular velocity there:

    −½ ρ bⱼ bₖ |uᵢ| uᵢ − 3 π η d uᵢ and −ρ/64 bᵢ (bⱼ⁴ + bₖ⁴) |ωᵢ| ωᵢ − π η d³ ωᵢ,

    with the `density` ρ [kg/m³], the `viscosity` η [Pa s] and the mean d of the lengths (MuJoCo's
    "inertia model" of fluids: https://mujoco.readthedocs.io/en/stable/computation/fluid.html)."""

    UNITS: ClassVar[dict[str, str]] = {
        "sizes": "m",
        "density": "kg/m³",
        "viscosity": "Pa s",
        "flow": "m/s",
    }
    frame: Frame
    sizes: Triple
    density: Value = 1000.0
    viscosity: Value = 0.0
    flow: Triple = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        x, y, z = triple("BoxDrag: sizes", self.sizes)
        check_positive("BoxDrag", x=x, y=y, z=z)
        check_positive("BoxDrag", zero=True, density=self.density, viscosity=self.viscosity)

    def apply(self, mechanics: Forces) -> None:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        b = [value(size) for size in self.sizes]
        density, viscosity = value(self.density), value(self.viscosity)
        R = mechanics.rotation(self.frame)
        flow = [value(component) for component in self.flow]
        u = vectors.apply_transposed(R, vectors.sub(mechanics.velocity(self.frame), flow))
        spin = vectors.apply_transposed(R, mechanics.angular_velocity(self.frame))
        d = k.mul(k.const(1.0 / 3.0), k.add(k.add(b[0], b[1]), b[2]))
        stokes = k.mul(k.const(pi), k.mul(viscosity, d))
        fourth = [k.mul(k.mul(x, x), k.mul(x, x)) for x in b]

        def against(speed: Scalar, quadratic: Scalar, linear: Scalar) -> Scalar:
            return -k.mul(k.add(k.mul(quadratic, k.abs(speed)), linear), speed)

        force, torque = [], []
        for i, (m, n) in enumerate(((1, 2), (2, 0), (0, 1))):
            face = k.mul(density, k.mul(b[m], b[n]))
            lever = k.mul(density, k.mul(b[i], k.add(fourth[m], fourth[n])))
            force.append(against(u[i], k.mul(k.const(0.5), face), k.mul(k.const(3.0), stokes)))
            torque.append(
                against(spin[i], k.mul(k.const(1.0 / 64.0), lever), k.mul(stokes, k.mul(d, d)))
            )
        mechanics.push(self.frame, vectors.apply(R, force), vectors.apply(R, torque))
