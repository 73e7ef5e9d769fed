"""The items of one model in a file: read from plain data, every complaint with its place."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, get_args

from msgspec.structs import fields

from touchback.errors import TouchbackError
from touchback.files.convert import convert, mapping
from touchback.files.document import Document, Path
from touchback.files.schema import KINDS, SECTIONS, kinds_in
from touchback.model.frame import Frame, frame_at
from touchback.model.model import LARGEST
from touchback.model.solids import AnySeen
from touchback.model.value import Data, Value
from touchback.symbolic.expression import Expr


class Items:
    """The items of a model, by section and name, as the structs of `schema.py`. `read_text` says
    what the text of a value means: an expression, once names are known."""

    read_text: Callable[[str, Path], Expr]

    def __init__(self, document: Document, path: Path, data: dict[str, object]) -> None:
        self.document, self.path, self.data = document, path, data
        self.items = {section: self.section(section) for section in SECTIONS}
        count = sum(map(len, self.items.values()))
        if count > LARGEST:
            raise document.error(path, f"it names {count} things; a model has at most {LARGEST}.")

    @contextmanager
    def at(self, *steps: str) -> Iterator[None]:
        """Complaints from inside get this place, instead of the name they begin with."""
        try:
            yield
        except TouchbackError as error:
            if str(error).startswith(self.document.source):
                raise
            message = re.sub(r"^[A-Z]\w+ '[^']*': ", "", str(error))
            raise self.document.error((*self.path, *steps), message) from None

    def section(self, section: str) -> dict[str, Any]:
        path = (*self.path, section)
        given = mapping(self.document, path, self.data.get(section, {}))
        return {
            name: convert(self.document, (*path, name), item, SECTIONS[section])
            for name, item in given.items()
        }

    def value(self, given: object, path: Path) -> Any:
        """A number as it is, a text as its expression; lists item by item."""
        if isinstance(given, str):
            return self.read_text(given, path)
        if isinstance(given, tuple):
            return tuple(self.value(item, (*path, i)) for i, item in enumerate(given))
        if isinstance(given, dict):
            return {key: self.value(item, (*path, key)) for key, item in given.items()}
        return given

    def frame(self, given: Any, path: Path) -> Frame:
        if isinstance(given, Frame):
            return given
        if isinstance(given, str):
            return Frame(given)
        x, y, z = self.value(given.at, (*path, "at"))
        turn = [
            (axis, self.value(angle, (*path, "turn", i)))
            for i, (axis, angle) in enumerate(given.turn)
        ]
        return frame_at(given.body, x, y, z, turn)

    def kind(self, section: str, name: str) -> Any:
        """The joint, force or sensor kind that an item describes."""
        item = self.items[section][name]
        return self.described(item, KINDS[section], (*self.path, section, name))

    def look(self, name: str, item: Any) -> tuple[Frame, AnySeen]:
        """Where a body shows a solid, and which."""
        path = (*self.path, "shapes", name)
        solid = self.described(item.solid, kinds_in(AnySeen), (*path, "solid"))
        return self.frame(item.frame, (*path, "frame")), solid

    def joint_options(self, name: str, words: Sequence[str]) -> dict[str, Any]:
        """Those of these options of a joint that its item gives."""
        item, path = self.items["joints"][name], (*self.path, "joints", name)
        given = {word: self.value(getattr(item, word), (*path, word)) for word in words}
        return {word: each for word, each in given.items() if each != ()}

    def described(self, item: Any, kinds: Mapping[str, type[Data]], path: Path) -> Any:
        """The data of one of these kinds, and what lies in it: profiles, laws."""
        kind = kinds[item.__struct_config__.tag]
        given: dict[str, object] = {}
        for field in fields(kind):
            own, where = getattr(item, field.name), (*path, field.name)
            inner = kinds_in(field.type)
            if field.type is Frame:
                given[field.name] = self.frame(own, where)
            elif Frame in get_args(field.type):
                given[field.name] = tuple(self.frame(one, (*where, i)) for i, one in enumerate(own))
            elif inner and isinstance(own, tuple):
                given[field.name] = tuple(
                    self.described(one, inner, (*where, i)) for i, one in enumerate(own)
                )
            elif inner:
                given[field.name] = self.described(own, inner, where)
            elif field.type is Value or Value in get_args(field.type):
                given[field.name] = self.value(own, where)
            else:
                given[field.name] = own
        return kind(**given)
