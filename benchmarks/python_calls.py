"""What Python's users pay: calls, arrays of states, and imports, beside Pinocchio and MuJoCo."""

import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from timeit import timeit
from typing import Any

import numpy as np

from benchmarks.engines import mujoco as mujoco_engine
from benchmarks.engines.pinocchio import python_model
from benchmarks.mechanisms import make
from benchmarks.report import Section, Target, microseconds
from benchmarks.timing import Floats
from touchback import gallery
from touchback.codegen import native_lanes
from touchback.interop import read_urdf
from touchback.native import evaluate_rows
from touchback.system import System

TURNS, CALLS = 80, 500  # A B C A B C …: the best of so many turns of so many calls
STATES, BATCH_TURNS, CONSTRAINED_TURNS = 10_000, 200, 8
IMPORT_TURNS = 7
SAME = 1e-8  # of the largest number: engines must agree
Calls = dict[str, Callable[[], Any]]


def run() -> Section:
    """All of it."""
    section = Section("Python: calls, arrays, imports", ["what", "best", "×"])
    _seven_joints(section)
    _panda(section)
    for name in ("slider-crank", "stewart-platform"):
        _constrained_arrays(section, name, gallery.make(name).compile(), 0.1)
    _arrays(section)
    _imports(section)
    section.remark(
        f"Calls: µs, best of {TURNS} turns of {CALLS}, engines in turn, loop included; × is the "
        "time over ours. Arrays: µs a state. Imports: seconds of processor time, × of NumPy's."
    )
    return section


def _best(calls: Calls, turns: int, number: int) -> dict[str, float]:
    seconds = dict.fromkeys(calls, float("inf"))
    for _ in range(turns):
        for name, call in calls.items():
            seconds[name] = min(seconds[name], timeit(call, number=number) / number)
    return seconds


def _compare(section: Section, what: str, calls: Calls) -> dict[str, float]:
    """The first call is ours; the others must agree with it where they return a result."""
    wanted = np.asarray(next(iter(calls.values()))())
    for name, call in calls.items():
        found = call()
        if found is not None and not np.allclose(found, wanted, SAME, SAME * abs(wanted).max()):
            raise ArithmeticError(f"{what}: {name} gives {found}, not {wanted}.")
    best = _best(calls, TURNS, CALLS)
    own = next(iter(best.values()))
    for name, seconds in best.items():
        section.rows.append([f"{what}: {name}", microseconds(seconds), f"{seconds / own:.2f}"])
        section.records.append({"what": what, "engine": name, "best": seconds})
    return best


def _target(section: Section, what: str, found: float, most: float) -> None:
    section.targets.append(Target(what, f"at most {most:g}×", f"{found:.2f}×", found <= most))


def _seven_joints(section: Section) -> None:
    mechanism = make("chain", 7)
    system, out = mechanism.model().compile(), np.empty(7)
    q, v, a = np.random.default_rng(5).normal(size=(3, 7))
    inverse: Calls = {
        "Touchback": lambda: system.inverse_dynamics(q, v, a),
        "Touchback, out=": lambda: system.inverse_dynamics(q, v, a, out=out),
    }
    forward: Calls = {
        "Touchback": lambda: system.forward_dynamics(q, v, a),
        "Touchback, out=": lambda: system.forward_dynamics(q, v, a, out=out),
    }
    try:
        import pinocchio as pin
    except ImportError:
        section.remark("Pinocchio: the package pin is not installed.")
    else:
        model, data = python_model(mechanism, 7)
        inverse["Pinocchio rnea"] = lambda: pin.rnea(model, data, q, v, a)
        forward["Pinocchio aba"] = lambda: pin.aba(model, data, q, v, a)
    _add_mujoco(section, mechanism, inverse, forward, (q, v, a))
    for what, peer, calls in (
        ("inverse dynamics, 7 joints", "Pinocchio rnea", inverse),
        ("forward dynamics, 7 joints", "Pinocchio aba", forward),
    ):
        best = _compare(section, what, calls)
        if peer in best:
            _target(section, f"{what}, of {peer}", best["Touchback"] / best[peer], 0.5)


def _add_mujoco(
    section: Section, mechanism: Any, inverse: Calls, forward: Calls, at: tuple[Floats, ...]
) -> None:
    """Its calls compute more than is asked (sensors, energy); the state stays in its data."""
    try:
        import mujoco
    except ImportError:
        section.remark("MuJoCo: the package mujoco is not installed.")
        return
    model = mujoco_engine.python_model(mechanism)
    one, other = mujoco.MjData(model), mujoco.MjData(model)
    for data in (one, other):
        data.qpos[:], data.qvel[:] = at[0], at[1]
    one.qacc[:], other.qfrc_applied[:] = at[2], at[2]
    inverse["MuJoCo mj_inverse"] = lambda: mujoco.mj_inverse(model, one)
    forward["MuJoCo mj_forward"] = lambda: mujoco.mj_forward(model, other)


def _panda(section: Section) -> None:
    """Nine joints of which one is tied to another, beside Pinocchio without the tie."""
    try:
        import pinocchio as pin

        folder = Path(str(metadata.distribution("example-robot-data").locate_file("cmeel.prefix")))
    except (ImportError, metadata.PackageNotFoundError):
        section.remark("Constrained panda: pin or example-robot-data is not installed.")
        return
    file = folder / "share/example-robot-data/robots/panda_description/urdf/panda.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # meshes and colours that a mechanism doesn't need
        system = read_urdf(file, meshes=False).compile()
    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    start = system.assemble()
    q, v, tau = start.q, 0.1 * np.ones(9), np.ones(9)
    order = [system.coordinates.index(name) for name in list(model.names)[1:]]
    there = [np.ascontiguousarray(array[order]) for array in (q, v, tau)]
    calls: Calls = {
        "Touchback, tied": lambda: system.forward_dynamics(q, v, tau),
        "Pinocchio aba, free": lambda: pin.aba(model, data, *there),
    }
    for call in calls.values():
        call()
    best = _best(calls, TURNS, CALLS)
    for name, seconds in best.items():
        ratio = seconds / best["Touchback, tied"]
        label = f"forward dynamics, panda: {name}"
        section.rows.append([label, microseconds(seconds), f"{ratio:.2f}"])
        section.records.append({"what": "constrained panda", "engine": name, "best": seconds})
    ratio = best["Touchback, tied"] / best["Pinocchio aba, free"]
    _target(section, "constrained panda, of Pinocchio's unconstrained aba", ratio, 1.0)
    _constrained_arrays(section, "panda tied", system, 1e-3)


def _constrained_arrays(section: Section, name: str, system: System, spread: float) -> None:
    """Many states of a constrained system in one call, beside loops in C and Python that take one
    at a time."""
    start, random = system.assemble(), np.random.default_rng(7)
    Q, V = (x + spread * random.normal(size=(STATES, x.size)) for x in (start.q, start.v))
    tau = np.ones_like(start.v)
    system.forward_dynamics(start.q, start.v, tau)  # from now on a C callable
    method = system.forward_dynamics
    out, c_loop = np.empty((STATES, start.v.size)), _constrained_c_loop(system, Q, V, tau)
    calls: Calls = {
        "one call": lambda: method(Q, V, tau, out=out),
        "C loop, one at a time": c_loop,
        "Python loop": lambda: np.stack([method(a, b, tau) for a, b in zip(Q, V, strict=True)]),
    }
    wanted = calls["Python loop"]()
    if any(not np.array_equal(call(), wanted) for call in calls.values()):
        raise ArithmeticError("An array of constrained states has other bits than single ones.")
    best = _best(calls, CONSTRAINED_TURNS, 1)
    for what, seconds in best.items():
        label = f"forward dynamics, {name}, {STATES} states: {what}"
        ratio = f"{seconds / best['one call']:.2f}"
        section.rows.append([label, microseconds(seconds / STATES), ratio])
        section.records.append({"what": label, "engine": what, "best": seconds / STATES})


def _constrained_c_loop(
    system: System, Q: Floats, V: Floats, tau: Floats
) -> Callable[[], Floats]:  # fmt: skip
    calls, (nq, n, _) = system.calls, system.sizes
    motion = calls.by_name("motion by tau")
    one, p = motion.compiled, calls.block(motion)
    X = np.hstack([Q, V, np.tile(system.assemble().z, (STATES, 1))])
    u = np.concatenate([[0.0], system.layout.input_defaults, tau])

    def loop() -> Floats:
        found = evaluate_rows(one.address, X, u, p, motion.out_size, 0, one.context_address)
        return found[:, nq : nq + n]

    return loop


def _arrays(section: Section) -> None:
    """One call for many states, beside a loop in C over numbers that lie as lanes want them."""
    system = make("chain", 7).model().compile()
    given = np.random.default_rng(6).normal(size=(3, STATES, 7))
    for what, method in (
        ("inverse dynamics", system.inverse_dynamics), ("forward dynamics", system.forward_dynamics)
    ):  # fmt: skip
        result, loop = np.empty((STATES, 7)), _c_loop(system, what, given)

        def call(method: Any = method, result: Floats = result) -> Any:
            return method(*given, out=result)

        lanes = native_lanes()
        alone = loop().reshape(-1, 7, lanes).transpose(0, 2, 1).reshape(STATES, 7)
        if not np.array_equal(call(), alone):
            raise ArithmeticError(f"{what}: an array of states has other bits than single ones.")
        best = _best({"one call": call, "C loop": loop}, BATCH_TURNS, 1)
        for name, seconds in best.items():
            label = f"{what}, {STATES} states: {name}"
            ratio = f"{seconds / best['one call']:.2f}"
            section.rows.append([label, microseconds(seconds / STATES), ratio])
            section.records.append({"what": label, "engine": name, "best": seconds / STATES})
        found = best["one call"] / best["C loop"]
        _target(section, f"{what}, {STATES} states, of a C loop at SIMD width", found, 1.3)


def _c_loop(system: System, what: str, given: Floats) -> Callable[[], Floats]:
    function, lanes = system.function(what), native_lanes()
    wide = function.for_lanes(lanes)
    q, v, a = given
    X = _interleaved(np.hstack([q, v]), lanes)
    U = _interleaved(np.hstack([np.zeros((STATES, 1)), a]), lanes)
    p = np.zeros(lanes * function.block_size)
    size = wide.out_size * lanes
    return lambda: evaluate_rows(wide.address, X, U, p, size, wide.work_size, wide.context_address)


def _interleaved(rows: Floats, lanes: int) -> Floats:
    groups = rows.reshape(-1, lanes, rows.shape[1]).transpose(0, 2, 1)
    return np.ascontiguousarray(groups).reshape(len(groups), -1)


def _imports(section: Section) -> None:
    commands = {
        "import numpy": ["-c", "import numpy"],
        "import touchback": ["-c", "import touchback"],
        "import touchback, a model": ["-c", "import touchback as tb; tb.Model"],
        "touchback --help": ["-m", "touchback.cli", "--help"],
    }
    seconds = dict.fromkeys(commands, float("inf"))
    for _ in range(IMPORT_TURNS):
        for name, command in commands.items():
            seconds[name] = min(seconds[name], _processor_time(command))
    for name, spent in seconds.items():
        ratio = spent / seconds["import numpy"]
        section.rows.append([name, f"{spent:.2f} s", f"{ratio:.2f}"])
        section.records.append({"what": name, "best": spent})
    for name, most in (("import touchback", 2.5), ("touchback --help", 4.0)):
        _target(
            section, f"{name}, of NumPy's import", seconds[name] / seconds["import numpy"], most
        )


def _processor_time(command: list[str]) -> float:
    before = os.times()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return (after.children_user - before.children_user) + (
        after.children_system - before.children_system
    )
