"""Projects without a C library: on this machine, and on a Cortex-M7 in emulation."""

import ctypes
import math
import random
import subprocess

import numpy as np
import pytest

import touchback as tb
from c_projects import (
    STRICT,
    driven_slider_crank,
    emulated,
    largest_difference,
    needs_compiler,
    needs_emulator,
    run_of,
    table,
)
from touchback.interop.export_targets import generate


@needs_emulator
def test_on_a_cortex_m7_in_emulation_the_same_bits_come_without_a_c_library(slider_crank) -> None:
    numbers, told = emulated(slider_crank, 50)
    run = run_of(driven_slider_crank(), 1e-3, 50)
    system = driven_slider_crank().compile()
    names = [*system.state_names, *system.output_names]
    assert numbers.shape == (51, 1 + len(names))
    found = dict(zip(["time", *names], numbers.T, strict=True))
    for name in system.state_names:
        assert np.array_equal(found[name], run[name]), name
    assert largest_difference(found, run) < 1e-12
    assert 1000 < told["instructions a step"] < 100_000
    assert told["bytes of memory"] < 10_000


def springs_of_every_function() -> tb.Model:
    m = tb.Model("springs of every function")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("b", mass=1.0), position=0.4)
    q = m.coordinate("x")
    force = tb.exp(-q) + tb.log(2.0 + q) + (1.5 + q) ** 1.7 + tb.atan2(q, 0.3 - q)
    m.force("springs", tb.JointEffort("x", -10.0 * q - force - tb.asin(q / 3) + tb.acos(q / 3)))
    return m


@needs_compiler
def test_the_freestanding_profile_calls_nothing_and_moves_as_ours(tmp_path) -> None:
    model = springs_of_every_function()
    generate(model, "c-project", tmp_path)
    flags = "CFLAGS=-O0 -Werror -fno-pic"
    subprocess.run(["make", "-s", "freestanding", "CC=gcc", flags], cwd=tmp_path, check=True)
    made = "build/freestanding/model.o"
    assert subprocess.check_output(["nm", "-u", made], cwd=tmp_path, text=True).split() == []
    words = ["gcc", "-no-pie", "-Itouchback", "-I.", "main.c", made, "-o", "it"]  # its own exp …
    subprocess.run(words, cwd=tmp_path, check=True)
    found = table(subprocess.check_output([tmp_path / "it", "1.0"], text=True))
    assert largest_difference(found, run_of(model, 1e-3, 1000)) < 1e-13
    assert np.ptp(found["x"]) > 0.1


MANY = """
void many1(double (*f)(double), long n, const double *x, double *y);
void many2(double (*f)(double, double), long n, const double *x, const double *z, double *y);
void many1(double (*f)(double), long n, const double *x, double *y) {
    for (long i = 0; i < n; i++)
        y[i] = f(x[i]);
}
void many2(double (*f)(double, double), long n, const double *x, const double *z, double *y) {
    for (long i = 0; i < n; i++)
        y[i] = f(x[i], z[i]);
}
"""
UNITS = {"sinh": 2.0, "cosh": 1.5, "tanh": 4.0}  # of the last place: roundings of several steps
THEIRS = {
    "exp": np.exp, "log": np.log, "pow": np.power, "atan2": np.arctan2, "asin": np.arcsin,
    "acos": np.arccos, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
}  # fmt: skip


@pytest.fixture(scope="module")
def library(slider_crank, tmp_path_factory) -> ctypes.CDLL:
    """What stands in for a C library, to be called from here."""
    folder, own = tmp_path_factory.mktemp("own"), slider_crank / "freestanding"
    (folder / "many.c").write_text(MANY)
    words = ["gcc", "-O1", "-shared", "-fPIC", "-ffreestanding", "-fno-math-errno", *STRICT]
    sources = [str(path) for path in (*own.glob("*.c"), folder / "many.c")]
    made = folder / "own.so"
    subprocess.run([*words, f"-I{own}", *sources, "-o", str(made)], check=True)
    return ctypes.CDLL(str(made))


def ours(library: ctypes.CDLL, name: str, *given: np.ndarray) -> np.ndarray:
    arrays = [np.ascontiguousarray(x, dtype=float) for x in given]
    found = np.empty_like(arrays[0])
    function = ctypes.cast(getattr(library, name), ctypes.c_void_p)
    places = [ctypes.c_void_p(x.ctypes.data) for x in (*arrays, found)]
    getattr(library, f"many{len(given)}")(function, ctypes.c_long(found.size), *places)
    return found


def ranges(name: str, count: int) -> list[tuple[np.ndarray, ...]]:
    """Numbers of all sizes, and such where a function is hard to compute."""
    draw = np.random.default_rng(1)
    every = draw.integers(0, 2047 << 52, count).view(float)  # by their bits: all exponents
    near = 1.0 + draw.uniform(-1, 1, count) * 2.0 ** draw.integers(-50, 0, count)
    tiny = draw.integers(1, 1 << 52, count).view(float)  # subnormal
    part, sign = draw.uniform(-1, 1, count), draw.choice([-1.0, 1.0], count)
    small = part * 2.0 ** draw.integers(-60, 0, count)
    large = part * 745.0 / np.abs(np.log(1e-3 + 9.0 * np.abs(part)))  # powers to the very ends
    found = {
        "exp": [(745.0 * part,), (part,), (small,), (-725.0 + 20.0 * part,)],
        "log": [(every,), (near,), (tiny,)],
        "pow": [
            (every, 3.0 * part), (1e-3 + 9.0 * np.abs(part), large), (near, 700.0 * part),
            (-every, np.round(9.0 * part)), (tiny, part), (1.0 + 1e-6 * part, 7e8 * sign),
        ],
        "atan2": [
            (part, small), (sign * every, draw.permutation(every)), (tiny, sign * tiny[::-1]),
        ],
        "asin": [(part,), (small,), (1.0 - np.abs(small),)],
        "sinh": [(710.4 * part,), (3.0 * part,), (small,)],
        "cosh": [(710.4 * part,), (3.0 * part,), (small,)],
        "tanh": [(40.0 * part,), (3.0 * part,), (small,)],
        "acos": [(part,), (small,), (np.abs(small) - 1.0,), (1.0 - np.abs(small),)],
    }  # fmt: skip
    return found[name]


@needs_compiler
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="there is nothing more exact here")
@pytest.mark.parametrize("name", THEIRS)
def test_exponentials_powers_and_arcs_are_right_to_the_last_place(library, name) -> None:
    """Against the longer numbers of this machine's C library: at most 0.8 units of the last place
    (half a unit is rounding; where results are subnormal they are rounded twice)."""
    for given in ranges(name, 20_000):
        with np.errstate(all="ignore"):
            exact = THEIRS[name](*(np.asarray(x, np.longdouble) for x in given))
            wanted = exact.astype(float)
            found = ours(library, name, *given)
            units = np.abs(found - exact) / np.spacing(np.abs(wanted))
        finite = np.isfinite(wanted)
        assert finite.mean() > 0.2
        assert units[finite].max() < UNITS.get(name, 0.8), [
            x[finite][units[finite].argmax()] for x in given
        ]
        assert np.array_equal(found[~finite], wanted[~finite], equal_nan=True)


@needs_compiler
@pytest.mark.parametrize("name", THEIRS)
def test_zeros_infinities_and_no_numbers_go_where_the_standard_of_c_has_them(library, name) -> None:
    most, least = float(np.finfo(float).max), 5e-324
    ends = [0.0, 0.5, 1.0, 2.0, 3.0, 0.99, 2.5e-308, least, most, 710.0, 1e17, np.inf, np.nan]
    values = np.array([*ends, *(-x for x in ends)])
    given = np.meshgrid(values, values) if name in ("pow", "atan2") else [values]
    with np.errstate(all="ignore"):
        wanted = THEIRS[name](*(x.ravel() for x in given))
        found = ours(library, name, *(x.ravel() for x in given))
        same = (found == wanted) | (np.abs(found - wanted) <= np.spacing(np.abs(wanted)))
    same &= np.signbit(found) == np.signbit(wanted)  # zeros have signs
    same |= np.isnan(found) & np.isnan(wanted)
    assert same.all(), [x.ravel()[~same] for x in given]


@needs_compiler
def test_software_sums_and_roots_round_as_the_processor_s(library) -> None:
    """Against glibc's, at numbers of all sizes, subnormal ones and such that all but cancel."""
    theirs = ctypes.CDLL("libm.so.6")
    for function in (library.software_fma, theirs.fma):
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * 3
    for function in (library.software_sqrt, library.floor):
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    draw = random.Random(1)

    def number() -> float:
        scale = draw.choice((0, 1, 40, -60, 500, -530, -1040))
        return draw.choice((-1, 1)) * draw.random() * math.ldexp(1.0, scale + draw.randrange(8))

    for _ in range(20_000):
        a, b = number(), number()
        c = draw.choice((number(), -a * b, math.nextafter(-a * b, 0.0)))
        assert library.software_fma(a, b, c) == theirs.fma(a, b, c), (a.hex(), b.hex(), c.hex())
        assert library.software_sqrt(abs(a)) == math.sqrt(abs(a)), a.hex()
        assert abs(a) > 1e15 or library.floor(a) == math.floor(a), a.hex()
