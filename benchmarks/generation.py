"""How long it takes from a description to machine code, each in a fresh process, cache off."""

import json
import os
import subprocess
import sys

from benchmarks.report import ROOT, Section, Target

SIZES = tuple((shape, size) for shape in ("chain", "tree") for size in (2, 7, 30, 100, 400))
ASKED = {("chain", 100): 0.5, ("chain", 400): 3.0}  # seconds


def run(sizes: tuple[tuple[str, int], ...] = SIZES, repeats: int = 3) -> Section:
    """Best of some repeats."""
    steps = ["describe", "plan"]
    steps += [
        f"{step} {what}" for what in ("inverse", "forward", "mass") for step in ("derive", "emit")
    ]
    section = Section("Generation: CPU seconds", ["mechanism", *steps, "forward, all", "MB"])
    for shape, size in sizes:
        runs = [_once(shape, size) for _ in range(repeats if size < 400 else 1)]
        best = {step: min(once[step] for once in runs) for step in [*steps, "MB"]}
        whole = sum(best[step] for step in ("describe", "plan", "derive forward", "emit forward"))
        section.rows.append(
            [f"{shape} of {size}", *(f"{best[step]:.3f}" for step in steps), f"{whole:.2f}",
             f"{best['MB']:.0f}"]
        )  # fmt: skip
        section.records.append({"shape": shape, "joints": size, **best, "forward, all": whole})
        if (shape, size) in ASKED:
            asked = ASKED[shape, size]
            section.targets.append(
                Target(
                    f"describe, derive and emit forward dynamics, {shape} of {size}",
                    f"{asked:g} s", f"{whole:.2f} s", whole <= asked,
                )
            )  # fmt: skip
    section.remark(
        "Plan: link frames and algorithm, chosen by counting. Derive: equations and program. Emit: "
        "machine code in place. MB: peak memory of all of it. ROBOTRAN publishes 0.93 s for the "
        "direct dynamics of 55 joints."
    )
    return section


def _once(shape: str, size: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.generate_once", shape, str(size)]
    environment = {**os.environ, "TOUCHBACK_CACHE": "off"}
    result = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment
    )
    return json.loads(result.stdout)
