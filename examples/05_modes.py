"""Modes: a key, a hammer and a key bed
====================================

What touches what changes while a piano is played. Each condition is a *mode*: a set of constraints
that act, with equations of its own, compiled ahead. *Transitions* say what ends a mode: a gap that
closes, or a contact force that would have to pull. Nobody says in which order they come: the finger
does (Gillespie 1996, Fig. 3.2).

The example plays one stroke and prints what happened. It writes `modes.svg`, the state graph, and
`stroke.png`.
"""

from pathlib import Path

import numpy as np

import touchback as tb
from touchback.draw import state_graph_svg

dip, string_height = 0.010, 0.045  # m

m = tb.Model("key and hammer", gravity=(0, 0, -9.81))
key, hammer = m.body("key", mass=0.08), m.body("hammer", mass=0.10)
m.joint("key", tb.Prismatic("z"), m.ground, key, limits=(0.0, 1.0), stop=(2e4, 40.0))
m.joint("hammer", tb.Prismatic("z"), m.ground, hammer)
finger = m.input("finger", unit="N")  # lifts the key's far end
m.force("finger", tb.JointEffort("key", finger))

# What may touch: the hammer on the key, the key on its bed, the hammer on the string.
rise, height = m.coordinate("key"), m.coordinate("hammer")
m.constrain("hammer on key", height - rise, unit="m")
m.constrain("key on bed", rise - dip, unit="m")
m.constrain("hammer on string", height - string_height, unit="m")

# The forces with which they press: positive as long as contacts hold.
carry = m.sensor("carrying force", tb.Multiplier("hammer on key"))
bed = -m.sensor("bed", tb.Multiplier("key on bed"))
m.sensor("felt", tb.Readout("N"))  # what the finger feels of the hammer, mode by mode

m.mode("riding", active=["hammer on key"], readouts={"felt": carry})
m.mode("flying")
m.mode("flying, key down", active=["key on bed"])
m.mode("riding, key down", active=["hammer on key", "key on bed"], readouts={"felt": carry})

m.transition("lets go", "riding", "flying", when=carry)
m.transition("lands", "flying", "riding", when=height - rise)
m.transition("key stops, hammer flies", "riding", "flying, key down", when=dip - rise)
m.transition("key stops", "flying", "flying, key down", when=dip - rise)
m.transition("key leaves bed", "flying, key down", "flying", when=bed)
m.transition("caught", "flying, key down", "riding, key down", when=height - rise)
m.transition("key returns", "riding, key down", "riding", when=bed)
m.transition(  # in whichever of the two modes it flies
    "strikes", ["flying", "flying, key down"], None, when=string_height - height,
    impact=["hammer on string"], restitution=0.6,
)  # fmt: skip

Path("modes.svg").write_text(state_graph_svg(m), encoding="utf-8")
system = m.compile()

# A finger that holds the weight, strikes for 60 ms, holds the key down, and lets it come back.
times = np.array([0.0, 0.02, 0.025, 0.085, 0.09, 0.45, 0.46, 0.8])
forces = np.array([1.77, 1.77, 12.0, 12.0, 3.0, 3.0, 0.9, 0.9])
run = tb.simulate(
    system, system.assemble(key=0.0), 0.8, rtol=1e-9, atol=1e-12,
    inputs={"finger": (times, forces)},
)  # fmt: skip

for each in run.transitions:
    print(
        f"{1e3 * each.time:7.2f} ms  {each.cause:24s} {each.source} → {each.target}"
        f"  ({1e3 * each.energy:+.3f} mJ)"
    )

# The same against a clock, a thousand steps a second: transitions are compensated within steps.
stepped = tb.simulate(
    system, system.assemble(key=0.0), 0.8, method="rk4", step=1e-3,
    inputs={"finger": (times, forces)},
)  # fmt: skip
late = max(abs(a.time - b.time) for a, b in zip(run.transitions, stepped.transitions))
print(f"with steps of 1 ms every transition is within {1e6 * late:.2g} µs of that")

figure = run.plot("key", "hammer", "felt", "mode", path="stroke.png")
