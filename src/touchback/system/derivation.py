"""One derivation: a tape with the symbols of a system, and the mechanism at that symbolic
instant."""

from collections.abc import Sequence
from functools import cached_property

from touchback.dynamics import Coordinates, Instant
from touchback.model.model import Model
from touchback.symbolic.program import Place
from touchback.symbolic.tape import Tape
from touchback.system.layout import Layout


class Derivation:
    """Symbols for x = [q, v, z], u = [time, inputs…, extra…] and the parameters, and the instant
    they describe."""

    def __init__(
        self,
        model: Model,
        layout: Layout,
        extra: Sequence[str] = (),
        frame_pass: bool = False,
        merge_fixed: bool = True,
        tape: Tape | None = None,
    ) -> None:
        self.tape = Tape() if tape is None else tape
        self.layout = layout
        symbol = self.tape.symbol
        self.q = [symbol(f"q:{name}") for name in layout.q]
        self.v = [symbol(f"v:{name}") for name in layout.v]
        self.z = [symbol(name) for name in layout.z]
        self.time = symbol("time")
        self.u = [symbol(name) for name in layout.inputs]
        self.extra = [symbol(f"extra:{name}") for name in extra]
        self.parameters = [symbol(name) for name in layout.parameters]
        self._model, self._frame_pass, self._merge_fixed = model, frame_pass, merge_fixed

    @cached_property
    def instant(self) -> Instant:
        """The mechanism over this tape."""
        layout = self.layout
        at = Coordinates(
            self.q,
            self.v,
            dict(zip(layout.z, self.z, strict=True)),
            dict(zip(layout.inputs, self.u, strict=True)),
            self.time,
            dict(zip(layout.parameters, self.parameters, strict=True)),
        )
        return Instant(self._model, self.tape, at, self._merge_fixed, self._frame_pass)

    def places(self) -> dict[int, Place]:
        """Where each symbol is read from."""
        found: dict[int, Place] = {}
        for i, node in enumerate([*self.q, *self.v, *self.z]):
            found[node] = ("x", i)
        for i, node in enumerate([self.time, *self.u, *self.extra]):
            found[node] = ("u", i)
        return found
