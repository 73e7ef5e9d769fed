"""Whatever a file holds, reading it gives a model or a ModelError, soon."""

import json
import random
from pathlib import Path

import pytest
import yaml
from hypothesis import given, strategies as st

import touchback as tb
from described_models import ALL, every_joint, leg, loops, walker
from touchback.errors import ModelError
from touchback.interop.import_formats import read
from touchback.model.io import model_from_text, to_text, yaml_json
from touchback.model.io.model_reader import READERS
from touchback.model.io.yaml_json import scalar

SAMPLES = [to_text(describe()) for describe in (*ALL, loops)]
PLAIN = [json.loads(to_text(describe(), ".json")) for describe in (*ALL, loops)]
SNIPPETS = (
    "{", "}", "[", "]", ":", "- ", "'", '"', "*a", "&a", "!!", "$1", "nan", ".inf", "-1", "0",
    "1e999", "null", "true", "ground", "kind", "\n", "  ", "\t", "\x00", "é", "time", "q:knee", "/",
)  # fmt: skip
odd_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([10**400, -(10**30)]),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(
        ["time", "1/0", "sqrt(-1)", "$1", "ground", "q:knee", "'hip width'", "x" * 300]
    ),
    st.lists(st.integers(0, 2), max_size=4),
    st.dictionaries(st.text(max_size=3), st.integers(0, 2), max_size=2),
)


def check(text: str, suffix: str = ".yaml") -> None:
    try:
        model = model_from_text(text, suffix)
    except ModelError:
        return
    again = to_text(model)
    assert to_text(model_from_text(again)) == again


@given(st.sampled_from(SAMPLES), st.randoms(use_true_random=False), st.integers(1, 4))
def test_spoilt_text_is_refused_or_read(text: str, dice: random.Random, count: int) -> None:
    for _ in range(count):
        i = dice.randrange(len(text))
        j = i + dice.choice((0, 1, 1, 3, 20))
        text = text[:i] + dice.choice((*SNIPPETS, "", text[j : j + 10])) + text[j:]
    check(text)


@given(st.sampled_from(PLAIN), st.randoms(use_true_random=False), odd_values)
def test_odd_values_anywhere_are_refused_or_read(
    plain: dict[str, object], dice: random.Random, odd: object
) -> None:
    data = json.loads(json.dumps(plain))
    place = data
    while True:
        key = dice.choice(list(place) if isinstance(place, dict) else list(range(len(place))))
        inner = place[key]
        if not isinstance(inner, (dict, list)) or not inner or dice.random() < 0.2:
            break
        place = inner
    if isinstance(place, dict) and dice.random() < 0.3:
        place[dice.choice(("kind", "mass", "x", "parent", "at", "$2"))] = place.pop(key)
    place[key] = odd
    text = json.dumps(data)
    check(text, ".json")
    check(text, ".yaml")


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [*{chr(97 + i)}, *{chr(97 + i)}]\n" for i in range(20)
    )
    with pytest.raises(ModelError, match="anchors and aliases"):
        model_from_text("touchback: 1\nname: bomb\n" + bomb)


def test_a_merge_key_is_only_a_key() -> None:
    with pytest.raises(ModelError, match="no such key"):
        model_from_text("touchback: 1\nname: m\n<<: {bodies: {}}\n")


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system [ls]", "!!set {a}", "!x y"])
def test_tags_make_nothing(tag: str) -> None:
    with pytest.raises(ModelError, match="tags"):
        model_from_text(f"touchback: 1\nname: {tag}\n")


@pytest.mark.parametrize("suffix", READERS)
def test_depth_is_bounded(suffix: str) -> None:
    deep = '{"touchback": 1, "name": ' + "[" * 100_000 + "]" * 100_000 + "}"
    with pytest.raises(ModelError, match="in one another"):
        model_from_text(deep, suffix)


def test_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "large.yaml"
    file.write_text("touchback: 1\n" + "#" * 2**24)
    with pytest.raises(ModelError, match="bytes"):
        read(file)
    monkeypatch.setattr(yaml_json, "LARGEST", 10)
    with pytest.raises(ModelError, match="characters"):
        model_from_text("touchback: 1\nname: m\n")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "bytes.yaml"
    file.write_bytes(b"touchback: 1\nname: \xff\n")
    with pytest.raises(ModelError, match=r"no UTF-8 text \(byte 19\)"):
        read(file)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder.yaml"
    folder.mkdir()
    with pytest.raises(ModelError, match=r"folder\.yaml is a folder; give a file that is in it"):
        read(folder)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"touchback": 1, "name": "m", "name": "n"}', "stands twice"),
        ('{"touchback": 1, "name": NaN}', "NaN is no number in JSON"),
        ('{"touchback": 1, "name": "m",}', "not JSON"),
        ("[" * 40 + "]" * 40, "in one another"),
        ("3", "a mapping is expected"),
        ('{"touchback": true, "name": "m"}', "version true"),
    ],
)
def test_json_is_read_strictly(text: str, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        model_from_text(text, ".json")


@pytest.mark.parametrize(
    "text",
    ["1", "-2", "1.5", "1.", ".5", "1e3", "-1.5e-3", "true", "false", "null", "~", ".inf", "-.inf"]
    + ["yes", "no", "on", "12:30", "0x10", "0o7", "2020-01-01", "1_000", "x", "+1"],
)
def test_scalars_mean_what_yaml_1_2_says(text: str) -> None:
    """Independent of our reader: JSON's numbers and words where JSON has them, else text."""
    known = {"~": None, ".inf": float("inf"), "-.inf": float("-inf"), "1.": 1.0, ".5": 0.5, "+1": 1}
    if text in known:
        assert scalar(text) == known[text]
        return
    try:
        assert scalar(text) == json.loads(text)
    except json.JSONDecodeError:
        assert scalar(text) == text


def test_other_readers_of_yaml_see_the_same_data() -> None:
    for describe in (leg, walker, every_joint):
        assert yaml.safe_load(to_text(describe())) == json.loads(to_text(describe(), ".json"))


def test_expressions_can_only_compute() -> None:
    for text in ("__import__('os')", "().__class__", "lambda: 1", "[1][0]", "a if b else c"):
        with pytest.raises(ModelError, match="Expression, column"):
            model_from_text(
                json.dumps({"touchback": 1, "name": "m", "bodies": {"b": {"mass": text}}})
            )


def test_a_part_may_only_use_what_stands_above_it() -> None:
    circle = {"a": {"parts": {"x": {"model": "b"}}}, "b": {"parts": {"y": {"model": "a"}}}}
    with pytest.raises(ModelError, match=r"library\.a\.parts\.x\.model: there is no model 'b'"):
        model_from_text(json.dumps({"touchback": 1, "name": "m", "library": circle}), ".json")


def test_the_place_names_file_line_and_path(tmp_path: Path) -> None:
    file = tmp_path / "arm.yaml"
    file.write_text(to_text(every_joint()).replace("axis: [1, 2, 3]", "axis: [1, 2, w]"))
    line = file.read_text().splitlines().index("    axis: [1, 2, w]") + 1
    with pytest.raises(ModelError) as caught:
        read(file)
    assert str(caught.value) == (
        f"{file}, line {line}, joints.revolute.axis[2]: a number is expected, got 'w'."
    )


def test_a_model_from_a_file_can_be_extended() -> None:
    model = model_from_text(to_text(leg()))
    model.force("more", tb.JointEffort("knee", model.signal("knee stiffness") * 2))
    assert "2 * 'knee stiffness'" in to_text(model)
