"""Robots from URDF files: Pinocchio's equations of motion.

Source: panda.urdf and double_pendulum_simple.urdf of example-robot-data (PyPI); mass matrix,
nonlinear effects, inverse and forward dynamics at a random state by Pinocchio 4.1.0, whose mass
matrix MuJoCo confirms to 1e-15.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

from touchback.interop import read_urdf


@pytest.mark.parametrize("robot", ["double_pendulum_simple", "panda"])
def test_equations_of(robot: str, agreement, reference: Path) -> None:  # type: ignore[no-untyped-def]
    folder = reference / "robots"
    published = json.loads((folder / "pinocchio_reference.json").read_text())[f"{robot}.urdf"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # meshes and colours that a mechanism doesn't need
        system = read_urdf(folder / f"{robot}.urdf", mimic=False, meshes=False).compile()
    order = [system.coordinates.index(name) for name in published["joints"]]
    back = np.argsort(order)
    q, v, a = (np.array(published[name])[back] for name in "qva")
    agreement.compare("M", system.mass_matrix(q)[np.ix_(order, order)], published["M"], 1e-12)
    agreement.compare("c", system.bias(q, v)[order], published["nle"], 1e-12)
    agreement.compare(
        "inverse dynamics", system.inverse_dynamics(q, v, a)[order], published["rnea"], 1e-12
    )
    free = system.forward_dynamics(q, v, tau=np.zeros_like(v))[order]
    scale = float(np.abs(published["aba_tau0"]).max())
    agreement.compare("forward dynamics", free, published["aba_tau0"], 1e-10 * scale)
