"""What runs and analyses can't treat of a model: one table, from which all of them refuse.

What isn't in the table is treated: `tests/simulate/test_features.py` goes over every call and every
feature, and checks that it is either refused here or counts in the answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from touchback.errors import InputError
from touchback.model import Model
from touchback.model.value import is_zero

_NAMED = 5  # things that a message lists


@dataclass(frozen=True)
class Feature:
    """Something of a model that not every call can treat: its `word`, the `names` of such things
    in a system (none: it has no such feature), and the usual `mend`."""

    word: str
    names: Callable[[Any], list[str]]
    mend: str


def _model(system: Any) -> Any:
    """The described model, also of a row of copies, and with all its modes."""
    one = getattr(system, "one", system)
    return getattr(one, "whole", None) or getattr(one, "model", None)


def _rigid(system: Any) -> list[str]:
    return list(getattr(_model(system), "contacts", ()))


def _modes(system: Any) -> list[str]:
    return list(getattr(_model(system), "modes", ()))


def _memories(system: Any) -> list[str]:
    names = list(system.state_names)
    return [names[place] for place in getattr(system, "memory_places", ())]


def _copies(system: Any) -> list[str]:
    return list(system.names) if hasattr(system, "one") else []


def _rubbing(system: Any) -> list[str]:
    constraints = getattr(_model(system), "constraints", {})
    return [
        name
        for name, given in constraints.items()
        if given.active and given.slides is not None and not is_zero(given.friction)
    ]


def _constraints(system: Any) -> list[str]:
    return list(getattr(system, "constraint_names", ()))


RIGID = Feature(
    "rigid contacts", _rigid,
    "use tb.simulate_contacts (few contacts, every event located) or tb.step_contacts (many), or "
    "make them soft (tb.SphereOnPlane, tb.ProfileContact)",
)  # fmt: skip
MODES = Feature(
    "modes", _modes,
    "describe the mechanism as it is in one of them, its constraints without modes",
)  # fmt: skip
MEMORIES = Feature(
    "memories, which change at ticks,", _memories,
    "give what they drive as inputs instead",
)  # fmt: skip
COPIES = Feature("copies", _copies, "pass `.one`, the system of each")
RUBBING = Feature(
    "constraints with friction", _rubbing,
    "describe them as rigid contacts, or set their friction to 0",
)  # fmt: skip
CONSTRAINTS = Feature("constraints", _constraints, "give a mechanism that is a tree")

SOFTEN = "make them soft (tb.SphereOnPlane, tb.ProfileContact), or leave them out of the model"
_ONE_STATE = {RIGID: SOFTEN, MODES: "", MEMORIES: "", COPIES: ""}
_CONTACTS = {MODES: "", MEMORIES: "", COPIES: "", RUBBING: ""}

# Of each call what it can't treat, and the mend where it isn't the usual one.
REFUSED: dict[str, dict[Feature, str]] = {
    "tb.simulate": {RIGID: ""},
    "tb.simulate with switches": {
        RIGID: "",
        MODES: "they say which constraints act",
        MEMORIES: "describe the constraints by modes (`m.mode`) instead",
        COPIES: "",
    },
    "a live run": {RIGID: ""},
    "tb.simulate_contacts": _CONTACTS,
    "tb.step_contacts": _CONTACTS,
    "tb.contact_operator": {MODES: "", COPIES: "", RUBBING: ""},
    "tb.painleve": {MODES: "", COPIES: "", RUBBING: "", CONSTRAINTS: ""},
    "tb.equilibrium": _ONE_STATE,
    "tb.kinematics": _ONE_STATE,
    "tb.inverse_dynamics": _ONE_STATE,
    "tb.linearise": _ONE_STATE,
    "tb.modes": _ONE_STATE,
    "tb.sensitivity": {**_ONE_STATE, MEMORIES: "compare two runs of tb.simulate instead"},
    "tb.quality": {**_ONE_STATE, MEMORIES: "measure the mechanism without its controller"},
}


def refuse(call: str, system: Any) -> None:
    """Raise where the system has what the call would otherwise leave out in silence, or is none."""
    if isinstance(system, Model):
        raise InputError(
            f"{call}: '{system.name}' is a model; compile it first: `system = model.compile()`."
        )
    for feature, mend in REFUSED[call].items():
        names = feature.names(system)
        if names:
            listed = ", ".join(f"'{name}'" for name in names[:_NAMED])
            raise InputError(
                f"{system.name}: {call} knows nothing of its {feature.word} {listed}"
                f"{' …' if names[_NAMED:] else ''}; {mend or feature.mend}."
            )
