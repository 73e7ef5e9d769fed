"""The live keyboard behind the piano page, asked through its command server as a page asks it."""

import json
import time
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest

from touchback.instruments.keyboard.key_strokes import passage
from touchback.instruments.piano.action_specification import graded_parameters
from touchback.instruments.piano.stroke_analysis import force_curve, slow_press
from touchback.workbench.play.piano_page import AFTER, SHOWN, SPEED, PianoPage
from waiting import until

Ask = Callable[..., Mapping[str, object]]


class Ears:
    """What the board told."""

    def __init__(self, board: PianoPage) -> None:
        self.board, self.told = board, []  # type: ignore[var-annotated]
        self.shown: list[np.ndarray] = []
        board.tell = lambda kind, facts: self.told.append((kind, dict(facts)))
        board.shown = lambda row, keys, note: self.shown.append(row)

    def ask(self, do: str, **fields: object) -> dict[str, object]:
        answer = self.board.commands.handle(json.dumps({"do": do, **fields}).encode(), "a test")
        return answer.as_dict()

    def wait(self, kind: str, seconds: float = 60.0) -> dict[str, object]:
        """The next telling of a kind; what came before is forgotten."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for i, (each, facts) in enumerate(self.told):
                if each == kind:
                    del self.told[: i + 1]
                    return facts
            time.sleep(0.005)
        raise AssertionError(f"'{kind}' wasn't told")


@pytest.fixture(scope="module")
def ears() -> Iterator[Ears]:
    board = PianoPage(script=lambda start: passage([60, 64, 67], start)[:3])
    found = Ears(board)
    with board:
        board.live.run(0.6)
        yield found


def struck(ears: Ears, note: int, depth: float) -> dict[str, object]:
    ears.told.clear()
    assert ears.ask("press", note=note, depth=depth)["ok"]
    strike = ears.wait("strike")
    ears.ask("press", note=note, depth=0.0)
    ears.wait("damped")
    ears.board.live.run(0.2)  # the hammer comes to rest
    return strike


def test_a_deeper_press_strikes_the_same_note_faster(ears: Ears) -> None:
    strikes = [struck(ears, 65, depth) for depth in (0.015, 0.03, 0.05)]
    assert [each["note"] for each in strikes] == [65, 65, 65]
    assert 1.5 * strikes[0]["loudness"] < strikes[1]["loudness"]
    assert 1.3 * strikes[1]["loudness"] < strikes[2]["loudness"]


def test_a_strike_is_stamped_on_its_way(ears: Ears) -> None:
    """Published by its tick, then noticed; a look a millisecond finds it soon, unless the machine
    stands still just then."""

    def soon() -> bool:
        strike = struck(ears, 60, 0.03)
        assert strike["tick"] == 1e-3
        assert strike["published"] <= strike["noticed"] <= time.monotonic_ns()
        return bool(strike["noticed"] - strike["published"] < 0.2e9)

    until(soon)


def test_a_stroke_stays_until_it_is_lifted_and_a_harder_one_is_louder(ears: Ears) -> None:
    speeds = []
    for effort in (0.2, 0.8):
        ears.told.clear()
        ears.ask("stroke", note=62, effort=effort)
        speeds.append(ears.wait("strike")["loudness"])
        assert ears.board.live.read("D4/ringing") == 1.0
        ears.ask("lift", note=62)
        assert ears.wait("damped")["note"] == 62
        ears.board.live.run(0.3)  # the hammer comes to rest
    assert speeds[1] > 2.0 * speeds[0]


def test_midi_velocities_are_answered_with_their_hammer_speeds(ears: Ears) -> None:
    from touchback.devices.midi import speed_of

    until(lambda: ears.board.hands.touches is not None)
    ears.told.clear()
    ears.ask("stroke", note=64, velocity=80)
    # between twelve presses the effort is interpolated, and the live tick falls anywhere
    assert ears.wait("strike")["loudness"] == pytest.approx(speed_of(80), rel=0.1)
    ears.ask("lift", note=64)


def test_the_last_stroke_comes_back_row_by_row(ears: Ears) -> None:
    strike = struck(ears, 69, 0.04)
    until(lambda: ears.ask("last")["rows"][-1][0] > strike["time"] + AFTER - 2e-3)
    last = ears.ask("last")
    assert last["note"] == 69 and last["columns"] == list(SHOWN)
    rows = np.array(last["rows"])
    np.testing.assert_allclose(np.diff(rows[:, 0]), 1e-3, atol=1e-6)  # no tick is missing
    hammer = rows[:, SHOWN.index("hammer")]
    highest = rows[np.argmax(hammer), 0]
    assert highest == pytest.approx(strike["time"], abs=0.004)  # it is highest at the string
    assert rows[:, SHOWN.index("depth")].max() > 0.009  # m: the key reached its bed


def test_a_lower_button_lets_off_earlier_and_more_lightly(ears: Ears) -> None:
    """Docquier 2021, fig. 25: the curve follows the screw, on all keys."""
    ears.told.clear()
    usual = ears.ask("screw", name="let-off button height", value=0.0) and ears.wait("curve")
    answer = ears.ask("screw", name="let-off button height", value=-0.5e-3)
    assert answer["ok"]
    while ears.wait("screw")["value"] != -0.5e-3:  # those before it come first
        pass
    lower = ears.wait("curve")
    while lower["screws"].get("let-off button height") != -0.5e-3:  # one that was on its way
        lower = ears.wait("curve")
    assert lower["let-off"][0] < usual["let-off"][0] - 0.3e-3
    assert lower["let-off"][1] < 0.75 * usual["let-off"][1]
    for key in ("C4", "C5"):
        assert ears.board.live[f"{key}/action/let-off button height"] == -0.5e-3
    ears.ask("screw", name="let-off button height", value=0.0)


def test_the_curve_is_that_of_the_key_in_focus(ears: Ears) -> None:
    """Keys are graded: each is what the action of its note gives when it is pressed slowly."""
    action, weights = slow_press(speed=SPEED), []
    for note in (72, 61):
        ears.told.clear()
        assert ears.ask("press", note=note, depth=0.0)["ok"]
        curve = ears.wait("curve")
        while curve["note"] != note:  # one that was on its way
            curve = ears.wait("curve")
        own = force_curve(action, graded_parameters(note))
        assert curve["weights"] == own.weights and curve["let-off"] == own.let_off
        weights.append(own.weights)
    assert weights[0] != weights[1]


def test_the_curve_follows_the_scripted_finger(ears: Ears) -> None:
    ears.told.clear()
    assert ears.ask("passage")["ok"]
    while ears.wait("curve")["note"] != 67:  # its last key
        pass
    while ears.board.playing:
        ears.wait("passage")


def test_a_harpsichord_plucks_alike_however_it_is_pressed(ears: Ears) -> None:
    ears.ask("instrument", name="harpsichord")
    strikes = [struck(ears, 67, depth) for depth in (0.015, 0.05)]
    assert strikes[0]["loudness"] == strikes[1]["loudness"] == 1.0
    assert strikes[0]["string"] == "plucked"
    ears.told.clear()
    assert ears.ask("screw", name="plectrum strength", value=0.7)["ok"]
    curve = ears.wait("curve")
    while curve["screws"].get("plectrum strength") != 0.7:  # those that were on their way
        curve = ears.wait("curve")
    assert curve["instrument"] == "harpsichord" and set(curve["legend"]) == set("ABCD")
    depth, force = np.array(curve["down"])
    assert force[depth < 6.4e-3].max() == pytest.approx(0.7 + 0.09, abs=0.02)  # plectrum and jack
    assert curve["usual"]["stages"]["C"] == pytest.approx(3.2e-3 + 1.0 / 700.0)
    assert struck(ears, 67, 0.03)["loudness"] == 0.7
    ears.ask("screw", name="plectrum strength", value=None)
    ears.ask("instrument", name="piano")


def test_a_synthesizer_hears_whole_ticks_between_its_switches(ears: Ears) -> None:
    """5 × 3 mm over so many ticks of 1 ms; the faster press takes fewer."""
    assert ears.ask("instrument", name="synthesizer")["ok"]
    strikes = [struck(ears, 67, depth) for depth in (0.015, 0.03)]
    ticks = [15.0 / float(each["loudness"]) for each in strikes]  # type: ignore[arg-type]
    assert ticks == pytest.approx(np.round(ticks)) and ticks[1] < ticks[0]
    ears.ask("instrument", name="piano")


def test_the_passage_plays_and_ends(ears: Ears) -> None:
    ears.told.clear()
    assert ears.ask("passage")["ok"] and ears.board.playing
    assert [ears.wait("strike")["note"] for _ in range(3)] == [60, 64, 67]
    while ears.wait("passage")["playing"]:
        pass
    assert not ears.board.playing


def test_what_is_not_there_is_refused_by_name(ears: Ears) -> None:
    for message, text in (
        ({"do": "press", "note": 30, "depth": 0.01}, "The keyboard has no F#1"),
        ({"do": "press", "note": 60, "depth": 5.0}, "can't be read"),
        ({"do": "screw", "name": "let-of button height", "value": 0.0}, "let-off button height"),
        ({"do": "screw", "name": "hammer mass", "value": 1.0}, "hammer mass"),
        ({"do": "instrument", "name": "flute"}, "There is no instrument 'flute'"),
        ({"do": "set", "name": "C4/finger mass", "value": 1.0}, "isn't among the parameters"),
        ({"do": "set", "name": "C4/finger wish", "value": 1.0}, "isn't among the inputs"),
    ):
        answer = ears.ask(**message)  # type: ignore[arg-type]
        assert not answer["ok"] and text in str(answer["error"]), answer
