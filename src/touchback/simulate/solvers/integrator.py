"""Solvers that integrate ẋ of a problem: of mechanisms with constraints and modes, or without."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from touchback.simulate.course import Asked, Course
from touchback.simulate.failure import cut_where_not_finite
from touchback.simulate.input_trace import Quadrature
from touchback.simulate.leg import Leg
from touchback.simulate.modes.course import RunWithModes
from touchback.simulate.smooth import SmoothRun
from touchback.simulate.solvers.solver import Solver
from touchback.simulate.span import Trajectory, counted, needed, positive, refuse_rows, refuse_steps


@dataclass(frozen=True, kw_only=True)
class Integrator(Solver):
    """`rtol` and `atol` bound the error of a step where steps adapt, say how well events are
    located and how far Newton's method goes; `output_step` [s] is the time between recorded
    instants."""

    samples: ClassVar[int]  # parts of a step in which signs of events are compared

    step: float | None = None
    rtol: float = 1e-8
    atol: float = 1e-10
    output_step: float | None = None
    step_limit: int = 10_000_000

    def __post_init__(self) -> None:
        positive(self, "step", "output_step")
        needed(self, "rtol", "atol")
        counted(self, "step_limit")

    @property
    def quadrature(self) -> Quadrature:
        """Where in a step it sees inputs, and how much each counts for what it does."""
        return (0.0, 1.0), (0.5, 0.5)

    @property
    def implicit(self) -> bool:
        """Whether it needs the Jacobian of the rate."""
        return False

    @property
    def momenta(self) -> bool:
        """Whether it works on momenta, and needs their rates."""
        return False

    @property
    def rate(self) -> float | None:
        """Ticks a second, at which memories change, where there can be any."""
        return None

    @abstractmethod
    def integrate(self, leg: Leg) -> Trajectory:
        """As far as it gets."""

    def run(self, leg: Leg) -> Trajectory:
        """What `integrate` gives, up to where it is no number, at the instants asked for."""
        found = self.integrate(leg)
        mend = "take a shorter step, and check the initial state, inputs and parameters there"
        cut_where_not_finite(leg.problem, leg.names, found, mend)
        if self.output_step and len(found.times) > 1 and found.failure is None:
            found.thin(leg.span, self.output_step)
        return found

    def course(self, asked: Asked) -> Course:
        """The run of a mechanism with modes, or in one."""
        kind = RunWithModes if asked.system.modes else SmoothRun
        return kind(asked, self)

    def refuse_excess(self, duration: float, width: int) -> None:
        """Of steps by their longest, of rows by `output_step`."""
        if self.step:
            refuse_steps(duration, self.step, self.step_limit)
        if self.output_step:
            refuse_rows(duration, self.output_step, width)
