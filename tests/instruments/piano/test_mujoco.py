"""MuJoCo's own geometry and dynamics find the gaps and the mass matrix that ours do."""

import numpy as np
import pytest

import touchback as tb
from touchback.instruments.piano import Specification, grand_piano_action

mujoco = pytest.importorskip("mujoco")
piano_mujoco = pytest.importorskip("benchmarks.engines.piano_mujoco")

POSES = {
    "rest": np.zeros(6),
    "half-way": np.array([0.02, 0.03, 0.0, 0.0, 0.16, 0.02]),
    "let-off": np.array([0.032, 0.065, 0.05, -0.02, 0.33, 0.08]),
}


@pytest.fixture(scope="module")
def ours():
    return grand_piano_action("force").compile()


@pytest.fixture(scope="module")
def theirs():
    model = piano_mujoco.mujoco_action(mujoco, Specification(), 2.5e-4)
    return model, mujoco.MjData(model)


def placed(ours, theirs, pose):
    model, data = theirs
    places = [int(model.joint(name).qposadr[0]) for name in ours.coordinates]
    data.qpos[places] = pose
    mujoco.mj_forward(model, data)
    return model, data, places


@pytest.mark.parametrize("pose", POSES.values(), ids=POSES)
def test_all_contacts_have_the_gaps_that_mujoco_finds(ours, theirs, pose):
    model, data, _ = placed(ours, theirs, pose)
    start = np.concatenate([pose, np.zeros(6)])
    run = tb.simulate(ours, start, 1e-6, method="euler", step=1e-6, progress=False)
    assert model.npair == 16
    for i in range(model.npair):
        ends = model.pair_geom1[i], model.pair_geom2[i]
        found = mujoco.mj_geomDistance(model, data, *ends, 0.1, np.zeros(6))
        assert run[f"{model.pair(i).name} gap"][0] == pytest.approx(found, abs=1e-6)


@pytest.mark.parametrize("pose", POSES.values(), ids=POSES)
def test_the_mass_matrix_is_mujoco_s(ours, theirs, pose):
    model, data, places = placed(ours, theirs, pose)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    M = ours.mass_matrix(pose)
    np.testing.assert_allclose(M, full[np.ix_(places, places)], rtol=1e-6, atol=1e-10)
