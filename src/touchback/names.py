"""Names: what they may be, and what to say when one is unknown."""

import heapq
from collections.abc import Hashable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import islice
from typing import TypeVar

from touchback.errors import InputError, ModelError
from touchback.numbers import shown

_FORBIDDEN = "'\"/:"


_LONGEST = 200


_COMPARED = 64  # letters of names that are compared, and how many names closely: a file of a


# stranger may hold any number, and the time of a close comparison grows with the cube of letters
_LOOKED_AT = 10_000  # names whose letters are counted


T = TypeVar("T", bound=Hashable)


def check_name(kind: str, name: str) -> str:
    """A name as it is, or a refusal."""
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        raise ModelError(
            f"{kind}: a name is expected, without spaces at its ends and not empty, got {name!r}."
        )
    if len(name) > _LONGEST:
        raise ModelError(
            f"{kind} '{name[:20]}…': its name has {len(name)} characters; at most {_LONGEST} are "
            "allowed."
        )
    for character in name:
        if character in _FORBIDDEN or not character.isprintable():
            raise ModelError(
                f"{kind} {name!r}: a name must not contain {character!r}; use letters, digits, "
                "spaces, '.', '-' and '_'."
            )
    if name == "time":
        raise ModelError(f"{kind} 'time': this name is taken by the clock; choose another.")
    return name


def check_unit(label: str, unit: str) -> str:
    """A unit as it is: printable text, possibly empty."""
    if not isinstance(unit, str) or len(unit) > _LONGEST or not unit.isprintable():
        raise ModelError(f"{label}: its unit must be a short text such as 'N m', got {unit!r}.")
    return unit


def near_names(name: str, known: Iterable[str], cutoff: float) -> list[str]:
    """The three known names that are most similar to a name, the nearest first; `cutoff` is the
    least similarity (difflib's, from 0 to 1). A bounded number of names is compared."""
    matcher = SequenceMatcher()
    matcher.set_seq2(name[:_COMPARED])
    counted = list[tuple[float, str]]()
    for each in islice(known, _LOOKED_AT):
        matcher.set_seq1(each[:_COMPARED])
        if matcher.real_quick_ratio() >= cutoff and (alike := matcher.quick_ratio()) >= cutoff:
            counted.append((alike, each))
    close = list[tuple[float, str]]()
    for _, each in heapq.nlargest(_COMPARED, counted):
        matcher.set_seq1(each[:_COMPARED])
        if (alike := matcher.ratio()) >= cutoff:
            close.append((alike, each))
    return [each for _, each in heapq.nlargest(3, close)]


def first_repeated(items: Iterable[T]) -> T | None:
    """The first that stands twice; None where each stands once."""
    seen = set[T]()
    for each in items:
        if each in seen:
            return each
        seen.add(each)
    return None


def suggestion(name: str, known: Iterable[str]) -> str:
    """The nearest known names, or all of them when none is near."""
    listed = list(known)
    near = near_names(str(name), listed, 0.6)
    if near:
        return "did you mean " + " or ".join(f"'{item}'" for item in near) + "?"
    if not listed:
        return "none is defined yet."
    shown = ", ".join(f"'{item}'" for item in listed[:12])
    return f"known: {shown}{', …' if len(listed) > 12 else '.'}"


def unknown(kind: str, name: str, known: Iterable[str], where: str = "") -> ModelError:
    """The error for a name that isn't there, with the nearest ones."""
    beginning = f"{where}: there" if where else "There"
    return ModelError(f"{beginning} is no {kind} '{name}'; {suggestion(name, known)}")


_LONGEST_SHOWN = 200  # letters that are compared: strangers' names may have a million


def with_unit(name: str, unit: str) -> str:
    """As "swing [rad]"."""
    return f"{name} [{unit}]" if unit else name


_QUANTITIES = {
    "m": "length", "rad": "angle", "m/s": "speed", "rad/s": "angular speed", "N": "force",
    "m/s²": "acceleration", "m/s^2": "acceleration", "rad/s²": "angular acceleration",
    "N m": "torque", "J": "energy",
    "W": "power", "kg": "mass", "V": "voltage", "A": "current", "s": "time", "Pa": "pressure",
}  # fmt: skip


def axis_label(names: Sequence[str], unit: str) -> str:
    """What an axis of signals that share a unit says: the name of the only one, or what is measured
    in that unit."""
    return with_unit(names[0], unit) if len(names) == 1 else quantity_label(unit)


def quantity_label(unit: str) -> str:
    """What is measured in a unit, as "angle [rad]"; "value [stone]" where that isn't known."""
    return with_unit(_QUANTITIES.get(unit, "value"), unit)


def unknown_name(kind: str, name: object, known: Iterable[str]) -> InputError:
    """The error for a name that isn't among the known ones, with the closest of them."""
    names = list(dict.fromkeys(known))
    told = (name if isinstance(name, str) else shown(name))[:_LONGEST_SHOWN]
    close = near_names(told, names, 0.5)
    # Upper case and parts of a name are the usual slips that similarity alone misses.
    close += [n for n in names if told.lower() in n.lower() and n not in close]
    if close:
        hint = "did you mean " + " or ".join(f"{n!r}" for n in close[:3]) + "?"
    elif names:
        some = ", ".join(f"{n!r}" for n in names[:8]) + (", …" if len(names) > 8 else "")
        hint = f"there are {some}."
    else:
        hint = "there are none."
    return InputError(f"There is no {kind} {shown(name)}: {hint}")


def names_in(label: str, given: object) -> list[str]:
    """A list of names as a user gives it; a single text is refused, whose letters would count."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        one = shown(given if isinstance(given, str) else "name")
        raise InputError(f"{label}: names are expected, as [{one}], got {shown(given)}.")
    return list(given)


def names_once(label: str, given: object) -> list[str]:
    """The same, each of which may stand in it once."""
    found = names_in(label, given)
    twice = first_repeated(name for name in found if isinstance(name, str))
    if twice is not None:
        raise InputError(f"{label}: {shown(twice)} is named twice, and would count twice.")
    return found
