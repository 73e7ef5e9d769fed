"""The functions of a system: what each takes and gives, as equations of an instant."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from touchback.dynamics import (
    INERTIAL,
    centre_of_mass,
    configuration_rate,
    constraint_rows,
    jacobian,
    mass_matrix_entries,
    momentum,
    root_columns,
    solve_efforts,
)
from touchback.dynamics.forward_dynamics import solve_accelerations
from touchback.dynamics.regressor import regressor
from touchback.errors import InputError
from touchback.model import Frame, JointEffort
from touchback.names import unknown
from touchback.symbolic import jacobian as derivatives, jvp
from touchback.system.compiled_function import Function
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.derivation_plan import Plan
from touchback.system.dynamics_derivatives import (
    by_parameters,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
    looped_derivatives,
)
from touchback.system.signal_layout import Layout

Build = Callable[[Derivation], list[int]]


@dataclass(frozen=True)
class Recipe:
    """How a function is derived: further arguments beyond x and u (one a velocity coordinate), the
    equations, the shape of the result, whether rigid joints must be kept (for reactions), and
    whether sums are to be chains; and, where loops do a part of it, how the function is made
    instead of these equations."""

    build: Build
    shape: tuple[int, ...]
    extra: tuple[str, ...] = ()
    keep_fixed: bool = False
    chains: bool = False
    looped: Callable[[Derivation, str], Function] | None = None


def inverse_recipe(layout: Layout) -> Recipe:
    """τ = M a + c."""
    return Recipe(lambda d: solve_efforts(d.instant, d.extra), (len(layout.v),), layout.v)


def bias_recipe(layout: Layout) -> Recipe:
    """c: inverse dynamics at zero acceleration."""
    return Recipe(lambda d: solve_efforts(d.instant, None), (len(layout.v),))


def forward_recipe(layout: Layout, algorithm: str) -> Recipe:
    """a with M a + c = τ."""
    return Recipe(
        lambda d: solve_accelerations(d.instant, d.extra, algorithm), (len(layout.v),), layout.v
    )


def mass_matrix_recipe(layout: Layout, at_root: bool) -> Recipe:
    """M, all entries."""
    n = len(layout.v)

    def build(d: Derivation) -> list[int]:
        M = mass_matrix_entries(d.instant, at_root)
        return [M.get((i, j), 0) for i in range(n) for j in range(n)]

    return Recipe(build, (n, n))


def mass_matrix_columns_recipe(layout: Layout) -> Recipe:
    """S (6 × n), F (n × 6) and armature (n): M by a loop, M_ij = S_i · F_j along the tree."""
    n = len(layout.v)

    def build(d: Derivation) -> list[int]:
        S, F = root_columns(d.instant.regrouped(), d.tape)
        components = [row[i] for i in range(6) for row in S]
        return components + [x for row in F for x in row] + d.instant.armature()

    return Recipe(build, (13 * n,))


def joint_efforts_recipe(layout: Layout) -> Recipe:
    """The model's own joint efforts."""
    return Recipe(lambda d: list(d.instant.efforts()), (len(layout.v),))


def motor_efforts_recipe(layout: Layout) -> Recipe:
    """What motors and laws of the model do in each velocity coordinate: its joint efforts without
    springs, damping, friction and stops."""

    def build(d: Derivation) -> list[int]:
        found = [0] * len(layout.v)
        for force in d.instant.model.forces.values():
            if isinstance(force, JointEffort):
                i = d.instant.freedom(force.joint, force.index)
                found[i] = d.tape.add(found[i], d.instant.value(force.effort))
        return found

    return Recipe(build, (len(layout.v),))


def energy_recipe(layout: Layout) -> Recipe:
    """Kinetic and potential energy."""
    return Recipe(lambda d: [d.instant.energy("kinetic"), d.instant.energy("potential")], (2,))


def momentum_recipe(layout: Layout) -> Recipe:
    """Linear and angular momentum."""
    return Recipe(lambda d: [x for vector in momentum(d.instant) for x in vector], (2, 3))


def centre_of_mass_recipe(layout: Layout) -> Recipe:
    """p_com."""
    return Recipe(lambda d: list(centre_of_mass(d.instant)), (3,))


def pose_recipe(layout: Layout, frame: Frame) -> Recipe:
    """Rows of R_WF, then p_WF."""

    def build(d: Derivation) -> list[int]:
        R = d.instant.rotation(frame)
        return [x for row in R for x in row] + list(d.instant.position(frame))

    return Recipe(build, (12,))


def velocity_recipe(layout: Layout, frame: Frame) -> Recipe:
    """ω and the velocity of the frame's origin."""
    return Recipe(lambda d: [*d.instant.angular_velocity(frame), *d.instant.velocity(frame)], (6,))


def acceleration_recipe(layout: Layout, frame: Frame) -> Recipe:
    """ω̇ and the acceleration of the frame's origin, along world axes."""

    def build(d: Derivation) -> list[int]:
        d.instant.a = d.extra
        return [*d.instant.angular_acceleration(frame), *d.instant.acceleration(frame)]

    return Recipe(build, (6,), layout.v)


def jacobian_recipe(layout: Layout, frame: Frame) -> Recipe:
    """6 × nv."""
    return Recipe(
        lambda d: [x for row in jacobian(d.instant, frame) for x in row], (6, len(layout.v))
    )


def reaction_recipe(layout: Layout, joint: str, rows: Sequence[str]) -> Recipe:
    """Force and moment of the parent on the child, at and along the joint's child frame; of a
    closure, of a's body on b's, at and along frame b. With constraints, `rows` of them, for given
    multipliers."""

    def build(d: Derivation) -> list[int]:
        d.instant.a = d.accelerations
        if rows:
            tied = constraint_rows(d.instant)
            d.instant.efforts()  # applied forces first, then those of closures
            d.solved(tied)
        force, moment = d.instant.reaction(joint)
        return [*force, *moment]

    return Recipe(build, (6,), solved_arguments(layout, rows), keep_fixed=True)


def rate_jacobian_recipe(layout: Layout, algorithm: str) -> Recipe:
    """∂ẋ/∂x with x = [q, v, z]: row i holds the derivatives of the rate of x_i."""
    n = len(layout.q) + len(layout.v) + len(layout.z)

    def build(d: Derivation) -> list[int]:
        rate, _, _ = rate_equations(d, algorithm)
        return [x for row in derivatives(d.tape, rate, [*d.q, *d.v, *d.z]) for x in row]

    return Recipe(build, (n, n))


def momentum_rate_recipe(layout: Layout, plan: Plan) -> Recipe:
    """M, then the rates of the momenta p = M v, ṗ = M a + Ṁ v, then those of further states."""
    n = len(layout.v)

    def build(d: Derivation) -> list[int]:
        tape = d.tape
        rate, q_rates, _ = rate_equations(d, plan.algorithm)
        M = mass_matrix_entries(d.instant, plan.root_mass_matrix)
        rows = [[M.get((i, j), 0) for j in range(n)] for i in range(n)]
        p = [0] * n
        for i, row in enumerate(rows):
            for entry, v in zip(row, d.v, strict=True):
                p[i] = tape.add(p[i], tape.mul(entry, v))
        moving = [*q_rates, *rate[len(layout.q) : len(layout.q) + n]]
        tangents = dict(zip([*d.q, *d.v], moving, strict=True))
        z_rates = rate[len(layout.q) + n :]
        return [*(x for row in rows for x in row), *jvp(tape, p, tangents), *z_rates]

    return Recipe(build, (n * n + n + len(layout.z),))


def inverse_derivatives_recipe(layout: Layout) -> Recipe:
    """∂τ/∂q, ∂τ/∂v and M."""
    n = len(layout.v)
    return Recipe(inverse_dynamics_derivatives, (3, n, n), layout.v, chains=True)


def forward_derivatives_recipe(layout: Layout, plan: Plan, own: bool) -> Recipe:
    """∂a/∂q, ∂a/∂v and M⁻¹, for given joint efforts or the model's own."""
    n = len(layout.v)
    return Recipe(
        lambda d: forward_dynamics_derivatives(d, plan.algorithm, own),
        (3, n, n), () if own else layout.v, chains=True,
        looped=partial(looped_derivatives, plan=plan, own=own) if plan.loop_derivatives else None,
    )  # fmt: skip


def regressor_recipe(layout: Layout, bodies: int) -> Recipe:
    """Y of τ = Y π."""
    shape = (len(layout.v), len(INERTIAL) * bodies)
    return Recipe(
        lambda d: [x for row in regressor(d.instant, d.extra) for x in row], shape, layout.v
    )


def inverse_by_parameters_recipe(layout: Layout) -> Recipe:
    """∂τ/∂p."""
    shape = (len(layout.v), len(layout.parameters))
    return Recipe(lambda d: by_parameters(d, solve_efforts(d.instant, d.extra)), shape, layout.v)


def forward_by_parameters_recipe(layout: Layout, plan: Plan, own: bool) -> Recipe:
    """∂a/∂p, for given joint efforts or the model's own."""

    def build(d: Derivation) -> list[int]:
        tau = d.instant.efforts() if own else d.extra
        return by_parameters(d, solve_accelerations(d.instant, tau, plan.algorithm))

    return Recipe(build, (len(layout.v), len(layout.parameters)), () if own else layout.v)


def standard_recipe(name: str, layout: Layout, plan: Plan, others: Sequence[str]) -> Recipe:
    """That of a function which every mechanism has; `others` are known besides."""
    recipes: dict[str, Callable[[], Recipe]] = {
        "inverse dynamics": lambda: inverse_recipe(layout),
        "bias": lambda: bias_recipe(layout),
        "forward dynamics": lambda: forward_recipe(layout, plan.algorithm),
        "mass matrix": lambda: mass_matrix_recipe(layout, plan.root_mass_matrix),
        "mass matrix columns": lambda: mass_matrix_columns_recipe(layout),
        "joint efforts": lambda: joint_efforts_recipe(layout),
        "motor efforts": lambda: motor_efforts_recipe(layout),
        "rate jacobian": lambda: rate_jacobian_recipe(layout, plan.algorithm),
        "momentum rate": lambda: momentum_rate_recipe(layout, plan),
        "inverse dynamics derivatives": lambda: inverse_derivatives_recipe(layout),
        "inverse dynamics by parameters": lambda: inverse_by_parameters_recipe(layout),
        **{
            f"{name} {what}": partial(recipe, layout, plan, own)
            for name, own in (("forward dynamics", False), ("own dynamics", True))
            for what, recipe in (
                ("derivatives", forward_derivatives_recipe),
                ("by parameters", forward_by_parameters_recipe),
            )
        },
        "energy": lambda: energy_recipe(layout),
        "momentum": lambda: momentum_recipe(layout),
        "centre of mass": lambda: centre_of_mass_recipe(layout),
    }
    if name not in recipes:
        raise InputError(str(unknown("function", name, [*recipes, *others])))
    return recipes[name]()


def update_equations(d: Derivation) -> list[int]:
    """What each memory becomes at a tick; sensors of forces need accelerations to be known."""
    states = d.instant.model.states.values()
    return [d.instant.value(state.update) for state in states if state.update is not None]


def rate_equations(d: Derivation, algorithm: str) -> tuple[list[int], list[int], list[int]]:
    """(dx/dt, dq/dt, sensor outputs) of a run, on one tape."""
    instant = d.instant
    accelerations = solve_accelerations(instant, instant.efforts(), algorithm)
    instant.a = accelerations
    q_rates = configuration_rate(instant)
    states = instant.model.states.values()
    z_rates = [instant.value(state.rate) for state in states]
    return [*q_rates, *accelerations, *z_rates], q_rates, d.outputs()
