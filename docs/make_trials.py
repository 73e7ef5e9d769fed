"""Makes the pictures of the page about touch experiments: `python docs/make_trials.py`."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from touchback.cli.trial_command import draw
from touchback.figure_style import ACCENT, GREEN, INK, PALE, light_grid
from touchback.haptics.trials import (
    Constant,
    Design,
    Psychometric,
    SimulatedSubject,
    Staircase,
)

PICTURES = Path(__file__).parent / "pictures" / "trials"
LEVELS = (25.0, 40.0, 63.0, 100.0, 160.0, 250.0, 400.0)
TRUE, RUNS = 100.0, 100  # N/m; sessions
DESIGNS = {
    "constant, 2 touches": Design(Constant(LEVELS, 20), "wall stiffness", 1000.0, unit="N/m"),
    "constant, 3 touches": Design(Constant(LEVELS, 20), "wall stiffness", 1000.0, 3, unit="N/m"),
    "2 down, 2 touches": Design(
        Staircase(400.0, tracks=3, reversals=14), "wall stiffness", 1000.0, unit="N/m"
    ),
    "3 down, 3 touches": Design(
        Staircase(400.0, down=3, tracks=3, reversals=14), "wall stiffness", 1000.0, 3, unit="N/m"
    ),
}


def person(design: Design) -> Psychometric:
    """Who is to be found."""
    return Psychometric(TRUE, 2.0, design.guess, lapse=0.02)


def proof() -> None:
    """Intervals of a hundred sessions of each design, and a table."""
    figure, axes = plt.subplots(1, 4, figsize=(10.0, 4.2), sharex=True, sharey=True,
                                layout="constrained")  # fmt: skip
    print("| design | answers | found | median | high over low |")
    for axis, (name, design) in zip(axes, DESIGNS.items(), strict=True):
        sessions = [SimulatedSubject(person(design), k).run(design, k) for k in range(RUNS)]
        fits = sorted((design.fit(given) for given in sessions), key=lambda fit: fit.threshold)
        for i, fit in enumerate(fits):
            colour = GREEN if fit.holds(TRUE) else ACCENT
            axis.plot([max(fit.low, 1.0), min(fit.high, 2000.0)], [i, i], color=colour, lw=1.0)
            axis.plot(fit.threshold, i, ".", color=INK, ms=2)
        axis.axvline(TRUE, color=INK, lw=0.8)
        held = sum(fit.holds(TRUE) for fit in fits)
        axis.set_title(f"{name}: {held} of {RUNS}", fontsize=9)
        axis.set(xscale="log", xlim=(15, 700), xlabel="threshold [N/m]")
        axis.set_xticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
        axis.minorticks_off()
        light_grid(axis)
        widths = [fit.high / fit.low for fit in fits if fit.low > 0.0]
        answers = np.mean([len(given) for given in sessions])
        middle = np.median([fit.threshold for fit in fits])
        print(f"| {name} | {answers:.0f} | {held} | {middle:.0f} | {np.median(widths):.1f} |")
    axes[0].set_ylabel("session")
    figure.savefig(PICTURES / "proof.png", dpi=80)
    plt.close(figure)


def walk() -> None:
    """The tracks of one session."""
    design = DESIGNS["2 down, 2 touches"]
    given = SimulatedSubject(person(design), 1).run(design, 1)
    figure, axis = plt.subplots(figsize=(7.0, 3.4), layout="constrained")
    for track, colour in zip(range(3), (INK, GREEN, PALE), strict=True):
        own = [one for one in given if one.track == track]
        axis.plot([one.number for one in own], [one.level for one in own], "-", color=colour, lw=1)
    for right, mark in ((True, "o"), (False, "x")):
        some = [one for one in given if one.right is right]
        axis.plot([one.number for one in some], [one.level for one in some], mark, ms=4,
                  color=ACCENT, mfc="none", label="right" if right else "wrong")  # fmt: skip
    settled = person(design).level(design.method.settles)
    axis.axhline(settled, color=INK, lw=0.8, ls="--", label="70.7 % right")
    axis.set(yscale="log", xlabel="trial", ylabel="more than 1000 [N/m]")
    axis.legend(fontsize=8)
    light_grid(axis)
    figure.savefig(PICTURES / "staircase.png", dpi=80)
    plt.close(figure)


def main() -> int:
    """Everything."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    design = DESIGNS["constant, 2 touches"]
    draw(design.fit(SimulatedSubject(person(design), 3).run(design, 3)), design,
         PICTURES / "fit.png")  # fmt: skip
    walk()
    proof()
    return 0


if __name__ == "__main__":
    sys.exit(main())
