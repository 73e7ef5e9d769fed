"""Derivatives of inverse and forward dynamics by positions, velocities and accelerations or
efforts, beside Pinocchio's in C++ in the same run."""

from benchmarks.engines import pinocchio, touchback as ours
from benchmarks.engines.build import Unavailable
from benchmarks.mechanisms import Mechanism, make
from benchmarks.report import Section, Target, microseconds
from benchmarks.run_time import compare, inputs
from benchmarks.timing import AnyRoutine, interleaved

SIZES = (7, 30)
TURNS = 150
ASKED = 4.0  # times faster than computeABADerivatives
LABELS = {
    "inverse slopes": "inverse dynamics derivatives",
    "forward slopes": "forward dynamics derivatives",
}


def run(sizes: tuple[int, ...] = SIZES) -> Section:
    """Chains of every size."""
    section = Section(
        "Derivatives: chains of revolute joints, general placements",
        ["function, joints", "flops", "Touchback µs", "median", "Pinocchio µs", "median", "×"],
    )
    for size in sizes:
        _measure(section, make("chain", size))
    section.remark(
        "Three n × n matrices each: by q, by v, and M or its inverse. Best and median of "
        "interleaved turns, timed in C. Pinocchio: computeRNEADerivatives and "
        "computeABADerivatives, C++ headers, g++ -O3 -march=native; its results stay in its data, "
        "of symmetric ones a triangle. Results agreed before timing. Flops are those of generated "
        "code; of 30 joints loops do products and solutions."
    )
    return section


def _measure(section: Section, mechanism: Mechanism) -> None:
    n, system = mechanism.size, mechanism.model().compile()
    X, U = inputs(n)
    try:
        peers, read = pinocchio.slopes(mechanism)
    except Unavailable as reason:
        section.remark(f"Pinocchio: {reason}.")
        return
    for what, label in LABELS.items():
        own = ours.routine(system, label)
        found = own.results(X[:1], U[:1], 3 * n * n)
        peers[what].results(X[:1], U[:1], 3 * n * n)
        compare(pinocchio.NAME, mechanism, label, read(what, n), found.ravel())
        routines: dict[str, AnyRoutine] = {ours.NAME: own, pinocchio.NAME: peers[what]}
        timings = interleaved(routines, X, U, 3 * n * n, TURNS)
        mine, theirs = timings[ours.NAME], timings[pinocchio.NAME]
        ratio = theirs.best / mine.best
        times = [microseconds(x) for x in (mine.best, mine.median, theirs.best, theirs.median)]
        flops = str(system.counts(label).flops)
        section.rows.append([f"{label}, {n}", flops, *times, f"{ratio:.1f}"])
        section.records.append(
            {"joints": n, "function": label, "touchback": mine.best, "pinocchio": theirs.best}
        )
        if what == "forward slopes":
            asked, told = f"{ASKED:g}× faster", f"{ratio:.2f}×"
            section.targets.append(
                Target(f"{label}, {n} joints, against Pinocchio", asked, told, ratio >= ASKED)
            )
