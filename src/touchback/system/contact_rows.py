"""Rows of velocity of a mechanism with rigid contacts, on a derivation's tape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from touchback.contact import ContactKind
from touchback.dynamics.constraints import constraint_rows
from touchback.dynamics.forward import configuration_rate, entries
from touchback.errors import ModelError
from touchback.native.contact.pattern import ContactPattern
from touchback.symbolic.differentiate import jacobian, jvp
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
        masses = entries(d.instant, system.plan.root_mass_matrix)
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
