"""Every MJCF file of gymnasium and dm_control moves here as it does in MuJoCo."""

from pathlib import Path

import pytest

from mujoco_truth import difference, model_files, mujoco, read_quietly

TOLERANCE = 1e-12  # of the largest entry; some 100 bodies in a row round differently
OF_MESHES = 1e-9  # their points are in single precision there
FILES = [
    (package, path) for package in ("gymnasium", "dm_control") for path in model_files(package)
]


def cases() -> list[object]:
    """Those of gymnasium, and small ones of dm_control where it is installed (it brings 150 MB, so
    that CI does without); `make soak` has time for the others."""
    small = ("quadruped.xml", "manipulator.xml", "fish.xml", "jaco_arm.xml", "ball_in_cup.xml")
    return [
        pytest.param(
            path, id=f"{package}-{path.parent.name}-{path.stem}",
            marks=[pytest.mark.soak] * (package == "dm_control" and path.name not in small),
        )
        for package, path in FILES
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*nothing resists:RuntimeWarning")
@pytest.mark.parametrize("path", cases())
def test_a_file_moves_as_in_mujoco(path: Path) -> None:
    try:
        theirs = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as reason:
        pytest.skip(f"MuJoCo refuses it: {reason}")
    ours = read_quietly(path)
    if not theirs.nv:
        return
    found = difference(ours, theirs)
    tolerance = OF_MESHES if theirs.nmesh else TOLERANCE
    assert found.mass < tolerance
    assert found.forces < tolerance
    assert found.tied is None or found.tied < 1e-6  # J̇ by differences
