"""What the laboratory returns: rows and limits as a table, picture, file, or recommendation."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from touchback.errors import InputError
from touchback.figure_style import PICTURES, light_grid, pyplot
from touchback.safe_files import atomic_file, check_output, write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


@dataclass(frozen=True)
class Candidate:
    """A way to run a mechanism: a formulation (None without constraints) with an integrator, in
    relative coordinates or in `natural` ones."""

    formulation: str | None
    method: str
    fixed: bool
    natural: bool = False

    @property
    def label(self) -> str:
        """As it is called in tables, pictures and recommendations."""
        words = [self.formulation or "", self.method if self.method != self.formulation else ""]
        return " ".join(word for word in ["natural" if self.natural else "", *words] if word)


@dataclass(frozen=True)
class Row:
    """What was measured of a candidate at one step, or at one tolerance.

    status    "fine", "unbounded", "failed", "refused" or "not measured"; `note` says why
    drift     max |h| [m, rad]; None without constraints, as `growth` and `velocity_drift`
    growth    exponent p of max |h| ~ tᵖ: 0 bounded, 1 linear, 2 quadratic; None within rounding
    velocity_drift  max |J v − b| [m/s, rad/s]
    energy    max |E − E(0)| over the largest kinetic energy; None where energy isn't conserved
    error     max |q − q of the reference| [m, rad]; of points beside natural coordinates
    load      seconds of computing per simulated second, below 1 in real time; None: too short
    """

    candidate: Candidate
    step: float | None = None
    rtol: float | None = None
    status: str = "fine"
    note: str = ""
    steps: int = 0
    drift: float | None = None
    growth: float | None = None
    velocity_drift: float | None = None
    energy: float | None = None
    error: float | None = None
    load: float | None = None

    @property
    def setting(self) -> str:
        """The step or the tolerance, in words."""
        return f"{self.step:g} s" if self.step is not None else f"rtol {self.rtol:.0e}"

    @property
    def real_time_factor(self) -> float | None:
        """Simulated seconds per second of computing."""
        return 1.0 / self.load if self.load else None


@dataclass(frozen=True)
class Limit:
    """The largest step that stays bounded. `open`: it is the largest that was tried, the limit lies
    beyond; `step` None: not even the shortest was bounded."""

    step: float | None
    open: bool = False

    def __str__(self) -> str:
        if self.step is None:
            return "none"
        return f"≥ {self.step:.3g} s" if self.open else f"{self.step:.3g} s"


@dataclass(frozen=True)
class Quality:
    """The measures of one mechanism.

    rows         one a setting, by candidate, coarse settings first
    limits       largest bounded step of each fixed-step candidate, by its label
    uncertainty  of the reference [m, rad]; errors below it can't be distinguished
    conserved    whether energy is a measure at all; `losses` names what spoils it
    moved        whether anything moves; where nothing does, no measure tells ways to run apart
    """

    model: str
    duration: float
    constrained: bool
    rows: tuple[Row, ...]
    limits: Mapping[str, Limit]
    uncertainty: float
    conserved: bool
    losses: tuple[str, ...]
    time_limit: float
    moved: bool = True

    @property
    def labels(self) -> list[str]:
        """The candidates in order."""
        return list(dict.fromkeys(row.candidate.label for row in self.rows))

    def of(self, label: str) -> list[Row]:
        """The rows of one candidate, as "partitioning rk4"."""
        return [row for row in self.rows if row.candidate.label == label]

    def recommend(self, demand: Demand | None = None) -> Recommendation:
        """What to use for a demand."""
        return recommend(self, demand or Demand())

    @property
    def recommendation(self) -> str:
        """What to use for the usual demand (1 kHz, error 1e-6, |h| 1e-10), in words."""
        return self.recommend().text

    def table(self) -> Table:
        """The rows, for a terminal."""
        return quality_table(self)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Work against precision, and drift (without constraints: energy or error) against step."""
        return draw_quality(self, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Everything as .json, or the rows as .csv."""
        save_quality(self, path)

    def __str__(self) -> str:
        return f"{self.model}, {self.duration:g} s\n{self.recommendation}"


def quality_table(quality: Quality) -> Table:
    """One line a setting; errors that the reference can't tell apart carry a ≤."""
    table = Table(box=None, pad_edge=False)
    table.add_column("candidate", overflow="fold")
    titles = ["setting"]
    titles += ["max |h|", "growth"] if quality.constrained else []
    titles += ["energy"] if quality.conserved else []
    titles += ["error", "real time", "limit"]
    for title in titles:
        table.add_column(title, justify="right", overflow="fold")
    for label in quality.labels:
        for place, row in enumerate(quality.of(label)):
            limit = quality.limits.get(label) if place == 0 else None
            cells = _cells(quality, row)
            table.add_row(label if place == 0 else "", row.setting, *cells, str(limit or ""))
        table.add_section()
    return table


def _cells(quality: Quality, row: Row) -> list[str]:
    blank = [""] * (2 * quality.constrained + quality.conserved)
    if row.status != "fine":
        return [*blank, row.status, ""]
    cells = []
    if quality.constrained:
        cells += [_number(row.drift), "" if row.growth is None else f"t^{row.growth:.1f}"]
    if quality.conserved:
        cells.append(_number(row.energy))
    if row.error is not None and row.error <= quality.uncertainty:
        cells.append(f"≤ {_number(quality.uncertainty)}")
    else:
        cells.append(_number(row.error))
    return [*cells, f"{100 * row.load:.2g} %" if row.load else "not measurable"]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1e}"


_MARKERS = "osD^vPX*"
_FLOOR = 1e-17  # where an exact zero is drawn on a logarithmic axis


def draw_quality(quality: Quality, path: str | os.PathLike[str] | None = None) -> Figure:
    """Error over cost on the left; drift (or energy, or error) over the step on the right. A
    formulation keeps its colour; adaptive methods are dashed."""
    if path is not None:
        check_output(path, PICTURES, "Plot")
    figure, (work, steps) = pyplot().subplots(1, 2, figsize=(11.0, 4.8), layout="constrained")
    what, title = _second(quality)
    names = list(dict.fromkeys(_family(row) for row in quality.rows))
    for label in quality.labels:
        rows = [row for row in quality.of(label) if row.status == "fine"]
        if not rows:
            continue
        place = names.index(_family(rows[0]))
        fixed = rows[0].candidate.fixed
        style: dict[str, Any] = {
            "color": f"C{place}",
            "marker": _MARKERS[place % len(_MARKERS)],
            "linestyle": "-" if fixed else "--",
            "markersize": 4.5,
            "linewidth": 1.3,
        }
        work.plot(*_points(rows, "load", "error"), label=label, **style)
        if fixed:
            steps.plot(*_points(rows, "step", what), **style)
    work.set(xlabel="cost [s per simulated s]", ylabel="error against the reference [m, rad]")
    steps.set(xlabel="step [s]", ylabel=title)
    work.axhline(max(quality.uncertainty, _FLOOR), color="0.6", linewidth=1.0, linestyle=":")
    for axis in (work, steps):
        axis.set(xscale="log", yscale="log")
        light_grid(axis)
    title = f"{quality.model}, {quality.duration:g} s (dotted: the reference's own error)"
    left_out = _unmeasured(quality.rows)
    if left_out:
        title += f"\nnot drawn on the left: {left_out} settings whose cost is not measurable"
    figure.suptitle(title)
    figure.legend(loc="outside right upper", fontsize="small")
    if path is not None:
        figure.savefig(path, dpi=110)
        pyplot().close(figure)
    return figure


def _unmeasured(rows: Sequence[Row]) -> int:
    """How many settings ran well, but too fast for their cost to be measured."""
    return sum(row.status == "fine" and not row.load for row in rows)


def _second(quality: Quality) -> tuple[str, str]:
    if quality.constrained:
        return "drift", "max |h| [m, rad]"
    if quality.conserved:
        return "energy", "relative energy error"
    return "error", "error against the reference [m, rad]"


def _family(row: Row) -> str:
    word = row.candidate.formulation or row.candidate.method
    return f"natural {word}" if row.candidate.natural else word


def _points(rows: list[Row], x: str, y: str) -> tuple[list[float], list[float]]:
    pairs = [(getattr(row, x), getattr(row, y)) for row in rows]
    known = sorted((a, max(b, _FLOOR)) for a, b in pairs if a and b is not None)
    return [a for a, _ in known], [b for _, b in known]


def plain_row(row: Row) -> dict[str, object]:
    """A row as one flat record."""
    record = asdict(row)
    candidate = record.pop("candidate")
    known = {
        "formulation": candidate["formulation"],
        "method": candidate["method"],
        "coordinates": "natural" if candidate["natural"] else "relative",
    }
    return {**known, **record, "real_time_factor": row.real_time_factor}


def save_quality(quality: Quality, path: str | os.PathLike[str]) -> None:
    """Rows as .csv; rows, limits and everything else as .json."""
    target = Path(path)
    records = [plain_row(row) for row in quality.rows]
    if target.suffix == ".csv":
        with (
            atomic_file(target) as beside,
            beside.open("w", newline="", encoding="utf-8") as file,
        ):
            writer = csv.DictWriter(file, list(records[0]))
            writer.writeheader()
            writer.writerows(records)
    elif target.suffix == ".json":
        document = {
            "model": quality.model,
            "duration": quality.duration,
            "reference_uncertainty": quality.uncertainty,
            "energy_conserved": quality.conserved,
            "losses": list(quality.losses),
            "limits": {label: asdict(limit) for label, limit in quality.limits.items()},
            "rows": records,
            "recommendation": quality.recommendation,
        }
        write_atomically(target, json.dumps(document, indent=1))
    else:
        raise InputError(f"'{target.name}': .csv or .json is expected.")


MARGIN = 1.25  # between the step and the stability limit
SAME_COST = 1.5  # times differ that much from one day to the next
STILL_USEFUL = 1000.0  # times the demand: up to there a cheaper candidate is named
_DRIFTS = 0.8  # growth exponent from which drift is said to grow: linear, less a doubt


# What to use, from the measures, by rules that the documentation states.
#
# At a rate: of the rows with the step 1/rate (or the longest measured whole fraction of it) those
# count that are fine, take at most `load` of real time and keep a margin of 1.25 to their stability
# limit. Among those that meet every demand the cheapest is chosen; within half again its cost the
# most accurate. Where none meets them all, the one that misses by the smallest factor is, and it is
# said what it misses. A cheaper one is named where it misses by less than a thousand times. Offline
# the same choice is made among all rows. Rows in natural coordinates are for comparison: no call
# runs a mechanism in them.
@dataclass(frozen=True)
class Demand:
    """What is asked of a simulation: a rate [Hz], and the most that is accepted of the position
    error [m, rad], of max |h| [m, rad], of the relative energy error, and of real time."""

    rate: float = 1000.0
    error: float = 1e-6
    drift: float = 1e-10
    energy: float = 1e-6
    load: float = 0.5


@dataclass(frozen=True)
class Recommendation:
    """The rows that were chosen, None where nothing is fit, and the reasons in words."""

    at_rate: Row | None
    offline: Row | None
    text: str


def recommend(quality: Quality, demand: Demand) -> Recommendation:
    """The choice for a demand."""
    if not quality.moved:
        text = (
            f"Nothing moves within {quality.duration:g} s: no error, drift or energy tells one way "
            "to run from another. Give another start (system.assemble(name=value)) or an input."
        )
        return Recommendation(None, None, text)
    runnable = [row for row in quality.rows if not row.candidate.natural]
    fitting = _at_rate(runnable, demand.rate)
    usable = [row for row in fitting if _runs_in_time(quality, row, demand)]
    chosen = _best(quality, usable, demand)
    fine = [row for row in runnable if row.status == "fine"]
    offline = _best(quality, fine, demand)
    lines = [_said_at_rate(quality, chosen, fitting, demand)]
    if chosen is not None:
        lines += _alternatives(quality, chosen, usable, demand)
    if offline is not None:
        lines.append(f"Offline: {_described(offline)}{_shortfall(quality, offline, demand)}.")
    lines += _drifting(fine)
    lines += _reservations(quality, demand)
    return Recommendation(chosen, offline, "\n".join(lines))


def _at_rate(rows: Sequence[Row], rate: float) -> list[Row]:
    """Rows whose step is a whole fraction of the period, of each candidate the longest."""
    found: dict[str, Row] = {}
    for row in rows:
        if row.step is None:
            continue
        ratio = 1.0 / (rate * row.step)
        whole = ratio > 0.5 and abs(ratio - round(ratio)) < 1e-9 * ratio
        known = found.get(row.candidate.label)
        if whole and (known is None or row.step > (known.step or 0.0)):
            found[row.candidate.label] = row
    return list(found.values())


def _runs_in_time(quality: Quality, row: Row, demand: Demand) -> bool:
    if row.status != "fine" or (row.load or 0.0) > demand.load:
        return False
    limit = quality.limits.get(row.candidate.label)
    if limit is None or row.step is None:
        return True
    return limit.step is not None and (limit.open or limit.step >= MARGIN * row.step)


def _excesses(quality: Quality, row: Row, demand: Demand) -> dict[str, float]:
    """How many times each measure exceeds its demand. The error counts only where the reference
    can tell."""
    found = {}
    if row.error is not None and quality.uncertainty <= demand.error:
        found[f"error {row.error:.1e}"] = row.error / demand.error
    if row.drift is not None:
        found[f"|h| {row.drift:.1e}"] = row.drift / demand.drift
    if row.energy is not None:
        found[f"energy {row.energy:.1e}"] = row.energy / demand.energy
    return found


def _worst(quality: Quality, row: Row, demand: Demand) -> float:
    return max(_excesses(quality, row, demand).values(), default=0.0)


def _best(quality: Quality, rows: Sequence[Row], demand: Demand) -> Row | None:
    def worst(row: Row) -> float:
        return _worst(quality, row, demand)

    def cost(row: Row) -> float:
        return row.load or float("inf")  # what isn't measurable never wins as the cheapest

    if not rows:
        return None
    meeting = [row for row in rows if worst(row) <= 1.0]
    if not meeting:
        return min(rows, key=worst)
    cheapest = min(map(cost, meeting))
    return min((row for row in meeting if cost(row) <= SAME_COST * cheapest), key=worst)


def _described(row: Row) -> str:
    facts = [
        f"error {row.error:.1e}" if row.error is not None else "",
        f"|h| {row.drift:.1e}" if row.drift is not None else "",
        f"energy {row.energy:.1e}" if row.energy is not None else "",
        f"{100 * row.load:.2g} % of real time" if row.load else "cost not measurable",
    ]
    return f"{row.candidate.label} at {row.setting}: {', '.join(fact for fact in facts if fact)}"


def _shortfall(quality: Quality, row: Row, demand: Demand) -> str:
    missed = [word for word, factor in _excesses(quality, row, demand).items() if factor > 1.0]
    if not missed:
        return ""
    return f". Nothing measured meets every demand; this one misses in {' and '.join(missed)}"


def _said_at_rate(
    quality: Quality, chosen: Row | None, fitting: Sequence[Row], demand: Demand
) -> str:
    rate = f"For {demand.rate:g} Hz"
    if chosen is not None:
        return f"{rate}: {_described(chosen)}{_shortfall(quality, chosen, demand)}."
    if not fitting:
        return (
            f"{rate} no measured step fits; measure the step {1.0 / demand.rate:g} s or a whole "
            "fraction of it."
        )
    return (
        f"{rate} nothing is fit: every candidate is unbounded, too near its stability limit, or "
        f"takes more than {100 * demand.load:g} % of real time. Measure shorter steps, or lower "
        "the rate."
    )


def _alternatives(
    quality: Quality, chosen: Row, usable: Sequence[Row], demand: Demand
) -> list[str]:
    lines = []
    near = [row for row in usable if _worst(quality, row, demand) <= STILL_USEFUL]
    cheapest = min([chosen, *near], key=lambda row: row.load or float("inf"))
    if cheapest.load and chosen.load and chosen.load > SAME_COST * cheapest.load:
        lines.append(
            f"{_described(cheapest)}: {chosen.load / cheapest.load:.1f} times cheaper, if that "
            "accuracy is enough."
        )
    own = quality.limits.get(chosen.candidate.label)
    if own is None or own.open or own.step is None:
        return lines
    for row in usable:
        other = quality.limits.get(row.candidate.label)
        if other is not None and other.step is not None and other.step > 2.0 * own.step:
            lines.append(
                f"{row.candidate.label} only if steps beyond {own.step:.2g} s are needed, where "
                f"{chosen.candidate.label} stops being bounded: it is up to {other}."
            )
    return lines


def _drifting(fine: Sequence[Row]) -> list[str]:
    worst: dict[str, Row] = {}
    for row in sorted(fine, key=lambda row: row.drift or 0.0):
        if (row.growth or 0.0) > _DRIFTS:
            worst[row.candidate.label] = row
    return [
        f"{label} drifts: |h| grows like t^{row.growth:.1f}, to {row.drift:.1e} at {row.setting}; "
        "not for long runs."
        for label, row in worst.items()
    ]


def _reservations(quality: Quality, demand: Demand) -> list[str]:
    lines = []
    if quality.uncertainty > demand.error:
        lines.append(
            f"The error was left out of account: the reference itself is known to "
            f"{quality.uncertainty:.1e} only (a sensitive motion; take a shorter duration)."
        )
    if not quality.conserved:
        because = f" ({', '.join(quality.losses[:4])})" if quality.losses else ""
        lines.append(f"Energy is no measure here: the model doesn't conserve it{because}.")
    if short := _unmeasured(quality.rows):
        lines.append(
            f"The cost of {short} settings is not measurable: their runs are too short for the "
            "clock. They don't count as cheap; a longer duration measures them."
        )
    cut = sum(row.status == "not measured" for row in quality.rows)
    fixed = {row.candidate.label for row in quality.rows if row.step and row.status == "fine"}
    unknown = len(fixed - set(quality.limits))
    if cut or unknown:
        lines.append(
            f"Not measured within {quality.time_limit:g} s: settings {cut}, stability limits "
            f"{unknown}; a longer time limit measures them."
        )
    return lines
