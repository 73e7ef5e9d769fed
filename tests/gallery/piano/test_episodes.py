"""The episodes model: its geometry is the full-contact model's, its phases come by their causes."""

import numpy as np
import pytest

import touchback as tb
from touchback.gallery.piano import Pressed, grand_piano_action
from touchback.gallery.piano.episodes import episodic_piano_action, regulated
from touchback.gallery.piano.parameters import Specification
from touchback.gallery.piano.phases.automaton import PHASES, changes
from touchback.gallery.piano.phases.contacts import RIGID
from touchback.recording import Run
from touchback.system import System

STEP = 62.5e-6


def _play(system: System, duration: float, **screws: float) -> Run:
    given = {name.replace("_", " "): value for name, value in screws.items()}
    return tb.simulate(
        system, system.assemble(t=-0.1), 0.1 + duration, start=-0.1, method="rk4", step=STEP,
        output_step=8 * STEP, parameters=given, progress=False,
    )  # fmt: skip


def _order(run: Run) -> list[str]:
    """The letters of the phases that lasted longer than a step, from the first touch on."""
    marks = [each for each in run.transitions if each.time > 0.0]
    ends = [*(each.time for each in marks[1:]), float(run.time[-1])]
    lasting = [m.target[0] for m, end in zip(marks, ends, strict=True) if end - m.time > STEP]
    return [letter for i, letter in enumerate(lasting) if i == 0 or lasting[i - 1] != letter]


def _first(run: Run, cause: str) -> float:
    times = [each.time for each in run.transitions if each.time > 0.0 and cause in each.cause]
    return times[0] if times else float("inf")


@pytest.fixture(scope="module")
def episodes() -> System:
    return episodic_piano_action("motion", Pressed(0.5)).compile()


def test_gaps_of_rigid_contacts_are_those_of_the_felts_they_stand_for(episodes: System) -> None:
    spec = regulated(Specification())
    felts = grand_piano_action("motion", Pressed(0.5), spec).compile()
    random = np.random.default_rng(4)
    screws = {"capstan height": 0.4e-3, "let-off button height": -0.3e-3, "jack position": 0.2e-3}
    past_edge = 0
    for given in ({}, screws):
        for system in (episodes, felts):
            for name, value in given.items():
                system.parameters[name] = value
        for _ in range(40):
            q, v = random.uniform(-0.06, 0.06, 6), np.zeros(6)
            ours, theirs = episodes.sensors(q, v), felts.sensors(q, v)
            if theirs["jack gap"] < -2e-3:
                continue  # deep inside the jack it is its sides that are near
            past_edge += ours["jack overlap"] < 0.0
            for name in (*(f"{contact} gap" for contact in RIGID), "jack overlap", "string gap"):
                assert ours[name] == pytest.approx(theirs[name], abs=1e-14), name
    episodes.parameters.update(dict.fromkeys(screws, 0.0))
    assert past_edge > 5


def test_every_phase_says_what_touches_and_every_change_is_of_one_answer() -> None:
    assert len({phase.name for phase in PHASES}) == len(PHASES) == 12
    for phase in PHASES:
        for change in changes(phase):
            before, after = set(phase.constraints), set(change.after.constraints)
            assert (change.contact in after) == change.closes
            assert len(after - before) <= 1 and len(before - after) <= 1


def test_a_stroke_goes_through_acceleration_let_off_and_catch(episodes: System) -> None:
    assert "".join(_order(_play(episodes, 0.3))).startswith("ABC")


def test_screws_decide_when_and_whether_phases_occur(episodes: System) -> None:
    usual = _play(episodes, 0.15)
    early = _play(episodes, 0.15, **{"let-off button height": -0.5e-3})
    never = _play(episodes, 0.15, **{"let-off button height": 3e-3})
    assert _first(early, "toe meets button") < _first(usual, "toe meets button") - 1e-3
    assert _first(never, "toe meets button") == np.inf
    assert never["string force"][-1] > 0.5 and usual["string force"][-1] == 0.0  # blocked
    higher = _play(episodes, 0.15, **{"capstan height": 0.3e-3})
    assert _first(higher, "toe meets button") < _first(usual, "toe meets button")
    softly = {"touch speed": 0.1}
    shallow = _play(episodes, 0.25, **{"key dip": 6.5e-3}, **softly)
    assert _first(shallow, "toe meets button") == np.inf
    assert _first(_play(episodes, 0.25, **softly), "toe meets button") < 0.2
