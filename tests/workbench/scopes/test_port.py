"""Scopes of a live run, asked as a page asks."""

import json
from base64 import b64decode
from collections.abc import Iterator

import numpy as np
import pytest

import touchback as tb
from touchback.realtime import Live
from touchback.realtime.control import CommandServer
from touchback.workbench.scopes.scope_port import LiveScopes


def swing() -> tb.Model:
    """A mass on a spring: x = 0.1 cos(ω t), ω = 2π · 5 Hz; and an input with its echo."""
    m = tb.Model("swing", gravity=(0, 0, 0))
    body = m.body("mass", mass=1.0)
    m.joint("slide", tb.Prismatic("x"), m.ground, body, position=0.1)
    stiffness = m.parameter("stiffness", (2 * np.pi * 5.0) ** 2, unit="N/m", min=0.0)
    push = m.input("push", unit="N")
    m.force("spring", tb.JointEffort("slide", push * 0 - stiffness * m.coordinate("slide")))
    m.sensor("echo", tb.Signal(push, "N"))
    return m


class Asked:
    """A run that a page looks at."""

    def __init__(self, live: Live) -> None:
        self.live, self.commands, self.frames = live, CommandServer(live), []  # type: ignore[var-annotated]
        self.scopes = LiveScopes(
            live, self.commands, lambda client, frame: self.frames.append(frame)
        )

    def ask(self, **message: object) -> dict[str, object]:
        answer = self.commands.handle(json.dumps(message), "page").as_dict()
        assert answer["ok"], answer["error"]
        return answer

    def refused(self, **message: object) -> str:
        answer = self.commands.handle(json.dumps(message), "page").as_dict()
        assert not answer["ok"]
        return str(answer["error"])


def rows_of(answer: dict[str, object], width: int) -> np.ndarray:
    return np.frombuffer(b64decode(str(answer["rows"])), "<f4").reshape(-1, width).astype(float)


@pytest.fixture(scope="module")
def page() -> Iterator[Asked]:
    """Two seconds, with an input that is 3 N for the one tick 700."""
    with tb.live(swing().compile(), rate=1000, speed=None) as live:
        asked = Asked(live)
        live.run(0.699)
        live["push"] = 3.0
        live.run(0.001)
        live["push"] = 0.0
        live.run(1.3)
        yield asked


def test_a_scope_that_is_asked_for_before_the_first_row_waits_for_it() -> None:
    with tb.live(swing().compile(), rate=1000, speed=None) as live:
        page = Asked(live)
        page.scopes._tap.wait()
        assert page.scopes.history.span == (0.0, 0.0)  # nothing was drained yet
        signals = page.ask(do="signals")["signals"]
        assert isinstance(signals, dict) and signals["time"] == "s" and signals["slide"] == "m"
        assert (
            len(rows_of(page.ask(do="past", signals=["time"], start=0, end=1, buckets=9), 3)) == 0
        )
        page.ask(do="scope", number=1, signals=["slide", "2 * echo"], buckets=100)
        assert "no signal 'slid'" in page.refused(do="scope", number=2, signals=["slid"])
        live.run(0.1)
        page.scopes._tap.wait()
        found = rows_of(page.ask(do="past", signals=["slide"], start=0, end=1, buckets=4000), 3)
        np.testing.assert_allclose(found[0, 1], 0.1 * np.cos(31.416e-3), rtol=1e-5)
        assert page.frames


def test_signals_are_told_with_their_units(page: Asked) -> None:
    answer = page.ask(do="signals")
    signals = answer["signals"]
    assert isinstance(signals, dict)
    assert signals["slide"] == "m" and signals["slide rate"] == "m/s" and signals["echo"] == "N"
    assert answer["start"] == pytest.approx(0.001) and answer["end"] == pytest.approx(
        page.live.read("time")
    )


def test_a_tick_that_sticks_out_is_seen_in_twenty_buckets_of_the_whole_run(page: Asked) -> None:
    answer = page.ask(do="past", signals=["echo"], start=0, end=2, buckets=20)
    rows = rows_of(answer, 3)
    assert len(rows) <= 21 and rows[:, 2].max() == 3.0 and (rows[:, 1] == 0.0).all()
    high = float(answer["since"]) + rows[rows[:, 2].argmax(), 0]  # type: ignore[arg-type]
    assert high <= 0.7 + 1e-6 and high + 0.1 > 0.7  # float32 tells the time to 1e-7


def test_an_expression_of_signals_is_that_of_each_tick(page: Asked) -> None:
    """x² + (v/ω)² is the square of the amplitude, whatever the phase."""
    text = "slide**2 + ('slide rate' / 31.41592653589793)**2"
    rows = rows_of(page.ask(do="past", signals=[text], start=0.5, end=1.0, buckets=4000), 3)
    assert len(rows) == 501
    np.testing.assert_allclose(rows[:, 1], 0.01, rtol=1e-4)  # RK4 at 1 kHz keeps it to 1e-6


def test_the_spectrum_of_the_swing_is_its_amplitude_at_its_frequency(page: Asked) -> None:
    answer = page.ask(do="spectra", signals=["slide"], start=0.0011, end=2.0, window="none")
    rows = rows_of(answer, 2)
    peak = rows[rows[:, 1].argmax()]
    assert peak[0] == pytest.approx(5.0, abs=0.01)
    assert peak[1] == pytest.approx(0.1, rel=1e-3)


def test_pairs_are_of_the_same_tick(page: Asked) -> None:
    """Position and velocity lie on an ellipse: (x/A)² + (v/(A ω))² = 1 at each tick."""
    rows = rows_of(page.ask(do="pairs", x="slide", y="slide rate", start=0, end=2, most=500), 3)
    assert 100 < len(rows) <= 500
    ellipse = (rows[:, 1] / 0.1) ** 2 + (rows[:, 2] / (0.1 * 2 * np.pi * 5)) ** 2
    np.testing.assert_allclose(ellipse, 1.0, atol=1e-4)


def test_a_stream_brings_the_past_first_then_what_comes(page: Asked) -> None:
    page.frames.clear()
    answer = page.ask(do="scope", number=3, signals=["echo"], buckets=100)
    assert answer["units"] == ["N"] and len(page.frames) == 1
    page.live.run(0.1)
    page.scopes._tap.wait()
    times = np.concatenate(
        [
            np.frombuffer(f[8:16], "<f8")[0] + np.frombuffer(f[20:-4], "<f4")[::3]
            for f in page.frames
        ]
    )
    assert times.min() == pytest.approx(0.001) and times.max() > 2.08
    assert all(np.frombuffer(frame[16:20], "<u4")[0] == 3 for frame in page.frames)
    count = len(page.frames)
    page.ask(do="scope", number=3, signals=[])
    page.live.run(0.05)
    page.scopes._tap.wait()
    assert len(page.frames) == count


def test_a_page_that_went_away_gets_nothing_more(page: Asked) -> None:
    page.ask(do="scope", number=4, signals=["echo"])
    page.scopes.port.forget("page")
    page.frames.clear()
    page.live.run(0.05)
    page.scopes._tap.wait()
    assert not page.frames


def test_what_cant_be_shown_is_refused_with_its_reason(page: Asked) -> None:
    assert "did you mean 'slide'" in page.refused(do="past", signals=["slid"], start=0, end=1)
    assert "earlier to a later" in page.refused(do="past", signals=["slide"], start=1, end=1)
    assert "hann, flat, none" in page.refused(
        do="spectra", signals=["slide"], start=0, end=1, window="boxcar"
    )
    assert "up to 1000 buckets" in page.refused(
        do="scope", number=1, signals=["slide"], buckets=1e6
    )
    assert "no recording 'other'" in page.refused(
        do="past", recording="other", signals=["slide"], start=0, end=1
    )
    assert "can't be read" in page.refused(do="past", signals=["slide"], start=0, end=1, buckets=0)


def test_a_page_has_at_most_eight_streams(page: Asked) -> None:
    for number in range(8):
        page.ask(do="scope", number=number, signals=["slide"])
    assert "at most 8 scopes" in page.refused(do="scope", number=8, signals=["slide"])
    page.scopes.port.forget("page")


def test_scopes_follow_a_change_of_structure(page: Asked) -> None:
    """A sensor that the next structure lacks is a gap from there on; what stays goes on."""
    other = swing()
    del other.sensors["echo"]
    page.live.swap(other)
    page.live.run(0.2)
    page.scopes._tap.wait()
    answer = page.ask(do="past", signals=["echo", "slide"], start=0, end=3, buckets=4000)
    rows = rows_of(answer, 5)
    gone = np.isnan(rows[:, 1])
    assert 190 <= gone.sum() <= 210 and gone[-1]
    assert np.isfinite(rows[-1, 3])
