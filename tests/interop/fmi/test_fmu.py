"""Mechanisms as FMUs, validated, simulated and differentiated by FMPy."""

import ctypes
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.fmi2 import (
    FMU2Slave,
    calloc,
    fmi2CallbackAllocateMemoryTYPE,
    fmi2CallbackFreeMemoryTYPE,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
    fmi2Error,
    free,
)
from fmpy.fmi3 import fmi3Discard
from fmpy.simulation import instantiate_fmu
from fmpy.validation import validate_fmu

import touchback as tb
from fmus import Written, units
from touchback.errors import InputError
from touchback.interop.export_targets import generate

BOTH = pytest.mark.parametrize("version", [2, 3])
Make = Callable[[str, int], Written]
INPUTS = {"tree": {"push": 3.0}, "loop": {"torque": 0.2}}
MECHANISMS = pytest.mark.parametrize("name", list(INPUTS))
CVODE = Path(fmpy.__file__).parent / "sundials" / fmpy.platform_tuple


def simulated(it: Written, kind: str, inputs: dict[str, float], interval: float) -> np.ndarray:
    """By FMPy; given an instance, it doesn't ask for a binary of x86-64."""
    wanted = [*it.system.state_names, *it.system.output_names]
    with tempfile.TemporaryDirectory() as folder:
        fmpy.extract(it.path, folder)
        told = fmpy.read_model_description(folder)
        unit = instantiate_fmu(folder, told, kind)
        try:
            return fmpy.simulate_fmu(
                folder, stop_time=1.0, output_interval=interval, fmi_type=kind, output=wanted,
                start_values=inputs, relative_tolerance=1e-12, record_events=False,
                model_description=told, fmu_instance=unit,
            )  # fmt: skip
        finally:
            unit.freeInstance()


@BOTH
@MECHANISMS
def test_fmpy_finds_no_problems(written: Make, name: str, version: int) -> None:
    assert validate_fmu(str(written(name, version).path)) == []


@BOTH
@MECHANISMS
def test_fmpy_takes_the_same_steps(written: Make, name: str, version: int) -> None:
    it, inputs = written(name, version), INPUTS[name]
    found = simulated(it, "CoSimulation", inputs, 1e-3)
    ours = tb.simulate(it.system, duration=1.0, method="rk4", step=1e-3, inputs=inputs)
    for signal in [*it.system.state_names, *it.system.output_names]:
        size = max(1.0, np.abs(ours[signal]).max())
        np.testing.assert_allclose(found[signal], ours[signal], rtol=0, atol=1e-9 * size)
    assert np.ptp(ours[it.system.state_names[0]]) > 0.1  # it moves


@pytest.mark.skipif(not CVODE.is_dir(), reason="FMPy has no CVODE for this machine")
@MECHANISMS
def test_fmpys_integrator_finds_the_same_motion(written: Make, name: str) -> None:
    """CVODE, with its own error control, against our Dormand-Prince of order 5."""
    it, inputs = written(name, 2), INPUTS[name]
    found = simulated(it, "ModelExchange", inputs, 0.005)
    ours = tb.simulate(
        it.system, duration=1.0, method="dopri5", rtol=1e-12, atol=1e-13, output_step=0.005,
        inputs=inputs,
    )  # fmt: skip
    for signal in it.system.state_names:
        size = max(1.0, np.abs(ours[signal]).max())
        np.testing.assert_allclose(found[signal], ours[signal], rtol=0, atol=1e-9 * size)


@BOTH
@MECHANISMS
def test_directional_derivatives_are_those_of_differences(
    written: Make, name: str, version: int
) -> None:
    it = written(name, version)
    with units(it.path, version, "me") as [unit]:
        unit.begin(**INPUTS[name])
        x0 = unit.get(*unit.states)
        x0 += 0.02 * np.sin(np.arange(len(x0)))
        unknowns = [*unit.rates, *it.system.output_names]
        for i, state in enumerate(unit.states):
            step = 1e-6 * (np.arange(len(x0)) == i)
            unit.set_states(x0)
            slopes = unit.slopes(unknowns, state)
            ends = []
            for sign in (1.0, -1.0):
                unit.set_states(x0 + sign * step)
                ends.append(unit.get(*unknowns))
            assert slopes == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-4)


@BOTH
def test_derivatives_by_inputs_and_parameters_are_those_of_differences(
    written: Make, version: int
) -> None:
    it = written("tree", version)
    with units(it.path, version, "me") as [unit]:
        unit.begin()
        unknowns = [*unit.rates, *it.system.output_names]
        unit.fmu.enterEventMode()
        for known, at in (("push", 0.0), ("arm length", 0.4)):
            slopes, ends = unit.slopes(unknowns, known), []
            for value in (at + 1e-6, at - 1e-6):
                unit.set({known: value})
                ends.append(unit.get(*unknowns))
            unit.set({known: at})
            assert slopes == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-5)
            assert np.abs(slopes).max() > 0.1


@BOTH
def test_instances_know_nothing_of_each_other(written: Make, version: int) -> None:
    with units(written("tree", version).path, version, "cs", 2) as [one, other]:
        one.begin(push=5.0)
        other.begin(push=-5.0)
        for k in range(20):
            one.step(1e-3 * k, 1e-3)
            other.step(1e-3 * k, 1e-3)
        moved, back = one.get("cart"), other.get("cart")
        one.fmu.terminate()
        one.fmu.reset()
        one.begin(push=-5.0)
        for k in range(20):
            one.step(1e-3 * k, 1e-3)
        assert moved > back
        assert one.get("cart") == back


@BOTH
@MECHANISMS
def test_a_kept_state_goes_on_the_same_here_and_in_another_instance(
    written: Make, name: str, version: int
) -> None:
    word = "FMUstate" if version == 2 else "FMUState"
    with units(written(name, version).path, version, "cs", 2) as [one, other]:
        one.begin(**INPUTS[name])
        one.step(0.0, 0.05)
        state = getattr(one.fmu, f"get{word}")()
        kept = getattr(one.fmu, f"serialize{word}")(state)
        one.step(0.05, 0.05)
        there = one.get(*one.states)
        getattr(one.fmu, f"set{word}")(state)
        one.step(0.05, 0.05)
        assert (one.get(*one.states) == there).all()
        read = getattr(other.fmu, f"{'deSerialize' if version == 2 else 'deserialize'}{word}")
        getattr(other.fmu, f"set{word}")(read(kept))
        other.step(0.05, 0.05)
        assert (other.get(*one.states) == there).all()


@BOTH
def test_a_loop_that_turns_asks_for_events_where_other_coordinates_become_dependent(
    written: Make, version: int
) -> None:
    it = written("loop", version)
    ours = tb.simulate(it.system, duration=1.0, inputs=INPUTS["loop"], output_step=2e-3, rtol=1e-10)
    with units(it.path, version, "me") as [unit]:
        unit.begin(**INPUTS["loop"])
        moves = []
        for k, t in enumerate(ours.time):
            x = np.array([ours[each][k] for each in it.system.state_names])
            unit.fmu.setTime(t)
            unit.set_states(x)
            event, _ = unit.fmu.completedIntegratorStep()
            if event:
                unit.fmu.enterEventMode()
                assert unit.update()[3]  # values of continuous states changed
                unit.fmu.enterContinuousTimeMode()
                moves.append(np.abs(unit.get(*unit.states) - x).max())
    assert 1 <= len(moves) < 20
    assert max(moves) < 1e-8  # what the run's own tolerance left


@BOTH
def test_numbers_that_are_none_are_refused_and_leave_the_instance_usable(
    written: Make, version: int
) -> None:
    with units(written("tree", version).path, version, "cs") as [unit]:
        unit.begin()
        for name, value in (("push", np.nan), ("arm length", np.inf), ("arm length", 5.0)):
            before = unit.get(name)
            with pytest.raises(FMICallException):
                unit.set({name: value})
            assert unit.get(name) == before
        unit.step(0.0, 1e-3)
        with pytest.raises(FMICallException):
            unit.step(np.nan, 1e-3)


@BOTH
def test_a_step_without_an_answer_is_not_told_as_one_that_was_taken_in_part(
    written: Make, version: int
) -> None:
    """FMPy asks for a step that FMI 2.0 discards again and again, for ever; 3.0 has another word
    for a part of one (early return), so that discard stands for none."""
    with units(written("tree", version).path, version, "cs") as [unit]:
        unit.begin(push=1e308)
        before = unit.get(*unit.states)
        with pytest.raises(FMICallException) as refused:
            unit.step(0.0, 1e-3)
        assert refused.value.status == {2: fmi2Error, 3: fmi3Discard}[version]
        np.testing.assert_array_equal(unit.get(*unit.states), before)
        unit.set({"push": 0.0})
        unit.step(0.0, 1e-3)


def test_reasons_are_whole_for_importers_that_show_the_format_as_it_is(written: Make) -> None:
    """FMPy does on AArch64, where what would fill it in isn't built."""
    heard: list[bytes] = []
    calls = fmi2CallbackFunctions(
        logger=fmi2CallbackLoggerTYPE(lambda _, name, status, kind, text: heard.append(text)),
        allocateMemory=fmi2CallbackAllocateMemoryTYPE(calloc),
        freeMemory=fmi2CallbackFreeMemoryTYPE(free),
    )
    with tempfile.TemporaryDirectory() as folder:
        fmpy.extract(written("tree", 2).path, folder)
        told = fmpy.read_model_description(folder)
        name = told.coSimulation.modelIdentifier
        unit = FMU2Slave(guid=told.guid, unzipDirectory=folder, modelIdentifier=name)
        unit.instantiate(callbacks=calls, loggingOn=True)
        (length,) = (each for each in told.modelVariables if each.name == "arm length")
        with pytest.raises(FMICallException):
            unit.setReal([length.valueReference], [5.0])
        unit.freeInstance()
    assert len(heard) == 1 and re.search(rb"Parameter \d+: 5 lies outside", heard[0])


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_take_the_interface_without_a_word_and_beside_the_standards_headers(
    written: Make, tmp_path: Path, compiler: str
) -> None:
    """FMPy ships the standard's own headers: prototypes that disagree with ours don't compile."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} isn't installed")
    with zipfile.ZipFile(written("loop", 3).path) as archive:
        archive.extractall(tmp_path)
    standard = str(Path(fmpy.__file__).parent / "c-code")
    calls = ["fmi2.c", "fmi3.c", "fmi3_others.c"]
    parts = ["core.c", "time_stepping.c", "instance.c", "directional_derivatives.c", "fmu_model.c"]
    checked = [compiler, "-std=c11", "-fsyntax-only", "-I.", "-Wall", "-Wextra", "-Werror"]
    for command in (
        [*checked, "-Wconversion", *calls, *parts],
        [*checked, "-DFMU_STANDARD_HEADERS", f"-I{standard}", *calls],
    ):
        done = subprocess.run(command, cwd=tmp_path / "sources", capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_every_function_of_the_standard_is_there(written: Make, tmp_path: Path) -> None:
    with zipfile.ZipFile(written("loop", 2).path) as archive:
        name = next(each for each in archive.namelist() if each.endswith(".so"))
        library = ctypes.CDLL(archive.extract(name, tmp_path))
    for version in (2, 3):
        text = (Path(fmpy.__file__).parent / f"c-code/fmi{version}FunctionTypes.h").read_text()
        wanted = set(re.findall(rf"\b(fmi{version}[A-Z]\w*)TYPE\b", text))
        assert len(wanted) > 40
        assert [each for each in sorted(wanted) if not hasattr(library, each)] == []


def test_what_has_no_such_form_is_refused(tmp_path: object) -> None:
    m = tb.Model("plain")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("cart", 1.0))
    with pytest.raises(InputError, match="version is 2 or 3, got 1"):
        generate(m, "fmu", f"{tmp_path}/a.fmu", version=1)
    with pytest.raises(InputError, match="kind is cs, me or both"):
        generate(m, "fmu", f"{tmp_path}/a.fmu", kind="rk4")
    with pytest.raises(InputError, match=r"ends in \.fmu"):
        generate(m, "fmu", f"{tmp_path}/a.zip")
    m.contact("floor", tb.contact.SpherePlaneContact(m.bodies["cart"].at(0, 0, 0), m.ground))
    with pytest.raises(InputError, match=r"an FMU can't have rigid contacts \('floor'\); make"):
        generate(m, "fmu", f"{tmp_path}/a.fmu")


@BOTH
@pytest.mark.parametrize("kind", ["me", "cs"])
def test_other_parameters_and_inputs_are_assembled_again_as_simulate_does(
    written: Make, kind: str, version: int
) -> None:
    """From the state that the model describes; from one that was set it is the nearest."""
    it = written("loop", version)
    parameters = {"pivots apart": 0.17}
    run = tb.simulate(it.system, duration=1e-3, parameters=parameters, progress=False)
    names = it.system.state_names
    with units(it.path, version, kind, 2) as [one, other]:
        one.begin(**parameters)
        np.testing.assert_array_equal(one.get(*names), [run[name][0] for name in names])
        other.begin(first=0.55, **parameters)
        set_by_importer = other.get(*names)[:4]
        error = it.system.constraint_error(set_by_importer, parameters=parameters)
        assert np.abs(error).max() < 1e-10
        assert np.abs(set_by_importer - one.get(*names)[:4]).max() > 0.01
