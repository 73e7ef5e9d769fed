"""Names: what they may be, and what to say when one is unknown."""

import difflib
from collections.abc import Iterable

from touchback.errors import ModelError

_FORBIDDEN = "'\"/:"
_LONGEST = 200


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


def suggestion(name: str, known: Iterable[str]) -> str:
    """The nearest known names, or all of them when none is near."""
    listed = list(known)
    near = difflib.get_close_matches(str(name)[:_LONGEST], listed, n=3, cutoff=0.6)
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
