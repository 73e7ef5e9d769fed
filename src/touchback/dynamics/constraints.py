"""All constraint rows of a model over any scalars: h(q, t) = 0, J v = b, J a + γ = 0.

Multipliers act through Jᵀ: a row's multiplier is the generalised force that keeps it.
"""

from collections.abc import Sequence

from touchback.dynamics.closing import closure_rows
from touchback.dynamics.instant import Instant
from touchback.dynamics.row import Row
from touchback.dynamics.written import constraint_row, coupling_row, drive_row
from touchback.spatial.vectors import Scalar


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


def apply_multipliers(instant: Instant, rows: list[Row], multipliers: Sequence[Scalar]) -> None:
    """Let closures push their bodies, for reactions, once the applied forces have been used."""
    k, vectors = instant.k, instant.vectors
    for row, multiplier in zip(rows, multipliers, strict=True):
        instant.multipliers[row.name] = multiplier
        for action in row.actions:
            R = instant.link_pose(action.common)[0]
            force, torque = (
                vectors.apply(R, [k.mul(multiplier, x) for x in part])
                for part in (action.force, action.torque)
            )
            instant.push(action.frame, force, torque)


__all__ = ["Row", "apply_multipliers", "closure_rows", "constraint_rows"]
