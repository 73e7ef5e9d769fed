"""The screws of a live keyboard's actions or walls: which there are, what was turned, where."""

from collections.abc import Mapping

from touchback.errors import InputError
from touchback.gallery.keyboard.keys import note_name
from touchback.gallery.keyboard.regulation import WALL_SCREWS, Regulation, screws_of, turned_by
from touchback.model.names import suggestion
from touchback.realtime import Live
from touchback.system import System


class Regulating:
    """Turns screws on keys of some notes and remembers what was turned, as a `Regulation`."""

    def __init__(self, system: System, notes: tuple[int, ...], regulation: Regulation) -> None:
        self.screws = screws_of(system.one.model.all_parameters())
        regulation.check(self.screws, "Regulation")
        self.notes, self.regulation = notes, regulation
        self._graded = {
            note: {name: system.parameters[_parameter(note, name)] for name in self.screws}
            for note in notes
        }

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters of the keyboard that a run with this regulation begins with."""
        return {
            _parameter(note, name): value
            for note in self.notes
            for name, value in self.regulation.of(note).items()
        }

    def graded(self, note: int) -> Mapping[str, float]:
        """The screws of a key as it was made."""
        return self._graded[note]

    def values(self, note: int) -> dict[str, float]:
        """The screws of a key as they are."""
        return {**self._graded[note], **self.regulation.of(note)}

    def facts(self, note: int) -> list[dict[str, object]]:
        """The screws of a key, for a page."""
        values, usual = self.values(note), self._graded[note]
        return [
            {
                "name": name, "unit": each.unit, "usual": usual[name], "min": each.min,
                "max": each.max, "value": values[name],
                "of": "wall" if name in WALL_SCREWS else "action",
            }
            for name, each in self.screws.items()
        ]  # fmt: skip

    def turn(self, live: Live, name: str, value: float | None, note: int | None) -> None:
        """Turns a screw of all keys, or of that of a note, at one tick; None: as it was made."""
        if name not in self.screws:
            raise InputError(f"There is no screw '{name}'; {suggestion(name, self.screws)}")
        new = self.regulation.turned(name, value, note)
        new.check(self.screws, "Regulation")
        before, self.regulation = self.regulation, new
        try:
            live.change({_parameter(own, name): self.values(own)[name] for own in self.notes})
        except BaseException:
            self.regulation = before
            raise


def _parameter(note: int, screw: str) -> str:
    return f"{note_name(note)}/{turned_by(screw)}"
