"""Names of a model as identifiers of Modelica, none twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

_RESERVED = """
algorithm and annotation block break class connect connector constant constrainedby der discrete
each else elseif elsewhen encapsulated end enumeration equation expandable extends external false
final flow for function if import impure in initial inner input loop model not operator or outer
output package parameter partial protected public pure record redeclare replaceable return stream
then true type when while within time

abs sign sqrt div mod rem ceil floor integer sin cos tan asin acos atan atan2 sinh cosh tanh exp log
log10 delay pre edge change sample reinit noEvent smooth homotopy semiLinear terminal assert
terminate size ndims scalar vector matrix transpose outerProduct identity diagonal zeros ones fill
linspace min max sum product symmetric cross skew cat array Real Integer Boolean String StateSelect
"""  # words of the language, and what is known everywhere


class Names:
    """Identifiers, made when first asked for."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._known: dict[tuple[str, str], str] = {}
        self._used = {*_RESERVED.split(), *taken}

    def of(self, kind: str, name: str, prefixed: bool = False) -> str:
        """The identifier of a thing of some kind, "kind_name" or as near to its name as can be."""
        known = self._known.get((kind, name))
        if known is None:
            known = self.fresh(f"{kind}_{name}" if prefixed else name)
            self._known[kind, name] = known
        return known

    def fresh(self, name: str) -> str:
        """An identifier that nothing has yet."""
        plain = re.sub(r"\W+", "_", name, flags=re.ASCII).rstrip("_") or "_"
        plain = plain if not plain[0].isdigit() else f"_{plain}"
        found, number = plain, 2
        while found in self._used:
            found, number = f"{plain}_{number}", number + 1
        self._used.add(found)
        return found


def quoted(text: str) -> str:
    """A text as that of a comment between quotes."""
    return one_line(text).replace("\\", "/").replace('"', "'")


def one_line(text: str) -> str:
    """Without breaks."""
    return " ".join(text.split())
