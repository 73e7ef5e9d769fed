"""What constraints leave free at a configuration: freedoms, redundant rows, singular positions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

_RANK = 1e-9  # singular values this much below the largest count as zero
_NEARLY = 1e-6  # conditioning below which a position is nearly singular
SHARED = 1e-6  # part of a force that others could carry as well


@dataclass(frozen=True)
class Freedoms:
    """What constraints leave of a mechanism at a configuration."""

    freedoms: int
    rank: int
    independent: tuple[str, ...]
    redundant: tuple[str, ...]  # rows that add nothing to the others
    conditioning: float  # smallest kept over largest singular value of J
    singular: tuple[str, ...] = ()  # rows that add nothing here, but do so nearby
    undetermined: tuple[str, ...] = ()  # rows whose forces could be shared otherwise

    def __str__(self) -> str:
        if not self.freedoms:
            return "\n".join(["no freedom is left: nothing can move", *self._remarks()])
        word = "freedom" if self.freedoms == 1 else "freedoms"
        named = f"{self.freedoms} {word}: {', '.join(self.independent)}"
        return "\n".join([named, *self._remarks()])

    def _remarks(self) -> list[str]:
        lines = []
        if self.redundant:
            lines.append(f"redundant constraints: {', '.join(self.redundant)}")
            lines.append(f"forces that aren't determined: {', '.join(self.undetermined)}")
        if self.singular:
            lines.append(
                "singular position: rows that add nothing here, but do nearby: "
                f"{', '.join(self.singular)}"
            )
        elif self.conditioning < _NEARLY:
            lines.append(f"nearly singular position: conditioning {self.conditioning:.1e}")
        return lines


def freedoms_of(
    J: np.ndarray,
    rows: Sequence[str],
    velocities: Sequence[str],
    nearby: Callable[[np.ndarray], np.ndarray | None] | None = None,
) -> Freedoms:
    """Rank, independent coordinates and redundant rows of a constraint Jacobian, by pivoting;
    `rows` and `velocities` are names.

    `nearby` gives the Jacobian at a neighbouring position along an allowed velocity: where more
    rows are needed there, the position is singular."""
    n = len(velocities)
    rank, singular = rank_of(J)
    dependent = set(_pivots(J, rank))
    needed = _needed(J, rank)
    critical: set[int] = set()
    if nearby is not None and rank < min(J.shape):
        beside = nearby(_allowed(J, rank))
        if beside is not None:
            there, _ = rank_of(beside)
            if there > rank:
                critical = _needed(beside, there) - needed
    return Freedoms(
        n - rank,
        rank,
        tuple(name for i, name in enumerate(velocities) if i not in dependent),
        tuple(name for i, name in enumerate(rows) if i not in needed | critical),
        float(singular[rank - 1] / singular[0]) if rank else 1.0,
        tuple(rows[i] for i in sorted(critical)),
        open_rows(J, rows),
    )


def rank_of(J: np.ndarray) -> tuple[int, np.ndarray]:
    """Rank and singular values."""
    singular = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
    return int(np.sum(singular > _RANK * singular.max(initial=0.0))), singular


def open_forces(J: np.ndarray) -> np.ndarray:
    """Multipliers that give no forces, Jᵀλ = 0, an orthonormal set in columns."""
    if not J.size or rank_of(J)[0] == len(J):
        return np.zeros((len(J), 0))
    return null_space(J.T)


def open_rows(J: np.ndarray, names: Sequence[str]) -> tuple[str, ...]:
    """The rows whose forces aren't determined: redundant ones, and those that could carry their
    load as well."""
    shares = np.abs(open_forces(J)).max(axis=1, initial=0.0)
    return tuple(name for name, share in zip(names, shares, strict=True) if share > SHARED)


def null_space(rows: np.ndarray) -> np.ndarray:
    """An orthonormal basis, in columns, of what is square to the rows: coordinates themselves
    where the rows are coordinates."""
    n = rows.shape[1]
    if np.all(np.count_nonzero(rows, axis=1) == 1):
        return np.eye(n)[:, ~rows.any(axis=0)]
    _, singular, Vt = np.linalg.svd(rows)
    rank = int(np.sum(singular > _RANK * singular.max(initial=0.0)))
    return np.asarray(Vt[rank:].T)


def _allowed(J: np.ndarray, rank: int) -> np.ndarray:
    """A velocity that the constraints allow, a mixture of all of them; always the same one."""
    basis = np.linalg.svd(J)[2][rank:]
    return np.asarray(np.cos(np.arange(1.0, len(basis) + 1.0)) @ basis)


def _needed(J: np.ndarray, rank: int) -> set[int]:
    return set(_pivots(J.T, rank, in_order=True))


def _pivots(A: np.ndarray, rank: int, in_order: bool = False) -> list[int]:
    """Columns that span A: the largest left at each step, or the first that add to those before."""
    rest = A.astype(float).copy()
    chosen: list[int] = []
    largest = np.abs(A).max(initial=0.0)
    candidates = range(A.shape[1]) if in_order else [-1] * rank
    for candidate in candidates:
        if len(chosen) == rank:
            break
        norms = np.linalg.norm(rest, axis=0)
        column = int(np.argmax(norms)) if candidate < 0 else candidate
        if norms[column] <= _RANK * max(largest, 1e-300) * 10:
            continue
        chosen.append(column)
        direction = rest[:, column] / norms[column]
        rest = rest - np.outer(direction, direction @ rest)
    return chosen
