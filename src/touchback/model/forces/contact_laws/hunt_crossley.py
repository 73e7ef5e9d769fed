"""Hunt and Crossley's law: damping that grows with the depth, so that forces begin and end at zero.

Source: K. H. Hunt and F. R. E. Crossley, Coefficient of restitution interpreted as damping in
vibroimpact, J. Applied Mechanics 42 (1975) 440–445.
"""

from touchback.spatial.vectors import Scalar
from touchback.symbolic.scalars import Scalars


def hunt_crossley(
    k: Scalars, depth: Scalar, rate: Scalar, stiffness: Scalar, exponent: Scalar, damping: Scalar
) -> Scalar:
    """K dⁿ max(0, 1 + 3/2 c ḋ): c in s/m. An impact at the speed v on a body that stands still has
    the restitution e ≈ 1 − c v for small c v, whatever the mass, K and n."""
    spring = k.mul(stiffness, k.pow(k.maximum(depth, 0), exponent))
    factor = k.add(1, k.mul(k.const(1.5), k.mul(damping, rate)))
    return k.mul(spring, k.maximum(factor, 0))
