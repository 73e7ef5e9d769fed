"""Actions whose screws a layman has turned still play, or fail to: neither model breaks."""

from collections.abc import Callable

import numpy as np
import pytest

from touchback.instruments.piano import PressedTouch, grand_piano_action
from touchback.instruments.piano.piano_action_modes import piano_action_with_modes
from touchback.instruments.piano.stroke_analysis import play
from touchback.model import Model

SPANS = {
    "key dip": (8.8e-3, 10.3e-3),
    "blow distance": (40e-3, 47e-3),
    "capstan height": (-0.4e-3, 0.4e-3),
    "let-off button height": (-0.7e-3, 0.7e-3),
    "drop screw height": (-0.7e-3, 0.7e-3),
    "repetition lever height": (-0.3e-3, 0.3e-3),
    "jack position": (-0.5e-3, 0.5e-3),
    "backcheck distance": (-1.5e-3, 1.0e-3),
    "backcheck angle": (-0.05, 0.05),
    "repetition spring": (0.015, 0.06),
    "jack spring": (0.004, 0.02),
    "hammer mass": (3e-3, 12.5e-3),
    "key lead mass": (0.0, 0.08),
    "key lead distance": (0.05, 0.15),
    "knuckle friction": (0.0, 0.35),
    "capstan friction": (0.0, 0.3),
    "backcheck friction": (0.2, 1.2),
    "centre friction": (0.0, 2.0),
    "pedal lift": (0.0, 8e-3),
}


@pytest.mark.parametrize("make", [grand_piano_action, piano_action_with_modes])
def test_strokes_with_screws_turned_at_random_come_to_an_end(make: Callable[..., Model]) -> None:
    system = make("motion", PressedTouch()).compile()
    assert set(SPANS) <= set(system.parameters)
    random, struck = np.random.default_rng(1), 0
    for speed in np.geomspace(0.05, 4.0, 10):
        screws = {name: float(random.uniform(*span)) for name, span in SPANS.items()}
        run = play(system, 0.1 + 0.012 / speed, {**screws, "touch speed": float(speed)})
        assert np.isfinite(run["hammer"]).all()
        assert len(run.transitions) < 200
        assert run["key depth"][-1] > 8.8e-3
        struck += bool(run["string gap"].min() < 0.0)
    assert struck > 5
