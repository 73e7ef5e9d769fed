"""What is compared: every formulation of a constrained mechanism, every method of another."""

from collections.abc import Sequence

from touchback.native.constrained.constrained import FORMULATIONS
from touchback.recording import unknown_name
from touchback.simulate.constrained import IMPLICIT
from touchback.simulate.methods import FIXED_STEP, METHODS
from touchback.simulate.quality.row import Candidate
from touchback.simulate.scipy_solvers import NAMES as SCIPY

# SciPy's solvers step in Python: their times would say nothing about the mechanism.
_COMPILED = tuple(name for name in METHODS if name not in SCIPY and name not in IMPLICIT)
_WITH_CONSTRAINTS = ("rk4", "dopri5")  # the fixed and the adaptive method of each formulation


def candidates(constrained: bool, wanted: Sequence[str] | None) -> list[Candidate]:
    """The candidates of a system; `wanted` names formulations, or methods where there are no
    constraints."""
    word, known = ("formulation", tuple(FORMULATIONS)) if constrained else ("method", _COMPILED)
    names = known if wanted is None else tuple(wanted)
    for name in names:
        if name not in known:
            raise unknown_name(word, name, known)
    if not constrained:
        free = [Candidate(None, name, name in FIXED_STEP) for name in names]
        return sorted(free, key=lambda candidate: not candidate.fixed)
    return [
        Candidate(name, method, method in FIXED_STEP)
        for name in names
        for method in ((name,) if name in IMPLICIT else _WITH_CONSTRAINTS)
    ]
