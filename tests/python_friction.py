"""A second opinion on the motion of constrained systems: least squares in plain NumPy, with the
frictions of rows that rub turned until they agree with their multipliers."""

import numpy as np

from touchback.errors import SolveError
from touchback.system.constraint_functions import Terms

TURNS = 4  # how often frictions are turned round together to agree with their multipliers
SINGLES = 12  # and then one by one, which ends where turning together goes in circles
ROUNDING = 1e-9  # of the largest force: where forces vanish, their signs mean nothing


def solve_accelerations(terms: Terms) -> tuple[np.ndarray, np.ndarray]:
    """a and λ of M a = f + Wᵀ λ, J a + γ = 0; of least norm where rows are redundant. Where a row
    that rubs pulls, its friction is turned round. Where friction leaves several answers, that which
    is found from the forces without friction; `SolveError` where it leaves none."""
    n = len(terms.f)
    pulls = np.zeros(len(terms.gamma), dtype=bool)
    solution, wrong = _turned(terms, pulls)
    if _too_strong(terms, pulls):
        pulls = terms.has_friction & (_solution(terms, terms.J)[n:] < 0.0)
        solution, wrong = _turned(terms, pulls)
    forces = np.abs(solution[n:, None] * terms.W)
    largest = np.abs(terms.f).max(initial=0.0) + forces.max(initial=0.0)
    if forces[wrong].max(initial=0.0) > ROUNDING * largest:
        raise SolveError(
            f"Constraint '{terms.names[wrong[0]]}': its friction is so strong here that no force "
            "keeps it, neither a push nor a pull (Painlevé's paradox); take less friction, or "
            "describe it as a rigid contact."
        )
    return solution[:n], solution[n:]


def _turned(terms: Terms, pulls: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[a, λ] and the rows whose friction disagrees with λ at last. Frictions are turned together
    first, then the first that disagrees (Murty 1974), which finds the only answer where friction is
    weak enough for just one; `pulls` tells those turned."""
    n = len(terms.f)
    for turn in range(1 + TURNS + SINGLES):
        solution = _solution(terms, _acting(terms, pulls))
        wrong = np.flatnonzero(
            terms.has_friction & (np.where(pulls, -1.0, 1.0) * solution[n:] < 0.0)
        )
        if not wrong.size or turn == TURNS + SINGLES:
            break
        turned = wrong if turn < TURNS else wrong[:1]
        pulls[turned] = ~pulls[turned]
    return solution, wrong


def _acting(terms: Terms, pulls: np.ndarray) -> np.ndarray:
    return np.where(pulls[:, None], 2.0 * terms.J - terms.W, terms.W)


def _matrix(terms: Terms, W: np.ndarray) -> np.ndarray:
    m = len(terms.gamma)
    return np.block([[terms.M, -W.T], [terms.J, np.zeros((m, m))]])


def _solution(terms: Terms, W: np.ndarray) -> np.ndarray:
    given = np.concatenate([terms.f, -terms.gamma])
    return np.linalg.lstsq(_matrix(terms, W), given, rcond=1e-13)[0]


def _too_strong(terms: Terms, pulls: np.ndarray) -> bool:
    """Whether friction is stronger than the inertia that it acts against, so that an answer isn't
    the one that weak friction leads to. With servos there is no telling."""
    others = ~terms.has_friction
    if others.all() or not np.array_equal(terms.W[others], terms.J[others]):
        return False
    sides = [np.linalg.slogdet(_matrix(terms, W))[0] for W in (_acting(terms, pulls), terms.J)]
    return bool(sides[0] * sides[1] < 0.0)
