"""What one step needs of a mechanism with contacts, as one compiled function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from touchback.contact import ContactKind
from touchback.dynamics.forward import configuration_rate, entries
from touchback.errors import InputError, ModelError
from touchback.model.walk import expressions_of, normalised
from touchback.simulate.protocol import Floats
from touchback.symbolic.differentiate import jacobian, jvp
from touchback.symbolic.stages import split_many
from touchback.system import System
from touchback.system.derivation import Derivation
from touchback.system.function import Function
from touchback.system.functions import rate_equations


@dataclass(frozen=True)
class Rows:
    """M, relative velocities (normal, then tangents, of each contact) and their rows
    W = ∂velocity/∂v, at one state."""

    M: Floats
    velocity: Floats
    W: Floats


@dataclass(frozen=True)
class Instant:
    """The rest at one state: ẋ and ∂ẋ/∂x with x = [q, v, z]; gaps; and coefficients."""

    rate: Floats
    rate_jacobian: Floats
    gap: Floats
    friction: Floats
    restitution: Floats


Group = tuple[list[int], tuple[int, ...]]  # nodes and the shape of what they fill


class ContactEquations:
    """The equations of a system with contacts, evaluated at states x and u = [t, inputs…]."""

    def __init__(
        self,
        system: System,
        contacts: Mapping[str, ContactKind],
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        if system.constraint_names:
            raise InputError(
                f"{system.name}: time stepping of contacts takes mechanisms without closures, "
                f"couplings and drives, and this one has '{system.constraint_names[0]}'."
            )
        self.system = system
        self.contacts = {name: _checked(system, name, kind) for name, kind in contacts.items()}
        self.starts: list[int] = []  # the normal row of each contact; its tangents follow
        d = Derivation(system.model, system.layout, (), system.plan.frame_pass, system._merge_fixed)
        groups = self._derive(d)
        wanted = {name: [x for nodes, _ in parts for x in nodes] for name, parts in groups.items()}
        first, seconds = split_many(d.tape, wanted, d.parameters, d.places())
        given = system._with(parameters or {})
        self._parts: dict[str, tuple[Function, list[tuple[slice, tuple[int, ...]]]]] = {}
        for name, second in seconds.items():
            function = Function(name, first, second, (len(wanted[name]),), system._backend)
            function.block[:] = function.block_for(given)
            self._parts[name] = function, _places(groups[name])

    def _derive(self, d: Derivation) -> dict[str, list[Group]]:
        """The nodes of each field of `Rows` and `Instant`."""
        instant, tape = d.instant, d.tape
        n, m = len(d.v), len(self.contacts)
        x = [*d.q, *d.v, *d.z]
        M = entries(instant, self.system.plan.world_mass_matrix)
        moving = dict(zip([*d.q, d.time], [*configuration_rate(instant), 1], strict=True))
        gaps: list[int] = [kind.gap(instant) for kind in self.contacts.values()]
        speeds: list[int] = []
        for gap, kind in zip(gaps, self.contacts.values()):
            self.starts.append(len(speeds))
            speeds += [*jvp(tape, [gap], moving), *kind.slip(instant)]
        self.rows = len(speeds)
        rate, _, _ = rate_equations(d, self.system.plan.algorithm)
        kinds: list[Any] = list(self.contacts.values())
        return {
            "contact rows": [
                ([M.get((i, j), 0) for i in range(n) for j in range(n)], (n, n)),
                (speeds, (self.rows,)),
                ([slope for row in jacobian(tape, speeds, d.v) for slope in row], (self.rows, n)),
            ],
            "contact instant": [
                (rate, (len(x),)),
                ([slope for row in jacobian(tape, rate, x) for slope in row], (len(x), len(x))),
                (gaps, (m,)),
                ([instant.value(kind.friction) for kind in kinds], (m,)),
                ([instant.value(kind.restitution) for kind in kinds], (m,)),
            ],
        }

    def rows_at(self, x: Floats, u: Floats) -> Rows:
        """Masses and relative velocities."""
        return Rows(*self._evaluate("contact rows", x, u))

    def at(self, x: Floats, u: Floats) -> Instant:
        """The rest."""
        return Instant(*self._evaluate("contact instant", x, u))

    def _evaluate(self, name: str, x: Floats, u: Floats) -> list[Floats]:
        function, places = self._parts[name]
        function.x[: len(x)] = x[: function.x.size]
        function.u[:] = u[: function.u.size]
        function.bound()
        out = function.out.copy()
        return [out[place].reshape(shape) for place, shape in places]


def _places(groups: list[Group]) -> list[tuple[slice, tuple[int, ...]]]:
    """Where each group lies in the function's result."""
    found, start = [], 0
    for nodes, shape in groups:
        found.append((slice(start, start + len(nodes)), shape))
        start += len(nodes)
    return found


def _checked(system: System, name: str, kind: Any) -> Any:
    label = f"Contact '{name}'"
    if not isinstance(kind, ContactKind):
        raise ModelError(
            f"{label}: a contact such as tb.SpherePlaneContact(…) is expected, got {kind!r}."
        )
    for expression in expressions_of(kind):
        if expression.tape is not system.model.tape:
            raise ModelError(f"{label}: it uses the expression {expression} of another model.")
    return normalised(label, kind)
