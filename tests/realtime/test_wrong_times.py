"""What is no number in the calls of a live run is refused by name, and numbers of all kinds are
taken."""

import math
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import make
from touchback.realtime.port_guards import EnergyObserver, GuardedOutput, WatchedInput

NO_NUMBERS = (
    "0.1", b"1", None, True, [0.1], {}, 1j, Decimal("0.1"), np.timedelta64(1, "s"),
    np.datetime64("2020"), np.array([0.1]),
)  # fmt: skip
NO_TIMES = (math.nan, math.inf, -1.0, 1e308, 10**400, 10**5000, np.longdouble("1e4000"))


@pytest.fixture(scope="module")
def system() -> tb.System:
    m = tb.Model("pendulum")
    length, torque = m.parameter("length", 1.0, min=0.1), m.input("torque")
    bob = m.body("bob", 1.0, com=(0, 0, -length))
    m.joint("swing", tb.Revolute("y"), m.ground, bob)
    m.force("motor", tb.JointEffort("swing", torque))
    m.sensor("angle", tb.Signal(torque, "N m"))
    return m.compile()


@pytest.fixture
def live(system: tb.System) -> Iterator[tb.Live]:
    with tb.live(system, speed=None) as run:
        yield run


CALLS: dict[str, Callable[[tb.Live, Any], object]] = {
    "seconds": lambda live, x: live.run(x),
    "Parameter 'length': a ramp": lambda live, x: live.ramp("length", 1.1, x),
    "Parameter 'length': a ramp takes": lambda live, x: live.change({"length": 1.1}, x),
}


@pytest.mark.parametrize("label", CALLS)
def test_times_of_a_live_run_are_numbers(live: tb.Live, label: str) -> None:
    for wrong in (*NO_NUMBERS, *NO_TIMES):
        with pytest.raises(tb.InputError, match=rf"^{label}.*, got "):
            CALLS[label](live, wrong)
    for right in (0, Fraction(1, 100), np.float16(0.01), np.int8(0)):
        CALLS[label](live, right)


VALUES: dict[str, Callable[[tb.Live, Any], object]] = {
    "'length' must": lambda live, x: live.change({"length": x}),
    "'length' must be": lambda live, x: live.ramp("length", x, 0.01),
    "'length' must be a": lambda live, x: live.__setitem__("length", x),
    "'torque' must": lambda live, x: live.__setitem__("torque", x),
    "'torque' must be": lambda live, x: live.write("torque", x),
    "The gain of 'angle' must": lambda live, x: live.set_gain("angle", x),
}


@pytest.mark.parametrize("label", VALUES)
def test_values_of_a_live_run_are_numbers(live: tb.Live, label: str) -> None:
    for wrong in NO_NUMBERS:
        with pytest.raises(tb.InputError, match=rf"^{label}.*, got "):
            VALUES[label](live, wrong)
    for right in (1, Fraction(3, 2), np.float16(0.5), np.int64(2)):
        VALUES[label](live, right)
    if "length" in label:
        assert live["length"] == 2.0 and type(live["length"]) is float


def test_single_ticks_are_whole_numbers_of_any_kind(system: tb.System) -> None:
    with tb.live(system, rate=1000.0) as live:
        live.pause()
        for wrong in (True, 1.0, "1", None, 0, -1, 2**64, 10**5000, np.timedelta64(1, "s")):
            with pytest.raises(tb.InputError, match=r"^A paused run makes 1 to \d+ ticks, got "):
                live.step(wrong)
        before = live.ticks
        live.step(np.int64(3))
        live.step(np.uint8(2))
        assert live.ticks - before == 5
        live.set_speed(np.float16(0.5))
        assert type(live.spec.speed) is float


def test_short_numbers_pace_a_run(system: tb.System) -> None:
    with tb.live(
        system, speed=np.float16(0.1), rate=np.float32(100), spin=np.float16(1e-5),
        priority=np.int8(0), cpu=np.int16(0), substeps=np.int8(2), max_speed=np.float32(1e3),
    ) as live:  # fmt: skip
        live.run(0.01)
        assert type(live.spec.speed) is float and live.report().substeps == 2


PORTS: list[tuple[Callable[..., object], str]] = [
    *((WatchedInput, word) for word in ("low", "high", "max_age")),
    *((GuardedOutput, word) for word in ("safe", "low", "high", "slew", "ramp", "soft_start")),
    *((partial(EnergyObserver, {"f": "v"}), word) for word in ("limit", "trip")),
    (partial(EnergyObserver, {"f": "v"}, at_limit="damp"), "damping"),
]


@pytest.mark.parametrize(("made", "word"), PORTS)
def test_ports_are_described_by_numbers(made: Callable[..., object], word: str) -> None:
    for wrong in NO_NUMBERS:
        if wrong is not None or word != "max_age":  # None: any age
            with pytest.raises(tb.InputError, match=rf"{word} .*number.*, got "):
                made(**{word: wrong})
    for right in (np.float16(0.5), Fraction(1, 2)):
        usual = {"safe": 0.5} if word == "low" and made is GuardedOutput else {}
        assert type(getattr(made(**usual, **{word: right}), word)) is float


HUGE = 10**5000  # which Python itself refuses to write


@pytest.mark.parametrize(
    "name", ["x0", "method", "constraints", "inputs", "outputs", "energy", "parameters", "share",
             "record", "rate", "speed", "substeps", "cpu"],
)  # fmt: skip
def test_numbers_of_too_many_digits_are_refused_in_our_words(system: tb.System, name: str) -> None:
    for given in (HUGE, [HUGE]):
        with pytest.raises(tb.InputError):
            tb.live(system, **{name: given})
    if name in ("x0", "method", "constraints", "inputs", "parameters"):
        with pytest.raises(tb.InputError):
            tb.simulate(system, duration=0.01, **{name: HUGE})


def test_dates_and_lengths_of_time_are_no_numbers(system: tb.System) -> None:
    for wrong in (np.datetime64("2020"), np.timedelta64(1, "s")):
        with pytest.raises(tb.InputError, match="a state is an array of 2 numbers"):
            tb.simulate(system, [wrong, 0.0], 0.01)
        with pytest.raises(tb.InputError, match="duration must be a positive number, got"):
            tb.simulate(system, duration=wrong)
        with pytest.raises(tb.InputError, match="step_limit must be at least 1, and whole, got"):
            tb.simulate(system, duration=0.01, step_limit=wrong)
        for given in (wrong, [wrong, 0.0], make("pendulum")):
            with pytest.raises(tb.InputError, match="Input 'torque'"):
                tb.simulate(system, duration=0.01, inputs={"torque": given})
    with pytest.raises(tb.InputError, match="at is a time"):
        tb.Switch("soon", deactivate=["pin"])
