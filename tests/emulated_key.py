"""The reference firmware under qemu, with a line to it that can be pulled and disturbed."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from far_ends import ahead_of_others
from waiting import until

FIRMWARE = Path(__file__).parent.parent / "firmware"
TOOLS = ("qemu-system-arm", "arm-none-eabi-gcc", "make")
missing = [tool for tool in TOOLS if shutil.which(tool) is None]
needs_emulator = pytest.mark.skipif(
    bool(missing), reason=f"{', '.join(missing)} isn't here: the firmware can't be emulated"
)


MACHINES = {"lm3s6965": "lm3s6965evb", "stm32f405": "netduinoplus2"}  # of boards, in emulation


def built(folder: Path, options: str = "", *more: str) -> Path:
    """The firmware, compiled; for another board with BOARD=…"""
    command = ["make", "-C", str(FIRMWARE), f"OUT={folder}", f"OPTIONS={options}", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "key.elf"


class EmulatedKey:
    """A microcontroller in emulation. `path` is its line, a pseudo-terminal of the emulator's own,
    or with `bridged` one that `disturb` can do things to."""

    def __init__(
        self, firmware: Path, folder: Path, bridged: bool = False, board: str = "lm3s6965"
    ) -> None:
        self.folder = folder
        self._qmp, self._bridge, wire = folder / "qmp", None, folder / "wire"
        serial = f"socket,path={wire},server=on,wait=off" if bridged else "pty"
        self._emulator = subprocess.Popen(
            ["qemu-system-arm", "-M", MACHINES[board], "-display", "none", "-monitor", "none",
             "-qmp", f"unix:{self._qmp},server=on,wait=off", "-chardev", f"{serial},id=line",
             "-serial", "chardev:line", "-kernel", str(firmware)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            preexec_fn=ahead_of_others,
        )  # fmt: skip
        if not bridged:
            assert self._emulator.stdout is not None
            self.path = re.search(r"/dev/\S+", self._emulator.stdout.readline())[0]
            return
        self.path = str(folder / "line")
        script = str(Path(__file__).with_name("line_bridge.py"))
        self._bridge = subprocess.Popen(
            [sys.executable, script, str(wire), self.path],
            stdin=subprocess.PIPE,
            text=True,
            preexec_fn=ahead_of_others,
        )
        until(lambda: os.path.lexists(self.path) or self._bridge.poll() is not None)
        assert self._bridge.poll() is None

    def disturb(self, what: str) -> None:
        """Tells the bridge: "unplug SECONDS", "garbage BYTES" or "damage BYTES"."""
        assert self._bridge is not None and self._bridge.stdin is not None
        self._bridge.stdin.write(what + "\n")
        self._bridge.stdin.flush()

    def reset(self) -> None:
        """Presses the reset button."""
        with socket.socket(socket.AF_UNIX) as monitor, monitor.makefile("rw") as lines:
            monitor.connect(str(self._qmp))
            lines.readline()
            for command in ("qmp_capabilities", "system_reset"):
                lines.write(json.dumps({"execute": command}) + "\n")
                lines.flush()
                while "return" not in json.loads(lines.readline()):
                    pass  # events

    def close(self) -> None:
        for process in (self._bridge, self._emulator):
            if process is not None:
                process.kill()
                process.wait()
                for stream in (process.stdin, process.stdout):
                    with contextlib.suppress(Exception):
                        stream and stream.close()
