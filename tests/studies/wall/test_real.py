"""Walls on a real device: the tables of the page, and how the best are chosen."""

from pathlib import Path

import numpy as np
import pytest

from studies.wall import contest, on_key, real
from studies.wall.real_tables import Grid, write
from touchback.haptics.wall.laws import CountIntervalEstimator, Standard
from touchback.haptics.wall.passivity_limits import RATES
from touchback.haptics.wall.wall_sweep import find_stiffest_wall
from touchback.instruments.keyboard.keyboard_model import touchback_key

PAGE = Path(__file__).parents[3] / "docs" / "wall_tables.inc"


def cells(name: str) -> dict[tuple[str, str], str]:
    """Of a table of the page, by row and column."""
    text = PAGE.read_text(encoding="utf-8").split(f"<!-- {name} -->")[1].split("<!-- end")[0]
    heads, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")]
                       for line in text.strip().splitlines())  # fmt: skip
    return {
        (row[0], head): cell for row in rows for head, cell in zip(heads[1:], row[1:], strict=True)
    }


def test_the_page_has_every_controller_with_every_sensor_at_every_rate() -> None:
    for rate in RATES:
        found = cells(f"limits {rate:g}")
        assert set(found) == {(law, sensor) for law in real.LAWS for sensor in real.SENSORS}
        assert all(found.values())


@pytest.mark.parametrize("law", ["half-sample", "adaptive"])
def test_a_cell_of_the_page_is_what_the_battery_measures(law: str) -> None:
    found, astray = find_stiffest_wall(real.LAWS[law], 250.0, real.OBSERVED)
    assert cells("limits 250")[law, "observer"] == f"{found:.0f} ({astray:.2f})"


def test_a_table_is_written_beside_those_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "tables.inc"
    one, other = (Grid(name, ("a", "b"), (("1", "2"),)) for name in ("one", "other"))
    write([one, other], path)
    changed = Grid("one", ("a", "b"), (("3", "4"),))
    write([changed], path)
    assert path.read_text() == "\n".join(each.markdown() for each in (changed, other))


def test_the_best_is_chosen_by_known_presses_and_judged_by_others() -> None:
    """A standard wall that is damped bears more; neither set holds a press of the other."""
    fresh = [press for presses in contest.FRESH for press in presses]
    assert not {*contest.KNOWN} & {*fresh} and len({*fresh}) == len(fresh)
    entries = [
        contest.Entry("plain", Standard(), real.COUNTED),
        contest.Entry("damped", Standard(), real.COUNTED, damping=0.5),
    ]
    found = contest.best(250.0, iter(entries))
    assert found.entry.name == "damped"
    plain, damped = (each.judged(250.0, contest.KNOWN) for each in entries)
    assert plain < damped
    assert found.known == damped
    reached = [entries[1].judged(250.0, presses) for presses in contest.FRESH]
    assert found.least == min(reached)
    assert found.fresh == pytest.approx(np.exp(np.mean(np.log(reached))))


def test_faults_that_make_stamps_untrue_leave_them_out() -> None:
    told = {name: real.counting(setting) for name, setting in real.FAULTS.items()}
    unstamped = {name for name, setting in told.items() if not setting.stamps}
    assert unstamped == {"half a sample late", "noise of a count"}
    for each in told.values():
        assert isinstance(each.sense, CountIntervalEstimator)
        assert each.sense.resolution == each.encoder.resolution


def test_the_page_has_every_wall_on_the_key_by_what_it_is_told() -> None:
    text = PAGE.read_text(encoding="utf-8").split("<!-- key -->")[1].split("<!-- end")[0]
    for wall, sense in on_key.TOLD:
        assert f"| {'standard' if wall == 'wall' else wall} | {sense} |" in text


def test_presses_on_the_key_get_energy_from_a_standard_wall_and_none_from_a_half_sample_one() -> (
    None
):
    key = touchback_key("walls", rate=1000.0).compile()
    standard, own = (
        max(
            on_key.given(key, 1000.0, wall, "observer", 5000.0, each)
            for each in on_key.STROKES["presses"]
        )
        for wall in ("wall", "half-sample")
    )
    assert standard > 0.01 and own <= 1e-3, (standard, own)
