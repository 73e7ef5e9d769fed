"""All constraint rows of a model over any scalars: h(q, t) = 0, J v = b, J a + γ = 0.

Multipliers act through Jᵀ: a row's multiplier is the generalised force that keeps it.
"""

from touchback.dynamics.closing import closure_rows
from touchback.dynamics.instant import Instant
from touchback.dynamics.row import Row
from touchback.dynamics.written import constraint_row, coupling_row, drive_row


def constraint_rows(instant: Instant) -> list[Row]:
    """Closures, couplings, written constraints, drives, in order of description."""
    model = instant.model
    rows: list[Row] = []
    for name, closure in model.closures.items():
        rows += closure_rows(instant, name, closure)
    rows += [coupling_row(instant, name, kind) for name, kind in model.couplings.items()]
    rows += [constraint_row(instant, name, given) for name, given in model.constraints.items()]
    rows += [drive_row(instant, name, given) for name, given in model.drives.items()]
    return rows


__all__ = ["Row", "closure_rows", "constraint_rows"]
