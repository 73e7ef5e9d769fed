"""Linear models about a state: ẏ = A y + B δu, outputs C y + D δu.

The index-1 equations M a = f + Wᵀλ, J a + γ = 0 are differentiated as they stand, with the
curvature ∂(Wᵀλ)/∂q of the constraints, then restricted to the variations that the constraints
allow, h_δ δ = 0 and J δv + (∂(J v − b)/∂δ) δ = 0. The flow keeps these, so the restriction is exact
about a state of motion too (Negrut and Ortiz 2006, "A practical approach for the linearization of
the constrained multibody dynamics equations").
"""

from dataclasses import dataclass

import numpy as np

from touchback.analysis.system_at_parameters import Instance, Tangent, state_of
from touchback.simulate import Where, refuse
from touchback.system import Blocks, Point, State, System, Values


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear model in variations of independent coordinates, their rates and extra states.

    `rates` is what the states change by at the point itself: zero at an equilibrium. `shapes` (one
    row a velocity coordinate) gives the variations of all positions from those of the states."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rates: np.ndarray
    shapes: np.ndarray
    coordinates: tuple[str, ...]
    state: State

    def __str__(self) -> str:
        return (
            f"linear model: {len(self.states)} states ({', '.join(self.states)}), "
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs"
        )


def linearise(
    system: System,
    x: Where = None,
    u: Values = None,
    *,
    t: float = 0.0,
    parameters: dict[str, float] | None = None,
    keep: tuple[str, ...] = (),
) -> Linear:
    """The linear model of a system about a state `x` (default: the initial one, assembled).

    States are variations of the independent positions (increments in velocity coordinates where a
    joint has a quaternion), of their rates, and of the extra states; outputs are the sensors.
    Independent coordinates are chosen by pivoting; those in `keep` are preferred. An input that
    moves a drive counts as constant, as it does in the drive itself."""
    refuse("tb.linearise", system)
    instance = Instance(system, u, parameters)
    at = instance.with_accelerations(instance.point(state_of(system, x), t))
    derivatives = instance.derivatives(at)
    wanted = instance.freedoms(keep, "coordinate to keep")
    flow = full_flow(instance, at, derivatives)
    chart = Chart(derivatives, wanted)
    states, inputs = chart.variations, chart.by_inputs
    values = instance.values(at)
    outputs = flow.outputs
    still = np.concatenate([at.v, at.a, values["state"]])
    return Linear(
        A=(flow.by_state @ states)[chart.rows],
        B=(flow.by_state @ inputs + flow.by_input)[chart.rows],
        C=outputs.by_state @ states,
        D=outputs.by_state @ inputs + outputs.by_input,
        states=_names(instance, chart),
        inputs=tuple(system.input_names),
        outputs=tuple(system.output_names),
        rates=still[chart.rows],
        shapes=states[: instance.n],
        coordinates=tuple(system.velocities),
        state=State(at.q, at.v, at.z, tuple(system.state_names)),
    )


@dataclass(frozen=True)
class _ByStateAndInput:
    by_state: np.ndarray
    by_input: np.ndarray


@dataclass(frozen=True, eq=False)
class Flow:
    """Derivatives of [δ̇, a, ż] and of the outputs by [δ, δv, δz] and by inputs."""

    by_state: np.ndarray
    by_input: np.ndarray
    outputs: _ByStateAndInput


def full_flow(instance: Instance, at: Point, derivatives: Blocks) -> Flow:
    """Derivatives of the rates along all coordinates, constraints kept at acceleration level."""
    n, m = instance.n, instance.m
    columns = ("position", "velocity", "state", "input")

    def row(name: str) -> np.ndarray:
        return np.hstack([derivatives[name, column] for column in columns])

    answers = -instance.solve(derivatives, np.vstack([row("effort"), row("acceleration")]))
    width = answers.shape[1]
    positions = np.zeros((n, width))
    positions[:, :n] = instance.increments(at)[1]
    positions[:, n : 2 * n] = np.eye(n)
    rates = np.vstack([positions, answers[:n], row("state")])
    through = np.hstack(
        [derivatives["output", "acceleration"], derivatives["output", "multiplier"]]
    )
    outputs = row("output") + through @ answers[: n + m]
    cut = width - len(instance.u)
    return Flow(
        rates[:, :cut], rates[:, cut:], _ByStateAndInput(outputs[:, :cut], outputs[:, cut:])
    )


class Chart:
    """Variations [δ, δv, δz] that the constraints allow, by those of the independent coordinates,
    rates and extra states; `rows` are the places of the latter."""

    def __init__(self, derivatives: Blocks, wanted: list[int]) -> None:
        n, nz = derivatives["effort", "position"].shape[1], derivatives["state", "state"].shape[0]
        nu = derivatives["state", "input"].shape[1]
        self.positions = Tangent(derivatives["position", "position"], wanted)
        self.rates = Tangent(derivatives["rate", "velocity"], self.positions.independent)
        k, r = len(self.positions.independent), len(self.rates.independent)
        self.variations = np.zeros((2 * n + nz, k + r + nz))
        self.variations[:n, :k] = self.positions.B
        carried = derivatives["rate", "position"] @ self.positions.B
        self.variations[n : 2 * n, :k] = -self.rates.P @ carried
        self.variations[n : 2 * n, k : k + r] = self.rates.B
        self.variations[2 * n :, k + r :] = np.eye(nz)
        self.by_inputs = np.zeros((2 * n + nz, nu))
        self.by_inputs[: 2 * n] = self.demanded(
            derivatives, derivatives["position", "input"], derivatives["rate", "input"]
        )
        self.rows = [
            *self.positions.independent, *(n + i for i in self.rates.independent),
            *range(2 * n, 2 * n + nz),
        ]  # fmt: skip

    def demanded(self, derivatives: Blocks, position: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Variations [δ, δv] of dependent coordinates that keep constraints met whose positions
        and rates vary so."""
        moved = -self.positions.P @ position
        return np.vstack([moved, -self.rates.P @ (derivatives["rate", "position"] @ moved + rate)])


def _names(instance: Instance, chart: Chart) -> tuple[str, ...]:
    layout = instance.layout
    rates = layout.state_names[len(layout.q) : len(layout.q) + instance.n]
    plain = set(layout.q)
    positions = [name if name in plain else f"{name} increment" for name in layout.v]
    return (
        *(positions[i] for i in chart.positions.independent),
        *(rates[i] for i in chart.rates.independent),
        *layout.z,
    )
