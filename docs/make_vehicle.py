"""Makes the pictures of the page on vehicles: `python docs/make_vehicle.py`. They are committed."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib import pyplot as plt

from touchback.draw.style import BODIES, light_grid
from touchback.vehicle import BUGGY_TYRE, BrushTyre, Contact, LinearTyre, MagicFormula

PICTURES = Path(__file__).parent / "pictures"


def tyres() -> None:
    """Side force, aligning moment and combined slip of the shipped tyre, and others beside it."""
    tyre = MagicFormula.read(BUGGY_TYRE)
    alpha = np.linspace(-0.25, 0.25, 301)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for load, colour in zip((1250.0, 2500.0, 4000.0), BODIES, strict=False):
        grip = tyre.grip(Contact(load, slip_angle=alpha))
        axes[0].plot(np.degrees(alpha), grip.fy / 1e3, color=colour, label=f"{load:.0f} N")
        axes[1].plot(np.degrees(alpha), grip.mz, color=colour)
    along, across = tyre.stiffness(Contact(2500.0))
    others = (
        ("brush", BrushTyre(slip_stiffness=along, cornering_stiffness=across, nominal_load=2500.0,
                            friction=0.95, patch=0.055), "--"),
        ("linear", LinearTyre(cornering_coefficient=across / 2500.0, trail=0.018), ":"),
    )  # fmt: skip
    for name, other, line in others:
        grip = other.grip(Contact(2500.0, slip_angle=alpha))
        shown = np.abs(grip.fy) < 2900.0
        axes[0].plot(np.degrees(alpha)[shown], grip.fy[shown] / 1e3, line, color=BODIES[1],
                     label=f"2500 N, {name}")  # fmt: skip
        axes[1].plot(np.degrees(alpha)[shown], grip.mz[shown], line, color=BODIES[1])
    slip = np.linspace(-1.0, 1.0, 801)
    for angle, colour in zip((0.0, 0.02, 0.05, 0.1, 0.2), BODIES, strict=False):
        grip = tyre.grip(Contact(2500.0, slip, -angle * np.ones_like(slip)))
        axes[2].plot(grip.fx / 1e3, grip.fy / 1e3, color=colour, label=f"{np.degrees(angle):.0f}°")
    axes[0].set(xlabel="slip angle [°]", ylabel="side force [kN]")
    axes[1].set(xlabel="slip angle [°]", ylabel="aligning moment [N m]")
    axes[2].set(xlabel="force along [kN]", ylabel="side force [kN]", title="2500 N, slip −1 to 1")
    for axis in axes:
        light_grid(axis)
    axes[0].legend(fontsize=7)
    axes[2].legend(fontsize=6, title="slip angle", title_fontsize=6, loc="lower center", ncols=2)
    figure.savefig(PICTURES / "tyres.png", dpi=80)
    plt.close(figure)


if __name__ == "__main__":
    tyres()
