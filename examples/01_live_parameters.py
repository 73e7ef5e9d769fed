"""Live parameters
===============

A number that is declared as a parameter can be changed on the compiled system: nothing is derived
or compiled again. Expressions of parameters may stand wherever a number may.

The example sweeps the length of a pendulum and its tip mass, and compares the periods with theory.
It writes `periods.png`.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import touchback as tb

m = tb.Model("pendulum")
length = m.parameter("length", 1.0, unit="m", min=0.05, max=5.0)
tip_mass = m.parameter("tip mass", 0.0, unit="kg", min=0.0, max=10.0)
density = 1.5  # kg/m

mass = density * length  # an expression: it follows the parameter
moment = mass * length**2 / 12
rod = m.body("rod", mass=mass, com=(0, 0, -length / 2), inertia=(moment, moment, 0))
tip = m.body("tip", mass=tip_mass)
m.joint("pivot", tb.Revolute("y"), m.ground, rod)
m.joint("weld", tb.Fixed(), rod.at(0, 0, -length), tip)

began = time.perf_counter()
system = m.compile()
start = system.assemble(pivot=0.05)
tb.simulate(system, start, duration=0.01)
print(f"derived and compiled in {1e3 * (time.perf_counter() - began):.0f} ms, once")


def period() -> float:
    """The time of a full swing, from the crossings of zero."""
    run = tb.simulate(system, start, duration=12, output_step=2e-3)
    q, t = run["pivot"], run.time
    after = np.flatnonzero(np.diff(np.sign(q)))
    crossings = t[after] - q[after] * (t[after + 1] - t[after]) / (q[after + 1] - q[after])
    return float(2 * np.mean(np.diff(crossings)))


lengths = np.linspace(0.2, 3.0, 15)
figure, axis = plt.subplots(figsize=(6, 4), layout="constrained")
for kilograms in (0.0, 5.0):
    found = []
    began = time.perf_counter()
    for metres in lengths:
        system["length"] = metres  # takes effect at the next call
        system["tip mass"] = kilograms
        found.append(period())
    spent = time.perf_counter() - began
    print(f"tip mass {kilograms} kg: {len(lengths)} runs in {1e3 * spent:.0f} ms")

    rods = density * lengths
    moments = rods * lengths**2 / 3 + kilograms * lengths**2
    weights = 9.81 * (rods * lengths / 2 + kilograms * lengths)
    theory = 2 * np.pi * np.sqrt(moments / weights) * (1 + 0.05**2 / 16)
    print(f"  largest difference from theory {np.abs(found - theory).max():.1e} s")
    axis.plot(lengths, theory, label=f"theory, tip mass {kilograms:g} kg")
    axis.plot(lengths, found, "o", ms=4)
axis.set_xlabel("length [m]")
axis.set_ylabel("period [s]")
axis.legend()
figure.savefig("periods.png", dpi=120)

try:
    system["length"] = 50.0
except tb.InputError as error:
    print(error)
