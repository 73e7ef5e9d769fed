"""Stiff problems of the literature as models with extra states, and their reference solutions."""

import touchback as tb

# Test Set for IVP Solvers, release 2.4 (Mazzia and Magherini 2008): y(2) of VDPOL, y(1e11) of ROBER
VAN_DER_POL_AT_2 = (0.1706167732170483e1, -0.8928097010247975)
ROBERTSON_AT_1E11 = (0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050)


def van_der_pol(epsilon: float = 1e-6) -> tb.Model:
    """ẏ₁ = y₂, ε ẏ₂ = (1 − y₁²) y₂ − y₁ from (2, 0)."""
    m = tb.Model("van der Pol")
    first, second = m.state("first", 2.0), m.state("second", 0.0)
    m.set_rate("first", second)
    m.set_rate("second", ((1.0 - first * first) * second - first) / epsilon)
    return m


def robertson() -> tb.Model:
    """Three reactions whose speeds differ by nine orders of magnitude (Robertson 1966)."""
    m = tb.Model("Robertson")
    a, b, c = m.state("a", 1.0), m.state("b", 0.0), m.state("c", 0.0)
    m.set_rate("a", -0.04 * a + 1e4 * b * c)
    m.set_rate("b", 0.04 * a - 1e4 * b * c - 3e7 * b * b)
    m.set_rate("c", 3e7 * b * b)
    return m
