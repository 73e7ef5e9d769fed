"""The ioctl of event devices, against rules of the kernel's documentation in C. No machine of ours
has an event device, or /dev/uinput to make one: a wheel itself was not tried."""

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NATIVE = HERE.parents[2] / "src" / "touchback" / "native"


def test_a_device_is_described_pushed_and_left_as_the_kernel_wants_it(tmp_path) -> None:
    program = tmp_path / "rules"
    faked = ["-Dioctl=fake_ioctl", "-Dwrite=fake_write"]
    try:
        parts = []
        for source, flags in (
            (NATIVE / "evdev" / "kernel.c", faked), (HERE / "kernel_rules.c", []),
        ):  # fmt: skip
            parts.append(str(tmp_path / f"{source.stem}.o"))
            command = ["gcc", "-std=gnu11", "-Wall", f"-I{NATIVE}", *flags]
            subprocess.run([*command, "-c", str(source), "-o", parts[-1]], check=True)
        subprocess.run(["gcc", *parts, "-o", str(program)], check=True)
    except FileNotFoundError:
        pytest.skip("there is no gcc")
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.stdout == "as the kernel has it\n", done.stderr
