"""Friction along kerbs and walls: Coulomb's at speed, a damper's at rest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from touchback.vehicle.roads.base import rubbing


@pytest.mark.parametrize("normal", [1.0, 3e3, 1e5])
@pytest.mark.parametrize("steepest", [4e3, 2e4])
def test_friction_is_coulomb_s_at_speed_and_never_steeper_than_it_may_be(
    normal: float, steepest: float
) -> None:
    """F = μ N u/√(u² + u₀²), u₀ = 0.05 m/s + μ N/D: at rest its slope 1/(0.05/(μ N) + 1/D) is that
    of a damper in series with D; at 1000 u₀ it is μ N to 1e-6."""
    mu = 0.6
    u0 = 0.05 + mu * normal / steepest
    for way in ((1.0, 0.0, 0.0), (0.0, 0.6, -0.8)):
        slow = np.array(rubbing(mu, normal, [1e-6 * u0 * c for c in way], steepest), float)
        slope = 1.0 / (0.05 / (mu * normal) + 1.0 / steepest)
        assert_allclose(slow, -slope * 1e-6 * u0 * np.array(way), rtol=1e-9)
        assert slope < steepest
        fast = np.array(rubbing(mu, normal, [1e3 * u0 * c for c in way], steepest), float)
        assert_allclose(fast, -mu * normal * np.array(way), rtol=1e-6)
