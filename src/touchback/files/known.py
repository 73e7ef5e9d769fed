"""What can't be read back isn't written: kinds that files don't know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import fields

from touchback.errors import ModelError
from touchback.files.schema import KINDS, kinds_in
from touchback.model.value import Data

if TYPE_CHECKING:
    from touchback.model.model import Model


def check_known(model: Model) -> None:
    """Refuse a model, or one of its parts, with a kind that files don't know."""
    for section, kinds in KINDS.items():
        for name, item in getattr(model, section).items():
            own = item.kind if section in ("joints", "closures") else item
            if (stranger := _stranger(own, kinds)) is not None:
                label = f"{section.removesuffix('s').capitalize()} '{name}'"
                raise ModelError(
                    f"{label}: a file can't hold its {type(stranger).__name__}, since no file "
                    f'knows that kind; call touchback.files.add_kind("{section}", …) for a '
                    f"kind of your own{'' if stranger is own else ' that has it as a field'}."
                )
    for part in model.parts.values():
        check_known(part.model)


def _stranger(item: Data, kinds: dict[str, type[Data]]) -> Data | None:
    """The item, or what lies in it, if it is of none of these kinds."""
    if type(item) is not kinds.get(str(item.__struct_config__.tag)):
        return item
    for field in fields(type(item)):
        own, inner = getattr(item, field.name), kinds_in(field.type)
        for one in own if isinstance(own, tuple) else (own,):
            found = _stranger(one, inner) if inner and one is not None else None
            if found is not None:
                return found
    return None
