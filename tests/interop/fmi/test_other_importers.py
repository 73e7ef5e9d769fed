"""FMUs in the hands of other importers than FMPy, which share no code with it nor with us."""

import json
from collections.abc import Callable
from pathlib import Path

import fmpy
import numpy as np
import pytest

import touchback as tb
from fmus import Written

Make = Callable[[str, int], Written]
MECHANISMS = pytest.mark.parametrize("name", ["tree", "loop"])


@MECHANISMS
def test_libcosim_takes_the_same_steps(written: Make, name: str) -> None:
    """Of the Open Simulation Platform, which reads FMUs by Modelon's FMI Library: FMI 2.0."""
    execution = pytest.importorskip(
        "libcosimpy.CosimExecution", reason="libcosimpy has wheels for x86-64 only"
    )
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    it = written(name, 2)
    running = execution.CosimExecution.from_step_size(step_size=1_000_000)  # ns
    slave = running.add_local_slave(CosimLocalSlave(fmu_path=str(it.path), instance_name="it"))
    observer = CosimObserver.create_last_value()
    running.add_observer(observer)
    running.step(200)
    about = fmpy.read_model_description(str(it.path))
    references = {each.name: each.valueReference for each in about.modelVariables}
    wanted = [references[each] for each in it.system.state_names]
    found = observer.last_real_values(slave_index=slave, variable_references=wanted)
    ours = tb.simulate(it.system, duration=0.2, method="rk4", step=1e-3)
    assert found == pytest.approx([ours[each][-1] for each in it.system.state_names], abs=1e-9)


@MECHANISMS
def test_a_container_takes_the_same_steps(written: Make, tmp_path: Path, name: str) -> None:
    """Renault's FMU containers load and step what they contain by C code of their own: FMI 3.0."""
    assembly = pytest.importorskip(
        "fmu_manipulation_toolbox.assembly", reason="its containers run on x86-64 only"
    )
    it, boxed = written(name, 3), tmp_path / "boxed.fmu"
    about = {"name": boxed.name, "fmu": [str(it.path)], "step_size": 1e-3, "auto_local": True}
    (tmp_path / "box.json").write_text(json.dumps(about))
    box = assembly.Assembly("box.json", fmu_directory=tmp_path)
    box.make_fmu(fmi_version=3)
    names = [each.name for each in fmpy.read_model_description(str(boxed)).modelVariables]
    wanted = {  # locals of what it contains have its name before theirs
        each: next(known for known in names if known in (each, f"{it.path.stem}.{each}"))
        for each in (*it.system.state_names, *it.system.output_names)
    }
    found = fmpy.simulate_fmu(
        str(boxed), stop_time=0.2, step_size=1e-3, output_interval=1e-3, output=[*wanted.values()]
    )
    ours = tb.simulate(it.system, duration=0.2, method="rk4", step=1e-3)
    for each, known in wanted.items():
        size = max(1.0, np.abs(ours[each]).max())
        np.testing.assert_allclose(found[known], ours[each], rtol=0, atol=1e-9 * size)


@pytest.mark.parametrize("version", [2, 3])
def test_a_second_checker_finds_nothing_against_schema_or_standard(
    written: Make, version: int
) -> None:
    checker = pytest.importorskip("fmu_manipulation_toolbox.checker")
    from fmu_manipulation_toolbox.operations import FMU

    schema, meaning = checker.OperationGenericCheck(), checker.OperationSemanticCheck()
    with FMU(str(written("loop", version).path)) as found:
        for look in (schema, meaning):
            found.apply_operation(look)
    assert schema.compliant_with_version == f"{version}.0"
    assert meaning.errors == []
