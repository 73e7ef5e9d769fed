"""Where the nonzeros of a mechanism with contacts lie: its parts, and what touches them
(tb_contact_pattern of moreau_jean.h)."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np

Entry = tuple[int, int]


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
        normals: Sequence[int],
        masses: Sequence[Entry],
        slopes: Sequence[Entry],
        entries: Iterable[Entry],
    ) -> None:
        self._nq, moving_end = sizes[0], sizes[0] + sizes[1]
        nq = self._nq
        by_row: list[list[int]] = [[] for _ in range(rows)]
        for row, column in entries:
            by_row[row].append(column)
        ties = [*slopes, *((nq + i, nq + j) for i, j in masses)]
        ties += [(nq + columns[0], nq + j) for columns in by_row[:bilateral] for j in columns]
        self._part_of = _parts(sum(sizes), ties)
        parts = max(self._part_of, default=-1) + 1
        members: list[list[int]] = [[] for _ in range(parts)]
        self._local = []
        for place, part in enumerate(self._part_of):
            self._local.append(len(members[part]))
            members[part].append(place)
        moving = [[x for x in each if nq <= x < moving_end] for each in members]
        own: list[list[int]] = [[] for _ in range(parts)]
        for row, columns in enumerate(by_row[:bilateral]):
            if columns:
                own[self._part_of[nq + columns[0]]].append(row)
        self.masses, self.slopes, self.parts = masses, slopes, parts
        self.largest_part = max(map(len, members), default=0)
        group_counts = np.bincount([contact for _, contact in groups], minlength=len(normals))
        pairs = self._list_pairs(by_row)
        tables = self._blocks(members, moving) | pairs
        tables["group_starts"] = _starts(group_counts)
        tables["own_starts"], tables["own_rows"] = _starts(map(len, own)), _flat(own)
        tables["own_places"] = _starts(len(each) ** 2 for each in own)
        pair_part = pairs["pair_part"]
        tables["pair_contact"] = [bisect_right(normals, row) - 1 for row in pairs["pair_row"]]
        tables["pair_B"] = _starts(len(members[part]) for part in pair_part)
        tables["pair_found"] = _starts(len(own[part]) for part in pair_part)
        self.tables = {name: np.array(values, np.int32) for name, values in tables.items()}
        touching = [part for row, part in zip(pairs["pair_row"], pair_part) if row >= bilateral]
        sharing = np.bincount(touching, minlength=parts)
        together = [max(int(count), len(rows)) for count, rows in zip(sharing, own)]
        self.most_together = max(together, default=0)
        self.largest_spread = max((len(a) * b for a, b in zip(members, together)), default=0)
        self.own_entries = sum(row < bilateral for row, _ in self.entries)
        self.most_products = int(sum(int(count) ** 2 for count in sharing))  # nonzeros of G

    def _blocks(self, members: list[list[int]], moving: list[list[int]]) -> dict[str, list[int]]:
        """Where the nonzeros of M and of the Jacobian stand in the dense blocks of parts."""
        nq, part_of, local = self._nq, self._part_of, self._local
        sizes, velocities = [len(each) for each in members], [len(each) for each in moving]
        first = [local[each[0]] if each else 0 for each in moving]
        slope_starts = _starts(size * size for size in sizes)
        mass_starts = _starts(size * size for size in velocities)

        def place_of_mass(i: int, j: int) -> int:
            part = part_of[nq + i]
            a, b = local[nq + i] - first[part], local[nq + j] - first[part]
            return mass_starts[part] + a * velocities[part] + b

        def place_of_slope(i: int, j: int) -> int:
            part = part_of[i]
            return slope_starts[part] + local[i] * sizes[part] + local[j]

        return {
            "mass_places": [place_of_mass(i, j) for i, j in self.masses],
            "slope_places": [place_of_slope(i, j) for i, j in self.slopes],
            "part_starts": _starts(sizes), "part_places": _flat(members),
            "part_moving": first, "part_velocities": velocities,
            "mass_starts": mass_starts, "slope_starts": slope_starts,
        }  # fmt: skip

    def _list_pairs(self, by_row: list[list[int]]) -> dict[str, list[int]]:
        """The pairs of a row and a part that it touches, and `entries` in their order."""
        nq, part_of = self._nq, self._part_of
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
        return {
            "pair_starts": starts, "pair_row": [row for row, _ in pairs],
            "pair_part": [part for _, part in pairs],
            "pair_entries": [*pair_entries, len(self.entries)],
            "places": [self._local[nq + j] for _, j in self.entries],
        }  # fmt: skip

    @property
    def counts(self) -> dict[str, int]:
        """How many parts and nonzeros there are."""
        return {
            "parts": self.parts, "masses": len(self.masses), "slopes": len(self.slopes),
            "entries": len(self.entries),
        }  # fmt: skip

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


def _starts(counts: Iterable[int]) -> list[int]:
    return [0, *accumulate(map(int, counts))]


def _flat(lists: Iterable[Iterable[int]]) -> list[int]:
    return [each for some in lists for each in some]
