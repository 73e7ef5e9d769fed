"""A spring and a damper that push only while something touches."""

from touchback.spatial.vectors import Scalar
from touchback.symbolic.scalars import Scalars


def spring_damper(
    k: Scalars, depth: Scalar, rate: Scalar, stiffness: Scalar, exponent: Scalar, damping: Scalar
) -> Scalar:
    """max(0, K dⁿ + c ḋ) for d > 0: c in N s/m. The damper acts at once on touch, so an impact
    begins with a jump of the force; `hunt_crossley` has none."""
    inside = k.maximum(depth, 0)
    push = k.add(k.mul(stiffness, k.pow(inside, exponent)), k.mul(damping, rate))
    return k.select(k.less(0, depth), k.maximum(push, 0), 0)
