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
class Instant:
    """The mechanism at one state: M, ẋ and ∂ẋ/∂x with x = [q, v, z]; gaps, relative velocities
    (normal, then tangents, of each contact) and their rows W = ∂velocity/∂v; coefficients; and
    the books: energy [J], and power of all that is no contact and stores no energy [W]."""

    M: Floats
    rate: Floats
    rate_jacobian: Floats
    gap: Floats
    velocity: Floats
    W: Floats
    friction: Floats
    restitution: Floats
    books: Floats


class ContactEquations:
    """The equations of a system with contacts, evaluated at states."""

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
        self._places: list[tuple[slice, tuple[int, ...]]] = []
        flat: list[int] = []
        for group, shape in groups:
            self._places.append((slice(len(flat), len(flat) + len(group)), shape))
            flat += group
        first, seconds = split_many(d.tape, {"contacts": flat}, d.parameters, d.places())
        self._function = Function(
            "contacts", first, seconds["contacts"], (len(flat),), system._backend
        )
        self._function.block[:] = self._function.block_for(system._with(parameters or {}))

    def _derive(self, d: Derivation) -> list[tuple[list[int], tuple[int, ...]]]:
        """The nodes of each field of an `Instant`, and its shape."""
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
        energy = instant.energy("total")
        power = jvp(tape, [energy], dict(zip(x, rate, strict=True)))[0]
        kinds: list[Any] = list(self.contacts.values())
        return [
            ([M.get((i, j), 0) for i in range(n) for j in range(n)], (n, n)),
            (rate, (len(x),)),
            ([slope for row in jacobian(tape, rate, x) for slope in row], (len(x), len(x))),
            (gaps, (m,)),
            (speeds, (self.rows,)),
            ([slope for row in jacobian(tape, speeds, d.v) for slope in row], (self.rows, n)),
            ([instant.value(kind.friction) for kind in kinds], (m,)),
            ([instant.value(kind.restitution) for kind in kinds], (m,)),
            ([energy, power], (2,)),
        ]

    def at(self, x: Floats, u: Floats) -> Instant:
        """Everything at a state x and u = [t, inputs…]."""
        function = self._function
        function.x[: len(x)] = x[: function.x.size]
        function.u[:] = u[: function.u.size]
        function.bound()
        out = function.out.copy()
        found = [out[place].reshape(shape) for place, shape in self._places]
        return Instant(*found)


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
