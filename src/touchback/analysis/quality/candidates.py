"""What is compared: every formulation of a constrained mechanism, every method of another."""

from collections.abc import Sequence

from touchback.analysis.quality.row import Candidate
from touchback.native import FORMULATIONS
from touchback.recording import unknown_name
from touchback.simulate.solvers import METHODS, Can, SciPy, integrators

_WITH_CONSTRAINTS = ("rk4", "dopri5")  # the fixed and the adaptive method of each formulation


def candidates(
    constrained: bool, wanted: Sequence[str] | None, natural: bool = False
) -> list[Candidate]:
    """The candidates of a system; `wanted` names formulations, or methods where there are no
    constraints. `natural` coordinates, which always have constraints, come as well."""
    word, known = ("formulation", tuple(FORMULATIONS)) if constrained else ("method", _compiled())
    if natural and not constrained:
        word, known = "method or formulation", (*known, *FORMULATIONS)
    names = known if wanted is None else tuple(wanted)
    for name in names:
        if name not in known:
            raise unknown_name(word, name, known)
    found = [] if constrained else _free([name for name in names if name not in FORMULATIONS])
    for in_natural in (False, True)[not constrained : 1 + natural]:
        found += _enforced([name for name in names if name in FORMULATIONS], in_natural)
    return found


def _free(names: Sequence[str]) -> list[Candidate]:
    free = [Candidate(None, name, _fixed(name)) for name in names]
    return sorted(free, key=lambda candidate: not candidate.fixed)


def _enforced(names: Sequence[str], natural: bool) -> list[Candidate]:
    return [
        Candidate(name, method, _fixed(method), natural)
        for name in names
        for method in ((name,) if FORMULATIONS[name].step else _WITH_CONSTRAINTS)
    ]


def _compiled() -> tuple[str, ...]:
    """SciPy's solvers step in Python: their times would say nothing about the mechanism."""
    ours = {name: each for name, each in integrators().items() if not isinstance(each, SciPy)}
    return tuple(name for name in ours if name not in FORMULATIONS)


def _fixed(method: str) -> bool:
    return Can.ADAPTIVE not in METHODS[method].can
