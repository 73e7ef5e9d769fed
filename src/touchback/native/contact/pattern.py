"""Where the nonzeros of a mechanism with contacts lie: its parts, and what touches them
(tb_contact_pattern of moreau_jean.h)."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Entry = tuple[int, int]
Indices = NDArray[np.int32]
COUNTS = ("parts", "masses", "slopes", "entries")
TABLES = (
    "mass_places", "slope_places", "part_starts", "part_places", "part_moving",
    "part_velocities", "mass_starts", "slope_starts", "own_starts", "own_rows", "own_places",
    "pair_starts", "pair_row", "pair_part", "pair_entries", "pair_B", "pair_found", "places",
    "group_starts",
)  # fmt: skip


class ContactPattern:
    """The nonzeros of M (velocities), of the Jacobian of ẋ (unknowns of x = [q, v, z]) and of W and
    E (row, velocity), each as (row, column), and the tables that C follows. `entries` are those of
    W and E in the order in which functions are to give them: by row, then by part."""

    def __init__(
        self,
        sizes: tuple[int, int, int],
        bilateral: int,
        rows: int,
        groups: Sequence[tuple[Sequence[int], int]],
        contacts: int,
        masses: Sequence[Entry],
        slopes: Sequence[Entry],
        entries: Iterable[Entry],
    ) -> None:
        nq, n, _ = sizes
        total = sum(sizes)
        by_row: list[list[int]] = [[] for _ in range(rows)]
        for row, column in entries:
            by_row[row].append(column)
        ties = [*slopes, *((nq + i, nq + j) for i, j in masses)]
        ties += [(nq + columns[0], nq + j) for columns in by_row[:bilateral] for j in columns]
        part_of = _parts(total, ties)
        parts = max(part_of, default=-1) + 1
        members: list[list[int]] = [[] for _ in range(parts)]
        local = []
        for place, part in enumerate(part_of):
            local.append(len(members[part]))
            members[part].append(place)
        moving = [[x for x in each if nq <= x < nq + n] for each in members]
        first = [local[each[0]] if each else 0 for each in moving]
        own: list[list[int]] = [[] for _ in range(parts)]
        for row, columns in enumerate(by_row[:bilateral]):
            if columns:
                own[part_of[nq + columns[0]]].append(row)
        self.masses, self.slopes = masses, slopes
        self.entries: list[Entry] = []
        pairs: list[Entry] = []
        starts, pair_entries = [0], []
        for row, columns in enumerate(by_row):
            columns.sort(key=lambda j: (part_of[nq + j], j))
            for j in columns:
                pair = (row, part_of[nq + j])
                if not pairs or pairs[-1] != pair:
                    pairs.append(pair)
                    pair_entries.append(len(self.entries))
                self.entries.append((row, j))
            starts.append(len(pairs))
        sizes_of, velocities = [len(each) for each in members], [len(each) for each in moving]
        slope_starts = _starts(size * size for size in sizes_of)
        mass_starts = _starts(size * size for size in velocities)
        B, found = (
            _starts(counts[part] for _, part in pairs) for counts in (sizes_of, list(map(len, own)))
        )

        def place_of_mass(i: int, j: int) -> int:
            part = part_of[nq + i]
            a, b = local[nq + i] - first[part], local[nq + j] - first[part]
            return mass_starts[part] + a * velocities[part] + b

        def place_of_slope(i: int, j: int) -> int:
            part = part_of[i]
            return slope_starts[part] + local[i] * sizes_of[part] + local[j]

        group_counts = np.bincount([contact for _, contact in groups], minlength=contacts)
        self.tables: dict[str, Indices] = {
            name: np.array(values, dtype=np.int32)
            for name, values in {
                "mass_places": [place_of_mass(i, j) for i, j in masses],
                "slope_places": [place_of_slope(i, j) for i, j in slopes],
                "part_starts": _starts(sizes_of), "part_places": [x for m in members for x in m],
                "part_moving": first, "part_velocities": velocities,
                "mass_starts": mass_starts, "slope_starts": slope_starts,
                "own_starts": _starts(map(len, own)), "own_rows": [x for each in own for x in each],
                "own_places": _starts(len(each) ** 2 for each in own),
                "pair_starts": starts, "pair_row": [row for row, _ in pairs],
                "pair_part": [part for _, part in pairs],
                "pair_entries": [*pair_entries, len(self.entries)], "pair_B": B,
                "pair_found": found, "places": [local[nq + j] for _, j in self.entries],
                "group_starts": _starts(group_counts),
            }.items()
        }  # fmt: skip
        self.parts, self.largest_part = parts, max(sizes_of, default=0)
        sharing = np.bincount([part for row, part in pairs if row >= bilateral], minlength=parts)
        self.most_products = int(sum(int(count) ** 2 for count in sharing))  # nonzeros of G

    @property
    def counts(self) -> dict[str, int]:
        """How many parts and nonzeros there are."""
        sizes = (self.parts, len(self.masses), len(self.slopes), len(self.entries))
        return dict(zip(COUNTS, sizes, strict=True))

    def size(self, table: str) -> int:
        """The last number of a table of starts: how much there is in all."""
        return int(self.tables[table][-1])


def _parts(total: int, ties: Iterable[Entry]) -> list[int]:
    """The number of the part of each unknown, parts in the order of their first."""
    parent = list(range(total))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, j in ties:
        a, b = sorted((root(i), root(j)))
        parent[b] = a
    numbers: dict[int, int] = {}
    return [numbers.setdefault(root(i), len(numbers)) for i in range(total)]


def _starts(counts: Iterable[Any]) -> list[int]:
    return [0, *np.cumsum([int(count) for count in counts], dtype=np.int64).tolist()]
