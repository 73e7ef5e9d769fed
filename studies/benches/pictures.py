"""The benches' plots, as the papers have them."""

from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D

from studies.benches import (
    double_keystrokes as keystrokes,
    key_sensors as sensors,
    linear_actuators as actuators,
)
from studies.benches.his_own import own_run
from studies.benches.released_weight import RELEASED, filmed
from studies.keyboard.felt_force import felt_of_actions, felt_of_keys
from touchback.figure_style import ACCENT, BODIES, GREEN, INK, WATER, light_grid
from touchback.instruments.piano.gillespie_action import BEGIN, DRIVEN, END, STRIKES

MM, MS = 1e3, 1e3
THIRD, FOURTH, FIFTH = WATER, GREEN, BODIES[3]


def sensor_checks() -> plt.Figure:
    """Figs 19 to 22: over time, and measured against true."""
    own = sensors.KeySensors(sensors.lag_that_explains())
    figure, axes = plt.subplots(2, 3, figsize=(11, 6), layout="constrained")
    for row, frequency in zip(axes, (sensors.SLOW, sensors.FAST), strict=True):
        found = own.checked(sensors.to_and_fro(frequency, 3))
        t, truth = found.motion.time, found.motion
        row[0].plot(t, MM * found.reference[0], color=INK, label="vibrometer")
        row[0].plot(t, MM * found.position, color=ACCENT, label="Hall pair")
        row[0].set(xlabel="time [s]", ylabel=f"{frequency:g} Hz: position [mm]")
        row[1].plot(MM * truth.height, MM * found.position, color=ACCENT, lw=0.8)
        row[1].plot([0, 10], [0, 10], color=INK, lw=0.8)
        row[1].set(xlabel="reference [mm]", ylabel="Hall pair [mm]")
        row[2].plot(t, MM * found.reference[1], color=INK, label="vibrometer")
        row[2].plot(t, MM * found.velocity, color=THIRD, label="coil")
        row[2].set(xlabel="time [s]", ylabel="velocity [mm/s]")
    for axis in (axes[0, 0], axes[0, 2]):
        axis.legend(fontsize=8, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return figure


def double_strokes() -> plt.Figure:
    """Figs 14 to 17: the hammer's angle and the load cell's force."""
    figure, axes = plt.subplots(2, 2, figsize=(11, 6), layout="constrained")
    for column, (name, given) in zip(axes.T, keystrokes.BOTH.items(), strict=True):
        found = keystrokes.double_keystroke(given)
        every = slice(None, None, 25)
        t = found.run.time[every]
        column[0].plot(t, found.run["hammer"][every], color=INK)
        column[0].set(ylabel="hammer [rad]", title=f"double keystroke, {name}")
        column[1].plot(t, found.load[every], color=ACCENT, lw=0.9)
        column[1].axhline(3.0, color=INK, lw=0.7, ls=":")
        column[1].set(xlabel="time [s]", ylabel="load cell at the capstan [N]")
        for axis in column:
            axis.set_xlim(0.0, float(t[-1]))
    return figure


def linear_actuators() -> plt.Figure:
    """The first of each two keystrokes: its motion prescribed, made by the outer actuator, and
    rendered by the one at the pilot."""
    figure, axes = plt.subplots(
        2, 2, figsize=(11, 6), layout="constrained", height_ratios=(2, 1), sharex="col"
    )
    for column, (name, given) in zip(axes.T, keystrokes.BOTH.items(), strict=True):
        fixed, driven = keystrokes.double_keystroke(given), actuators.driven_keystroke(given)
        made = actuators.rendered(given)
        t = made.time
        cell, own = (np.interp(t, each.run.time, each.load) for each in (fixed, driven))
        drawn = {
            "motion prescribed": (cell, INK, 1.6), "key moved by an actuator": (own, ACCENT, 1.1),
            "actuator at the pilot": (made["pilot force"], THIRD, 1.0),
        }  # fmt: skip
        for label, (force, colour, width) in drawn.items():
            column[0].plot(t, force, color=colour, lw=width, label=label)
        column[1].plot(t, own - cell, color=ACCENT, lw=1.0, label="actuator less prescribed")
        column[1].plot(t, made["pilot force"] - own, color=THIRD, lw=1.0, label="pilot less cell")
        column[0].set(ylabel="force at the pilot [N]", title=f"{name}, the first keystroke")
        end = min(given[0].up + 0.3, given[1].down)
        column[1].set(xlabel="time [s]", ylabel="difference [N]", xlim=(given[0].down - 0.02, end))
    for axis in axes[:, 1]:
        axis.legend(fontsize=8, loc="upper right")
    return figure


def prototype() -> plt.Figure:
    """Figs 24 to 26: force at the key front over its depth, action and motorised key."""
    actions, keys = felt_of_actions(), felt_of_keys()
    groups = (
        ("normal",),
        ("normal", "button low", "button high"),
        ("normal", "hammer − 2 g", "hammer + 3 g", "hammer + 6 g"),
    )  # fmt: skip
    depth = np.linspace(0.2e-3, 9.6e-3, 400)
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharey=True)
    for axis, names in zip(axes, groups, strict=True):
        for name, colour in zip(names, (INK, ACCENT, THIRD, FIFTH), strict=False):
            axis.plot(MM * depth, actions[name].at(depth), color=colour, label=name, lw=1.4)
            axis.plot(MM * depth, keys[name].at(depth), color=colour, ls="--", lw=1)
        axis.set(xlabel="depth of the key front [mm]", ylim=(0.0, 4.8))
        axis.legend(fontsize=8, loc="upper left")
    drawn = (("action", "-"), ("motorised key", "--"))
    axes[0].legend(
        handles=[Line2D([], [], color=INK, ls=style, label=w) for w, style in drawn],
        fontsize=8,
        loc="upper left",
    )
    axes[0].set(ylabel="force at the key front [N]", title="normal")
    axes[1].set(title="let-off button 0.5 mm off")
    axes[2].set(title="heavier and lighter hammers")
    return figure


def released_weight() -> plt.Figure:
    """Fig. 3.18: his angles as a camera tells them."""
    found = filmed()
    figure, axis = plt.subplots(figsize=(9, 4.5), layout="constrained")
    names = {
        "q2": "q₂ hammer", "q1": "4 × q₁ key", "q3": "q₃ lever", "q5": "q₅ whippen",
        "q6": "q₆ jack",
    }  # fmt: skip
    for at in (RELEASED, *found.strikes):
        axis.axvline(at, color=INK, lw=0.7, ls=":")
    for at, word in ((RELEASED, "let go"), *((time, "strike") for time in found.strikes)):
        axis.text(at + 4e-3, 0.35, word, fontsize=8, color=INK, va="center")
    colours = (INK, ACCENT, THIRD, FOURTH, FIFTH)
    for (name, label), colour in zip(names.items(), colours, strict=True):
        scale = 4.0 if name == "q1" else 1.0
        axis.plot(found.time, scale * found.seen[name], color=colour, lw=0.9, label=label)
    axis.set(xlabel="time [s]", ylabel="angle from rest [rad]", ylim=(-0.08, 0.37))
    legend = axis.legend(fontsize=8, loc="center right", bbox_to_anchor=(1.0, 0.68))
    for line in legend.get_lines():
        line.set_linewidth(2.0)
    return figure


def his_own_stroke() -> plt.Figure:
    """Figs 3.15 and 3.17: his coordinates and forces in his own model, with its phases."""
    run = own_run()
    shown = run.time < 0.32
    t = run.time[shown]
    figure, (above, below) = plt.subplots(2, 1, figsize=(9, 6), layout="constrained", sharex=True)
    ramp = np.interp(t, [BEGIN, END], DRIVEN)
    above.plot(t, 4.0 * ramp, color=INK, lw=0.8, ls="--", label="4 × D")
    names = {"q1": "4 × q₁ key", "q2": "q₂ hammer", "q3": "q₃ lever", "q6": "q₆ jack"}
    for (name, label), colour in zip(names.items(), (INK, ACCENT, THIRD, FOURTH), strict=True):
        scale = 4.0 if name == "q1" else 1.0
        above.plot(t, scale * run[name][shown], color=colour, lw=1.2, label=label)
    below.plot(t, run["coupler force"][shown], color=INK, lw=1.2, label="felt at the key front")
    below.plot(t, run["jack force"][shown], color=ACCENT, lw=1.2, label="k₄ q₄, jack on hammer")
    words = {"toe meets dolly": "A → B", "jack slips": "B → C", STRIKES: "strike"}
    for change in run.transitions:
        if change.time < t[-1] and change.cause in words:
            for axis in (above, below):
                axis.axvline(change.time, color=INK, lw=0.7, ls=":")
            above.text(change.time + 2e-3, 0.06, words[change.cause], fontsize=8, color=INK)
    for at in (0.1334, 0.1445, 0.181, 0.2):
        below.axvline(at, color=GREEN, lw=0.9)
    below.plot([], [], color=GREEN, lw=0.9, label="his times")
    above.set(ylabel="angle [rad]", ylim=(-0.45, 0.11))
    below.set(xlabel="time [s]", ylabel="force [N]", xlim=(0.0, float(t[-1])))
    above.legend(fontsize=8, loc="center left", bbox_to_anchor=(0.0, 0.36), ncols=2)
    below.legend(fontsize=8, loc="upper right")
    return figure


PICTURES: dict[str, Callable[[], plt.Figure]] = {
    "sensors": sensor_checks,
    "keystrokes": double_strokes,
    "actuators": linear_actuators,
    "prototype": prototype,
    "weight": released_weight,
    "own": his_own_stroke,
}


def write(name: str, folder: Path) -> None:
    """A plot into a folder."""
    figure = PICTURES[name]()
    for axis in figure.axes:
        light_grid(axis)
        axis.tick_params(labelsize=8)
    figure.savefig(folder / f"{name}.png", dpi=80)
    plt.close(figure)
