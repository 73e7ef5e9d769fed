"""Names as people read them: with their units, and helpful words about those that don't exist."""

from collections.abc import Iterable

from touchback.errors import InputError
from touchback.model.names import first_repeated, near_names
from touchback.numbers import shown

_LONGEST = 200  # letters that are compared: strangers' names may have a million


def with_unit(name: str, unit: str) -> str:
    """As "swing [rad]"."""
    return f"{name} [{unit}]" if unit else name


def unknown_name(kind: str, name: object, known: Iterable[str]) -> InputError:
    """The error for a name that isn't among the known ones, with the closest of them."""
    names = list(dict.fromkeys(known))
    told = (name if isinstance(name, str) else shown(name))[:_LONGEST]
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
