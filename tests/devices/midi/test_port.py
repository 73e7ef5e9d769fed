"""A MIDI port over a pseudo-terminal, with a separate process at its other end."""

import os
import pty
import subprocess
import sys
import tty

import pytest

from touchback.devices.midi import MidiPort, NoteOff, NoteOn
from touchback.errors import DeviceError
from waiting import until

ECHO = (
    "import os, sys\nwhile part := os.read(int(sys.argv[1]), 64): os.write(int(sys.argv[1]), part)"
)


@pytest.fixture
def line():
    """The path of a line whose other end, a second process, sends every byte back."""
    here, there = pty.openpty()
    tty.setraw(here)
    tty.setraw(there)
    echo = subprocess.Popen([sys.executable, "-c", ECHO, str(here)], pass_fds=[here])
    yield os.ttyname(there)
    echo.kill()
    echo.wait()
    os.close(here)
    os.close(there)


def test_messages_make_the_round_trip_through_a_second_process(line):
    sent = [NoteOn(21 + i, 1 + i) for i in range(88)] + [NoteOff(21 + i) for i in range(88)]
    back = []
    with MidiPort(line) as port:
        for message in sent:
            port.send(message)
        until(lambda: back.extend(port.received()) or len(back) >= len(sent))
        assert port.lost == 0
    assert back == sent


def test_a_quiet_port_gives_nothing_and_does_not_wait(line):
    with MidiPort(line) as port:
        assert port.received() == []


def test_a_port_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DeviceError, match=r"no-such-port.*No such file.*snd-virmidi"):
        MidiPort(str(tmp_path / "no-such-port"))


def test_a_file_is_no_port(tmp_path):
    (tmp_path / "song.mid").write_bytes(b"MThd")
    with pytest.raises(DeviceError, match="read_midi"):
        MidiPort(str(tmp_path / "song.mid"))


def test_a_port_that_was_unplugged_is_said():
    here, there = pty.openpty()
    with MidiPort(os.ttyname(there)) as port:
        os.close(there)
        os.close(here)
        with pytest.raises(DeviceError, match="takes no bytes"):
            port.send(NoteOff(60))
