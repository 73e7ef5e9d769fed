"""The derivative of a rate by the state, for implicit methods."""

from touchback.symbolic.differentiate import jacobian
from touchback.system.derivation import Derivation
from touchback.system.functions import Recipe, rate_equations
from touchback.system.layout import Layout


def rate_jacobian_recipe(layout: Layout, algorithm: str) -> Recipe:
    """∂ẋ/∂x with x = [q, v, z]: row i holds the derivatives of the rate of x_i."""
    n = len(layout.q) + len(layout.v) + len(layout.z)

    def build(d: Derivation) -> list[int]:
        rate, _, _ = rate_equations(d, algorithm)
        return [x for row in jacobian(d.tape, rate, [*d.q, *d.v, *d.z]) for x in row]

    return Recipe(build, (n, n))
