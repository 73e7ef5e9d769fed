"""The version is written twice: in the package and for those who build it."""

import tomllib
from pathlib import Path

import touchback


def test_the_package_and_its_metadata_agree_on_the_version() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert tomllib.loads(text)["project"]["version"] == touchback.__version__
