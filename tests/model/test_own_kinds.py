"""Kinds of one's own in files: what can't be one is refused by name."""

from typing import Any

import pytest

import touchback as tb
from touchback.errors import InputError
from touchback.model.io import add_kind
from touchback.model.io.schema import SECTIONS
from touchback.model.kind_registry import KINDS


def test_a_section_that_has_no_kinds_is_told_with_those_that_have() -> None:
    with pytest.raises(InputError, match=r"no section of kinds 'joint'.*'joints'"):
        add_kind("joint", tb.Revolute)


@pytest.mark.parametrize("wrong", [int, "spring", tb.Revolute("y"), None])
def test_a_kind_is_a_class_of_the_models(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"add_kind\('joints', …\): a kind is a class"):
        add_kind("joints", wrong)


@pytest.mark.parametrize(
    ("section", "wrong"),
    [
        ("joints", tb.LinkForce), ("forces", tb.Revolute), ("contacts", tb.Revolute),
        ("closures", tb.LinkForce), ("couplings", tb.Revolute), ("sensors", tb.Revolute),
    ],
)  # fmt: skip
def test_a_kind_is_one_of_its_section(section: str, wrong: Any) -> None:
    before = {name: dict(kinds) for name, kinds in KINDS.items()}
    with pytest.raises(InputError, match=rf"add_kind\('{section}', \w+\): a kind of that section"):
        add_kind(section, wrong)
    assert before == KINDS


@pytest.mark.parametrize(("tag", "known"), [("revolute", "Revolute"), ("rod", "Rod")])
def test_a_kind_does_not_take_the_word_of_another(tag: str, known: str) -> None:
    """Also not of closures, which joints are too."""

    class Mine(tb.JointKind, frozen=True, tag=tag):
        pass

    before = {name: dict(kinds) for name, kinds in KINDS.items()}
    with pytest.raises(InputError, match=rf"files know '{tag}' as touchback\.\S+\.{known}; give"):
        add_kind("joints", Mine)
    assert before == KINDS


def test_a_kind_that_was_loaded_again_takes_its_own_place() -> None:
    def made() -> Any:
        class Again(tb.ForceKind, frozen=True, tag="again"):
            pass

        return Again

    first, second = made(), made()
    try:
        add_kind("forces", first)
        add_kind("forces", second)
        assert KINDS["forces"]["again"] is second
    finally:
        del KINDS["forces"]["again"], SECTIONS["forces"]["again"]
