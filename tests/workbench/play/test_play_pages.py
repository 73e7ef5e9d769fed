"""Play pages in Chromium: what pointers, letters, touch and MIDI do to the board in C, and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.workbench.browser import until
from touchback import gallery
from touchback.instruments.keyboard.key_strokes import passage
from touchback.instruments.keyboard.keyboard_regulation import read_regulation
from touchback.instruments.sound import Note, render
from touchback.realtime.live import choices
from touchback.workbench.play.piano_page import PianoPage
from touchback.workbench.play.play_messages import Visit
from touchback.workbench.play.play_server import PlayServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Place = tuple[float, float]


@pytest.fixture(scope="module")
def board() -> PianoPage:
    return PianoPage(script=lambda start: passage([60, 64, 67], start)[:3])


@pytest.fixture(scope="module")
def hall(board: PianoPage) -> Iterator[PlayServer]:
    with PlayServer("piano", board) as opened:
        yield opened


@pytest.fixture(scope="module")
def sounding(chromium: Browser, hall: PlayServer) -> Iterator[Page]:
    """The piano's page, with sound."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
    found, errors = context.new_page(), []
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.goto(hall.url)
    ready(found, "window.play?.keys && play.bench.status.time > 0.6")
    found.click("#sound", force=True)
    ready(found, "play.sound.on")
    yield found
    assert errors == []
    context.close()


@pytest.fixture
def page(sounding: Page) -> Iterator[Page]:
    """The same page for every test; what one left held down, the next doesn't hold."""
    yield sounding
    sounding.mouse.up()


def ready(page: Page, text: str) -> None:
    """Waits for something in the page; across navigations too."""

    def ask() -> bool:
        try:
            return bool(page.evaluate(f"Boolean({text})"))
        except Exception as error:
            if "navigation" not in str(error):
                raise
            return False

    until(ask)


def on_key(page: Page, note: int, share: float) -> Place:
    """A place on a key, a share of its length from above."""
    box = page.locator(f'[data-note="{note}"]').bounding_box()
    assert box is not None
    return box["x"] + 0.5 * box["width"], box["y"] + share * box["height"]


def struck(board: PianoPage, before: int) -> tuple[int, float]:
    until(lambda: board.struck > before)
    return board.heard[-1].note, board.heard[-1].loudness


def at_rest(board: PianoPage) -> int:
    """Waits until all keys are up and hammers lie; gives how many notes there were."""
    until(lambda: max(board.live.read(f"{name}/key") for name in ("C4", "E4", "A4")) < 1e-3)
    board.live.run(0.25)
    return board.struck


def test_a_key_pressed_on_the_page_strikes_in_the_board_and_deeper_is_faster(
    page: Page, board: PianoPage
) -> None:
    speeds = []
    for share in (0.3, 0.55, 0.9):
        before = at_rest(board)
        page.mouse.move(*on_key(page, 64, share))
        page.mouse.down()
        note, speed = struck(board, before)
        page.mouse.up()
        assert note == 64
        speeds.append(speed)
    assert speeds[0] * 1.3 < speeds[1] and speeds[1] * 1.2 < speeds[2]
    told = "play.strikes.slice(-3).map(each => [each.note, each.loudness])"
    until(lambda: page.evaluate(told) == [[64, speed] for speed in speeds])


def test_a_key_that_is_drawn_down_slowly_goes_down_and_is_mute(
    page: Page, board: PianoPage
) -> None:
    before = at_rest(board)
    (x, top), (_, bottom) = on_key(page, 69, 0.02), on_key(page, 69, 0.45)
    page.mouse.move(x, top)
    page.mouse.down()
    depths = []
    for y in np.linspace(top, bottom, 50)[1:]:
        wish = board.live["A4/finger wish"]
        page.mouse.move(x, float(y))
        until(lambda wish=wish: board.live["A4/finger wish"] > wish)  # a late page draws no faster
        board.live.run(0.02)
        depths.append(board.live.read("A4/key"))
    page.mouse.up()
    assert board.struck == before  # the hammer was lifted and let off without reaching the string
    assert depths[-1] * 0.2595 > 9e-3  # m: to the bed
    assert sum(b < a - 1e-4 for a, b in pairwise(depths)) <= 3  # and steadily


def test_letters_play_and_lift_and_two_fingers_press_two_keys(page: Page, board: PianoPage) -> None:
    assert page.locator("#letters").text_content() == "Letters A to K play C4 to C5."
    before = at_rest(board)
    page.keyboard.down("g")
    assert struck(board, before)[0] == 67
    assert board.live.read("G4/ringing") == 1.0
    page.keyboard.up("g")
    until(lambda: board.live.read("G4/ringing") == 0.0)
    before = at_rest(board)
    touch = page.context.new_cdp_session(page)
    points = [on_key(page, 60, 0.7), on_key(page, 64, 0.7)]
    fingers = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": fingers})
    until(lambda: board.struck >= before + 2)
    assert {each.note for each in board.heard[-2:]} == {60, 64}
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until(lambda: board.live.read("C4/ringing") == board.live.read("E4/ringing") == 0.0)


def test_letters_reach_every_one_of_88_keys_by_octaves_and_lift_what_they_struck(
    page: Page, hall: PlayServer
) -> None:
    found = page.context.new_page()
    found.goto(hall.url)
    ready(found, "window.play?.keys")
    found.evaluate(
        """async () => {
          const { Keys } = await import("/play/piano_keys.js");
          const element = document.getElementById("keyboard");
          play.keys.leave();
          element.replaceChildren();
          window.sent = [];
          const named = note => ({ note, name: `n${note}` });
          const notes = Array.from({ length: 88 }, (_, i) => named(21 + i));
          const bench = { send: async message => { sent.push([message.do, message.note]); } };
          window.many = new Keys(element, bench, { notes, focus: 60 }, { value: 0.5 });
        }"""
    )
    told = found.locator("#letters")
    assert told.text_content() == "Letters A to P play n60 to n75; Z and X move them by an octave."
    found.keyboard.down("a")
    found.get_by_role("button", name="letters an octave higher").click(force=True)
    found.keyboard.up("a")  # which lifts the key that it struck
    found.keyboard.press("a")
    sent = found.evaluate("sent")
    assert sent == [["stroke", 60], ["lift", 60], ["stroke", 72], ["lift", 72]]
    for _ in range(9):
        found.keyboard.press("z")
    reached = set()
    for _ in range(9):
        assert told.text_content() is not None
        found.evaluate("sent.length = 0")
        for letter in "awsedftgyhujkolp":
            found.keyboard.press(letter)
        struck_now = found.evaluate("sent.filter(([what]) => what === 'stroke').map(s => s[1])")
        shown = found.evaluate(
            "[...many.keys].filter(([, each]) => each.letter.textContent).map(([note]) => note)"
        )
        assert struck_now == shown  # what is written on the keys is what they play
        reached |= set(struck_now)
        found.keyboard.press("x")
    assert reached == set(range(21, 109))
    found.close()


def midi(page: Page, *message: int) -> None:
    """An event as browsers give it: bytes, no array of numbers."""
    page.evaluate(
        "bytes => port.onmidimessage("
        "new MIDIMessageEvent('midimessage', { data: new Uint8Array(bytes) }))",
        list(message),
    )


def test_midi_strikes_by_velocity_and_pressure_presses_deeper(page: Page, board: PianoPage) -> None:
    page.evaluate(
        "navigator.requestMIDIAccess = async () => { window.port = { name: 'a keyboard' };"
        "return { inputs: new Map([['1', window.port]]) }; }"
    )
    page.click("#midi", force=True)
    ready(page, "window.port?.onmidimessage")
    before = at_rest(board)
    midi(page, 0x90, 64, 90)
    assert struck(board, before)[0] == 64
    midi(page, 0xA0, 64, 127)  # pressure of this key
    until(lambda: board.live["E4/finger wish"] == pytest.approx(0.03))
    midi(page, 0xD0, 64)  # pressure of all that are down, in two bytes
    until(lambda: board.live["E4/finger wish"] == pytest.approx(0.03 * 64 / 127))
    midi(page, 0x90, 64, 0)  # which ends a note, too
    until(lambda: board.live["E4/finger wish"] == 0.0)
    until(lambda: board.live.read("E4/ringing") == 0.0)


def test_the_note_that_was_struck_is_heard_and_its_way_is_told(
    page: Page, board: PianoPage
) -> None:
    """The highest peak of the spectrum is the string's first mode, to a bin of 6 Hz."""
    before = at_rest(board)
    page.evaluate("play.latency.kept.length = 0")
    ready(page, "play.sound.tables.get('struck 69')?.ready")
    page.mouse.move(*on_key(page, 69, 0.8))
    page.mouse.down()
    struck(board, before)
    ready(page, "play.latency.kept.length")

    def heard() -> bool:
        peak, rate = page.evaluate(
            "(() => { const a = play.sound.analyser, s = new Float32Array(a.frequencyBinCount);"
            "a.getFloatFrequencyData(s); let k = 0; s.forEach((x, i) => { if (x > s[k]) k = i; });"
            "return [k * a.context.sampleRate / a.fftSize, a.context.sampleRate]; })()"
        )
        return bool(peak == pytest.approx(440.0, abs=rate / 8192))

    until(heard)  # as soon as enough of it has come out
    page.mouse.up()
    parts = page.evaluate("play.latency.kept[0]")
    assert parts["tick"] == 1.0
    assert parts["hub"] > 0.0 and parts["audio"] > 0.0
    assert parts["wire"] >= 0.0 and 0.1 <= parts["sure"] < 1e3  # ms: both ends of each are known
    whole = parts["tick"] + parts["hub"] + parts["wire"] + parts["audio"]
    assert parts["total"] == pytest.approx(whole)


def rendered(page: Page) -> list[float] | None:
    """0.3 s of a note; None where a browser that renders faster than it hands messages on, as one
    may that has little time, began it after 4000 samples."""
    samples: list[float] = page.evaluate(
        "(async () => { const offline = new OfflineAudioContext(1, 13230, 44100);"
        "const sound = new play.sound.constructor(play.bench);"
        "await sound.start(offline);"
        "sound.post(await sound.table(72, 'struck'), { note: 72, loudness: 1.0 });"
        "await new Promise(done => setTimeout(done, 100));"
        "return Array.from((await offline.startRendering()).getChannelData(0)); })()"
    )
    return samples if any(samples[:4000]) else None


def test_the_worklet_adds_up_the_string_that_is_rendered_offline(page: Page) -> None:
    """Sample by sample what `instruments.sound` gives, behind the worklet's rounding of loud
    ones."""
    found = np.array(until(lambda: rendered(page)))
    begin = int(np.flatnonzero(found)[0])
    due = np.tanh(render([Note(0.0, 72, speed=1.0)], 0.2) / 45.0)
    first = int(np.flatnonzero(np.abs(due) > 1e-12)[0])
    count = min(len(due) - first, len(found) - begin, 8000)
    # browsers keep samples as 32-bit floats
    np.testing.assert_allclose(found[begin : begin + count], due[first : first + count], atol=2e-6)


def test_a_screw_turned_by_keys_changes_all_actions_and_the_curve(
    page: Page, board: PianoPage
) -> None:
    ready(page, "play.force.curve")
    usual = page.evaluate("play.force.curve['let-off'][1]")
    screw = page.locator("#screw-let-off-button-height")
    screw.focus()
    for _ in range(50):
        page.keyboard.press("ArrowLeft")
    lowered = -0.5e-3
    until(lambda: board.live["C5/action/let-off button height"] == pytest.approx(lowered, abs=1e-9))
    assert board.live["C4/action/let-off button height"] == pytest.approx(lowered, abs=1e-9)
    ready(page, f"play.force.curve['let-off'][1] < {0.8 * usual}")
    page.click("#regulate", force=True)
    until(lambda: board.live["C4/action/let-off button height"] == 0.0)


def test_slow_motion_shows_the_recorded_stroke_with_the_hammer_highest_at_the_strike(
    page: Page, board: PianoPage
) -> None:
    before = at_rest(board)
    page.mouse.move(*on_key(page, 60, 0.7))
    page.mouse.down()
    struck(board, before)
    strike = board.heard[-1].time
    until(lambda: board.live.read("time") > strike + 0.45)
    page.mouse.up()
    page.click('[data-pace="0.1"]', force=True)
    ready(page, "play.action.stroke && play.action.pace === '0.1'")
    time, shown, angle, live = page.evaluate(
        "(() => { const a = play.action, rows = a.stroke.rows;"
        "const h = 3 + a.drawing.angles.indexOf('hammer');"
        "let k = 0; rows.forEach((row, i) => { if (row[h] > rows[k][h]) k = i; });"
        "a.held = true; a.at = rows[k][0] - rows[0][0]; a.again();"
        "return [rows[k][0], a.stroke.strike, a.angles[h - 3], rows[k][h]]; })()"
    )
    assert time == pytest.approx(shown, abs=0.004)
    assert angle == pytest.approx(live)
    page.click('[data-pace="live"]', force=True)


def test_another_instrument_and_the_passage_are_a_click_away(page: Page, board: PianoPage) -> None:
    page.click('[data-name="piano"]', force=True)  # where an attempt before left another
    ready(page, "play.instrument === 'piano' && play.curve?.instrument === 'piano'")
    until(lambda: page.locator('#action-picture [data-part="whippen"]').count() == 1)
    before = at_rest(board)
    for name, part, number in (
        ("organ", "pallet", "wind force"), ("ball", "ball", "ball mass"),
        ("wall", "wall", "plain wall depth"), ("synthesizer", "upper switch", "lower switch"),
        ("measured", "table", "table gain"), ("harpsichord", "plectrum", "plectrum strength"),
    ):  # fmt: skip
        page.click(f'[data-name="{name}"]', force=True)
        ready(page, f"play.instrument === '{name}' && play.curve?.instrument === '{name}'")
        until(lambda: page.locator('#action-picture [data-part="whippen"]').count() == 0)
        page.locator(f'#action-picture [data-part="{part}"]').dispatch_event("pointerover")
        until(lambda part=part: page.locator("#part-told").inner_text().startswith(part))
        assert len(page.locator("#part-told").inner_text()) > len(part) + 20  # and what it does
        row = page.locator(f'.screw[data-name="{number}"]')
        assert row.is_visible() and len(row.locator("p").inner_text()) > 20
        assert not page.locator("#screw-hammer-mass").is_visible()
    until(lambda: board.instrument == "harpsichord")
    assert board.struck == before  # choosing sounds nothing
    legend = page.locator("#curve-legend li").all_text_contents()
    assert any("the plectrum meets the string" in each for each in legend)
    jack = page.locator('#action-picture [data-part="jack"]')
    page.mouse.move(*on_key(page, 64, 0.6))
    page.mouse.down()
    assert struck(board, before)[0] == 64
    ready(page, "play.action.row[play.board.columns.indexOf('plectrum')] === 2")

    def lifts_with_the_key() -> bool:  # the picture follows the row by a frame
        lift = float(str(jack.get_attribute("transform")).split()[1].rstrip(")"))
        depth = float(page.evaluate("play.action.row[1]"))
        return -lift == pytest.approx(3000.0 * depth * 250.0 / 280.0, abs=1.5)  # drawn 3 × larger

    until(lifts_with_the_key)
    page.mouse.up()
    page.click('[data-name="piano"]', force=True)
    until(lambda: board.instrument == "piano")
    before = at_rest(board)
    page.click("#passage", force=True)
    assert page.evaluate("document.activeElement.id") != "passage"  # the space bar is for keys
    until(lambda: board.struck >= before + 3)
    assert [each.note for each in board.heard[-3:]] == [60, 64, 67]


def test_walls_are_chosen_tuned_and_struck_on_a_page_with_them(chromium: Browser) -> None:
    board = PianoPage((60,), instrument="wall-standard")
    laws, wall = choices(board.live.system)["C4/wall"], "C4/wall choice"
    with PlayServer("piano", board) as hall:
        found = chromium.new_page()
        found.goto(hall.url)
        ready(found, "window.play?.screws && play.instrument === 'wall-standard'")
        found.click('[data-name="wall-deadbeat"]', force=True)
        until(lambda: board.live[wall] == laws.index("deadbeat") and board.live["C4/voice"] == 1.0)
        assert not found.locator("#screw-hammer-mass").is_visible()
        found.locator("#screw-wall-stiffness").focus()
        for _ in range(10):
            found.keyboard.press("ArrowRight")
        until(lambda: 3000.0 < board.live["C4/wall stiffness"] < 4000.0)  # (t + 10/600)⁴ MN/m
        found.mouse.move(*on_key(found, 60, 0.9))
        found.mouse.down()
        assert struck(board, 0)[0] == 60
        found.mouse.up()
        found.click('[data-name="piano"]', force=True)
        until(lambda: board.live["C4/voice"] == 0.0)
        ready(found, "play.instrument === 'piano'")
        assert found.locator("#screw-hammer-mass").is_visible()
        assert not found.locator("#screw-wall-stiffness").is_visible()
        found.close()


def test_a_blind_trial_never_tells_the_page_what_is_felt(page: Page, hall: PlayServer) -> None:
    found = page.context.new_page()
    texts: list[str] = []
    found.on(
        "websocket",
        lambda wire: wire.on("framereceived", lambda data: texts.append(data)
                             if isinstance(data, str) else None),
    )  # fmt: skip
    found.goto(str(hall.visit(Visit(what="trial"), "")["url"]))
    ready(found, "window.play?.trial && play.bench.status.time > 0.6")
    board = hall._pages["trial"].board
    box = found.locator("#bench .plot").bounding_box()
    assert box is not None
    count = board.trials.count  # type: ignore[attr-defined]
    for answered in range(count):
        found.mouse.move(box["x"] + 50, box["y"] + 5)  # each trial is felt before it is answered
        found.mouse.down()
        found.mouse.move(box["x"] + 50, box["y"] + 0.8 * box["height"], steps=10)
        ready(found, "play.felt")
        found.mouse.up()
        ready(found, "!document.querySelector('#choices button').disabled")
        assert not any('"table"' in text or '"strike"' in text for text in texts)
        found.locator("#choices button").first.click(force=True)
        ready(found, f"play.trial.answered === {answered + 1}")
    assert found.locator("#table tr").count() == 1 + 4
    found.close()


def test_every_mechanism_is_one_click_away_and_explains_itself(
    page: Page, hall: PlayServer
) -> None:
    found = page.context.new_page()
    found.goto(str(hall.visit(Visit(what="zoo"), "")["url"]))
    ready(found, "window.play?.zoo")
    for entry in gallery.names():
        card = found.locator(f'[data-what="gallery/{entry}"]')
        assert card.locator("p").all_text_contents() == list(gallery.entry(entry).sentences)
    found.click('[data-what="gallery/double-pendulum"]', force=True)
    ready(found, "window.bench?.scene?.title === 'double pendulum' && bench.world?.ready")
    until(lambda: found.locator(".about p").count() == 3)
    found.close()


def test_pedals_are_put_down_by_clicks_digits_and_midi(page: Page, board: PianoPage) -> None:
    page.click('[data-name="piano"]', force=True)
    until(lambda: board.instrument == "piano" and board.live.read("time") > 0.6)
    page.get_by_role("button", name="sustain pedal").click(force=True)
    until(lambda: board.live["sustain pedal"] == 1.0)
    assert page.get_by_role("button", name="sustain pedal").get_attribute("aria-pressed") == "true"
    page.evaluate(
        "import('/play/piano_keys.js')"
        ".then(m => m.takeMidi(play.keys, [0xb0, 64, 43], play.pedals))"
    )
    until(lambda: board.live["sustain pedal"] == 43 / 127)  # half a pedal
    page.get_by_role("button", name="sustain pedal").click(force=True)
    page.get_by_role("button", name="sustain pedal").click(force=True)
    until(lambda: board.live["sustain pedal"] == 0.0)
    page.keyboard.down("1")
    until(lambda: board.live["una corda pedal"] == 1.0)
    page.keyboard.up("1")
    until(lambda: board.live["una corda pedal"] == 0.0)


@pytest.mark.parametrize("width", [1280, 1024, 700, 390])
def test_no_words_of_the_piano_page_lie_over_others(page: Page, width: int) -> None:
    """Each word's own rectangle, as wide as it is written, in headings and bars."""
    size = page.viewport_size
    page.set_viewport_size({"width": width, "height": 800})
    over = page.evaluate(
        """() => [...document.querySelectorAll("header, .bar")].flatMap(bar => {
          const words = [...bar.children].map(each => {
            const range = document.createRange();
            range.selectNodeContents(each);
            return [each.textContent.trim(), [...range.getClientRects()]];
          });
          return words.flatMap(([one, these], i) => words.slice(i + 1).filter(([, those]) =>
            these.some(a => those.some(b => a.left < b.right - 1 && b.left < a.right - 1
              && a.top < b.bottom - 1 && b.top < a.bottom - 1))).map(([other]) => [one, other]));
        })"""
    )
    page.set_viewport_size(size)  # type: ignore[arg-type]
    assert over == []


def test_a_screw_of_one_key_is_turned_and_saved(page: Page, board: PianoPage) -> None:
    board.choose("piano")
    page.evaluate("play.keys.focus(64)")
    ready(page, "play.screws.note === 64")
    page.check("#one-key", force=True)
    page.evaluate("play.screws.turn('hammer mass', 0.009)")
    until(lambda: board.live["E4/action/hammer mass"] == 0.009)
    assert board.live["C4/action/hammer mass"] < 0.007
    with page.expect_download() as saved:
        page.click("#save-screws", force=True)
    assert read_regulation(saved.value.path()).keys == {64: {"hammer mass": 0.009}}
    ready(page, "play.screws.rows.get('hammer mass').row.classList.contains('changed')")
    page.click("#regulate", force=True)
    until(lambda: board.live["E4/action/hammer mass"] < 0.007)
    page.uncheck("#one-key", force=True)
