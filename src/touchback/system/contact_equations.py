"""What runs with rigid contacts need of a mechanism, as compiled functions.

Rows of velocity stand in one order: the mechanism's own constraints (closures, couplings, written
ones, drives), whose forces may have either sign, then the contacts, each with its normal, its
tangents and its rolling rows. All matrices are dense and row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from touchback.dynamics import (
    configuration_rate,
    constraint_rows,
    mass_matrix_entries,
    solve_efforts,
)
from touchback.dynamics.forward_dynamics import solve_accelerations
from touchback.errors import ModelError
from touchback.model import ContactKind, expressions_of, normalise_fields
from touchback.native import (
    ContactFunctions,
    ContactPattern,
    FunctionData,
    SteppedFunctions,
    evaluate_rows,
)
from touchback.numbers import shown
from touchback.symbolic import jacobian, jvp
from touchback.system.derivation import Derivation
from touchback.system.system import System


@dataclass(frozen=True)
class ContactLayout:
    """Which rows there are: `bilateral` ones first; of each contact its normal row; and the groups
    of friction rows, each with its contact."""

    bilateral: int
    rows: int
    normals: tuple[int, ...]
    groups: tuple[tuple[tuple[int, ...], int], ...]

    def friction_labels(self, contact: int) -> list[tuple[int, str, str]]:
        """Friction rows of a contact: which, what they are called, the unit of their impulses."""
        found = []
        own = [rows for rows, i in self.groups if i == contact]
        for rows, word, unit in zip(own, ("friction", "rolling"), ("N s", "N m s"), strict=True):
            for k, row in enumerate(rows):
                number = f" {k + 1}" if len(rows) > 1 else ""
                found.append((row, f"{word}{number}", unit))
        return found


class ContactRows:
    """Nodes of all rows on a derivation's tape."""

    def __init__(self, d: Derivation, contacts: Mapping[str, ContactKind]) -> None:
        instant, tape = d.instant, d.tape
        n = len(d.v)
        flow = dict(zip([*d.q, d.time], [*configuration_rate(instant), 1], strict=True))
        own = constraint_rows(instant)
        self.h = [0 if row.h is None else row.h for row in own]
        self.gaps: list[int] = [kind.gap(instant) for kind in contacts.values()]
        speeds: list[int] = []
        normals: list[int] = []
        groups: list[tuple[tuple[int, ...], int]] = []
        for i, kind in enumerate(contacts.values()):
            normals.append(len(own) + len(speeds))
            speeds += jvp(tape, [self.gaps[i]], flow)
            for part in (kind.slip(instant), kind.roll(instant)):
                start = len(own) + len(speeds)
                groups.append((tuple(range(start, start + len(part))), i))
                speeds += part
        slopes = jacobian(tape, speeds, d.v) if speeds else []
        self._check(d, contacts, normals, len(own), slopes)
        self.W = [[row.J.get(j, 0) for j in range(n)] for row in own] + slopes
        self.effect = [[(row.through or row.J).get(j, 0) for j in range(n)] for row in own] + slopes
        self.u = [tape.sub(_along(d, row, d.v), each.b) for row, each in zip(self.W, own)] + speeds
        self.bias = [row.gamma for row in own] + jvp(tape, speeds, flow)
        self.layout = ContactLayout(len(own), len(self.u), tuple(normals), tuple(groups))

    def _check(
        self,
        d: Derivation,
        contacts: Mapping[str, ContactKind],
        normals: Sequence[int],
        first: int,
        slopes: Sequence[Sequence[int]],
    ) -> None:
        """Refuse gaps that no coordinate changes, gaps of velocities, and speeds that aren't linear
        in them."""
        ends = [*normals[1:], first + len(slopes)]
        if not _uses(d, [*self.gaps, *(x for row in slopes for x in row)]) and all(
            any(slopes[start - first]) for start in normals
        ):
            return
        for name, gap, start, end in zip(contacts, self.gaps, normals, ends):
            label = f"Contact '{name}'"
            if _uses(d, [gap]):
                raise ModelError(
                    f"{label}: its gap depends on velocities; a gap is an expression of positions, "
                    "as m.coordinate('z')."
                )
            if not any(slopes[start - first]):
                raise ModelError(f"{label}: its gap stays the same whatever moves; use positions.")
            if _uses(d, [x for row in slopes[start - first : end - first] for x in row]):
                raise ModelError(
                    f"{label}: its slip speed must be linear in the velocities, as "
                    "m.rate('x') - 0.4."
                )

    def pattern(
        self, d: Derivation, system: System, slopes: Mapping[tuple[int, int], int]
    ) -> ContactPattern:
        """Where nonzeros lie."""
        touched = [
            (i, j)
            for i, (row, through) in enumerate(zip(self.W, self.effect))
            for j, (a, b) in enumerate(zip(row, through))
            if a or b
        ]
        masses = mass_matrix_entries(d.instant, system.plan.root_mass_matrix)
        layout = self.layout
        return ContactPattern(
            system.sizes, layout.bilateral, layout.rows, layout.groups, layout.normals,
            [place for place, node in masses.items() if node], list(slopes), touched,
        )  # fmt: skip

    def flat(self, matrix: Sequence[Sequence[int]]) -> list[int]:
        return [x for row in matrix for x in row]


def _uses(d: Derivation, nodes: Sequence[int]) -> bool:
    """Whether nodes depend on velocities."""
    live = d.tape.live([abs(node) for node in nodes])
    return any(live[abs(v)] for v in d.v)


def _along(d: Derivation, row: Sequence[int], vector: Sequence[int]) -> int:
    total = 0
    for entry, x in zip(row, vector, strict=True):
        total = d.tape.add(total, d.tape.mul(entry, x))
    return total


Floats = NDArray[np.float64]


STEPPED = ("kinematics", "gaps", "configuration rate", "smooth")  # what time stepping needs


class Group(NamedTuple):
    """Nodes, and the shape of what they fill: all of it, or at some places only."""

    nodes: list[int]
    shape: tuple[int, ...]
    places: list[tuple[int, int]] | None = None


class ContactEquations:
    """The equations of a system with contacts, evaluated at states x and u = [t, inputs…].

    `kinematics` gives M, the rows' velocities u and W = ∂u/∂v, what impulses of the bilateral rows
    act through (W, except for servo-constraints), and their distances; `smooth` ẋ and ∂ẋ/∂x of
    the tree without constraints and contacts, gaps, coefficients of the groups, restitutions;
    `forces` M, f, ż, u, W, what forces act through, bias accelerations of the rows, distances,
    gaps, coefficients, restitutions, and coefficients while friction holds. M a = f + effectᵀ λ and
    u̇ = W a + bias."""

    def __init__(
        self,
        system: System,
        contacts: Mapping[str, ContactKind],
        parameters: Mapping[str, Any] | None = None,
        names: Sequence[str] = (*STEPPED, "forces"),
    ) -> None:
        """`names` are those of the functions that are wanted."""
        self.system = system
        self.contacts = {name: _checked(system, name, kind) for name, kind in contacts.items()}
        d = system.derive()
        rows = ContactRows(d, self.contacts)
        self.layout = rows.layout
        slopes = _slopes(d, system) if "smooth" in names else {}
        self._pattern = rows.pattern(d, system, slopes)
        groups = _functions(d, system, self.contacts, rows, slopes, self._pattern, names)
        self._groups = groups
        self.functions = d.functions(
            {name: [x for part in parts for x in part.nodes] for name, parts in groups.items()}
        )
        self.parameters = parameters
        self.block: Floats = self.functions.block_for(system.parameter_values(parameters))

    def stepped(self) -> SteppedFunctions:
        """What the C library needs for steps."""
        layout = self.layout
        kinematics, smooth = (self.functions[name].compiled for name in ("kinematics", "smooth"))
        return SteppedFunctions(
            self.system.sizes, kinematics, smooth, self._pattern, layout.bilateral, layout.rows,
            layout.normals, layout.groups,
        )  # fmt: skip

    @property
    def configuration_rate(self) -> FunctionData | None:
        """q̇ of q and v, where it isn't v."""
        plain = self.system.plan.plain_coordinates
        return None if plain else self.functions["configuration rate"].compiled

    def native(self) -> ContactFunctions:
        """What the C library needs for contact states."""
        layout = self.layout
        return ContactFunctions(
            self.system.sizes,
            self.functions["forces"].compiled,
            self.configuration_rate,
            layout.bilateral,
            layout.rows,
            layout.normals,
            layout.groups,
        )

    def gaps(self, states: Floats, inputs: Floats, times: Floats) -> Floats:
        """The gaps of contacts at states with u = [t, inputs…], a row each, at the given times."""
        function = self.functions["gaps"].compiled
        u = inputs.copy()
        u[:, 0] = times
        count = len(self.contacts)
        return evaluate_rows(
            function.address, states, u, self.block, count, function.work_size,
            function.context_address,
        ).T  # fmt: skip

    def at(self, name: str, x: Floats, u: Floats) -> list[Floats]:
        """The arrays of a function."""
        function = self.functions[name]
        out, found, start = function.at(x, u, self.block), [], 0
        for group in self._groups[name]:
            values = out[start : start + len(group.nodes)]
            if group.places is None:
                found.append(values.reshape(group.shape).copy())
            else:
                found.append(np.zeros(group.shape))
                if group.places:
                    found[-1][tuple(np.array(group.places).T)] = values
            start += len(group.nodes)
        return found


def _slopes(d: Derivation, system: System) -> dict[tuple[int, int], int]:
    """The nonzeros of ∂ẋ/∂x by (row, column)."""
    slopes = jacobian(d.tape, _rate(d, system), [*d.q, *d.v, *d.z])
    return {(i, j): x for i, row in enumerate(slopes) for j, x in enumerate(row) if x}


def _rate(d: Derivation, system: System) -> list[int]:
    """ẋ of the tree without constraints and contacts."""
    accelerations = solve_accelerations(d.instant, d.instant.efforts(), system.plan.algorithm)
    return [*configuration_rate(d.instant), *accelerations, *_z_rates(d)]


def _z_rates(d: Derivation) -> list[int]:
    return [d.instant.value(state.rate) for state in d.instant.model.states.values()]


def _functions(
    d: Derivation,
    system: System,
    contacts: Mapping[str, Any],
    rows: ContactRows,
    slopes: Mapping[tuple[int, int], int],
    pattern: ContactPattern,
    names: Sequence[str],
) -> dict[str, list[Group]]:
    instant, n, m = d.instant, len(d.v), rows.layout.rows
    size, kinds, value = sum(system.sizes), list(contacts.values()), d.instant.value
    masses = mass_matrix_entries(instant, system.plan.root_mass_matrix)
    coefficients = [value(given) for kind in kinds for given in (kind.friction, _rolling(kind))]
    ends = [
        Group(rows.gaps, (len(kinds),)),
        Group(coefficients, (len(rows.layout.groups),)),
        Group([value(kind.restitution) for kind in kinds], (len(kinds),)),
    ]
    speeds, distances = Group(rows.u, (m,)), Group(rows.h, (rows.layout.bilateral,))

    def kinematics() -> list[Group]:
        places = list(pattern.masses)
        M = Group([masses[place] for place in places], (n, n), places)
        own = [(i, j) for i, j in pattern.entries if i < rows.layout.bilateral]
        effect = Group([rows.effect[i][j] for i, j in own], (rows.layout.bilateral, n), own)
        W = Group([rows.W[i][j] for i, j in pattern.entries], (m, n), pattern.entries)
        return [M, speeds, W, effect, distances]

    def smooth() -> list[Group]:
        J = Group(list(slopes.values()), (size, size), list(slopes))
        return [Group(_rate(d, system), (size,)), J, *ends]

    def forces() -> list[Group]:
        M = Group([masses.get((i, j), 0) for i in range(n) for j in range(n)], (n, n))
        bias = solve_efforts(instant, None)
        f = [d.tape.sub(effort, c) for effort, c in zip(instant.efforts(), bias, strict=True)]
        holds = [value(given) for kind in kinds for given in (_static(kind), _rolling(kind))]
        W, effect = (Group(rows.flat(matrix), (m, n)) for matrix in (rows.W, rows.effect))
        return [
            M, Group(f, (n,)), Group(_z_rates(d), (len(d.z),)), speeds, W, effect,
            Group(rows.bias, (m,)), distances, *ends, Group(holds, (len(rows.layout.groups),)),
        ]  # fmt: skip

    makers: dict[str, Callable[[], list[Group]]] = {
        "kinematics": kinematics,
        "gaps": lambda: ends[:1],
        "configuration rate": lambda: [Group(configuration_rate(instant), (len(d.q),))],
        "smooth": smooth,
        "forces": forces,
    }
    return {name: makers[name]() for name in names}


def _rolling(kind: Any) -> Any:
    return getattr(kind, "rolling", 0.0)


def _static(kind: Any) -> Any:
    given = getattr(kind, "static_friction", None)
    return kind.friction if given is None else given


def _checked(system: System, name: str, kind: Any) -> Any:
    label = f"Contact '{name}'"
    if not isinstance(kind, ContactKind):
        raise ModelError(
            f"{label}: a contact such as tb.contact.SpherePlaneContact(…) is expected, got "
            f"{shown(kind)}."
        )
    for expression in expressions_of(kind):
        if expression.tape is not system.model.tape:
            raise ModelError(f"{label}: it uses the expression {expression} of another model.")
    return normalise_fields(label, kind)
