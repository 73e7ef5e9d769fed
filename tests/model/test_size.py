"""A model has a size: small files can't describe what no memory holds, and reading takes a time in
proportion to what is described."""

import time
from collections.abc import Callable

import pytest

import touchback as tb
from touchback.errors import ModelError
from touchback.model.io import model_from_text
from touchback.model.model import LARGEST

JOINT = (
    "bodies:\n  b: {mass: 1.0}\n"
    "joints:\n  j: {kind: prismatic, axis: z, parent: ground, child: b}\n"
)


def doubling(levels: int, inner: str = JOINT) -> str:
    """A library in which each model holds the one before it twice."""
    text = "touchback: 1\nname: bomb\nlibrary:\n  m0:\n"
    text += "".join(f"    {line}\n" for line in inner.splitlines())
    for i in range(1, levels + 1):
        text += f"  m{i}:\n    parts:\n"
        text += "".join(f"      {side}: {{model: m{i - 1}}}\n" for side in "ab")
    return text + f"parts:\n  all: {{model: m{levels}}}\n"


@pytest.mark.parametrize(
    ("inner", "limit"),
    [(JOINT, LARGEST), ("parameters:\n  p: {default: 1.0}\n", 5000), ("gravity: [0, 0, 0]", 5000)],
)
def test_a_library_of_doubling_parts_is_refused_with_the_number_and_the_limit(
    inner: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("touchback.model.model.LARGEST", limit)
    with pytest.raises(ModelError, match=rf"would have \d+ things .* at most {limit} are allowed"):
        model_from_text(doubling(60, inner))


def test_doubling_parts_are_counted_as_often_as_they_stand_there() -> None:
    model = model_from_text(doubling(5))
    assert model.size() == 32 * 2 + (32 + 16 + 8 + 4 + 2 + 1)


def test_parts_that_grow_after_they_were_added_are_counted_when_it_matters() -> None:
    part, whole = tb.Model("part"), tb.Model("whole")
    for i in range(400):
        whole.add(part, name=f"p{i}")
    for i in range(300):
        part.parameter(f"q{i}", 1.0)
    with pytest.raises(ModelError, match="Model 'whole': the model would have 120400 things"):
        whole.compile()


def test_a_file_with_too_many_names_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("touchback.model.io.model_reader.LARGEST_MODEL", 2000)
    names = "".join(f"  p{i}: {{default: 1.0}}\n" for i in range(2001))
    with pytest.raises(ModelError, match="it names 2001 things; a model has at most 2000"):
        model_from_text(f"touchback: 1\nname: many\nparameters:\n{names}", ".yaml")


def section(name: str, item: str) -> Callable[[int], str]:
    def text(count: int) -> str:
        items = "".join(f"  x{i}: {{{item}}}\n" for i in range(count))
        return f"touchback: 1\nname: many\n{name}:\n{items}{JOINT}"

    return text


@pytest.mark.parametrize(
    "text",
    [
        section("parameters", "default: 1.0"),
        section("inputs", "default: 1.0"),
        section("states", "rate: 1.0"),
        section("sensors", "kind: position, frame: b"),
        section("forces", "kind: joint-effort, joint: j, effort: 1.0"),
    ],
    ids=["parameters", "inputs", "states", "sensors", "forces"],
)
def test_eight_times_as_many_names_take_not_much_more_than_eight_times_as_long(
    text: Callable[[int], str],
) -> None:
    def seconds(count: int) -> float:
        found = []
        for _ in range(3):
            began = time.process_time()
            model_from_text(text(count))
            found.append(time.process_time() - began)
        return min(found)

    assert seconds(1600) / seconds(200) < 20.0  # 64 where a name is compared with all others


@pytest.mark.parametrize("number", [1e51, -1e150, 1e300, 1.7e308])
def test_numbers_beyond_any_mechanism_are_refused_by_name(number: float) -> None:
    model = tb.Model("huge")
    for word, given in (
        ("mass", {"mass": abs(number)}),
        ("com", {"mass": 1.0, "com": (number, 0, 0)}),
        ("inertia", {"inertia": (abs(number), abs(number), abs(number))}),
    ):
        with pytest.raises(ModelError, match=rf"Body 'b': {word}: .* is too large; at most 1e\+50"):
            model.body("b", **given)
    with pytest.raises(ModelError, match=r"point of 'ground'.* is too large"):
        model.ground.at(0, number, 0)


def test_the_largest_numbers_compile_without_a_warning() -> None:
    model = tb.Model("large")
    body = model.body("b", mass=1e50, com=(1e50, 0, 0), inertia=(1e50, 1e50, 1e50))
    model.joint("j", tb.Revolute("y"), model.ground.at(1e50, 0, 0), body)
    a = model.compile().forward_dynamics([0.0], [0.0])
    assert a == pytest.approx([9.81e-50], rel=1e-12)  # m g c / (m c²), turned by −y
