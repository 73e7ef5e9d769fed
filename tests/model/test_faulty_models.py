"""What is wrong with a model is said by name, value and mend (the table is in `faulty_*.py`)."""

from pathlib import Path

import pytest

from faults import FAULTS, Fault, arm
from touchback.errors import TouchbackError
from touchback.system.model_checks import check_model
from update_docs import PAGES


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.title)
def test_a_fault_is_refused_with_its_message(fault: Fault) -> None:
    with pytest.raises(TouchbackError) as caught:
        fault.run()
    assert str(caught.value) == fault.message


def test_faults_are_many_and_told_apart() -> None:
    assert len(FAULTS) >= 90
    assert len({fault.title for fault in FAULTS}) == len(FAULTS)
    assert len({fault.message for fault in FAULTS}) == len(FAULTS)


def test_the_model_that_faults_are_put_into_has_none() -> None:
    check_model(arm())


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_pages_made_from_code_are_up_to_date(path: Path) -> None:
    """`python tests/update_docs.py` writes them."""
    assert path.read_text(encoding="utf-8") == PAGES[path]()
