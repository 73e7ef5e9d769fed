"""What an import says besides the model: everything in the file that the model doesn't act upon."""

import warnings
from collections import Counter

from touchback.interop.xml_file import Node
from touchback.model import Model


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
