"""What sensors show in runs with rigid contacts, and which of them can't be measured there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from touchback.contact import ContactKind
from touchback.dynamics.constraints import constraint_rows
from touchback.model.frame import Frame
from touchback.model.walk import frames_of
from touchback.native import evaluate_rows
from touchback.simulate.protocol import Floats
from touchback.system import System
from touchback.system.contact_equations import ContactEquations
from touchback.system.derivation import Derivation, solved_arguments


class Sensors:
    """Sensors as functions of x and u = [t, inputs…, accelerations…, multipliers…] of the
    mechanism's own constraints; where a run doesn't know these (`solved`), sensors of states and
    inputs only. Forces of contacts act on bodies unseen: what depends on them, as the reaction of
    a joint beneath does, can't be measured. `labels` are the signals that can, which the `function`
    gives, `missing` the sensors that can't."""

    def __init__(self, equations: ContactEquations, solved: bool) -> None:
        system = equations.system
        d = system.derive(solved_arguments(system.layout, system.constraint_names))
        rows = constraint_rows(d.instant)
        d.instant.efforts()  # applied forces first, then those of closures
        known = d.extra if solved else []
        d.solved(rows)
        _push_unseen(d, system, equations.contacts.values())
        hidden = [node for node in d.extra if node not in known]
        units = iter(zip(system.output_names, system.output_units, strict=True))
        self.labels: list[tuple[str, str]] = []  # name and unit of each component
        self.missing: list[str] = []
        wanted: list[int] = []
        for sensor in d.instant.model.outputs():
            nodes = d.instant.measure(sensor)
            own = [next(units) for _ in nodes]
            if _reads(d, nodes, hidden):
                self.missing.append(sensor)
            else:
                self.labels += own
                wanted += nodes
        self.function = d.functions({"sensors": wanted})["sensors"] if wanted else None
        values = system.parameter_values(equations.parameters)
        self.block: Floats = self.function.block_for(values) if self.function else np.zeros(0)

    def rows(self, states: Floats, given: Floats) -> Floats:
        """What they show at states with u, a row each."""
        if self.function is None:
            return np.empty((len(states), 0))
        compiled = self.function.compiled
        return evaluate_rows(
            compiled.address, states, given, self.block, len(self.labels), compiled.work_size,
            compiled.context_address,
        )  # fmt: skip


def _push_unseen(d: Derivation, system: System, contacts: Iterable[ContactKind]) -> None:
    """Lets unknown forces act on every body that a contact may touch: on all where it names
    none."""
    bodies = dict.fromkeys(
        body
        for kind in contacts
        for body in [each.body for each in frames_of(kind)] or system.model.bodies
    )
    for body in bodies:
        force, moment = (
            [d.argument(f"unseen:{body}.{what}{i}") for i in range(3)] for what in "fm"
        )
        d.instant.push(Frame(body), force, moment)


def _reads(d: Derivation, nodes: Sequence[int], symbols: Sequence[int]) -> bool:
    live = d.tape.live([abs(node) for node in nodes])
    return any(live[symbol] for symbol in symbols)
