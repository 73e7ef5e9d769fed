"""Random trees against MuJoCo, which knows every kind of joint here but the screw."""

import numpy as np
import pytest
from hypothesis import given

from random_mechanisms import Mechanism, examples, mechanisms, scale

pytest.importorskip("mujoco")
from mujoco_peer import KINDS, evaluate


@pytest.mark.parametrize(
    "options",
    [
        *({"root": kind, "leaf": kind, "kinds": KINDS} for kind in KINDS if kind != "fixed"),
        {"root": "free", "kinds": KINDS},
    ],
    ids=lambda options: options["root"],
)
def test_mass_matrix_bias_and_inverse_dynamics_agree(options: dict[str, object]) -> None:
    @examples(3)
    @given(mechanisms(**options))
    def agree(mechanism: Mechanism) -> None:
        for joint in mechanism.joints:
            if joint.kind == "free":
                joint.armature = 0.0  # theirs would act along world axes
        system = mechanism.model().compile()
        q, v, a = mechanism.state(system)
        theirs = evaluate(mechanism, system, q, v, a)
        for what, ours, expected in (
            ("mass matrix", system.mass_matrix(q), theirs.M),
            ("bias", system.bias(q, v), theirs.bias),
            ("inverse dynamics", system.inverse_dynamics(q, v, a), theirs.tau),
        ):
            error = np.abs(ours - expected).max()
            assert error <= 1e-12 * scale(expected, theirs.tau), f"{what}: {error:.3g} off"

    agree()
