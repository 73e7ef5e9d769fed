"""Every Python block of the documentation runs, page by page, in the order of reading."""

import inspect
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

import forked
import touchback as tb
from command import touchback
from touchback.model import Data

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
MOST_PAGES, MOST_WORDS = 50, 85_000
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def blocks(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


RUNNING = [page for page in PAGES if blocks(page)]


@pytest.mark.parametrize("page", RUNNING, ids=lambda p: p.stem)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    script = tmp_path / f"{page.stem}.py"
    script.write_text("\n\n".join(blocks(page)), encoding="utf-8")
    done = forked.run(script, tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_code_of_all_pages_passes_a_type_checker(tmp_path: Path) -> None:
    """As of somebody who has installed the package and runs mypy, with its own settings, on a
    script. A page may use a name for something else further down, hence redefinition."""
    for page in RUNNING:
        (tmp_path / f"{page.stem}.py").write_text("\n\n".join(blocks(page)), encoding="utf-8")
    (tmp_path / "mypy.ini").write_text("[mypy]\n", encoding="utf-8")
    given = (
        "--check-untyped-defs", "--allow-redefinition", "--ignore-missing-imports",
        f"--cache-dir={ROOT / '.mypy_cache' / 'pages'}", *sorted(f"{p.stem}.py" for p in RUNNING),
    )  # fmt: skip
    done = subprocess.run(
        (sys.executable, "-m", "mypy", *given), cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_shows_what_it_promises() -> None:
    (code,) = blocks(ROOT / "README.md")
    assert len([line for line in code.splitlines() if line.strip()]) <= 16


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_index_lists_every_page() -> None:
    listed = re.findall(r"^(\w+)$", (ROOT / "docs" / "index.md").read_text("utf-8"), re.MULTILINE)
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"}
    assert set(listed) == pages and len(listed) == len(pages)


def test_the_documentation_stays_readable() -> None:
    """Pages that grow without end, and new ones beside old ones, are what nobody reads."""
    words = [len(page.read_text("utf-8").split()) for page in (ROOT / "docs").glob("*.md")]
    assert len(words) <= MOST_PAGES and sum(words) <= MOST_WORDS


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_a_picture_that_moves_opens_the_front_pages(name: str) -> None:
    page = ROOT / name
    first = re.search(r"[\w/]+\.(svg|png)", page.read_text(encoding="utf-8"))
    assert first and "<animate" in (page.parent / first[0]).read_text(encoding="utf-8")


def test_the_picture_of_the_architecture_names_every_room_and_nothing_else() -> None:
    picture = (ROOT / "docs" / "pictures" / "architecture.svg").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in (ROOT / "src" / "touchback").glob("*/__init__.py")}
    assert set(re.findall(r">(\w+)/<", picture)) == rooms | {"validation"}


def test_pictures_are_small() -> None:
    for picture in (ROOT / "docs" / "pictures").rglob("*.*"):
        assert picture.stat().st_size < 100_000, picture.name


def test_every_commands_page_entry_is_a_command() -> None:
    shown = touchback("--help").stdout
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in re.findall(r"^\| `touchback (\w+)", text, re.MULTILINE):
        assert re.search(rf"\b{command}\b", shown)


def test_the_mechanism_of_the_five_minutes_is_one_that_the_page_can_show(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "five_minutes.md").read_text(encoding="utf-8")
    (model,) = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "pump.yaml").write_text(model, encoding="utf-8")
    told = touchback("check", str(tmp_path / "pump.yaml")).stdout
    assert "beam pump: fine. 4 bodies" in told
    pump = tb.read(tmp_path / "pump.yaml").compile()
    turned = {
        weight: tb.simulate(pump, duration=4, parameters={"counterweight": weight})["crank"][-1]
        for weight in (0.1, 2.0)
    }
    assert turned[2.0] > 2 * math.pi  # as the page says: it runs,
    assert -math.pi / 2 < turned[0.1] < 0  # and stays below without its counterweight


def test_every_kind_takes_a_body_for_a_frame_by_its_declared_types() -> None:
    """`tb.Position(cart)` runs for each kind that has a frame, so a type checker must allow it: at
    run time `FrameField` is `Frame`, only the source shows which of them a field says."""
    assert tb.contact and tb.vehicle and tb.gallery  # imports what kinds they have
    kinds = [kind for kind in subclasses(Data) if kind.__struct_config__.tag is not None]
    narrow = {
        f"{kind.__name__}.{name}"
        for kind in kinds
        for name in re.findall(r"^    (\w+): .*\bFrame\b", inspect.getsource(kind), re.MULTILINE)
    }
    assert len(kinds) > 90 and not narrow


def subclasses(kind: type[Data]) -> list[type[Data]]:
    own = [each for each in kind.__subclasses__() if each.__module__.startswith("touchback.")]
    return own + [inner for each in own for inner in subclasses(each)]
