"""A first mechanism
=================

A pendulum: one body, one joint, one run, one picture. The period is compared with the closed form.

Run it with `python examples/00_pendulum.py`; it writes `pendulum.png` beside where you are.
"""

import numpy as np

import touchback as tb

# Describe: a rod of 1 m that hangs along −z and turns about y.
length, mass = 1.0, 2.0
moment = mass * length**2 / 12  # of a uniform rod, about its centre of mass

m = tb.Model("pendulum")  # gravity is (0, 0, −9.81) m/s² unless told otherwise
rod = m.body("rod", mass=mass, com=(0, 0, -length / 2), inertia=(moment, moment, 0))
m.joint("pivot", tb.Revolute("y"), m.ground, rod)
m.sensor("tip", tb.Position(rod.at(0, 0, -length)))
m.sensor("energy", tb.Energy())
print(m)

# Derive and compile. What is printed tells sizes, names and operations.
system = m.compile()
print(system)

# Run: let it go from 0.1 rad.
run = tb.simulate(system, system.assemble(pivot=0.1), duration=10, output_step=1e-3)
print(run)

# Trust: a small swing of a rod takes 2π √(2 l / 3 g) (1 + amplitude²/16), and energy stays.
crossings = run.time[1:][np.diff(np.sign(run["pivot"])) != 0]
period = 2 * np.mean(np.diff(crossings))
theory = 2 * np.pi * np.sqrt(2 * length / 3 / 9.81) * (1 + 0.1**2 / 16)
print(f"period {period:.4f} s, by theory {theory:.4f} s")
print(f"energy drift {np.ptp(run['energy']):.1e} J")

run.plot("pivot", "tip.x", path="pendulum.png")
