"""Wang's Fig. 7, drawn anew."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from studies.baja.comparison import Comparison
from touchback.figure_style import BODIES, light_grid

_NEAR = 0.25  # s round the event


def write(folder: Path, found: Comparison) -> None:
    """As PNG."""
    figure, (whole, near, apart) = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    added, run = found.ride.added, found.ride.run
    for (wheel, ours), colour in zip(found.ours.items(), BODIES, strict=False):
        theirs = found.theirs[wheel]
        for axis in (whole, near):
            axis.plot(found.time, ours, color=colour, lw=1.4, label=f"{wheel}, icons")
            axis.plot(found.time, theirs, color="black", lw=0.9, ls=(0, (4, 4)))
        apart.plot(found.time, ours - theirs, color=colour, lw=0.9)
    whole.plot([], [], color="black", lw=0.9, ls=(0, (4, 4)), label="MuJoCo, scripted")
    whole.legend(fontsize=8)
    shown = abs(found.time - added) < _NEAR
    values = [x[shown] for x in found.ours.values()]
    near.set(
        xlim=(added - _NEAR, added + _NEAR), title=f"from tick {found.ride.tick} on",
        ylim=(min(x.min() for x in values) - 1.0, max(x.max() for x in values) + 1.0),
    )  # fmt: skip
    whole.set(title="driving torque of the front wheels", xlim=(0.0, float(run.time[-1])))
    apart.set(title="icons − MuJoCo")
    for axis in (whole, near, apart):
        axis.axvline(added, color="0.6", lw=0.8, zorder=0)
        axis.set(xlabel="time [s]", ylabel="[N m]")
        light_grid(axis)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "driving_torque.png", dpi=75)
    plt.close(figure)
