"""All constraint rows of a model over any scalars: h(q, t) = 0, J v = b, J a + γ = 0.

Multipliers act through Jᵀ: a row's multiplier is the generalised force that keeps it.
"""

from collections.abc import Sequence

from touchback.dynamics.closing import closure_rows
from touchback.dynamics.instant import Instant
from touchback.dynamics.row import Row
from touchback.dynamics.written import constraint_row, coupling_row, drive_row
from touchback.model.frame import Frame
from touchback.spatial.vectors import ZERO, Scalar, Vector


def constraint_rows(instant: Instant) -> list[Row]:
    """Rows of the active closures, couplings, written constraints and drives, in this order."""
    model = instant.model
    rows: list[Row] = []
    for name, closure in model.closures.items():
        if closure.active:
            rows += closure_rows(instant, name, closure)
    rows += [coupling_row(instant, x, kind) for x, kind in model.couplings.items() if kind.active]
    rows += [
        constraint_row(instant, x, kept) for x, kept in model.constraints.items() if kept.active
    ]
    rows += [drive_row(instant, x, drive) for x, drive in model.drives.items() if drive.active]
    return rows


def apply_multipliers(instant: Instant, rows: list[Row], multipliers: Sequence[Scalar]) -> None:
    """Let closures push their bodies, for reactions, once the applied forces have been used. What
    isn't active pushes nothing: its multipliers are zero."""
    k, vectors = instant.k, instant.vectors
    for names in instant.model.constraint_rows().values():
        instant.multipliers.update(dict.fromkeys(names, 0))
    for row, multiplier in zip(rows, multipliers, strict=True):
        instant.multipliers[row.name] = multiplier
        for action in row.actions:
            R = instant.link_pose(action.common)[0]
            force, torque = (
                vectors.apply(R, [k.mul(multiplier, x) for x in part])
                for part in (action.force, action.torque)
            )
            instant.push(action.frame, force, torque)
            if action is row.actions[-1]:
                _add_to_cut(instant, row.name, action.frame, force, torque)
    for name in instant.model.closures:
        instant.cuts.setdefault(name, (ZERO, ZERO))
    instant.solved = True


def _add_to_cut(instant: Instant, row: str, frame: Frame, force: Vector, torque: Vector) -> None:
    """The wrench on a closure's second body, at and along its frame."""
    vectors, name = instant.vectors, _closure_of(instant, row)
    R = instant.rotation(frame)
    F, N = instant.cuts.get(name, (ZERO, ZERO))
    instant.cuts[name] = (
        vectors.add(F, vectors.apply_transposed(R, force)),
        vectors.add(N, vectors.apply_transposed(R, torque)),
    )


def _closure_of(instant: Instant, row: str) -> str:
    return row if row in instant.model.closures else row.rpartition(".")[0]


__all__ = ["Row", "apply_multipliers", "closure_rows", "constraint_rows"]
