"""What an import says besides the model: everything in the file that the model doesn't act upon,
and names that became others (allowed characters, none twice)."""

import warnings
from collections import Counter
from collections.abc import Container, Iterable

from touchback import Model
from touchback.errors import ModelError
from touchback.interop.xml_file import Node
from touchback.names import check_name


class ImportNotice(UserWarning):
    """An imported model moves otherwise than its file says, or its data can't be physical."""


class Notes:
    """Collects what was left out; ends up in `model.imported["notes"]`."""

    def __init__(self) -> None:
        self.noticed: list[str] = []
        self.plain: list[str] = []
        self.unread: Counter[str] = Counter()

    def notice(self, text: str) -> None:
        """Something that matters for the motion: also warned about."""
        self.noticed.append(text)

    def say(self, text: str) -> None:
        """Something worth knowing."""
        self.plain.append(text)

    def skip(self, what: str) -> None:
        """An element that is not read, counted by kind."""
        self.unread[what] += 1

    def skip_others(self, node: Node, known: tuple[str, ...]) -> None:
        """Count the children of a node whose tags are not known."""
        for child in node.children:
            if child.tag not in known:
                self.skip(child.tag)

    def finish(self, model: Model, kind: str, source: str, **records: object) -> None:
        """Put the report on the model and warn once, of all that matters."""
        lines = [*self.noticed, *self.plain]
        if self.unread:
            listed = ", ".join(f"{number} {what}" for what, number in self.unread.items())
            lines.append(f"Not read: {listed}.")
        model.imported = {"format": kind, "source": source, "notes": tuple(lines), **records}
        if self.noticed:
            shown = self.noticed[:8]
            if len(self.noticed) > len(shown):
                shown.append(f"… and {len(self.noticed) - len(shown)} more")
            text = "\n  ".join([f"{source}: see model.imported['notes'].", *shown])
            warnings.warn(text, ImportNotice, stacklevel=3)


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
