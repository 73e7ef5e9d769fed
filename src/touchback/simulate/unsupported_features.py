"""What runs and analyses can't treat of a model: one table, from which all of them refuse. Solvers
state themselves what they can (`solvers`).

What isn't refused is treated: `tests/simulate/test_features.py` goes over every call, every solver
and every feature, and checks that it is either refused here or counts in the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.model import Model, is_zero
from touchback.native import FORMULATIONS
from touchback.numbers import shown
from touchback.simulate.discrete_state_ticks import memories_of
from touchback.simulate.solvers import METHODS, Capability, Solver
from touchback.system import System

_NAMED = 5  # things that a message lists


@dataclass(frozen=True)
class Feature:
    """Something of a model that not every call can treat: its `word`, the `names` of such things
    in a system (none: it has no such feature), the usual `mend`, and what a solver `needs` for
    it."""

    word: str
    names: Callable[[System], list[str]]
    mend: str
    needs: Capability


def _rigid(system: System) -> list[str]:
    return list(system.dynamics.whole.contacts)


def _modes(system: System) -> list[str]:
    return list(system.dynamics.whole.modes)


def _copies(system: System) -> list[str]:
    return list(system.names)


def _friction_rows(system: System) -> list[str]:
    return [
        name
        for name, given in system.dynamics.whole.constraints.items()
        if given.active and given.slides is not None and not is_zero(given.friction)
    ]


def _constraints(system: System) -> list[str]:
    return list(system.constraint_names)


RIGID = Feature(
    "rigid contacts", _rigid,
    "make them soft (tb.contact.SphereOnPlane, tb.contact.ProfileContact), or leave them out of "
    "the model",
    Capability.CONTACTS,
)  # fmt: skip
MODES = Feature(
    "modes", _modes,
    "describe the mechanism as it is in one of them, its constraints without modes",
    Capability.MODES,
)  # fmt: skip
MEMORIES = Feature(
    "memories, which change at ticks,", memories_of,
    "give what they drive as inputs instead",
    Capability.TICKS,
)  # fmt: skip
COPIES = Feature("copies", _copies, "pass `.replica`, the system of each", Capability.COPIES)
RUBBING = Feature(
    "constraints with friction", _friction_rows,
    "describe them as rigid contacts, or set their friction to 0",
    Capability.RUBBING,
)  # fmt: skip
CONSTRAINTS = Feature(
    "constraints", _constraints, "give a mechanism that is a tree", Capability.CONSTRAINTS
)

OF_SOLVERS = (RIGID, MODES, MEMORIES, COPIES, RUBBING, CONSTRAINTS)
_ONE_STATE = {RIGID: "", MODES: "", MEMORIES: "", COPIES: ""}

# Of each call what it can't treat, and the mend where it isn't the usual one.
REFUSED: dict[str, dict[Feature, str]] = {
    "tb.simulate with switches": {
        RIGID: "",
        MODES: "they say which constraints act",
        MEMORIES: "describe the constraints by modes (`m.mode`) instead",
        COPIES: "",
    },
    "tb.contact_operator": {MODES: "", COPIES: "", RUBBING: ""},
    "tb.painleve": {MODES: "", COPIES: "", RUBBING: "", CONSTRAINTS: ""},
    "tb.equilibrium": _ONE_STATE,
    "tb.kinematics": _ONE_STATE,
    "tb.inverse_dynamics": _ONE_STATE,
    "tb.linearise": _ONE_STATE,
    "tb.vibrations": _ONE_STATE,
    "tb.sensitivity": {**_ONE_STATE, MEMORIES: "compare two runs of tb.simulate instead"},
    "tb.rollout": {RIGID: "", MEMORIES: "", COPIES: "", RUBBING: ""},
    "tb.identify": {**_ONE_STATE, RUBBING: ""},
    "tb.estimate.identify_inertia": {**_ONE_STATE, CONSTRAINTS: ""},
    "tb.estimate.base_parameters": {**_ONE_STATE, CONSTRAINTS: ""},
    "tb.quality": {**_ONE_STATE, MEMORIES: "measure the mechanism without its controller"},
}


def refused_by(solver: Solver) -> list[Feature]:
    """What a solver can't treat."""
    return [feature for feature in OF_SOLVERS if feature.needs not in solver.can]


def refuse(call: str, system: System, like: str = "") -> None:
    """Raise where the system has what the call would otherwise leave out in silence, or is none.
    A call that isn't in the table itself refuses what another one does, `like` that."""
    refuse_model(call, system)
    for feature, mend in REFUSED[like or call].items():
        _refuse_feature(call, system, feature, mend or feature.mend)


def has_refused_feature(call: str, system: System) -> bool:
    """Whether the system has what the call can't treat."""
    return any(feature.names(system) for feature in REFUSED[call])


def refuse_run(solver: Solver, system: System, asked: Capability) -> None:
    """Raise where a solver can't treat what the system has, or can't do what was `asked` for. The
    mend is a solver that can do all of it, if there is one."""
    if Capability.EVENTS in asked and MODES.names(system):
        asked |= Capability.ADAPTIVE
    lacking = [feature for feature in refused_by(solver) if feature.names(system)]
    alone = (
        Capability.FORMULATIONS not in asked
    )  # else constraints are refused where they are posed
    idle = alone and is_formulation(solver.word) and not system.constrained
    if not lacking and not idle and asked in solver.can:
        return
    able = _suitable_methods(system, asked)
    use = f"use method={' or '.join(able)}"
    for feature in lacking:
        _refuse_feature(f"method '{solver.word}'", system, feature, use if able else feature.mend)
    if idle:
        raise InputError(
            f"{system.name}: method '{solver.word}' enforces constraints, but the model has none; "
            f"{use}."
        )
    for what, words in _REQUESTS.items():
        if what in asked and what not in solver.can:
            raise InputError(
                f"{system.name}: method '{solver.word}' {words}; "
                f"{use if able else 'leave that away'}."
            )


def _suitable_methods(system: System, asked: Capability) -> list[str]:
    """The methods, quoted, that treat what the system has and do what is asked. Those for rigid
    contacts need some; those that are formulations need constraints, and leave none to choose."""
    needs = asked
    for feature in OF_SOLVERS:
        needs |= feature.needs if feature.names(system) else Capability(0)
    free = not system.constrained or Capability.FORMULATIONS in asked
    return [
        repr(word)
        for word, each in METHODS.items()
        if needs in each.can
        and (Capability.CONTACTS in needs or Capability.CONTACTS not in each.can)
        and not (free and is_formulation(word))
    ]


def is_formulation(method: str | None) -> bool:
    """Whether a method is a formulation of constraints too."""
    return method in FORMULATIONS and FORMULATIONS[method].step


_REQUESTS = {
    Capability.FORMULATIONS: "enforces constraints in its own way, without `constraints`",
    Capability.EVENTS: "looks for no events",
    Capability.ADAPTIVE: (
        "looks for no events beside modes, whose transitions it takes within its steps"
    ),
    Capability.SWITCHES: "switches no constraints",
    Capability.LIVE: "can't run against a clock",
    Capability.ENERGY_BALANCE: "keeps no energy balance",
}


def refuse_model(call: str, system: object) -> None:
    """Raise where a model, or anything else, stands in place of a system."""
    if isinstance(system, Model):
        raise InputError(
            f"{call}: '{system.name}' is a model; compile it first: `system = model.compile()`."
        )
    if not isinstance(system, System):
        raise InputError(f"{call}: a compiled system is expected, got {shown(system)}.")


def _refuse_feature(call: str, system: System, feature: Feature, mend: str) -> None:
    names = feature.names(system)
    if names:
        listed = ", ".join(f"'{name}'" for name in names[:_NAMED])
        raise InputError(
            f"{system.name}: {call} knows nothing of its {feature.word} {listed}"
            f"{' …' if names[_NAMED:] else ''}; {mend}."
        )
