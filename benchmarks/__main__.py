"""`python -m benchmarks [section …] [--quick]`: measure, print, write results/*.json."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from rich.console import Console

from benchmarks import (
    batches,
    car,
    contacts,
    core,
    depth,
    derivatives,
    device,
    emergency,
    generation,
    gpu,
    identification,
    keyboard,
    loops,
    omni,
    packing,
    page_clients,
    piano,
    planning,
    projects,
    python_calls,
    report,
    robotran,
    ros2,
    run_time,
    share,
    simd,
    strikes,
    view,
)

SECTIONS: dict[str, Callable[[], report.Section]] = {
    "chains": lambda: run_time.run("chain"),
    "trees": lambda: run_time.run("tree"),
    "generation": generation.run,
    "robotran": robotran.run,
    "projects": projects.run,
    "core": core.run,
    "derivatives": derivatives.run,
    "simd": simd.run,
    "depth": depth.run,
    "packing": packing.run,
    "batches": batches.run,
    "batches with modes": batches.in_modes,
    "batches with constraints": batches.in_constraints,
    "batches with contacts": batches.in_contacts,
    "identification": identification.run,
    "planning": planning.run,
    "gpu": gpu.run,
    "one chain": gpu.alone,
    "modes on a card": gpu.in_modes,
    "strikes": strikes.run,
    "python": python_calls.run,
    "loops": loops.run,
    "contacts": contacts.run,
    "omni": omni.run,
    "car": car.run,
    "piano": piano.run,
    "keyboard": keyboard.run,
    "device": device.run,
    "page": page_clients.run,
    "poses": page_clients.poses,
    "stop": emergency.run,
    "ros2": ros2.run,
    "view": view.run,
    "share": share.run,
}
QUICK: dict[str, Callable[[], report.Section]] = {
    "chains": lambda: run_time.run("chain", (2, 7, 30, 100), peers=()),
    "generation": lambda: generation.run((("chain", 7), ("chain", 30), ("chain", 100)), repeats=1),
    "simd": simd.run,
    "piano": lambda: piano.run(1.0, peer=False),
    "keyboard": lambda: keyboard.run(6.0, runs=6),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the chosen sections, all of them by default."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="no peers, about twenty seconds")
    parser.add_argument("--out", type=Path, default=Path("results"), help="the folder for *.json")
    parser.add_argument("--seconds", type=float, help="how long the keyboard is played live")
    given = parser.parse_args(arguments)
    known = dict(QUICK if given.quick else SECTIONS)
    if given.seconds:
        known["keyboard"] = lambda: keyboard.run(given.seconds)
    for name in given.sections:
        if name not in known:
            quick = " with --quick" if given.quick else ""
            parser.error(f"there is no section {name!r}{quick}; there are {', '.join(known)}")
    os.environ["TOUCHBACK_CACHE"] = "off"  # code read from disk would hide what emission costs
    console, where = Console(), report.about()
    console.print(
        f"{where['processor']}, {where['cores']} cores, load {where['load'][0]:.1f}, "
        f"commit {where['commit'][:10]}, {where['date']}\n",
        highlight=False,
    )
    start, sections = perf_counter(), {}
    for name in given.sections or known:
        sections[name] = known[name]()
        report.show(sections[name], console)
    report.show_targets([*sections.values()], console)
    file = report.write(sections, where, given.out)
    console.print(f"{perf_counter() - start:.0f} s in all; written to {file}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
