"""Offline runs: a compiled system, an initial state and a duration give a `Run`."""

# For analyses, beside the contact solvers here.
from touchback.contact import critical_friction as critical_friction
from touchback.native import AugmentedLagrangian, Baumgarte, Penalty
from touchback.simulate.adaptive_step_limits import (
    StepLimits as StepLimits,
    TooManyKnots as TooManyKnots,
    step_limits as step_limits,
)
from touchback.simulate.constraint_switching import Switch
from touchback.simulate.contact_stepper import (
    CONTACT_TOLERANCE as CONTACT_TOLERANCE,
    Sensors as Sensors,
    contacts_of as contacts_of,
)
from touchback.simulate.discrete_state_ticks import (
    steps_between as steps_between,
    use_ticks as use_ticks,
)
from touchback.simulate.drive_jumps import (
    PrescribedMotion as PrescribedMotion,
    RateJump as RateJump,
    find_drive_jumps as find_drive_jumps,
    find_rate_jumps as find_rate_jumps,
    prescribed_motions as prescribed_motions,
    warn_of_ground_jumps as warn_of_ground_jumps,
    warn_of_jumps as warn_of_jumps,
)
from touchback.simulate.event_monitor import Event
from touchback.simulate.initial_states import (
    initial_state as initial_state,
    read_state as read_state,
)
from touchback.simulate.input_sampling_check import InputTrace as InputTrace
from touchback.simulate.input_signals import (
    Inputs as Inputs,
    TimeFunction,
    read_inputs as read_inputs,
)
from touchback.simulate.mode_stepper import (
    CHATTERING_HINT as CHATTERING_HINT,
    CHUNK as CHUNK,
    indicator_failure as indicator_failure,
    mode_entry_failure as mode_entry_failure,
)
from touchback.simulate.run_diagnostics import (
    add_rating_diagnostics as add_rating_diagnostics,
    constraint_diagnostics as constraint_diagnostics,
    warn_when_astray as warn_when_astray,
    warn_when_open as warn_when_open,
)
from touchback.simulate.run_failure import (
    RunFailed,
    RunInterrupted,
    not_finite as not_finite,
    raise_failure as raise_failure,
)
from touchback.simulate.run_protocols import (
    Followed as Followed,
    Motion as Motion,
    MotionData as MotionData,
    Numbers as Numbers,
    StateData as StateData,
    Where as Where,
)
from touchback.simulate.run_spec import RunSpec as RunSpec
from touchback.simulate.run_stepper import (
    Label as Label,
    Segment as Segment,
    signal_labels as signal_labels,
)
from touchback.simulate.simulate import simulate
from touchback.simulate.smooth_stepper import newton_for as newton_for
from touchback.simulate.solver_choice import (
    formulation_for as formulation_for,
    solver_for as solver_for,
)
from touchback.simulate.solvers import (
    METHODS,
    RK4,
    Dopri5,
    Euler,
    EventDriven,
    ImplicitEuler,
    MoreauJean,
    Radau5,
    SciPy,
    Solver,
    Trapezoidal,
    Variational,
    integrators as integrators,
)
from touchback.simulate.solvers.base import (
    Capability as Capability,
    Integrator as Integrator,
    Options as Options,
)
from touchback.simulate.solvers.fixed_step_solvers import FixedStep as FixedStep
from touchback.simulate.time_span import (
    MOST_NUMBERS as MOST_NUMBERS,
    Failure as Failure,
    Span as Span,
    Trajectory as Trajectory,
    check_stored_size as check_stored_size,
    output_times as output_times,
    refuse_rows as refuse_rows,
    whole_multiple as whole_multiple,
)
from touchback.simulate.unsupported_features import (
    COPIES as COPIES,
    MEMORIES as MEMORIES,
    MODES as MODES,
    RIGID as RIGID,
    RUBBING as RUBBING,
    Feature as Feature,
    refuse as refuse,
    refuse_model as refuse_model,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = ("simulate",)

__all__ = [
    "METHODS",
    "RK4",
    "AugmentedLagrangian",
    "Baumgarte",
    "Dopri5",
    "Euler",
    "Event",
    "EventDriven",
    "ImplicitEuler",
    "MoreauJean",
    "Penalty",
    "Radau5",
    "RunFailed",
    "RunInterrupted",
    "SciPy",
    "Solver",
    "Switch",
    "TimeFunction",
    "Trapezoidal",
    "Variational",
    "simulate",
]
