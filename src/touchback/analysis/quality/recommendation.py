"""What to use, from the measures, by rules that the documentation states.

At a rate: of the rows with the step 1/rate (or the longest measured whole fraction of it) those
count that are fine, take at most `load` of real time and keep a margin of 1.25 to their stability
limit. Among those that meet every demand the cheapest is chosen; within half again its cost the
most accurate. Where none meets them all, the one that misses by the smallest factor is, and it is
said what it misses. A cheaper one is named where it misses by less than a thousand times. Offline
the same choice is made among all rows. Rows in natural coordinates are for comparison: no call
runs a mechanism in them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from touchback.analysis.quality.row import Row

if TYPE_CHECKING:
    from touchback.analysis.quality.result import Quality

MARGIN = 1.25  # between the step and the stability limit
SAME_COST = 1.5  # times differ that much from one day to the next
STILL_USEFUL = 1000.0  # times the demand: up to there a cheaper candidate is named
_DRIFTS = 0.8  # growth exponent from which drift is said to grow: linear, less a doubt


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


def recommend(quality: "Quality", demand: Demand) -> Recommendation:
    """The choice for a demand."""
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


def _runs_in_time(quality: "Quality", row: Row, demand: Demand) -> bool:
    if row.status != "fine" or row.load is None or row.load > demand.load:
        return False
    limit = quality.limits.get(row.candidate.label)
    if limit is None or row.step is None:
        return True
    return limit.step is not None and (limit.open or limit.step >= MARGIN * row.step)


def _excesses(quality: "Quality", row: Row, demand: Demand) -> dict[str, float]:
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


def _worst(quality: "Quality", row: Row, demand: Demand) -> float:
    return max(_excesses(quality, row, demand).values(), default=0.0)


def _best(quality: "Quality", rows: Sequence[Row], demand: Demand) -> Row | None:
    def worst(row: Row) -> float:
        return _worst(quality, row, demand)

    def cost(row: Row) -> float:
        return row.load if row.load is not None else float("inf")

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
        f"{100 * row.load:.2g} % of real time" if row.load is not None else "",
    ]
    return f"{row.candidate.label} at {row.setting}: {', '.join(fact for fact in facts if fact)}"


def _shortfall(quality: "Quality", row: Row, demand: Demand) -> str:
    missed = [word for word, factor in _excesses(quality, row, demand).items() if factor > 1.0]
    if not missed:
        return ""
    return f". Nothing measured meets every demand; this one misses in {' and '.join(missed)}"


def _said_at_rate(
    quality: "Quality", chosen: Row | None, fitting: Sequence[Row], demand: Demand
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
    quality: "Quality", chosen: Row, usable: Sequence[Row], demand: Demand
) -> list[str]:
    lines = []
    near = [row for row in usable if _worst(quality, row, demand) <= STILL_USEFUL]
    cheapest = min([chosen, *near], key=lambda row: row.load or 0.0)
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


def _reservations(quality: "Quality", demand: Demand) -> list[str]:
    lines = []
    if quality.uncertainty > demand.error:
        lines.append(
            f"The error was left out of account: the reference itself is known to "
            f"{quality.uncertainty:.1e} only (a sensitive motion; take a shorter duration)."
        )
    if not quality.conserved:
        because = f" ({', '.join(quality.losses[:4])})" if quality.losses else ""
        lines.append(f"Energy is no measure here: the model doesn't conserve it{because}.")
    cut = sum(row.status == "not measured" for row in quality.rows)
    fixed = {row.candidate.label for row in quality.rows if row.step and row.status == "fine"}
    unknown = len(fixed - set(quality.limits))
    if cut or unknown:
        lines.append(
            f"Not measured within {quality.time_limit:g} s: settings {cut}, stability limits "
            f"{unknown}; a longer time limit measures them."
        )
    return lines
