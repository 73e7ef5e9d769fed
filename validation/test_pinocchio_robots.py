"""Robots from URDF files: Pinocchio's equations of motion.

Source: panda.urdf and double_pendulum_simple.urdf of example-robot-data (PyPI); mass matrix,
nonlinear effects, inverse and forward dynamics at a random state by Pinocchio 4.1.0, whose mass
matrix MuJoCo confirms to 1e-15.
"""

import warnings

import numpy as np
import pytest

from touchback.interop import read_urdf
from validation.reference import numbers
from validation.reference.urdf import urdf_text


@pytest.mark.parametrize("robot", ["double_pendulum_simple", "panda"])
def test_equations_of(robot: str, agreement) -> None:  # type: ignore[no-untyped-def]
    published = numbers("pinocchio_robots")[robot]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is noted of its limits
        system = read_urdf(urdf_text(robot), mimic=False, meshes=False).compile()
    order = [system.coordinates.index(name) for name in published["coordinates"]]
    back = np.argsort(order)
    q, v, a = (np.array(published[name])[back] for name in "qva")
    agreement.compare("M", system.mass_matrix(q)[np.ix_(order, order)], published["M"], 1e-12)
    agreement.compare("c", system.bias(q, v)[order], published["bias"], 1e-12)
    agreement.compare(
        "inverse dynamics",
        system.inverse_dynamics(q, v, a)[order],
        published["inverse_dynamics"],
        1e-12,
    )
    free = system.forward_dynamics(q, v, tau=np.zeros_like(v))[order]
    scale = float(np.abs(published["free_accelerations"]).max())
    agreement.compare("forward dynamics", free, published["free_accelerations"], 1e-10 * scale)
