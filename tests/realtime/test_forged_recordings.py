"""Whatever a recording says, replaying it gives an answer or our error: it never crashes, hangs or
takes all memory, and nothing in it is used as an address."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import forged_recordings
import touchback as tb
from forged_recordings import Parts, forge, put_together, sites, take_apart


def bolt(kind: Any) -> tb.Model:
    """A bolt that slides and turns, with an input, a parameter and an output."""
    m = tb.Model("bolt", gravity=(0, 0, 0))
    stiffness = m.parameter("stiffness", 3.0, unit="N m/rad", min=0.0)
    body = m.body("bolt", mass=1.0, inertia=(0.1, 0.1, 0.1))
    m.joint("hinge", kind, m.ground, body)
    torque = m.input("torque", unit="N m")
    turned = m.coordinate("hinge", kind.nq - 1)
    m.force("spring", tb.JointEffort("hinge", torque - stiffness * turned, kind.nv - 1))
    m.sensor("echo", tb.Signal(torque, "N m"))
    return m


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two structures with a change of parameters in each."""
    path = tmp_path_factory.mktemp("recording") / "bolt.mcap"
    guarded = {"echo": tb.devices.GuardedOutput(low=-9.0, high=9.0)}
    with tb.live(
        bolt(tb.Cylindrical("x")).compile(), rate=1000, speed=None, record=path, outputs=guarded
    ) as live:
        live["torque"] = 0.5
        live.run(0.01)
        live["stiffness"] = 2.0
        live.run(0.01)
        live.swap(bolt(tb.Revolute("x")))
        live.run(0.01)
        live["stiffness"] = 1.0
        live.run(0.01)
    return path


def test_taken_apart_and_put_together_it_replays_to_the_same_bits(
    recording: Path, tmp_path: Path
) -> None:
    parts = take_apart(recording)
    put_together(parts, tmp_path / "again.mcap")
    again = tb.replay(tmp_path / "again.mcap")
    assert again.same and again.ticks == 40
    assert again.compared == ["hinge.slide", "hinge.turn", "hinge.slide rate", "hinge.turn rate",
                              "hinge", "hinge rate"]  # fmt: skip
    assert len(sites(parts)) > 150


def in_a_process(recording: Path, folder: Path, count: int, seed: int) -> str:
    """Runs the search where a crash can be seen; gives the cases it printed."""
    command = [sys.executable, forged_recordings.__file__, str(recording), str(folder / "f.mcap")]
    done = subprocess.run(
        [*command, str(count), str(seed)], capture_output=True, text=True, check=False
    )
    cases = done.stdout.splitlines() or ["the start"]
    assert done.returncode == 0, f"{cases[-1]} ended it ({done.returncode}): {done.stderr[-2000:]}"
    return done.stdout


def test_a_change_at_every_place_is_answered(recording: Path, tmp_path: Path) -> None:
    cases = in_a_process(recording, tmp_path, 0, 1)
    assert len(cases.splitlines()) == len(sites(take_apart(recording)))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(8))
def test_thousands_of_changes_are_answered(recording: Path, tmp_path: Path, seed: int) -> None:
    in_a_process(recording, tmp_path, 3000, seed)


WRONG_PLACES = [
    (("to_state", 0), [1, 2**40, 0]),  # reads anywhere
    (("to_state", 0), [0, 0, 2**40]),  # writes anywhere
    (("to_state", 0), [0, 0, -3]),
    (("to_state", 0), [2**40, 0, 0]),  # an array anywhere
    (("to_state", 0), [-1, 0, 0]),
    (("to_parameters", 0), [0, 4, 0]),
    (("to_parameters", 0), [1, 0, 99]),
    (("inputs",), [2**40, 1]),
    (("inputs",), [0]),
    (("inputs",), [0, 0]),
    (("outputs",), [-(2**40)]),
    (("outputs",), []),
    (("outputs",), [1]),
    (("bodies",), ["bolt", "bolt"]),
    (("bodies",), ["nobody"]),
]


@pytest.mark.parametrize(("place", "value"), WRONG_PLACES, ids=str)
def test_a_place_that_the_structures_lack_is_refused_before_c_sees_it(
    place: tuple[Any, ...], value: Any, recording: Path, tmp_path: Path
) -> None:
    parts = take_apart(recording)
    number = next(i for i, each in enumerate(parts.messages) if "carried" in str(each["data"]))
    forged = forge(parts, ("messages", number, "data", "carried", *place), value)
    put_together(forged, tmp_path / "forged.mcap")
    with pytest.raises(tb.InputError, match=f"What is carried over, {place[0]}"):
        tb.replay(tmp_path / "forged.mcap")


def first_rows(parts: Parts) -> int:
    """The number of the first message of rows."""
    rows = (isinstance(each["data"], bytes) and each["data"] for each in parts.messages)
    return next(i for i, found in enumerate(rows) if found)


def changed(recording: Path, path: Path, **about: Any) -> Path:
    parts = take_apart(recording)
    parts.abouts["touchback live run"] |= about
    put_together(parts, path)
    return path


@pytest.mark.parametrize(
    ("about", "complaint"),
    [
        ({"state_names": ["hinge.slide"]}, "has 12 columns, its table 15"),
        ({"state_names": []}, "columns"),
        ({"initial_state": [0.0]}, "the state has 4 elements"),
        ({"initial_state": [0.0, 0.0, 0.0, float("nan")]}, "initial value of .* is nan"),
        ({"initial_state": 3}, "Expected `array`"),
        ({"rate": 1e9}, "1 to 10 000 ticks"),
        ({"rate": 10**30}, "1 to 10 000 ticks"),
        ({"parameters": {"stiffness": 10**400}}, "Number out of range"),
        ({"substeps": 10**12}, "100000"),
        ({"method": "telepathy"}, "no method 'telepathy'"),
        ({"constraints": "projection"}, "the model has no constraints"),
        ({"parameters": {"stiffness": "x"}}, "Expected `float`"),
        ({"parameters": {"other": 1.0}}, "other"),
        ({"description": "{}"}, "text"),
        ({"description": 3}, "Expected `str"),
        ({"copies": ["a", "b"]}, "with states"),
        ({"carried": None, "model": None}, "Expected `str`"),
    ],
    ids=str,
)
def test_a_description_that_is_wrong_is_refused_by_what_is_wrong(
    about: dict[str, Any], complaint: str, recording: Path, tmp_path: Path
) -> None:
    with pytest.raises(tb.TouchbackError, match=complaint):
        tb.replay(changed(recording, tmp_path / "forged.mcap", **about))


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        (0, 7.0, "misses ticks"),
        (2, float("nan"), "'flags' is nan"),
        (4, 77.0, "names version 77"),
        (4, -1.0, "'offered' is -1"),
        (5, 0.0, "'substeps' is 0"),
        (5, 1e15, r"'substeps' is 1e\+15; .* to 100000"),
    ],
)
def test_numbers_that_no_tick_has_are_refused(
    column: int, value: float, complaint: str, recording: Path, tmp_path: Path
) -> None:
    parts = take_apart(recording)
    number = first_rows(parts)
    put_together(forge(parts, ("messages", number, "data", column), value), tmp_path / "f.mcap")
    with pytest.raises(tb.InputError, match=complaint):
        tb.replay(tmp_path / "f.mcap")


def test_rows_that_are_cut_are_an_error(recording: Path, tmp_path: Path) -> None:
    parts = take_apart(recording)
    number = first_rows(parts)
    parts.messages[number]["data"] = parts.messages[number]["data"][:-8]
    put_together(parts, tmp_path / "f.mcap")
    with pytest.raises(tb.InputError, match="aren't rows of 15 columns"):
        tb.open(tmp_path / "f.mcap")


def test_columns_that_neither_description_nor_table_have_are_missed_by_the_model(
    recording: Path, tmp_path: Path
) -> None:
    parts = take_apart(recording)
    about = parts.abouts["touchback live run"]
    about["state_names"] = about["state_names"][:2]
    schema = parts.schemas[0]["data"]
    schema["columns"] = schema["columns"][:12] + schema["columns"][14:]
    first = parts.messages[first_rows(parts)]["channel_id"]
    for each in parts.messages:
        if each["channel_id"] == first:
            rows = np.frombuffer(each["data"]).reshape(-1, 15)
            each["data"] = np.delete(rows, [12, 13], axis=1).tobytes()
    put_together(parts, tmp_path / "f.mcap")
    with pytest.raises(tb.InputError, match=r"with states .* the model in it has"):
        tb.replay(tmp_path / "f.mcap")
