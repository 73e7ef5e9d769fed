"""A mechanism displayed from tables that were measured on a real one, with the device as probe."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.estimate.checks import series
from touchback.haptics.displays.hold import hold
from touchback.model import Model
from touchback.model.value import Value
from touchback.symbolic.expression import Expr
from touchback.symbolic.functions import lookup
from touchback.symbolic.table import Table


@dataclass(frozen=True)
class MeasuredImpedance:
    """F = f(x, v) + m(x) a: force over position and velocity, and the effective mass over position,
    each between the nodes of a grid. `residual` is the root mean square [N] of what the tables
    leave of the measurement, `filled` the number of nodes that no motion came near."""

    positions: tuple[float, ...]
    velocities: tuple[float, ...]
    forces: tuple[float, ...]  # row by row of positions
    masses: tuple[float, ...]
    residual: float
    filled: int

    @cached_property
    def force_table(self) -> Table:
        return Table(self.positions, self.forces, self.velocities)

    @cached_property
    def mass_table(self) -> Table:
        return Table(self.positions, self.masses)

    def force(self, position: Value, velocity: Value, acceleration: Value = 0.0) -> Value:
        """The force that moves the measured mechanism so."""
        held = lookup(self.force_table, position, velocity)
        return held + lookup(self.mass_table, position) * acceleration

    def add(
        self,
        model: Model,
        name: str,
        position: Value,
        velocity: Value,
        acceleration: Value = 0.0,
        delay: int = 0,
    ) -> Expr:
        """Put it into a model; returns the held command, against the hand."""
        return hold(model, name, -self.force(position, velocity, acceleration), delay)


def identify_impedance(
    position: ArrayLike,
    velocity: ArrayLike,
    acceleration: ArrayLike,
    force: ArrayLike,
    positions: ArrayLike,
    velocities: ArrayLike,
) -> MeasuredImpedance:
    """The tables that explain a record best: least squares over all nodes at once, each sample
    weighing on the nodes around it as the lookup will, with a little stiffness against bending that
    carries the tables over nodes near which nothing moved.

    Force and mass are told apart only by motions that pass a place at one velocity with different
    accelerations: a sum of several sines does, a single one doesn't."""
    x, v, a, F = series(
        "identify_impedance", 1,
        position=position, velocity=velocity, acceleration=acceleration, force=force,
    )  # fmt: skip
    grid_x, grid_v = np.asarray(positions, float), np.asarray(velocities, float)
    for label, grid in (("positions", grid_x), ("velocities", grid_v)):
        if not (grid.ndim == 1 and len(grid) >= 2 and np.all(np.diff(grid) > 0.0)):
            raise InputError(f"identify_impedance: {label} must increase, two nodes at least.")
    from touchback.haptics.displays.nodes import fit  # SciPy, not for the command's start

    forces, masses, left, touched = fit(x, v, a, F, grid_x, grid_v)
    return MeasuredImpedance(
        tuple(grid_x.tolist()), tuple(grid_v.tolist()), tuple(forces.tolist()),
        tuple(masses.tolist()), float(np.sqrt(np.mean(left**2))), int(np.sum(~touched)),
    )  # fmt: skip
