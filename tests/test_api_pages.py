"""Every public name is on the API pages, with words of its own."""

import ast
import builtins
import inspect
import re
from collections.abc import Iterator
from functools import cache
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
    "analysis", "batch", "contact", "devices", "draw", "estimate", "gallery", "haptics",
    "instruments", "interop", "model", "planning", "realtime", "recording", "simulate", "sweeps",
    "vehicle", "workbench",
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


@pytest.mark.parametrize("room", ["", *(f".{room}" for room in touchback.ROOMS)])
def test_every_public_face_says_what_it_is_for_and_shadows_no_builtin(room: str) -> None:
    face = import_module(f"touchback{room}")
    assert face.__doc__ and f"tb{room}" in face.__doc__
    assert getattr(touchback, room[1:], touchback) is face
    assert not [name for name in face.__all__ if hasattr(builtins, name)]
    page = (ROOT / "docs" / ("api_rooms.md" if room else "api.md")).read_text(encoding="utf-8")
    exported = [item for n in face.__all__ if is_code(item := getattr(face, n))]
    assert not [item for item in exported if item not in shown(page)]


def annotations(item: Any) -> Iterator[tuple[str, str]]:
    """Of a function, or of a class with what it inherits of ours: fields, methods; as written."""
    owners = [c for c in item.__mro__ if is_ours(c)] if inspect.isclass(item) else [item]
    for owner in owners:
        node = tree_of(inspect.getsourcefile(owner) or "")
        for name in owner.__qualname__.split("."):
            node = next(n for n in node.body if getattr(n, "name", "") == name)
        for part in node.body if inspect.isclass(owner) else [node]:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                yield f"{owner.__qualname__}.{part.target.id}", ast.unparse(part.annotation)
            if isinstance(part, ast.FunctionDef) and not re.match("_(?!_init|_call)", part.name):
                said = [n.annotation for n in ast.walk(part.args) if isinstance(n, ast.arg)]
                for each in (*said, part.returns):
                    if each is not None:
                        yield f"{owner.__qualname__}.{part.name}", ast.unparse(each)


def is_ours(item: Any) -> bool:
    return str(item.__module__).startswith("touchback")


@cache
def tree_of(file: str) -> Any:
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def test_no_public_signature_accepts_or_gives_anything_whatever() -> None:
    """`Scalar` is the one name for "of whatever kind": mechanics and filters are written over
    floats, expressions and nodes of a tape alike."""
    faces = [touchback, *(import_module(f"touchback.{room}") for room in touchback.ROOMS)]
    items = {i for face in faces for n in face.__all__ if is_code(i := getattr(face, n))}
    said = {pair for item in items if is_ours(item) for pair in annotations(item)}
    loose = {where for where, words in said if re.search(r"\bAny\b", words)}
    assert not [where for where in loose if not re.search(r"\._(?!_)", where)]


def test_everything_on_the_api_pages_has_words_of_its_own() -> None:
    words = {item: vars(item).get("__doc__") or item.__doc__ for item in SHOWN if is_code(item)}
    silent = [i for i, text in words.items() if not text or text.startswith(f"{i.__name__}(")]
    assert not silent  # a dataclass without a docstring has its signature for one
