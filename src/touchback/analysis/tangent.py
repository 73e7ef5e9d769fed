"""The motions that constraints allow: J δ = 0 solved for chosen independent coordinates."""

from collections.abc import Collection

import numpy as np

_RANK = 1e-9  # singular values this much below the largest count as zero


def rank_of(J: np.ndarray) -> int:
    """The number of independent rows."""
    singular = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
    return int(np.sum(singular > _RANK * singular.max(initial=0.0)))


def independent_columns(J: np.ndarray, wanted: Collection[int] = ()) -> list[int]:
    """Coordinates that fix all others by J δ = 0: those `wanted` as far as they can be, the others
    by pivoting (the largest left becomes dependent)."""
    rest, rank = J.astype(float).copy(), rank_of(J)
    n = J.shape[1]
    dependent: list[int] = []
    least = 10.0 * _RANK * np.abs(J).max(initial=0.0)
    for candidates in ([i for i in range(n) if i not in wanted], list(wanted)):
        while candidates and len(dependent) < rank:
            norms = np.linalg.norm(rest[:, candidates], axis=0)
            chosen = candidates[int(np.argmax(norms))]
            if norms.max() <= least:
                break
            dependent.append(chosen)
            candidates.remove(chosen)
            direction = rest[:, chosen] / norms.max()
            rest = rest - np.outer(direction, direction @ rest)
    return [i for i in range(n) if i not in dependent]


class Tangent:
    """All δ with J δ = r: δ = B δ_independent + P r, with the identity in B at the independent
    rows and zeros in P there."""

    def __init__(self, J: np.ndarray, wanted: Collection[int] = ()) -> None:
        n = J.shape[1]
        self.independent = independent_columns(J, wanted)
        dependent = [i for i in range(n) if i not in self.independent]
        inverse = np.linalg.pinv(J[:, dependent], rcond=_RANK)
        self.B = np.zeros((n, len(self.independent)))
        self.B[self.independent] = np.eye(len(self.independent))
        self.B[dependent] = -inverse @ J[:, self.independent]
        self.P = np.zeros((n, J.shape[0]))
        self.P[dependent] = inverse
