"""MATLAB text, run by Octave, moves as `tb.simulate` does; so does its S-function."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.interop.export_targets import generate

needs_octave = pytest.mark.skipif(not shutil.which("octave"), reason="there is no octave")
BLOCK = """\
classdef block_like < handle
  % What Simulink hands to a Level-2 S-function, as far as ours looks at it.
  properties
    NumDialogPrms, NumInputPorts, NumOutputPorts, InputPort, OutputPort, NumContStates
    SampleTimes, ContStates, Derivatives, DialogPrm, CurrentTime, called
  end
  methods
    function RegBlockMethod(block, name, f)
      block.called.(name) = f;
    end
  end
end
"""
DRIVE_BLOCK = """
b = block_like(); b.called = struct(); b.CurrentTime = 0; b.DialogPrm = struct('Data', []);
b.InputPort = struct('Dimensions', 0, 'DirectFeedthrough', false, 'Data', INPUTS);
b.OutputPort = struct('Dimensions', 0, 'Data', []); b.ContStates = struct('Data', []);
b.Derivatives = struct('Data', []);
model_sfun(b);
for name = {'InitializeConditions', 'Projection', 'Derivatives', 'Outputs'}
  f = b.called.(name{1}); f(b);
end
x = b.ContStates.Data; rate = b.Derivatives.Data; y = b.OutputPort(1).Data;
save('-ascii', '-double', 'x.txt', 'x'); save('-ascii', '-double', 'rate.txt', 'rate');
save('-ascii', '-double', 'y.txt', 'y');
"""

OPEN_THE_LOOP = """
m = model_data(); m.parameters(1) = 2; told = 'nothing';  % a crank of 2 m on a rod of 0.4 m
try
  model_settle(0.2, m.state, m.inputs, model_parameters(m), m);
catch e
  told = e.identifier;
end
f = fopen('told.txt', 'w'); fputs(f, told); fclose(f);
"""


def octave(folder: Path, text: str) -> None:
    (folder / "block_like.m").write_text(BLOCK)
    words = ["octave", "--no-gui", "--norc", "--quiet", "--no-history", "--eval", text]
    subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=300)


def numbers(file: Path) -> np.ndarray:
    return np.atleast_1d(np.loadtxt(file))


def gimballed_loop() -> tb.Model:
    """A driven slider-crank on a body that turns freely: quaternions, a loop, a drive, a state, a
    table, a live parameter."""
    m = tb.Model("gimballed loop", gravity=(0, 0, -9.81))
    r = m.parameter("radius", 0.1, unit="m")
    frame = m.body("frame", mass=3.0, inertia=(0.2, 0.3, 0.25))
    m.joint("turn", tb.Spherical(), m.ground, frame)
    crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-3, 8e-3, 8e-3))
    rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-3, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("crank", tb.Revolute("y"), frame, crank)
    m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), frame, slider, position=0.5)
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    m.drive("crank", tb.Sine(0.8, 2.0))
    heat = m.state("heat", 0.2)
    m.set_rate("heat", m.rate("slider") * m.rate("slider") - heat)
    law = m.table("law", [0.0, 0.5, 1.0], [3.0, 0.0, -4.0])
    push = m.input("push", unit="N", default=0.5)
    m.force("spring", tb.JointEffort("slider", tb.lookup(law, m.coordinate("slider")) + push))
    m.sensor("effort", tb.Multiplier("crank"))
    m.sensor("place", tb.Position(slider))
    return m


@needs_octave
def test_loops_drives_and_quaternions_move_as_ours_and_so_does_the_s_function(tmp_path) -> None:
    model = gimballed_loop()
    generate(model, "matlab", tmp_path)
    octave(
        tmp_path,
        "[t, x, y] = model_run(0.03, 1e-3); out = [x, y];"
        "save('-ascii', '-double', 'run.txt', 'out');"
        "m = model_data(); m.parameters(1) = 0.14; [t, x] = model_run(0.03, 1e-3, m);"
        "save('-ascii', '-double', 'longer.txt', 'x');"
        + DRIVE_BLOCK.replace("INPUTS", "0.5")
        + OPEN_THE_LOOP,
    )
    system = model.compile()
    run = tb.simulate(system, duration=0.03, method="rk4", step=1e-3, progress=False)
    found = np.loadtxt(tmp_path / "run.txt")
    for column, name in zip(found.T, [*system.state_names, *system.output_names], strict=True):
        # which coordinates depend on the others is another choice: integration's error is left
        assert np.abs(column - run[name]).max() < 1e-9 * max(1.0, np.abs(run[name]).max()), name
    assert np.ptp(found[:, list(system.state_names).index("crank")]) > 0.1
    x = tb.State(*np.split(numbers(tmp_path / "x.txt"), np.cumsum(system.sizes)[:2]))
    rate = system.state_rate(x.q, x.v, z=x.z, t=0.0)
    assert np.allclose(numbers(tmp_path / "rate.txt"), rate, rtol=0.0, atol=1e-10)
    first = [run[name][0] for name in system.output_names]
    assert np.allclose(numbers(tmp_path / "y.txt"), first, rtol=1e-10, atol=1e-10)
    assert (tmp_path / "told.txt").read_text() == "model:open"
    longer = tb.simulate(
        system, duration=0.03, method="rk4", step=1e-3, parameters={"radius": 0.14}, progress=False
    )  # assembled again from the state that the model describes
    found = np.loadtxt(tmp_path / "longer.txt")
    for column, name in zip(found.T, system.state_names, strict=True):
        assert np.abs(column - longer[name]).max() < 1e-9 * max(1.0, np.abs(column).max()), name


@needs_octave
def test_a_tree_moves_as_ours(tmp_path) -> None:
    generate(gallery.entry("motor-arm").make(), "matlab", tmp_path)
    octave(tmp_path, "[t, x] = model_run(0.05, 1e-3); save('-ascii', '-double', 'run.txt', 'x');")
    system = gallery.entry("motor-arm").make().compile()
    run = tb.simulate(system, duration=0.05, method="rk4", step=1e-3, progress=False)
    states = np.array([run[name] for name in system.state_names]).T
    assert np.abs(np.loadtxt(tmp_path / "run.txt") - states).max() < 1e-12


def test_what_has_no_text_is_refused_by_name(tmp_path) -> None:
    m = tb.Model("sampled")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    m.memory("held", 0.0, update=m.coordinate("slide"))
    for model, told in ((m, "memories.*held"), (gallery.entry("harpsichord").make(), "modes")):
        with pytest.raises(tb.InputError, match=told):
            generate(model, "matlab", tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_names_and_numbers_are_written_as_the_golden_file_has_them(
    tmp_path, matches_golden
) -> None:
    generate(gallery.entry("slider-crank").make(), "matlab", tmp_path)
    matches_golden((tmp_path / "model_data.m").read_text(), "slider_crank_data.m")
