"""Makes pictures of docs/identification.md and docs/planning.md:
`PYTHONPATH=. python docs/make_identification.py`."""

import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import touchback as tb
from benchmarks.planned_mechanisms import cart_pole, upright
from studies.piano.weighed import CAUSES, KAWAI, fit
from touchback.figure_style import light_grid
from touchback.gallery import fitted_car, fitted_piano
from touchback.instruments.piano.stroke_analysis import (
    GRAM,
    PEDALLED,
    WEIGHED,
    force_curve,
    slow_press,
)

PLACE = Path(__file__).parent / "pictures"


def pendulum() -> None:
    """The page's first example."""
    m = tb.Model("pendulum")
    length = m.parameter("length", 1.0, unit="m", min=0.1)
    damping = m.parameter("damping", 0.1, unit="N m s/rad", min=0.0)
    bob = m.body("bob", mass=1.0, com=(0, 0, -length))
    m.joint("swing", tb.Revolute("y"), m.ground, bob, damping=damping)
    system, true = m.compile(), {"length": 1.3, "damping": 0.2}
    run = tb.simulate(system, system.assemble(swing=1.0), 5.0, parameters=true, output_step=0.025)
    noise = np.random.default_rng(0).normal(0.0, 0.02, len(run))
    found = tb.identify(
        system, tb.Run(run.time, {"swing": run["swing"] + noise}), signals=["swing"],
        parameters=list(true), x0=system.assemble(swing=0.9), initial=["swing"],
    )  # fmt: skip
    found.plot(PLACE / "identification.png")


def car() -> None:
    """The fitted car."""
    found = fitted_car.fit(fitted_car.make().compile(), fitted_car.log())
    found.plot().savefig(PLACE / "fitted_car.png", dpi=80)


def piano() -> None:
    """The fitted piano: forces over the travel, and what the drawn and the fitted action leave."""
    system, curve = fitted_piano.make().compile(), fitted_piano.log()
    found = fitted_piano.fit(system, curve)
    print(found)
    drawn = {name: value.default for name, value in fitted_piano.drawn().items()}
    travel = 1e3 * curve["key travel"]
    figure, (above, below) = plt.subplots(
        2, 1, sharex=True, figsize=(8, 5), height_ratios=(2.2, 1.0), layout="constrained"
    )
    above.plot(travel, curve["key force"], ".", ms=3, color="0.45", label="load cell (simulated)")
    lower = (curve.time > 1.3) & (curve["key travel"] > fitted_piano.RETURN)
    for name, parameters, colour in (("as drawn", drawn, "C0"), ("fitted", found.parameters, "C3")):
        run = tb.simulate(
            system, duration=curve.duration, parameters=parameters, output_step=fitted_piano.SAMPLE,
            inputs={"key travel": (curve.time, curve["key travel"])}, progress=False,
        )  # fmt: skip
        above.plot(travel, run["key force"], color=colour, lw=1.2, label=name)
        left = 1e3 * (curve["key force"] - run["key force"])
        if name == "fitted":
            below.plot(travel[~lower], left[~lower], ".", ms=3, color=colour, label="fitted")
            below.plot(travel[lower], left[lower], "x", ms=3, color="0.5", label="not fitted")
    above.set_ylabel("key force [N]")
    below.set(ylabel="left [mN]", xlabel="key travel [mm]", ylim=(-80, 80))
    for axis in (above, below):
        axis.legend(fontsize=8)
        light_grid(axis)
    figure.savefig(PLACE / "fitted_piano.png", dpi=80)


def weighed_piano() -> None:
    """A real key before and after treatment: its weights, and those of actions fitted to them."""
    system = slow_press()
    figure, axes = plt.subplots(1, len(CAUSES), sharey=True, figsize=(9, 3.4), layout="constrained")
    for axis, (cause, unknowns) in zip(axes, CAUSES.items(), strict=True):
        found = fit(system, KAWAI, unknowns)
        for (state, key), colour in zip(KAWAI.items(), ("C3", "C0"), strict=True):
            curve = force_curve(system, {**PEDALLED, **found.parameters(state)})
            for depth, force in (curve.down, curve.up):
                shown = (depth > 0.3e-3) & (depth < 6.5e-3)
                axis.plot(1e3 * depth[shown], force[shown] / GRAM, color=colour, lw=1.2)
            for weight in (key.down, key.up):
                low, high = 1e3 * weight - 2, 1e3 * weight + 2
                axis.fill_between(np.array(WEIGHED) * 1e3, low, high, color=colour, alpha=0.2, lw=0)
            axis.plot([], [], color=colour, label=state)
        axis.set(title=f"worse before: {cause}", xlabel="key depth [mm]", xlim=(0, 6.5))
        light_grid(axis)
    axes[0].set(ylabel="weight on the key [g]", ylim=(0, 80))
    axes[-1].legend(fontsize=8)
    figure.savefig(PLACE / "weighed_piano.png", dpi=80)


def swing_up() -> None:
    """The pole that planned pushes raise."""
    system = cart_pole()
    planner = tb.planning.MPPI(
        system, upright, {"push": 5.0}, horizon=1.0, knots=11, step=0.02, samples=192,
        temperature=0.1,
    )  # fmt: skip
    run = planner.control(system.assemble(pole=math.pi), 3.5, 0.04)
    run.plot("pole", "cart", "push").savefig(PLACE / "swing_up.png", dpi=90)


if __name__ == "__main__":
    pendulum()
    car()
    piano()
    weighed_piano()
    swing_up()
