"""States that constraints allow: closed loops, and velocities that keep them closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from touchback.dynamics import float_instant
from touchback.errors import SolveError
from touchback.model import ForceKind, Model
from touchback.native import NO_NUMBER, Assembly
from touchback.native.constrained.constraint_assembly import OPEN
from touchback.system.active_equations import ActiveEquations, At
from touchback.system.constraint_functions import ConstraintLayout
from touchback.system.degrees_of_freedom import freedoms_of
from touchback.system.method_dispatch import Calls
from touchback.system.signal_layout import fill

_ASIDE = (0.0, 0.05, -0.3, 1.0, -2.0)  # how far guesses are turned aside when they lead nowhere


class StateAssembler:
    """Finds states of a system at a time with inputs and extra states, by Newton's method in C.
    Rows that `track` are kept by the `idle` velocity coordinates alone, which go where they are to
    be and move nothing else."""

    def __init__(
        self,
        assembly: Assembly,
        acting: ActiveEquations,
        calls: Calls,
        at: At,
        start: np.ndarray,
        positions: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
        tracks: Sequence[bool] = (),
        idle: Sequence[int] = (),
    ) -> None:
        """`start` are the extra states where `at` has none; `positions` gives h and J at q."""
        layout = calls.layout
        self._assembly, self._acting, self._calls, self._at = assembly, acting, calls, at
        self._rows, self._layout, self._n = acting.rows, layout, len(layout.v)
        self.positions = positions
        self.tracks, self.idle = np.array(tracks, dtype=bool), list(idle)
        inputs = fill("u", at.u, layout.inputs, np.array(layout.input_defaults, dtype=float))
        values = layout.varied(calls.parameters.copy(), at.parameters or {})
        self._given = np.append(at.t, inputs), acting.functions.block_for(values)
        self._z = fill("z", at.z, layout.z, start)

    # ---- positions ------------------------------------------------------------------------------

    def solve_positions(self, q: np.ndarray, kept: list[int]) -> np.ndarray:
        """Positions that meet the constraints; the coordinates in `kept` stay. A guess where every
        step would be sideways, as bars in one line, is left by small and then larger turns."""
        tried: list[OpenLoop] = []
        for aside in _ASIDE:
            try:
                return self.solve_positions_from(self._turned(q, kept, aside), kept)
            except OpenLoop as error:
                tried.append(error)
        best = min(tried, key=lambda error: error.gap)
        if kept:
            self._refuse_kept(q, kept, best)
        raise best

    def solve_positions_from(self, q: np.ndarray, kept: list[int]) -> np.ndarray:
        """The same from this guess alone; first without what tracks, then that."""
        idle = self.idle
        if not idle or any(self._increments(q)[k, idle].any() for k in kept):
            return self.newton(q, kept=kept)  # one that is to stay lets the others move
        q = self.newton(q, idle, kept, ~self.tracks)
        return self.newton(q, [j for j in range(self._n) if j not in idle])

    def newton(
        self,
        q: np.ndarray,
        still: Sequence[int] = (),
        kept: Sequence[int] = (),
        rows: np.ndarray | bool = True,
    ) -> np.ndarray:
        """Positions that meet some `rows`, with velocity coordinates that are `still`."""
        met = self._rows.holonomic & rows
        found = self._assembly.solve_positions(self._state(q), self._given, met, still, kept)
        if found.status == NO_NUMBER:
            refuse_nan(*self.positions(q), self._rows)
        if found.status == OPEN:
            raise open_loop(found.error, found.first, self._rows)
        return found.x[: q.size]

    def _state(self, q: np.ndarray) -> np.ndarray:
        return np.concatenate([q, np.zeros(self._n), self._z])

    def _turned(self, q: np.ndarray, kept: list[int], angle: float) -> np.ndarray:
        """The guess with all that isn't kept turned or slid by some of an angle or length."""
        if not angle:
            return q
        return self._assembly.turn_positions(self._state(q), self._given, angle, kept).x[: q.size]

    def _refuse_kept(self, q: np.ndarray, kept: list[int], error: OpenLoop) -> None:
        try:
            closed = self.solve_positions_from(q, [])
        except SolveError:
            return
        layout = self._layout
        names = ", ".join(f"'{layout.q[i]}'" for i in kept)
        left = freedoms_of(self.positions(closed)[1], self._rows.names, layout.v).freedoms
        raise SolveError(
            f"{error.told}, with the given {names}. It closes when nothing is given, with {left} "
            f"{'freedom' if left == 1 else 'freedoms'} left: give fewer coordinates, or others."
        ) from error

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Positions moved by an increment in velocity coordinates."""
        here = self._at._replace(q=q, v=step, u=None, t=0.0, z=None)
        return q + self._calls.call_function(self._acting.functions["configuration rate"], here)

    def _increments(self, q: np.ndarray) -> np.ndarray:
        """N of dq = N δ, nq × nv."""
        return np.stack([self.moved(q, e) - q for e in np.eye(self._n)], axis=1)

    # ---- velocities -----------------------------------------------------------------------------

    def solve_velocities(self, x: np.ndarray, kept: list[int]) -> np.ndarray:
        """Velocities of x = [q, v, z] that meet the constraints; those in `kept` stay."""
        idle = self.idle
        if not idle or set(kept) & set(idle):
            return self._solve_velocities(x, kept)
        x = self._solve_velocities(x, [*kept, *idle], ~self.tracks)
        return self._solve_velocities(x, [j for j in range(self._n) if j not in idle])

    def _solve_velocities(
        self, x: np.ndarray, kept: Sequence[int], rows: np.ndarray | bool = True
    ) -> np.ndarray:
        found = self._assembly.solve_velocities(x, self._given, rows, kept)
        if found.status == NO_NUMBER:
            refuse_demands(found.demanded, self._rows)
        nq = len(self._layout.q)
        refuse_rates(found.error, found.x[nq : nq + self._n], kept, self._rows)
        return found.x

    def apply_impulses(self, x: np.ndarray) -> np.ndarray:
        """x with its velocities after impulses of all constraints."""
        return self._assembly.apply_impulses(x, self._given).x


_NOTICED = 1e-3  # of the largest error: constraints above it are named


class OpenLoop(SolveError):
    """Constraints that can't be met from a guess: `told` is who and by how much, `gap` how far."""

    def __init__(self, told: str, mend: str, gap: float) -> None:
        super().__init__(f"{told}. {mend}")
        self.told, self.gap = told, gap


def refuse_nan(h: np.ndarray, J: np.ndarray, layout: ConstraintLayout) -> None:
    """Refuse errors and slopes that are no numbers."""
    for label, value, slopes in zip(layout.labels, h, J, strict=True):
        if not np.isfinite(value):
            raise SolveError(
                f"{label}: its error is {value} at the guess; check its expression at that time "
                "and those positions."
            )
        if not np.isfinite(slopes).all():
            raise SolveError(
                f"{label}: its slopes are not finite at the guess; begin elsewhere (a disc that "
                "lies flat can't roll)."
            )


def open_loop(h: np.ndarray, start: np.ndarray, layout: ConstraintLayout) -> OpenLoop:
    """What stays open: at the nearest positions the errors themselves tell who is involved."""
    errors = {label: _gap(h, layout, label) for label in dict.fromkeys(layout.labels)}
    largest = max(gap for gap, _ in errors.values())
    involved = [label for label, (gap, _) in errors.items() if gap > _NOTICED * largest]
    gap = float(np.linalg.norm(h))
    if len(involved) == 1:
        label = involved[0]
        first = _gap(start, layout, label)[0]
        told = f"{label}: {errors[label][1]} at best, {first:.2g} at the guess"
        return OpenLoop(told, "Give a guess nearer to closure, or check the lengths.", gap)
    told = "; ".join(f"{label}: {errors[label][1]}" for label in involved[:6])
    mend = "Remove or correct one of them, or give a guess from which all can be met."
    return OpenLoop(f"Constraints contradict each other. At best, {told}", mend, gap)


def _gap(h: np.ndarray, layout: ConstraintLayout, label: str) -> tuple[float, str]:
    """How far a constraint is from being met, as a number and in words."""
    rows = [i for i, own in enumerate(layout.labels) if own == label]
    metres = [i for i in rows if layout.units[i] == "m"]
    if len(metres) > 1 and np.abs(h[metres]).max() >= _NOTICED * np.abs(h[rows]).max():
        gap = float(np.linalg.norm(h[metres]))
        return gap, f"its two points are {gap:.2g} m apart"
    worst = max(rows, key=lambda i: abs(h[i]))
    gap = float(np.linalg.norm(h[rows]))
    unit = layout.units[worst].replace("-", "rad")
    return gap, f"its error is {gap:.2g} {unit}".rstrip()


def refuse_rates(
    error: np.ndarray, v: np.ndarray, kept: Sequence[int], layout: ConstraintLayout
) -> None:
    """Refuse velocities that leave rows open by an error; some were kept."""
    error = np.abs(error)
    if not error.max(initial=0.0) > 1e-9 * max(1.0, np.abs(v).max(initial=0.0)):
        return
    rows = np.flatnonzero(error > _NOTICED * error.max())
    involved = list(dict.fromkeys(layout.labels[i] for i in rows))
    worst = float(error.max())
    if kept:
        raise SolveError(
            f"{involved[0]}: the given rates contradict it by {worst:.2g}; give fewer rates, "
            "or consistent ones."
        )
    raise SolveError(
        f"{', '.join(involved)}: no velocities satisfy them, by {worst:.2g}; their rates "
        "contradict each other. Remove or correct one of them."
    )


def refuse_demands(b: np.ndarray, layout: ConstraintLayout) -> None:
    """Refuse velocities to be met that are no numbers."""
    for label, demanded in zip(layout.labels, b, strict=True):
        if not np.isfinite(demanded):
            raise SolveError(
                f"{label}: the velocity that it demands is {demanded}; check its expression at "
                "that time."
            )


def check_branches(model: Model, q: np.ndarray, parameters: Mapping[str, float]) -> None:
    """Refuse closures whose axes are opposite where they should be parallel."""
    tied = {
        name: axes
        for name, closure in model.closures.items()
        if closure.active and (axes := closure.kind.shared_axes())
    }
    if not tied:
        return
    instant = float_instant(model, list(q), parameters)
    for name, axes in tied.items():
        a, b = model.closures[name].a, model.closures[name].b
        R_A, R_B = (np.array(instant.rotation(end), dtype=float) for end in (a, b))
        for axis in axes:
            if (R_A @ axis) @ (R_B @ axis) < 0.0:
                raise SolveError(
                    f"Closure '{name}': it is met the wrong way round, with the axes of its frames "
                    "opposite. Give a guess nearer to the branch that you want (`guess=`, or the "
                    f"initial positions of joints), or turn a frame of '{b.body}' by half a turn."
                )


def with_found_states(
    model: Model, q: np.ndarray, z: np.ndarray, parameters: Mapping[str, float]
) -> np.ndarray:
    """The extra states z with those that forces find at the positions q."""
    z, order = z.copy(), list(model.states)
    for state, number in found_states(model, q, parameters).items():
        z[order.index(state)] = number
    return z


def found_states(model: Model, q: np.ndarray, parameters: Mapping[str, float]) -> dict[str, float]:
    """The states that forces find at the positions q, by name."""
    finding = {
        name: force
        for name, force in model.forces.items()
        if type(force).begin is not ForceKind.begin
    }
    if not finding:
        return {}
    instant = float_instant(model, q.tolist(), parameters)
    states: dict[str, float] = {}
    for name, force in finding.items():
        try:
            found = force.begin(instant)
        except SolveError as error:
            raise SolveError(f"Force '{name}': {error}") from None
        states |= {f"{name}.{state}": number for state, number in found.items()}
    return states
