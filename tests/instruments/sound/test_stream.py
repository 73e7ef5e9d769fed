"""Sound while playing: the real PortAudio, over ALSA, into a file in place of a card."""

import os
import subprocess
import sys

import numpy as np
import pytest

from sound_card import SoundCard, why_not
from touchback.instruments.sound import Note, render
from touchback.instruments.sound.sound_stream import LOUD, LatencyBreakdown, SoundReport

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))

PLAY = """
import time
from touchback.instruments.sound import Note
from touchback.instruments.sound.sound_stream import SoundStream

def until(true):
    end = time.monotonic() + 30
    while not true() and time.monotonic() < end:
        time.sleep(0.001)

with SoundStream([60, 64], tick=0.001) as stream:
    blocks = lambda: stream.report().blocks
    until(lambda: blocks() > 2)
    now = time.monotonic_ns()
    stream.strike(Note(0.0, 60, speed=1.5), now - 2_000_000, now - 500_000)
    heard = blocks()
    until(lambda: blocks() > heard + 40)
    stream.damp(60)
    damped = blocks()
    until(lambda: blocks() > damped + 100)
told = stream.report()
(way,) = told.ways
print(told.output, told.rate, told.underflows, told.lost, told.alive, len(str(told).splitlines()))
print(way.tick, way.noticed, way.struck, way.block, way.output)
"""


def run_python(text, environment):
    done = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_strike_comes_out_of_portaudio_sample_by_sample_as_the_renderer_has_it(tmp_path):
    with SoundCard(tmp_path) as card:
        told, way = run_python(PLAY, card.environment)
    assert told == "default (ALSA) 44100.0 0 0 True 2"
    tick, noticed, struck, block, output = map(float, way.split())
    assert (tick, noticed) == (0.001, 0.0015)
    assert struck >= 0.0005 and block > 0.0 and 0.0 <= output < 1.0
    samples = card.samples
    first = np.flatnonzero(samples)[0]
    assert first >= 2 * 128  # silent before, from the first block on
    wanted = np.tanh(LOUD * render([Note(0.0, 60, speed=1.5)], 0.1))
    held = samples[first : first + len(wanted)]
    np.testing.assert_allclose(held, wanted, rtol=0, atol=1e-7)  # what floats hold of tanh
    last = samples[-2000:-1000]  # damped for 70 blocks at least, 0.2 s: e^(−5)
    assert np.abs(last).max() < 1e-2 * np.abs(held).max()


MANY = """
import time
from touchback.instruments.sound import Note
from touchback.instruments.sound.sound_stream import SoundStream

with SoundStream([60], tick=0.001) as stream:
    blocks = lambda: stream._strings.counts()["blocks"]
    for _ in range(15):
        for _ in range(100):
            now = time.monotonic_ns()
            stream.strike(Note(0.0, 60, speed=1.5), now, now)
        begun, end = blocks(), time.monotonic() + 30
        while blocks() < begun + 3 and time.monotonic() < end:
            time.sleep(0.001)
told = stream.report()
print(len(told.ways), told.lost)
"""


def test_the_way_of_every_strike_is_told_however_many_there_were_before_anybody_asks(tmp_path):
    """More than wait to be looked at, 1024: each strike looks for those before."""
    with SoundCard(tmp_path) as card:
        (told,) = run_python(MANY, card.environment)
    assert told == "1500 0"


def test_without_a_card_an_error_says_where_was_looked_and_what_to_do_instead(tmp_path):
    (tmp_path / "none.conf").write_text("pcm.!default { type hw card 31 }\n")
    said = run_python(
        "from touchback.instruments.sound.sound_stream import SoundStream\n"
        "from touchback.errors import DeviceError\n"
        "try:\n    SoundStream([60])\nexcept DeviceError as error:\n    print(error)",
        os.environ | {"ALSA_CONFIG_PATH": str(tmp_path / "none.conf")},
    )
    assert "no sound output here: PortAudio looked through ALSA" in said[-1]
    assert "--wav FILE.wav" in said[-1] and "page" in said[-1]


def test_an_output_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    with SoundCard(tmp_path) as card:
        said = run_python(
            "from touchback.instruments.sound.sound_stream import output_called\n"
            "from touchback.errors import DeviceError\n"
            "print(output_called('DEF').name, output_called('0').number)\n"
            "for name in ('loudspeaker', 'e'):\n"
            "    try:\n        output_called(name)\n"
            "    except DeviceError as error:\n        print(error)",
            card.environment,
        )
    assert said[-3:] == [
        "default 0",
        "No sound output is called 'loudspeaker'; there are: 0 quiet; 1 default.",
        "2 sound outputs are called 'e'; there are: 0 quiet; 1 default.",
    ]


def test_the_report_tells_parts_that_add_up_and_an_output_that_gave_up():
    ways = tuple(LatencyBreakdown(0.001, 0.001 * i, 0.0005, 0.002, 0.01) for i in range(3))
    told = str(SoundReport("card", 48000.0, 0.01, 9, 2, 1, 1e-4, ways, alive=False))
    assert "underflows 2, strikes lost 1" in told and "gave up before the end" in told
    assert "noticed 1.0 (2.0)" in told and "total 14.5 (15.5)" in told


ASKING = """
from touchback.instruments.sound.sound_stream import outputs
from touchback.errors import DeviceError
try:
    print(outputs())
except DeviceError as error:
    print(error)
"""


def test_an_audio_library_that_aborts_ends_nobody_s_session(tmp_path):
    """PortAudio does where ALSA has no configuration: nobody can catch that in the process."""
    (tmp_path / "sounddevice.py").write_text(
        "import os, sys\nprint('no configuration', file=sys.stderr, flush=True)\nos.abort()\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "ALSA_CONFIG_PATH": "/dev/null"}
    (told,) = run_python(ASKING, environment)
    assert "it ended by SIGABRT (no configuration)" in told and "ALSA_CONFIG_PATH=/dev/null" in told
    run_python(ASKING, os.environ | {"ALSA_CONFIG_PATH": "/dev/null"})  # the real one
