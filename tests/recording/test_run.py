"""A run gives its signals by name, draws them, and says what it is."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.recording import EnergyBalance, EventRecord, Run
from touchback.recording.run_formats import FORMATS


def swing() -> Run:
    time = np.linspace(0.0, 1.0, 11)
    signals = {"angle": np.sin(time), "speed": np.cos(time), "second angle": time}
    units = {"angle": "rad", "speed": "rad/s", "second angle": "rad"}
    return Run(
        time, signals, units, {"model": "pendulum", "method": "rk4", "repro_call": "again()"}
    )


def test_signals_are_found_by_name() -> None:
    run = swing()
    np.testing.assert_array_equal(run["angle"], np.sin(run.time))
    assert run.names == ["angle", "speed", "second angle"]
    assert run.units["speed"] == "rad/s"
    assert run.duration == 1.0
    assert len(run) == 11


@pytest.mark.parametrize(
    ("asked", "hint"), [("angel", "'angle'"), ("SPEED", "'speed'"), ("second", "'second angle'")]
)
def test_a_misspelt_name_is_answered_with_close_ones(asked: str, hint: str) -> None:
    with pytest.raises(InputError, match=f"There is no signal '{asked}': did you mean .*{hint}"):
        swing()[asked]


def test_a_name_far_from_all_others_is_answered_with_the_list() -> None:
    with pytest.raises(InputError, match="there are 'angle', 'speed', 'second angle'"):
        swing()["zzzz"]


def test_a_signal_of_another_length_than_time_is_refused() -> None:
    with pytest.raises(InputError, match=r"Signal 'a' has shape \(2,\), but time has \(3,\)"):
        Run([0, 1, 2], {"a": [1, 2]})


def test_the_text_of_a_run_names_model_method_signals_and_how_to_repeat_it() -> None:
    text = str(swing())
    for part in ("pendulum", "rk4", "11 instants", "speed [rad/s]", "again()"):
        assert part in text
    assert "pendulum" in repr(swing())


def test_a_notebooks_table_has_the_least_the_greatest_and_the_last_of_each_signal() -> None:
    time = np.array([0.0, 1.0, 2.0, 3.0])
    run = Run(time, {"a<b": [2.0, -7.5, 4.0, 1.25], "still": np.ones(4)}, {"a<b": "m", "still": ""})
    shown = run._repr_html_()
    titles = ("signal", "unit", "min", "max", "final")
    assert "".join(f"<th>{each}</th>" for each in titles) in shown
    for cells in (["a&lt;b", "m", "-7.5", "4", "1.25"], ["still", "", "1", "1", "1"]):
        assert f"<tr>{''.join(f'<td>{each}</td>' for each in cells)}</tr>" in shown


def test_an_energy_balance_is_read_from_top_to_bottom() -> None:
    """Each section with its sum, what belongs to it, and what is left at the end."""
    balance = EnergyBalance(
        {"motor": 3.0, "hand": 0.5}, {"kinetic": 1.25}, {"damper": 2.0}, {"floor": 0.125}
    )
    rows = [line.rsplit(maxsplit=2) for line in str(balance).splitlines()]
    assert [(name.strip(), float(joules)) for name, joules, _ in rows] == [
        ("work in", 3.5), ("motor", 3.0), ("hand", 0.5), ("stored", 1.25), ("kinetic", 1.25),
        ("dissipated", 2.0), ("damper", 2.0), ("impacts", 0.125), ("floor", 0.125),
        ("residual", 3.5 - 1.25 - 2.0 - 0.125),
    ]  # fmt: skip
    assert {unit for *_, unit in rows} == {"J"}


def test_a_plot_has_one_panel_per_unit_with_labelled_axes() -> None:
    figure = swing().plot()
    assert [axis.get_ylabel() for axis in figure.axes] == ["angle [rad]", "speed [rad/s]"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert [len(axis.lines) for axis in figure.axes] == [2, 1]


def crowded(signals: int, kinds: int) -> Run:
    """A run of many signals of one unit, with many kinds of events, each twice."""
    time = np.linspace(0.0, 1.0, 50)
    rows = {f"joint {i}": np.sin(i * time) for i in range(signals)} | {"height": time}
    units = {name: "rad" for name in rows} | {"height": "m"}
    events = [
        EventRecord(f"corner {k % kinds} hits", 0.9 * k / (2 * kinds), -1, {}, 0.0, {}).as_data()
        for k in range(2 * kinds)
    ]
    return Run(time, rows, units, {"model": "crowd", "events": events})


def entries(legend: Any) -> list[str]:
    return [text.get_text() for text in legend.get_texts()]


def test_legends_of_a_plot_stay_short_and_tell_events_once() -> None:
    figure = crowded(signals=12, kinds=17).plot()
    joints, height = figure.axes
    assert entries(joints.get_legend()) == [*(f"joint {i}" for i in range(8)), "… and 4 more"]
    assert height.get_legend() is None
    (told,) = figure.legends
    assert entries(told) == [*(f"corner {k} hits" for k in range(8)), "… and 9 more"]
    assert [len(axis.lines) for axis in figure.axes] == [12 + 34, 1 + 34]


def test_events_of_one_name_have_one_colour() -> None:
    lines = crowded(signals=1, kinds=3).plot("height").axes[0].lines[1:]
    colours = [line.get_color() for line in lines]
    assert colours[:3] == colours[3:] and len(set(colours)) == 3


@pytest.mark.parametrize("name", ["run.foo", "run", "run.png.gz", "missing/run.png"])
def test_a_plot_that_cannot_be_saved_says_so_before_it_is_drawn(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"(\.png|no folder)"):
        swing().plot("angle", path=tmp_path / name)


def test_a_plot_can_be_saved(tmp_path: Path) -> None:
    swing().plot("angle", path=tmp_path / "angle.png")
    assert (tmp_path / "angle.png").read_bytes().startswith(b"\x89PNG")


def test_a_plot_of_an_unknown_signal_says_so() -> None:
    with pytest.raises(InputError, match="no signal 'nagle'"):
        swing().plot("nagle")


def test_what_has_components_comes_as_columns() -> None:
    time = np.linspace(0.0, 1.0, 5)
    parts = {f"tip.{axis}": k + time for k, axis in enumerate("xyz")}
    run = Run(time, {**parts, "tip.x rate": time, "tipped": time})
    assert run["tip"].shape == (5, 3) and "tip" in run and "nothing" not in run
    np.testing.assert_array_equal(run["tip"], np.stack([time, 1 + time, 2 + time], axis=1))
    np.testing.assert_array_equal(run["tip.y"], 1 + time)
    with pytest.raises(InputError, match="'tap'"):
        run["tap"]


@pytest.mark.parametrize("name", ["missing/run.csv", "folder.npz", "taken/run.mcap"])
def test_a_run_that_cannot_be_saved_says_so(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "taken").touch()
    with pytest.raises(InputError, match="folder"):
        swing().save(tmp_path / name)


@pytest.mark.parametrize("ending", [".csv", ".npz", ".mcap"])
def test_a_run_that_fails_to_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    file = tmp_path / f"run{ending}"
    swing().save(file)
    before = file.read_bytes()

    def full(self: Path, *_: Any, **__: Any) -> None:
        self.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    chosen = FORMATS[ending]
    monkeypatch.setitem(FORMATS, ending, chosen._replace(write=lambda run, path: full(path)))
    with pytest.raises(OSError, match="No space left"):
        swing().save(file)
    assert file.read_bytes() == before and list(tmp_path.iterdir()) == [file]
