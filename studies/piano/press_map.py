"""The map of presses: which of them strike twice, by time, depth and stiffness."""

from collections.abc import Mapping

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from studies.piano.presses import (
    BUBBLING,
    DEPTHS,
    GRID,
    HELD,
    SECONDS,
    STIFFNESSES,
    PressLaboratory,
)
from touchback.figure_style import PALE

SHOWN = (0, 3, 5, 7)  # of the stiffnesses
LEVELS = {
    "strikes once": "#f4f1de", "twice, at some held forces": "#f2cc8f",
    "twice, at all held forces": "#e07a5f",
}  # fmt: skip
COLOURS = ListedColormap(list(LEVELS.values()))


def counts() -> dict[str, np.ndarray]:
    """How often each press of the grid strikes, by regulation."""
    screws = {"bubbling": BUBBLING, "as regulated": {}}
    return {name: PressLaboratory(parameters=own).strikes(GRID) for name, own in screws.items()}


def press_map(found: Mapping[str, np.ndarray]) -> plt.Figure:
    """Time over depth, a column for each stiffness: pale where all held forces strike once, red
    where all strike twice."""
    figure, axes = plt.subplots(
        len(found), len(SHOWN), figsize=(11, 2.3 * len(found)), layout="constrained", sharex=True,
        sharey=True,
    )  # fmt: skip
    shape = (len(SECONDS), len(DEPTHS), len(HELD), len(STIFFNESSES))
    for row, (name, struck) in zip(np.atleast_2d(axes), found.items(), strict=True):
        twice = (np.asarray(struck).reshape(shape) > 1).mean(axis=2)
        for axis, k in zip(row, SHOWN, strict=True):
            level = ((twice[:, :, k] > 0) + 1 * (twice[:, :, k] == 1)).T  # some, all
            axis.pcolormesh(
                1e3 * np.array(SECONDS), 1e3 * np.array(DEPTHS), level, cmap=COLOURS, vmin=0,
                vmax=2, shading="nearest", edgecolors="white", linewidth=0.5,
            )  # fmt: skip
            axis.set_title(f"{name}, {STIFFNESSES[k]:g} N/m", fontsize=8)
            axis.tick_params(labelsize=8)
        row[0].set_ylabel("to a depth of [mm]", fontsize=8)
    for axis in np.atleast_2d(axes)[-1]:
        axis.set_xlabel("within [ms]", fontsize=8)
    keys = [Patch(facecolor=colour, edgecolor=PALE, label=name)
            for name, colour in LEVELS.items()]  # fmt: skip
    figure.legend(handles=keys, fontsize=8, ncols=len(keys), loc="outside upper center")
    return figure
