"""Names: what they may be, and what to say when one is unknown."""

import difflib
from collections.abc import Iterable

from touchback.errors import ModelError

_FORBIDDEN = "'\"/:\n\r\t"


def check_name(kind: str, name: str) -> str:
    """A name as it is, or a refusal."""
    if not isinstance(name, str) or not name.strip() or name != name.strip() or len(name) > 200:
        raise ModelError(f"{kind}: a name of 1 to 200 characters is expected, got {name!r}.")
    for character in _FORBIDDEN:
        if character in name:
            raise ModelError(
                f"{kind} {name!r}: a name must not contain {character!r}; use letters, digits, "
                "spaces, '.', '-' and '_'."
            )
    if name == "time":
        raise ModelError(f"{kind} 'time': this name is taken by the clock.")
    return name


def unknown(kind: str, name: str, known: Iterable[str]) -> ModelError:
    """The error for a name that isn't there, with the nearest ones."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)
    hint = "did you mean " + " or ".join(f"'{item}'" for item in near) + "?" if near else (
        "known: " + ", ".join(f"'{item}'" for item in known[:12]) + ("…" if len(known) > 12 else "")
        if known
        else "none is defined yet."
    )
    return ModelError(f"There is no {kind} '{name}'; {hint}")
