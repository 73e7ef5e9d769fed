"""The core works without what stands on it: a copy of the package that has the core's rooms alone
is imported, runs a mechanism offline and against a clock, and passes tests of the core."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import touchback

SOURCE = Path(touchback.__path__[0])
ROOT = Path(__file__).parents[1]
CORE = (
    "native", "symbolic", "spatial", "model", "contact", "dynamics", "files", "draw", "codegen",
    "system", "recording", "simulate", "realtime",
)  # fmt: skip

SCRIPT = """
import importlib, pathlib, sys
import touchback as tb
assert tb.__path__ == [sys.argv[1]], tb.__path__
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    parts = path.relative_to(sys.argv[2]).with_suffix("").parts
    importlib.import_module(".".join(parts).removesuffix(".__init__"))
m = tb.Model("slider-crank")
crank = m.body("crank", mass=1.0, com=(0.05, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
slider = m.body("slider", mass=0.8)
m.joint("crank", tb.Revolute("y"), m.ground, crank)
m.joint("rod", tb.Revolute("y"), crank.at(0.1, 0, 0), rod)
m.joint("slider", tb.Prismatic("x"), m.ground, slider)
m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
m.force("motor", tb.JointEffort("crank", m.input("torque", unit="N m")))
m.sensor("place", tb.Position(slider))
system = m.compile()
x0 = system.assemble(crank=0.3, rates={"crank": 10.0})
run = tb.simulate(system, x0, 0.1, inputs={"torque": 0.1}, progress=False)
assert abs(system.constraint_error([run[q][-1] for q in system.coordinates])).max() < 1e-12
run.save(sys.argv[2] + "/run.mcap")
assert len(tb.open(sys.argv[2] + "/run.mcap").time) == len(run.time)
with tb.live(system, x0, rate=1000, speed=None, record=True) as live:
    live["torque"] = 0.1
    live.run(0.1)
assert live.report().counts["ticks"] == 100
"""

#: Of each room of the core some tests, which together take seconds.
TESTS = (
    "symbolic/test_tape.py", "symbolic/test_rules.py", "spatial", "model/test_inertia.py",
    "system/test_assembly.py", "system/test_signals.py",
    "simulate/test_switching.py", "simulate/test_repeat.py", "realtime/test_ramps.py",
)  # fmt: skip


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as a wheel of the core would hold it."""
    package = tmp_path_factory.mktemp("core") / "touchback"
    package.mkdir()
    for path in SOURCE.iterdir():
        if path.is_file():
            shutil.copy2(path, package)
        elif path.name in CORE:
            shutil.copytree(path, package / path.name)
    return package.parent


def run_alone(folder: Path, *command: str | Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_every_module_of_the_core_is_imported_and_a_mechanism_runs(alone: Path) -> None:
    run_alone(alone, "-c", SCRIPT, alone / "touchback", alone)


def test_tests_of_the_core_pass_without_the_other_rooms(alone: Path) -> None:
    chosen = [f"tests/{each}" for each in TESTS]
    run_alone(alone, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *chosen)
