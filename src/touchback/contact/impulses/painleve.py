"""Painlevé's paradox: sliding contacts for which no finite force keeps the bodies apart."""

import math

from touchback.contact.impulses.coulomb import Floats


def critical_friction(G: Floats, direction: float) -> float:
    """The friction coefficient from which on a contact that slides along `direction` (±1) is
    inconsistent or has several solutions; infinite where there is none.

    With G = W M⁻¹ Wᵀ (2 × 2: normal, tangent) and p_t = −μ s p_n the normal acceleration is
    (G_nn − μ s G_nt) p_n + …, whose factor vanishes at μ = G_nn/(s G_nt) (Génot and Brogliato
    1999)."""
    coupling = math.copysign(1.0, direction) * float(G[0, 1])
    return float(G[0, 0]) / coupling if coupling > 0.0 else math.inf
