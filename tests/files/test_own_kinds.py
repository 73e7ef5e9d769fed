"""Kinds of one's own in files: what can't be one is refused by name."""

from typing import Any

import pytest

import touchback as tb
from touchback.errors import InputError
from touchback.files import add_kind


def test_a_section_that_has_no_kinds_is_told_with_those_that_have() -> None:
    with pytest.raises(InputError, match=r"no section of kinds 'joint'.*'joints'"):
        add_kind("joint", tb.Revolute)


@pytest.mark.parametrize("wrong", [int, "spring", tb.Revolute("y"), None])
def test_a_kind_is_a_class_of_the_models(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"add_kind\('joints', …\): a kind is a class"):
        add_kind("joints", wrong)
