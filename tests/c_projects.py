"""Models that are generated as C, how they are compiled here, and how their runs are compared."""

import atexit
import csv
import hashlib
import re
import shutil
import struct
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import touchback as tb

needs_compiler = pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
needs_emulator = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="there is no arm-none-eabi-gcc or qemu-system-arm",
)
ANOTHER = "clang" if shutil.which("clang") else "gcc"  # compiler, where there is one
NOT_HERE = ("freestanding", "cortex_m")  # sources of machines without a C library
_INCLUDED = re.compile(r'^ *# *include *"([^"]+)"', re.MULTILINE)
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-ffp-contract=off")


def driven_slider_crank() -> tb.Model:
    m = tb.Model("driven slider-crank")
    r = m.parameter("crank radius", 0.10, unit="m", min=0.02, max=0.2)
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    height = m.parameter("rail height", 0.0, unit="m")
    m.joint("crank", tb.Revolute("y"), m.ground, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground.at(0, 0, height), slider, position=0.5)
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    m.force("spring", tb.SpringDamper(m.ground.at(1, 0, 0), slider, 200, 2, length=0.5))
    m.drive("crank", tb.Sine(1.2, 2.0))
    m.sensor("slider position", tb.Position(slider))
    m.sensor("effort", tb.Multiplier("crank"))
    return m


def whirling_arm() -> tb.Model:
    """Two hinged bars, damped at the second hinge: a mass matrix that depends on positions."""
    m = tb.Model("whirling arm")
    length = m.parameter("arm length", 0.4, unit="m")
    arm = m.body("arm", mass=1.0, com=(length / 2, 0, 0), inertia=(1e-3, 2e-2, 2e-2))
    hand = m.body("hand", mass=0.5, com=(0.1, 0, 0), inertia=(1e-4, 3e-3, 3e-3))
    m.joint("shoulder", tb.Revolute("y"), m.ground, arm, velocity=6.0)
    m.joint("wrist", tb.Revolute("y"), arm.at(length, 0, 0), hand, position=1.0, damping=0.01)
    return m


def sampled_slider() -> tb.Model:
    """A sampled controller whose force comes a tick late, a state of its own, and a table."""
    m = tb.Model("sampled slider")
    slider = m.body("slider", mass=0.8)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider, position=0.2)
    q, v = m.coordinate("slider"), m.rate("slider")
    force = m.memory("force", 0.0, update=-150.0 * q - 3.0 * v)
    late = m.memory("late", 0.0, update=force)
    spring = m.table("spring", [-0.5, 0.0, 0.1, 0.5], [8.0, 0.0, -1.0, -20.0])
    heat = m.state("heat", 0.5)
    m.set_rate("heat", 0.1 * v * v - 2.0 * heat)
    push = m.input("push", unit="N", default=0.3)
    m.force("motor", tb.JointEffort("slider", late + push + tb.lookup(spring, q) + 0.1 * heat))
    m.sensor("place", tb.Position(slider))
    return m


def table(text: str) -> dict[str, np.ndarray]:
    names, *rows = csv.reader(text.splitlines())
    return dict(zip(names, np.array(rows, dtype=float).T, strict=True))


def compiled(folder: Path, *flags: str, compiler: str = "gcc") -> Path:
    program = folder / f"model_{compiler}"
    sources = [each for each in folder.rglob("*.c") if each.parent.name not in NOT_HERE]
    folders = [folder, folder / "touchback"]
    words = [compiler, *STRICT, *flags]
    searched = [f"-I{each}" for each in folders]
    if "-fsyntax-only" in flags:
        subprocess.run([*words, *searched, *map(str, sources)], check=True)
        return program
    objects = []
    for source in sources:
        made = _kept() / f"{_digest(words, source, folders)}.o"
        if not made.exists():
            subprocess.run([*words, *searched, "-c", str(source), "-o", str(made)], check=True)
        objects.append(str(made))
    subprocess.run([*words, *objects, "-lm", "-o", str(program)], check=True)
    return program


@cache
def _kept() -> Path:
    """Where objects are kept while the tests of this process run: projects share most sources."""
    folder = tempfile.TemporaryDirectory(prefix="objects-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _digest(words: list[str], source: Path, folders: list[Path]) -> str:
    """Of all that decides an object: the compiler's words, a source and what it includes."""
    digest = hashlib.sha256(" ".join(words).encode())
    left, seen = [source], {source}
    while left:
        file = left.pop()
        text = file.read_bytes()
        digest.update(text)
        for name in _INCLUDED.findall(text.decode()):
            near = (each / name for each in (file.parent, *folders))
            found = next(each.resolve() for each in near if each.is_file())
            if found not in seen:
                seen.add(found)
                left.append(found)
    return digest.hexdigest()


def largest_difference(found: dict[str, np.ndarray], run: tb.Run) -> float:
    """Of all states and sensors, as a part of each one's size."""
    states = list(found)[1:]
    differences = []
    for name in states:
        known = run[name] if name in run else run[f"{name} (output)"]
        size = max(1.0, float(np.abs(known).max()))
        differences.append(float(np.abs(found[name] - known).max()) / size)
    return max(differences)


def run_of(model: tb.Model, step: float, steps: int, method: str = "rk4") -> tb.Run:
    system = model.compile()
    rate = {"rate": 1.0 / step} if system.layout.memories else {}
    return tb.simulate(
        system, duration=steps * step, method=method, step=step, progress=False, **rate
    )


def emulated(folder: Path, steps: int) -> tuple[np.ndarray, dict[str, int]]:
    """Times, states and sensors of a project on a Cortex-M7 in emulation, and what it told."""
    made = subprocess.run(
        ["make", "-s", "cortex-m7", f"STEPS={steps}"], cwd=folder, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert made.stderr == ""  # no warning either
    done = subprocess.run(
        ["make", "-s", "run-cortex-m7"], cwd=folder, capture_output=True, text=True, check=True,
        timeout=120,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    numbers = [[struct.unpack(">d", bytes.fromhex(word))[0] for word in row] for row in rows]
    told = dict(line[2:].split(": ") for line in lines if line.startswith("# "))
    return np.array(numbers), {name: int(number) for name, number in told.items()}
