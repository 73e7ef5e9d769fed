"""`python -m benchmarks.pages [results/bench-….json …]`: write figures of docs from result files.

Sections of the files named are put into `benchmarks/results/<machine>.json`, which is part of the
repository; then the tables of docs that stand between `<!-- figures: … -->` and `<!-- end -->` are
written from there. `tests/test_figures_of_docs.py` says when a table isn't what the result files
give, and when figures that don't depend on a machine (operations) aren't what the code counts.
"""

import argparse
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.report import ROOT, microseconds

RESULTS, DOCS = Path(__file__).parent / "results", ROOT / "docs"
MACHINE = "aarch64"  # whose figures stand in these tables
COMMAND = "python -m benchmarks.pages"
Records = list[dict[str, Any]]


def records(section: str, machine: str = MACHINE) -> Records:
    """The latest figures of a section (`python -m benchmarks SECTION`)."""
    content = json.loads((RESULTS / f"{machine}.json").read_text(encoding="utf-8"))
    found: Records = content[f"python -m benchmarks {section}"]
    return found


def _one(section: str, of: dict[str, object]) -> dict[str, Any]:
    found = [each for each in records(section) if of.items() <= each.items()]
    if len(found) != 1:
        raise SystemExit(f"{MACHINE}.json: {len(found)} records of {section} have {of}, not one")
    return found[0]


def operations() -> list[str]:
    """Operations of ROBOTRAN's public models, with the forces that its functions have."""
    rows = []
    for each in records("robotran"):
        for function, words in (("inverse", "inverse dynamics"), ("mass and bias", "M and c")):
            if f"with forces: {function}" in each:
                kinds = "ROBOTRAN", "with forces:", "live, with forces:"
                counts = " | ".join(f"{each[f'{kind} {function}']}" for kind in kinds)
                rows.append(f"| {each['model']}, {each['joints']} joints: {words} | {counts} |")
    head = "| operations by ROBOTRAN's count | ROBOTRAN | ours, numbers | ours, every number live |"
    return [head, "|---|---|---|---|", *rows]


FUNCTIONS = "inverse dynamics", "forward dynamics", "mass matrix"
PEERS = "Pinocchio", "MuJoCo", "CasADi C"


def dynamics(machine: str, *sections: str) -> list[str]:
    """Times of the dynamics of chains and trees, and how many times longer each peer takes."""
    times = {
        (each["shape"], each["joints"], each["function"], each["engine"]): each["best"]
        for section in sections
        for each in records(section, machine)
    }
    rows = []
    for shape, joints in dict.fromkeys(key[:2] for key in times if key[1] != 2):
        cells = []
        for function in FUNCTIONS:
            ours = times[shape, joints, function, "Touchback"]
            peers = [times.get((shape, joints, function, peer)) for peer in PEERS]
            ratios = ", ".join(f"{peer / ours:.1f}" for peer in peers if peer is not None)
            cells.append(f"{microseconds(ours)} ({ratios})")
        rows.append(f"| {shape} of {joints} | {' | '.join(cells)} |")
    return [f"| | {' | '.join(FUNCTIONS)} |", "|---|---|---|---|", *rows]


LOOPS = "Touchback partitioning", "Touchback projection", "MuJoCo RK4", "Exudyn generalised-α"


def loops() -> list[str]:
    """Times of a step of 1 ms of closed loops, and how far the loops come apart."""
    found = {
        (each["mechanism"], each["engine"]): each
        for each in records("loops (load 0.3)", "x86_64")
        if each.get("step") == 1e-3
    }
    rows = []
    for mechanism in ("crank-rocker", "slider-crank", "40 four-bars", "400 four-bars"):
        cells = []
        for engine in LOOPS:
            one = found[mechanism, engine]
            gap = "" if one["gap"] is None else f" ({one['gap']:.0e})"
            cells.append(f"{microseconds(one['best'])}{gap}")
        rows.append(f"| {mechanism} | {' | '.join(cells)} |")
    return [f"| | {' | '.join(LOOPS)} |", "|---|---|---|---|---|", *rows]


def piano() -> list[str]:
    """Times of unclocked ticks of the grand piano action."""
    rows = []
    for each in records("piano"):
        if "p50" not in each:
            continue
        times = " | ".join(microseconds(each[key]) for key in ("p50", "p99.9", "max"))
        rows.append(f"| {each['what']} | {times} | {each['keys that fit']} |")
    return [
        "| µs an unclocked tick | p50 | p99.9 | most | keys in 70 % of a core |",
        "|---|---|---|---|---|",
        *rows,
    ]


TRACKERS = ("explicit", "section", "implicit")  # docs/omni.md describes them


def trackers() -> list[str]:
    """What each tracker of the omni wheel costs."""
    rows = []
    for tracker in TRACKERS:
        found = _one("omni", {"wheel": "ψ = 0.3", "tracker": tracker})
        ratio = "" if tracker == "explicit" else f"{found['ratio']:.2f}"
        kosenko = "1.5" if tracker == "section" else ""
        rows.append(
            f'| `"{tracker}"` | {found["flops"]} | {microseconds(found["equations"])} µs '
            f"| {microseconds(found['step'])} µs | {ratio} | {kosenko} |"
        )
    head = "| `tracker` | flops, ψ = 0.3 | equations | a step of RK4 | × explicit | Kosenko |"
    return [head, "|---|---|---|---|---|---|", *rows]


TABLES: dict[str, tuple[str, Callable[[], list[str]]]] = {
    "operations": ("benchmarks.md", operations),
    "dynamics on aarch64": ("benchmarks.md", partial(dynamics, "aarch64", "chains", "trees")),
    "dynamics on x86_64": (
        "benchmarks.md",
        partial(dynamics, "x86_64", "chains (up to 100 joints)", "trees"),
    ),
    "closed loops": ("benchmarks.md", loops),
    "piano": ("benchmarks.md", piano),
    "trackers": ("benchmarks.md", trackers),
}


def filled(name: str) -> tuple[Path, str, str]:
    """The page of a table, its text as it is, and as the result files give it."""
    page, make = TABLES[name]
    text = (DOCS / page).read_text(encoding="utf-8")
    begin, end = f"<!-- figures: {name}, by {COMMAND} -->\n", "\n<!-- end -->"
    pattern = re.compile(f"({re.escape(begin)}).*?({re.escape(end)})", re.S)
    if not pattern.search(text):
        raise SystemExit(f"docs/{page} has no {begin.strip()}")
    return DOCS / page, text, pattern.sub(lambda m: m[1] + "\n".join(make()) + m[2], text)


def take(file: Path) -> None:
    """Put the sections of a result file beside those of its machine."""
    given = json.loads(file.read_text(encoding="utf-8"))
    home = RESULTS / f"{given['about']['machine']}.json"
    content = json.loads(home.read_text(encoding="utf-8"))
    for title, section in given["commands"].items():
        content[f"python -m benchmarks {section}"] = _rounded(given["sections"][title])
    home.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")


def _rounded(value: Any) -> Any:
    """To four digits, which is more than times have."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list) else value


def main(arguments: list[str] | None = None) -> int:
    """Take the files, and write the pages."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, metavar="results/bench-….json")
    for file in parser.parse_args(arguments).files:
        take(file)
    for name in TABLES:
        page, before, after = filled(name)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(f"docs/{page.name}: {name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
