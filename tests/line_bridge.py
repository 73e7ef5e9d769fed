"""A line between an emulator's socket and a pseudo-terminal that is found by a link, as a plug is:
python line_bridge.py SOCKET LINK; what is to happen to it comes in lines on the standard input."""

import contextlib
import os
import pty
import random
import select
import socket
import sys
import time
import tty


class Bridge:
    """Carries bytes, and does what it is told to them."""

    def __init__(self, wire: str, link: str) -> None:
        self.link, self.draw = link, random.Random(1)
        self.wire = socket.socket(socket.AF_UNIX)
        until = time.monotonic() + 20.0
        while True:
            try:
                self.wire.connect(wire)
                break
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.01)
        self.wire.setblocking(False)
        self.damaged, self.master, self.plugged_at = 0, -1, 0.0

    def plug(self) -> None:
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        os.symlink(os.ttyname(self.slave), self.link + ".new")
        os.rename(self.link + ".new", self.link)

    def unplug(self, seconds: float) -> None:
        os.unlink(self.link)
        os.close(self.master)
        os.close(self.slave)
        self.master, self.plugged_at = -1, time.monotonic() + seconds

    def obey(self, command: str) -> None:
        what, _, number = command.partition(" ")
        if what == "unplug" and self.master >= 0:
            self.unplug(float(number))
        elif what == "garbage" and self.master >= 0:
            with contextlib.suppress(OSError):
                os.write(self.master, self.draw.randbytes(int(number)))
                self.wire.send(self.draw.randbytes(int(number)))
        elif what == "damage":
            self.damaged = int(number)

    def worn(self, part: bytes) -> bytes:
        """What is left of bytes on a bad line: some are wrong, some are missing."""
        if not self.damaged:
            return part
        self.damaged = max(0, self.damaged - len(part))
        kept = (byte for byte in part if self.draw.random() > 0.02)
        return bytes(self.draw.randrange(256) if self.draw.random() < 0.02 else b for b in kept)

    def carry(self) -> bool:
        ends = [self.wire, sys.stdin] + ([self.master] if self.master >= 0 else [])
        for end in select.select(ends, [], [], 0.01)[0]:
            with contextlib.suppress(BlockingIOError):
                if end is sys.stdin:
                    lines = os.read(0, 4096).decode()
                    if not lines:
                        return False
                    for line in lines.splitlines():
                        self.obey(line)
                    break  # the ends may have changed
                if end is self.wire:
                    part = self.worn(self.wire.recv(4096))
                    if self.master >= 0:
                        os.write(self.master, part)
                else:
                    self.wire.send(self.worn(os.read(self.master, 4096)))
        if self.master < 0 and time.monotonic() >= self.plugged_at:
            self.plug()
        return True


if __name__ == "__main__":
    bridge = Bridge(*sys.argv[1:])
    bridge.plug()
    while bridge.carry():
        pass
