"""Makes pictures of docs/identification.md and docs/planning.md:
`PYTHONPATH=. python docs/make_identification.py`."""

import math
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np

import touchback as tb
from benchmarks.planned_mechanisms import cart_pole, upright
from touchback.gallery import fitted_car

PLACE = Path(__file__).parent / "pictures"


def pendulum() -> None:
    """The page's first example."""
    m = tb.Model("pendulum")
    length = m.parameter("length", 1.0, unit="m", min=0.1)
    damping = m.parameter("damping", 0.1, min=0.0)
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


def swing_up() -> None:
    """The pole that planned pushes raise."""
    system = cart_pole()
    planner = tb.fleet.MPPI(
        system, upright, {"push": 5.0}, horizon=1.0, knots=11, step=0.02, samples=192,
        temperature=0.1,
    )  # fmt: skip
    run = planner.control(system.assemble(pole=math.pi), 3.5, 0.04)
    run.plot("pole", "cart", "push").savefig(PLACE / "swing_up.png", dpi=90)


if __name__ == "__main__":
    pendulum()
    car()
    swing_up()
