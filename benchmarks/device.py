"""A key on a wire: the reference firmware under qemu, and as a program of this machine, and a live
run that holds it."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import touchback as tb
from benchmarks.report import Section, microseconds
from touchback.devices import GuardedOutput, SerialDevice, WatchedInput

FIRMWARE = Path(__file__).parent.parent / "firmware"
RATES = (1000, 4000)
BOARDS = {"host": ("cc", "make"), "lm3s6965": ("qemu-system-arm", "arm-none-eabi-gcc", "make")}
PATIENCE = 20.0  # s: an emulator on a busy machine is slow to answer


def run(seconds: float = 20.0) -> Section:
    """Round trip, age of the position at the tick, and loss, at both rates."""
    section = Section(
        "A key on a wire (pseudo-terminal): times in µs",
        ["firmware", "samples and ticks a second", "round trip, shortest",
         "age at the tick p50 p99 p99.9 max", "samples", "lost", "too old", "damaged",
         "commands", "lost there", "clock drift"],
    )  # fmt: skip
    for board, tools in BOARDS.items():
        if all(map(shutil.which, tools)):
            for rate in RATES:
                _row(section, board, rate, seconds)
        else:
            section.remark(f"{board}: {' or '.join(tools)} isn't here; nothing was measured.")
    section.remark(
        "Age: from the device's measurement, in its own clock as estimated here, to the tick that "
        "uses it. Firmware, driver and ticks share this machine's processors, whose load (average "
        f"of a minute) was {os.getloadavg()[0]:.1f} at the end; a real line adds its own time (34 "
        "bytes at 921 600 baud: 0.37 ms)."
    )
    return section


@contextlib.contextmanager
def started(board: str, rate: int) -> Iterator[str]:
    """The path of the line to a key."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["make", "-s", "-C", str(FIRMWARE), f"OUT={folder}", f"RATE={rate}",
             f"BOARD={board}", "OPTIONS=-DFINGER=0.2f"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        command = [f"{folder}/key.elf"]
        if board != "host":
            command = [
                "qemu-system-arm", "-M", f"{board}evb", "-display", "none", "-monitor", "none",
                "-chardev", "pty,id=line", "-serial", "chardev:line", "-kernel", *command,
            ]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            found = re.search(r"/dev/\S+", process.stdout.readline())
            assert found is not None
            yield found[0]
        finally:
            process.kill()
            process.wait()


def _spring() -> tb.System:
    m = tb.Model("spring")
    m.sensor("torque", tb.Signal(-4.0 * m.input("angle", unit="rad"), "N m"))
    return m.compile()


def _row(section: Section, board: str, rate: int, seconds: float) -> None:
    inputs = {"angle": WatchedInput(max_age=0.05)}
    outputs = {"torque": GuardedOutput(low=-1.0, high=1.0, at_limit="clip")}
    with (
        started(board, rate) as path,
        SerialDevice(path, patience=PATIENCE) as device,
        tb.live(_spring(), rate=rate, inputs=inputs, outputs=outputs) as live,
    ):
        live.connect("angle", device)
        live.connect("torque", device)
        time.sleep(1.0)  # the clocks come to know each other
        before, there = device.counts, device.device_counts(PATIENCE)
        live.run(seconds)
        after, then = device.counts, device.device_counts(PATIENCE)
        age, clock = live.report().histograms["input_age"], device.clock
    counts = {name: after[name] - before[name] for name in after}
    ages = [age.percentile(p) or 0.0 for p in (50, 99, 99.9)] + [1e-9 * age.largest]
    lost = then["lost"] - there["lost"]
    section.rows.append(
        [board, f"{rate}", microseconds(clock.round_trip), " ".join(map(microseconds, ages)),
         f"{counts['samples']}", f"{counts['lost']}", f"{counts['late']}", f"{counts['damaged']}",
         f"{counts['commands']}", f"{lost}", f"{1e6 * clock.drift:.1f} ppm"],
    )  # fmt: skip
    section.records.append(
        {
            "board": board,
            "rate": rate,
            "round trip": clock.round_trip,
            "age": ages,
            "lost there": lost,
            **counts,
        }
    )
