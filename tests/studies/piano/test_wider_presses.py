"""A finger that falls on the key from above may strike twice, the second time more softly: no more
of them do than docs/piano.md says."""

import numpy as np
import pytest

from studies.piano.presses import LABORATORIES, Press, PressLaboratory, Strike
from studies.piano.wider_presses import SETS, grazes

# The most of each set's ways down that strike twice [%], how much softer the second strike is at
# least [dB], and the most that are silent [%].
MOST = {
    "full contact": ((6.0, 13.0, 18.0, 1.0, 5.0), 12.0, 0.0),
    "modes": ((6.0, 23.0, 31.0, 1.0, 6.0), 6.0, 3.0),
}


def test_a_finger_comes_from_above_and_again() -> None:
    press, times = Press(0.1, 12e-3, 3.0, 1500.0, above=2e-3, times=2), np.linspace(0, 0.6, 6001)
    depth, speed = press.motion(times, 9.5e-3)
    assert press.period == pytest.approx(0.25) and press.ends == pytest.approx(0.35)
    for time, where in ((0.0, -2e-3), (0.1, 12e-3), (0.15, 12e-3), (0.25, -2e-3), (0.35, 12e-3)):
        assert np.interp(time, times, depth) == pytest.approx(where)
    assert depth[-1] == pytest.approx(9.5e-3 + 3.0 / 1500.0)
    np.testing.assert_allclose(np.gradient(depth, times), speed, atol=1e-4)


def test_strikes_are_told_by_the_way_down_that_they_belong_to() -> None:
    press = Press(0.1, 12e-3, 3.0, 1500.0, times=2)
    first, late, second, last = (Strike(time, 1.0) for time in (0.08, 0.24, 0.33, 0.6))
    assert press.by_way([first, late, second, last]) == [[first, late], [second, last]]
    assert press.by_way([second]) == [[], [second]]


def test_the_second_strike_of_a_falling_finger_is_much_softer() -> None:
    found = grazes(PressLaboratory(), SETS["from 3 mm above"][112:224])
    assert found.ways == 112 and found.silent == 0 and len(found.twice) > 0
    assert found.levels.min() > MOST["full contact"][1]
    first = np.array([struck[0].speed for struck in found.twice])
    assert len(found.speeds) == len(first) and np.all(found.speeds < 0.3 * first)


@pytest.mark.soak
@pytest.mark.parametrize("model", LABORATORIES)
def test_no_more_strike_twice_than_the_page_says(model: str) -> None:
    laboratory, (most, softer, silent) = LABORATORIES[model](), MOST[model]
    for (name, presses), share in zip(SETS.items(), most, strict=True):
        found = grazes(laboratory, presses)
        assert 100.0 * found.silent / found.ways <= silent, name
        assert 100.0 * len(found.twice) / found.ways < share, name
        assert found.levels.min(initial=np.inf) > softer, name
