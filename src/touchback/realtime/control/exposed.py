"""What a live run lets others do."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields

from touchback.errors import InputError

Allowed = bool | Collection[str]
"""Everything (True), nothing (False), or what is named."""


@dataclass(frozen=True)
class Exposed:
    """What the desk of a run lets through, each everything (True), a list of names or nothing.

    `inputs` and `parameters` by their names (a control by its own: who may choose among its
    alternatives); `hands` by the bodies that may be pulled (all of them, for a hand's own inputs);
    `structure` by what is to change: constraints, joints and controls that may be switched, edited
    and rewritten, and bodies for icons; `transport` by words: "pause", "go", "step", "speed",
    "reset", "resume", and for pages "record", "open" (a recording, for all to see), "seek" in it,
    "fork". Anybody may ask what there is, and stop."""

    inputs: Allowed = True
    parameters: Allowed = True
    hands: Allowed = True
    structure: Allowed = True
    transport: Allowed = True

    def __post_init__(self) -> None:
        for each in fields(self):
            given = getattr(self, each.name)
            if isinstance(given, bool):
                continue
            if isinstance(given, str) or not all(isinstance(name, str) for name in given):
                raise InputError(
                    f"Exposed: {each.name} is True, False or a list of names, got {given!r}."
                )
            object.__setattr__(self, each.name, tuple(given))

    def allows(self, kind: str, name: str) -> bool:
        """Whether a name of a kind ("inputs", …) is exposed."""
        allowed = getattr(self, kind)
        return allowed if isinstance(allowed, bool) else name in allowed

    def check(self, kind: str, name: str) -> None:
        """Refuses what isn't exposed."""
        if not self.allows(kind, name):
            raise InputError(
                f"'{name}' isn't among the {kind} that this run exposes; whoever started it "
                f"decides (Exposed(…, {kind}=…))."
            )


NOTHING = Exposed(inputs=False, parameters=False, hands=False, structure=False, transport=False)
"""Only looking, and the emergency stop."""
