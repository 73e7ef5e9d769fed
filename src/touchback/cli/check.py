"""`touchback check`: whether a model file can work."""

import warnings
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from touchback.cli.console import out, working
from touchback.cli.load import load
from touchback.errors import ModelError, UnitNotice
from touchback.system import State, System
from touchback.system.ports import Ports, ports
from touchback.system.verification import verify


def check(
    model: Annotated[str, typer.Argument(help="A file, or a name of the gallery.")],
) -> None:
    """Read a model, check it, compile it, and evaluate it once. Exit code 1 if it can't work.

    A table says what it is: freedoms, redundant constraints, singularities, ranges, masses,
    inertias, units. What is doubtful is a warning."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", UnitNotice)  # `verify` tells them
        described, experiment = load(model)
        with working(f"deriving {described.name}"):
            system = described.compile()
            start = experiment.start(system)
            rate = system.state_rate(start.q, start.v, z=start.z)
    for name, value in zip(system.state_names, rate):
        if not np.isfinite(value):
            raise ModelError(
                f"{system.name}: the rate of '{name}' is {value} at the initial state; "
                "look for a body without inertia, or a division by zero, there."
            )
    bodies, joints = len(system.model.bodies), len(system.model.joints)
    found = verify(system, start)
    doubtful = [*dict.fromkeys(str(each.message) for each in told), *found.warnings]
    doubts = len(doubtful)
    verdict = "fine" if not doubts else f"{doubts} {'warning' if doubts == 1 else 'warnings'}"
    out.print(
        f"{described.name}: {verdict}. {bodies} {'body' if bodies == 1 else 'bodies'}, "
        f"{joints} {'joint' if joints == 1 else 'joints'}, "
        f"{system.counts('forward dynamics').flops} flops in forward dynamics.",
    )
    balance = _stirred(system, start)
    worst = ", ".join(f"{name} {error:.0e}" for name, error in balance.worst.items())
    ports_row = (
        f"at random velocities {balance.flowing:.3g} W pass {len(balance.bodies)} ports of bodies; "
        f"what doesn't balance, as parts: {worst}"
    )
    table = Table(box=None, pad_edge=False, show_header=False)
    for row in (*found.rows, ("ports", ports_row)):
        table.add_row(*row)
    out.print(table)
    for warning in doubtful:
        out.print(f"warning: {warning}", markup=False, highlight=False)


def _stirred(system: System, start: State) -> Ports:
    """What bodies and constraints exchange at the start with other velocities that fit."""
    nq, nv, _ = system.sizes
    x = start.x.copy()
    x[nq : nq + nv] += np.random.default_rng(1).normal(size=nv)
    return ports(system, system.consistent(x)[0])
