"""One project for all who only look at it: a driven slider-crank."""

from pathlib import Path

import pytest

from c_projects import compiled, driven_slider_crank
from touchback.interop.export_targets import generate


@pytest.fixture(scope="session")
def slider_crank(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("c") / "slider_crank"
    generate(driven_slider_crank(), "c-project", folder)
    return folder


@pytest.fixture(scope="session")
def program(slider_crank) -> Path:
    return compiled(slider_crank, "-O0")
