"""What the benches found, as tables in Markdown."""

from collections.abc import Callable

import numpy as np

from studies.benches.couplers import MODELS, READINGS, events
from studies.benches.numbers import NUMBERS, Number
from studies.piano.report import table
from touchback.gallery.piano.hammer_key_bed import STATES, hammer_key_bed
from touchback.simulate import simulate


def _numbers(make: Callable[[], list[Number]]) -> Callable[[], str]:
    def report() -> str:
        rows = [(n.where, n.what, n.theirs, n.ours, n.why) for n in make()]
        return table(("where", "what", "the paper", "ours", "the difference and its reason"), rows)

    return report


def couplers() -> str:
    """His order of events with each reading of the coupler, in both models."""
    rows = []
    for reading in READINGS:
        for model in MODELS:
            found = events(reading, model)
            when = ["never" if np.isnan(x) else f"{x:.4f}" for x in found.times]
            deepest, force = f"{1e3 * found.deepest:.1f}", f"{found.force:.1f}"
            rows.append((reading, model, *when, deepest, force))
    headings = (
        "coupler", "model", "let-off [s]", "slipped [s]", "strike [s]", "key to [mm]", "most [N]",
    )  # fmt: skip
    return table(headings, rows)


def machine() -> str:
    """Ways through the four states of hammer, key and bed, by how the key is pressed."""
    system = hammer_key_bed().compile()
    presses = {
        "struck, held": ([0.0, 0.002, 0.1, 0.104, 0.9], [0.0, 3.0, 3.0, 2.5, 2.5]),
        "pushed, let go": ([0.0, 0.002, 0.03, 0.032, 0.9], [0.0, 2.0, 2.0, 0.0, 0.0]),
        "pushed, pulled back": ([0.0, 0.002, 0.03, 0.032, 0.9], [0.0, 2.0, 2.0, -1.0, -1.0]),
        "slowly pressed": ([0.0, 0.9], [0.39, 0.45]),
    }
    rows = []
    for name, (times, forces) in presses.items():
        given = {"key force": (np.array(times), np.array(forces))}
        run = simulate(system, duration=0.9, rtol=1e-8, inputs=given, progress=False)
        passed = [next(iter(STATES.values()))]
        for change in run.transitions:
            passed.append(change.target)
        rows.append((name, len(run.transitions), " → ".join(passed[:7])))
    return table(("press", "changes", "states, the first seven"), rows)


REPORTS: dict[str, Callable[[], str]] = {
    **{name: _numbers(make) for name, make in NUMBERS.items()},
    "couplers": couplers,
    "machine": machine,
}
