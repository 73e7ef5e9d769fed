"""`python tests/mutate` breaks lines in a private copy and counts what the tests notice."""

import ast
import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

TESTS = Path(__file__).resolve().parent
sys.path.append(str(TESTS / "mutate"))
from c_mutants import c_mutants  # noqa: E402
from chosen_tests import FileMap, Look, files_of_room, looks  # noqa: E402
from private_copy import Outcome, PrivateCopy, Project, compiler_flags  # noqa: E402
from python_mutants import differs, python_mutants  # noqa: E402
from verdicts import _seen, equivalents  # noqa: E402

MODULE = '''"""Sums."""

LIMIT = 10


def clipped_sum(a: float, b: float) -> float:
    """a + b, at most the limit."""
    if a + b > LIMIT:
        return LIMIT
    return a + b


def unseen(a: float) -> float:
    return a / 2
'''
FILES = {
    "src/tiny/__init__.py": "",
    "src/tiny/room/__init__.py": "",
    "src/tiny/room/sums.py": MODULE,
    "src/tiny/other.py": "N = 1\n",
    "tests/room/test_sums.py": """
from tiny.room.sums import clipped_sum

def test_sums_end_at_the_limit():
    assert [clipped_sum(1, 2), clipped_sum(8, 8), clipped_sum(8, 1)] == [3, 10, 9]
""",
    "tests/test_elsewhere.py": "from tiny import other\n",
    "tests/mutate/equivalent.toml": """
[[equivalent]]
path = "src/tiny/room/sums.py"
scope = "clipped_sum"
before = "if a + b > LIMIT:"
after = "if a + b >= LIMIT:"
reason = "at the limit both branches return it"
""",
    "pyproject.toml": """
[tool.pytest.ini_options]
addopts = "--import-mode=importlib"
pythonpath = ["tests"]
markers = ["soak: long", "browser: on a page"]
""",
}


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A package of one room, tests that know half of it, and a mutant known as equivalent."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # none is needed, and they take long
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Project(tmp_path)


def command(project: Project, *words: str) -> int:
    main: Callable[[list[str]], int] = runpy.run_path(str(TESTS / "mutate" / "__main__.py"))["main"]
    return main(["--root", str(project.root), "--jobs", "1", *words])


def test_mutants_are_noticed_survive_or_count_as_equivalent_once(
    tiny: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tiny.root / "build" / "verdicts.json"
    drawn = ["--room", "room", "--count", "3", "--seed", "1739", "--json", str(out)]
    assert command(tiny, *drawn) == 1  # one survived
    words = capsys.readouterr().out
    assert words.splitlines()[-1].split() == ["room", "3", "1", "1", "1", "50.0", "%"]
    content = json.loads(out.read_text())
    found = {each["outcome"]: each for each in content["verdicts"]}
    survivor = found["survived"]["name"]
    assert (
        "-    return a / 2\n+" in words and "-    return a / 2\n+" in content["survivors"][survivor]
    )
    assert f"Repeat with: python tests/mutate --only {survivor}\n" in words
    assert found["noticed"]["by"].endswith("test_sums.py::test_sums_end_at_the_limit")
    assert found["equivalent"]["by"] == "at the limit both branches return it"
    for name, text in FILES.items():  # the checkout is as it was
        assert (tiny.root / name).read_text(encoding="utf-8") == text

    def never(*_: object) -> Outcome:
        raise AssertionError("nothing is left to run")

    monkeypatch.setattr(PrivateCopy, "pytest", never)
    assert command(tiny, *drawn) == 1  # it goes on where it was stopped: at its end
    assert capsys.readouterr().out.splitlines()[-1] == words.splitlines()[-1]
    with pytest.raises(AssertionError, match="nothing is left"):  # but repeats what is named
        command(tiny, "--only", survivor)
    with pytest.raises(SystemExit, match="no room 'rom'; rooms: other, room"):
        command(tiny, "--room", "rom")
    with pytest.raises(SystemExit, match="no mutant room-00000000 any more"):
        command(tiny, "--only", "room-00000000")


def test_tests_of_a_room_are_its_own_and_those_that_mention_it(tiny: Project) -> None:
    (tiny.root / "tests" / "helper.py").write_text("import tiny.room\n")
    (tiny.root / "tests" / "test_by_helper.py").write_text("import helper\n")
    assert files_of_room(tiny, "room") == ["tests/room/test_sums.py", "tests/test_by_helper.py"]
    assert files_of_room(tiny, "other") == ["tests/test_elsewhere.py"]
    (tiny.root / "src" / "tiny" / "__init__.pyi").write_text("from tiny.other import N as count\n")
    by_name = tiny.root / "tests" / "test_by_name.py"
    by_name.write_text("import tiny as tb\nassert tb.count\n")
    assert files_of_room(tiny, "other") == ["tests/test_by_name.py", "tests/test_elsewhere.py"]


def test_tests_of_c_are_those_of_the_rooms_that_import_it(tiny: Project) -> None:
    (tiny.root / "src" / "tiny" / "room" / "sums.c").write_text("int one;\n")
    (tiny.root / "src" / "tiny" / "upper").mkdir()
    (tiny.root / "src" / "tiny" / "upper" / "__init__.py").write_text("from tiny.room import x\n")
    (tiny.root / "tests" / "upper").mkdir()
    (tiny.root / "tests" / "upper" / "test_upper.py").write_text("")
    found = files_of_room(tiny, "room")
    assert found == ["tests/room/test_sums.py", "tests/upper/test_upper.py"]
    assert files_of_room(tiny, "upper") == ["tests/upper/test_upper.py"]


def test_tests_that_reach_the_python_beside_a_file_of_c_look_first() -> None:
    text = "int f(int n) {\n    return n + 2;\n}\n"
    mutant = next(iter(c_mutants("src/tiny/room/deep/sums.c", text)))
    face, far = "src/tiny/room/deep/face.py", "src/tiny/room/other.py"
    maps = SimpleNamespace(found={
        name: FileMap(name, [(f"{name}::x", 1.0, "passed")], {path: {"7": [-1, 0]}})
        for name, path in {"tests/a.py": far, "tests/b.py": face}.items()
    })  # fmt: skip
    (first,) = looks(mutant, list(maps.found), maps, budget=60.0)  # type: ignore[arg-type]
    assert first.tests == ["tests/b.py::x"]


def test_quick_tests_that_reach_the_line_look_first_then_all_of_their_files() -> None:
    (mutant,) = (m for m in python_mutants("src/tiny/room/sums.py", MODULE)
                 if m.changed[1] == "    return a - b")  # fmt: skip
    path, line = mutant.path, str(mutant.line)
    tests = {
        "tests/far/test_a.py": [("a::slow", 5.0, "passed"), ("a::quick", 0.1, "passed")],
        "tests/room/test_b.py": [("b::x", 1.0, "passed"), ("b::y", 9.0, "failed")],
        "tests/room/test_c.py": [("c::z", 0.2, "passed")],
    }
    reach = {"tests/far/test_a.py": [1], "tests/room/test_b.py": [-1, 0, 1]}
    maps = SimpleNamespace(found={
        name: FileMap(name, each, {path: {line: reach[name]}} if name in reach else {})
        for name, each in tests.items()
    })  # fmt: skip
    first, rest = looks(mutant, list(tests), maps, budget=60.0)  # type: ignore[arg-type]
    assert sorted(first.tests) == ["a::quick", "b::x"] and first.direct
    assert rest.tests == ["a::slow"]  # test_c doesn't come near, and b::y fails without a mutant
    _, short = looks(mutant, list(tests), maps, budget=0.5)  # type: ignore[arg-type]
    assert (short.tests, short.seconds) == (["a::slow"], 5.0)  # one file always


class Scripted(PrivateCopy):
    """A copy whose runs of tests have been played before."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)

    def pytest(self, task: dict[str, object], files: list[str], patience: float) -> Outcome:
        return self.outcomes.pop(0)


def ran(status: int | None, *tests: str, failed: str = "") -> Outcome:
    notes: list[dict[str, object]] = [{"what": "began", "test": test} for test in tests]
    return Outcome(status, "", notes + ([{"what": "failed", "test": failed}] if failed else []))


def test_hangs_and_crashes_are_noticed_and_failures_by_chance_are_not() -> None:
    plan = [Look(["t.py::a"], 1.0, True), Look(["t.py::b", "t.py::c"], 1.0, False)]
    passed = ran(0, "t.py::a")
    assert _seen(Scripted(ran(None, "t.py::a")), plan) == ("noticed", "t.py::a (didn't end)", 1)
    assert _seen(Scripted(passed, ran(-11, "t.py::b")), plan)[1] == "t.py::b (exit status -11)"
    broken = ran(2)
    assert _seen(Scripted(broken), plan)[1] == "while the tests were read (exit status 2)"
    fails, again = ran(1, "t.py::b", failed="t.py::b"), ran(1, "t.py::b", failed="t.py::b")
    assert _seen(Scripted(passed, fails, again), plan) == ("noticed", "t.py::b", 2)
    chance = Scripted(passed, fails, ran(0, "t.py::b"), ran(0, "t.py::c"))
    assert _seen(chance, plan) == ("survived", "", 3)


def changes(text: str) -> set[tuple[str, str]]:
    """Kinds and changed lines of all mutants of a text of Python that are something else."""
    found = [m for m in python_mutants("src/p/room/m.py", text) if differs(m)]
    for mutant in found:
        ast.parse(mutant.after)
    return {(mutant.kind, mutant.changed[1].strip()) for mutant in found}


@pytest.mark.parametrize(
    "line, kind, after",
    [
        ("y = (x + 1) * z", "operator", "y = (x - 1) * z"),
        ("y = (x + 1) * z", "operator", "y = (x + 1) / z"),
        ("y = (x + 1) * z", "sign flip", "y = -((x + 1) * z)"),
        ("y = 'ä' if x < 2.0 else -x", "comparison", "y = 'ä' if x <= 2.0 else -x"),
        ("y = 'ä' if x < 2.0 else -x", "constant", "y = 'ä' if x < 3.0 else -x"),
        ("y = 'ä' if x < 2.0 else -x", "sign", "y = 'ä' if x < 2.0 else x"),
        ("y = x is not None and z", "comparison", "y = x is None and z"),
        ("y = x is not None and z", "logic", "y = x is not None or z"),
        ("y = not x", "sign", "y =  x"),
        ("x.y = 3", "dropped statement", "pass"),
        ("call(x, z, y)", "swapped arguments", "call(z, x, y)"),
        ("y = max(x, z)", "function", "y = min(x, z)"),
        ("y = abs(x)", "function", "y = (x)"),
        ("x += 1", "operator", "x -= 1"),
        ("return x + z", "returned value", "return None"),
        ("return x + z", "sign flip", "return -(x + z)"),
        ("while x: break", "condition", "while not (x): break"),
        ("if x not in z: y = True", "comparison", "if x in z: y = True"),
        ("if x not in z: y = True", "constant", "if x not in z: y = False"),
    ],
)
def test_every_kind_of_line_can_be_broken(line: str, kind: str, after: str) -> None:
    assert (kind, after) in changes(f"def f(x, y, z):\n    {line}\n")


def test_what_nobody_could_notice_is_left_alone() -> None:
    text = '''"""Says 1 + 1."""
from typing import Annotated
__all__ = ["f" + "g"]
def f(x: Annotated[float, 1 + 1]) -> "1 + 1":
    """Says 1 + 1."""
'''
    assert changes(text) == set()
    assert changes("def f(x):\n    raise ValueError(f'{x + 1}')\n") == {
        ("dropped statement", "pass")
    }


def test_c_is_broken_outside_of_comments_strings_and_declarations() -> None:
    text = (
        "#define ONE 1 + 1\nstatic int f(int n) {\n    int m = n + 2; /* 3 + 4 */\n"
        '    g("5 + 6");\n    return m;\n}\n'
    )
    found = {(m.kind, m.changed[1].strip()) for m in c_mutants("src/p/native/m.c", text)}
    assert found == {
        ("operator", "int m = n - 2; /* 3 + 4 */"),
        ("constant", "int m = n + 3; /* 3 + 4 */"),
        ("dropped statement", ";"),
    }


def test_broken_c_is_compiled_with_the_flags_of_the_library(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CFLAGS", raising=False)
    flags = compiler_flags(TESTS.parent / "setup.py")
    assert {"-O3", "-ffp-contract=off", "-g0"} <= set(flags)
    monkeypatch.setenv("CFLAGS", "-g")
    assert compiler_flags(TESTS.parent / "setup.py") == [each for each in flags if each != "-g0"]


def test_every_mutant_that_is_called_equivalent_exists_and_has_a_reason() -> None:
    listed = equivalents(TESTS / "mutate" / "equivalent.toml")
    files = {path: (TESTS.parent / path).read_text(encoding="utf-8") for path, *_ in listed}
    existing = {
        mutant.key
        for path, text in files.items()
        for mutant in (python_mutants if path.endswith(".py") else c_mutants)(path, text)
    }
    for key, reason in listed.items():
        assert key in existing, f"{key} is no mutant any more; drop it from equivalent.toml"
        assert len(reason) > 10, key
