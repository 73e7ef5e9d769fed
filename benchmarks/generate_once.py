"""One generation in a process of its own: `python -m benchmarks.generate_once chain 100`.

Prints CPU seconds of each step and the memory that they needed beyond the imports, as JSON.
"""

import json
import sys
from pathlib import Path
from time import process_time

from benchmarks.engines.touchback import FUNCTIONS
from benchmarks.mechanisms import make


def main(shape: str, size: int) -> dict[str, float]:
    """Describe, plan, derive and emit the dynamics of one mechanism."""
    mechanism = make(shape, size)
    make(shape, 2).model().compile().function("forward dynamics").compiled  # noqa: B018  (imports)
    before, start = _peak(), process_time()
    model = mechanism.model()
    described = process_time()
    system = model.compile()
    seconds = {"describe": described - start, "plan": process_time() - described}
    for what, name in FUNCTIONS.items():
        looped = what == "mass" and system.plan.loop_mass_matrix
        start = process_time()
        function = system.function("mass matrix columns" if looped else name)
        derived = process_time()
        function.compiled  # noqa: B018  (made when first asked for)
        seconds[f"derive {what}"] = derived - start
        seconds[f"emit {what}"] = process_time() - derived
    seconds["MB"] = (_peak() - before) / 1024
    return seconds


def _peak() -> int:
    """Kilobytes of this process; getrusage would count those of its parent too."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
