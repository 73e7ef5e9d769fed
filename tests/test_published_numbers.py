"""Published numbers are in the repository: a clone alone runs every case that needs them."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.robotran import MODELS
from touchback.interop import read_mbs
from validation.__main__ import main as validation_main
from validation.reference import FOLDER, about, columns, numbers
from validation.reference.robotran import mbs_text

ROOT = Path(__file__).parents[1]
TABLES = sorted([*FOLDER.glob("*.toml"), *FOLDER.glob("*.csv")])
FOLDERS = ("benchmarks", "docs", "examples", "firmware", "src", "studies", "tests", "validation")


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.name)
def test_a_table_says_what_it_holds_where_it_is_from_and_under_which_licence(path: Path) -> None:
    words = about(path)
    assert re.search(r"^source: .{20}", words, re.M)
    assert re.search(r"^licence: .{4}", words, re.M)
    assert len(words.split("source: ")[0]) > 40
    assert numbers(path.stem) if path.suffix == ".toml" else columns(path.stem)


def test_every_table_is_used() -> None:
    places = "validation/test_*.py", "validation/reference/*.py", "benchmarks/*.py", "docs/*.py"
    cases = [path for place in places for path in ROOT.glob(place)]
    text = "\n".join(path.read_text(encoding="utf-8") for path in cases)
    adams = {f"adams_{name}" for name in re.findall(r'"(\w+)"', text)}
    unused = [p.stem for p in TABLES if f'"{p.stem}"' not in text and p.stem not in adams]
    assert not unused


def test_nothing_is_read_from_beside_the_repository() -> None:
    """What needs a folder that a clone doesn't have is skipped or fails there."""
    beside = re.compile(r"parents\[\d\] / \"shared\"|ROOT\.parent /|\.\./shared")
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    found = [path for path in files if beside.search(path.read_text(encoding="utf-8"))]
    assert [path.relative_to(ROOT).as_posix() for path in found if path != Path(__file__)] == []


@pytest.mark.parametrize(("name", "joints"), [(each.table, each.joints) for each in MODELS])
@pytest.mark.filterwarnings("ignore::touchback.interop.ImportNotice")
def test_a_mechanism_that_is_written_from_its_numbers_has_them_all(name: str, joints: int) -> None:
    model, table = read_mbs(mbs_text(name)), numbers(name)
    assert len(model.joints) == joints
    assert len(model.closures) == len(table["cuts"])
    assert len(model.imported["links"]) == len(table["links"])
    assert len(model.imported["external_forces"]) == len(table["forces"])
    total = sum(body.get("mass", 0.0) for body in table["bodies"])
    assert np.isclose(sum(float(body.mass) for body in model.bodies.values()), total, rtol=1e-14)


def test_the_command_of_the_published_cases_says_what_it_does_and_runs_nothing(
    capsys, monkeypatch
) -> None:
    monkeypatch.setattr(pytest, "main", lambda *_, **__: pytest.fail("cases run"))
    for words, status in ((["--help"], 0), (["orders"], 2)):
        with pytest.raises(SystemExit, match=str(status)):
            validation_main(words)
    said = capsys.readouterr()
    assert "run the published cases and write their agreement" in said.out
    assert "unrecognized arguments: orders" in said.err
