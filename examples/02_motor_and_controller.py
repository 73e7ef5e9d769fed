"""A motor and a controller
========================

Other disciplines join in as *extra states*: here the current of a motor that turns an arm. A
*controller* is a Python function that is traced once: it becomes part of the machine code and runs
at its speed. Its gains are live parameters.

The arm is to follow a sine against gravity. The example writes `tracking.png`.
"""

import numpy as np

import touchback as tb

resistance, inductance, constant, gear = 0.8, 1e-3, 0.06, 40.0

m = tb.Model("driven arm")
arm = m.body("arm", mass=2.0, com=(0.25, 0, 0), inertia=(1e-3, 0.042, 0.042))
m.joint("shoulder", tb.Revolute("-y"), m.ground, arm, armature=0.03, damping=0.05)

# Electricity: L di/dt = V − R i − k ω of the motor, and a torque k i at the motor, geared.
voltage = m.input("voltage", unit="V")
induced = gear * constant * m.rate("shoulder")
current = m.state(
    "current", rate=lambda i: (voltage - resistance * i - induced) / inductance, unit="A"
)
m.force("motor", tb.JointEffort("shoulder", gear * constant * current))

# The controller: proportional, derivative and integral parts, and a limit of 24 V.
stiffness = m.parameter("stiffness", 80.0, unit="V/rad", min=0.0)
damping = m.parameter("damping", 4.0, unit="V s/rad", min=0.0)
reset = m.parameter("reset", 60.0, unit="V/(rad s)", min=0.0)

wanted = 0.6 * tb.sin(2 * m.time)
error = wanted - m.coordinate("shoulder")
integral = m.state("integral of the error", rate=error, unit="rad s")


def pid(error, speed, integral):
    """Traced: `error`, `speed` and `integral` are expressions, and so is what is returned."""
    asked = stiffness * error + damping * (1.2 * tb.cos(2 * m.time) - speed) + reset * integral
    return tb.minimum(tb.maximum(asked, -24.0), 24.0)


m.control("pid", pid, of=[error, m.rate("shoulder"), integral], to="voltage")
m.sensor("wanted", tb.Signal(wanted, "rad"))
m.sensor("control voltage", tb.Signal(voltage, "V"))

system = m.compile()
print(system)

for gain in (20.0, 80.0, 320.0):
    system["stiffness"] = gain
    run = tb.simulate(system, duration=8)
    late = run.time > 4
    off = np.abs(run["shoulder"] - run["wanted"])[late].max()
    print(f"stiffness {gain:5.0f} V/rad: at most {1e3 * off:6.2f} mrad off after 4 s")

run.plot("shoulder", "wanted", "current", "control voltage", path="tracking.png")
