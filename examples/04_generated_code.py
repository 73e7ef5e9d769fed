"""Generated code
==============

What a compiled system runs is there to be read: counts of operations, a listing in plain
mathematics, the machine code itself, and the same function as C, Python or MATLAB. The example
prints them for a double pendulum, writes the C text to `rate.c`, and times our machine code against
our own interpreter and, where there is a C compiler, against C.
"""

import shutil
import time
from pathlib import Path

import numpy as np

import touchback as tb
from touchback import gallery

model = gallery.make("double-pendulum")
system = model.compile()

print("Operations of a call")
for name in ("inverse dynamics", "mass matrix", "forward dynamics"):
    print(f"  {name:<17} {system.counts(name)}")

print("\nInverse dynamics, as the program that every back end gets")
print(system.listing("inverse dynamics"))

print("\nThe first lines of its machine code")
print("\n".join(system.disassemble("inverse dynamics").splitlines()[:12]))

text = system.generate("rate", "c")
Path("rate.c").write_text(text)
print(f"\nrate.c: {len(text.splitlines())} lines of C, self-contained")

print("\nTiming: 20 s of motion")
start = system.assemble(upper=2.2, lower=0.4)
backends = ["machine", "interpreter"] + (["c"] if shutil.which("gcc") else [])
finals = {}
for backend in backends:
    other = model.compile(backend=backend)
    began = time.perf_counter()
    other.state_rate(start.q, start.v)  # derives and compiles
    compiling = time.perf_counter() - began
    run = tb.simulate(other, start, duration=20)
    statistics = run.metadata["statistics"]
    each = statistics["seconds"] / statistics["evaluations"]
    finals[backend] = run["lower"]
    print(f"  {backend:<11} ready in {1e3 * compiling:5.1f} ms, {1e9 * each:5.0f} ns an evaluation")

# Fused multiply-adds are placed before any back end: all of them round alike, to the last bit.
same = all(np.array_equal(finals["machine"], other) for other in finals.values())
print(f"  every back end gives the same bits: {same}")
