"""A live run without a state starts as an offline one does: where the constraints allow it."""

import numpy as np
import pytest

import touchback as tb
from closed_examples import open_slider_crank


@pytest.mark.parametrize("radius", [0.1, 0.13])
def test_a_loop_that_is_described_open_starts_closed(radius: float) -> None:
    system = open_slider_crank().compile()
    with tb.live(system, speed=None, parameters={"radius": radius}) as live:
        live.run(0.005)
        found = [live.read(name) for name in system.state_names]
        q, s = live.read("crank"), live.read("slider")
    changed = {"parameters": {"radius": radius}, "method": "rk4", "step": 1e-3}
    offline = tb.simulate(system, duration=0.005, **changed)
    assert found == pytest.approx([offline[name][-1] for name in system.state_names], abs=1e-9)
    assert np.hypot(s - radius * np.cos(q), radius * np.sin(q)) == pytest.approx(0.4, abs=1e-9)
