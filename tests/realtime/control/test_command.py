"""`touchback live --control`: the command in a process of its own, a client in another."""

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.cli.live_commands import _watch
from touchback.realtime import open_recording

CLIENT = """
import json, sys, time
import touchback as tb

with tb.control(sys.argv[1]) as rig:
    told = {"state": rig.pause()["state"], "begun": rig.read("time")["time"]}  # before all else
    rig["length"] = 1.5
    told["length"] = next(
        each["value"] for each in rig.what()["parameters"] if each["name"] == "length"
    )
    before = rig.read()
    rig.step(10)
    after = rig.read()
    told["stepped"] = after["time"] - before["time"]
    told["rested"] = rig.read("time")["time"] == after["time"]
    try:
        rig["lenght"] = 2.0
    except tb.InputError as error:
        told["refused"] = str(error)
    rig.speed(5.0)
    rig.go()
    while rig.read("time")["time"] < after["time"] + 0.1:
        time.sleep(0.002)  # 1000 questions a second are taken
    print(json.dumps(told))
"""


@pytest.mark.parametrize("ended_by", ["its seconds", "Ctrl-C"])
def test_another_process_sets_reads_pauses_steps_and_the_run_ends_whole(
    ended_by: str, tmp_path: Path
) -> None:
    place, recording = str(tmp_path / "rig.sock"), tmp_path / "run.mcap"
    seconds = "0.5" if ended_by == "its seconds" else "600"
    command = [
        sys.executable, "-m", "touchback.cli", "live", "pendulum", "--rate", "500",
        "--speed", "0.01",  # until the client is there
        "--seconds", seconds, "--control", place, "--record", str(recording),
    ]  # fmt: skip
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as rig:
        try:
            assert rig.stdout is not None
            line = rig.stdout.readline()
            assert line.strip() == f"control port at {place}"
            client = subprocess.run(
                [sys.executable, "-c", CLIENT, place], capture_output=True, text=True, timeout=60
            )
            assert client.returncode == 0, client.stderr
            if ended_by == "Ctrl-C":
                rig.send_signal(signal.SIGINT)
            said, complained = rig.communicate(timeout=60)
        finally:
            rig.kill()
    told = json.loads(client.stdout)
    assert told["length"] == 1.5 and told["state"] == "paused" and told["rested"]
    assert told["stepped"] == pytest.approx(10 / 500, abs=1e-12)
    assert "did you mean 'length'?" in told["refused"]
    assert rig.returncode == 0, complained
    assert "Live run of 'pendulum'" in said
    kept = open_recording(recording)
    length = np.array([kept.parameters[int(each)]["length"] for each in kept.column("version")])
    assert kept.complete and length[-1] == 1.5
    begun = np.argmax(length == 1.5)
    assert (length[begun:] == 1.5).all()  # from one tick on
    assert kept.column("time")[begun] >= told["begun"]
    assert tb.replay(recording).same
    assert not Path(place).exists()


def test_a_run_that_a_client_lets_rest_at_once_is_waited_for(cart: tb.System) -> None:
    with tb.live(cart, rate=500) as live:
        live.pause()
        threading.Timer(0.1, live.go).start()
        before = live.read("time")
        _watch(live, 0.02, [])
        assert live.read("time") >= before + 0.02 - 1e-9
