"""Names from files made names of ours: allowed characters, none twice."""

from collections.abc import Container, Iterable

from touchback.errors import ModelError
from touchback.interop.notes import Notes
from touchback.model.names import check_name


def safe_names(
    kind: str, names: Iterable[str], notes: Notes, taken: Iterable[str] = ()
) -> dict[str, str]:
    """For each name of a file one that a model takes; said in the notes where it differs."""
    given = list(names)
    used = {*taken, *(name for name in given if _allowed(name))}
    mapped: dict[str, str] = {}
    for name in given:
        if _allowed(name) and name not in taken:
            mapped[name] = name
            continue
        mapped[name] = unused(_cleaned(name), used)
        used.add(mapped[name])
        notes.say(f"{kind} {name!r} is called '{mapped[name]}' here.")
    return mapped


def unused(name: str, used: Iterable[str]) -> str:
    """The name, numbered if it is used already. Numbers are given in a row, so the first free one
    is found by halving: files have thousands of things without names."""
    taken = used if isinstance(used, Container) else set(used)
    if name not in taken:
        return name
    low, high = 1, 2  # the first has no number
    while f"{name} {high}" in taken:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if f"{name} {middle}" in taken else (low, middle)
    return f"{name} {high}"


def _allowed(name: str) -> bool:
    try:
        check_name("", name)
    except ModelError:
        return False
    return True


def _cleaned(name: str) -> str:
    clean = "".join("_" if c in "'\"/:" or not c.isprintable() else c for c in name).strip()[:150]
    return clean if clean and clean != "time" else f"{clean}_"
