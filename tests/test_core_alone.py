"""The core works without what stands on it: a wheel that has the core's rooms alone is installed,
runs a mechanism offline and against a clock, and passes tests of the core."""

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import pytest

import touchback
from test_rooms import CORE

SOURCE = Path(touchback.__path__[0])
ROOT = Path(__file__).parents[1]

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
run.save(sys.argv[3] + "/run.mcap")
assert len(tb.open(sys.argv[3] + "/run.mcap").time) == len(run.time)
with tb.live(system, x0, rate=1000, speed=None, record=True) as live:
    live["torque"] = 0.1
    live.run(0.1)
assert live.report().counts["ticks"] == 100
"""

#: Of each room of the core the quicker tests that import no other room.
TESTS = (
    "native/integrate", "native/linear", "native/constrained/test_constrained.py",
    "symbolic/test_tape.py", "symbolic/test_rules.py", "symbolic/test_differentiate.py",
    "symbolic/test_scalars.py", "spatial", "model/test_inertia.py", "model/test_show.py",
    "contact/test_felt.py", "contact/test_profiles.py", "contact/test_sphere_sphere.py",
    "dynamics/test_closed_forms.py", "dynamics/test_forces.py",
    "model/test_own_kinds.py", "codegen/test_compiled.py", "codegen/test_cache.py",
    "codegen/test_schedule.py", "codegen/printers/test_print_c.py",
    "codegen/printers/test_print_python.py", "system/test_assembly.py", "system/test_signals.py",
    "system/test_calls.py", "system/test_parameters.py", "recording/test_files.py",
    "recording/test_mcap.py", "simulate/test_accuracy.py", "simulate/test_switching.py",
    "simulate/test_repeat.py", "simulate/test_events.py", "simulate/modes/test_closed_forms.py",
    "realtime/test_ramps.py", "realtime/test_modes.py", "realtime/test_closed_start.py",
)  # fmt: skip


def files_of_the_core() -> Iterator[Path]:
    """What a wheel holds by the settings of the project, and the built library, of the core."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    data = settings["tool"]["setuptools"]["package-data"]["touchback"]
    found = {path for pattern in ("**/*.py", *data, "native/*.so") for path in SOURCE.glob(pattern)}
    for path in sorted(found):
        room = path.relative_to(SOURCE).parts[0]
        if path.is_file() and (path.parent == SOURCE or room in CORE):
            yield path


def write_wheel(folder: Path) -> Path:
    """A wheel of the core. It is written from what is installed, as building one would fetch the
    build's own packages from the network."""
    installed = distribution("touchback")
    about = f"touchback-{installed.version}.dist-info"
    contents = {str(Path("touchback") / path.relative_to(SOURCE)): path.read_bytes()
                for path in files_of_the_core()}  # fmt: skip
    for name in ("METADATA", "WHEEL"):
        contents[f"{about}/{name}"] = (installed.read_text(name) or "").encode()
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow((name, f"sha256={digest}", len(content)))
    rows.writerow((f"{about}/RECORD", "", ""))
    contents[f"{about}/RECORD"] = record.getvalue().encode()
    (tag,) = [line[5:] for line in contents[f"{about}/WHEEL"].decode().splitlines()
              if line.startswith("Tag: ")]  # fmt: skip
    wheel = folder / f"touchback-{installed.version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return wheel


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where a wheel of the core is installed."""
    folder = tmp_path_factory.mktemp("core")
    wheel, site = write_wheel(folder), folder / "site"
    options = ["--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check"]
    install = ["-m", "pip", "install", "-q", *options, "--target", str(site), str(wheel)]
    subprocess.run([sys.executable, *install], check=True)
    return site


def run_with(site: Path, *command: str | Path) -> None:
    """Runs Python with the installed core before the package of this clone."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_the_wheel_of_the_core_has_the_rooms_of_the_core_alone(installed: Path) -> None:
    rooms = {path.name for path in (installed / "touchback").iterdir() if path.is_dir()}
    assert rooms == CORE


def test_every_module_of_the_core_is_imported_and_a_mechanism_runs(
    installed: Path, tmp_path: Path
) -> None:
    run_with(installed, "-c", SCRIPT, installed / "touchback", installed, tmp_path)


def test_tests_of_the_core_pass_without_the_other_rooms(installed: Path) -> None:
    chosen = [f"tests/{each}" for each in TESTS]
    run_with(installed, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *chosen)
