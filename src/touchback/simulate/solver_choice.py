"""Which solver runs a system: the one asked for, or the one that its model needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.native import Formulation, formulation_of
from touchback.numbers import shown
from touchback.simulate.discrete_state_ticks import memories_of, refuse_rate
from touchback.simulate.solvers import METHODS, Capability, Solver
from touchback.simulate.solvers.base import option_names
from touchback.simulate.unsupported_features import RIGID, is_formulation, refuse_model, refuse_run
from touchback.system import System


def solver_for(
    system: System,
    method: str | Solver | None,
    constraints: str | Formulation | None,
    asked: Capability,
    options: Mapping[str, Any],
) -> Solver:
    """The solver with its options; refused where it can't do what is `asked`."""
    refuse_model("a live run" if Capability.LIVE in asked else "tb.simulate", system)
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(method, Solver) and given:
        raise InputError(
            f"method={method} has its own options; give {', '.join(map(repr, given))} there."
        )
    word = _own_step(_word(method), constraints) or _usual(system, asked, given)
    if not isinstance(method, Solver) and word not in METHODS:
        raise unknown_name("method", word, METHODS)
    solver = method if isinstance(method, Solver) else METHODS[word]
    rigid = {**solver.options(), **given}.get("contacts") is not None
    refuse_run(solver, system, asked | Capability.CONTACTS if rigid else asked)
    refuse_rate(system, given.get("rate"))
    return _with(solver, given)


def formulation_for(
    method: str | Solver | None, constraints: str | Formulation | None
) -> str | Formulation | None:
    """How constraints are enforced: as asked, else by the method where that is a formulation."""
    word = _word(method)
    return word if constraints is None and is_formulation(word) else constraints


def _word(method: object) -> str | None:
    """The name of a method; refused where it is neither a solver nor a name."""
    if isinstance(method, type) and issubclass(method, Solver):
        name = method.__name__
        raise InputError(f"method={name} is a class; make one: method=tb.{name}().")
    if isinstance(method, Solver):
        return method.word
    if method is not None and not isinstance(method, str):
        raise InputError(
            "method is a solver, such as tb.RK4(step=1e-3), or its name, 'rk4'; got "
            f"{shown(method)}."
        )
    return method


def _usual(system: System, asked: Capability, given: Mapping[str, Any]) -> str:
    """The method that a model needs when none is given."""
    if Capability.LIVE in asked:
        return "rk4"
    if RIGID.names(system) or "contacts" in given:
        return "event-driven"
    return "rk4" if memories_of(system) else "dopri5"


def _own_step(method: str | None, constraints: str | Formulation | None) -> str | None:
    """The method that goes with a formulation: some are a step of their own."""
    formulation = formulation_of(constraints)
    if not formulation.step:
        return method
    if method not in (None, formulation.word):
        raise InputError(
            f"constraints={constraints!r} is a step of its own; leave method={method!r} away or "
            f"give method={formulation.word!r}, and give `step`."
        )
    return formulation.word


def _with(solver: Solver, given: Mapping[str, Any]) -> Solver:
    known = option_names(solver)
    for name in given:
        if name not in known:
            raise InputError(
                f"method '{solver.word}' has no option '{name}'; it has {', '.join(known)}."
            )
    return replace(solver, **given) if given else solver
