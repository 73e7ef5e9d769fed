"""States that constraints allow, from a guess (assembly.c)."""

import threading
from collections.abc import Callable, Collection
from ctypes import Structure
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.native.c_struct import Record
from touchback.native.constrained.constrained_problem import Constrained, ConstrainedFunctions
from touchback.native.shared_library import LIB, Floats, address_of

CLOSED, OPEN, NO_NUMBER = (LIB.constant(f"TB_{end}") for end in ("CLOSED", "OPEN", "NO_NUMBER"))
Places = Collection[int]
Given = tuple[Floats, Floats]  # u = [t, inputs…], and a parameter block


@dataclass(frozen=True)
class Assembled:
    """How it ended (CLOSED, OPEN, NO_NUMBER), the state x = [q, v, z], and of each row the error of
    positions at the guess, the velocity that it demands, and the error at the end."""

    status: int
    x: Floats
    first: Floats
    demanded: Floats
    error: Floats


class Assembly:
    """What finds states of one set of constraints; threads come one after the other.

    `met` tells the rows that count; velocity coordinates that stay are `still`. The memory may be
    that of a run (`constrained`), which begins anew afterwards; `tracks` and `idle` are for those
    who start a run in C (`tb_assembly_start`)."""

    def __init__(
        self,
        functions: ConstrainedFunctions,
        constrained: Constrained | None = None,
        tracks: Places = (),
        idle: Places = (),
    ) -> None:
        self._constrained = constrained or Constrained(functions, "projection")
        (nq, n, _), m = functions.sizes, len(functions.names)
        self._plain = functions.configuration_rate is None
        self._record = Record("tb_assembly", constrained=self._constrained.context_address)
        self._record.owned.append(self._constrained)
        self._marks = {
            name: self._record.ints(name, np.zeros(count))
            for name, count in (("met", m), ("still", n), ("kept", nq))
        }
        self._numbers = {
            name: self._record.floats(name, count)
            for name, count in (
                ("first", m), ("error", m), ("b", m), ("from", nq), ("step", n),
                ("held", 1 if self._plain else n * n), ("matrix", m * n), ("right", m),
                ("work", 2 * n),
            )
        }  # fmt: skip
        self._record.ints("order", np.zeros(n))
        self._record.ints("tracks", np.isin(np.arange(m), list(tracks)))
        self._record.ints("idle", np.isin(np.arange(n), list(idle)))
        self._lock = threading.Lock()

    def solve_positions(
        self, x: Floats, at: Given, met: ArrayLike, still: Places = (), kept: Places = ()
    ) -> Assembled:
        """Positions by Newton's method of least change; position coordinates in `kept` stay."""
        return self._run(LIB.tb_assembly_close, x, at, met, still, kept)

    def turn_positions(self, x: Floats, at: Given, angle: float, kept: Places) -> Assembled:
        """Positions turned or slid aside by some of an angle or length, but for those kept."""
        return self._run(LIB.tb_assembly_turn, x, at, True, kept=kept, angle=angle)

    def solve_velocities(self, x: Floats, at: Given, met: ArrayLike, still: Places) -> Assembled:
        """The velocities nearest to those of x with J v = b."""
        return self._run(LIB.tb_assembly_meet, x, at, met, still)

    def apply_impulses(self, x: Floats, at: Given) -> Assembled:
        """Velocities after impulses of all constraints."""
        return self._run(LIB.tb_assembly_strike, x, at, True)

    def for_run(self, u: Floats, p: Floats) -> Structure:
        """The struct of one that starts runs in C, with their inputs and parameters."""
        self._record.point("u", u)
        self._record.point("p", p)
        return self._record.struct

    def _run(
        self, function: Callable[..., int], x: Floats, at: Given, met: ArrayLike,
        still: Places = (), kept: Places = (), angle: float = 0.0,
    ) -> Assembled:  # fmt: skip
        x, (u, p), marks, struct = np.array(x), at, self._marks, self._record.struct
        with self._lock:
            struct.u, struct.p, struct.angle = address_of(u), address_of(p), angle
            marks["met"][:], marks["still"][:], marks["kept"][:] = met, 0, 0
            marks["still"][list(still)] = 1
            marks["still" if self._plain else "kept"][list(kept)] = 1
            status = function(self._record.address, address_of(x))
            return Assembled(
                status, x, *(self._numbers[name].copy() for name in ("first", "b", "error"))
            )
