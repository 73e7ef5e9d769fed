"""Helpful words about names that don't exist."""

from collections.abc import Iterable
from difflib import get_close_matches

from touchback.errors import InputError
from touchback.numbers import shown


def unknown_name(kind: str, name: object, known: Iterable[str]) -> InputError:
    """The error for a name that isn't among the known ones, with the closest of them."""
    names, told = list(known), name if isinstance(name, str) else shown(name)
    close = get_close_matches(told, names, n=3, cutoff=0.5)
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
