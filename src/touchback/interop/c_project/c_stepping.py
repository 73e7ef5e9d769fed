"""What a project steps: a mechanism by fixed steps of its rate, or one with rigid contacts."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback import MoreauJean, System
from touchback.native import (
    Assembly,
    Formulation,
    FunctionData,
    Modes,
    MoreauJean as Stepper,
    Problem,
    formulation_of,
)
from touchback.simulate import FixedStep, Sensors, contacts_of, newton_for, steps_between
from touchback.symbolic import Program
from touchback.system import STEPPED, At, ContactEquations, IntegrationProblem


@dataclass(frozen=True)
class StepText:
    """How C steps: members of the model, lines that begin it (once), let it start for the `first`
    time, and at any `t`, its time, a step with what that returns, steps without an answer, and
    functions that it calls."""

    members: Sequence[str]
    begin: Sequence[str]
    first: Sequence[str]
    start: Sequence[str]
    time: str
    step: Sequence[str]
    unanswered: str
    calls: Sequence[str]


@dataclass(frozen=True)
class Stepping:
    """The mechanism `posed`, what else is to be written (`roots` by name, all that they hold in
    `held`), the programs of parameter blocks with their names and numbers, sensors with their names
    and units and the block that they read, and the text of steps."""

    posed: IntegrationProblem
    roots: dict[str, ctypes.Structure | np.ndarray]
    held: list[object]
    stages: list[tuple[Program, str, np.ndarray]]
    outputs: FunctionData | None
    labels: list[tuple[str, str]]
    text: StepText
    outputs_block: str = "p"

    def assembled(self, system: System, x: np.ndarray) -> Assembly | None:
        """What assembles the initial state x again, in the memory of the run; None where nothing
        is constrained."""
        solving = self.posed.solving
        if solving is None:
            return None
        own = system.independent_copy()
        own.enter(*own.initial_modes)
        closing = own.dynamics.assembler(own.calls, At())
        if isinstance(solving, Modes):
            solving = solving.enforced[solving.mode_of(x)]
        tracks = np.flatnonzero(closing.tracks).tolist()
        return Assembly(solving.functions, solving, tracks, closing.idle)


def rate_stepping(
    system: System, solver: FixedStep, constraints: str | Formulation | None
) -> Stepping:
    """Steps of a rate: those of memories, modes and implicit rules too."""
    posed = system.problem(constraints, method=solver.word)
    every = steps_between(system, solver)
    if every is not None:
        posed.sample(system.memory_places, every)
    newton = None
    if solver.implicit:
        newton = newton_for(system, posed.problem, solver.rtol, solver.atol, {}, solver.momenta)
    roots: dict[str, ctypes.Structure | np.ndarray] = {}
    blocks = {"p": posed.problem.p}
    if newton is not None:
        blocks |= {"newton_p": newton.p, "momentum_p": newton.momentum_p}
        roots = {"newton": newton.record.struct, **blocks}
    stiff = posed.solving is not None and formulation_of(posed.formulation).step
    stages = system.stages(bool(stiff), newton is not None, solver.momenta)
    return Stepping(
        posed, roots, [newton],
        [(stage.first, *block) for stage, block in zip(stages, blocks.items(), strict=False)],
        posed.outputs, list(zip(system.output_names, system.output_units, strict=True)),
        _fixed_text(system, _step_function(posed, solver)),
    )  # fmt: skip


def _step_function(posed: IntegrationProblem, solver: FixedStep) -> str:
    own = solver.word in posed.problem.steps
    return "tb_modes_step" if own else f"tb_{solver.word.replace('-', '_')}_step"


def _fixed_text(system: System, function: str) -> StepText:
    return StepText(
        members=("tb_fixed run;", f"double scratch[{5 * sum(system.sizes)}];"),
        begin=(
            f"m->run.step = {function};", "m->run.h = MODEL_STEP;", "m->run.x = m->state;",
            "m->run.scratch = m->scratch;",
        ),
        first=("model_start(m, 0.0);",),
        start=("m->run.t0 = t;", "m->run.steps = 0;", "m->run.bad = -1;"),
        time="m->run.t0 + (double)m->run.steps * m->run.h",
        step=("tb_fixed_take(&m->run, &m->problem);", "return (int)(m->run.bad + 1);"),
        unanswered="",
        calls=("tb_fixed_take", function),
    )  # fmt: skip


def impulse_stepping(system: System, solver: MoreauJean) -> Stepping:
    """Steps of rigid contacts; what starts on constraints is posed beside them."""
    posed = system.problem()
    _, contacts = contacts_of(system, solver.contacts)
    equations = ContactEquations(system, contacts, None, STEPPED)
    functions, u = equations.stepped(), posed.problem.u
    problem = Problem(
        functions.smooth, functions.sizes, u, equations.block, equations.configuration_rate
    )
    problem.record.point("u", u)  # one for both
    x = np.zeros(sum(system.sizes))
    stepper = Stepper(
        functions, problem, x, 0.0, solver.step, solver.theta, solver.correct_positions
    )
    sensors = Sensors(equations, False)
    roots: dict[str, ctypes.Structure | np.ndarray] = {
        "touching": problem.record.struct, "contacts": stepper.record.struct,
        "contacts_p": problem.p, "sensors_p": sensors.block,
    }  # fmt: skip
    stages = [(system.stages(False, False)[0].first, "p", posed.problem.p)]
    stages.append((equations.functions.first, "contacts_p", problem.p))
    outputs = None
    if sensors.function is not None:
        stages.append((sensors.function.first, "sensors_p", sensors.block))
        outputs = sensors.function.compiled
    return Stepping(
        posed, roots, [problem, stepper], stages, outputs, sensors.labels,
        _touching_text(equations.layout.rows), "sensors_p",
    )  # fmt: skip


def _touching_text(rows: int) -> StepText:
    return StepText(
        members=(f"double losses[{rows}];", f"double moved[{rows}];"),
        begin=("m->contacts.h = MODEL_STEP;", "m->contacts.x = m->state;"),
        first=(),  # runs with contacts take the initial state as it is
        start=(
            "m->contacts.t0 = t;", "m->contacts.steps = 0;", "m->contacts.bad = -1;",
            "memset(m->contacts.impulses, 0, (size_t)m->contacts.rows * sizeof(double));",
        ),
        time="m->contacts.t0 + (double)m->contacts.steps * m->contacts.h",
        step=(
            "tb_moreau_jean_take(&m->contacts, &m->touching, m->losses, m->moved);",
            "return (int)(m->contacts.bad + 1);",
        ),
        unanswered=" + m->contacts.unsettled",
        calls=("tb_moreau_jean_take",),
    )  # fmt: skip
