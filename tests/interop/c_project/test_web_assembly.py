"""A model as WebAssembly computes what `tb.simulate` does, step by step; the module is run by the
engine of Node or of a browser's driver."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from c_projects import driven_slider_crank, run_of, sampled_slider, whirling_arm
from models_with_modes import bouncing_ball
from touchback.errors import CompileError
from touchback.interop import WebModel, web_model
from touchback.system.body_poses import BodyPoses

needs_web_compiler = pytest.mark.skipif(
    not (shutil.which("clang") and shutil.which("wasm-ld")), reason="there is no clang or wasm-ld"
)
_PROGRAM = """
const [file, facts] = process.argv.slice(1), { steps, every, sizes, set } = JSON.parse(facts);
const told = [];
WebAssembly.instantiate(require("fs").readFileSync(file), {}).then(({ module, instance: { exports: e } }) => {
  const array = name => [...new Float64Array(e.memory.buffer, e[name](), sizes[name])];
  e.begin();
  for (const [name, i, value] of set) new Float64Array(e.memory.buffer, e[name](), sizes[name])[i] = value;
  e.use_parameters();
  for (let k = 0; k <= steps; k += every) {
    if (k) e.step(every);
    e.look();
    told.push({ time: e.time(), state: array("state"), outputs: array("outputs"), seen: array("seen") });
  }
  console.log(JSON.stringify({ told, imports: WebAssembly.Module.imports(module), unanswered: e.unanswered() }));
});
"""  # noqa: E501


def engine() -> str:
    found = shutil.which("node")
    if found is None:
        driver = pytest.importorskip("playwright._impl._driver", reason="there is no Node")
        found = driver.compute_driver_executable()[0]
    return str(found)


def run_module(
    made: WebModel, seen: int, folder: Path, steps: int, every: int = 1, **changed: float
) -> dict:
    """What the module computes, a row each few steps, with parameters or inputs changed."""
    system = made.written.system
    parameters = list(system.parameters)
    facts = {
        "steps": steps, "every": every,
        "set": [
            ("parameters", parameters.index(name), value) if name in parameters
            else ("inputs", list(system.input_names).index(name), value)
            for name, value in changed.items()
        ],
        "sizes": {
            "state": len(system.state_names), "outputs": len(made.written.labels), "seen": seen,
            "inputs": len(system.input_names), "parameters": len(parameters),
        },
    }  # fmt: skip
    file = folder / "model.wasm"
    file.write_bytes(made.code)
    done = subprocess.run(
        [engine(), "-e", _PROGRAM, str(file), json.dumps(facts)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def states(told: dict) -> np.ndarray:
    return np.array([each["state"] for each in told["told"]])


@needs_web_compiler
@pytest.mark.parametrize("model", [driven_slider_crank(), whirling_arm(), sampled_slider()])
def test_a_module_has_the_bits_of_simulate_and_shows_bodies_where_they_are(model, tmp_path) -> None:
    system = model.compile()
    poses = BodyPoses(system)
    made = web_model(system, poses.function, 1e-3, "rk4")
    told = run_module(made, poses.function.out_size, tmp_path, 200)
    run = run_of(model, 1e-3, 200)
    expected = np.stack([run[name] for name in system.state_names], axis=1)
    assert told["imports"] == [] and told["unanswered"] == 0
    assert np.array_equal(states(told), expected)
    for number, name in enumerate(name for name, _ in made.written.labels):
        found = np.array([each["outputs"][number] for each in told["told"]])
        assert np.abs(found - run[name]).max() < 1e-12 * max(1.0, np.abs(run[name]).max()), name
    last = told["told"][-1]
    where = poses.numbers(expected[-1], last["time"], system.input_defaults, system.parameters)[0]
    assert np.abs(np.array(last["seen"]) - where).max() < 1e-15


@needs_web_compiler
def test_a_module_follows_its_parameters(tmp_path) -> None:
    model = whirling_arm()
    system = model.compile()
    poses = BodyPoses(system)
    made = web_model(system, poses.function, 1e-3, "rk4")
    told = run_module(made, poses.function.out_size, tmp_path, 200, **{"arm length": 0.55})
    run = tb.simulate(system, None, 0.2, method="rk4", step=1e-3, parameters={"arm length": 0.55})
    expected = np.stack([run[name] for name in system.state_names], axis=1)
    assert np.array_equal(states(told), expected)
    hand = np.array([each["seen"][24:27] for each in told["told"]])  # after the ground and the arm
    assert np.abs(np.linalg.norm(hand, axis=1) - 0.55).max() < 1e-15  # it hangs at the arm's end


@needs_web_compiler
def test_a_module_bounces_when_the_run_does(tmp_path) -> None:
    system = bouncing_ball().compile()
    poses = BodyPoses(system)
    made = web_model(system, poses.function, 1e-3, "rk4")
    told = run_module(made, poses.function.out_size, tmp_path, 800)
    run = tb.simulate(system, None, 0.8, method="rk4", step=1e-3)
    expected = np.stack([run[name] for name in system.state_names], axis=1)
    assert np.diff(np.sign(expected[:, 1])).max() == 2.0  # it came up again
    assert np.abs(states(told) - expected).max() < 1e-12


def test_a_machine_without_the_compiler_is_told_what_to_install(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    system = whirling_arm().compile()
    with pytest.raises(CompileError, match=r"wasm-ld isn't on the PATH; install clang and lld"):
        web_model(system, BodyPoses(system).function)
