"""Events whose function jumps through zero happen at the jump: of a transition, of a switch, of
another event's restart."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import touchback as tb
from models_with_modes import clutch

BEFORE, AFTER = 100.0, 250.0 / 7.0  # rad/s of the motor when the plates join
SHARED = (0.2 * BEFORE + 0.5 * 10.0) / 0.7


def by_transition() -> tuple[tb.System, list[Any]]:
    return clutch(0.5).compile(), []


def by_switch() -> tuple[tb.System, list[Any]]:
    system = joined().compile()
    system.deactivate("plates")
    return system, [tb.Switch(0.5, activate=["plates"])]


def by_switch_on_an_event() -> tuple[tb.System, list[Any]]:
    system = joined().compile()
    system.deactivate("plates")
    half = tb.Event("half", system.model.time - 0.5)
    return system, [tb.Switch(half, activate=["plates"])]


def by_restart() -> tuple[tb.System, list[Any]]:
    model = joined()
    del model.constraints["plates"]
    restart = tb.Event("join", model.time - 0.5, restart=lambda t, x: [*x[:2], SHARED, SHARED])
    return model.compile(), [restart]


def joined() -> tb.Model:
    m = tb.Model("clutch", gravity=(0, 0, 0))
    for name, inertia, speed in (("motor", 0.2, BEFORE), ("load", 0.5, 10.0)):
        body = m.body(name, mass=1.0, inertia=(inertia, inertia, inertia))
        m.joint(name, tb.Revolute("z"), m.ground, body, velocity=speed)
    m.constrain("plates", velocity=m.rate("motor") - m.rate("load"))
    return m


JUMPS = (by_transition, by_switch, by_switch_on_an_event, by_restart)


@pytest.mark.parametrize(
    ("jump", "method"),
    [
        (jump, method)
        for jump in JUMPS
        for method in ("dopri5", "radau5", "rk4")
        if (jump, method) != (by_transition, "rk4")  # refused, as below
    ],
)
@pytest.mark.parametrize("terminal", [False, True])
def test_an_event_happens_where_its_function_jumps_through_zero(
    jump: Callable[[], tuple[tb.System, list[Any]]], terminal: bool, method: str
) -> None:
    system, events = jump()
    place = system.state_names.index("motor rate")
    start = np.zeros(len(system.state_names))
    start[[place, place + 1]] = BEFORE, 10.0
    events += [
        tb.Event("rising", system.model.rate("motor") - 60.0, direction=+1),
        tb.Event("by name", system.model.rate("motor") - 60.0, direction=-1),
        tb.Event("in Python", lambda t, x: x[place] - 60.0, terminal=terminal),
        tb.Event("far", system.model.rate("motor") - 20.0, terminal=True),
    ]
    run = tb.simulate(system, start, 1.0, method=method, events=events, progress=False)
    found = {event.name: event for event in run.events}
    assert {*found} - {"half", "join"} == {"by name", "in Python"}
    for event in (found["by name"], found["in Python"]):
        assert event.time == pytest.approx(0.5, abs=1e-12) and event.direction == -1
        assert event.state["motor rate"] == pytest.approx(AFTER, rel=1e-9)
    assert run.time[-1] == pytest.approx(0.5 if terminal else 1.0, abs=1e-12)
    assert sum(event.name == "by name" for event in run.events) == 1


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_steps_that_take_transitions_themselves_refuse_events(method: str) -> None:
    system = clutch().compile()
    event = tb.Event("slow", system.model.rate("motor") - 60.0)
    words = rf"'{method}' looks for no events beside modes.*use method='dopri5' or 'radau5'"
    with pytest.raises(tb.InputError, match=words):
        tb.simulate(system, method=method, events=[event])
