"""Makes the pictures of the page about the keyboard and prints its tables: `python
docs/make_keyboard.py`."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from studies.keyboard.energy import HELD, START, TRILL, played
from studies.keyboard.felt_force import (
    ForceByDepth,
    felt_of_actions,
    felt_of_keys,
)
from touchback.figure_style import ACCENT, BODIES, GREEN, INK, PALE
from touchback.instruments.keyboard.key_device import FRONT
from touchback.instruments.keyboard.key_mechanisms import VOICES

PICTURES = Path(__file__).parent / "pictures" / "keyboard"
RATES = (1000, 4000)
MS, MM = 1e3, 1e3
GROUPS = (
    ("button low", "normal", "button high"),
    ("hammer − 2 g", "normal", "hammer + 3 g", "hammer + 6 g"),
)
COLOURS = (GREEN, INK, ACCENT, BODIES[3])


def save(figure: plt.Figure, name: str) -> None:
    """A figure as a picture of the page."""
    figure.savefig(PICTURES / f"{name}.png", dpi=80)
    plt.close(figure)


def force_curves(action: dict[str, ForceByDepth], keys: dict[int, dict[str, ForceByDepth]]) -> None:
    """Force over depth: the action alone, and the key that renders it at two rates."""
    sets = {"action alone": action} | {f"key, {r / 1e3:g} kHz": keys[r] for r in RATES}
    figure, axes = plt.subplots(
        2, 3, figsize=(10.0, 5.4), sharex=True, sharey=True, layout="constrained"
    )
    for row, names in zip(axes, GROUPS, strict=True):
        for axis, (title, curves) in zip(row, sets.items(), strict=True):
            for name, colour in zip(names, COLOURS):
                curve = curves[name]
                axis.plot(MM * curve.depth, curve.force, color=colour, lw=1.1, label=name)
            axis.set_title(title, fontsize=9)
            axis.grid(alpha=0.3)
        row[0].legend(fontsize=8, loc="upper left")
        row[0].set_ylabel("force at the key front [N]", fontsize=8)
    for axis in axes[-1]:
        axis.set_xlabel("depth of the key front [mm]", fontsize=8)
    axes[0, 0].set(xlim=(0, 10.4), ylim=(0, 4))
    save(figure, "force")


def force_table(action: dict[str, ForceByDepth], keys: dict[int, dict[str, ForceByDepth]]) -> None:
    print(
        "| | let-off: action | key, 1 kHz | 4 kHz | off, rms: 1 kHz | 4 kHz | behind the spring |"
    )
    for name, alone in action.items():
        slow, fast = (keys[rate][name] for rate in RATES)
        print(
            f"| {name} | {alone.let_off:.2f} | {slow.let_off:.2f} | {fast.let_off:.2f} "
            f"| {MM * slow.off(alone):.0f} | {MM * fast.off(alone):.0f} "
            f"| {MM * slow.off(alone, True):.0f}, {MM * fast.off(alone, True):.0f} |"
        )


def energy() -> None:
    """What each display gave over time, and the table of it."""
    figure, axes = plt.subplots(1, 2, figsize=(10.0, 3.6), layout="constrained")
    print("| voice | rate | held: finger | display | trill: finger | display | most |")
    for voice in VOICES:
        for rate in RATES:
            both = [played(voice, rate, strokes) for strokes in (HELD, TRILL)]
            for axis, passed in zip(axes, both, strict=True):
                style = "-" if rate == RATES[0] else "--"
                colour = (INK, *BODIES)[list(VOICES).index(voice)]
                label = voice if rate == RATES[0] else None
                thin = slice(None, None, 4)
                shown = passed.time[thin] - START, MS * passed.given[thin]
                axis.plot(*shown, style, color=colour, label=label, lw=1.2)
            cells = " | ".join(f"{MS * b.finger:.1f} | {MS * b.end:.1f}" for b in both)
            most = max(passed.most for passed in both)
            print(f"| {voice} | {rate} | {cells} | {1e9 * most:.0f} nJ |")
    for axis, title in zip(axes, ("a held stroke", "sixteen strokes in two seconds"), strict=True):
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("time [s]", fontsize=8)
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("energy that the display gave [mJ]", fontsize=8)
    for style, rate in zip(("-", "--"), RATES, strict=True):
        axes[1].plot([], [], style, color=PALE, label=f"{rate / 1e3:g} kHz")
    lines, labels = axes[1].get_legend_handles_labels()
    figure.legend(lines, labels, fontsize=8, loc="outside right center")
    save(figure, "energy")


def stroke() -> None:
    """A held stroke on the piano: what finger, key and hammer do."""
    run = played("piano", 1000, HELD).run
    shown = (run.time > START - 0.02) & (run.time < START + 1.5)
    time = run.time[shown] - START
    figure, axes = plt.subplots(3, 1, figsize=(9.0, 5.0), sharex=True, layout="constrained")
    signals = {
        "key front [mm]": MM * FRONT * run["key"],
        "finger force [N]": run["finger force"],
        "hammer [rad]": run["action/hammer"],
    }
    for axis, (label, values) in zip(axes, signals.items(), strict=True):
        axis.plot(time, values[shown], color=COLOURS[1], lw=1.0)
        axis.set_ylabel(label, fontsize=8)
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("time since the finger set out [s]", fontsize=8)
    save(figure, "stroke")


def main() -> int:
    """Everything."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    action, keys = felt_of_actions(), {rate: felt_of_keys(rate) for rate in RATES}
    force_curves(action, keys)
    force_table(action, keys)
    for rate in RATES:
        noise = keys[rate]["normal"]
        resting = np.ptp(noise.at(np.linspace(3e-3, 4e-3, 201)))
        print(f"ripple from 3 to 4 mm at {rate} Hz: {MM * resting:.0f} mN from end to end")
    energy()
    stroke()
    return 0


if __name__ == "__main__":
    sys.exit(main())
