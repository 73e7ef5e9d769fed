"""A robot from a URDF file
========================

`tb.read` makes a model of a file; more can then be added to it. A camera head is read, its joints
get motors, and computed torques (inverse dynamics) let it follow a path exactly. The example writes
`pan_tilt.png`.
"""

from pathlib import Path

import numpy as np

import touchback as tb

FILE = Path(__file__).parent / "data" / "pan_tilt.urdf"

robot = tb.read(FILE)
for joint in ("pan", "tilt", "roll"):
    robot.force(f"{joint} motor", tb.JointEffort(joint, robot.input(f"{joint} effort")))
robot.sensor("lens", tb.Position("lens"))
print(robot)

system = robot.compile()
print("order of coordinates:", system.coordinates)


# A path: positions, velocities and accelerations at any time.
def path(t):
    """q(t), v(t), a(t) of pan, tilt and roll."""
    amplitude, speed = np.array([0.8, 0.5, 0.3]), np.array([1.0, 2.0, 1.5])
    middle = np.array([0.0, 0.1, 0.0])
    return (
        middle + amplitude * np.sin(speed * t),
        amplitude * speed * np.cos(speed * t),
        -amplitude * speed**2 * np.sin(speed * t),
    )


# Inverse dynamics: total joint efforts. What damping and stops take is theirs already, so it is
# subtracted from what the motors must give.
times = np.linspace(0, 6, 3001)
efforts = []
for t in times:
    q, v, a = path(t)
    efforts.append(system.inverse_dynamics(q, v, a) - system.joint_efforts(q, v))
efforts = np.array(efforts)
for name, column in zip(system.velocities, efforts.T):
    print(f"largest effort of {name}: {np.abs(column).max():.3f}")

# Forward: the same efforts, as samples over time, must give the path back.
q0, v0, _ = path(0)
inputs = {f"{name} effort": (times, column) for name, column in zip(system.velocities, efforts.T)}
run = tb.simulate(system, np.concatenate([q0, v0]), duration=6, inputs=inputs)
found = np.stack([run[name] for name in system.coordinates], axis=1)
wanted = np.array([path(t)[0] for t in run.time])
print(f"largest deviation from the path: {np.abs(found - wanted).max():.1e}")

run.plot("pan", "tilt", "roll", "lens.x", "lens.y", "lens.z", path="pan_tilt.png")
