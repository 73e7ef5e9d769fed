"""Options take the ranges that users rely on, and refuse what lies outside."""

import inspect
from typing import get_type_hints

import pytest
from typer.models import OptionInfo

from command import touchback
from descriptions import check
from touchback.cli.command_table import COMMANDS
from touchback.cli.option_types import assignments, number
from touchback.errors import InputError


def test_options_take_the_ranges_they_took(pytestconfig: pytest.Config) -> None:
    lines = []
    for name, entry in COMMANDS.items():
        for word, hint in get_type_hints(entry.load(), include_extras=True).items():
            for option in getattr(hint, "__metadata__", ()):
                callback = getattr(option, "callback", None)
                if not isinstance(option, OptionInfo) or callback is None:
                    continue
                told = inspect.getclosurevars(callback).nonlocals
                lines.append(f"{name} {word}: {dict(sorted(told.items()))}")
    check(lines, "ranges-of-options", pytestconfig)


@pytest.mark.parametrize("opened", [False, True])
def test_a_number_of_an_option_is_within_its_range(opened: bool) -> None:
    param = type("Param", (), {"opts": ["--it", "-i"]})()
    take = number("It.", 1.0, 3.0, open=opened).callback
    assert take is not None and take(param, None) is None
    assert take(param, 3.0) == 3.0 and take(param, 2.0) == 2.0
    words = "--it is .*; give a number " + ("above 1 " if opened else "at least 1 ")
    wrong = [0.999, 3.001, float("nan"), *([1.0] if opened else [])]
    for value in wrong:
        with pytest.raises(InputError, match=words + r"and at most 3\."):
            take(param, value)
    if not opened:
        assert take(param, 1.0) == 1.0
    endless = number("It.", 1.0).callback
    assert endless is not None and endless(param, 1e300) == 1e300
    with pytest.raises(InputError, match="at least 1 and finite"):
        endless(param, float("inf"))


def test_assignments_are_names_and_numbers() -> None:
    assert assignments("--set", ["a b=1e-3", " c =2", "d=e=3"]) == {"a b": 1e-3, "c": 2, "d=e": 3}
    for wrong in ("a", "=2", " =2", "a=b", "a="):
        with pytest.raises(InputError, match=rf"--set: a name.* got '{wrong}'"):
            assignments("--set", [wrong])


def test_parameters_and_initial_values_are_set_by_name() -> None:
    done = touchback("simulate", "pendulum", "--duration", "0.1", "--set", "lenght=1")
    assert done.returncode == 2 and "no parameter or initial value 'lenght'" in done.stderr
    assert "'length'" in done.stderr
