"""Mechanisms that are fed over time move on their page, until somebody takes the input over."""

import json
from collections.abc import Iterator

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.gallery.catalogue import Experiment
from touchback.workbench.live_source import LoopedInput, feed
from touchback.workbench.manipulate import model_with_hands
from touchback.workbench.play.play_server import PlayServer

TIMES, FORCES = (0.0, 0.4, 0.4 + 1e-9, 0.5), (0.0, 4.0, 0.0, 0.0)


@pytest.fixture
def cart() -> Iterator[tb.realtime.Live]:
    """1 kg on rails, as fast as possible."""
    m = tb.Model("cart")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    for name in ("push", "hold"):
        m.force(name, tb.JointEffort("x", m.input(name, unit="N")))
    with tb.live(m.compile(), rate=1000, speed=None) as live:
        yield live


def follower(live: tb.realtime.Live) -> LoopedInput:
    """What follows a push, asked by hand."""
    experiment = Experiment(0.5, inputs={"push": (TIMES, FORCES), "hold": 0.25})
    live.connect = lambda *given: None  # type: ignore[method-assign, assignment]
    return feed(live, experiment)["push"]


def test_a_feed_follows_the_time_of_the_model_and_begins_anew(cart: tb.realtime.Live) -> None:
    fed = follower(cart)
    assert cart["hold"] == 0.25
    for time, force in ((0.1, 1.0), (0.2, 2.0), (0.45, 0.0), (0.6, 1.0), (1.3, 3.0)):
        cart.run(time - cart.read("time"))
        value = fed.read()
        assert value == pytest.approx(force, abs=1e-6)
        cart["push"] = value
        assert fed.read() is None  # nothing new, so that a run that rests isn't troubled


def test_whoever_sets_an_input_has_it_from_then_on(cart: tb.realtime.Live) -> None:
    fed = follower(cart)
    cart.run(0.1)
    cart["push"] = fed.read() or 0.0
    cart["push"] = -3.0  # a person
    cart.run(0.1)
    assert fed.read() is None and fed.taken
    cart["push"] = 1.0
    cart.run(0.1)
    assert fed.read() is None


FED = [name for name in gallery.names() if any(
    not isinstance(value, float) for value in gallery.entry(name).on_page.experiment.inputs.values()
)]  # fmt: skip


def test_the_gallery_knows_what_feeds_its_keys_and_motors() -> None:
    assert FED == [
        "motor-arm", "slider-crank", "suspension", "stewart-platform", "bouncing-hammer",
        "harpsichord", "piano", "piano-modes", "gps-robot", "buggy", "mini-baja",
        "tilting-vehicle", "kart-bench", "fitted-car", "fitted-piano",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "coordinate", "way"),
    [
        ("suspension", "chassis", 0.03),  # of the step of 4 cm
        ("bouncing-hammer", "hammer", 0.02),  # well beyond the key's 9.5 mm: it flies
        ("harpsichord", "key", 0.02),
        ("motor-arm", "shoulder", 0.6),
        ("mini-baja", "front left ground", 0.03),  # of 4 cm
        ("slider-crank", "slider", 0.15),  # of a stroke of 0.2 m
    ],
)
def test_what_is_fed_moves_as_far_in_its_second_period_as_in_its_first(
    name: str, coordinate: str, way: float
) -> None:
    """It comes back to where it began, so that it goes on for as long as somebody looks."""
    shown = gallery.entry(name).on_page
    system, period = model_with_hands(shown.make()).compile(), shown.experiment.duration
    kept: list[list[float]] = []
    with tb.live(
        system, shown.experiment.start(system), rate=1000, speed=None,
        substeps=shown.experiment.substeps,
    ) as live:  # fmt: skip
        given = {
            key: value
            for key, value in shown.experiment.inputs.items()
            if not isinstance(value, float)
        }
        for turn in range(2):
            kept.append([])
            for step in range(round(period * 100)):
                for key, (times, values) in given.items():  # type: ignore[misc]
                    live[key] = float(np.interp(step / 100, times, values))
                live.run(0.01)
                kept[turn].append(live.read(coordinate))
        assert not live.faults
    assert np.ptp(kept[0]) > way and np.ptp(kept[1]) > way


def test_a_key_of_the_zoo_is_played_until_a_visitor_plays_it() -> None:
    with PlayServer("gallery/bouncing-hammer") as hall:
        live, commands = hall.first.bench.live, hall.first.bench.commands
        assert commands is not None
        for _ in range(100):
            live.run(0.05)
            if live["key force"] == 0.8:  # after the blow
                break
        assert live["key force"] == 0.8
        answer = commands.handle(
            json.dumps({"do": "set", "name": "key force", "value": 0.3}).encode()
        )
        assert answer.ok
        live.run(2.1)  # a whole period, with the next blow
        assert live["key force"] == 0.3
        assert not live.faults
