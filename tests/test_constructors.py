"""What isn't a number where a number belongs is refused by one of our errors, whoever's constructor
it is given to: never by NumPy's words on truth values, nor by Python's on types and digits."""

from __future__ import annotations

import inspect
import random
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback import gallery
from touchback.draw import figure_svg, stick_figure
from touchback.errors import TouchbackError
from touchback.haptics import Staircase
from touchback.model.forces import Immersed
from touchback.model.joints import Free
from touchback.model.solids import Box, Cylinder, Ellipsoid, Sphere
from touchback.model.value_or_expression import Data
from touchback.realtime import open_recording
from touchback.realtime.live_replay import replay_recording
from touchback.realtime.recording_fork import fork
from touchback.recording.live_recording import Recording
from touchback.system import System

ROOMS = (
    "contact", "contact.surfaces", "devices", "draw", "estimate", "haptics", "model",
    "model.forces", "model.joints", "model.sensors", "model.solids", "realtime", "vehicle",
    "vehicle.drivers", "vehicle.manoeuvres",
)  # fmt: skip
MADE_BY_OTHERS = {  # not by users: by what
    "Live": "tb.live", "SharedPorts": "attach", "ActiveRecording": "live.record", "Tap": "live.tap",
    "Tracking": "contacts", "Recording": "open_recording", "Replay": "tb.replay", "Fork": "fork",
    "Report": "live.report", "StickFigure": "stick_figure", "Manoeuvre": "its kinds",
}  # fmt: skip


class Odd:
    """What isn't anything."""


BAD: dict[str, Any] = {
    "an array": np.array([1.0, 2.0]), "an array of one": np.array([1.0]), "none": None,
    "an empty array": np.array([]), "a matrix": np.eye(3), "words in an array": np.array(["a"]),
    "a text": "x", "bytes": b"x", "nan": float("nan"), "inf": float("inf"), "-inf": -float("inf"),
    "too many digits": 10**400, "too many digits below 0": -(10**400), "complex": 1j,
    "a list": [1.0, 2.0], "nested": (1.0, (2.0,)), "a mapping": {}, "true": True, "odd": Odd(),
    "zero": 0.0, "negative": -1.0, "the least": 5e-324, "the most": 1.7e308,
}  # fmt: skip
GOOD: tuple[Any, ...] = (
    1.0, 2, "a", (1.0, 0.0, 0.0), (0.0, 1.0), [0.0, 1.0, 2.0], np.eye(3), abs, (0.0,), None, {},
    {"a": 1.0}, 0.01, True,
)  # fmt: skip


def _first(annotation: str) -> tuple[Any, ...]:
    """What is tried first for a field that is declared so."""
    if any(word in annotation for word in ("tuple", "Sequence", "Triple", "ArrayLike")):
        return (1.0, 0.0, 0.0), (0.0, 1.0), np.eye(3)
    for word, given in (("float", 1.0), ("Value", 1.0), ("int", 2), ("str", "a")):
        if word in annotation:
            return given, 0.01
    return ()


KNOWN: dict[str, Mapping[str, Any]] = {  # what trying finds seldom, or never
    "Constant": {"levels": (1.0, 2.0)},
    "Counts": {"levels": np.ones(1), "asked": np.full(1, 4.0), "right": np.full(1, 3.0)},
    "Design": {"method": Staircase(1.0), "varied": "a", "base": 1.0},
    "GridRoad": {"x": (0.0, 1.0), "y": (0.0, 1.0), "heights": (0.0,) * 4},
    "Kalman": {"A": ((1.0,),), "C": (1.0,), "Q": ((1.0,),), "R": 1.0, "D": (1.0,)},
    "RecursiveLeastSquares": {"scale": (1.0, 2.0)},
}


@cache
def _fitting(kind: type) -> Mapping[str, Any]:
    """Arguments that a constructor takes, as far as trying finds some; else ones."""
    if kind.__name__ in KNOWN:
        return KNOWN[kind.__name__]
    needed = [each for each in _parameters(kind) if each.default is each.empty]
    rng = random.Random(1)
    for attempt in range(60):
        given = {}
        for each in needed:
            first = _first(str(each.annotation))
            given[each.name] = first[0] if first and not attempt else rng.choice(first + GOOD)
        try:
            kind(**given)
        except Exception:
            continue
        return given
    return {each.name: 1.0 for each in needed}


def _parameters(kind: type) -> list[inspect.Parameter]:
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [each for each in inspect.signature(kind).parameters.values() if each.kind in by_name]


def _kinds() -> Iterator[tuple[str, type]]:
    seen = set[type]()
    for room in ROOMS:
        module = import_module(f"touchback.{room}")
        for name in module.__all__:
            kind = getattr(module, name)
            plain = inspect.isclass(kind) and not issubclass(kind, Enum | BaseException)
            abstract = inspect.isabstract(kind) or getattr(kind, "_is_protocol", False)
            if plain and not abstract and name not in MADE_BY_OTHERS and kind not in seen:
                seen.add(kind)
                yield f"{room}.{name}", kind


KINDS = dict(_kinds())


def _only_ours(label: str, make: Callable[[], object]) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            make()
    except TouchbackError:
        pass
    except Exception as error:
        raise AssertionError(f"{label}: {type(error).__name__}: {error}") from error


def test_the_rooms_have_constructors() -> None:
    assert len(KINDS) > 150
    for name, given in KNOWN.items():
        (kind,) = (each for each in KINDS.values() if each.__name__ == name)
        kind(**given)


@pytest.mark.parametrize("name", KINDS)
def test_a_constructor_refuses_what_is_no_number_by_our_errors(name: str) -> None:
    kind = KINDS[name]
    try:
        parameters, fitting = _parameters(kind), _fitting(kind)
    except ValueError:  # a signature that Python doesn't tell
        return
    needed = [each.name for each in parameters if each.default is each.empty]
    for what, bad in BAD.items():
        _only_ours(f"{name}({what})", lambda bad=bad: kind(**dict.fromkeys(needed, bad)))
        for each in parameters:
            given = {**fitting, each.name: bad}
            _only_ours(f"{name}({each.name}={what})", lambda given=given: kind(**given))


# ---- pictures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("what", BAD)
def test_pictures_refuse_what_is_no_number_by_our_errors(what: str, tmp_path: Path) -> None:
    model, bad = gallery.make("pendulum"), BAD[what]
    figure = stick_figure(model)
    run = _run()
    for word in ("q", "parameters"):
        _only_ours(
            f"stick_figure({word}={what})", lambda word=word: stick_figure(model, **{word: bad})
        )
    for word in ("instant", "trail"):
        _only_ours(
            f"figure_svg({word}={what})", lambda word=word: figure_svg(figure, "", **{word: bad})
        )
    _only_ours(f"figure_svg({what})", lambda: figure_svg(figure, bad))
    for word in ("model", "speed"):
        if bad is not None and bad is not True:
            _only_ours(
                f"film({word}={what})",
                lambda word=word: run.film(tmp_path / "a.svg", **{word: bad}),
            )


@cache
def _run() -> tb.Run:
    return tb.simulate(_pendulum(), duration=0.02, progress=False)


# ---- solids of any size -----------------------------------------------------------------------


@pytest.mark.parametrize("length", [5e-324, 1e-200, 1e-61, -1.0, 1e13, 1e200, 1.7e308])
def test_solids_of_extreme_size_are_refused_in_words(length: float) -> None:
    makers: dict[str, Callable[[], object]] = {
        "Ellipsoid": lambda: Ellipsoid((1.0, length, 1.0)), "Sphere": lambda: Sphere(length),
        "Box": lambda: Box((1.0, 1.0, length)), "Cylinder": lambda: Cylinder(1.0, length),
    }  # fmt: skip
    for name, make in makers.items():
        with pytest.raises(tb.ModelError, match=rf"{name}: a length of .* from 1e-60 to 1e\+12"):
            make()


@pytest.mark.parametrize("halves", [(1e-12, 1e12, 1.0), (1e12,) * 3, (1e-12,) * 3])
def test_what_an_ellipsoid_carries_along_is_a_number_at_any_size(
    halves: tuple[float, float, float],
) -> None:
    """Of a sphere half of its mass, whatever its size (Lamb, Hydrodynamics, §92)."""
    found = Ellipsoid(halves).added()
    assert found is not None and np.isfinite(found).all()
    if len(set(halves)) == 1:
        assert found[0] == pytest.approx((0.5, 0.5, 0.5), rel=1e-12)
    model = tb.Model("m")
    water, body = model.fluid("water", 1000.0, surface=1.0), model.body("b", mass=1.0)
    model.joint("j", Free(), model.ground, body)
    _only_ours(
        f"Immersed({halves})",
        lambda: model.force("f", Immersed(body.at(0, 0, 0), Ellipsoid(halves), water)),
    )


# ---- recordings whose numbers nobody wrote ------------------------------------------------------


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "a.mcap"
    with tb.live(_pendulum(), rate=1000.0, speed=None, record=path) as live:
        live.run(0.02)
    return path


NUMBERS = [np.inf, -np.inf, np.nan, -1.0, 0.0, 0.5, 1e-320, 1e300, 2.0**53, 2.0**63]
CLOCKED: dict[str, Callable[[Recording], object]] = {
    "fork": lambda recording: fork(recording, 0.01, speed=None, system=_pendulum()),
    "fork at the start": lambda recording: fork(recording, 0.0, speed=None, system=_pendulum()),
    "replay": lambda recording: replay_recording(recording, _pendulum()),
}


@cache
def _pendulum() -> System:
    return gallery.make("pendulum").compile()


@pytest.mark.parametrize("call", CLOCKED)
def test_other_numbers_of_a_recording_are_refused_by_our_errors(recorded: Path, call: str) -> None:
    whole = open_recording(recorded)
    assert replay_recording(whole).same
    for number in NUMBERS:
        for key in ("rate", "substeps"):
            recording = open_recording(recorded)
            recording.about[key] = number  # type: ignore[literal-required]
            _only_ours(f"{call}, {key} {number}", lambda r=recording: CLOCKED[call](r))
        recording = open_recording(recorded)
        recording.about["start"] = {"tick": 0, "t0": number, "steps": 3}
        _only_ours(f"{call}, start {number}", lambda r=recording: CLOCKED[call](r))
        for column in range(6):
            for rows in (slice(None), 0, 9):
                part = replace(whole.parts[0], rows=whole.rows.copy())
                part.rows[rows, column] = number
                recording = replace(whole, parts=[part])
                label = f"{call}, {part.columns[column]} {number} in {rows}"
                _only_ours(label, lambda r=recording: CLOCKED[call](r))


@pytest.mark.parametrize("call", CLOCKED)
def test_a_recording_without_a_rate_is_refused_with_the_number(recorded: Path, call: str) -> None:
    recording = open_recording(recorded)
    recording.about["rate"] = 0.0
    with pytest.raises(
        tb.InputError, match=r"damaged: its rate is 1 to 10 000 ticks a second, got 0\.0"
    ):
        CLOCKED[call](recording)


# ---- arguments that don't fit -------------------------------------------------------------------

DATA = [name for name, kind in KINDS.items() if issubclass(kind, Data)]


@pytest.mark.parametrize("name", DATA)
def test_described_data_refuse_arguments_that_dont_fit_by_name(name: str) -> None:
    kind, label = KINDS[name], KINDS[name].__name__
    parameters = _parameters(kind)
    for each in parameters:
        misspelt = each.name[:-1] + "xq"
        with pytest.raises(tb.ModelError, match=f"{label}: there is no argument '{misspelt}'; "):
            kind(**{misspelt: 1.0})
    needed = [each for each in parameters if each.default is each.empty]
    if needed:
        with pytest.raises(tb.ModelError, match=f"{label}: argument '{needed[0].name}' is missing"):
            kind()
    places = [each for each in parameters if each.kind is not each.KEYWORD_ONLY]
    count = len(places)
    with pytest.raises(
        tb.ModelError, match=f"{label}: .* arguments by place are given to {count}; "
    ):
        kind(*[1.0] * (count + 1))
    if places:
        with pytest.raises(tb.ModelError, match=f"'{places[0].name}' is given by place and by "):
            kind(1.0, **{places[0].name: 1.0})


def test_a_misspelt_argument_is_answered_with_the_nearest() -> None:
    with pytest.raises(tb.ModelError, match="did you mean 'stiffness'"):
        tb.SpringDamper("a", "b", stifness=3.0)  # type: ignore[call-arg]


def test_errors_of_a_constructor_itself_stay_what_they_are() -> None:
    class Fragile(tb.ForceKind, frozen=True, tag="fragile"):
        size: float = 1.0

        def __post_init__(self) -> None:
            raise TypeError("of its own")

    with pytest.raises(TypeError, match="of its own"):
        Fragile()
    assert list(inspect.signature(Fragile).parameters) == ["size"]
