"""A model as every language needs it: names, numbers, and three programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from touchback import Model, System
from touchback.dynamics import (
    configuration_rate,
    constraint_rows,
    mass_matrix_entries,
    solve_efforts,
)
from touchback.errors import InputError
from touchback.simulate import COPIES, MEMORIES, MODES, RIGID, RUBBING, Feature
from touchback.symbolic import Program
from touchback.system import found_states, solved_arguments
from touchback.version import VERSION

HEAD = f"Printed by Touchback {VERSION}"
WITHOUT_TEXT = (RIGID, MODES, MEMORIES, COPIES, RUBBING)  # what languages have no solver for


@dataclass(frozen=True)
class Part:
    """A vector or matrix among the terms: its name, its shape, and where it begins and ends."""

    name: str
    shape: tuple[int, ...]
    start: int
    stop: int


@dataclass(frozen=True)
class ModelPrograms:
    """A system as its programs, with the state from which runs `start` and the one that the model
    describes, from which that is assembled (None where forces have found states there, so that it
    can't be assembled again). `redundant` tells that constraints say something twice, so that
    equations are solved by least squares; `holonomic` has of each row whether it has an h."""

    system: System
    start: np.ndarray
    described: np.ndarray | None
    parameters: Program
    terms: Program
    outputs: Program
    parts: tuple[Part, ...]
    rows: tuple[str, ...]
    holonomic: tuple[bool, ...]
    redundant: bool


def model_programs(language: str, model: Model) -> ModelPrograms:
    """A model's programs, or a refusal that names what the language's text has no solver for."""
    system = model.compile()
    refuse_features(f"text of {language}", system)
    layout, n = system.layout, len(system.layout.v)
    d = system.derive(solved_arguments(layout, system.constraint_names), system.model)
    instant, rows = d.instant, constraint_rows(d.instant)
    M, bias = mass_matrix_entries(instant), solve_efforts(instant, None)
    W = [row.through or row.J for row in rows]
    terms = {
        "M": ((n, n), [M.get((i, j), 0) for i in range(n) for j in range(n)]),
        "f": ((n,), [d.tape.sub(x, c) for x, c in zip(instant.efforts(), bias, strict=True)]),
        "q_rate": ((len(layout.q),), configuration_rate(instant)),
        "z_rate": ((len(layout.z),), [instant.value(x.rate) for x in system.model.states.values()]),
        "h": ((len(rows),), [0 if row.h is None else row.h for row in rows]),
        "b": ((len(rows),), [row.b for row in rows]),
        "gamma": ((len(rows),), [row.gamma for row in rows]),
        "J": ((len(rows), n), [row.J.get(j, 0) for row in rows for j in range(n)]),
        "W": ((len(rows), n), [row.get(j, 0) for row in W for j in range(n)]),
    }
    d.solved(rows)
    made = d.functions(
        {"terms": [x for _, nodes in terms.values() for x in nodes], "outputs": d.outputs()}
    )
    places = pairwise(accumulate((len(nodes) for _, nodes in terms.values()), initial=0))
    return ModelPrograms(
        system,
        system.assemble().x if system.constrained else system.initial_state().x,
        described_state(system),
        made["terms"].first,
        made["terms"].second,
        made["outputs"].second,
        tuple(Part(x, shape, *ends) for (x, (shape, _)), ends in zip(terms.items(), places)),
        tuple(row.name for row in rows),
        tuple(row.h is not None for row in rows),
        bool(system.constrained and system.freedoms().redundant),
    )


def described_state(system: System) -> np.ndarray | None:
    """The state from which the initial one is assembled; None where forces find states there."""
    start = system.dynamics.start
    return None if found_states(system.model, start.q, system.parameters) else start.x


def refuse_features(text: str, system: System, features: Iterable[Feature] = WITHOUT_TEXT) -> None:
    """Raise where a system has what a text has no solver for, and name it."""
    for feature in features:
        for name in feature.names(system):
            raise InputError(
                f"{system.name}: {text} can't have {feature.word} ('{name}'); {feature.mend}."
            )
