"""Mechanisms of the gallery as FMUs: the whole piano action of felt, and a platform on six legs."""

from pathlib import Path

import fmpy
import numpy as np
import pytest

import touchback as tb
from touchback.interop.export_targets import generate


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "step"), [("piano", 5e-5), ("stewart-platform", 1e-3), ("piano-modes", 2.5e-4)]
)
def test_fmpy_takes_the_same_steps(tmp_path: Path, name: str, step: float) -> None:
    model = tb.gallery.make(name)
    [path] = generate(model, "fmu", tmp_path / "it.fmu", step=step)
    system = model.compile()
    found = fmpy.simulate_fmu(
        str(path), stop_time=0.05, output_interval=10 * step, fmi_type="CoSimulation",
        output=system.state_names,
    )  # fmt: skip
    ours = tb.simulate(system, duration=0.05, method="rk4", step=step, output_step=10 * step)
    for each in system.state_names:
        size = max(1.0, np.abs(ours[each]).max())
        np.testing.assert_allclose(found[each], ours[each], rtol=0, atol=1e-9 * size)
