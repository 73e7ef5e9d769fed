"""From a board's numbers to quantities, block by block."""

import math

import numpy as np
import pytest

from touchback.devices import Converter
from touchback.devices.daq import GALLO, BlockChannel, BlockLayout, Conditioning
from touchback.devices.sensors import Encoder, HallPair, Unwrap
from touchback.errors import InputError
from touchback.estimate import BackwardDifference, SmoothDifferentiator, run
from touchback.symbolic.math_functions import maximum

STEERING = Encoder(500)  # 0.18° a count


def blocks(steering: np.ndarray, **others: np.ndarray) -> np.ndarray:
    """Blocks of Gallo's layout."""
    made = np.zeros(len(steering), dtype=GALLO.dtype)
    made["steering"] = steering
    for name, values in others.items():
        made[name] = values
    return made


def test_a_counter_of_16_bits_is_followed_round_and_the_speed_is_that_of_recorded_samples() -> None:
    t = 1e-3 * np.arange(400)
    angle = 150.0 * np.sin(2 * np.pi * 2.0 * t)  # 48 000 counts to each side: it goes round
    counts = np.floor(angle / STEERING.resolution)
    d = SmoothDifferentiator(1e-3, 6)
    c = Conditioning(GALLO)
    running = c.filtered(Unwrap(16), c["steering"])
    seen = c.give("angle", STEERING.quantity(running), of="steering")
    c.give("speed", c.filtered(d, seen), of="steering", delay=d.delay)
    compiled = c.compile()
    found = compiled.run(blocks((counts + 32768) % 65536 - 32768))
    np.testing.assert_allclose(found["angle"], angle, atol=0.51 * STEERING.resolution)
    np.testing.assert_allclose(
        found["speed"], run(d, STEERING.quantity(counts)), rtol=1e-12, atol=1e-9
    )
    assert compiled.quantities["speed"].delay == pytest.approx(3e-3)


def test_filters_begin_at_rest_at_the_first_block() -> None:
    c = Conditioning(GALLO)
    c.give("speed", c.filtered(SmoothDifferentiator(1e-3, 4), c["steering"]), of="steering")
    found = c.compile().run(blocks(np.full(20, 12_345)))
    np.testing.assert_array_equal(found["speed"], 0.0)


def test_the_brake_s_pressure_is_gallo_s_equation_and_never_below_zero() -> None:
    c = Conditioning(GALLO)
    c.give("pressure", maximum(c["brake"], 0.0) * (40.0 / 32767.0), of="brake")
    raw = np.array([-3, 0, 16384, 32767])
    found = c.compile().run(blocks(np.zeros(4), brake=raw))
    np.testing.assert_allclose(found["pressure"], [0.0, 0.0, 16384 * 40 / 32767, 40.0], rtol=1e-14)


def test_two_channels_make_one_quantity_of_a_hall_pair_behind_converters() -> None:
    layout = BlockLayout(1e-3, (BlockChannel("front", "uint16"), BlockChannel("rear", "uint16")))
    adc, pair = Converter(14, 0.0, 5.0), HallPair(2e-3, 1e-3)
    c = Conditioning(layout)
    c.give("height", pair.quantity(adc.quantity(c["front"]), adc.quantity(c["rear"])), of="rear")
    made = np.zeros(3, dtype=layout.dtype)
    made["front"], made["rear"] = [16383, 8000, 0], [0, 4000, 16383]
    found = c.compile().run(made)["height"]
    volts = {name: made[name] * (5.0 / 16383) for name in ("front", "rear")}
    np.testing.assert_allclose(found, 2e-3 * (volts["front"] ** 2 - volts["rear"] ** 2) + 1e-3)


def test_a_value_is_predicted_to_now_by_its_rate_and_age() -> None:
    slope, age = 700.0, 4e-3  # counts a second
    c = Conditioning(GALLO)
    rate = c.filtered(BackwardDifference(1e-3), c["steering"])
    c.give("now", c.now(c["steering"], rate, of="steering"), of="steering")
    c.give("soon", c.now(c["steering"], rate, of="steering", ahead=1e-3), of="steering")
    t = 1e-3 * np.arange(50)
    found = c.compile().run(blocks(1000.0 * slope * t / 1000.0), ages=age)
    true = np.floor(slope * t)
    assert np.abs(found["now"][1:] - slope * (t[1:] + age)).max() < 5.0
    np.testing.assert_allclose(
        found["soon"][1:] - found["now"][1:], np.diff(true) / 1e-3 * 1e-3, atol=1e-9
    )


def test_several_samples_of_a_block_are_filtered_one_after_another() -> None:
    layout = BlockLayout(2e-3, (BlockChannel("wheel", "int32", samples=4),))
    counts = np.floor(3000.0 * np.sin(20.0 * 5e-4 * np.arange(400)))
    d = SmoothDifferentiator(5e-4, 5)
    c = Conditioning(layout)
    c.give("speed", c.filtered(d, c.samples("wheel")), of="wheel", delay=d.delay)
    made = np.zeros(100, dtype=layout.dtype)
    made["wheel"] = counts.reshape(100, 4)
    expected = run(d, counts)[3::4]
    np.testing.assert_allclose(c.compile().run(made)["speed"][1:], expected[1:], atol=1e-9)


def test_what_does_not_fit_is_refused() -> None:
    c = Conditioning(GALLO)
    with pytest.raises(InputError, match=r"come every 0\.001 s"):
        c.filtered(SmoothDifferentiator(5e-3, 4), c["steering"])
    with pytest.raises(InputError, match="already"):
        c.give("brake", c["brake"], of="brake")
    with pytest.raises(InputError, match="steer"):
        c["steer"]
    with pytest.raises(InputError, match="delay"):
        c.give("late", c["brake"], of="brake", delay=-math.inf)
