"""A hand held in operational space
================================

A law that knows the mechanism: mass matrix, bias and Jacobian are expressions like any other, so
that a law in the space of the hand (Khatib 1987) is a few lines of NumPy, traced once and run in
every tick. The hand of an arm of seven joints draws a circle as if it were a point by itself;
halfway somebody leans on the elbow.

The example runs against the clock and writes `operational_space.png`.
"""

import numpy as np

import touchback as tb

m = tb.gallery.make("seven-joint-arm")
numbers = range(1, 8)
v = np.array([m.rate(f"joint {i}") for i in numbers])
hand = np.array([m.signal(f"hand.{axis}") for axis in "xyz"])
grip = tb.Frame("link 7", (0, 0, 0.15))

# What the law knows of the mechanism. (The friction of the joints is no part of the bias.)
M, c = m.sensor("M", tb.MassMatrix()), m.sensor("c", tb.BiasEffort())
J = m.sensor("J", tb.Jacobian(grip))[3:]
drift = m.sensor("drift", tb.BiasAcceleration(grip))[3:]

# The hand is to go round a circle of 10 cm, once in a second.
w = m.parameter("stiffness", 20.0, unit="rad/s", min=1.0, max=60.0)
turn = 2 * np.pi * m.time
wanted = np.array([0.35 + 0.1 * tb.cos(turn), 0.1 * tb.sin(turn), 0.55])
speed = 2 * np.pi * np.array([-0.1 * tb.sin(turn), 0.1 * tb.cos(turn), 0.0])
pull = 4 * np.pi**2 * np.array([-0.1 * tb.cos(turn), -0.1 * tb.sin(turn), 0.0])


def law():
    """F in the hand's space, and damping where the hand doesn't feel it."""
    MJ = tb.solve_symmetric(M, J.T)
    asked = pull + 2 * w * (speed - J @ v) + w**2 * (wanted - hand) - drift
    idle = -2.0 * (M @ v)
    force = tb.solve_symmetric(J @ MJ, asked - MJ.T @ idle)
    return J.T @ force + idle + c + 0.5 * v


m.control("operational space", law, of=[], to=[f"torque {i}" for i in numbers])
lean = m.input("lean", unit="N", min=-20, max=20)
m.force("elbow", tb.Wrench("link 4", force=(0, lean, 0)))
for axis, goal in zip("xyz", wanted):
    m.sensor(f"wanted {axis}", tb.Signal(goal, "m"))

system = m.compile()
print(system)

start = system.assemble({"joint 2": 0.7, "joint 4": -1.2, "joint 6": 0.9})
with tb.live(system, start, rate=1000, record="hand.mcap") as live:
    live.run(1.0)
    live["lean"] = 10.0
    live.run(1.0)

run = tb.open("hand.mcap")
off = np.sqrt(sum((run[f"hand.{axis}"] - run[f"wanted {axis}"]) ** 2 for axis in "xyz"))
print(f"{1e3 * off[run.time > 0.9][0]:.3f} mm off after 0.9 s, {1e3 * off[-1]:.2f} mm leant on")
run.plot("hand.x", "wanted x", "hand.y", "wanted y", "joint 3", path="operational_space.png")
