"""Rigid contacts by time stepping: Moreau 1988, "Unilateral contact and dry friction in finite
freedom dynamics", and Jean 1999, "The non-smooth contact dynamics method"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from touchback.contact import ContactKind
from touchback.errors import InputError
from touchback.native import Chunks, MoreauJean as NativeStepper, Problem, Status, Steps
from touchback.numbers import Floats, keep, number_within
from touchback.progress import Progress
from touchback.simulate.contact_response import Gains
from touchback.simulate.contact_stepper import ContactStepper, Sensors, overlaps
from touchback.simulate.energy_meter import ContactRowEnergies, EnergyAccount, PowerLines
from touchback.simulate.run_protocols import Plain
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.run_stepper import Label
from touchback.simulate.solvers.base import Capability, Solver
from touchback.simulate.time_span import Failure, Trajectory, keep_positive, refuse_rows
from touchback.system import STEPPED, WORK, ContactEquations, ContactLayout, power_set


@dataclass(frozen=True, kw_only=True)
class MoreauJean(Solver):
    """Many rigid contacts, by Moreau–Jean time stepping, every `step` [s] recorded: those that the
    model describes, and the `contacts` given by name. Forces and inputs count at t + θ·step.

    Steps hold speeds, not gaps: what lands stays as deep as it was noticed. `correct_positions`
    lifts bodies out of each other at the end of a step, by the least change weighted by the mass,
    and by no more than its work against the forces may be: what contacts have taken before.

    Besides the states the run holds, of each contact by name, "… gap", and "… impulse" [N s] and
    "… friction impulse" (" 1", " 2" with two tangents) of the step that ends at each instant; the
    stored "energy", the cumulated "work" of forces, "friction loss" and "impact loss" [J]; inputs,
    and the sensors of positions, velocities and inputs; and the energy balance,
    `run.energy_balance`. `run.metadata["diagnostics"]` says where contacts overlap at the start,
    where impulses were found only roughly, and which sensors need accelerations or forces and
    aren't recorded."""

    word = "moreau-jean"
    can = Capability.CONSTRAINTS | Capability.CONTACTS | Capability.ENERGY_BALANCE

    step: float = 1e-4
    theta: float = 0.5
    correct_positions: bool = False
    contacts: Mapping[str, ContactKind] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        keep_positive(self, "step")
        keep(self, theta=number_within("theta lies between 0 and 1", self.theta, 0.0, 1.0))

    def refuse_excess(self, duration: float, width: int) -> None:
        """Every step is recorded; contacts have three impulses or more."""
        refuse_rows(duration, self.step, width + 3 * len(self.contacts or ()))
        self.count(duration)

    def count(self, duration: float) -> int:
        """How many steps there are in so many seconds."""
        count = round(duration / self.step)
        if count < 1:
            raise InputError(
                f"step {self.step:g} s is longer than the duration {duration:g} s; give one that "
                "fits."
            )
        return count

    def stepper(self, spec: RunSpec) -> MoreauJeanStepper:
        """The run, ready to go."""
        return MoreauJeanStepper(spec, self)


class StepMeter:
    """Powers of forces at the middle of each step, which is of the method's order, and what
    contacts took, which is exact where masses and directions stay."""

    def __init__(
        self, lines: PowerLines, layout: ContactLayout, start: Floats, steps: Steps, step: float
    ) -> None:
        self._lines, self._layout, self._steps = lines, layout, steps
        self._states = states = np.vstack([start, steps.states])
        rates = np.diff(states, axis=0) / step
        forces = steps.impulses[:, : layout.bilateral] / step
        inputs = np.hstack([steps.inputs, rates, forces])
        self._work = step * lines.powers(0.5 * (states[1:] + states[:-1]), inputs)
        first = steps.inputs[:1] if len(steps.inputs) else np.zeros((1, steps.inputs.shape[1]))
        self._inputs = np.vstack([first, steps.inputs])

    @property
    def work(self) -> Floats:
        """What each line did in all steps [J]."""
        found: Floats = self._work.sum(axis=0)
        return found

    def inputs(self, times: Floats, states: Floats) -> Floats:
        """Those that the first and the last step used: the balance is closed at the ends only."""
        return self._inputs[[0, -1]]

    def signals(self) -> dict[str, Floats]:
        """Stored energy, and cumulated work, impact loss and friction loss, at each instant [J]."""
        lines, losses, layout = self._lines.set.lines, self._steps.losses, self._layout
        signs = np.array([1.0 if line.side == WORK else -1.0 for line in lines])
        work = self._work @ signs + self._steps.moved.sum(axis=1)
        impacts = losses[:, list(layout.normals)].sum(axis=1)
        friction = losses[:, layout.bilateral :].sum(axis=1) - impacts
        levels = self._lines.levels(self._states, self._inputs)
        moving = np.zeros(len(levels))
        for line in lines:
            if line.stored >= 0:
                moving += levels[:, line.stored] - levels[0, line.stored]
        return {
            "energy": levels.sum(axis=1),
            "work": _cumulated(work) + moving,
            "impact loss": _cumulated(impacts),
            "friction loss": _cumulated(friction),
        }


def _cumulated(parts: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(parts)])


_ENERGIES = ("energy", "work", "impact loss", "friction loss")
_DEEP = 1e-6  # m: contacts that stay deeper are named
_GAIN = 1e-3  # of what the rows of a step give and take: less is of the method's order
_SLOW = 1e-6  # m/s, rad/s: what impulses at slower contacts give is no impact's
_ALONG = 1e-9  # of normal impulses: smaller ones along a contact are none


class MoreauJeanStepper(ContactStepper):
    """A run by equal steps, in each of which contacts may open and close."""

    IMPULSES = True

    def __init__(self, spec: RunSpec, solver: MoreauJean) -> None:
        super().__init__(spec, solver.contacts, *STEPPED)
        self._solver, equations = solver, self._equations
        self._functions = equations.stepped()
        self._lines = PowerLines(self._system, power_set(self._system), spec.parameters)
        self.problem = Problem(
            self._functions.smooth, self._functions.sizes, spec.inputs.u, equations.block,
            equations.configuration_rate, spec.inputs.refresher(),
        )  # fmt: skip

    @property
    def equations(self) -> ContactEquations:
        """Those that steps solve."""
        return self._equations

    @property
    def sensors(self) -> Sensors:
        """What can be measured."""
        return self._sensors

    def run(self, x: Floats, shown: Progress) -> Trajectory:
        """As many steps as the duration holds, or fewer."""
        solver, span = self._solver, self._spec.span
        stepper = NativeStepper(
            self._functions, self.problem, x, span.start, solver.step, solver.theta,
            solver.correct_positions,
        )  # fmt: skip
        status, self._steps = _advance(stepper, solver.count(span.duration), shown)
        states = np.vstack([x, self._steps.states])
        times: Floats = span.start + np.arange(len(states), dtype=np.float64) * solver.step
        self._forces = np.vstack([np.zeros(self._equations.layout.rows), self._steps.impulses])
        self._rough = stepper.statistics["rough"]
        used = self._steps.inputs
        last = used[-1:] if len(used) else self.problem.input_rows(times, states)  # none was made
        inputs = np.vstack([used, last])
        if self._spec.trace and len(used):
            self._spec.trace.add_rows(used, solver.step, float(times[-1]))
        self._gaps = self._equations.gaps(states, inputs, times)
        self._account = self._books(x)
        self._energies = np.array(list(self._account.meter.signals().values()))
        counts: dict[str, float] = {"steps": len(self._steps.states), **stepper.statistics}
        failure = _stepping_failure(float(times[-1]), status, stepper.statistics["unsettled"])
        return Trajectory(times, states, counts, failure)

    def _books(self, x: Floats) -> EnergyAccount[StepMeter]:
        equations, steps, lines = self._equations, self._steps, self._lines
        meter = StepMeter(lines, equations.layout, x, steps, self._solver.step)
        losses, moved = steps.losses.sum(axis=0), steps.moved.sum(axis=0)
        in_lines = np.zeros(equations.layout.bilateral)  # powers hold what own rows did
        rows = ContactRowEnergies(
            list(equations.contacts), equations.layout, losses, moved, in_lines
        )
        return EnergyAccount(lines, meter, rows)

    def gaps(self, part: slice, times: Floats, states: Floats) -> Floats:
        """With the inputs that steps used."""
        return self._gaps[:, part]

    def _own_labels(self) -> list[Label]:
        """Energies too."""
        return [*super()._own_labels(), *(("energy", name, "J") for name in _ENERGIES)]

    def _own_rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        return np.column_stack([super()._own_rows(part, times, states), *self._energies[:, part]])

    def about(self, trajectory: Trajectory) -> Plain:
        """Energy balance and diagnostics."""
        times, states = trajectory.times, trajectory.states
        return {
            "contacts": list(self._equations.contacts),
            "energy_balance": self._account.energy_balance(
                times[[0, -1]], states[[0, -1]]
            ).as_data(),
            "diagnostics": self._diagnostics(len(trajectory.times) - 1),
        }

    def _diagnostics(self, steps: int) -> list[str]:
        solver, duration = self._solver, self._spec.span.duration
        contacts, gaps = self._equations.contacts, self._gaps[:, 0]
        diagnostics = overlaps(contacts, gaps, "it stays so deep until it is left.")
        if self._rough:
            diagnostics.append(
                f"In {self._rough} of {steps} steps speeds at contacts keep their laws only to "
                "1e-5 of the largest: contacts that nearly repeat each other leave no more."
            )
        diagnostics += self._deep() + self._gains()
        end = solver.count(duration) * solver.step
        if abs(end - duration) > 1e-9 * duration:
            diagnostics.append(
                f"The run ends at {self._spec.span.start + end:.9g} s: steps of {solver.step:g} s "
                f"don't divide {duration:g} s."
            )
        return [*diagnostics, *self._unmeasured_diagnostics()]

    def _deep(self) -> list[str]:
        """How deep contacts stay that press on, step after step: steps hold their speeds, not their
        gaps."""
        layout, steps = self._equations.layout, self._steps
        presses = steps.impulses[:, list(layout.normals)] > 0.0
        stays = np.zeros(self._gaps.shape, dtype=bool)
        stays[:, 2:] = (presses[1:] & presses[:-1]).T
        depths = np.where(stays, -self._gaps, 0.0)
        start, h = self._spec.span.start, self._solver.step
        return [
            f"Contact '{name}' stays up to {own.max():.3g} m deep (at t = "
            f"{start + h * float(own.argmax()):.6g} s): a step notices what lands by up to its "
            f"speed times {h:g} s too late, and holds speeds, not gaps; give "
            "correct_positions=True, a shorter step, or method='event-driven'."
            for name, own, before in zip(
                self._equations.contacts, depths, np.maximum(-self._gaps[:, 0], 0.0), strict=True
            )
            if own.max(initial=0.0) > _DEEP + before
        ]

    def _gains(self) -> list[str]:
        """Of impacts that gave energy, which Newton's restitution with friction may, and slow ones
        without it."""
        layout, steps = self._equations.layout, self._steps
        gains = Gains("moreau-jean")
        losses = steps.losses[:, layout.bilateral :]
        impulses = np.abs(steps.impulses[:, layout.bilateral :]).sum(axis=1)
        given, moved = -losses.sum(axis=1), np.abs(losses).sum(axis=1)
        hit = steps.impulses[:, list(layout.normals)] > 0.0
        start, names = self._spec.span.start, list(self._equations.contacts)
        counts = given > _GAIN * moved + _SLOW * impulses
        if self._solver.correct_positions:  # which gives back what contacts took: only beyond that
            counts &= np.cumsum(given) > 0.0
        for k in np.flatnonzero(counts):
            t = start + float(k + 1) * self._solver.step
            normal = steps.impulses[k, list(layout.normals)].sum()
            smooth = impulses[k] <= (1.0 + _ALONG) * normal
            gains.add(t, float(given[k]), [names[i] for i in np.flatnonzero(hit[k])], bool(smooth))
        return gains.diagnostics()


def _advance(stepper: NativeStepper, count: int, shown: Progress) -> tuple[Status, Steps]:
    """So many steps, or fewer, in chunks."""
    parts, chunks, status, left = [stepper.advance(0)[1]], Chunks(), Status.REACHED, count
    while left and status == Status.REACHED:
        status, steps = stepper.advance(min(left, chunks.next()))
        parts.append(steps)
        left -= len(steps.states)
        shown.update(1.0 - left / count)
    names = [field.name for field in fields(Steps)]
    return status, Steps(*(np.vstack([getattr(part, name) for part in parts]) for name in names))


def _stepping_failure(t: float, status: Status, unsettled: int) -> Failure | None:
    if status == Status.NOT_FINITE:
        return Failure(t, "the state is no longer finite", "take a shorter step")
    if not unsettled:
        return None
    return Failure(
        t,
        f"the impulses of {unsettled} steps did not settle",
        "contacts that repeat each other with friction may have no solution: take some away, or "
        "lower the friction",
        whole=True,
    )
