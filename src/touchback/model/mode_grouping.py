"""Groups of modes: those of a model or of one of its parts, one of which reigns at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from touchback.model.modes import Transition
from touchback.model.parameters_and_signals import MODE, in_si
from touchback.model.sensors import Readout, Signal
from touchback.names import suggestion

if TYPE_CHECKING:
    from touchback.model.model import Model


SECTIONS = ("closures", "couplings", "constraints", "drives")


def active_constraints(model: Model) -> tuple[str, ...]:
    """Names of the active constraints, in the order of their rows."""
    return tuple(
        name
        for section in SECTIONS
        for name, item in getattr(model, section).items()
        if item.active
    )


def switch_constraints(model: Model, names: Collection[str], active: bool) -> Model:
    """The same model with the named constraints active or not."""
    other = copy(model)
    for section in SECTIONS:
        items = {
            name: replace(item, active=active) if name in names else item
            for name, item in getattr(model, section).items()
        }
        setattr(other, section, items)
    return other


@dataclass(frozen=True)
class ModeGroup:
    """The modes of a model without parts that came from one model, by their full names."""

    prefix: str  # "" for the model's own, "C4/" for those of a part
    modes: tuple[str, ...]
    initial: str
    transitions: dict[str, Transition]

    @property
    def state(self) -> str:
        """The name of the state that holds the number of its mode."""
        return self.prefix + MODE

    def leaving(self, mode: str) -> dict[str, Transition]:
        """The transitions that end a mode, by name."""
        return {name: each for name, each in self.transitions.items() if mode in each.source}


def mode_groups(model: Model) -> list[ModeGroup]:
    """The groups of a model, its own first."""
    groups: dict[str, list[str]] = {}
    for name in model.modes:
        groups.setdefault(_prefix(name), []).append(name)
    return [
        ModeGroup(
            prefix,
            tuple(names),
            next((name for name in names if model.modes[name].initial), names[0]),
            {
                name: each
                for name, each in model.transitions.items()
                if _prefix(each.source[0]) == prefix
            },
        )
        for prefix, names in groups.items()
    ]


def _prefix(name: str) -> str:
    inside, slash, _ = name.rpartition("/")
    return inside + slash


def switched_constraints(model: Model) -> set[str]:
    """Names of the constraints that modes switch: those that a mode or an impact names."""
    named = {name for mode in model.modes.values() for name in mode.active}
    return named | {name for each in model.transitions.values() for name in each.impact}


def model_in_modes(model: Model, modes: Sequence[str], also: Sequence[str] = ()) -> Model:
    """The model while these modes reign, one of each group: their constraints act (and those in
    `also`), and readouts show what they say."""
    other = copy(model)
    other.described = model.described or model
    switched = switched_constraints(model) | set(also)
    acting = {name for mode in modes for name in model.modes[mode].active} | set(also)
    for section in SECTIONS:
        items = {
            name: replace(item, active=name in acting) if name in switched else item
            for name, item in getattr(model, section).items()
        }
        setattr(other, section, items)
    shown = {key: x for mode in modes for key, x in model.modes[mode].readouts.items()}
    other.sensors = {
        name: Signal(shown.get(name, 0.0), kind.measured_in) if isinstance(kind, Readout) else kind
        for name, kind in model.sensors.items()
    }
    return other


# ---- checks --------------------------------------------------------------------------------------

Complaint = tuple[str, str, str]  # section, name, what is wrong


def mode_problems(model: Model, rows: Sequence[str], states: Sequence[str]) -> Iterator[Complaint]:
    """Everything that modes and transitions name wrongly, or that can't happen. `rows` are the
    constraints, `states` what a reset may set."""
    for name, mode in model.modes.items():
        for constraint in mode.active:
            if constraint not in rows:
                yield "modes", name, _unknown_text("constraint", constraint, rows)
        for readout in mode.readouts:
            if not isinstance(model.sensors.get(readout), Readout):
                known = [key for key, kind in model.sensors.items() if isinstance(kind, Readout)]
                yield "modes", name, _unknown_text("readout", readout, known)
    modes = all_modes(model)
    signals = {_prefix(mode) + MODE for mode in modes}
    states = [name for name in states if name not in signals]
    for name, each in model.transitions.items():
        for end in (*each.source, each.target, each.rest):
            if end is not None and end not in modes:
                yield "transitions", name, _unknown_text("mode", end, modes)
        for key in each.reset:
            if key in signals:
                yield (
                    "transitions",
                    name,
                    f"'{key}' says which mode reigns, and is no state to reset; name the mode that "
                    "follows as its target.",
                )
            elif key not in states:
                yield "transitions", name, _unknown_text("state", key, states)
        for contact in each.impact:
            if contact not in rows:
                yield "transitions", name, _unknown_text("constraint", contact, rows)
        for said in (
            *_transitions_between_groups(each, modes),
            *_transitions_without_effect(model, each),
            *_restitution_problems(model, each),
        ):
            yield "transitions", name, said
    for group in mode_groups(model):
        yield from _group_problems(model, group)


def all_modes(model: Model) -> list[str]:
    """Modes of a model and, as "part/name", of its parts."""
    inner = [f"{key}/{name}" for key, part in model.parts.items() for name in all_modes(part.model)]
    return [*model.modes, *inner]


def _transitions_between_groups(each: Transition, modes: Sequence[str]) -> Iterator[str]:
    """Modes of different parts follow each other apart; no transition leads from one to another."""
    own = _prefix(each.source[0])
    for end in (*each.source, each.target, each.rest):
        if end is not None and end in modes and _prefix(end) != own:
            known = [mode for mode in modes if _prefix(mode) == own]
            yield (
                f"mode '{each.source[0]}' is one of {_owner_text(own)} and '{end}' one of "
                f"{_owner_text(_prefix(end))}, whose modes follow each other apart; stay among "
                f"{', '.join(map(repr, known))}."
            )


def _owner_text(prefix: str) -> str:
    return f"part '{prefix[:-1]}'" if prefix else "the model itself"


def _restitution_problems(model: Model, each: Transition) -> Iterator[str]:
    """Restitutions that are parameters must lie where those that are numbers must."""
    for contact, e in each.restitution.items():
        parameter = model.parameters.get(str(e).strip("'"))
        if parameter is None:
            continue
        if not 0.0 <= in_si(parameter.unit, parameter.default) <= 1.0:
            yield (
                f"the restitution of '{contact}' is the parameter {e}, {parameter.default:g}; "
                "it lies between 0 (plastic) and 1 (elastic)."
            )


def _transitions_without_effect(model: Model, each: Transition) -> Iterator[str]:
    for mode in each.source:
        target = each.after(mode)
        if target == mode and not each.reset and not each.impact:
            yield (
                f"it leads from mode '{mode}' back to itself and changes nothing; give it a reset "
                "or an impact, or another target."
            )
        for contact in each.restitution:
            if target in model.modes and contact in model.modes[target].active:
                yield (
                    f"'{contact}' acts in mode '{target}', so that it can't rebound; leave its "
                    "restitution away, or lead to a mode without it."
                )
    if each.rest is not None and not each.impact:
        yield "`rest` is for contacts that rebound too little; name them in `impact`."


def _group_problems(model: Model, group: ModeGroup) -> Iterator[Complaint]:
    """Two beginnings, two transitions by one cause, modes that nothing leads to."""
    starts = [name for name in group.modes if model.modes[name].initial]
    if len(starts) > 1:
        yield (
            "modes",
            starts[1],
            f"mode '{starts[0]}' is initial already; a mechanism starts in one mode.",
        )
    for mode in group.modes:
        causes: dict[tuple[int, int], str] = {}
        for name, each in group.leaving(mode).items():
            cause = (getattr(each.when, "id", 0), each.direction)
            if cause in causes:
                yield (
                    "transitions",
                    name,
                    f"mode '{mode}' is left by '{causes[cause]}' on the same cause already; one "
                    "of them would never happen. Give them different causes, or use `rest`.",
                )
            causes[cause] = name
    reached, waiting = {group.initial}, [group.initial]
    while waiting:
        mode = waiting.pop()
        for each in group.leaving(mode).values():
            for end in (each.after(mode), each.rest):
                if end is not None and end not in reached:
                    reached.add(end)
                    waiting.append(end)
    for mode in group.modes:
        if mode not in reached:
            yield (
                "modes",
                mode,
                f"nothing leads to it from the first mode, '{group.initial}'; add a "
                "transition, or leave the mode away.",
            )


def _unknown_text(kind: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {kind} '{name}'; {suggestion(name, known)}"
