"""The way from strike to sample as the page tells it: on two clocks, of every note, to scale."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.workbench.browser import until
from touchback.workbench.play.play_server import PlayServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OFFSET = 12_345.678  # ms, of the page's clock before the server's
WAYS = (  # ms there and back, of questions; the quickest of each aren't of the same question
    (3.0, 0.4), (0.3, 9.0), (5.0, 5.0), (0.9, 1.2), (0.2, 40.0), (2.0, 0.3),
)  # fmt: skip


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    """The piano's page as a person finds it who came from another one: without sound yet."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    with PlayServer("zoo") as hall:
        found, errors = context.new_page(), []
        found.on("pageerror", lambda error: errors.append(str(error)))
        found.goto(hall.url)
        until(lambda: found.evaluate("Boolean(window.play?.zoo)"))
        found.click('#pages [data-what="piano"]')
        found.wait_for_url("**/piano.html*")
        until(lambda: found.evaluate("Boolean(window.play?.keys && play.bench.status.time > 0.6)"))
        yield found
        assert errors == []
    context.close()


def compared(page: Page, drift: float, arrivals: list[float]) -> np.ndarray:
    """Time on the wire of messages that came so many ms after they were sent, with its doubt,
    (messages, 2), by a page that asked the server's clock; one clock is faster by `drift`."""
    return np.array(page.evaluate(
        """async ([offset, drift, ways, arrivals]) => {
          const { Clocks } = await import("/play/clock_synchronisation.js");
          const clocks = new Clocks({ on() {}, send: async () => null });
          const ns = t => 1e6 * ((1 + drift) * t - offset); // the server's at the page's t [ms]
          let t = 1000;
          for (const [there, back] of ways) {
            clocks.learn(ns(t + there), t, t + there + back);
            t += 2000;
          }
          return arrivals.map(way => {
            t += 100;
            clocks.arrived(ns(t), t + way);
            return clocks.since(ns(t), t + way);
          });
        }""",
        [OFFSET, drift, WAYS, arrivals],
    ))  # fmt: skip


@pytest.mark.parametrize("drift", [0.0, 4e-5, -4e-5])
def test_time_on_the_wire_is_never_negative_and_true_within_what_is_said(
    page: Page, drift: float
) -> None:
    """Even of a message that came sooner than any answer; the clocks' drift is allowed for."""
    ways = [0.02, 0.05, 1.7, 25.0]
    found = compared(page, drift, ways)
    assert (found[:, 0] >= 0.0).all()
    assert (np.abs(found[:, 0] - ways) <= found[:, 1] + 1e-6).all()
    # ms: 0.2 there and 0.3 back at best, clocks rounded to 0.1, 1e-4 in the seconds since
    assert (found[:, 1] < 0.25 + 0.1 + 1.3).all()


def test_a_server_that_began_anew_has_another_clock(page: Page) -> None:
    low, high = page.evaluate(
        """async () => {
          const { intersectBounds } = await import("/play/clock_synchronisation.js");
          const bounds = [{ at: 0, low: 10, high: 11 }, { at: 1, low: 500, high: 502 }];
          return intersectBounds(bounds, 1);
        }"""
    )
    assert (low, high) == pytest.approx((499.9, 502.1))


def test_the_passage_is_played_and_the_touch_that_turns_the_sound_on_is_counted(
    page: Page,
) -> None:
    """Whoever comes from another page finds the scripted finger; the first note is told with what
    it waited for, and medians are of the others."""
    assert page.locator("#passage").is_visible()
    page.evaluate(  # a sound that is on only after a note was struck
        """() => {
          const { addModule } = AudioWorklet.prototype;
          AudioWorklet.prototype.addModule = async function (...given) {
            while (!play.strikes.length) await new Promise(done => setTimeout(done, 5));
            return addModule.apply(this, given);
          };
        }"""
    )
    page.click("#passage")  # a touch, which turns the sound on
    until(lambda: page.evaluate("play.latency.kept.filter(each => !each.waited).length >= 3"))
    page.click("#passage")
    until(lambda: page.evaluate("play.latency.kept.length === play.strikes.length"))
    kept = page.evaluate("play.latency.kept")
    assert kept[0]["waited"] == "sound"
    for each in kept:
        assert each["tick"] == 1.0 and each["hub"] > 0.0 and each["audio"] > 0.0
        assert each["wire"] >= 0.0
        parts = each["tick"] + each["hub"] + each["wire"] + each["audio"]
        assert each["total"] == pytest.approx(parts)


def test_a_sample_never_leaves_before_it_was_asked_for(page: Page) -> None:
    """Whatever a browser whose output has stalled says of it."""
    said, stalled = page.evaluate(
        """async () => {
          const { outputTime } = await import("/play/string_sounds.js"), now = performance.now();
          const context = (performanceTime, contextTime) => ({
            sampleRate: 48000, baseLatency: 0.01, outputLatency: 0.03,
            getOutputTimestamp: () => ({ performanceTime, contextTime }),
          });
          return [outputTime(context(now, 0.96), 48000, now) - now,
                  outputTime(context(now - 300, 0.96), 48000, now) - now];
        }"""
    )
    assert said == pytest.approx(40.0)  # ms: the frame of 1 s, when that of 0.96 s leaves now
    assert stalled == pytest.approx(128 / 48.0 + 10.0 + 30.0)  # a block, and what it says it takes


def test_a_note_that_waited_for_the_sound_says_so_and_is_in_no_median(page: Page) -> None:
    told = page.evaluate(
        """async () => {
          const { mountLatency, medians } = await import("/play/strike_latency.js");
          const box = document.createElement("div"), known = Promise.resolve();
          const latency = mountLatency(box, { known, since: () => [2, 0.5] });
          const told = { tick: 0.001, published: 0, sent: 3e6 };
          await latency.heard({ told, received: 5, out: 505, waited: "string" });
          await latency.heard({ told, received: 5, out: 905, waited: "sound" });
          const alone = medians(latency.kept), said = box.textContent;
          for (const out of [45, 55, 65]) await latency.heard({ told, received: 5, out });
          const usual = medians(latency.kept), kept = latency.kept.length;
          return { alone, said, usual, kept, then: box.textContent };
        }"""
    )
    # While every note had to wait there is no median, neither in numbers nor in words.
    assert told["alone"] is None and not re.search(r"median \d|Medians of", told["said"])
    assert "waited for the sound" in told["said"] and "every note had to wait" in told["said"]
    assert "2.0 ± 0.5 ms" in told["said"] and "900.0 ms" in told["said"]
    assert told["kept"] == 5 and told["usual"]["count"] == 3
    assert told["usual"]["audio"] == 50.0 and told["usual"]["total"] == 56.0
    assert "Medians of 3 notes" in told["then"] and "median 50.0" in told["then"]


def test_bars_follow_one_another_and_the_whole_is_as_long_as_they_are_together(page: Page) -> None:
    bars = page.evaluate(
        """async () => {
          const { mountLatency } = await import("/play/strike_latency.js");
          const box = document.getElementById("budget");
          const latency = mountLatency(box, { known: Promise.resolve(), since: () => [2, 0.5] });
          const told = { tick: 0.001, published: 0, sent: 3e6 };
          await latency.heard({ told, received: 5, out: 49 });
          return [...box.querySelectorAll(".bar-of")].map(each => {
            const { left, width } = each.getBoundingClientRect();
            return [left, width];
          });
        }"""
    )
    (start, whole), parts = bars[-1], bars[:-1]
    assert whole > 50.0  # px: no sliver
    for (left, width), begin, length in zip(parts, (0, 1, 4, 6), (1, 3, 2, 44), strict=True):
        assert left - start == pytest.approx(whole * begin / 50.0, abs=0.6)
        assert width == pytest.approx(max(whole * length / 50.0, 1.0), abs=0.6)
