"""Describing signals: parameters, inputs, states, memories, controllers, tables."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace
from numpy.typing import ArrayLike

from touchback.arguments import check_takes
from touchback.errors import ModelError
from touchback.model.controls import add_choice, check_alternative
from touchback.model.description import Description
from touchback.model.names import check_name, check_unit, unknown
from touchback.model.signals import (
    Control,
    ExtraState,
    Input,
    Parameter,
    check_range,
    in_si,
)
from touchback.model.tables import make_table
from touchback.model.value import Value, Values, listed, number, value
from touchback.symbolic.expression import Expr
from touchback.symbolic.table import Table
from touchback.units import unit_of

Law = Value | Callable[[Expr], Value] | None


def _ranged(
    label: str, default: float, low: float | None, high: float | None
) -> tuple[float, float | None, float | None]:
    """A default within its range."""
    lowest = None if low is None else number(f"{label}: min", low)
    highest = None if high is None else number(f"{label}: max", high)
    usual = number(f"{label}: default", default)
    check_range(label, usual, lowest, highest)
    return usual, lowest, highest


class Signals(Description):
    """What has a number at each instant, and who gives it."""

    def parameter(
        self,
        name: str,
        default: float,
        unit: str = "",
        min: float | None = None,
        max: float | None = None,
    ) -> Expr:
        """A live number, to be used in any other description; changeable on the compiled system.
        It is given and shown in its `unit`, as "mm" or "N/mm"; expressions have it in SI."""
        self.refuse_taken("parameter", name)
        label = f"Parameter '{name}'"
        usual, lowest, highest = _ranged(label, default, min, max)
        self.parameters[name] = Parameter(usual, check_unit(label, unit), lowest, highest)
        return self._symbol(name)

    def input(
        self,
        name: str,
        unit: str = "",
        default: float = 0.0,
        min: float | None = None,
        max: float | None = None,
    ) -> Expr:
        """A signal from outside: a device, a port, a function of time given to `simulate`. It comes
        in its `unit`, as "deg" or "mm"; expressions have it in SI. Beyond
        `min` and `max` a live run refuses what people and programs set it to (devices have
        `WatchedInput(low=…, high=…)`); sliders have that range."""
        self.refuse_taken("input", name)
        label = f"Input '{name}'"
        usual, lowest, highest = _ranged(label, default, min, max)
        self.inputs[name] = Input(usual, check_unit(label, unit), lowest, highest)
        return self._symbol(name)

    def state(self, name: str, initial: float = 0.0, rate: Law = None, unit: str = "") -> Expr:
        """An extra state z with ż = rate: an expression, or a function of the state's own one. It
        is in SI, as its rate is: `initial` in another unit is converted.

        Leave `rate` out and give it with `set_rate` when it needs other states defined later."""
        self.refuse_taken("state", name)
        label = f"State '{name}'"
        unit = check_unit(label, unit)
        start = in_si(unit, number(f"{label}: initial", initial))
        known = unit_of(unit)
        unit = unit if known is None or known.is_si else known.si  # as its rate is
        if callable(rate):
            check_takes(f"{label}: its rate", rate, [name], ModelError)
        owned = self.owned_states()
        self.states[name] = ExtraState(start, 0.0, unit)
        for full in [known for known in self.states if known in owned] if owned else ():
            self.states[full] = self.states.pop(full)  # forces' states come last, as in a file
        symbol = self._symbol(name)
        if rate is not None:
            self.set_rate(name, rate(symbol) if callable(rate) else rate)
        return symbol

    def set_rate(self, name: str, rate: Value) -> None:
        """Give ż of an extra state."""
        if name not in self.states:
            raise unknown("state", name, self.states)
        if name in self.owned_states():
            raise ModelError(f"State '{name}': it belongs to a force, which gives its rate.")
        if self.states[name].update is not None:
            raise ModelError(
                f"State '{name}': it is a memory, which changes only at ticks; it has no rate."
            )
        label = f"State '{name}': rate"
        changed = replace(self.states[name], rate=value(label, rate))
        self.states[name] = self._own(label, changed)

    def memory(self, name: str, initial: float = 0.0, update: Law = None, unit: str = "") -> Expr:
        """A state that changes only at ticks, where it takes the value of `update`: an expression,
        or a function of the memory's own one. All updates of a tick see the values before it; the
        motion until the next tick sees those after it.

        Leave `update` out and give it with `set_update` when it needs memories defined later."""
        symbol = self.state(name, initial, unit=unit)
        self.states[name] = replace(self.states[name], update=symbol)
        if update is not None:
            self.set_update(name, update)
        return symbol

    def set_update(self, name: str, update: Law) -> None:
        """Give what a memory becomes at a tick."""
        if name not in self.states:
            raise unknown("memory", name, self.states)
        if self.states[name].update is None:
            raise ModelError(
                f"State '{name}': it is no memory, it changes all the time by its rate; make it by "
                "`m.memory` if it shall change only at ticks."
            )
        label = f"Memory '{name}': update"
        if callable(update):
            check_takes(f"Memory '{name}': its update", update, [name], ModelError)
            update = update(self.signal(name))
        changed = replace(self.states[name], update=value(label, update))
        self.states[name] = self._own(label, changed)

    def control(
        self,
        name: str,
        law: Callable[..., Values],
        of: Sequence[str | Value],
        to: str | Sequence[str],
        instead_of: str | None = None,
    ) -> None:
        """A traced controller: `law` gets the signals in `of` (names or expressions) and returns
        what drives the inputs in `to` (a name or several; also "part/input").

        With `instead_of` it is an alternative to another control of the same inputs: a live
        parameter "… choice" says which of them acts (`live.choose`)."""
        check_name("Control", name)
        label = f"Control '{name}'"
        self._refuse_known("control", name, self.controls)
        signals = [self.signal(item) if isinstance(item, str) else item for item in of]
        targets = [to] if isinstance(to, str) else list(to)
        named = [item if isinstance(item, str) else "an expression" for item in of]
        check_takes(f"{label}: its law", law, named, ModelError)
        outcome = law(*signals)
        outcomes = listed(outcome)
        if outcomes is None:
            outcomes = [outcome]
        if len(outcomes) != len(targets):
            raise ModelError(
                f"{label}: its law returned {len(outcomes)} value(s) for {len(targets)} input(s); "
                "return one for each input in `to`."
            )
        drives: dict[str, Value] = {}
        for target, driven in zip(targets, outcomes, strict=True):
            self._check_target(label, target, drives, alternative=instead_of is not None)
            drives[target] = value(f"{label}: {target}", driven)
        if instead_of is None:
            self.controls[name] = self._own(label, Control(drives))
            return
        check_alternative(self, label, instead_of, targets)
        self.controls[name] = self._own(label, Control(drives, instead_of))
        add_choice(self, instead_of)

    def _check_target(
        self, label: str, target: str, drives: dict[str, Value], alternative: bool
    ) -> None:
        known = self.all_inputs()
        if target not in known:
            raise unknown("input", target, known, where=label)
        if target in drives:
            raise ModelError(f"{label}: it drives input '{target}' twice; name it once in `to`.")
        driver = self.driven_inputs().get(target)
        if driver is not None and not alternative:
            raise ModelError(
                f"{label}: input '{target}' is already driven by control '{driver}'; "
                "add the two laws in one control."
            )

    def table(self, name: str, x: ArrayLike, values: ArrayLike, y: ArrayLike = ()) -> Table:
        """A named lookup table for laws: `tb.lookup(table, x)`."""
        check_name("Table", name)
        self._refuse_known("table", name, self.tables)
        self.tables[name] = make_table(f"Table '{name}'", x, values, y)
        return self.tables[name]
