"""Makes the picture of the page on GPS: `PYTHONPATH=. python docs/make_gps.py`. The robot drives
the whole way, which takes a minute or so."""

import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

import touchback as tb
from touchback.devices.gps import Fix
from touchback.figure_style import ACCENT, GREEN, INK, light_grid
from touchback.gallery import gps_robot
from touchback.recording import Run

PLACE = Path(__file__).parent / "pictures" / "gps"
HOUSE = "#d8d8de"


def drive() -> tuple[Run, list[Fix]]:
    """The whole way, and what the receiver says of it four times a second."""
    duration, inputs = gps_robot.lap()
    run = tb.simulate(gps_robot.make().compile(), duration=duration, inputs=dict(inputs))
    return run, gps_robot.receiver().follow(run, rate=4.0)


def draw_map(axis: plt.Axes, run: Run, fixes: list[Fix]) -> None:
    """Houses, the way, and the fixes in the colour of their count."""
    for house in gps_robot.TOWN:
        corner = house.x - house.length / 2, house.y - house.width / 2
        axis.add_patch(Rectangle(corner, house.length, house.width, color=HOUSE))
        axis.text(house.x, house.y, f"{house.height:.0f} m", ha="center", va="center", color=INK)
    axis.plot(run["position.x"], run["position.y"], color=INK, lw=1, label="driven")
    found = [fix for fix in fixes if fix.position is not None]
    places = np.array([fix.position for fix in found])
    counts = [len(fix.tracked) for fix in found]
    dots = axis.scatter(
        places[:, 0], places[:, 1], c=counts, cmap="viridis", vmin=3, vmax=10, s=14, zorder=3,
        label="fixes",
    )  # fmt: skip
    axis.figure.colorbar(dots, ax=axis, shrink=0.8, label="satellites tracked")
    axis.set(aspect="equal", xlim=(-45, 90), ylim=(-30, 75))
    axis.set(xlabel="east [m]", ylabel="north [m]")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, fontsize=8)


def draw_counts(axes: list[plt.Axes], run: Run, fixes: list[Fix]) -> None:
    """How many over time, and how wrong."""
    start = fixes[0].time
    times = np.array([(fix.time - start).total_seconds() for fix in fixes])
    tracked = [len(fix.tracked) for fix in fixes]
    direct = [sum(one.direct for one in fix.tracked) for fix in fixes]
    axes[0].step(times, tracked, color=ACCENT, where="post", label="tracked")
    axes[0].step(times, direct, color=GREEN, where="post", label="of them in sight")
    axes[0].set(ylabel="satellites", ylim=(0, 11))
    axes[0].legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    wrong = [
        math.nan
        if fix.position is None
        else math.hypot(
            fix.position[0] - np.interp(time, run.time, run["position.x"]),
            fix.position[1] - np.interp(time, run.time, run["position.y"]),
        )
        for time, fix in zip(times, fixes, strict=True)
    ]
    axes[1].plot(times, wrong, color=ACCENT, lw=1.2)
    axes[1].set(xlabel="time [s]", ylabel="horizontal error [m]", ylim=(0, None))
    for axis in axes:
        light_grid(axis)
    lost = sum(math.isnan(error) for error in wrong)
    open_ = times > 52.0
    print(
        f"tracked {min(tracked)} to {max(tracked)}, in sight {min(direct)} to {max(direct)}; "
        f"without a fix {lost} of {len(fixes)}; median error in the open "
        f"{np.nanmedian(np.array(wrong)[open_]):.1f} m, elsewhere "
        f"{np.nanmedian(np.array(wrong)[~open_]):.1f} m, largest {np.nanmax(wrong):.0f} m"
    )


def main() -> None:
    run, fixes = drive()
    figure = plt.figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=(1.35, 1))
    draw_map(left.subplots(), run, fixes)
    draw_counts(list(right.subplots(2, 1, sharex=True)), run, fixes)
    PLACE.mkdir(exist_ok=True)
    figure.savefig(PLACE / "round.png", dpi=80)


if __name__ == "__main__":
    main()
