"""What an import costs: `import touchback` and `touchback --help` import only what they need."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import touchback as tb
from touchback.cli.command_table import COMMANDS

HEAVY = ("numpy", "scipy", "yaml", "msgspec", "mcap", "matplotlib")


def fresh(code: str) -> str:
    """What code prints in a Python of its own."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def test_importing_touchback_imports_nothing_heavy_and_the_help_neither() -> None:
    told = f"print([name for name in {(*HEAVY, 'typer', 'rich')} if name in sys.modules])"
    assert fresh(f"import sys, touchback; {told}") == "[]\n"
    told = f"print([name for name in {HEAVY} if name in sys.modules])"
    run = "from touchback.cli.command_table import app; app(['--help'], standalone_mode=False)"
    shown = fresh(f"import sys; {run}; {told}")
    assert shown.endswith("[]\n") and "simulate" in shown


def test_a_mechanism_needs_neither_scipy_nor_the_command_line() -> None:
    told = (
        "print([n for n in ('scipy', 'typer', 'rich', 'matplotlib', 'mcap') if n in sys.modules])"
    )
    use = "import touchback as tb; tb.Model('m').compile()"
    assert fresh(f"import sys; {use}; {told}") == "[]\n"


def test_a_pendulum_of_the_gallery_needs_neither_scipy_nor_a_car() -> None:
    told = "print([n for n in ('scipy', 'touchback.vehicle') if n in sys.modules])"
    assert fresh(f"import sys, touchback as tb; tb.gallery.make('pendulum'); {told}") == "[]\n"


def test_every_public_name_is_there_and_listed() -> None:
    stub = ast.parse(Path(tb.__file__).with_suffix(".pyi").read_text())
    assigned = [node for node in stub.body if isinstance(node, ast.Assign)]
    listed = ast.literal_eval(assigned[0].value)
    assert {*listed} - {*tb.__all__} == {"open"}  # an `import *` would hide Python's own
    shown = {name for name in dir(tb) if not name.startswith("__")}
    assert shown == {*listed, *tb.ROOMS}
    for name in listed:
        assert getattr(tb, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Modle'"):
        _ = tb.Modle  # type: ignore[attr-defined]
    assert not hasattr(tb, "_nothing")


def test_a_name_that_a_room_has_too_stays_the_function_whatever_is_imported_first() -> None:
    for code in (
        "import touchback as tb; import touchback.analysis",
        "import touchback.simulate as room; import touchback as tb",
        "from touchback.simulate import simulate; import touchback as tb; assert tb.simulate",
        "import touchback as tb; tb.simulate; import touchback.simulate",
        "from touchback import *; import touchback as tb",
    ):
        assert fresh(f"{code}; print(tb.simulate.__name__)") == "simulate\n"


def test_rooms_are_attributes_without_being_imported() -> None:
    assert fresh("import touchback as tb; print(tb.gallery.make('pendulum').name)") == "pendulum\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_each_says_itself(name: str) -> None:
    first = (inspect.getdoc(COMMANDS[name].load()) or "").split("\n\n")[0]
    assert " ".join(first.split()) == COMMANDS[name].short
