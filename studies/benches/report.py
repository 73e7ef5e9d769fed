"""What the benches found, as tables in Markdown."""

from collections.abc import Callable

import numpy as np

from studies.benches.actuator_numbers import docquier_actuators
from studies.benches.couplers import MODELS, READINGS, Events, events
from studies.benches.his_own import OTHERS, other, own_events, own_run, said
from studies.benches.numbers import NUMBERS, Number
from studies.piano.report import table
from touchback.gallery.bouncing_hammer import STATES, hammer_key_bed
from touchback.instruments.piano.gillespie_action import (
    ASSIGNED,
    LENGTHS,
    gillespie_specification,
    left_out,
)
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
            rows.append((reading, model, *_told(found)))
    for torsional, reading in ((False, "soft"), (True, "torsional")):
        found = own_events(own_run(torsional), gillespie_specification(torsional))
        rows.append((f"{reading}, ramp as printed", "his own", *_told(found)))
    headings = (
        "coupler", "model", "let-off [s]", "slipped [s]", "strike [s]", "key to [mm]", "most [N]",
    )  # fmt: skip
    return table(headings, rows)


def _told(found: Events) -> tuple[str, ...]:
    when = ["never" if np.isnan(x) else f"{x:.4f}" for x in found.times]
    return (*when, f"{1e3 * found.deepest:.1f}", f"{found.force:.1f}")


def lengths() -> str:
    """What each length of his table is taken for."""
    rows = [(each.length, f"{1e3 * LENGTHS[each.length]:.1f}", each.what, each.why)
            for each in ASSIGNED]  # fmt: skip
    rows.append((", ".join(left_out()), "", "taken for nothing", "nothing tells what they are"))
    return table(("length", "[mm]", "inferred to be", "why"), rows)


def assignments() -> str:
    """His times if some lengths were others."""
    rows = []
    for given in ({}, *OTHERS):
        found, highest = other(given)
        short = "" if np.isfinite(found.times[2]) else f"{-1e3 * highest:.0f} mrad short"
        through = "goes through it" if highest > 1e-3 else short
        rows.append((said(given) or "as above", *_told(found)[:3], through))
    headings = "instead", "let-off [s]", "slipped [s]", "strike [s]", "the string"
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
    "actuators": _numbers(docquier_actuators),
    "couplers": couplers,
    "lengths": lengths,
    "assignments": assignments,
    "machine": machine,
}
