"""Events: what a run shall look for, and what happens there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from touchback.arguments import check_takes
from touchback.errors import InputError
from touchback.numbers import LEAST, MOST, keep, number_within, shown
from touchback.simulate.protocol import Floats
from touchback.symbolic.expression import Expr

Restart = Callable[[float, Floats], ArrayLike]


@dataclass(frozen=True)
class Event:
    """An instant at which a function changes its sign.

    `function` is an expression of the model, the name of a state, input or sensor, that of a
    compliant contact (its gap), or a Python function f(t, x) of the time and the state
    x = [q, v, z]. `direction` +1 wants it rising, −1 falling, 0 both. A `terminal` event ends the
    run; a `restart` function gets (t, x) and gives the state from which the run goes on: an impact,
    a switch. For `locking` seconds after an event the
    same event can't happen again.
    """

    name: str
    function: Expr | str | Callable[[float, Floats], float]
    direction: int = 0
    terminal: bool = False
    restart: Restart | None = None
    locking: float = 1e-9

    def __post_init__(self) -> None:
        if not isinstance(self.function, Expr | str) and not callable(self.function):
            raise InputError(
                f"Event {self.name!r}: an expression of the model, the name of a signal or a "
                f"function of (t, x) is expected, got {shown(self.function)}."
            )
        for word, function in (("function", self.function), ("restart", self.restart)):
            if callable(function):
                check_takes(f"Event {self.name!r}: its {word}", function, ["t", "x"])
        if self.direction not in (-1, 0, 1):
            raise InputError(
                f"Event {self.name!r}: direction is +1 (rising), -1 (falling) or 0 (both), "
                f"got {shown(self.direction)}."
            )
        sentence = f"Event {self.name!r}: locking must be a positive number of seconds"
        keep(self, locking=number_within(sentence, self.locking, LEAST, MOST))
        if self.terminal and self.restart is not None:
            raise InputError(
                f"Event {self.name!r} is terminal and has a restart: leave one of them away."
            )

    @property
    def compiled(self) -> bool:
        """Whether its function becomes part of the compiled model."""
        return isinstance(self.function, Expr | str)
