"""Projects of C: they compile without a warning and compute what `tb.simulate` does."""

import csv
import ctypes
import math
import random
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.interop.targets import generate

needs_compiler = pytest.mark.skipif(not shutil.which("gcc"), reason="there is no gcc")
needs_emulator = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="there is no arm-none-eabi-gcc or qemu-system-arm",
)
NOT_HERE = ("freestanding", "cortex_m")  # sources of machines without a C library
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
    sources = [str(each) for each in folder.rglob("*.c") if each.parent.name not in NOT_HERE]
    folders = [f"-I{folder}", f"-I{folder / 'touchback'}"]
    linked = () if "-fsyntax-only" in flags else ("-lm", "-o", str(program))
    subprocess.run([compiler, *STRICT, *flags, *folders, *sources, *linked], check=True)
    return program


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


@pytest.fixture(scope="module")
def slider_crank(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("c") / "slider_crank"
    generate(driven_slider_crank(), "c-project", folder)
    return folder


@pytest.fixture(scope="module")
def program(slider_crank) -> Path:
    return compiled(slider_crank, "-O1")


@needs_compiler
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["0.01", "1", "rail height=1"], 1, "can't be met from the initial state"),
        (["0.3", "1", "crank radius=0.9"], 1, "didn't close"),  # beyond the rod's 0.4 m
        (["half"], 2, "usage"),
        (["-1"], 2, "usage"),
        (["1e300"], 2, "usage"),
        (["0.1", "0"], 2, "usage"),
        (["0.1", "1", "crank radius=0.1m"], 2, "a number are expected: crank radius=0.1m"),
        (["0.1", "1", "crank radius=nan"], 2, "a number are expected"),
        (["0.1", "1", "crank radius"], 2, "a number are expected"),
        (["0.1", "1", "crank=1"], 2, "no input or parameter of this name: crank=1"),
    ],
)
def test_a_program_says_what_it_can_not_do(program, words, code, said) -> None:
    done = subprocess.run([program, *words], capture_output=True, text=True)
    assert (done.returncode, said in done.stderr) == (code, True), done.stderr


@needs_compiler
def test_a_driven_slider_crank_compiles_without_a_warning_and_has_the_bits_of_simulate(
    program,
) -> None:
    run = run_of(driven_slider_crank(), 1e-3, 300)
    found = table(subprocess.check_output([program, "0.3"], text=True))
    for name in driven_slider_crank().compile().state_names:
        assert np.array_equal(found[name], run[name]), name
    assert largest_difference(found, run) < 1e-12
    assert np.ptp(found["effort"]) > 1.0  # the drive works


@pytest.mark.skipif(not shutil.which("clang"), reason="there is no clang")
def test_another_compiler_has_nothing_to_say_either(slider_crank) -> None:
    compiled(slider_crank, "-fsyntax-only", compiler="clang")


@pytest.mark.parametrize(
    ("make", "step", "method"),
    [
        (sampled_slider, 1e-3, "euler"),
        pytest.param(lambda: gallery.entry("harpsichord").make(), 1e-4, "rk4", id="harpsichord"),
        (driven_slider_crank, 1e-3, "trapezoidal"),
        (driven_slider_crank, 1e-3, "augmented-lagrangian"),
    ],
)
@needs_compiler
def test_memories_modes_and_implicit_steps_have_the_bits_of_simulate(
    tmp_path, make, step, method
) -> None:
    generate(make(), "c-project", tmp_path, step=step, method=method)
    program = compiled(tmp_path, "-O0", "-DTOUCHBACK_SMALL")
    words = [program, str(200 * step)]
    found = table(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    run = run_of(make(), step, 200, method)
    assert largest_difference(found, run) < 1e-12
    moved = [np.ptp(found[name]) for name in make().compile().state_names]
    assert max(moved) > 1e-3


@needs_emulator
def test_on_a_cortex_m7_in_emulation_the_same_numbers_come_without_a_c_library(
    slider_crank,
) -> None:
    subprocess.run(["make", "-s", "cortex-m7", "STEPS=50"], cwd=slider_crank, check=True)
    done = subprocess.run(
        ["make", "-s", "run-cortex-m7"], cwd=slider_crank, capture_output=True, text=True,
        check=True, timeout=120,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    numbers = np.array([[struct.unpack(">d", bytes.fromhex(w))[0] for w in row] for row in rows])
    run = run_of(driven_slider_crank(), 1e-3, 50)
    system = driven_slider_crank().compile()
    names = [*system.state_names, *system.output_names]
    assert numbers.shape == (51, 1 + len(names))
    found = dict(zip(["time", *names], numbers.T, strict=True))
    assert largest_difference(found, run) < 1e-12
    told = dict(line[2:].split(": ") for line in lines if line.startswith("# "))
    assert 1000 < int(told["instructions a step"]) < 100_000
    assert int(told["bytes of memory"]) < 10_000


@needs_compiler
def test_the_freestanding_profile_calls_nothing(slider_crank) -> None:
    words = [
        "make",
        "-s",
        "freestanding",
        "CC=gcc",
        "CFLAGS=-O0 -Werror -fno-pic -DTOUCHBACK_SMALL",
    ]
    subprocess.run(words, cwd=slider_crank, check=True)
    made = slider_crank / "build" / "freestanding" / "model.o"
    assert subprocess.check_output(["nm", "-u", made], text=True).split() == []


@needs_compiler
def test_software_sums_and_roots_round_as_the_processor_s(slider_crank, tmp_path) -> None:
    """Against glibc's, at numbers of all sizes, subnormal ones and such that all but cancel."""
    library = tmp_path / "arithmetic.so"
    source = slider_crank / "freestanding" / "arithmetic.c"
    words = ["gcc", "-O1", "-shared", "-fPIC", "-ffreestanding", "-fno-math-errno", *STRICT]
    folder = f"-I{slider_crank / 'freestanding'}"
    subprocess.run([*words, folder, str(source), "-o", str(library)], check=True)
    ours, theirs = ctypes.CDLL(str(library)), ctypes.CDLL("libm.so.6")
    for function in (ours.software_fma, theirs.fma):
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * 3
    for function in (ours.software_sqrt, ours.floor):
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    draw = random.Random(1)

    def number() -> float:
        scale = draw.choice((0, 1, 40, -60, 500, -530, -1040))
        return draw.choice((-1, 1)) * draw.random() * math.ldexp(1.0, scale + draw.randrange(8))

    for _ in range(20_000):
        a, b = number(), number()
        c = draw.choice((number(), -a * b, math.nextafter(-a * b, 0.0)))
        assert ours.software_fma(a, b, c) == theirs.fma(a, b, c), (a.hex(), b.hex(), c.hex())
        assert ours.software_sqrt(abs(a)) == math.sqrt(abs(a)), a.hex()
        assert abs(a) > 1e15 or ours.floor(a) == math.floor(a), a.hex()


def test_memory_and_use_of_a_model_are_written_as_the_golden_file_has_them(
    tmp_path, matches_golden
) -> None:
    generate(gallery.entry("pendulum").make(), "c-project", tmp_path)
    matches_golden((tmp_path / "model.c").read_text(), "pendulum_model.c")


def test_names_of_signals_are_no_trigraphs(tmp_path) -> None:
    m = tb.Model("m")
    m.joint("a??)", tb.Prismatic("x"), m.ground, m.body("b", mass=1.0))
    generate(m, "c-project", tmp_path)
    assert r'"a\?\?)"' in (tmp_path / "model.c").read_text()  # standard C reads ??) as ]


def test_a_place_that_is_no_folder_is_refused(tmp_path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name, said in (("a\0", "zero bytes"), ("a" * 300, "255 bytes"), ("link", "leads nowhere")):
        with pytest.raises(tb.InputError, match=said):
            generate(gallery.entry("pendulum").make(), "c-project", tmp_path / name)


def test_what_has_no_fixed_step_is_refused_with_its_name(tmp_path) -> None:
    m = tb.Model("ball")
    ball = m.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.joint("fall", tb.Free(), m.ground, ball, position=(0, 0, 1, 1, 0, 0, 0))
    m.contact("floor", tb.contact.SpherePlaneContact(ball.at(0, 0, 0), radius=0.1))
    with pytest.raises(tb.InputError, match="floor"):
        generate(m, "c-project", tmp_path / "ball")
    with pytest.raises(tb.InputError, match="chooses its steps"):
        generate(driven_slider_crank(), "c-project", tmp_path / "a", method="dopri5")
    with pytest.raises(tb.InputError, match=r"c-project: step is in seconds.*1e\+300"):
        generate(driven_slider_crank(), "c-project", tmp_path / "a", step=1e300)
    with pytest.raises(tb.InputError, match="no option 'stepp'"):
        generate(driven_slider_crank(), "c-project", tmp_path / "a", stepp=1)
    assert not list(tmp_path.iterdir())


@pytest.mark.soak
@needs_compiler
@pytest.mark.parametrize("name", gallery.names())
def test_every_model_of_the_gallery_is_refused_or_has_the_bits_of_simulate(name, tmp_path) -> None:
    model, step = gallery.entry(name).make(), 1e-4
    try:
        run = run_of(model, step, 300)
    except tb.TouchbackError as error:
        with pytest.raises(tb.TouchbackError):
            generate(model, "c-project", tmp_path, step=step)
        pytest.skip(str(error))
    generate(model, "c-project", tmp_path, step=step)
    words = [compiled(tmp_path, "-O1"), str(300 * step)]
    found = table(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert largest_difference(found, run) < 1e-12
