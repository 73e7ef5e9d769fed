"""What an integrator saw of its inputs, compared with what they are.

A method sees an input at the nodes of its steps, and what it does to the motion is the impulse
Σ h Σ b_i u(t + c_i h) there. That is compared with ∫ u dt of the input itself, and so are the
integrals of u², lest a pulse and its opposite cancel.
"""

from __future__ import annotations

import heapq
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from touchback.numbers import Floats
from touchback.recording import Run
from touchback.simulate.input_signals import Inputs
from touchback.simulate.run_protocols import MethodInfo
from touchback.simulate.time_span import Span
from touchback.system import System

NOTICED = 0.01  # of the integral of an input's deviation from its mean: more is warned of
MANY = 10_000  # samples, each of which ends a step, that are worth a word
_PARTS = 2000  # of a run in which functions are looked at to begin with
_MORE = 4000  # looks where they change most
_ENOUGH = 1e-4  # of the integral of |u|: how well it has to be known


Quadrature = tuple[ArrayLike, ArrayLike]  # nodes and weights on [0, 1]


@dataclass
class InputTrace:
    """Keeps where steps of a run saw the inputs that change; `longest` is the longest step that
    functions among them and laws of time allow [s], `knots` how many there are. Nothing is
    evaluated before the run is over."""

    inputs: Inputs
    longest: float = np.inf
    knots: int = 0
    until: float = -np.inf  # to where steps have come
    _nodes: list[tuple[Floats, Floats]] = field(default_factory=list)  # times, weights
    _ends: list[Floats] = field(default_factory=list)
    _seen: dict[int, Floats] = field(default_factory=dict)  # integrals of u and u²

    def add(self, starts: Floats, ends: Floats, quadrature: Quadrature, before: Floats) -> None:
        """More steps of a method; nothing after the times `before` is read in each."""
        if not self.inputs.changes or not len(ends):
            return
        self.until = max(self.until, float(ends[-1]))
        nodes, weights = (np.asarray(each) for each in quadrature)
        h = ends - starts
        at = np.minimum(starts[:, None] + np.outer(h, nodes), before[:, None])
        self._nodes.append((at.ravel(), np.outer(h, weights).ravel()))

    def add_ends(self, times: Floats) -> None:
        """Steps between times at which alone inputs were seen: a spline through them counts."""
        if self.inputs.changes:
            self.until = max(self.until, float(times[-1]))
            self._ends.append(times)

    def add_rows(self, rows: Floats, step: float, until: float) -> None:
        """Steps of equal length, of each of which a row has the u that it used."""
        self.until = until
        for place in self._places:
            u = rows[:, place]
            self._seen[place] = step * np.array([u.sum(), u @ u])

    @property
    def _places(self) -> tuple[int, ...]:
        return (*self.inputs.samples, *self.inputs.functions)

    def _sum_up(self) -> dict[int, Floats]:
        """The integrals of u and u² that were seen, by the places of inputs."""
        found = dict(self._seen)
        for at, weights in self._nodes:
            times, which = np.unique(at, return_inverse=True)  # steps share their ends
            rows, weighted = self.inputs.over(times), np.bincount(which.ravel(), weights)
            for place in self._places:
                u = rows[:, place]
                more = np.array([weighted @ u, weighted @ (u * u)])
                found[place] = found.get(place, 0.0) + more
        for times in self._ends:
            rows = self.inputs.over(times)
            for place in self._places:
                u = rows[:, place]
                found[place] = found.get(place, 0.0) + _splined(times, np.stack([u, u * u], axis=1))
        return found

    @np.errstate(over="ignore", invalid="ignore")  # a run may fail by inputs without a bound
    def tell(self, run: Run, system: System, span: Span, solver: MethodInfo) -> list[str]:
        """Writes into a run's metadata where its steps ended, and what they saw. Returns what its
        caller is to be warned of."""
        about = run.metadata
        if self.knots:
            about["knots"] = self.knots
        if np.isfinite(self.longest) and solver.adaptive:
            about["longest_step"] = self.longest
        found = self._compare(system.input_names, system.input_units, span)
        if not found:
            return []
        about["input_impulses"] = {each.name: each.as_data() for each in found}
        said = [remark for each in found if (remark := each.remark(solver))]
        told = list(said)
        if self.knots > MANY:
            told.append(
                f"{self.knots} samples and switches ended a step each; where samples are of a "
                "smooth signal, fewer of them, or a tb.TimeFunction with `sampling`, cost less."
            )
        about["diagnostics"] = [*about["diagnostics"], *told]
        return said

    def _compare(self, names: Sequence[str], units: Sequence[str], span: Span) -> list[Impulse]:
        """Of each input that changes, what was seen and what there is up to where steps came."""
        found = []
        for place, seen in self._sum_up().items():
            times, values, doubt = self._looked_at(place, span.start, self.until)
            found.append(
                Impulse(
                    names[place - 1], units[place - 1], *_integrals(times, values), doubt, *seen
                )
            )
        return found

    def _looked_at(self, place: int, start: float, end: float) -> tuple[Floats, Floats, float]:
        """An input as a broken line, and how wrong its integral may be."""
        if place in self.inputs.samples:
            known, values = self.inputs.samples[place]
            inside = known[(known > start) & (known < end)]
            times = np.array([start, *inside, end])
            return times, np.interp(times, known, values), 0.0
        function = self.inputs.functions[place]
        knots = self.inputs.knots_within(Span(start, end - start))
        times = np.unique(
            [*np.linspace(start, end, _PARTS + 1), *knots, *np.nextafter(knots, start)]
        )
        return _refined(function, times)


@dataclass(frozen=True)
class Impulse:
    """An input's impulse ∫ u dt, by what a method saw of it and as it is, to within a `doubt`; and
    the integrals of u² and of |u − mean|, and the largest |u|."""

    name: str
    unit: str
    whole: float
    squares: float
    spread: float
    largest: float
    doubt: float
    seen: float
    seen_squares: float

    def as_data(self) -> dict[str, float]:
        """For a run's metadata."""
        return {"given": self.whole, "seen": float(self.seen)}

    def remark(self, solver: MethodInfo) -> str | None:
        """What is to be said where they differ."""
        size = abs(self.whole) + self.spread
        off = abs(self.seen - self.whole) > NOTICED * self.spread + self.doubt + 1e-9 * size
        unit = f" {self.unit} s".replace("  ", " ") if self.unit else " s"
        if off:
            told = f"an impulse of {self.seen:.6g}{unit}, and it has {self.whole:.6g}{unit}"
        elif abs(self.seen_squares - self.squares) > (
            NOTICED * self.squares + 2.0 * self.doubt * self.largest
        ):
            told = (
                f"∫ u² dt = {self.seen_squares:.6g}, and it has {self.squares:.6g}, with the same "
                "impulse"
            )
        else:
            return None
        mend = "or a method whose steps adapt, such as 'dopri5'"
        if solver.adaptive:
            mend = "or say where it changes: tb.TimeFunction(…, knots=[…]), or `sampling`"
        return (
            f"Input '{self.name}': steps of method '{solver.word}' saw {told}; take a shorter "
            f"`step`, {mend}."
        )


def _splined(times: Floats, columns: Floats) -> Floats:
    """Integrals over splines through columns at times."""
    from scipy.interpolate import CubicSpline

    found: Floats = CubicSpline(times, columns).integrate(times[0], times[-1])
    return found


def _integrals(times: Floats, values: Floats) -> tuple[float, float, float, float]:
    """∫ u dt, ∫ u² dt, ∫ |u − mean| dt and the largest |u| of a broken line."""
    h, a, b = np.diff(times), values[:-1], values[1:]
    whole = float(h @ (a + b)) / 2.0
    mean = whole / float(times[-1] - times[0])
    spread = float(h @ (np.abs(a - mean) + np.abs(b - mean))) / 2.0
    return whole, float(h @ (a * a + a * b + b * b)) / 3.0, spread, float(np.abs(values).max())


def _refined(function: Callable[[float], float], times: Floats) -> tuple[Floats, Floats, float]:
    """A function at more and more times, where it changes most; where it raises it is zero. Its
    integral is known to within ½ Σ |Δu| Δt where it only rises or falls in between."""

    def value(t: float) -> float:
        try:
            found = float(function(t))
        except Exception:
            return 0.0
        return found if np.isfinite(found) else 0.0

    known = {t: value(t) for t in times.tolist()}
    parts = [
        (-abs(known[b] - known[a]) * (b - a), a, b)
        for a, b in zip(times[:-1].tolist(), times[1:].tolist(), strict=True)
    ]
    heapq.heapify(parts)
    doubt = -sum(part for part, _, _ in parts)
    size = float(np.abs([known[t] for t in times[:-1].tolist()]) @ np.diff(times))
    for _ in range(_MORE):
        part, a, b = parts[0]
        if doubt <= _ENOUGH * size or part == 0.0:
            break
        middle = a + 0.5 * (b - a)
        if not a < middle < b:
            heapq.heapreplace(parts, (0.0, a, b))
            doubt += part
            continue
        known[middle] = value(middle)
        left, right = (-abs(known[d] - known[c]) * (d - c) for c, d in ((a, middle), (middle, b)))
        heapq.heapreplace(parts, (left, a, middle))
        heapq.heappush(parts, (right, middle, b))
        doubt += part - left - right
    at = np.array(sorted(known))
    return at, np.array([known[t] for t in at.tolist()]), 0.5 * max(doubt, 0.0)


def warn_of_inputs(name: str, said: Sequence[str]) -> None:
    """A RuntimeWarning at the caller of `simulate` where steps didn't see what was given."""
    if said:
        warnings.warn(f"{name}: {' '.join(said)}", RuntimeWarning, stacklevel=4)
