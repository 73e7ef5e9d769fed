"""What is compared: every formulation of a constrained mechanism, every method of another."""

from collections.abc import Sequence

from touchback.native import FORMULATIONS
from touchback.recording import unknown_name
from touchback.simulate.quality.row import Candidate
from touchback.simulate.solvers import INTEGRATORS, Can, SciPy

# SciPy's solvers step in Python: their times would say nothing about the mechanism.
_COMPILED = tuple(
    name
    for name, each in INTEGRATORS.items()
    if not isinstance(each, SciPy) and name not in FORMULATIONS
)
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
        free = [Candidate(None, name, _fixed(name)) for name in names]
        return sorted(free, key=lambda candidate: not candidate.fixed)
    return [
        Candidate(name, method, _fixed(method))
        for name in names
        for method in ((name,) if FORMULATIONS[name].step else _WITH_CONSTRAINTS)
    ]


def _fixed(method: str) -> bool:
    return Can.ADAPTIVE not in INTEGRATORS[method].can
