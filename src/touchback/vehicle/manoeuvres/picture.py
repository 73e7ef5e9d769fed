"""A picture of a manoeuvre."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from touchback.draw.style import ACCENT, INK, light_grid
from touchback.vehicle.manoeuvres.manoeuvre import corners

if TYPE_CHECKING:
    from touchback.vehicle.manoeuvres.manoeuvre import Outcome

_CURVES = (
    ("steering wheel", "wheel [°]", 180.0 / np.pi),
    ("yaw rate", "yaw rate [°/s]", 180.0 / np.pi),
    ("lateral", "lateral [m/s²]", 1.0),
    ("speed", "speed [km/h]", 3.6),
)


def draw(outcome: "Outcome", path: str | Path) -> None:
    """The path from above, wheel, yaw rate, lateral acceleration and speed over time, and the
    figures beside them."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    run, car = outcome.run, outcome.car
    figure = plt.figure(figsize=(11, 6), layout="constrained")
    grid = figure.add_gridspec(2, 4, height_ratios=(1.15, 1.0))
    above, told = figure.add_subplot(grid[0, :3]), figure.add_subplot(grid[0, 3])
    outline = corners(run, car)
    for i in np.linspace(0, len(run.time) - 1, 15).astype(int):
        above.plot(*outline[i].T, ".", color=INK, ms=0.6)
    above.plot(run["x"], run["y"], color=ACCENT, lw=1.2)
    outcome.manoeuvre.scenery(above, car)
    above.set(xlabel="x [m]", ylabel="y [m]", title=outcome.manoeuvre.name)
    if np.ptp(run["y"]) > 0.2 * np.ptp(run["x"]):
        above.set_aspect("equal", adjustable="datalim")
    told.axis("off")
    lines = [f"{name}: {' '.join(each.told(3))}" for name, each in outcome.figures.items()]
    told.text(0.0, 1.0, "\n".join(lines), va="top", fontsize=8, transform=told.transAxes)
    for i, (name, label, scale) in enumerate(_CURVES):
        axis = figure.add_subplot(grid[1, i])
        axis.plot(run.time, scale * run[name], color=ACCENT, lw=1.3)
        axis.set(xlabel="time [s]", title=label)
        if name == "speed":
            axis.set_ylim(min(0.0, 3.6 * float(run[name].min())), None)
    for axis in figure.axes:
        if axis is not told:
            light_grid(axis)
            axis.tick_params(labelsize=8)
    figure.savefig(path, dpi=80)
    plt.close(figure)
