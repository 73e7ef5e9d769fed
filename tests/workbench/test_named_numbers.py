"""Constants and defaults of the room are those that users rely on."""

import pytest

from named_numbers import check_numbers


def test_named_numbers_are_as_they_were(pytestconfig: pytest.Config) -> None:
    check_numbers("workbench", pytestconfig, left_out=("workbench.drawing",))
