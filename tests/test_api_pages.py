"""Every public name is on the API pages, with words of its own."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

import touchback

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").glob("api*.md"))
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DIRECTIVE = re.compile(
    r"^\.\. (currentmodule|auto\w+):: ([\w.]+)\n((?:   .*\n)*)", re.MULTILINE
)  # its kind, what it shows, its options
ROOMS = (
    "contact", "devices", "draw", "estimate", "files", "gallery", "haptics", "interop", "realtime",
    "recording", "simulate",
)  # fmt: skip


def public_modules() -> list[ModuleType]:
    """The package, and what says `__all__` in the rooms that people import from."""
    names = [f"touchback.{room}" for room in ROOMS]
    for room in ROOMS:
        inside = import_module(f"touchback.{room}")
        names += [f.name for f in walk_packages(inside.__path__, f"{inside.__name__}.") if f.ispkg]
    return [touchback, *(m for m in map(import_module, names) if hasattr(m, "__all__"))]


def shown(page: str) -> list[Any]:
    """What the directives of a page show."""
    found: list[Any] = []
    module: ModuleType = touchback
    for kind, name, options in DIRECTIVE.findall(page):
        if kind == "currentmodule":
            module = import_module(name)
        elif kind == "automodule":
            found += members(import_module(name), options)
        else:
            owner, _, last = name.rpartition(".")
            found.append(getattr(import_module(owner) if owner else module, last))
    return found


def members(module: ModuleType, options: str) -> list[Any]:
    """What `automodule` shows: what a module exports, or else defines; constants where a comment
    "#: " in the same file says what they are."""
    own = [n for n, item in vars(module).items() if is_code(item) and defined_in(module, item)]
    described = re.findall(r"^#: .*\n(\w+)", inspect.getsource(module), re.MULTILINE)
    left_out = re.findall(r"\w+", "".join(re.findall(r":exclude-members:(.*)", options)))
    named = [n for n in getattr(module, "__all__", own) if not n.startswith("_")]
    items = {n: getattr(module, n) for n in named if n not in left_out}
    return [item for n, item in items.items() if is_code(item) or n in described]


def is_code(item: Any) -> bool:
    return inspect.isclass(item) or inspect.isfunction(item)


def defined_in(module: ModuleType, item: Any) -> bool:
    return bool(item.__module__ == module.__name__)


SHOWN = [item for page in PAGES for item in shown(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("module", public_modules(), ids=lambda m: m.__name__)
def test_every_public_name_is_on_the_api_pages(module: ModuleType) -> None:
    missing = [n for n in module.__all__ if not any(getattr(module, n) is one for one in SHOWN)]
    assert not missing, f"docs/api*.md lack {missing} of {module.__name__}"


def imported() -> set[tuple[str, str]]:
    """What the documentation and the examples import of us."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*.py")]
    for page in (ROOT / "docs").glob("*.md"):
        texts += BLOCK.findall(page.read_text(encoding="utf-8"))
    froms = [
        n for text in texts for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)
    ]
    names = {(node.module or "", alias.name) for node in froms for alias in node.names}
    return {(module, name) for module, name in names if module.startswith("touchback")}


def test_what_the_documentation_imports_is_on_the_api_pages() -> None:
    items = {f"{m}.{name}": getattr(import_module(m), name, None) for m, name in imported()}
    missing = [n for n, item in items.items() if is_code(item) and item not in SHOWN]
    assert not missing


def test_everything_on_the_api_pages_has_words_of_its_own() -> None:
    words = {item: vars(item).get("__doc__") or item.__doc__ for item in SHOWN if is_code(item)}
    silent = [i for i, text in words.items() if not text or text.startswith(f"{i.__name__}(")]
    assert not silent  # a dataclass without a docstring has its signature for one
