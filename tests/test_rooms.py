"""The house keeps its order: a room imports only the rooms that are listed for it, through their
doors (DESIGN.md)."""

import ast
from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module
from pathlib import Path

import pytest

import touchback

# A room, and the rooms that it may import. The core comes first; it knows nothing of the others.
EDGES = {
    "native": (),
    "symbolic": (),
    "codegen": ("native", "symbolic"),
    "spatial": ("symbolic",),
    "model": ("symbolic", "spatial"),
    "contact": ("native", "model"),
    "dynamics": ("symbolic", "spatial", "model"),
    "draw": ("model", "dynamics"),
    "system": ("native", "symbolic", "codegen", "model", "dynamics", "draw"),
    "recording": ("model", "draw", "system"),
    "simulate": ("native", "model", "contact", "system", "recording"),
    "realtime": ("native", "model", "system", "recording", "simulate"),
    "analysis": ("native", "model", "system", "recording", "simulate"),
    "batch": ("native", "codegen", "model", "system", "recording", "simulate"),
    "sweeps": ("recording",),
    "estimate": ("model", "system", "simulate", "analysis"),
    "interop": (
        "native",
        "symbolic",
        "codegen",
        "model",
        "dynamics",
        "system",
        "recording",
        "simulate",
        "realtime",
    ),
    "devices": ("native", "model", "recording", "realtime"),
    "haptics": ("symbolic", "model", "system", "realtime"),
    "planning": ("simulate", "interop"),
    "instruments": ("native", "model", "haptics"),
    "vehicle": ("model",),
    "gallery": ("model",),
    "workbench": (
        "native",
        "spatial",
        "model",
        "draw",
        "system",
        "recording",
        "simulate",
        "realtime",
        "interop",
        "haptics",
        "instruments",
    ),
    "cli": (
        "model",
        "draw",
        "system",
        "recording",
        "simulate",
        "realtime",
        "interop",
        "instruments",
        "workbench",
    ),
}
# Rooms, and the rooms whose public names they take from `touchback` itself, as users do; the core
# takes none, but for its pictures.
PUBLIC_NAMES = {
    "draw": ("symbolic", "model"),
    "estimate": ("symbolic", "model", "system", "recording"),
    "interop": (
        "symbolic",
        "model",
        "contact",
        "system",
        "recording",
        "simulate",
        "realtime",
        "analysis",
    ),
    "devices": ("symbolic", "model", "system", "recording", "realtime", "estimate"),
    "haptics": ("symbolic", "model", "estimate"),
    "planning": ("system", "recording", "simulate", "realtime", "batch", "interop"),
    "instruments": (
        "symbolic",
        "model",
        "contact",
        "system",
        "recording",
        "simulate",
        "realtime",
        "estimate",
        "devices",
    ),
    "vehicle": (
        "symbolic",
        "model",
        "contact",
        "system",
        "recording",
        "simulate",
        "realtime",
        "analysis",
        "interop",
        "devices",
        "haptics",
    ),
    "gallery": (
        "symbolic",
        "model",
        "contact",
        "system",
        "recording",
        "simulate",
        "analysis",
        "estimate",
        "devices",
        "planning",
        "instruments",
        "vehicle",
    ),
    "workbench": (
        "symbolic",
        "model",
        "contact",
        "system",
        "recording",
        "realtime",
        "analysis",
        "interop",
        "devices",
        "gallery",
    ),
    "cli": (
        "model",
        "system",
        "recording",
        "simulate",
        "realtime",
        "analysis",
        "interop",
        "devices",
        "haptics",
        "vehicle",
        "gallery",
    ),
}
CORE = {
    "native", "symbolic", "spatial", "model", "contact", "dynamics", "draw", "codegen",
    "system", "recording", "simulate", "realtime",
}  # fmt: skip
FREE_FOR_ALL = {
    "callback_signature", "errors", "figure_style", "json_validation", "names", "numbers",
    "progress", "safe_files", "unit_spellings", "units", "version",
}  # fmt: skip
SOURCE = Path(touchback.__path__[0])
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)
LAZY_CALLS = {  # of what everybody holds: what computes with it, and what shows it
    "Model": {"compile", "save", "__repr__", "_repr_html_"},
    "System": {"view", "batch"},
    "Live": {"view", "open_control"},  # a port holds a command server, and that the run
}
LAZY_TYPES = {"Port", "System"}  # what those return


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_modules(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, str, int]]:
    """What a module imports of the package, wherever in it: from which module, which name (none:
    the module itself), in which line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            found = [(".".join(base), alias.name) for alias in node.names]
        else:
            continue
        for module, name in found:
            if module.split(".")[0] == "touchback":
                yield module, name, node.lineno
    if any(isinstance(node, ast.Import) for node in ast.walk(tree)):
        yield from names_of_the_face(tree)


def names_of_the_face(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """What a module takes from `import touchback as tb`: `tb.Model` is the name `Model` of `tb`,
    `tb.vehicle.Car` the name `Car` of `tb.vehicle`."""
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or id(node) in inner:
            continue
        words = ast.unparse(node).split(".")
        if words[0] == "tb" and all(word.isidentifier() for word in words):
            depth = 1
            while depth < len(words) - 1 and is_module(words[1 : depth + 1]):
                depth += 1
            yield ".".join(words[:depth]), words[depth], node.lineno


def is_module(words: list[str]) -> bool:
    path = SOURCE.joinpath(*words)
    known = words[0] not in touchback._PUBLIC and words[0] in touchback.ROOMS
    return known and (path.is_dir() or path.with_suffix(".py").exists())


def home_of(module: str, name: str) -> str:
    """The room, or the module for all, that is imported; a public name of the face has none."""
    if module != "touchback":
        return "" if module.split(".")[0] == "tb" else module.split(".")[1]
    return "" if name in touchback._PUBLIC else name


def home_of_public_name(module: str, name: str) -> str:
    """The room that a public name of the face, or of its rooms, comes from."""
    if module.startswith("tb."):
        return module.split(".")[1]
    face = module in ("touchback", "tb")
    found, _ = touchback._PUBLIC.get(name, ("", "")) if face else ("", "")
    home = found.split(".")[1] if found else ""
    return home if home in EDGES else ""


def is_public(module: str, name: str) -> bool:
    """Whether the face has the name, or a room or documented module of it, as in `tb.vehicle`."""
    if module == "tb":
        return name in touchback._PUBLIC or name.startswith("__")
    found = import_module(module.replace("tb", "touchback", 1))
    return not name.startswith("_") and name in getattr(found, "__all__", vars(found))


def is_public_submodule(module: str, name: str) -> bool:
    """Whether a module inside a room is one that the room's door lists for others."""
    path = module.split(".")
    door = ast.parse((SOURCE / path[1] / "__init__.py").read_text())
    listed = {
        each
        for node in door.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLIC_SUBMODULES"
        for each in ast.literal_eval(node.value)
    }
    inner = ".".join(path[2:])
    return inner in listed or f"{inner}.{name}".strip(".") in listed


def without_the_lazy_calls(tree: ast.Module) -> ast.Module:
    """The module without the methods that may import what is upstairs, and without the imports of
    the types that they return."""
    tree = deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in LAZY_CALLS:
            calls = LAZY_CALLS[node.name]
            node.body = [
                item
                for item in node.body
                if not (isinstance(item, ast.FunctionDef) and item.name in calls)
            ]
            for block in tree.body:
                if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
                    block.body = [item for item in block.body if not is_lazy_type(item)]
    return tree


def is_lazy_type(item: ast.stmt) -> bool:
    """Of the face, which the lazy methods call, or one of the types that they return."""
    if isinstance(item, ast.Import):
        return [each.name for each in item.names] == ["touchback"]
    return isinstance(item, ast.ImportFrom) and {each.name for each in item.names} <= LAZY_TYPES


def imports_of(path: Path, text: str) -> list[tuple[str, str, int]]:
    package = ("touchback", *path.relative_to(SOURCE).parts[:-1])
    return list(imported_modules(without_the_lazy_calls(ast.parse(text)), package))


def forbidden_imports(path: Path, text: str) -> list[str]:
    room = room_of(path)
    allowed = {*EDGES[room], room, *FREE_FOR_ALL}
    where = path.relative_to(SOURCE)
    found = []
    for module, name, line in imports_of(path, text):
        home = home_of(module, name)
        if module == "touchback" and (not name or name in touchback._PUBLIC):
            public = home_of_public_name(module, name)
            if room in CORE - {"draw"}:
                found.append(f"{where}:{line} imports {name or 'the public face'} from the face")
            elif public not in {"", room, *PUBLIC_NAMES.get(room, ())}:
                found.append(f"{where}:{line} imports {name} of {public}")
        elif module.split(".")[0] == "tb":
            public = home_of_public_name(module, name)
            if not is_public(module, name):
                found.append(f"{where}:{line} takes {module}.{name}, which is not public")
            elif public not in {"", room, *PUBLIC_NAMES.get(room, ())}:
                found.append(f"{where}:{line} takes {name} of {public}")
        elif home not in allowed:
            found.append(f"{where}:{line} imports {home}")
        elif (
            home not in {room, *FREE_FOR_ALL}
            and module.count(".") > 1
            and not is_public_submodule(module, name)
        ):
            found.append(f"{where}:{line} imports {module} past the door of {home}")
    return found


def test_every_folder_is_a_room_of_the_table() -> None:
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert folders == set(EDGES)


@pytest.mark.parametrize("room", EDGES)
def test_a_room_imports_only_rooms_of_its_list_and_through_their_doors(room: str) -> None:
    files = [path for path in FILES if room_of(path) == room]
    assert [found for path in files for found in forbidden_imports(path, path.read_text())] == []


@pytest.mark.parametrize("room", EDGES)
def test_a_room_lists_no_room_that_it_does_not_import(room: str) -> None:
    found = [
        (module, name)
        for path in FILES
        if room_of(path) == room
        for module, name, _ in imports_of(path, path.read_text())
    ]
    assert set(EDGES[room]) - {home_of(*each) for each in found} == set()
    public = {home_of_public_name(*each) for each in found}
    assert set(PUBLIC_NAMES.get(room, ())) - public == set()


def test_the_core_knows_only_the_core() -> None:
    assert {room: set(EDGES[room]) - CORE for room in CORE} == {room: set() for room in CORE}


def test_rooms_import_each_other_in_one_direction_only() -> None:
    needed = {room: {*EDGES[room], *PUBLIC_NAMES.get(room, ())} for room in EDGES}
    ordered = set[str]()
    while ready := {room for room in set(EDGES) - ordered if needed[room] <= ordered}:
        ordered |= ready
    assert set(EDGES) - ordered == set()


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("model/body.py", "from touchback.dynamics import rnea", "imports dynamics"),
        ("model/body.py", "def f():\n    import touchback.system", "imports system"),
        ("model/body.py", "from touchback import cli", "imports cli"),
        ("model/body.py", "import touchback", "imports the public face"),
        ("model/body.py", "from touchback import Model", "imports Model from the face"),
        ("model/body.py", "from ..codegen import c", "imports codegen"),
        ("estimate/kalman.py", "from touchback import live", "imports live of realtime"),
        ("dynamics/aba.py", "from touchback.model.body import Body", "past the door of model"),
        ("estimate/kalman.py", "import touchback as tb\ntb.live()", "takes live of realtime"),
        (
            "gallery/kart.py",
            "import touchback as tb\ntb.vehicle.add_kind(1)",
            "takes tb.vehicle.add_kind, which is not public",
        ),
        (
            "model/body.py",
            "if TYPE_CHECKING:\n    from touchback.system import S",
            "imports system",
        ),
    ],
)
def test_an_import_that_is_not_listed_is_seen(file: str, text: str, complaint: str) -> None:
    assert [complaint in found for found in forbidden_imports(SOURCE / file, text)] == [True]


def test_imports_along_the_edges_and_the_lazy_calls_are_allowed() -> None:
    text = """
from touchback.errors import ModelError
from touchback.spatial import vector
from . import joints
class Model:
    def compile(self):
        from touchback.system import System
"""
    assert forbidden_imports(SOURCE / "model/model.py", text) == []
    assert forbidden_imports(SOURCE / "vehicle/car.py", "from touchback import Model, live") == []
    text = "import touchback as tb\ntb.vehicle.Car(tb.Model('car'), tb.vehicle.simulator.RATE)"
    assert forbidden_imports(SOURCE / "gallery/kart.py", text) == []
