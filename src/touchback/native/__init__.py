"""The one small C library and its Python face: addresses and arrays, no mechanics.

Every generated function has the calling convention of `abi.h`.
"""

from touchback.native._calls import Call as Call, rows as rows
from touchback.native.c_struct import FunctionData, Record as Record
from touchback.native.calls.call_context import Context
from touchback.native.calls.evaluate_rows import Timing, evaluate_rows, time_calls
from touchback.native.calls.executable_pages import Published, publish
from touchback.native.calls.interpreter import Interpreter
from touchback.native.calls.reorder_instructions import reorder
from touchback.native.calls.replicated_function import (
    Parts as Parts,
    ReplicatedFunction as ReplicatedFunction,
    Row as Row,
)
from touchback.native.constrained.acceleration_at_state import (
    LANES as LANES,
    AtState as AtState,
    WideFunctions as WideFunctions,
)
from touchback.native.constrained.constrained_problem import (
    Constrained,
    ConstrainedFunctions,
    constrained_arrays as constrained_arrays,
)
from touchback.native.constrained.constraint_assembly import (
    NO_NUMBER as NO_NUMBER,
    Assembly as Assembly,
)
from touchback.native.constrained.formulation_kinds import (
    FORMULATIONS,
    AugmentedLagrangian,
    Baumgarte,
    Formulation,
    Penalty,
    formulation_of,
    formulation_with as formulation_with,
)
from touchback.native.constrained.rate_jacobian import RateDerivatives
from touchback.native.contact.contact_sparsity import ContactPattern as ContactPattern
from touchback.native.contact.contact_state import (
    ContactFunctions as ContactFunctions,
    ContactState as ContactState,
)
from touchback.native.contact.moreau_jean import (
    ImpulseProblem as ImpulseProblem,
    MoreauJean as MoreauJean,
    SteppedFunctions as SteppedFunctions,
    Steps as Steps,
)
from touchback.native.integrate.adaptive_integrators import Adaptive, Dopri5, Radau5
from touchback.native.integrate.discrete_state_sampler import Sampler as Sampler
from touchback.native.integrate.event_crossings import Crossing, EventFunction, EventRule, Events
from touchback.native.integrate.fixed_step_integrators import FixedStep, Status
from touchback.native.integrate.newton_iteration import Newton
from touchback.native.integrate.power_quadrature import (
    RADAU as RADAU,
    NativeEnergyBalance as NativeEnergyBalance,
    Powers as Powers,
)
from touchback.native.integrate.problem_struct import Problem, Refresh as Refresh, SampledInputs
from touchback.native.integrate.step_knots import Knots
from touchback.native.integrate.table_cells import Cells
from touchback.native.interrupt import Listening, Stop, stop_asked
from touchback.native.interruptible_chunks import Chunks, slices
from touchback.native.linear.tree_products import tree_products
from touchback.native.live.tick_layout import (
    ACTIVE as ACTIVE,
    AT_REST as AT_REST,
    BAD_NUMBER as BAD_NUMBER,
    BEYOND_LIMIT as BEYOND_LIMIT,
    DAMPED as DAMPED,
    DEVICE_FAILED as DEVICE_FAILED,
    DIVERGED as DIVERGED,
    HELD as HELD,
    LATCHED as LATCHED,
    MEMORY_HEAD as MEMORY_HEAD,
    OF_THE_STATE as OF_THE_STATE,
    OPEN_LOOP as OPEN_LOOP,
    OVERLOADED as OVERLOADED,
    PLACE_HEAD as PLACE_HEAD,
    PLACE_REFUSED as PLACE_REFUSED,
    PLACED as PLACED,
    RESTRUCTURED as RESTRUCTURED,
    RESUMED as RESUMED,
    ROW_HEAD as ROW_HEAD,
    SINGLE as SINGLE,
    STALE as STALE,
    STOPPED as STOPPED,
    SWAP_HEAD as SWAP_HEAD,
    SWAP_REFUSED as SWAP_REFUSED,
    SWAPPED as SWAPPED,
    EnergyPort as EnergyPort,
    Guard as Guard,
    Measured as Measured,
    Pace as Pace,
    Watch as Watch,
    copied_counts as copied_counts,
)
from touchback.native.modes.modes_struct import (
    Crossed as Crossed,
    ExitData as ExitData,
    ImpactData as ImpactData,
    ModeData as ModeData,
    ModeFunctions as ModeFunctions,
    ModesData as ModesData,
)
from touchback.native.modes.native_modes import (
    AHEAD as AHEAD,
    CROWD as CROWD,
    CROWDED as CROWDED,
    MOST as MOST,
    NO_END as NO_END,
    STEPS as STEPS,
    WIDEST_GAP as WIDEST_GAP,
    Modes as Modes,
)
from touchback.native.shared_library import (
    ABI_VERSION,
    LIB as LIB,
    LIBRARY_PATH,
    address_of as address_of,
    aligned_zeros,
    as_floats as as_floats,
)

# Submodules that other rooms import by themselves: nothing else needs them at once.
PUBLIC_SUBMODULES = (
    "batch.native_batch",
    "c_source_extraction",
    "constrained.constraint_assembly",
    "daq",
    "daq.daq_pipe",
    "daq.daq_stream",
    "evdev.wheel_thread",
    "foreign_log",
    "front.connection_gate",
    "gradients.native_rollout",
    "live.wakeup_latency",
    "live.live_loop",
    "live.locked_arena",
    "live.mailbox",
    "live.structure_swap",
    "sound.hammer_strike",
    "sound.string_synthesis",
    "structs_as_c_source",
    "wire.serial_device_end",
    "wire.serial_line_thread",
)

__all__ = [
    "ABI_VERSION",
    "FORMULATIONS",
    "LIBRARY_PATH",
    "Adaptive",
    "AugmentedLagrangian",
    "Baumgarte",
    "Cells",
    "Chunks",
    "Constrained",
    "ConstrainedFunctions",
    "Context",
    "Crossing",
    "Dopri5",
    "EventFunction",
    "EventRule",
    "Events",
    "FixedStep",
    "Formulation",
    "FunctionData",
    "Interpreter",
    "Knots",
    "Listening",
    "Newton",
    "Penalty",
    "Problem",
    "Published",
    "Radau5",
    "RateDerivatives",
    "SampledInputs",
    "Status",
    "Stop",
    "Timing",
    "aligned_zeros",
    "evaluate_rows",
    "formulation_of",
    "publish",
    "reorder",
    "slices",
    "stop_asked",
    "time_calls",
    "tree_products",
]
